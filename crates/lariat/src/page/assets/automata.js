// The automaton of each process type: locations in one column in depth-first order, statements to the next location
// between them, other statements as arcs: forward on the right, backward on the left.
const STEP = 54;

class Automata {
  constructor(container, automata) {
    this.figures = automata.map((automaton, kind) => this.figure(automaton, kind));
    container.replaceChildren(...this.figures.map((figure) => figure.element));
  }

  order(automaton) {
    const leaving = automaton.locations.map(() => []);
    for (const edge of automaton.edges) if (edge.to !== null) leaving[edge.from].push(edge.to);
    const seen = new Set();
    const order = [];
    const todo = [automaton.initial];
    while (todo.length > 0) {
      const at = todo.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      order.push(at);
      for (const next of leaving[at].slice().reverse()) todo.push(next);
    }
    return order;
  }

  figure(automaton, kind) {
    const order = this.order(automaton);
    const rank = new Map(order.map((location, index) => [location, index]));
    // Several statements between the same two locations share one arrow.
    const joined = new Map();
    for (const edge of automaton.edges) {
      if (!rank.has(edge.from)) continue;
      const key = edge.from + ">" + edge.to;
      if (!joined.has(key)) joined.set(key, { from: edge.from, to: edge.to, atomic: edge.atomic, texts: [] });
      if (!joined.get(key).texts.includes(edge.statement)) joined.get(key).texts.push(edge.statement);
    }
    const edges = [...joined.values()];
    const span = (edge) => Math.abs(rank.get(edge.to) - rank.get(edge.from));
    const arcs = edges.filter((edge) => edge.to !== null && rank.get(edge.to) !== rank.get(edge.from) + 1);
    const labelWidth = (edge) => 7 * Math.min(30, Math.max(...edge.texts.map((text) => text.length)));
    // An arc on the right goes around the statements it passes.
    const passed = (edge) => edges.filter((other) => {
      const at = rank.get(other.from);
      return !arcs.includes(other) && at >= rank.get(edge.from) && at < rank.get(edge.to);
    });
    const reach = (edge) => {
      const plain = 26 + 15 * Math.min(9, span(edge));
      return rank.get(edge.to) <= rank.get(edge.from) ? plain : Math.max(plain, 16 + 3 * span(edge), ...passed(edge).map((other) => labelWidth(other) + 16 + 3 * span(edge)));
    };
    const backward = arcs.filter((edge) => rank.get(edge.to) <= rank.get(edge.from));
    const left = Math.max(30, ...backward.map((edge) => reach(edge) + labelWidth(edge) + 8));
    const right = Math.max(60, ...edges.filter((edge) => !backward.includes(edge)).map((edge) => (arcs.includes(edge) ? reach(edge) : 12) + labelWidth(edge) + 24));
    const height = order.length * STEP + 30;
    const drawing = svg("svg", { width: left + right, height, role: "img", "aria-label": "automaton of " + automaton.name });
    const y = (location) => 22 + rank.get(location) * STEP;
    for (const edge of edges) this.edge(drawing, edge, left, y, reach, backward.includes(edge), arcs.includes(edge));
    const places = new Map();
    for (const location of order) {
      const place = automaton.locations[location];
      const circle = svg("circle", { class: "place" + (place.end || place.accept ? " end" : ""), cx: left, cy: y(location), r: 11 });
      places.set(location, circle);
      drawing.append(circle, svg("text", { x: left, y: y(location) + 4, "text-anchor": "middle" }, location));
      if (place.labels.length > 0) drawing.append(svg("text", { class: "label", x: left + 16, y: y(location) + 4 }, place.labels.join(", ") + ":"));
    }
    const element = el("figure", { "data-process": automaton.name }, el("figcaption", {}, automaton.name), drawing);
    return { element, places, kind };
  }

  edge(drawing, edge, x, y, reach, isBack, isArc) {
    const path = { class: edge.atomic ? "edge atomic" : "edge" };
    const label = (tx, ty, anchor) => {
      const lines = edge.texts.slice(0, 3);
      if (edge.texts.length > 3) lines[2] = "… " + (edge.texts.length - 2) + " more";
      lines.forEach((text, index) => {
        const at = ty + 4 + (index - (lines.length - 1) / 2) * 13;
        drawing.append(svg("text", { x: tx, y: at, "text-anchor": anchor }, shortened(text, 30), svg("title", {}, edge.texts.join("\n"))));
      });
    };
    const from = y(edge.from);
    if (edge.to === null) {
      drawing.append(svg("path", { ...path, d: `M${x} ${from + 11} L${x} ${from + 28}` }), arrowHead(x, from + 30, Math.PI / 2, "edge-head"));
      return label(x + 10, from + 24, "start");
    }
    const to = y(edge.to);
    if (!isArc) {
      drawing.append(svg("path", { ...path, d: `M${x} ${from + 11} L${x} ${to - 13}` }), arrowHead(x, to - 11, Math.PI / 2, "edge-head"));
      return label(x + 10, (from + to) / 2, "start");
    }
    const side = isBack ? -1 : 1;
    const bend = x + side * reach(edge) * 1.3;
    const start = edge.from === edge.to ? [x + side * 9, from + 7, x + side * 9, to - 7] : [x + side * 11, from, x + side * 11, to];
    drawing.append(svg("path", { ...path, d: `M${start[0]} ${start[1]} C ${bend} ${start[1]}, ${bend} ${start[3]}, ${start[2]} ${start[3]}` }));
    drawing.append(arrowHead(start[2], start[3], isBack ? 0 : Math.PI, "edge-head"));
    return label(x + side * (reach(edge) + 6), (from + to) / 2, isBack ? "end" : "start");
  }

  show(run, state) {
    for (const figure of this.figures) for (const place of figure.places.values()) place.classList.remove("here");
    state.at.forEach((location, lane) => {
      const figure = this.figures[run.trace.lanes[lane].kind];
      const place = figure && location !== undefined ? figure.places.get(location) : null;
      if (place) place.classList.add("here");
    });
  }
}
