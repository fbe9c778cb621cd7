// The source text, with the last executed statement and the current statements of all processes marked. A statement is
// marked by its columns; the whole line is marked only if they are not known.
class Source {
  constructor(container, sources, automata) {
    this.container = container;
    this.lines = new Map();
    this.marked = [];
    // By process type and location: the positions of the statements at that location.
    this.places = automata.map((automaton) => {
      const places = automaton.locations.map(() => new Map());
      for (const edge of automaton.edges) {
        if (edge.file) places[edge.from].set(JSON.stringify([edge.file, edge.line, edge.extent]), edge);
      }
      return places.map((found) => [...found.values()]);
    });
    const parts = [];
    for (const source of sources) {
      if (sources.length > 1) parts.push(el("div", { class: "file" }, source.name));
      source.text.replace(/\n$/, "").split("\n").forEach((line, index) => {
        const text = line.replace(/\r$/, "");
        const chips = el("span", { class: "chips" });
        const code = el("span", { class: "code" }, text);
        const row = el("div", { class: "line" }, el("span", { class: "no" }, index + 1), code, chips);
        this.lines.set(source.name + "\n" + (index + 1), { row, code, chips, text, marks: [] });
        parts.push(row);
      });
    }
    container.replaceChildren(...parts);
  }

  show(run, cursor, state) {
    for (const line of this.marked) {
      line.row.classList.remove("here", "done");
      line.chips.replaceChildren();
      line.code.replaceChildren(line.text);
      line.marks = [];
    }
    this.marked = [];
    const event = cursor > 0 ? run.trace.events[cursor - 1] : null;
    const movers = event ? event.actions.map((act) => act.lane) : [];
    state.at.forEach((location, lane) => {
      if (location === undefined) return;
      const shown = run.trace.lanes[lane];
      const lines = new Set();
      for (const place of this.places[shown.kind][location] || []) {
        const found = this.mark(place, "at " + laneClass(lane), shown.process + " is here");
        if (found) lines.add(found);
      }
      for (const line of lines) {
        line.row.classList.add("here");
        line.chips.append(el("span", { class: "chip " + laneClass(lane) + (movers.includes(lane) ? " mover" : "") }, shown.process));
      }
    });
    let focus = null;
    for (const act of event ? event.actions : []) {
      const found = this.mark(act, "did " + laneClass(act.lane), run.trace.lanes[act.lane].process + " did this");
      if (!found) continue;
      found.row.classList.add("done");
      focus = focus || found;
    }
    for (const line of this.marked) this.paint(line);
    focus = focus || this.marked[0];
    if (focus) this.reveal(focus.row);
  }

  // Marks a statement on all its lines; returns the first line.
  mark(place, classes, title) {
    const { column, end_line, end_column } = place.extent || { column: 1, end_line: place.line, end_column: Infinity };
    for (let number = place.line; number <= end_line; number++) {
      const line = this.lines.get(place.file + "\n" + number);
      if (!line) continue;
      // Without the indentation of continuation lines and of wholly marked lines.
      const indent = line.text.length - line.text.trimStart().length;
      let from = number === place.line ? Math.max(column - 1, place.extent ? 0 : indent) : indent;
      const to = number === end_line ? end_column - 1 : Infinity;
      // The end of a process has no text; it is at the closing brace.
      if (to <= from) from = Math.max(0, to - 1);
      if (line.marks.length === 0) this.marked.push(line);
      line.marks.push({ from, to, classes, title });
    }
    return this.lines.get(place.file + "\n" + place.line);
  }

  // Splits the line where a mark begins or ends; a piece has the classes of all marks that cover it.
  paint(line) {
    const characters = Array.from(line.text);
    const cuts = new Set([0, characters.length]);
    for (const { from, to } of line.marks) for (const cut of [from, to]) if (cut < characters.length) cuts.add(cut);
    const sorted = [...cuts].sort((a, b) => a - b);
    const pieces = sorted.slice(0, -1).map((from, index) => {
      const to = sorted[index + 1];
      const over = line.marks.filter((mark) => mark.from <= from && to <= mark.to);
      const text = characters.slice(from, to).join("");
      if (over.length === 0 || !text.trim()) return text;
      const classes = new Set(over.flatMap((mark) => mark.classes.split(" ")));
      return el("span", { class: [...classes].join(" "), title: over.map((mark) => mark.title).join("\n") }, text);
    });
    line.code.replaceChildren(...pieces);
  }

  reveal(row) {
    const view = this.container;
    const top = row.offsetTop;
    if (top < view.scrollTop + 24 || top + row.offsetHeight > view.scrollTop + view.clientHeight - 24) {
      view.scrollTop = Math.max(0, top - view.clientHeight / 2);
    }
  }
}
