//! Searches for cycles by several threads on products of many nodes, whose values outgrow the layout again and again on the way: verdicts, and
//! every lasso is replayed.

use lariat::check::Engine;
use lariat::load::load_with;
use lariat::property::{Checked, Choice, Meaning, Property, Wanted, check};
use search::liveness::Algorithm;
use search::product::Tail;
use search::{Limit, Limits, Options, Verdict};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Two counters, of which only the sum is bounded, so that no range of either is known before.
const COUNTERS: &str = "\
int x, y;
active proctype A() { do :: x + y < 90 -> x++ :: x + y >= 90 -> x = 0 od }
active proctype B() { do :: x + y < 90 -> y++ :: x + y >= 90 -> y = 0 od }
";

/// Formulas, whether they hold, and what searches all threads take part in: that for weak automata, or that for all.
const FORMULAS: [(&str, Verdict, &str); 4] = [
    ("[]<>(x == 0 || y == 0)", Verdict::Holds, "cndfs"),
    ("([]<>(x == 5)) -> ([]<>(x == 0 || y == 0))", Verdict::Holds, "ufscc"),
    ("[]<>(x == 0 && y < 40)", Verdict::Violated, "cndfs"),
    ("(([]<>(x == 50)) && ([]<>(x == 20))) -> ([]<>(y == 0))", Verdict::Violated, "ufscc"),
];

fn checked(formula: &str, algorithm: Option<Algorithm>, engine: Engine, options: &Options<'_>) -> Checked {
    stored(formula, algorithm, engine, options, None)
}

fn stored(
    formula: &str,
    algorithm: Option<Algorithm>,
    engine: Engine,
    options: &Options<'_>,
    hybrid: Option<Tail>,
) -> Checked {
    // Tests run side by side, so each has its own file every time.
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("lariat-parallel-{}-{number}.pml", std::process::id()));
    std::fs::write(&file, COUNTERS).expect("a temporary file");
    let model = load_with(file.as_os_str(), &[], &[formula.to_string()], false);
    let _ = std::fs::remove_file(&file);
    let model = model.expect("a model");
    let property = Property::new(Wanted::Ltl(formula.into()), Meaning::Formula(model.given[0].clone()));
    let choice = Choice { engine, algorithm, hybrid, ..Choice::default() };
    check(&model.program, &property, &choice, options).expect("what is found is a run")
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

/// In packets are the same nodes as without, whoever puts them there, also when their words become others.
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
            let hybrid = stored(formula, algorithm, Engine::Native, &threads(count), Some(Tail::Property));
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

/// Once there are many nodes, the threads join; and the figures are those of a whole search.
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
