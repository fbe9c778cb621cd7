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
  for (const width of [700, 380]) {
    await dark.setViewportSize({ width, height: 900 });
    const wide = await dark.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
    assert.equal(wide, false, `the page does not scroll sideways at ${width}`);
  }
  await shot(dark, "narrow");
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
  assert.equal(await text(page, "#findings .remedy"), "violated even under strong fairness of processes and transitions, by the run shown");
  assert.match(await page.locator("#chart .loop-text").textContent(), /again from step \d+, forever/);
  assert.equal(await page.locator("#timing .wave").count(), 1);
  assert.deepEqual(await page.locator("#forbidden figcaption").allInnerTexts(), ["on"]);
  assert.ok(await page.locator("#forbidden circle").count() > 0);
  await shot(page, "formula");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("the automaton of each property that was requested is drawn", async () => {
  write("no-on.hoa", `HOA: v1
States: 2
Start: 0
AP: 1 "up"
Acceptance: 1 Inf(0)
--BODY--
State: 0 {0} [!0] 0
State: 1 {0} [t] 1
--END--
`);
  const page = await open("file://" + report("requested.pml", `bool up;
active proctype Blinker() { do :: up = true; up = false od }
never { accept: do :: up od }
`, "--ltl", "<> [] up", "--automaton", "no-on.hoa", "--non-progress", "--ctl", "AG EF up"));
  assert.deepEqual(await page.locator("#forbidden figcaption").allInnerTexts(),
    ["never_0", "<> [] up", "no-on.hoa", "non-progress cycles"]);
  for (const figure of await page.locator("#forbidden figure").all()) assert.ok(await figure.locator("circle").count() > 0);
  assert.match(await page.locator("#forbidden figure").nth(1).textContent(), /up/);
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

test("every control does what it says", async () => {
  const page = await open("file://" + report("live.pml", `bool up; byte n;
active proctype Blinker() { n = 1; do :: up = true; up = false od }
ltl on { <> [] up }
ltl few { [] (n < 1) }
`));
  const position = () => text(page, "#position");
  const tabs = page.getByRole("tab");
  assert.equal(await tabs.count(), 2);
  await tabs.filter({ hasText: "ltl on" }).click();
  const steps = Number((await position()).split(" of ")[1]);
  await page.getByRole("button", { name: "First state" }).click();
  assert.equal(await position(), `start of ${steps}`);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  assert.equal(await position(), `1 of ${steps}`);
  await page.getByRole("button", { name: "Last state" }).click();
  assert.equal(await position(), `${steps} of ${steps}`);
  // A click into the timing diagram goes to that state.
  const wave = await page.locator("#timing .wave").boundingBox();
  await page.mouse.click(wave.x + 5, wave.y + wave.height / 2);
  assert.equal(await position(), `start of ${steps}`);
  await page.keyboard.press("End");
  // Played from the end, it starts again and goes round.
  await page.keyboard.press(" ");
  await page.waitForFunction(() => document.getElementById("position").textContent.startsWith("1 of"));
  await page.keyboard.press(" ");
  assert.equal(await text(page, "#play"), "▶");
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  for (const wanted of ["dark", "light", undefined]) {
    await page.locator("#theme").click();
    assert.equal(await theme(), wanted);
  }
  await page.getByRole("button", { name: "Keys" }).click();
  assert.equal(await page.locator("#help").isVisible(), true);
  await page.getByRole("button", { name: "Close" }).click();
  assert.equal(await page.locator("#help").isVisible(), false);
  // The automata of both formulas, and of the process.
  assert.deepEqual(await page.locator("#forbidden figcaption").allInnerTexts(), ["on", "few"]);
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("formulas of branching time show their runs, good and bad", async () => {
  const page = await open("file://" + report("branch.pml", `byte x; bool lost;
active proctype P() { do :: !lost -> x = 1; x = 0 :: lost = true; x = 2; break od }
`, "--ctl", "AG EF (x == 1)", "--ctl", "EF lost"));
  assert.equal(await text(page, "#verdict"), "violated");
  assert.match(await text(page, "#findings"), /ctl AG EF \(x == 1\)\s+violated/);
  assert.match(await text(page, "#findings"), /ctl EF lost\s+holds/);
  assert.match(await text(page, "#statement .error"), /property violated/);
  assert.match(await page.locator("#timing text").first().textContent(), /x == 1/);
  assert.deepEqual(await page.locator("#source .line").count(), 2, "the formulas are not part of the model");
  await page.getByRole("tab", { name: /EF lost/ }).last().click();
  assert.equal(await value(page, "lost"), "true");
  assert.equal(await page.locator("#statement .error").count(), 0);
  assert.match(await text(page, "#statement .good"), /shows why it holds/);
  await shot(page, "branching");
  assert.deepEqual(page.problems, []);
  await page.close();
});

test("nothing is injected in any view", async () => {
  const evil = "<img src=x onerror=window.hacked=1>";
  const quoted = `'\u0022>${evil}</title></style></svg>\${window.hacked=1}{{hacked}}`.replaceAll("\u0022", "\\\"");
  const page = await open("file://" + report(`${evil}.pml`, `chan q = [1] of { byte }; byte x;
active proctype P() { printf("${quoted}"); q!1; x = 1; d_step { printf("${quoted}"); x = 2 }; q!2 }
active proctype Q() { byte y; do :: x == 5 -> printf("${quoted}") :: q?[3] -> q?y od }
`, "--ltl", "<> (x == 3)", "--property", "safety"));
  for (const view of ["#model", "#source"]) assert.ok((await text(page, view)).includes(evil), view);
  assert.ok((await page.title()).includes(evil));
  const hidden = (selector) => page.locator(selector).evaluateAll((all) => all.map((each) => each.textContent).join(" "));
  for (const view of ["#chart", "#automata"]) assert.ok((await hidden(view)).includes("<img"), view);
  await page.locator("#runs button").first().click();
  await page.locator("#why-pane").waitFor();
  const steps = Number((await text(page, "#position")).split(" of ")[1]);
  for (let step = 0; step < steps; step++) await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowRight");
  assert.ok((await text(page, "#statement")).includes(evil));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual(page.problems, []);
  await page.close();
});
