//! Fault injection in the manner of SQLite: the first operation of a kind fails, then the second, and so on until a
//! search ends before the failure it was to meet. Whatever fails, a search says what is true, or that it does not know.

mod support;

use model::program::{Operation, Program};
use model::{Domain, PackedInterpreter};
use search::faults::{Fault, inject, is_pending};
use search::{Checkpoint, Limits, Options, Order, Outcome, Saved, StoreKind, Verdict, reachability};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use support::*;

/// Failures are those of the whole process: one search at a time.
static ALONE: Mutex<()> = Mutex::new(());
/// More operations of a kind than any of these searches has.
const MANY: u64 = 50_000_000;

/// Two bytes that are counted up: 65,536 states, enough for tables that grow several times.
fn counters() -> Program {
    let variables = [("x", Domain::BYTE, false), ("y", Domain::BYTE, false)];
    let counter = |variable| vec![vec![edge(Operation::act(vec![add(variable, 1)]), 0)]];
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

/// Lets each operation of each kind fail in turn. `attempt` makes a search, and returns what it said.
fn each_fault(what: &str, kinds: &[Fault], mut attempt: impl FnMut() -> Outcome) {
    let whole = attempt();
    assert_eq!(whole.verdict(), Verdict::Holds, "{what}");
    for &fault in kinds {
        // Each of the first operations, and of the many that are alike after them ever fewer.
        let mut next = 0;
        loop {
            next += 1 + next / 4;
            let n = next;
            assert!(n < MANY, "{what}: {fault:?} has no end");
            inject(fault, n);
            let outcome = attempt();
            let met = !is_pending(fault);
            inject(fault, 0);
            match outcome.verdict() {
                Verdict::Holds => {
                    assert!(outcome.exhaustive);
                    assert_eq!(outcome.statistics.states, whole.statistics.states, "{what}: {fault:?} {n}");
                }
                Verdict::Inconclusive => {
                    assert!(met, "{what}: nothing failed");
                    let said = outcome.limit.is_some() || outcome.checkpoint_failure.is_some();
                    assert!(said, "{what}: {fault:?} {n}: no reason");
                }
                Verdict::Violated => panic!("{what}: {fault:?} {n}: a wrong verdict"),
            }
            if !met {
                break;
            }
        }
    }
}

#[test]
fn searches_in_memory() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters();
    let system = PackedInterpreter::new(&program).expect("there is an initial state");
    for (store, order, threads) in [
        (StoreKind::Packed, Order::DepthFirst, 1),
        (StoreKind::Packed, Order::BreadthFirst, 2),
        (StoreKind::Automatic, Order::DepthFirst, 3),
    ] {
        let what = format!("{store:?} {order:?} {threads}");
        let options = options(store, order, threads);
        each_fault(&what, &[Fault::Memory, Fault::Thread], || reachability(&system, &options));
    }
}

#[test]
fn a_search_on_disk() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters();
    let system = PackedInterpreter::new(&program).expect("there is an initial state");
    let directory = temporary("disk");
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let store = StoreKind::Disk { directory: directory.clone() };
    let limits = Limits { states: Some(200_000), ..Limits::default() };
    let options = Options { limits, ..options(store, Order::BreadthFirst, 1) };
    each_fault("disk", &[Fault::File], || reachability(&system, &options));
    let _ = std::fs::remove_dir_all(&directory);
}

/// Saves a search, and resumes it.
fn in_two_parts(system: &PackedInterpreter<'_>, file: &Path) -> Outcome {
    let checkpoint = Some(Checkpoint { path: file, every: None, fingerprint: 1 });
    let limits = Limits { states: Some(2000), ..Limits::default() };
    let all = options(StoreKind::Packed, Order::DepthFirst, 1);
    let first = reachability(system, &Options { checkpoint, limits, ..all.clone() });
    if !first.saved {
        assert!(first.checkpoint_failure.is_some(), "whoever asks for a file is told that there is none");
        return first;
    }
    match Saved::open(file, 1, &all) {
        Ok(saved) => reachability(system, &Options { resume: Some(&saved), ..all }),
        Err(error) => Outcome { checkpoint_failure: Some(error.to_string()), ..Outcome::default() },
    }
}

#[test]
fn a_search_that_is_saved() {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let program = counters();
    let system = PackedInterpreter::new(&program).expect("there is an initial state");
    let file = temporary("saved");
    each_fault("checkpoint", &[Fault::File, Fault::Memory], || in_two_parts(&system, &file));
    let _ = std::fs::remove_file(&file);
    let mut part = file.into_os_string();
    part.push(".part");
    assert!(!Path::new(&part).exists(), "a file that was not completed is removed");
}
