// The values of all variables and channels, by process, with the changes of the last step marked.
class Values {
  constructor(container) {
    this.container = container;
  }

  show(run, cursor, state) {
    const changed = new Map();
    const before = cursor > 0 ? run.stateAfter(cursor - 1) : null;
    if (before) {
      for (const [variable] of run.trace.events[cursor - 1].set) changed.set(variable, before.values[variable]);
    }
    const groups = new Map([["", []]]);
    run.trace.variables.forEach((name, variable) => {
      if (state.values[variable] === undefined) return;
      const split = name.indexOf("]:");
      const owner = split < 0 ? "" : name.slice(0, split + 1);
      if (!groups.has(owner)) groups.set(owner, []);
      groups.get(owner).push({ name: split < 0 ? name : name.slice(split + 2), variable });
    });
    const lanes = new Map(run.trace.lanes.map((lane, index) => [lane.process, index]));
    const body = el("tbody");
    for (const [owner, list] of groups) {
      if (list.length === 0) continue;
      const lane = lanes.get(owner);
      const className = lane === undefined ? null : laneClass(lane);
      body.append(el("tr", {}, el("th", { colspan: 2, class: className }, owner || "globals and channels")));
      for (const { name, variable } of list) {
        const is = changed.has(variable);
        const old = is && changed.get(variable) !== undefined ? el("span", { class: "old" }, changed.get(variable)) : null;
        body.append(el("tr", { class: is ? "changed" : null, "data-name": run.trace.variables[variable] },
          el("td", {}, name), el("td", {}, old, el("span", { class: "value" }, state.values[variable]))));
      }
    }
    this.container.replaceChildren(el("table", {}, body));
  }
}
