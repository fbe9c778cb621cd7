// The conditions of a formula as a timing diagram: high where they hold. Long runs are shown around the current state.
const TICK = 22;
const WINDOW = 400;

class Timing {
  constructor(pane, container, choose) {
    this.pane = pane;
    this.container = container;
    container.addEventListener("click", (event) => {
      const drawing = container.querySelector("svg");
      if (!drawing || !this.run) return;
      const x = event.clientX - drawing.getBoundingClientRect().left - this.left;
      const state = this.first + Math.floor(x / TICK);
      if (x >= 0 && state <= this.run.length) choose(state);
    });
  }

  show(run, cursor) {
    const atoms = run.trace.atoms;
    this.pane.hidden = atoms.length === 0;
    if (atoms.length === 0) return;
    this.run = run;
    this.first = Math.max(0, Math.min(cursor - WINDOW / 2, run.length - WINDOW));
    const last = Math.min(run.length, this.first + WINDOW);
    this.left = 16 + 7.2 * Math.min(40, Math.max(...atoms.map((atom) => atom.name.length)));
    const width = this.left + (last - this.first + 1) * TICK + 8;
    const drawing = svg("svg", { width, height: atoms.length * 30 + 12 });
    atoms.forEach((atom, index) => {
      const high = index * 30 + 10;
      const low = high + 18;
      drawing.append(svg("text", { x: 8, y: low - 4 }, shortened(atom.name, 40), svg("title", {}, atom.name)));
      let path = "";
      for (let state = this.first; state <= last; state++) {
        const y = atom.values[state] ? high : low;
        const x = this.left + (state - this.first) * TICK;
        path += (path ? "L" : "M") + `${x} ${y}L${x + TICK} ${y}`;
      }
      drawing.append(svg("path", { class: "wave", d: path }));
    });
    const now = this.left + (cursor - this.first) * TICK + TICK / 2;
    drawing.append(svg("line", { class: "now", x1: now, x2: now, y1: 2, y2: atoms.length * 30 + 8 }));
    if (run.trace.cycle !== null && run.trace.cycle !== undefined && run.trace.cycle >= this.first) {
      const x = this.left + (run.trace.cycle - this.first) * TICK;
      drawing.append(svg("rect", { class: "loop", x, y: 3, width: width - x - 6, height: atoms.length * 30 + 4, rx: 6 }));
    }
    this.container.replaceChildren(drawing);
  }
}
