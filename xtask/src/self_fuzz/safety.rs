//! Errors and state counts: equal for every engine, order, store and number of threads, and after
//! interruptions.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use lariat::check::fingerprint;
use lariat::check::safety::check_safety;
use lariat::{Engine, Model, SafetyResult, Settings};
use lariat_ir::RuntimeError;
use lariat_search::{Checkpoint, Limits, Options, Order, SavedSearch, StoreKind, Verdict};
use oracle::Graph;

use super::case::Case;
use super::writer::Subject;

/// The figures on which every complete search agrees.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    states: u64,
    transitions: u64,
    atomic_steps: u64,
    errors: u64,
    kinds: BTreeSet<&'static str>,
    endless_atomic: bool,
}

impl Figures {
    fn of(checked: &SafetyResult) -> Figures {
        let outcome = &checked.outcome;
        Figures {
            states: outcome.statistics.states,
            transitions: outcome.statistics.transitions,
            atomic_steps: outcome.statistics.atomic_steps,
            errors: outcome.errors,
            kinds: outcome.error_kinds.clone(),
            endless_atomic: outcome.endless_atomic,
        }
    }
}

impl Case<'_> {
    pub fn safety(&mut self, model: &Model, graph: Option<&Graph>) {
        let options = Options {
            all_errors: true,
            threads: NonZeroUsize::new(1),
            limits: self.limits(),
            ..Options::default()
        };
        let slow = match self.sample.subject {
            Subject::Large => Engine::Native,
            _ => Engine::Interpreter,
        };
        let Some(first) = self.search(model, "safety", slow, true, &options) else { return };
        self.report.states = first.outcome.statistics.states;
        // After a deadlock the run stutters in its last state; after other errors there is no run.
        let deadlock = RuntimeError::InvalidEndState.kind();
        self.report.has_errors = first.outcome.error_kinds.iter().any(|kind| *kind != deadlock);
        self.report.has_endless_atomic = first.outcome.endless_atomic;
        if first.outcome.limit.is_some() {
            return self.report.undecided("safety");
        }
        let expected = Figures::of(&first);
        if let Some(graph) = graph {
            let states = graph.states.len() as u64;
            self.same("oracle's states", &expected.states, &states, String::new);
        }
        let threads = self.random.between(2, 3);
        let shared = Options {
            threads: NonZeroUsize::new(threads),
            join_after: Some(self.random.between(0, 60) as u64),
            ..options.clone()
        };
        let breadth = Options { order: Order::BreadthFirst, ..options.clone() };
        let interned = Options { store: StoreKind::Interned, ..options.clone() };
        let configurations = [
            ("engine", Engine::Native, &options),
            ("threads", *self.random.pick(&[Engine::Native, slow]), &shared),
            ("order", slow, &breadth),
            ("store", slow, &interned),
        ];
        for (kind, engine, options) in configurations {
            let Some(checked) = self.search(model, kind, engine, true, options) else { continue };
            if checked.outcome.limit.is_some() {
                self.report.undecided(kind);
                continue;
            }
            self.same(kind, &Figures::of(&checked), &expected, || {
                format!("{engine:?} {options:?}")
            });
        }
        let reduced = self.search(model, "reductions", Engine::Automatic, false, &options);
        if let Some(reduced) = reduced.filter(|reduced| reduced.outcome.limit.is_none()) {
            let verdict = |checked: &SafetyResult| checked.outcome.verdict() == Verdict::Violated;
            self.same("reductions", &verdict(&reduced), &verdict(&first), String::new);
        }
        self.interrupted(model, &expected);
    }

    /// Saves and resumes repeatedly, sometimes with another number of threads.
    fn interrupted(&mut self, model: &Model, expected: &Figures) {
        const KIND: &str = "checkpoints";
        let file = self.directory.path.join("saved");
        let fingerprint = fingerprint(&model.program, true);
        let piece = (expected.states / 5).max(1) + self.random.below(20) as u64;
        let order = *self.random.pick(&[Order::DepthFirst, Order::BreadthFirst]);
        let engine = if self.random.percent(50) { Engine::Native } else { Engine::Automatic };
        let mut saved: Option<SavedSearch> = None;
        let mut limit = piece;
        // Each piece stores more states, so this number of pieces suffices.
        for _ in 0..=expected.states / piece + 2 {
            let threads = self.random.between(1, 2);
            let whole = self.limits();
            let options = Options {
                order,
                all_errors: true,
                threads: NonZeroUsize::new(threads),
                join_after: Some(self.random.below(50) as u64),
                limits: Limits { states: Some(limit), ..whole },
                checkpoint: Some(Checkpoint { path: &file, every: None, fingerprint }),
                ..Options::default()
            };
            let resumed = Options { resume: saved.as_ref(), ..options.clone() };
            let Some(checked) = self.search(model, KIND, engine, true, &resumed) else { return };
            if checked.outcome.limit.is_none() {
                let about = || format!("{order:?} {engine:?} pieces of {piece}");
                return self.same(KIND, &Figures::of(&checked), expected, about);
            }
            if !checked.outcome.saved {
                let problem = format!("not saved: {:?}", checked.outcome.checkpoint_failure);
                return self.report.differs(KIND, problem);
            }
            match SavedSearch::open(&file, fingerprint, &options) {
                Ok(open) => saved = Some(open),
                Err(problem) => {
                    return self.report.differs(KIND, format!("not resumed: {problem}"));
                }
            }
            limit += piece;
        }
        self.report.undecided(KIND);
    }

    fn search(
        &mut self,
        model: &Model,
        kind: &'static str,
        engine: Engine,
        raw: bool,
        options: &Options<'_>,
    ) -> Option<SafetyResult> {
        let budget = self.budget();
        let limits = Limits { budget: &budget, ..options.limits.clone() };
        let options = &Options { limits, ..options.clone() };
        let about = || format!("{engine:?} {options:?}");
        let settings = Settings { engine, raw, ..Settings::default() };
        let search = || check_safety(&model.program, &settings, options);
        let checked = self.guarded(kind, about, search)?;
        match checked {
            Ok(checked) => Some(checked),
            Err(fault) => {
                self.report.differs(kind, format!("{fault} {}", about()));
                None
            }
        }
    }

    fn same<T: PartialEq + std::fmt::Debug>(
        &mut self,
        kind: &'static str,
        found: &T,
        expected: &T,
        about: impl Fn() -> String,
    ) {
        if found == expected {
            self.report.agree(kind);
        } else {
            self.report.differs(kind, format!("{found:?}, expected {expected:?} {}", about()));
        }
    }
}
