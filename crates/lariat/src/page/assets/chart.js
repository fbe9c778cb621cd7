// The message sequence chart. Only visible rows are drawn, so that long runs scroll smoothly.
const ROW = 28;
const GUTTER = 52;

class Chart {
  constructor(container, choose) {
    this.container = container;
    this.heads = el("div", { class: "heads" });
    this.rows = el("div", { class: "rows" });
    container.replaceChildren(this.heads, this.rows);
    container.addEventListener("scroll", () => this.schedule());
    new ResizeObserver(() => { this.measure(); this.draw(); }).observe(container);
    this.rows.addEventListener("click", (event) => {
      const y = event.clientY - this.rows.getBoundingClientRect().top;
      const row = Math.floor(y / ROW);
      if (this.run && row >= 0 && row <= this.run.length) choose(row);
    });
    this.cursor = 0;
  }

  show(run) {
    this.run = run;
    this.refresh();
    this.container.scrollTop = 0;
  }

  // Called after the run has grown or shrunk.
  refresh() {
    this.arrows = [];
    this.run.trace.events.forEach((event, index) => {
      const message = event.message;
      if (!message) return;
      const text = message.channel + ": " + message.text;
      const values = message.text;
      if (message.kind === "rendezvous" && event.actions.length === 2) {
        this.arrows.push({ from: index, fromLane: event.actions[0].lane, to: index, toLane: event.actions[1].lane, text, values });
      } else if (message.kind === "receive" && message.from) {
        this.arrows.push({ from: message.from[0], fromLane: message.from[1], to: index, toLane: event.actions[0].lane, text, values });
      }
    });
    this.lives = this.lifetimes();
    this.measure();
    this.draw();
  }

  // The rows in which the process of each lane exists.
  lifetimes() {
    const lives = this.run.trace.lanes.map(() => []);
    for (const [lane] of this.run.trace.start) lives[lane].push([0, Infinity]);
    this.run.trace.events.forEach((event, index) => {
      for (const [lane, location] of event.at) {
        const last = lives[lane][lives[lane].length - 1];
        const alive = last && last[1] === Infinity;
        if (location === null && alive) last[1] = index + 1;
        if (location !== null && !alive) lives[lane].push([index + 1, Infinity]);
      }
    });
    return lives;
  }

  measure() {
    if (!this.run) return;
    const lanes = Math.max(1, this.run.trace.lanes.length);
    this.lane = Math.max(150, Math.floor((this.container.clientWidth - GUTTER - 4) / lanes));
    this.width = GUTTER + this.lane * lanes;
    this.heads.replaceChildren(
      ...[this.head("", GUTTER, "")],
      ...this.run.trace.lanes.map((lane, index) => this.head(lane.process, this.lane, laneClass(index))),
    );
    this.heads.style.width = this.width + "px";
    this.rows.style.width = this.width + "px";
    this.rows.style.height = (this.run.length + 1) * ROW + 26 + "px";
  }

  head(text, width, className) {
    const head = el("div", { class: "head " + className, title: text }, text);
    head.style.width = width + "px";
    return head;
  }

  schedule() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  move(cursor) {
    this.cursor = cursor;
    const view = this.container;
    const head = this.heads.offsetHeight;
    const top = cursor * ROW;
    if (top < view.scrollTop) view.scrollTop = Math.max(0, top - ROW);
    if (top + ROW + head > view.scrollTop + view.clientHeight) view.scrollTop = top + 2 * ROW + head - view.clientHeight;
    const event = cursor > 0 ? this.run.trace.events[cursor - 1] : null;
    if (event && event.actions.length > 0) {
      const x = this.x(event.actions[event.actions.length - 1].lane);
      const room = Math.min(this.lane, view.clientWidth);
      if (x - 14 < view.scrollLeft) view.scrollLeft = x - GUTTER;
      if (x + room > view.scrollLeft + view.clientWidth) view.scrollLeft = x + room - view.clientWidth;
    }
    this.draw();
  }

  x(lane) {
    return GUTTER + 14 + lane * this.lane;
  }

  draw() {
    if (!this.run || !this.lives) return;
    const first = Math.max(0, Math.floor(this.container.scrollTop / ROW) - 2);
    const last = Math.min(this.run.length, first + Math.ceil(this.container.clientHeight / ROW) + 4);
    const origin = first * ROW;
    const y = (row) => row * ROW - origin + ROW / 2;
    const height = (last - first + 1) * ROW + 26;
    const drawing = svg("svg", { width: this.width, height });
    drawing.style.top = origin + "px";
    if (this.cursor >= first && this.cursor <= last) {
      drawing.append(svg("rect", { class: "selected", x: 0, y: y(this.cursor) - ROW / 2, width: this.width, height: ROW }));
    }
    this.lives.forEach((lives, lane) => {
      for (const [from, to] of lives) {
        const start = Math.max(from, first - 1);
        const end = Math.min(to, last + 1);
        if (start < end) drawing.append(svg("line", { class: "life", x1: this.x(lane), x2: this.x(lane), y1: y(start), y2: y(end) }));
      }
    });
    this.drawCycle(drawing, y);
    for (const arrow of this.arrows) {
      if (arrow.to + 1 >= first && arrow.from + 1 <= last) this.drawArrow(drawing, arrow, y);
    }
    for (let row = first; row <= last; row++) this.drawRow(drawing, row, y(row));
    if (this.svg) this.svg.remove();
    this.svg = drawing;
    this.rows.append(drawing);
  }

  drawRow(drawing, row, y) {
    const group = svg("g", { class: row > this.cursor ? "later" : null, "data-row": row });
    group.append(svg("text", { class: "number", x: GUTTER - 12, y: y + 4, "text-anchor": "end" }, row === 0 ? "start" : row));
    if (row > 0) {
      const event = this.run.trace.events[row - 1];
      event.actions.forEach((act, index) => {
        // The statement of a sender is above its arrow.
        const sends = event.message && event.message.kind !== "receive" && index === 0;
        const x = this.x(act.lane);
        group.append(svg("circle", { class: "dot " + laneClass(act.lane), cx: x, cy: y, r: 4.5 }));
        const text = shortened(act.statement, Math.floor((this.lane - 26) / 7));
        group.append(svg("text", { class: "done", x: x + 10, y: y + (sends ? -5 : 4) }, text, svg("title", {}, act.statement + "  (" + act.file + ":" + act.line + ")")));
      });
    }
    drawing.append(group);
  }

  drawArrow(drawing, arrow, y) {
    const x1 = this.x(arrow.fromLane);
    const x2 = this.x(arrow.toLane);
    const y1 = y(arrow.from + 1);
    const y2 = y(arrow.to + 1);
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const stop = 6;
    const group = svg("g", { class: arrow.to + 1 > this.cursor ? "later" : null });
    const tip = [x2 - stop * Math.cos(angle), y2 - stop * Math.sin(angle)];
    if (x1 === x2) {
      group.append(svg("path", { class: "arrow", d: `M${x1} ${y1} C ${x1 - 30} ${y1}, ${x2 - 30} ${y2}, ${x2 - 5} ${y2}` }));
      group.append(arrowHead(x2 - 5, y2, 0, "arrow-head"));
    } else {
      group.append(svg("line", { class: "arrow", x1, y1, x2: tip[0], y2: tip[1] }, svg("title", {}, arrow.text)));
      group.append(arrowHead(tip[0], tip[1], angle, "arrow-head"));
      const text = shortened(arrow.values, 12);
      group.append(svg("text", { class: "label done", x: x2 - (x2 - x1) * 0.2, y: y2 - (y2 - y1) * 0.2 - 5, "text-anchor": "middle" }, text));
    }
    drawing.append(group);
  }

  drawCycle(drawing, y) {
    const cycle = this.run.trace.cycle;
    if (cycle === null || cycle === undefined) return;
    if (cycle >= this.run.length) {
      drawing.append(svg("text", { class: "loop-text", x: 10, y: y(this.run.length) + ROW / 2 + 14 }, "↺ nothing moves any more: it stays here forever"));
      return;
    }
    const top = y(cycle + 1) - ROW / 2 + 1;
    const bottom = y(this.run.length) + ROW / 2 - 1;
    drawing.append(svg("rect", { class: "loop", x: 4, y: top, width: this.width - 8, height: Math.max(ROW, bottom - top), rx: 8 }));
    drawing.append(svg("text", { class: "loop-text", x: 10, y: bottom + 15 }, "↺ and again from step " + (cycle + 1) + ", forever"));
  }
}
