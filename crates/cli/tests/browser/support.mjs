// A browser, models and pages for the tests.
import { chromium } from "playwright-core";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const LARIAT = process.env.LARIAT ?? "lariat";
const SHOTS = path.join(import.meta.dirname, "screenshots");
export const folder = mkdtempSync(path.join(tmpdir(), "lariat-browser-"));

let browser;

export async function start() {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}

export const stop = () => browser.close();

// A page that fails the test on any error, any refused resource and any request to elsewhere.
export async function open(url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 }, colorScheme: "light", ...options });
  page.problems = [];
  page.on("console", (message) => { if (message.type() === "error") page.problems.push(message.text()); });
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("dialog", (dialog) => { page.problems.push("a dialog: " + dialog.message()); dialog.dismiss(); });
  const base = new URL(url);
  page.on("request", (request) => {
    if (new URL(request.url()).host !== base.host) page.problems.push("a request to " + request.url());
  });
  await page.goto(url);
  return page;
}

export function write(name, text) {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

// Checks the model and returns the address of its page.
export function report(name, text, ...flags) {
  const model = write(name, text);
  const html = model + ".html";
  try {
    execFileSync(LARIAT, ["check", "--quiet", "--search", "bfs", ...flags, "--html", html, name], { cwd: folder, stdio: "ignore" });
  } catch (error) {
    if (error.status !== 1) throw error;
  }
  return html;
}

// Starts the explorer; returns its address and a way to end it.
export async function explore(name, text) {
  write(name, text);
  const child = spawn(LARIAT, ["explore", "--no-open", name], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    let seen = "";
    child.stdout.on("data", (data) => {
      seen += data;
      const end = seen.indexOf("\n");
      if (end >= 0) resolve(seen.slice(0, end).trim());
    });
    child.on("exit", () => reject(new Error("the explorer ended: " + seen)));
  });
  return { url, end: () => child.kill() };
}

export async function shot(page, name) {
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SHOTS, name + ".png"), fullPage: true });
}

export const text = (page, selector) => page.locator(selector).innerText();
export const value = (page, name) => page.locator(`#values tr[data-name="${name}"] .value`).innerText();
