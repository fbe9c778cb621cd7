//! The reduction loop: simulations, pruning and removal of marks, until a fixpoint.
//!
//! Owns the order of the reductions and the size above which they are skipped.

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
        remove_transient_marks(automaton);
        reduce_direct(automaton);
        let reverse = reduce_reverse(automaton);
        prune(automaton);
        if !reverse {
            break;
        }
    }
}

/// Removes the marks of states on no accepting cycle, where they do not affect acceptance.
fn remove_transient_marks(automaton: &mut Tgba) {
    let sccs = Sccs::of(automaton);
    for q in automaton.states() {
        if !sccs.accepting[sccs.of_state(q)] {
            for e in &mut automaton.edges[q.index()] {
                e.marks = Marks::NONE;
            }
        }
    }
}
