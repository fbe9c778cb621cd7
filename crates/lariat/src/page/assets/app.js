// The page: selection of run and state, and keyboard shortcuts.
const data = JSON.parse(byId("data").textContent);
const views = {
  chart: new Chart(byId("chart"), (cursor) => go(cursor)),
  source: new Source(byId("source"), data.sources, data.automata),
  values: new Values(byId("values")),
  timing: new Timing(byId("timing-pane"), byId("timing"), (cursor) => go(cursor)),
  automata: new Automata(byId("automata"), data.automata),
};
const runs = [];
let current = null;
let cursor = 0;
let playing = null;
let live = null;

function summary() {
  document.title = printable(data.model) + " — lariat";
  byId("model").textContent = printable(data.model);
  byId("verdict").textContent = data.verdict;
  byId("verdict").classList.add(data.verdict.replace(" ", "-"));
  byId("findings").firstElementChild.replaceChildren(...data.findings.map((finding) => {
    const figures = finding.figures;
    const text = figures ? `${counted(figures.states, "state")}, ${(figures.seconds * 1000).toFixed(1)} ms` : "";
    const name = finding.kind === finding.name ? finding.name : finding.kind + " " + finding.name;
    return el("tr", {}, el("td", {}, name), el("td", { class: finding.verdict.replace(" ", "-") }, el("strong", {}, finding.verdict)),
      el("td", {}, el("span", { class: "mono" }, finding.reason || ""), finding.remedy ? el("div", { class: "remedy" }, finding.remedy) : null),
      el("td", {}, text));
  }));
  if (!data.ledger) return;
  const unchecked = data.ledger.not_checked.map((each) => `${each.what} (${each.how})`).join(", ");
  byId("ledger").replaceChildren(
    el("div", {}, "checked: " + [data.ledger.checked.join(", "), data.ledger.coverage].filter(Boolean).join(" — ")),
    unchecked ? el("div", {}, "not checked: " + unchecked) : "");
}

function tabs() {
  byId("runs").replaceChildren(...runs.map((run, index) => {
    const steps = counted(run.length, "step");
    const button = el("button", { type: "button", role: "tab", "aria-selected": run === current, "data-run": index }, `${run.name}  (${steps})`);
    button.addEventListener("click", () => choose(index));
    return button;
  }));
  byId("runs").hidden = runs.length < 2 && !live;
}

function choose(index, at) {
  current = runs[index];
  byId("player").hidden = false;
  why(current.shown.deadlock);
  views.chart.show(current);
  tabs();
  go(at === undefined ? current.length : at);
}

function go(to) {
  if (!current) return;
  cursor = Math.max(0, Math.min(to, current.length));
  const state = current.stateAfter(cursor);
  byId("scrubber").max = current.length;
  byId("scrubber").value = cursor;
  byId("position").textContent = cursor === 0 ? `start of ${grouped(current.length)}` : `${grouped(cursor)} of ${grouped(current.length)}`;
  statement();
  views.chart.move(cursor);
  views.source.show(current, cursor, state);
  views.values.show(current, cursor, state);
  views.timing.show(current, cursor);
  views.automata.show(current, state);
  if (live && current === live.run) live.look(cursor);
}

function statement() {
  const line = byId("statement");
  const event = cursor > 0 ? current.trace.events[cursor - 1] : null;
  line.replaceChildren();
  if (!event) line.append(el("span", { class: "faint" }, "the initial state"));
  for (const [index, act] of (event ? event.actions : []).entries()) {
    const name = current.trace.lanes[act.lane].process;
    line.append(index ? "  with  " : "", el("strong", { class: laneClass(act.lane) }, name), "  " + printable(act.statement));
  }
  if (cursor === current.length && current.shown.error && current !== (live && live.run)) {
    line.append(" ", el("span", { class: current.good ? "good" : "error" }, current.shown.error));
  }
  if (live && current !== live.run) {
    const button = el("button", { type: "button", id: "explore-here" }, "Explore from here");
    const number = runs.indexOf(current) - 1;
    button.addEventListener("click", async () => {
      const at = cursor;
      if (await live.adopt(number, at)) choose(0, at);
    });
    line.append("  ", button);
  }
}

function why(deadlock) {
  byId("why-pane").hidden = !deadlock;
  if (!deadlock) return;
  const parts = deadlock.processes.map((process) => {
    const waits = process.waits.map((wait) => el("li", {}, el("code", {}, wait.statement), `  line ${wait.line}`, wait.because ? el("span", { class: "because" }, " — " + wait.because) : null));
    const note = process.may_rest ? " may end here" : process.waits.length ? " waits at" : " has no statement left";
    return el("div", {}, el("strong", {}, process.process), note, el("ul", {}, ...waits));
  });
  if (deadlock.circle.length > 0) {
    parts.unshift(el("p", { class: "mono" }, "They wait in a circle: " + deadlock.circle.concat(deadlock.circle[0]).join(" → ")));
  }
  byId("why").replaceChildren(...parts);
}

function play(on) {
  if (playing) clearInterval(playing);
  playing = null;
  if (on) {
    if (cursor >= current.length) go(0);
    playing = setInterval(() => {
      const cycle = current.trace.cycle;
      if (cursor < current.length) go(cursor + 1);
      else if (cycle !== null && cycle !== undefined && cycle < current.length) go(cycle + 1);
      else play(false);
    }, 500);
  }
  byId("play").textContent = on ? "⏸" : "▶";
}

function theme() {
  const root = document.documentElement;
  const next = { undefined: "dark", dark: "light", light: undefined }[root.dataset.theme];
  if (next) root.dataset.theme = next;
  else delete root.dataset.theme;
}

function anotherRun(step) {
  if (runs.length > 0) choose((runs.indexOf(current) + step + runs.length) % runs.length);
}

const keys = {
  ArrowRight: () => go(cursor + 1), j: () => go(cursor + 1),
  ArrowLeft: () => go(cursor - 1), k: () => go(cursor - 1),
  Home: () => go(0), End: () => go(Infinity),
  " ": () => play(!playing), t: theme, n: () => anotherRun(1), p: () => anotherRun(-1),
  "?": () => byId("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open) return;
  if (target.id === "expression" || (target.tagName === "BUTTON" && event.key === " ")) return;
  if (live && current === live.run && /^[1-9]$/.test(event.key)) {
    live.take(Number(event.key) - 1);
  } else if (keys[event.key]) {
    keys[event.key]();
  } else {
    return;
  }
  event.preventDefault();
});
byId("scrubber").addEventListener("input", () => go(Number(byId("scrubber").value)));
byId("first").addEventListener("click", () => go(0));
byId("back").addEventListener("click", () => go(cursor - 1));
byId("forward").addEventListener("click", () => go(cursor + 1));
byId("last").addEventListener("click", () => go(Infinity));
byId("play").addEventListener("click", () => play(!playing));
byId("theme").addEventListener("click", theme);
byId("keys").addEventListener("click", () => byId("help").showModal());

summary();
if (data.live) {
  runs.push(new Run(data.live.run, "exploring"));
  live = new Live(data.live.path, runs[0], (to) => { views.chart.refresh(); tabs(); go(to); });
}
for (const finding of data.findings) {
  for (const shown of finding.runs) {
    const run = new Run(shown, finding.kind === "safety" ? shown.error : finding.kind + " " + finding.name);
    // The run shows why a formula holds.
    run.good = finding.verdict === "holds";
    runs.push(run);
  }
}
byId("forbidden-pane").hidden = data.forbidden.length === 0;
new Automata(byId("forbidden"), data.forbidden);
if (data.sources.length === 0) byId("source-pane").hidden = true;
if (runs.length > 0) choose(0, live ? 0 : undefined);
else byId("player").hidden = true;
