//! Minimal weak deterministic Büchi automata for obligation properties.
//!
//! Follows Dax, Eisinger and Klaedtke (2007): determinize by subsets, ignoring acceptance; for each
//! component test whether the words that stay in it are in the language; minimize with Löding's
//! colouring (2001). The result has the language of the formula exactly if the formula is an
//! obligation, which two emptiness checks decide: against the formula and against its negation.

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::emptiness::accepting_run_within;
use crate::guard::Guard;
use crate::product::Product;
use crate::scc::Sccs;
use rapidhash::RapidHashMap;
use std::collections::VecDeque;

/// Limits on the work of the construction.
#[derive(Clone, Copy, Debug)]
pub struct WdbaLimits {
    /// The most states of the subset automaton.
    pub subsets: usize,
    /// The most edges of the subset automaton.
    pub edges: usize,
    /// The most states of a product.
    pub product: usize,
}

/// The minimal weak deterministic automaton for the language of `positive`, complete and
/// state-based; `None` if the language is not an obligation or a limit is reached. `negative` must
/// accept exactly the other words.
pub fn minimal_wdba(positive: &Tgba, negative: &Tgba, limits: WdbaLimits) -> Option<Tgba> {
    let subset = determinize(positive, limits)?;
    let coloured = colour(positive, subset)?;
    let mut minimal = minimize(coloured);
    let mut complement = complement_weak(&minimal);
    let disjoint = |a: &mut Tgba, b: &Tgba| {
        let mut b = b.clone();
        matches!(accepting_run_within(&mut Product::new(a, &mut b), limits.product), Ok(None))
    };
    (disjoint(&mut minimal, negative) && disjoint(&mut complement, positive)).then_some(minimal)
}

/// The subset automaton with the members of each state.
struct Subsets {
    automaton: Tgba,
    members: Vec<Vec<u32>>,
}

/// The complete subset automaton, without acceptance.
fn determinize(automaton: &Tgba, limits: WdbaLimits) -> Option<Subsets> {
    let mut result =
        Tgba { sets: 1, initial: vec![StateId(0)], edges: Vec::new(), ..automaton.clone() };
    let mut start: Vec<u32> = automaton.initial.iter().map(|q| q.0).collect();
    start.sort_unstable();
    let mut members = vec![start.clone()];
    let mut index: RapidHashMap<Vec<u32>, StateId> = RapidHashMap::from_iter([(start, StateId(0))]);
    let mut edge_count = 0;
    while result.edges.len() < members.len() {
        let mut by_target: std::collections::BTreeMap<u32, Guard> =
            std::collections::BTreeMap::new();
        for q in &members[result.edges.len()] {
            for e in &automaton.edges[*q as usize] {
                let g = by_target.entry(e.target.0).or_insert(Guard::FALSE);
                *g = result.guards.or(*g, e.guard);
            }
        }
        // Partition the letters by the set of targets that they reach.
        let mut parts: Vec<(Guard, Vec<u32>)> = vec![(Guard::TRUE, Vec::new())];
        for (target, guard) in by_target {
            let mut next = Vec::with_capacity(parts.len() + 1);
            for (letters, set) in parts {
                let with = result.guards.and(letters, guard);
                if with != letters {
                    next.push((result.guards.minus(letters, guard), set.clone()));
                }
                if with != Guard::FALSE {
                    let mut set = set;
                    set.push(target);
                    next.push((with, set));
                }
            }
            parts = next;
            if parts.len() > limits.edges {
                return None;
            }
        }
        edge_count += parts.len();
        let mut list = Vec::with_capacity(parts.len());
        for (guard, set) in parts {
            let target = match index.get(&set) {
                Some(&t) => t,
                None => {
                    let t = StateId(members.len() as u32);
                    members.push(set.clone());
                    index.insert(set, t);
                    t
                }
            };
            list.push(Edge { guard, marks: Marks::NONE, target });
        }
        result.edges.push(list);
        if members.len() > limits.subsets || edge_count > limits.edges {
            return None;
        }
    }
    Some(Subsets { automaton: result, members })
}

/// Makes the states of accepting components accepting, and colours the components without cycles so
/// that minimization is exact.
///
/// `None` if two cycles of a component disagree: then the language is not an obligation. Only a few
/// cycles are tested, which avoids the emptiness checks for most such languages but never replaces
/// them.
fn colour(positive: &Tgba, subsets: Subsets) -> Option<Tgba> {
    let Subsets { mut automaton, members } = subsets;
    let sccs = Sccs::of(&automaton);
    let mut first = vec![None; sccs.len()];
    for q in automaton.states() {
        first[sccs.of_state(q)].get_or_insert(q);
    }
    // Löding's colouring: even colours accept; a component gets the largest colour that its
    // successors allow.
    let top = 2 * sccs.len() as i64 + 2;
    let mut colour = vec![top; sccs.len()];
    let mut by_component: Vec<Vec<StateId>> = vec![Vec::new(); sccs.len()];
    for q in automaton.states() {
        by_component[sccs.of_state(q)].push(q);
    }
    for c in 0..sccs.len() {
        let below = by_component[c]
            .iter()
            .flat_map(|q| &automaton.edges[q.index()])
            .map(|e| sccs.of_state(e.target))
            .filter(|d| *d != c)
            .map(|d| colour[d])
            .min()
            .unwrap_or(top);
        colour[c] = if !sccs.cyclic[c] {
            below
        } else {
            let q = first[c].expect("a component has a state");
            let inner = automaton.edges[q.index()].iter().filter(|e| sccs.is_inner(q, e.target));
            let mut answers = inner.take(8).map(|e| {
                accepts_cycle(positive, &members[q.index()], &cycle(&automaton, &sccs, q, e))
            });
            let accepts =
                answers.next().expect("a cyclic component has a cycle through each of its states");
            if answers.any(|other| other != accepts) {
                return None;
            }
            if accepts { below & !1 } else { (below - 1) | 1 }
        };
    }
    for q in automaton.states() {
        let accepting = colour[sccs.of_state(q)] % 2 == 0;
        for e in &mut automaton.edges[q.index()] {
            e.marks = if accepting { Marks::one(0) } else { Marks::NONE };
        }
    }
    Some(automaton)
}

/// The letters (positive variables) of a shortest cycle from `start` through the edge `first`.
fn cycle(automaton: &Tgba, sccs: &Sccs, start: StateId, first: &Edge) -> Vec<Vec<u32>> {
    let mut parent: RapidHashMap<StateId, (StateId, Guard)> = RapidHashMap::default();
    let mut queue = VecDeque::new();
    let letter = |g: Guard| -> Vec<u32> {
        let cube = automaton.guards.some_cube(g).expect("guards are satisfiable");
        cube.into_iter().filter(|l| l.1).map(|l| l.0).collect()
    };
    if first.target == start {
        return vec![letter(first.guard)];
    }
    parent.insert(first.target, (start, first.guard));
    queue.push_back(first.target);
    while let Some(q) = queue.pop_front() {
        for e in &automaton.edges[q.index()] {
            if !sccs.is_inner(q, e.target) || parent.contains_key(&e.target) {
                continue;
            }
            parent.insert(e.target, (q, e.guard));
            if e.target == start {
                let mut word = Vec::new();
                let mut at = start;
                loop {
                    let (p, g) = parent[&at];
                    word.push(letter(g));
                    at = p;
                    if at == start {
                        word.reverse();
                        return word;
                    }
                }
            }
            queue.push_back(e.target);
        }
    }
    unreachable!("a cyclic component has a cycle through each of its states")
}

/// Whether `automaton` accepts the infinite repetition of `word` from one of the given states.
fn accepts_cycle(automaton: &Tgba, from: &[u32], word: &[Vec<u32>]) -> bool {
    let (n, k) = (automaton.state_count() as u32, word.len() as u32);
    let mut unrolled = Tgba { sets: automaton.sets, ..Tgba::default() };
    unrolled.initial = from.iter().map(|q| StateId(*q)).collect();
    for i in 0..k {
        for list in &automaton.edges {
            let q = unrolled.add_state();
            for e in list {
                if automaton.guards.holds(e.guard, |v| word[i as usize].contains(&v)) {
                    let target = StateId(e.target.0 + n * ((i + 1) % k));
                    unrolled.add_edge(q, Guard::TRUE, e.marks, target);
                }
            }
        }
    }
    Sccs::of(&unrolled).accepting.contains(&true)
}

/// Moore's minimization of a complete deterministic automaton, whose accepting states are those
/// with marked edges.
fn minimize(mut automaton: Tgba) -> Tgba {
    let n = automaton.state_count();
    let mut class: Vec<usize> =
        automaton.states().map(|q| automaton.state_marks(q).0 as usize).collect();
    let mut count = 0;
    loop {
        let mut index: RapidHashMap<(usize, Vec<(usize, Guard)>), usize> = RapidHashMap::default();
        let mut next = Vec::with_capacity(n);
        for q in 0..n {
            let mut by_class: std::collections::BTreeMap<usize, Guard> =
                std::collections::BTreeMap::new();
            for e in &automaton.edges[q] {
                let g = by_class.entry(class[e.target.index()]).or_insert(Guard::FALSE);
                *g = automaton.guards.or(*g, e.guard);
            }
            let key = (class[q], by_class.into_iter().collect());
            let fresh = index.len();
            next.push(*index.entry(key).or_insert(fresh));
        }
        let stable = index.len() == count;
        count = index.len();
        class = next;
        if stable {
            break;
        }
    }
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); count];
    for (q, list) in automaton.edges.iter().enumerate() {
        if edges[class[q]].is_empty() {
            edges[class[q]] = list
                .iter()
                .map(|e| Edge { target: StateId(class[e.target.index()] as u32), ..*e })
                .collect();
        }
    }
    automaton.initial =
        automaton.initial.iter().map(|q| StateId(class[q.index()] as u32)).collect();
    automaton.edges = edges;
    automaton.merge_edges();
    automaton.retain_reachable();
    automaton
}

/// The complement of a complete, deterministic, weak, state-based Büchi automaton: exchanges
/// accepting and rejecting states.
pub fn complement_weak(automaton: &Tgba) -> Tgba {
    let mut result = automaton.clone();
    for e in result.edges.iter_mut().flatten() {
        e.marks = Marks(e.marks.0 ^ 1);
    }
    result
}
