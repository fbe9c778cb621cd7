//! Parallel cycle searches on large products whose values outgrow the layout repeatedly: verdicts,
//! and every lasso is replayed.

use crate::support::with_property;
use lariat::check::Engine;
use lariat::check::check_property;
use lariat::{Property, PropertyResult, Settings};
use lariat_search::liveness::Algorithm;
use lariat_search::product::Tail;
use lariat_search::{Limit, Limits, Options, Verdict};
use std::num::NonZeroUsize;

/// Two counters of which only the sum is bounded, so that static analysis knows no range.
const COUNTERS: &str = "\
int x, y;
active proctype A() { do :: x + y < 90 -> x++ :: x + y >= 90 -> x = 0 od }
active proctype B() { do :: x + y < 90 -> y++ :: x + y >= 90 -> y = 0 od }
";

/// Formulas, their verdicts, and the parallel search that is chosen for them.
const FORMULAS: [(&str, Verdict, &str); 4] = [
    ("[]<>(x == 0 || y == 0)", Verdict::Holds, "cndfs"),
    ("([]<>(x == 5)) -> ([]<>(x == 0 || y == 0))", Verdict::Holds, "ufscc"),
    ("[]<>(x == 0 && y < 40)", Verdict::Violated, "cndfs"),
    ("(([]<>(x == 50)) && ([]<>(x == 20))) -> ([]<>(y == 0))", Verdict::Violated, "ufscc"),
];

fn checked(
    formula: &str,
    algorithm: Option<Algorithm>,
    engine: Engine,
    options: &Options<'_>,
) -> PropertyResult {
    stored(formula, algorithm, engine, options, None)
}

fn stored(
    formula: &str,
    algorithm: Option<Algorithm>,
    engine: Engine,
    options: &Options<'_>,
    hybrid: Option<Tail>,
) -> PropertyResult {
    let (model, property) = with_property(COUNTERS, Property::ltl(formula));
    let settings = Settings { engine, algorithm, hybrid, ..Settings::default() };
    check_property(&model.program, &property, &settings, options)
        .expect("the counterexample replays")
}

fn threads(count: usize) -> Options<'static> {
    Options { threads: NonZeroUsize::new(count), ..Options::default() }
}

#[test]
fn threads_do_not_change_verdicts() {
    for (formula, expected, _) in FORMULAS {
        for algorithm in [Algorithm::Couvreur, Algorithm::Cndfs, Algorithm::Ufscc] {
            for count in [1, 2, 3, 4] {
                let checked = checked(formula, Some(algorithm), Engine::Native, &threads(count));
                assert_eq!(checked.verdict, expected, "{formula} {algorithm:?} {count}");
            }
        }
    }
}

/// Packets contain the same nodes with any number of threads, also after the layout changed.
#[test]
fn threads_share_packets() {
    for (formula, expected, _) in FORMULAS {
        let alone = checked(formula, None, Engine::Native, &threads(1)).answer.statistics;
        for (algorithm, count) in [
            (None, 1),
            (Some(Algorithm::Cndfs), 3),
            (Some(Algorithm::Couvreur), 2),
            (Some(Algorithm::Ufscc), 2),
            (Some(Algorithm::Ufscc), 4),
        ] {
            let hybrid =
                stored(formula, algorithm, Engine::Native, &threads(count), Some(Tail::Property));
            assert_eq!(hybrid.verdict, expected, "{formula} {algorithm:?} {count}");
            let packets = hybrid.answer.packets.expect("there are packets");
            assert!(packets.packets < packets.nodes, "{formula} {packets:?}");
            let same_automaton = algorithm != Some(Algorithm::Cndfs);
            if expected == Verdict::Holds && same_automaton {
                assert_eq!(hybrid.answer.statistics.states, alone.states, "{formula}");
            }
        }
    }
}

/// Further threads join when the product is large, and the statistics are those of a full search.
#[test]
fn threads_join_when_the_product_is_large() {
    for (formula, expected, parallel) in FORMULAS {
        let alone = checked(formula, None, Engine::Native, &threads(1));
        assert_eq!(alone.verdict, expected, "{formula}");
        assert!(!alone.answer.joined);
        // Few threads search for components each for itself.
        let few = if parallel == "ufscc" { "couvreur" } else { parallel };
        for (count, search) in [(2, few), (3, few), (4, parallel)] {
            let options = Options { join_after: Some(100), ..threads(count) };
            let together = checked(formula, None, Engine::Native, &options);
            assert_eq!((together.verdict, together.search), (expected, search), "{formula}");
            assert!(together.answer.joined);
            if expected == Verdict::Holds {
                assert_eq!(together.answer.statistics.states, alone.answer.statistics.states);
            }
        }
        let never = Options { join_after: Some(u64::MAX), ..threads(3) };
        assert!(!checked(formula, None, Engine::Native, &never).answer.joined);
    }
}

#[test]
fn limits_end_all_threads() {
    for algorithm in [Algorithm::Couvreur, Algorithm::Cndfs, Algorithm::Ufscc] {
        let limits = Limits { states: Some(500), ..Limits::default() };
        let options = Options { limits, ..threads(3) };
        let checked = checked(FORMULAS[1].0, Some(algorithm), Engine::Interpreter, &options);
        assert_eq!(checked.verdict, Verdict::Inconclusive);
        assert_eq!(checked.answer.limit, Some(Limit::States(500)));
    }
}
