//! Fault injection in the manner of SQLite: the first operation of a kind fails, then the second,
//! and so on until a search ends without reaching the operation that was to fail. Every answer must
//! be correct or inconclusive.

mod support;

use lariat_ir::expression::BinaryOp;
use lariat_ir::program::Program;
use lariat_ir::{Domain, PackedInterpreter};
use lariat_ltl::automaton::{Marks, Tgba};
use lariat_ltl::guard::Guard;
use lariat_search::faults::{Fault, inject, is_pending};
use lariat_search::liveness::Algorithm;
use lariat_search::product::{Answer, Length, Monitor, Request, find, find_in_store, find_prefix};
use lariat_search::{
    Checkpoint, Limit, Limits, Options, Order, Outcome, SavedSearch, StoreKind, Verdict,
    reachability,
};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use support::*;

/// Injected faults affect the whole process, so tests run one at a time.
static SERIAL: Mutex<()> = Mutex::new(());
/// More operations of a kind than any of these searches has.
const MAX_OPERATIONS: u64 = 1_000_000;

/// Two counters that take `bound` values each: `bound`² states.
fn counters(bound: i32) -> Program {
    let variables = [("x", Domain::BYTE, false), ("y", Domain::BYTE, false)];
    let counter = |variable| {
        let more = compare(BinaryOp::Less, variable, bound - 1);
        let last = compare(BinaryOp::Equal, variable, bound - 1);
        let reset = vec![add(variable, 1 - bound)];
        vec![vec![edge(guarded(more, vec![add(variable, 1)]), 0), edge(guarded(last, reset), 0)]]
    };
    program(&variables, vec![process("P", counter(0), &[]), process("Q", counter(1), &[])])
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("lariat-faults-{}-{name}", std::process::id()))
}

fn options(store: StoreKind, order: Order, threads: usize) -> Options<'static> {
    Options {
        store,
        order,
        all_errors: true,
        threads: NonZeroUsize::new(threads),
        join_after: Some(1000),
        ..Options::default()
    }
}

/// What a search says: the verdict, a count that must not change if the search is exhaustive, and
/// whether an inconclusive answer names its reason.
struct Claim {
    verdict: Verdict,
    states: Option<u64>,
    has_reason: bool,
}

impl From<Outcome> for Claim {
    fn from(outcome: Outcome) -> Claim {
        Claim {
            verdict: outcome.verdict(),
            states: outcome.exhaustive.then_some(outcome.statistics.states),
            has_reason: outcome.limit.is_some() || outcome.checkpoint_failure.is_some(),
        }
    }
}

impl From<Answer> for Claim {
    fn from(answer: Answer) -> Claim {
        let has_reason = answer.limit.is_some() || answer.may_omit;
        Claim { verdict: answer.verdict(), states: None, has_reason }
    }
}

/// Makes each operation of each kind fail in turn, in runs of `attempt`, until a run ends without
/// reaching it. Returns the number of faults that happened.
fn each_fault<C: Into<Claim>>(
    name: &str,
    kinds: &[Fault],
    step: impl Fn(u64) -> u64,
    mut attempt: impl FnMut() -> C,
) -> u64 {
    let expected: Claim = attempt().into();
    let mut happened = 0;
    for &fault in kinds {
        let mut n = 1;
        loop {
            assert!(n < MAX_OPERATIONS, "{name}: {fault:?} has no end");
            inject(fault, n);
            let claim: Claim = attempt().into();
            let reached = !is_pending(fault);
            inject(fault, 0);
            if claim.verdict == Verdict::Inconclusive && expected.verdict != Verdict::Inconclusive {
                assert!(reached, "{name}: {fault:?} {n}: inconclusive without a fault");
                assert!(claim.has_reason, "{name}: {fault:?} {n}: no reason is given");
            } else {
                assert_eq!(claim.verdict, expected.verdict, "{name}: {fault:?} {n}");
                assert_eq!(claim.states, expected.states, "{name}: {fault:?} {n}");
            }
            if !reached {
                break;
            }
            happened += 1;
            n += step(n);
        }
    }
    happened
}

/// Each operation in turn.
fn one_by_one(_: u64) -> u64 {
    1
}

/// Ever fewer of the later operations, for runs with many equal ones.
fn geometrically(n: u64) -> u64 {
    1 + n / 4
}

#[test]
fn searches_in_memory() {
    let _serial = SERIAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters(40);
    let system = PackedInterpreter::new(&program).expect("there is an initial state");
    let compact = StoreKind::Compact { bits: 64, seed: 0 };
    let bitstate = StoreKind::Bitstate { bytes: Some(1 << 16), functions: 3, seed: 0 };
    for (store, order, threads) in [
        (StoreKind::Packed, Order::DepthFirst, 1),
        (StoreKind::Packed, Order::BreadthFirst, 2),
        (StoreKind::Automatic, Order::DepthFirst, 3),
        (StoreKind::Interned, Order::DepthFirst, 2),
        (compact, Order::DepthFirst, 1),
        (bitstate, Order::DepthFirst, 2),
    ] {
        let name = format!("{store:?} {order:?} {threads}");
        let options = options(store, order, threads);
        let kinds = [Fault::Memory, Fault::Thread];
        let happened = each_fault(&name, &kinds, one_by_one, || reachability(&system, &options));
        assert!(happened > 0, "{name}: no operation can fail");
    }
}

/// Tables that grow in place, several times, with several threads.
#[test]
fn searches_with_large_tables() {
    let _serial = SERIAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters(200);
    let system = PackedInterpreter::new(&program).expect("there is an initial state");
    for (store, order) in
        [(StoreKind::Packed, Order::BreadthFirst), (StoreKind::Interned, Order::DepthFirst)]
    {
        let name = format!("{store:?} {order:?}");
        let options = options(store, order, 2);
        let kinds = [Fault::Memory, Fault::Thread];
        each_fault(&name, &kinds, geometrically, || reachability(&system, &options));
    }
}

/// The automaton that accepts the words in which atom 0 holds from some position on.
fn eventually_always() -> Tgba {
    let mut automaton = Tgba::empty(vec!["p".into()]);
    automaton.sets = 1;
    let (waiting, accepting) = (automaton.add_state(), automaton.add_state());
    automaton.initial.push(waiting);
    let holds = automaton.guards.variable(0);
    automaton.add_edge(waiting, Guard::TRUE, Marks::NONE, waiting);
    automaton.add_edge(waiting, holds, Marks::NONE, accepting);
    automaton.add_edge(accepting, holds, Marks::one(0), accepting);
    automaton
}

/// The automaton that accepts every word in which atom 0 holds at some position.
fn eventually() -> Tgba {
    let mut automaton = Tgba::empty(vec!["p".into()]);
    let (waiting, accepting) = (automaton.add_state(), automaton.add_state());
    automaton.sets = 1;
    automaton.initial.push(waiting);
    let holds = automaton.guards.variable(0);
    let fails = automaton.guards.not(holds);
    automaton.add_edge(waiting, fails, Marks::NONE, waiting);
    automaton.add_edge(waiting, holds, Marks::one(0), accepting);
    automaton.add_edge(accepting, Guard::TRUE, Marks::one(0), accepting);
    automaton
}

fn request(
    algorithm: Algorithm,
    when_large: Option<Algorithm>,
    threads: usize,
) -> Request<'static> {
    Request {
        algorithm,
        when_large,
        join_after: Some(200),
        hybrid: None,
        length: Length::Shortened,
        threads: NonZeroUsize::new(threads),
        limits: Limits::default(),
        progress: None,
    }
}

/// Searches for accepting cycles, with and without a search of the program before; the property
/// holds, or is violated by a lasso.
#[test]
fn searches_for_cycles() {
    let _serial = SERIAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters(25);
    let mut stems = 0;
    for (forbidden, expected) in [(30, Verdict::Holds), (24, Verdict::Violated)] {
        let condition = compare(BinaryOp::Equal, 0, forbidden);
        let monitor = Monitor::new(eventually_always(), vec![condition], true);
        let searches = [
            (Algorithm::Nested, None, 1),
            (Algorithm::Couvreur, None, 1),
            (Algorithm::Queue, None, 1),
            (Algorithm::Cndfs, None, 2),
            (Algorithm::Ufscc, None, 2),
            (Algorithm::Nested, Some(Algorithm::Cndfs), 2),
            (Algorithm::Couvreur, Some(Algorithm::Ufscc), 2),
        ];
        for (algorithm, when_large, threads) in searches {
            let request = request(algorithm, when_large, threads);
            let name = format!("{algorithm:?} {when_large:?} {threads} {expected:?}");
            let kinds = [Fault::Memory, Fault::Thread];
            let happened = each_fault(&name, &kinds, one_by_one, || {
                let system = PackedInterpreter::new(&program).expect("there is an initial state");
                let answer = find(system, &monitor, &request);
                stems += u32::from(answer.stem);
                answer
            });
            assert!(happened > 0, "{name}: no operation can fail");
        }
    }
    assert!(stems > 0, "some searches visit the program first");
}

/// Safety properties by reachability, and searches for cycles in stores that may omit states.
#[test]
fn searches_for_prefixes_and_in_stores() {
    let _serial = SERIAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters(25);
    let system = || PackedInterpreter::new(&program).expect("there is an initial state");
    let kinds = [Fault::Memory, Fault::Thread];
    for forbidden in [30, 24] {
        let condition = || vec![compare(BinaryOp::Equal, 0, forbidden)];
        let monitor = Monitor::new(eventually(), condition(), true);
        for store in [StoreKind::Packed, StoreKind::Interned] {
            let options = options(store, Order::DepthFirst, 2);
            each_fault(&format!("prefix {forbidden}"), &kinds, one_by_one, || {
                find_prefix(system(), &monitor, &options)
            });
        }
        let monitor = Monitor::new(eventually_always(), condition(), true);
        for store in [
            StoreKind::Compact { bits: 64, seed: 0 },
            StoreKind::Bitstate { bytes: Some(1 << 16), functions: 3, seed: 0 },
        ] {
            let options = options(store, Order::DepthFirst, 1);
            each_fault(&format!("cycles {forbidden}"), &kinds, one_by_one, || {
                find_in_store(system(), &monitor, &request(Algorithm::Nested, None, 1), &options)
            });
        }
    }
}

#[test]
fn a_search_on_disk() {
    let _serial = SERIAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters(12);
    let system = PackedInterpreter::new(&program).expect("there is an initial state");
    let directory = temporary("disk");
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let store = StoreKind::Disk { directory: directory.clone() };
    let limits = Limits { states: Some(200_000), ..Limits::default() };
    let options = Options { limits, ..options(store, Order::BreadthFirst, 1) };
    each_fault("disk", &[Fault::File], geometrically, || reachability(&system, &options));
    let _ = std::fs::remove_dir_all(&directory);
}

/// Saves a search and resumes it.
fn in_two_parts(system: &PackedInterpreter<'_>, file: &Path) -> Outcome {
    let checkpoint = Some(Checkpoint { path: file, every: None, fingerprint: 1 });
    let limits = Limits { states: Some(500), ..Limits::default() };
    let all = options(StoreKind::Packed, Order::DepthFirst, 1);
    let first = reachability(system, &Options { checkpoint, limits, ..all.clone() });
    if !first.saved {
        // Without memory for the first table there is nothing to save.
        let has_no_table = matches!(first.limit, Some(Limit::MemoryBytes(_)));
        let is_reported = first.checkpoint_failure.is_some() || has_no_table;
        assert!(is_reported, "a missing checkpoint is reported: {:?}", first.limit);
        return first;
    }
    match SavedSearch::open(file, 1, &all) {
        Ok(saved) => reachability(system, &Options { resume: Some(&saved), ..all }),
        Err(error) => Outcome { checkpoint_failure: Some(error.to_string()), ..Outcome::default() },
    }
}

#[test]
fn a_search_that_is_saved() {
    let _serial = SERIAL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters(40);
    let system = PackedInterpreter::new(&program).expect("there is an initial state");
    let file = temporary("saved");
    let kinds = [Fault::File, Fault::Memory];
    each_fault("checkpoint", &kinds, one_by_one, || in_two_parts(&system, &file));
    let _ = std::fs::remove_file(&file);
    let mut part = file.into_os_string();
    part.push(".part");
    assert!(!Path::new(&part).exists(), "an incomplete file is removed");
}
