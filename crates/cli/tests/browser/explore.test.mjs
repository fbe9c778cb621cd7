// The explorer: `lariat explore`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import { networkInterfaces } from "node:os";
import { after, before, test } from "node:test";
import { explore, open, shot, start, stop, text, value } from "./support.mjs";

const MODEL = `byte inside, turn;
bool wants[2];
active [2] proctype User() {
  byte other = 1 - _pid;
  do
  :: turn = other;
     wants[_pid] = true;
     !wants[other] || turn == _pid;
critical:
     inside++;
     assert(inside == 1);
     inside--;
     wants[_pid] = false
  od
}
`;

let server;
before(async () => {
  await start();
  server = await explore("mutex.pml", MODEL);
});
after(async () => {
  server.end();
  await stop();
});

test("steps are taken, undone and searched for", async () => {
  const page = await open(server.url);
  await page.locator("#choices button").first().waitFor();
  assert.equal(await page.locator("#choices button").count(), 2);
  await page.locator("#choices button").nth(1).click();
  await page.waitForFunction(() => document.getElementById("position").textContent === "1 of 1");
  assert.match(await text(page, "#statement"), /User\[0\]\s+turn = other/);
  assert.equal(await value(page, "turn"), "1");
  await page.keyboard.press("1");
  await page.waitForFunction(() => document.getElementById("position").textContent === "2 of 2");
  // Back in time: what could have been done there is offered again.
  await page.keyboard.press("ArrowLeft");
  assert.equal(await text(page, "#position"), "1 of 2");
  await page.waitForFunction(() => document.querySelectorAll("#choices button").length === 2);
  // The nearest state where something holds.
  await page.locator("#expression").fill("inside == 1 && User[1]@critical");
  await page.getByRole("button", { name: "Go there" }).click();
  await page.waitForFunction(() => document.querySelector("#values tr[data-name=inside] .value").textContent === "1");
  await shot(page, "explore");
  await page.locator("#expression").fill("nonsense ==");
  await page.getByRole("button", { name: "Go there" }).click();
  await page.locator("#live-note.error").waitFor();
  page.problems = page.problems.filter((problem) => !problem.includes("422"));
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("breakpoints stop a run", async () => {
  const page = await open(server.url);
  await page.locator("#choices button, #choices span").first().waitFor();
  await page.keyboard.press("Home");
  await page.locator("#expression").fill("inside > 0");
  await page.getByRole("button", { name: "Add as breakpoint" }).click();
  await page.locator("#breakpoints li").waitFor();
  await page.getByRole("button", { name: "Run on" }).click();
  await page.waitForFunction(() => document.getElementById("live-note").textContent === "stopped where inside > 0");
  assert.equal(await value(page, "inside"), "1");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a counterexample can be gone on from, and the run saved", async () => {
  const page = await open(server.url);
  await page.locator("#choices button, #choices span").first().waitFor();
  await page.locator("#runs button").nth(1).click();
  assert.match(await text(page, "#statement"), /assertion violated: inside == 1/);
  await page.keyboard.press("ArrowLeft");
  const steps = Number((await text(page, "#position")).split(" of ")[0]);
  await page.getByRole("button", { name: "Explore from here" }).click();
  await page.waitForFunction((steps) => document.getElementById("position").textContent === `${steps} of ${steps}`, steps);
  await page.locator("#choices .error").first().waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
  const trail = readFileSync(await download.path(), "utf8");
  assert.equal(trail.trim().split("\n").length, steps);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("an infinite run can be continued", async (context) => {
  const other = await explore("blink.pml", `bool up;
active proctype Blinker() { do :: up = true; up = false od }
ltl settles { <> [] up }
`);
  // Also if the test fails: a child process would keep Node.js running.
  context.after(() => other.end());
  const page = await open(other.url);
  await page.locator("#choices button").first().waitFor();
  assert.match(await text(page, "#findings"), /ltl settles\s+violated/);
  await page.getByRole("tab", { name: /ltl settles/ }).click();
  assert.match(await page.locator("#chart .loop-text").textContent(), /again from step 1, forever/);
  assert.equal(await page.locator("#timing .wave").count(), 1);
  await page.keyboard.press("ArrowLeft");
  await page.getByRole("button", { name: "Explore from here" }).click();
  await page.waitForFunction(() => document.getElementById("position").textContent === "1 of 1");
  await page.locator("#choices button").first().click();
  await page.waitForFunction(() => document.getElementById("position").textContent === "2 of 2");
  assert.equal(await value(page, "up"), "false");
  await shot(page, "explore-lasso");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("breakpoints can be taken away, and what is typed is only text", async () => {
  const page = await open(server.url);
  await page.locator("#choices button, #choices span").first().waitFor();
  await page.keyboard.press("Home");
  await page.locator("#expression").fill("inside < 9 /* <img src=x onerror=window.hacked=1> */");
  await page.getByRole("button", { name: "Add as breakpoint" }).click();
  await page.locator("#breakpoints li, #live-note.error").first().waitFor();
  await page.locator("#expression").fill("inside > 0");
  await page.getByRole("button", { name: "Add as breakpoint" }).click();
  await page.locator("#breakpoints li", { hasText: "inside > 0" }).waitFor();
  for (let left = await page.locator("#breakpoints li").count(); left > 0; left--) {
    await page.getByRole("button", { name: "Remove breakpoint" }).first().click();
  }
  assert.equal(await page.locator("#breakpoints li").count(), 0);
  await page.locator("#expression").fill("<img src=x onerror=window.hacked=1>");
  await page.getByRole("button", { name: "Go there" }).click();
  await page.locator("#live-note.error").waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  page.problems = page.problems.filter((problem) => !problem.includes("422"));
  assert.deepEqual(page.problems, []);
  await page.close();
});

// The status of a request that says what it likes about where it goes.
const status = (address, options) => new Promise((resolve, reject) => {
  const request = http.request(address, options, (response) => { response.resume(); resolve(response.statusCode); });
  request.on("error", reject);
  request.end(options.method === "POST" ? "{}" : undefined);
});

const ROUTES = [["GET", ""], ["GET", "trail"], ...["look", "parse", "take", "until", "run", "adopt"].map((what) => ["POST", what])];

test("nobody else is answered, on any route", async () => {
  const url = new URL(server.url);
  assert.equal(url.hostname, "127.0.0.1");
  assert.ok(url.pathname.length > 32);
  for (const [method, what] of ROUTES) {
    const ours = server.url + what;
    assert.notEqual(await status(ours, { method }), 404, what);
    // Without the secret, and with a wrong one.
    assert.equal(await status(url.origin + "/" + what, { method }), 404, what);
    assert.equal(await status(url.origin + "/" + "0".repeat(32) + "/" + what, { method }), 404, what);
    // A page from elsewhere, and a name that was made to point here.
    assert.equal(await status(ours, { method, headers: { Origin: "http://elsewhere.example" } }), 403, what);
    assert.equal(await status(ours, { method, headers: { Origin: "null" } }), 403, what);
    assert.equal(await status(ours, { method, headers: { Host: "elsewhere.example:" + url.port } }), 403, what);
  }
});

test("nothing listens but on loopback", async () => {
  const { port } = new URL(server.url);
  const outside = Object.values(networkInterfaces()).flat().filter((each) => !each.internal && each.family === "IPv4");
  for (const { address } of outside) {
    await assert.rejects(status(`http://${address}:${port}/`, { method: "GET" }), { code: "ECONNREFUSED" }, address);
  }
});
