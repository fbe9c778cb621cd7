// The source text, with the statement just executed, and where every process is now.
class Source {
  constructor(container, sources, automata) {
    this.container = container;
    this.lines = new Map();
    this.marked = [];
    // By process type and location: the places of the statements a process there is at.
    this.places = automata.map((automaton) => {
      const places = automaton.locations.map(() => []);
      for (const edge of automaton.edges) {
        const known = places[edge.from].some((place) => place.file === edge.file && place.line === edge.line);
        if (!known && edge.file) places[edge.from].push({ file: edge.file, line: edge.line });
      }
      return places;
    });
    const parts = [];
    for (const source of sources) {
      if (sources.length > 1) parts.push(el("div", { class: "file" }, source.name));
      source.text.replace(/\n$/, "").split("\n").forEach((text, index) => {
        const chips = el("span", { class: "chips" });
        const row = el("div", { class: "line" }, el("span", { class: "no" }, index + 1), el("span", {}, text.replace(/\r$/, "")), chips);
        this.lines.set(source.name + "\n" + (index + 1), { row, chips });
        parts.push(row);
      });
    }
    container.replaceChildren(...parts);
  }

  show(run, cursor, state) {
    for (const line of this.marked) {
      line.row.classList.remove("here", "done");
      line.chips.replaceChildren();
    }
    this.marked = [];
    const line = (place) => this.lines.get(place.file + "\n" + place.line);
    const event = cursor > 0 ? run.trace.events[cursor - 1] : null;
    const movers = event ? event.actions.map((act) => act.lane) : [];
    state.at.forEach((location, lane) => {
      if (location === undefined) return;
      const shown = run.trace.lanes[lane];
      for (const place of this.places[shown.kind][location] || []) {
        const found = line(place);
        if (!found) continue;
        found.row.classList.add("here");
        found.chips.append(el("span", { class: "chip " + laneClass(lane) + (movers.includes(lane) ? " mover" : "") }, shown.process));
        this.marked.push(found);
      }
    });
    let focus = null;
    for (const act of event ? event.actions : []) {
      const found = line(act);
      if (!found) continue;
      found.row.classList.add("done");
      this.marked.push(found);
      focus = focus || found;
    }
    focus = focus || this.marked[0];
    if (focus) this.reveal(focus.row);
  }

  reveal(row) {
    const view = this.container;
    const top = row.offsetTop;
    if (top < view.scrollTop + 24 || top + row.offsetHeight > view.scrollTop + view.clientHeight - 24) {
      view.scrollTop = Math.max(0, top - view.clientHeight / 2);
    }
  }
}
