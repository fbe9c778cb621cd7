// A run: its trace, and the state after any number of events, computed from the differences. Complete states are stored
// at intervals, so that random access in a long run is fast.
const KEEP_EVERY = 256;

class Run {
  constructor(shown, name) {
    this.shown = shown;
    this.name = name;
    this.trace = shown.trace;
    this.kept = [];
  }

  get length() {
    return this.trace.events.length;
  }

  initial() {
    const values = [];
    const at = [];
    for (const [variable, value] of this.trace.initial) values[variable] = value;
    for (const [lane, location] of this.trace.start) at[lane] = location;
    return { values, at };
  }

  // The values of all variables and the locations of all processes after this number of events.
  stateAfter(count) {
    if (this.kept.length === 0) this.kept.push(this.initial());
    const from = Math.min(Math.floor(count / KEEP_EVERY), this.kept.length - 1);
    const state = this.copy(this.kept[from]);
    for (let index = from * KEEP_EVERY; index < count; index++) {
      this.apply(state, this.trace.events[index]);
      const done = index + 1;
      if (done % KEEP_EVERY === 0 && this.kept.length === done / KEEP_EVERY) this.kept.push(this.copy(state));
    }
    return state;
  }

  copy(state) {
    return { values: state.values.slice(), at: state.at.slice() };
  }

  apply(state, event) {
    for (const [variable, value] of event.set) state.values[variable] = value === null ? undefined : value;
    for (const [lane, location] of event.at) state.at[lane] = location === null ? undefined : location;
  }

  // Removes all events but the first `count`.
  truncate(count) {
    this.trace.events.length = Math.min(count, this.length);
    this.kept.length = Math.min(this.kept.length, Math.floor(count / KEEP_EVERY) + 1);
  }

  // While exploring: applies an update from the server.
  extend(news) {
    this.truncate(news.from);
    this.trace.lanes = news.lanes;
    this.trace.variables = news.variables;
    for (const event of news.events) this.trace.events.push(event);
  }
}
