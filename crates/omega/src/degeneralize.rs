//! Degeneralization: from generalized to plain, state-based Büchi acceptance.
//!
//! Owns two constructions. [`degeneralize_by_counter`] is the counter of Gerth, Peled, Vardi and Wolper (1995) as
//! published. [`degeneralize`] follows Babiak et al. (2013): levels are per strongly connected component, a level is
//! skipped when its mark is on the edge or on all edges that leave the target, a component is entered at a level
//! that was already used for the state (level caching), and rejecting components need no levels.

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::scc::Sccs;
use crate::trim::needed_marks;
use rapidhash::RapidHashMap;

/// The counter construction: state `(q, i)` awaits mark `i`; accepting is what leaves copy 0 with mark 0.
///
/// Copies are state-based only if the input is; see [`degeneralize`] for a construction that always is.
pub fn degeneralize_by_counter(automaton: &Tgba) -> Tgba {
    let k = automaton.sets.max(1);
    let mut result = Tgba { sets: 1, initial: Vec::new(), edges: Vec::new(), ..automaton.clone() };
    let mut builder = Builder::default();
    for q in &automaton.initial {
        let s = builder.state(*q, 0);
        result.initial.push(s);
    }
    let mut at = 0;
    while at < builder.states.len() {
        let (q, i) = builder.states[at];
        let mut list = Vec::new();
        for e in &automaton.edges[q.index()] {
            let seen = automaton.sets == 0 || e.marks.has(i);
            let next = if seen { (i + 1) % k } else { i };
            let marks = if i == 0 && seen { Marks::one(0) } else { Marks::NONE };
            list.push(Edge { guard: e.guard, marks, target: builder.state(e.target, next) });
        }
        result.edges.push(list);
        at += 1;
    }
    result
}

/// Numbers pairs of a state and a level in order of discovery.
#[derive(Default)]
struct Builder {
    states: Vec<(StateId, u32)>,
    index: RapidHashMap<(StateId, u32), StateId>,
}

impl Builder {
    fn state(&mut self, q: StateId, level: u32) -> StateId {
        let states = &mut self.states;
        *self.index.entry((q, level)).or_insert_with(|| {
            states.push((q, level));
            StateId((states.len() - 1) as u32)
        })
    }
}

/// How [`degeneralize`] makes its free choices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Degeneralization {
    /// Rotates (and, if odd, reverses) the order in which marks are awaited.
    pub order: u32,
    /// Enter a component at its accepting level (any level will do) rather than at the first?
    pub enter_accepting: bool,
    /// Enter a component at a level already used for the state?
    pub level_cache: bool,
    /// Skip a level whose mark is on all edges that leave the target?
    pub look_ahead: bool,
}

impl Degeneralization {
    /// The choices that are most often best.
    pub const SIMPLE: Degeneralization =
        Degeneralization { order: 0, enter_accepting: true, level_cache: true, look_ahead: true };
}

/// A state-based Büchi automaton with the language of `automaton`.
pub fn degeneralize(automaton: &Tgba, options: Degeneralization) -> Tgba {
    let sccs = Sccs::of(automaton);
    let orders: Vec<Vec<u32>> = needed_marks(automaton, &sccs)
        .into_iter()
        .map(|mut order| {
            if !order.is_empty() {
                let turn = (options.order / 2) as usize % order.len();
                order.rotate_left(turn);
                if options.order % 2 == 1 {
                    order.reverse();
                }
            }
            order
        })
        .collect();
    // Marks on every edge that leaves a state and stays in its component.
    let common: Vec<Marks> = automaton
        .states()
        .map(|q| {
            let inner = automaton.edges[q.index()].iter().filter(|e| sccs.is_inner(q, e.target));
            inner.map(|e| e.marks).reduce(Marks::intersection).unwrap_or(Marks::NONE)
        })
        .collect();
    let advance = |order: &[u32], mut level: u32, marks: Marks| {
        while order.get(level as usize).is_some_and(|m| marks.has(*m)) {
            level += 1;
        }
        level
    };
    let ahead = |q: StateId| if options.look_ahead { common[q.index()] } else { Marks::NONE };
    let entry = |c: usize, q: StateId| {
        if !sccs.accepting[c] {
            0
        } else if options.enter_accepting {
            orders[c].len() as u32
        } else {
            advance(&orders[c], 0, ahead(q))
        }
    };
    let mut builder = Builder::default();
    let mut entered: RapidHashMap<StateId, u32> = RapidHashMap::default();
    let mut result = Tgba { sets: 1, initial: Vec::new(), edges: Vec::new(), ..automaton.clone() };
    for q in &automaton.initial {
        let c = sccs.of_state(*q);
        let level = entry(c, *q);
        entered.insert(*q, level);
        let s = builder.state(*q, level);
        result.initial.push(s);
    }
    let mut at = 0;
    while at < builder.states.len() {
        let (q, level) = builder.states[at];
        let c = sccs.of_state(q);
        let accepting = sccs.accepting[c] && level as usize == orders[c].len();
        let marks = if accepting { Marks::one(0) } else { Marks::NONE };
        let mut list = Vec::new();
        for e in &automaton.edges[q.index()] {
            let d = sccs.of_state(e.target);
            let next = if !sccs.accepting[d] {
                0
            } else if c == d {
                let from = if accepting { 0 } else { level };
                advance(&orders[c], from, e.marks.union(ahead(e.target)))
            } else {
                match entered.get(&e.target) {
                    Some(&cached) if options.level_cache => cached,
                    _ => entry(d, e.target),
                }
            };
            entered.entry(e.target).or_insert(next);
            list.push(Edge { guard: e.guard, marks, target: builder.state(e.target, next) });
        }
        result.edges.push(list);
        at += 1;
    }
    result.merge_edges();
    result
}
