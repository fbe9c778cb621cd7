//! Pruning by strongly connected components, and removal of redundant acceptance sets.
//!
//! The two cheap reductions that all other passes rely on. Pruning removes states from which no
//! accepting run starts. Each component keeps only the marks that it needs, renumbered from 0; a
//! component that needs fewer marks than another gets the remaining ones on all its edges. Edges
//! between components and in rejecting components carry no mark.

use crate::automaton::{Marks, StateId, Tgba};
use crate::scc::Sccs;

/// Removes states that are unreachable or from which no accepting run starts.
pub fn prune(automaton: &mut Tgba) {
    let sccs = Sccs::of(automaton);
    let productive = sccs.productive(automaton);
    automaton.retain_states(|q| {
        sccs.component[q.index()] != u32::MAX && productive[sccs.component[q.index()] as usize]
    });
}

/// Prunes, then simplifies the acceptance marks as described above.
pub fn simplify_acceptance(automaton: &mut Tgba) {
    prune(automaton);
    let sccs = Sccs::of(automaton);
    let kept = needed_marks(automaton, &sccs);
    let sets = kept.iter().map(Vec::len).max().unwrap_or(0) as u32;
    automaton.sets = sets;
    for q in 0..automaton.edges.len() {
        for e in &mut automaton.edges[q] {
            let c = sccs.component[q] as usize;
            e.marks = if !sccs.accepting[c] || !sccs.is_inner(StateId(q as u32), e.target) {
                Marks::NONE
            } else {
                let mut marks = Marks::all(sets).minus(Marks::all(kept[c].len() as u32));
                for (new, old) in kept[c].iter().enumerate() {
                    if e.marks.has(*old) {
                        marks = marks.union(Marks::one(new as u32));
                    }
                }
                marks
            };
        }
    }
    // Without marks every run would accept, also in rejecting components.
    let rejecting = (0..sccs.len()).any(|c| sccs.cyclic[c] && !sccs.accepting[c]);
    if sets == 0 && rejecting {
        automaton.sets = 1;
        for q in 0..automaton.edges.len() {
            let accepting = sccs.accepting[sccs.component[q] as usize];
            for e in &mut automaton.edges[q] {
                if accepting && sccs.is_inner(StateId(q as u32), e.target) {
                    e.marks = Marks::one(0);
                }
            }
        }
    }
    automaton.merge_edges();
}

/// For each accepting component the marks that its other marks do not imply.
pub(crate) fn needed_marks(automaton: &Tgba, sccs: &Sccs) -> Vec<Vec<u32>> {
    // implies[c][j]: the marks that each edge inside component c has if it has mark j.
    let all = Marks::all(automaton.sets);
    let mut implies = vec![vec![all; automaton.sets as usize]; sccs.len()];
    let mut always = vec![all; sccs.len()];
    for q in automaton.states().filter(|q| sccs.component[q.index()] != u32::MAX) {
        let c = sccs.of_state(q);
        for e in &automaton.edges[q.index()] {
            if sccs.is_inner(q, e.target) {
                always[c] = always[c].intersection(e.marks);
                for j in e.marks.iter() {
                    implies[c][j as usize] = implies[c][j as usize].intersection(e.marks);
                }
            }
        }
    }
    (0..sccs.len())
        .map(|c| {
            let mut kept: Vec<u32> = Vec::new();
            if !sccs.accepting[c] {
                return kept;
            }
            let mut dropped = always[c];
            for k in 0..automaton.sets {
                if dropped.has(k) {
                    continue;
                }
                let implied = (0..automaton.sets)
                    .any(|j| j != k && !dropped.has(j) && implies[c][j as usize].has(k));
                if implied {
                    dropped = dropped.union(Marks::one(k));
                } else {
                    kept.push(k);
                }
            }
            kept
        })
        .collect()
}
