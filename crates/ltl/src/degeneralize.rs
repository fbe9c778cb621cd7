//! Degeneralization: from generalized to plain, state-based Büchi acceptance.
//!
//! [`degeneralize_by_counter`] is the counter of Gerth, Peled, Vardi and Wolper (1995) as
//! published. [`degeneralize`] follows Babiak et al. (2013): each strongly connected component has
//! its own levels, a level is skipped if its mark is on the edge or on all edges that leave the
//! target, a component is entered at a level already used for the state (level caching), and
//! rejecting components have no levels.

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::scc::Sccs;
use crate::trim::needed_marks;
use rapidhash::RapidHashMap;

/// The counter construction: state `(q, i)` waits for mark `i`; edges that leave copy 0 with mark 0
/// are accepting.
///
/// The result is state-based only if the input is; that of [`degeneralize`] always is.
pub fn degeneralize_by_counter(automaton: &Tgba) -> Tgba {
    let k = automaton.sets.max(1);
    let mut result = Tgba { sets: 1, initial: Vec::new(), edges: Vec::new(), ..automaton.clone() };
    let mut copies = LevelStates::default();
    for q in &automaton.initial {
        let s = copies.state(*q, 0);
        result.initial.push(s);
    }
    let mut at = 0;
    while at < copies.states.len() {
        let (q, i) = copies.states[at];
        let mut list = Vec::new();
        for e in &automaton.edges[q.index()] {
            let seen = automaton.sets == 0 || e.marks.has(i);
            let next = if seen { (i + 1) % k } else { i };
            let marks = if i == 0 && seen { Marks::one(0) } else { Marks::NONE };
            list.push(Edge { guard: e.guard, marks, target: copies.state(e.target, next) });
        }
        result.edges.push(list);
        at += 1;
    }
    result
}

/// Numbers pairs of a state and a level in order of discovery.
#[derive(Default)]
struct LevelStates {
    states: Vec<(StateId, u32)>,
    index: RapidHashMap<(StateId, u32), StateId>,
}

impl LevelStates {
    fn state(&mut self, q: StateId, level: u32) -> StateId {
        let states = &mut self.states;
        *self.index.entry((q, level)).or_insert_with(|| {
            states.push((q, level));
            StateId((states.len() - 1) as u32)
        })
    }
}

/// The choices of [`degeneralize`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Degeneralization {
    /// Rotates the order of the marks by half this number, and reverses it if the number is odd.
    pub order: u32,
    /// Whether to enter a component at its accepting level instead of the first; both are correct.
    pub enter_accepting: bool,
    /// Whether to enter a component at a level already used for the state.
    pub level_cache: bool,
    /// Whether to skip a level whose mark is on all edges that leave the target.
    pub look_ahead: bool,
}

impl Degeneralization {
    /// The choices that give the smallest automaton most often.
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
                let rotation = (options.order / 2) as usize % order.len();
                order.rotate_left(rotation);
                if options.order % 2 == 1 {
                    order.reverse();
                }
            }
            order
        })
        .collect();
    // For each state, the marks on all its edges within its component.
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
    let mut copies = LevelStates::default();
    let mut entered: RapidHashMap<StateId, u32> = RapidHashMap::default();
    let mut result = Tgba { sets: 1, initial: Vec::new(), edges: Vec::new(), ..automaton.clone() };
    for q in &automaton.initial {
        let c = sccs.of_state(*q);
        let level = entry(c, *q);
        entered.insert(*q, level);
        let s = copies.state(*q, level);
        result.initial.push(s);
    }
    let mut at = 0;
    while at < copies.states.len() {
        let (q, level) = copies.states[at];
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
            list.push(Edge { guard: e.guard, marks, target: copies.state(e.target, next) });
        }
        result.edges.push(list);
        at += 1;
    }
    result.merge_edges();
    result
}
