//! Sleep sets omit no state, for any cache size, and avoid most revisits where processes are nearly
//! independent.

mod support;

use lariat_ir::expression::BinaryOp;
use lariat_ir::interp::PackedInterpreter;
use lariat_ir::layout::Recoder;
use lariat_ir::system::{
    Misfit, Repackable, SearchObserver, Step, StepCode, Successors, System, TransitionSystem, Width,
};
use lariat_ir::{Domain, Program, RuntimeError};
use lariat_search::{Limits, Options, Outcome, Replacement, StoreKind, reachability};
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use support::*;

/// A system that records the states that a search stores.
struct Watched<S> {
    system: S,
    visited: Arc<Mutex<HashSet<Vec<u64>>>>,
}

impl<S: System> TransitionSystem for Watched<S> {
    fn width(&self) -> Width {
        self.system.width()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        self.system.initial_states()
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        self.system.successors(state, out)
    }

    fn is_valid_end(&self, state: &[u64]) -> bool {
        self.system.is_valid_end(state)
    }

    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        self.system.violated_invariants(state, out);
    }

    fn has_invariants(&self) -> bool {
        self.system.has_invariants()
    }

    fn step(&self, code: StepCode) -> Step {
        self.system.step(code)
    }

    fn transition_count(&self) -> usize {
        self.system.transition_count()
    }
}

impl<S: System> Repackable for Watched<S> {
    fn widened(&self, misfit: &Misfit) -> Watched<S> {
        Watched { system: self.system.widened(misfit), visited: self.visited.clone() }
    }

    fn recoder(&self, narrow: &Watched<S>) -> Recoder {
        self.system.recoder(&narrow.system)
    }
}

impl<S: System> SearchObserver for Watched<S> {
    fn state_stored(&self, state: &[u64], _: &mut Vec<RuntimeError>) {
        let identity = state[..self.width().identity].to_vec();
        self.visited.lock().expect("no thread panicked").insert(identity);
    }

    /// The search starts again.
    fn layout_widened(&self, _: &Watched<S>) {
        self.visited.lock().expect("no thread panicked").clear();
    }
}

/// The outcome with a cache of this size, and the number of states visited.
fn search(
    program: &Program,
    states: u64,
    replacement: Replacement,
    sleep_sets: bool,
) -> Option<(Outcome, u64)> {
    let store = StoreKind::Cache { states: Some(states), replacement, sleep_sets, seed: 5 };
    let limits = Limits { states: Some(50_000), ..Limits::default() };
    let options = Options { all_errors: true, store, limits, ..Options::default() };
    let visited = Arc::default();
    let system =
        Watched { system: PackedInterpreter::new(program).ok()?, visited: Arc::clone(&visited) };
    let outcome = reachability(&system, &options);
    let visited = visited.lock().expect("no thread panics").len() as u64;
    Some((outcome, visited))
}

proptest! {
    #![proptest_config(seeded::cases(500))]

    #[test]
    fn every_state_is_visited(program in any_program(), percent in 5u64..120) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        prop_assume!(expected.states < 500);
        let states = (expected.states * percent / 100).max(1);
        for replacement in [Replacement::Random, Replacement::Layers] {
            let Some((outcome, visited)) = search(&program, states, replacement, true) else {
                return Ok(());
            };
            if outcome.limit.is_none() {
                prop_assert_eq!(visited, expected.states);
                prop_assert_eq!(&outcome.error_kinds, &expected.kinds);
            }
            let Some((plain, all)) = search(&program, states, replacement, false) else {
                return Ok(());
            };
            if outcome.limit.is_none() && plain.limit.is_none() {
                prop_assert_eq!(visited, all);
                prop_assert_eq!(outcome.coverage, plain.coverage);
            }
        }
    }
}

/// Four independent counters: each state is reached by one path, and none is visited twice.
#[test]
fn independent_processes_need_no_memory() {
    let count = |variable: u32| {
        let guard = compare(BinaryOp::Less, variable, 5);
        process("p", vec![vec![edge(guarded(guard, vec![add(variable, 1)]), 0)]], &[0])
    };
    let three_bits = Domain::unsigned(3);
    let variables = ["a", "b", "c", "d"].map(|name| (name, three_bits, false));
    let program = program(&variables, (0..4).map(count).collect());
    let (outcome, visited) = search(&program, 60, Replacement::Random, true).expect("it starts");
    let revisits = outcome.statistics.revisits.expect("a cache counts");
    assert!(outcome.exhaustive);
    assert_eq!((visited, revisits.insertions, revisits.reentries), (1296, 1296, 0));
    let (plain, _) = search(&program, 60, Replacement::Random, false).expect("it starts");
    assert!(
        plain.limit.is_some()
            || plain.statistics.revisits.expect("a cache counts").insertions > 2 * 1296
    );
}
