// The page that `lariat check --html` writes.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { open, report, shot, start, stop, text, value, write } from "./support.mjs";

before(start);
after(stop);

const POST = `mtype = { ping, pong };
chan box = [2] of { mtype, byte }, wire = [0] of { byte };
byte total;
active proctype Sender() {
  box!ping,3;
  wire!7;
  total++
}
active proctype Receiver() {
  mtype kind;
  byte v;
  box?kind,v;
  wire?v;
  total = total + v;
  assert(total < 8)
}
`;

test("a run is shown, step by step", async () => {
  const page = await open("file://" + report("post.pml", POST));
  assert.equal(await text(page, "#verdict"), "violated");
  assert.match(await text(page, "#findings"), /assertion violated: total < 8/);
  assert.match(await text(page, "#ledger"), /checked: 1 assertion, deadlocks/);
  // It opens at the end, where the error is.
  assert.equal(await text(page, "#position"), "6 of 6");
  assert.match(await text(page, "#statement"), /Receiver\[1\]\s+assert\(total < 8\)\s*assertion violated/);
  assert.equal(await value(page, "total"), "8");
  await shot(page, "post");
  await page.keyboard.press("Home");
  assert.equal(await text(page, "#position"), "start of 6");
  assert.equal(await value(page, "total"), "0");
  assert.equal(await value(page, "box"), "empty");
  await page.keyboard.press("ArrowRight");
  assert.equal(await value(page, "box"), "[ping,3]");
  assert.equal(await page.locator("#values tr.changed").getAttribute("data-name"), "box");
  assert.match(await text(page, ".line.done"), /^5\s+box!ping,3;/);
  assert.equal(await text(page, ".line.done .did"), "box!ping,3");
  // Where both processes are now, side by side.
  const here = await page.locator(".line.here").allInnerTexts();
  assert.equal(here.length, 2);
  assert.match(here[0], /wire!7;\s+Sender\[0\]/);
  assert.match(here[1], /box\?kind,v;\s+Receiver\[1\]/);
  await page.keyboard.press("j");
  assert.equal(await value(page, "Receiver[1]:kind"), "ping");
  await page.keyboard.press("k");
  assert.equal(await text(page, "#position"), "1 of 6");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the chart joins sends with receives and can be clicked", async () => {
  const page = await open("file://" + report("post.pml", POST));
  assert.deepEqual(await page.locator("#chart .head").allInnerTexts(), ["", "Sender[0]", "Receiver[1]"]);
  assert.deepEqual(await page.locator("#chart line.arrow title").evaluateAll((all) => all.map((each) => each.textContent)),
    ["box: ping,3", "wire: 7"]);
  const row = await page.locator("#chart g[data-row='2']").boundingBox();
  await page.mouse.click(row.x + row.width / 2, row.y + row.height / 2);
  assert.equal(await text(page, "#position"), "2 of 6");
  await page.locator("#scrubber").fill("4");
  assert.equal(await text(page, "#position"), "4 of 6");
  await page.getByRole("button", { name: "Step back" }).click();
  assert.equal(await text(page, "#position"), "3 of 6");
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => document.getElementById("position").textContent === "6 of 6");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("process automata follow the run", async () => {
  const page = await open("file://" + report("post.pml", POST));
  assert.deepEqual(await page.locator("#automata figcaption").allInnerTexts(), ["Sender", "Receiver"]);
  await page.keyboard.press("Home");
  const here = () => page.locator("#automata figure[data-process='Sender'] circle").evaluateAll((all) => all.findIndex((each) => each.classList.contains("here")));
  assert.equal(await here(), 0);
  await page.keyboard.press("ArrowRight");
  assert.equal(await here(), 1);
  await page.close();
});

test("statements on one line are told apart", async () => {
  const page = await open("file://" + report("line.pml", `byte x;
active proctype P() { x = 1; x = 2; (x == 9) }
active proctype Q() { x > 1; /* é𝒳 */ if :: x = 3; assert(x ==
  2) :: x = 4; false fi }
`));
  await page.keyboard.press("Home");
  const marked = () => page.locator("#source .code .at, #source .code .did").evaluateAll((all) => all.map((each) =>
    [each.textContent, each.classList.contains("at"), each.classList.contains("did"), each.className.match(/lane\d/)[0]].join("|")));
  assert.deepEqual(await marked(), ["x = 1|true|false|lane0", "x > 1|true|false|lane1"]);
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await marked(), ["x = 1|false|true|lane0", "x = 2|true|false|lane0", "x > 1|true|false|lane1"]);
  await page.keyboard.press("End");
  // Behind characters that JavaScript counts as two, and over two lines.
  const end = await marked();
  assert.ok(end.includes("assert(x ==|false|true|lane1") && end.includes("2)|false|true|lane1"), end.join(" "));
  await shot(page, "columns");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("several runs, and a model in several files", async () => {
  write("part.pml", "active proctype R() { x > 1; assert(x == 9) }\n");
  const page = await open("file://" + report("whole.pml", `byte x;
#include "part.pml"
active proctype P() { x++; x++; assert(x == 0) }
`, "--all-errors"));
  assert.deepEqual(await page.locator("#source .file").allInnerTexts(), ["whole.pml", "part.pml"]);
  const names = await page.locator("#runs button").allInnerTexts();
  assert.equal(names.length, 2);
  const selected = () => page.locator("#runs button[aria-selected=true]").innerText();
  assert.equal(await selected(), names[0]);
  await page.keyboard.press("n");
  assert.equal(await selected(), names[1]);
  await page.keyboard.press("n");
  assert.equal(await selected(), names[0]);
  await page.keyboard.press("p");
  assert.equal(await selected(), names[1]);
  // The statement that failed is marked, in whichever file it is.
  const failed = names[1].match(/x == \d/)[0];
  assert.equal(await text(page, ".code .did"), `assert(${failed})`);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a deadlock explains itself", async () => {
  const page = await open("file://" + report("stuck.pml", `chan a = [1] of { bit }, b = [1] of { bit };
active proctype P() { a?1; b!1 }
active proctype Q() { b?1; a!1 }
`));
  assert.match(await text(page, "#why"), /circle: P\[0\] → Q\[1\] → P\[0\]/);
  assert.match(await text(page, "#why"), /a is empty/);
  await shot(page, "deadlock");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("what holds has no run", async () => {
  const page = await open("file://" + report("fine.pml", "active proctype P() { skip }\n"));
  assert.equal(await text(page, "#verdict"), "holds");
  assert.equal(await page.locator("#player").isVisible(), false);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("light, dark and narrow", async () => {
  const file = "file://" + report("post.pml", POST);
  const back = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await open(file);
  const dark = await open(file, { colorScheme: "dark", viewport: { width: 700, height: 900 } });
  assert.notEqual(await back(light), await back(dark));
  await shot(dark, "dark");
  const was = await back(light);
  await light.keyboard.press("t");
  assert.notEqual(await back(light), was);
  await light.keyboard.press("?");
  assert.equal(await light.locator("#help").isVisible(), true);
  const wide = await dark.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  assert.equal(wide, false, "the page does not scroll sideways");
  await light.close();
  await dark.close();
});

test("a model's text can inject nothing", async () => {
  const evil = "</script><script>window.hacked=1</script><img src=x onerror=alert(1)><!--";
  const page = await open("file://" + report("evil.pml", `/* ${evil} */
byte x; /* {{constructor}} \u2028 */
active proctype P() { printf("${evil}"); x = 1; /* ]]> */ assert(x == 0) }
`));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await text(page, "#source")).includes(evil));
  assert.equal(await page.locator("script").count(), 2);
  assert.deepEqual(page.problems, []);
  // Even a script that got in would not run.
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await page.close();
});

test("a lasso is drawn as a loop, conditions as a timing diagram", async () => {
  const file = report("post.pml", POST);
  const lasso = file.replace(".html", ".lasso.html");
  writeFileSync(lasso, readFileSync(file, "utf8").replace('"cycle":null,"atoms":[]',
    '"cycle":2,"atoms":[{"name":"total \\u003e 0","values":[false,false,false,false,true,true,true]}]'));
  const page = await open("file://" + lasso);
  assert.match(await page.locator("#chart .loop-text").textContent(), /again from step 3, forever/);
  assert.equal(await page.locator("#timing-pane").isVisible(), true);
  assert.match(await page.locator("#timing text").first().textContent(), /^total > 0/);
  const wave = await page.locator("#timing .wave").getAttribute("d");
  assert.equal(wave.split(/[ML]/).length - 1, 14);
  await shot(page, "lasso");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a formula that fails", async () => {
  const page = await open("file://" + report("live.pml", `bool up;
active proctype Blinker() { do :: up = true; up = false od }
active proctype Other() { atomic { up -> skip }; skip }
ltl on { <> [] up }
`, "--property", "on"));
  assert.equal(await text(page, "#verdict"), "violated");
  assert.match(await text(page, "#findings"), /ltl on\s+violated/);
  assert.equal(await text(page, "#findings .remedy"), "violated even under strong fairness of processes and transitions");
  assert.match(await page.locator("#chart .loop-text").textContent(), /again from step \d+, forever/);
  assert.equal(await page.locator("#timing .wave").count(), 1);
  assert.deepEqual(await page.locator("#forbidden figcaption").allInnerTexts(), ["on"]);
  assert.ok(await page.locator("#forbidden circle").count() > 0);
  await shot(page, "formula");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("a long run stays light", async () => {
  const page = await open("file://" + report("long.pml", `int x; chan q = [1] of { int };
active proctype Up() { do :: x < 6000 -> x++; q!x :: else -> break od }
active proctype Down() { int got; do :: q?got; assert(got < 6000) od }
`, "--as-found"));
  const position = await text(page, "#position");
  const steps = Number(position.split(" of ")[1].replaceAll(",", ""));
  assert.ok(steps > 15000, position);
  assert.ok(await page.locator("#chart svg *").count() < 2000);
  await page.locator("#scrubber").fill(String(Math.floor(steps / 2)));
  assert.ok(Number(await value(page, "x")) > 2000);
  // Far away and back again: the same values.
  const x = await value(page, "x");
  await page.keyboard.press("Home");
  await page.locator("#scrubber").fill(String(Math.floor(steps / 2)));
  assert.equal(await value(page, "x"), x);
  assert.deepEqual(page.problems, []);
  await page.close();
});
