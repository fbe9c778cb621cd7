//! A search that is saved and resumed any number of times has the same outcome as an
//! uninterrupted one.

mod support;

use lariat_ir::PackedInterpreter;
use lariat_ir::program::Program;
use lariat_search::{
    Checkpoint, Limits, Options, Order, Outcome, ResumeError, SavedSearch, reachability,
};
use proptest::prelude::*;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use support::*;

const FINGERPRINT: u64 = 77;

fn file() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("lariat-checkpoint-{}-{number}", std::process::id()))
}

fn options<'a>(order: Order, threads: usize, file: &'a Path, states: Option<u64>) -> Options<'a> {
    Options {
        order,
        all_errors: true,
        threads: NonZeroUsize::new(threads),
        join_after: Some(0),
        limits: Limits { states, ..Limits::default() },
        checkpoint: Some(Checkpoint { path: file, every: None, fingerprint: FINGERPRINT }),
        ..Options::default()
    }
}

/// Searches in pieces: saves and resumes after every `piece` states.
fn search_in_pieces(program: &Program, order: Order, threads: usize, piece: u64) -> Outcome {
    let system = PackedInterpreter::new(program).expect("there are initial states");
    let file = file();
    let mut limit = piece;
    let mut outcome = reachability(&system, &options(order, threads, &file, Some(limit)));
    while outcome.limit.is_some() {
        assert!(outcome.saved, "{:?}", outcome.checkpoint_failure);
        limit += piece;
        let options = options(order, threads, &file, Some(limit));
        let saved = SavedSearch::open(&file, FINGERPRINT, &options).expect("just saved");
        outcome = reachability(&system, &Options { resume: Some(&saved), ..options });
        assert_eq!(outcome.checkpoint_failure, None);
    }
    let _ = std::fs::remove_file(&file);
    outcome
}

proptest! {
    #![proptest_config(seeded::cases(100))]

    #[test]
    fn resuming_does_not_change_the_outcome(
        program in any_program(),
        piece in 1u64..40,
        threads in 1usize..3,
    ) {
        let Some(expected) = oracle(&program) else { return Ok(()) };
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let piece = piece.max(expected.states / 20);
            let outcome = search_in_pieces(&program, order, threads, piece);
            prop_assert_eq!(&Figures::of(&outcome), &expected, "{:?}", order);
            prop_assert!(outcome.exhaustive);
        }
    }
}

#[test]
fn other_and_damaged_files_are_recognised() {
    let program = program(
        &[("x", lariat_ir::Domain::BYTE, false)],
        vec![process(
            "P",
            vec![vec![edge(lariat_ir::program::Operation::act(vec![add(0, 1)]), 0)]],
            &[],
        )],
    );
    let system = PackedInterpreter::new(&program).expect("there are initial states");
    let file = file();
    let first = options(Order::DepthFirst, 1, &file, Some(10));
    assert!(reachability(&system, &first).saved);
    let open = |order, fingerprint| {
        SavedSearch::open(&file, fingerprint, &options(order, 1, &file, None)).map(drop)
    };
    assert!(open(Order::DepthFirst, FINGERPRINT).is_ok());
    assert!(matches!(open(Order::BreadthFirst, FINGERPRINT), Err(ResumeError::Other(_))));
    assert!(matches!(open(Order::DepthFirst, 1), Err(ResumeError::Other("model"))));
    let complete = std::fs::read(&file).expect("the file exists");
    for length in (0..complete.len()).step_by(7) {
        std::fs::write(&file, &complete[..length]).expect("the file can be written");
        assert!(open(Order::DepthFirst, FINGERPRINT).is_err());
    }
    for place in (0..complete.len()).step_by(5) {
        let mut damaged = complete.clone();
        damaged[place] ^= 0x10;
        std::fs::write(&file, damaged).expect("the file can be written");
        assert!(open(Order::DepthFirst, FINGERPRINT).is_err(), "byte {place}");
    }
    std::fs::write(&file, "something else").expect("the file can be written");
    assert!(matches!(open(Order::DepthFirst, FINGERPRINT), Err(ResumeError::Foreign)));
    std::fs::remove_file(&file).expect("the file exists");
    assert!(matches!(open(Order::DepthFirst, FINGERPRINT), Err(ResumeError::Unreadable(_))));
}
