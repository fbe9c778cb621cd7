//! Complement, inclusion and equivalence of deterministic automata.
//!
//! Complements deterministic automata (Kurshan 1987, generalized: guess a mark that occurs finitely
//! often) and weak deterministic ones (exchange accepting and rejecting states).

use crate::automaton::{Marks, StateId, Tgba};
use crate::emptiness::{Run, accepting_run};
use crate::guard::Guard;
use crate::product::Product;
use crate::scc::Sccs;
use crate::wdba::complement_weak;
use std::fmt;

/// The automaton is not deterministic, so its complement is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotDeterministic;

impl fmt::Display for NotDeterministic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("only deterministic automata can be complemented")
    }
}

impl std::error::Error for NotDeterministic {}

/// Adds a sink so that every state has an edge for every letter.
pub fn complete(automaton: &mut Tgba) {
    let sink = automaton.add_state();
    if automaton.sets == 0 {
        // Without marks the sink would accept, so all other edges get a mark.
        automaton.sets = 1;
        for e in automaton.edges.iter_mut().flatten() {
            e.marks = Marks::one(0);
        }
    }
    for q in 0..automaton.edges.len() {
        let mut letters = Guard::FALSE;
        for e in &automaton.edges[q] {
            letters = automaton.guards.or(letters, e.guard);
        }
        let missing = automaton.guards.not(letters);
        automaton.add_edge(StateId(q as u32), missing, Marks::NONE, sink);
    }
    if automaton.initial.is_empty() {
        automaton.initial.push(sink);
    }
    automaton.retain_reachable();
}

/// Whether in every component of a state-based Büchi automaton all states accept or none does.
pub fn is_weak(automaton: &Tgba) -> bool {
    if automaton.sets > 1 || !automaton.is_state_based() {
        return false;
    }
    let sccs = Sccs::of(automaton);
    let mut kind: Vec<Option<Marks>> = vec![None; sccs.len()];
    automaton.states().filter(|q| sccs.component[q.index()] != u32::MAX).all(|q| {
        let c = sccs.of_state(q);
        !sccs.cyclic[c]
            || *kind[c].get_or_insert(automaton.state_marks(q)) == automaton.state_marks(q)
    })
}

/// An automaton that accepts exactly the words that the deterministic `automaton` rejects.
///
/// # Errors
/// `automaton` is not deterministic.
pub fn complement(automaton: &Tgba) -> Result<Tgba, NotDeterministic> {
    if !automaton.is_deterministic() {
        return Err(NotDeterministic);
    }
    let mut complete_one = automaton.clone();
    complete(&mut complete_one);
    if is_weak(&complete_one) {
        return Ok(complement_weak(&complete_one));
    }
    // Copy 0 follows the run; copy k + 1 has guessed that mark k no longer occurs, and has no
    // successor on an edge with that mark.
    let n = complete_one.state_count() as u32;
    let sets = complete_one.sets;
    let mut result = Tgba { sets: 1, ..complete_one.clone() };
    for list in &mut result.edges {
        list.iter_mut().for_each(|e| e.marks = Marks::NONE);
    }
    for k in 0..sets {
        for q in 0..n {
            let copy = result.add_state();
            for e in &complete_one.edges[q as usize] {
                let target = StateId(e.target.0 + n * (k + 1));
                if !e.marks.has(k) {
                    result.edges[copy.index()].push(crate::automaton::Edge {
                        marks: Marks::one(0),
                        target,
                        ..*e
                    });
                }
                result.edges[q as usize].push(crate::automaton::Edge {
                    marks: Marks::NONE,
                    target,
                    ..*e
                });
            }
        }
    }
    result.retain_reachable();
    Ok(result)
}

/// A run of `left` on a word that the deterministic `right` rejects; `None` if `right` accepts all
/// words of `left`. The guards of the run are over the atoms of `left`, followed by the remaining
/// atoms of `right`.
///
/// # Errors
/// `right` is not deterministic.
pub fn counterexample_to_inclusion(
    left: &Tgba,
    right: &Tgba,
) -> Result<Option<crate::word::Lasso<crate::guard::Cube>>, NotDeterministic> {
    let mut complement = complement(right)?;
    let mut left = left.clone();
    let mut product = Product::new(&mut left, &mut complement);
    let run: Option<Run> = accepting_run(&mut product);
    Ok(run.map(|r| r.word(crate::automaton::Automaton::guards(&product))))
}

/// Whether two deterministic automata accept the same words.
///
/// # Errors
/// One of them is not deterministic.
pub fn equivalent(left: &Tgba, right: &Tgba) -> Result<bool, NotDeterministic> {
    Ok(counterexample_to_inclusion(left, right)?.is_none()
        && counterexample_to_inclusion(right, left)?.is_none())
}
