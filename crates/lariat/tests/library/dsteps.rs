//! Long and endless d_steps: a repeated state is an error of the program, a limit is inconclusive.

use crate::support;
use lariat::check::reduction::{Reduction, Version};
use lariat::check::safety::{check_safety, replay_all};
use lariat::{Engine, Model, Settings};
use lariat_ir::budget::{Budget, UNLIMITED};
use lariat_ir::interp::{PackedInterpreter, Patience};
use lariat_ir::{Expr, RuntimeError};
use lariat_ltl::automaton::{Marks, Tgba};
use lariat_ltl::formula::Formulas;
use lariat_ltl::guard::Guard;
use lariat_search::branching::{self, Question};
use lariat_search::liveness::Algorithm;
use lariat_search::product::{Length, Monitor, Request, find, find_prefix};
use lariat_search::{Limit, Limits, Options, Order, StoreKind, Verdict, reachability};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn model(text: &str) -> Model {
    support::model(text, &[])
}

const ENGINES: [Engine; 3] = [Engine::Automatic, Engine::Native, Engine::Interpreter];

/// Increments a variable whose values repeat only after 2^32 rounds.
const COUNTS: &str = "int x; byte y;\nactive proctype P() { y = 1;\nd_step { do :: x++ od } }\n";
const COUNTS_LINE: u32 = 3;
const STEPS: u64 = 50_000;
const LIMIT: Limit = Limit::DStep { line: COUNTS_LINE, steps: STEPS };

#[test]
fn a_long_one_ends() {
    let model = model(
        "int n; byte done; active proctype P() {
         d_step { do :: n < 4000000 -> n++ :: else -> break od; n = 0 } done = 1 }",
    );
    for engine in ENGINES {
        let settings = Settings { engine, ..Settings::default() };
        let checked = check_safety(&model.program, &settings, &Options::default());
        let checked = checked.expect("a verdict");
        assert_eq!(
            checked.outcome.verdict(),
            Verdict::Holds,
            "{engine:?} {:?}",
            checked.outcome.limit
        );
    }
}

#[test]
fn a_repeated_state_is_an_error() {
    let bodies = [
        "do :: skip od",
        "do :: x++ od",
        "x = 200; do :: x < 250 -> x++ :: else -> x = 210 od",
        "do :: q!x; q?x od",
        "do :: x = 1 - x; assert(x < 2) od",
    ];
    for body in bodies {
        let text = format!(
            "byte x, y; chan q = [1] of {{ byte }}; active proctype P() {{ y = 1; d_step {{ {body} }}; y = x }}"
        );
        let model = model(&text);
        for engine in ENGINES {
            let settings = Settings { engine, ..Settings::default() };
            let checked = check_safety(&model.program, &settings, &Options::default());
            let checked = checked.expect("a verdict");
            let [found] = &checked.counterexamples[..] else {
                panic!("{body}: {:?}", checked.outcome)
            };
            assert_eq!(found.error(), Some(&RuntimeError::DStepDoesNotEnd), "{body} {engine:?}");
            assert_eq!(found.prefix.len(), 2, "{body} {engine:?}");
        }
    }
}

fn limited(model: &Model) -> PackedInterpreter<'_> {
    let patience = Patience::default().at_most(STEPS);
    PackedInterpreter::new(&model.program).expect("an initial state").with_patience(patience)
}

#[test]
fn reachability_is_inconclusive_at_the_limit() {
    let model = model(COUNTS);
    let stores = [
        StoreKind::Automatic,
        StoreKind::Interned,
        StoreKind::Cache {
            states: None,
            replacement: Default::default(),
            sleep_sets: false,
            seed: 1,
        },
        StoreKind::Disk { directory: std::env::temp_dir() },
    ];
    for (store, threads) in stores.into_iter().flat_map(|store| [(store.clone(), 1), (store, 2)]) {
        for all_errors in [false, true] {
            let threads = NonZeroUsize::new(threads);
            let options =
                Options { store: store.clone(), all_errors, threads, ..Options::default() };
            let outcome = reachability(&limited(&model), &options);
            assert_eq!(outcome.limit, Some(LIMIT), "{store:?}");
            assert_eq!(outcome.verdict(), Verdict::Inconclusive, "{store:?}");
        }
    }
    let options = Options { order: Order::BreadthFirst, ..Options::default() };
    assert_eq!(reachability(&limited(&model), &options).limit, Some(LIMIT));
    assert!(LIMIT.to_string().contains("the d_step at line 3"), "{LIMIT}");
}

#[test]
fn inside_an_atomic_sequence_too() {
    let model = model(
        "int x; byte y;\nactive proctype P() { atomic { y = 1;\nd_step { do :: x++ od } } }\n",
    );
    assert_eq!(reachability(&limited(&model), &Options::default()).limit, Some(LIMIT));
}

/// All runs, accepted or not.
fn automaton(accepting: bool) -> Tgba {
    let mut automaton = Tgba::empty(Vec::new());
    automaton.sets = u32::from(!accepting);
    let state = automaton.add_state();
    automaton.initial.push(state);
    automaton.add_edge(state, Guard::TRUE, Marks::NONE, state);
    automaton
}

#[test]
fn searches_for_cycles_are_inconclusive_at_the_limit() {
    let model = model(COUNTS);
    // Finite runs are not extended here, so a violation needs a cycle.
    let monitor = Monitor::new(automaton(true), Vec::new(), false);
    for algorithm in [Algorithm::Nested, Algorithm::Couvreur, Algorithm::Tarjan, Algorithm::Cndfs] {
        let request = Request {
            algorithm,
            when_large: None,
            join_after: None,
            hybrid: None,
            length: Length::AsFound,
            threads: NonZeroUsize::new(1),
            limits: Limits::default(),
            progress: None,
        };
        let answer = find(limited(&model), &monitor, &request);
        assert_eq!(answer.limit, Some(LIMIT), "{algorithm:?}");
        assert_eq!(answer.verdict(), Verdict::Inconclusive, "{algorithm:?}");
    }
    let answer = find_prefix(
        limited(&model),
        &Monitor::new(automaton(false), Vec::new(), true),
        &Options::default(),
    );
    assert_eq!(answer.limit, Some(LIMIT));
}

#[test]
fn branching_time_is_inconclusive_at_the_limit() {
    let model = model(COUNTS);
    for universal in [false, true] {
        let mut store = Formulas::new();
        let never = store.atom("never");
        let formula = if universal {
            let not_yet = store.not(never);
            let path = store.globally(not_yet);
            store.for_all_paths(path)
        } else {
            let path = store.finally(never);
            store.exists_path(path)
        };
        let conditions = vec![Expr::Const(0)];
        let limits = Limits::default();
        let question = Question { conditions, formula, fairness: None, limits, progress: None };
        let answer = branching::check(limited(&model), &mut store, question);
        assert_eq!(answer.verdict, Verdict::Inconclusive, "{universal}");
        assert_eq!(answer.answer.limit, Some(LIMIT), "{universal}");
    }
}

#[test]
fn the_flag_stops_it() {
    let model = model(COUNTS);
    let budget = Budget::until(Arc::new(AtomicBool::new(true)));
    let system = PackedInterpreter::new(&model.program).expect("an initial state");
    let limits = Limits { budget: &budget, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let outcome = reachability(&system.with_patience(options.limits.patience()), &options);
    assert_eq!(outcome.limit, Some(Limit::Interrupted));
    assert_eq!(outcome.verdict(), Verdict::Inconclusive);
}

/// Without the write-only `x` the state repeats at once; with `x` the error cannot be confirmed.
#[test]
fn a_repetition_only_in_the_reduced_program_is_inconclusive() {
    let model = model(COUNTS);
    let budget = Budget::until(Arc::new(AtomicBool::new(true)));
    let limits = Limits { budget: &budget, ..Limits::default() };
    let reduction = Reduction::new(&model.program, Version::Reduced, &UNLIMITED);
    let system =
        Engine::Interpreter.system(reduction.program(), &UNLIMITED).expect("an initial state");
    let outcome = reachability(&system, &Options::default());
    assert_eq!(outcome.verdict(), Verdict::Violated);
    let checked = replay_all(&model.program, &reduction, outcome, &limits).expect("a verdict");
    assert_eq!(checked.outcome.verdict(), Verdict::Inconclusive);
    assert!(checked.counterexamples.is_empty());
}
