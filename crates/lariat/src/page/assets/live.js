// Exploring: the enabled steps of the current state, requested from the server of this page.
class Live {
  constructor(base, run, changed) {
    this.base = base;
    this.run = run;
    this.changed = changed;
    this.breakpoints = [];
    this.requests = 0;
    byId("live").hidden = false;
    byId("save").href = base + "trail";
    byId("until").addEventListener("submit", (event) => {
      event.preventDefault();
      this.act("until", { expression: byId("expression").value });
    });
    byId("add-breakpoint").addEventListener("click", () => this.addBreakpoint());
    byId("run-on").addEventListener("click", () => this.act("run", { breakpoints: this.breakpoints }));
  }

  note(text, isError) {
    byId("live-note").textContent = printable(text);
    byId("live-note").classList.toggle("error", Boolean(isError));
  }

  async ask(what, body) {
    const response = await fetch(this.base + what, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error || response.statusText);
    return answer;
  }

  // Shows the enabled steps after this number of events.
  async look(cursor) {
    const number = ++this.requests;
    try {
      const answer = await this.ask("look", { at: cursor });
      if (number === this.requests) this.show(answer, cursor);
    } catch (error) {
      this.note(error.message, true);
    }
  }

  show(answer, cursor) {
    this.cursor = cursor;
    this.count = answer.choices.length;
    const lanes = new Map(this.run.trace.lanes.map((lane, index) => [lane.process, index]));
    const who = (name) => el("span", { class: "who " + (lanes.has(name) ? laneClass(lanes.get(name)) : "") }, name);
    byId("choices").replaceChildren(...answer.choices.map((choice, index) => {
      const button = el("button", { type: "button", "data-choice": index }, index + 1 + "  ");
      choice.movers.forEach((mover, position) => button.append(position ? " with " : "", who(mover.process), "  " + printable(mover.statement)));
      const changes = choice.changes.map((change) => change[0] + " = " + change[1]).join(", ");
      if (changes) button.append(el("span", { class: "makes" }, "   " + changes));
      if (choice.errors.length > 0) button.append(el("span", { class: "error" }, "   " + choice.errors.join(", ")));
      button.addEventListener("click", () => this.take(index));
      return button;
    }));
    if (answer.end) byId("choices").append(el("span", {}, answer.end));
  }

  take(index) {
    if (index < this.count) this.act("take", { choice: index });
  }

  async act(what, body) {
    try {
      const answer = await this.ask(what, { at: this.cursor, ...body });
      this.run.extend(answer);
      this.note(answer.note || "");
      this.changed(this.run.length);
    } catch (error) {
      this.note(error.message, true);
    }
  }

  // Replaces the run by the first `at` steps of a counterexample.
  async adopt(number, at) {
    try {
      const answer = await this.ask("adopt", { run: number, steps: at });
      this.run.extend(answer);
      this.note("");
      return true;
    } catch (error) {
      this.note(error.message, true);
      return false;
    }
  }

  async addBreakpoint() {
    const expression = byId("expression").value.trim();
    if (!expression) return;
    try {
      await this.ask("parse", { expression });
    } catch (error) {
      this.note(error.message, true);
      return;
    }
    this.note("");
    this.breakpoints.push(expression);
    const item = el("li", { class: "mono" }, expression);
    const remove = el("button", { type: "button", "aria-label": "Remove breakpoint" }, "×");
    remove.addEventListener("click", () => {
      this.breakpoints.splice(this.breakpoints.indexOf(expression), 1);
      item.remove();
    });
    item.append(remove);
    byId("breakpoints").append(item);
  }
}
