//! Searches that use the program as the stem of the product: verdicts and node counts equal those
//! of the full product, with values that outgrow the layout, with threads that join at once, and
//! with accepting parts that grow larger than expected. Every lasso is replayed.

use crate::support::with_property;
use lariat::check::Engine;
use lariat::check::check_property;
use lariat::{Property, PropertyResult, Settings};
use lariat_ir::budget::UNLIMITED;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::{Actor, Fairness, Strength};
use lariat_search::product::{Tail, Unproven};
use lariat_search::{Limit, Limits, Options, Verdict};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Two counters of which only the sum is bounded, so that static analysis knows no range. A third
/// process can end.
const COUNTERS: &str = "\
int x, y; bool done;
active proctype A() { do :: x + y < 60 -> x++ :: x + y >= 60 -> x = 0 od }
active proctype B() { do :: x + y < 60 -> y++ :: x + y >= 60 -> y = 0 od }
active proctype C() { x == 30 && y == 7; atomic { done = true; done = false; done = true } }
";

/// All processes eventually block.
const RESTING: &str = "\
byte x; bool asked, heard;
active proctype A() { do :: x < 100 -> x++ :: x >= 100 -> break od }
active proctype B() { do :: asked = true; asked = false :: x == 77 -> asked = true; break od }
active proctype C() { (x == 50 && asked); heard = true }
";

fn checked(text: &str, formula: &str, settings: Settings, options: &Options<'_>) -> PropertyResult {
    let (model, property) = with_property(text, Property::ltl(formula));
    check_property(&model.program, &property, &settings, options)
        .expect("the counterexample replays")
}

fn options(threads: usize, join_after: Option<u64>) -> Options<'static> {
    Options { threads: NonZeroUsize::new(threads), join_after, ..Options::default() }
}

fn raw() -> Settings {
    Settings { engine: Engine::Native, raw: true, ..Settings::default() }
}

/// Model, formula, verdict, and whether the part after the stem always stays small.
const FORMULAS: [(&str, &str, Verdict, bool); 8] = [
    (COUNTERS, "[](x + y == 59 -> <>(x + y != 59))", Verdict::Holds, true),
    (COUNTERS, "[](x == 40 && y == 3 -> <>(x == 0))", Verdict::Violated, true),
    (COUNTERS, "[](done -> <>(x == 0 && y == 0))", Verdict::Violated, true),
    (COUNTERS, "([]<>(x == 5)) -> [](x == 50 && y == 9 -> <>(x == 0))", Verdict::Holds, true),
    (COUNTERS, "([]<>(y == 5)) -> [](x == 50 && y == 9 -> <>(x == 0))", Verdict::Violated, true),
    (RESTING, "[](asked -> <>(heard))", Verdict::Violated, false),
    (RESTING, "[](heard -> <>(x >= 50))", Verdict::Holds, true),
    (RESTING, "[](heard -> <>(x == 100))", Verdict::Violated, true),
];

#[test]
fn verdicts_and_nodes_are_those_of_the_product() {
    for (text, formula, expected, small) in FORMULAS {
        let nested = Settings { algorithm: Some(Algorithm::Couvreur), ..raw() };
        let plain = checked(text, formula, nested, &options(1, None));
        assert_eq!((plain.verdict, plain.answer.stem), (expected, false), "{formula}");
        for threads in [1, 2, 3] {
            for join_after in [None, Some(30)] {
                let found = checked(text, formula, raw(), &options(threads, join_after));
                assert_eq!(found.verdict, expected, "{formula} {threads} {join_after:?}");
                assert!(found.answer.stem || !small || join_after.is_some(), "{formula} {threads}");
                if expected == Verdict::Holds {
                    let states = |checked: &PropertyResult| checked.answer.statistics.states;
                    assert_eq!(
                        states(&found),
                        states(&plain),
                        "{formula} {threads} {join_after:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn both_engines_and_reductions_agree() {
    for (text, formula, expected, _) in FORMULAS {
        for engine in [Engine::Native, Engine::Interpreter] {
            for raw in [false, true] {
                let settings = Settings { engine, raw, ..Settings::default() };
                let found = checked(text, formula, settings, &options(2, Some(30)));
                assert_eq!(found.verdict, expected, "{formula} {engine:?} {raw}");
            }
        }
    }
}

/// Threads that count up without end on two paths. The path that one thread searches first reaches
/// its request late, the other soon: the thread there finds a lasso whose departure one thread
/// alone never reaches. The run is found all the same.
#[test]
fn the_run_is_found_among_infinitely_many_states() {
    for (first, second) in [(300, 30_000), (30_000, 300)] {
        let text = format!(
            "int x; bool asked, heard;
             active proctype A() {{
                 if
                 :: do :: x++ :: x > {first} -> asked = true; break od
                 :: do :: x-- :: x < -{second} -> asked = true; break od
                 fi;
                 do :: skip od
             }}"
        );
        let budget = UNLIMITED.part_of(Some(Duration::from_secs(30)));
        let limits = Limits { budget: &budget, ..Limits::default() };
        for threads in [2, 3] {
            let options = Options { limits: limits.clone(), ..options(threads, Some(50)) };
            let found = checked(&text, "[](asked -> <>(heard))", raw(), &options);
            assert_eq!((found.verdict, found.answer.stem), (Verdict::Violated, true));
            assert!(found.counterexample.is_some(), "{first} {second} {threads}");
        }
    }
}

/// A condition without a value is found whether or not the automaton is in its initial state.
#[test]
fn conditions_without_a_value_are_reached() {
    for formula in [
        "[](x == 20 && y == 20 -> <>(x / (y - 30) == 0))",
        "[](y / (x - 25) == 0 && x == 20 -> <>(y == 3))",
    ] {
        for threads in [1, 2] {
            let found = checked(COUNTERS, formula, raw(), &options(threads, Some(30)));
            let failure = found.counterexample.as_ref().expect("a condition has no value");
            assert!(!failure.prefix.is_empty(), "{formula}");
        }
    }
}

#[test]
fn limits_end_it() {
    let limits = Limits { states: Some(500), ..Limits::default() };
    let found = checked(COUNTERS, FORMULAS[0].1, raw(), &Options { limits, ..options(1, None) });
    assert!(found.answer.stem);
    assert_eq!(
        (found.verdict, found.answer.limit),
        (Verdict::Inconclusive, Some(Limit::States(500)))
    );
}

/// A shortest lasso is found even if the part after the stem grows large.
#[test]
fn shortest_lassos_are_shortest() {
    let text = "\
byte x, y; bool odd;
active proctype A() { do :: x < 40 -> x++ :: x >= 40 -> x = 0 od }
active proctype B() { do :: y < 40 -> y++ :: y >= 40 -> y = 0 od }
active proctype C() { (x == 9 && y == 3); odd = true; do :: odd = !odd od }
";
    for formula in ["[](odd -> <>(x == 40))", "[](x == 7 && y == 2 -> <>(x == 40))"] {
        let length = |algorithm, join_after| {
            let settings = Settings { algorithm, shortest: true, ..raw() };
            let found = checked(text, formula, settings, &options(1, join_after));
            let lasso = found.counterexample.expect("it is violated");
            (found.answer.stem, lasso.prefix.len() + lasso.cycle.len())
        };
        let (stem, plain) = length(Some(Algorithm::Couvreur), None);
        assert!(!stem);
        for join_after in [None, Some(2_000)] {
            assert_eq!(length(None, join_after), (true, plain), "{formula} {join_after:?}");
        }
    }
}

/// Lengths are counted in steps of the original program: merged unobserved steps count separately.
#[test]
fn shortest_lassos_are_those_of_the_program() {
    let text = "\
byte x; bool p;
active proctype A() {
    byte l;
    if
    :: l = 1; l = l + x; l = l * 2; l = l + 1; do :: l > 200 -> l = 1 :: else -> l = 3 od
    :: x = 1; x = 2; do :: x = 2 od
    fi
}
";
    for fairness in [None, Some(Fairness { strength: Strength::Weak, actor: Actor::Process })] {
        for (threads, join_after, raw) in [(1, None, false), (2, Some(2), false), (1, None, true)] {
            let settings = Settings { shortest: true, raw, fairness, ..Settings::default() };
            let found = checked(text, "<>p", settings, &options(threads, join_after));
            let lasso = found.counterexample.expect("it is violated");
            assert_eq!(
                (lasso.prefix.len(), lasso.cycle.len()),
                (2, 1),
                "{fairness:?} {threads} {raw}"
            );
        }
    }
}

/// The report says so if a lasso is not proven to be shortest.
#[test]
fn unproven_lassos_are_reported() {
    let workers = "\
byte x;
active [3] proctype W() { byte i; do :: i < 9 -> i++ :: i >= 9 -> i = 0; x = (x + 1) % 3 od }
";
    let fairness = Some(Fairness { strength: Strength::Strong, actor: Actor::Transition });
    let settings =
        Settings { shortest: true, fairness, engine: Engine::Interpreter, ..Settings::default() };
    let budget = lariat_ir::Budget::of(std::time::Duration::from_secs(2));
    let limits = Limits { budget: &budget, ..Limits::default() };
    let found = checked(workers, "<>(x > 3)", settings, &Options { limits, ..options(1, None) });
    assert_eq!(found.verdict, Verdict::Violated);
    let reason = found.answer.unproven;
    assert!(
        matches!(reason, Some(Unproven::Limit(Limit::Time(_)) | Unproven::Effort(_))),
        "{reason:?}"
    );
}

/// A shortest lasso is found without visiting all of a large product.
#[test]
fn shortest_lassos_are_near() {
    let text = "\
byte x, y, z; bool b;
active proctype A() { do :: x < 14 -> x++ :: x >= 14 -> x = 1 od }
active proctype B() { do :: y < 6 -> y++ :: y >= 6 -> y = 0 :: y == 0 -> skip od }
active proctype C() { do :: x == 7 && y == 6 -> b = true; b = false; z++ :: z == 3 -> break od }
";
    for algorithm in [Algorithm::Tarjan, Algorithm::Couvreur, Algorithm::Nested] {
        let settings = Settings { algorithm: Some(algorithm), shortest: true, ..raw() };
        let found = checked(text, "[](b -> ((x != 3) U (x == 1)))", settings, &options(1, None));
        let lasso = found.counterexample.expect("it is violated");
        assert_eq!(lasso.prefix.len() + lasso.cycle.len(), 32, "{algorithm:?}");
    }
}

/// More conditions than a word has bits: the automaton's transitions are then neither tabulated nor
/// cached.
#[test]
fn letters_of_several_words() {
    let text = "\
byte x; bit a[70];
active proctype A() { do :: x < 5 -> x++ :: x >= 5 -> x = 0 od }
active proctype B() { byte i; do :: i < 70 -> a[i] = 1; i++ :: else -> break od }
";
    let any =
        |value: u8| (0..70).map(|i| format!("a[{i}] == {value}")).collect::<Vec<_>>().join(" || ");
    for (formula, expected) in [
        (format!("[]<>(x == 0 || {})", any(2)), Verdict::Holds),
        (format!("[]<>(x == 6 || {})", any(2)), Verdict::Violated),
        (format!("<>[]({})", any(1)), Verdict::Violated),
        (format!("(<>[](a[69] == 1)) -> ([]<>(x == 0 || {}))", any(2)), Verdict::Holds),
        (format!("(<>[](a[69] == 1)) -> (<>[]({}))", any(1)), Verdict::Holds),
    ] {
        let classical =
            Settings { algorithm: Some(Algorithm::Couvreur), hybrid: Some(Tail::Demon), ..raw() };
        let plain = checked(text, &formula, classical, &options(1, None));
        assert_eq!(plain.verdict, expected, "{formula}");
        for (threads, join_after) in [(1, None), (2, Some(10))] {
            for hybrid in [None, Some(Tail::Property)] {
                let found = checked(
                    text,
                    &formula,
                    Settings { hybrid, ..raw() },
                    &options(threads, join_after),
                );
                assert_eq!(found.verdict, expected, "{formula} {threads} {hybrid:?}");
            }
        }
    }
}
