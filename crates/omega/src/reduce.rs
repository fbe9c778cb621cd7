//! The reduction loop: simulations, pruning and fewer marks, until nothing changes.
//!
//! Owns the order in which the reductions of the other files are applied, and when an automaton is too large for
//! them to be worth their time.

use crate::automaton::{Marks, Tgba};
use crate::scc::Sccs;
use crate::simulation::{reduce_direct, reduce_reverse};
use crate::trim::{prune, simplify_acceptance};

/// Automata with more edges than this are not reduced by simulation.
const EDGE_LIMIT: usize = 600;

fn small_enough(automaton: &Tgba) -> bool {
    automaton.edges.iter().map(Vec::len).sum::<usize>() <= EDGE_LIMIT
}

/// Reduces a transition-based automaton.
pub fn reduce(automaton: &mut Tgba) {
    simplify_acceptance(automaton);
    if !small_enough(automaton) {
        return;
    }
    for _ in 0..8 {
        let direct = reduce_direct(automaton);
        if direct {
            simplify_acceptance(automaton);
        }
        let reverse = reduce_reverse(automaton);
        if reverse {
            simplify_acceptance(automaton);
        }
        if !reverse {
            break;
        }
    }
}

/// Reduces a state-based Büchi automaton; it stays state-based.
pub fn reduce_state_based(automaton: &mut Tgba) {
    prune(automaton);
    if !small_enough(automaton) {
        return;
    }
    for _ in 0..8 {
        uniform_transients(automaton);
        reduce_direct(automaton);
        let reverse = reduce_reverse(automaton);
        prune(automaton);
        if !reverse {
            break;
        }
    }
}

/// States on no cycle, or only on rejecting ones, take no mark: it would never matter.
fn uniform_transients(automaton: &mut Tgba) {
    let sccs = Sccs::of(automaton);
    for q in automaton.states() {
        if !sccs.accepting[sccs.of_state(q)] {
            for e in &mut automaton.edges[q.index()] {
                e.marks = Marks::NONE;
            }
        }
    }
}
