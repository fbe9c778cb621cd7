//! Runs that stay inside an atomic sequence forever have one meaning in every search.
//!
//! A property sees such a run stay in the state in which it entered the sequence. Under fairness,
//! only processes inside the sequence are enabled there.

use crate::support::{self, with_property};
use lariat::check::{Engine, check_property};
use lariat::property::{ResolvedProperty, all_stated};
use lariat::{Model, Property, Settings};
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::{Actor, Fairness, Strength};
use lariat_search::product::Tail;
use lariat_search::{Options, Verdict};

fn linear(text: &str, formula: &str) -> (Model, ResolvedProperty) {
    with_property(text, Property::ltl(formula))
}

fn branching(text: &str, formula: &str) -> (Model, ResolvedProperty) {
    with_property(text, Property::ctl(formula))
}

fn notions() -> impl Iterator<Item = Option<Fairness>> {
    [None].into_iter().chain(Fairness::ALL.map(Some))
}

/// The verdict of the default search with machine code and reductions, and of every other search.
fn verdicts(
    model: &Model,
    property: &ResolvedProperty,
    fairness: Option<Fairness>,
) -> Vec<(String, Verdict)> {
    let mut all = Vec::new();
    for algorithm in Algorithm::ALL.into_iter().map(Some).chain([None]) {
        for (engine, raw) in [(Engine::Interpreter, true), (Engine::Native, false)] {
            for hybrid in [None, Some(Tail::Property), Some(Tail::Fairness)] {
                let settings = Settings {
                    engine,
                    raw,
                    algorithm,
                    hybrid,
                    fairness,
                    simplify: raw,
                    ..Settings::default()
                };
                let checked =
                    check_property(&model.program, property, &settings, &Options::default());
                let checked = checked.unwrap_or_else(|fault| panic!("{fault}: {settings:?}"));
                if checked.unsuitable.is_none() {
                    all.push((format!("{settings:?}"), checked.verdict));
                }
            }
        }
    }
    assert!(!all.is_empty());
    all
}

fn assert_linear(text: &str, formula: &str, fairness: Option<Fairness>, expected: Verdict) {
    let (model, property) = linear(text, formula);
    for (settings, verdict) in verdicts(&model, &property, fairness) {
        assert_eq!(verdict, expected, "{formula} {fairness:?} {settings}\n{text}");
    }
}

fn assert_branching(text: &str, formula: &str, fairness: Option<Fairness>, expected: Verdict) {
    let (model, property) = branching(text, formula);
    let settings = Settings { fairness, ..Settings::default() };
    let checked = check_property(&model.program, &property, &settings, &Options::default())
        .expect("it replays");
    assert_eq!(checked.verdict, expected, "{formula} {fairness:?}\n{text}");
}

/// P may enter a sequence that it never leaves; Q is not enabled then.
const FOREVER: &str = "byte x, y; active proctype P() { atomic { do :: x = 1 - x od } }\n\
                       active proctype Q() { y = 1 }\n";

#[test]
fn a_process_that_is_kept_out_is_treated_fairly() {
    for fairness in notions() {
        assert_linear(FOREVER, "<>(y == 1)", fairness, Verdict::Violated);
        assert_linear(FOREVER, "[]<>(y == 1)", fairness, Verdict::Violated);
        assert_linear(FOREVER, "<>(y == 1) || [](y == 0)", fairness, Verdict::Holds);
        assert_branching(FOREVER, "AF (y == 1)", fairness, Verdict::Violated);
        assert_branching(FOREVER, "A(G F (y == 1))", fairness, Verdict::Violated);
        assert_branching(FOREVER, "EG (y == 0)", fairness, Verdict::Holds);
        assert_branching(FOREVER, "AG EF (y == 1)", fairness, Verdict::Violated);
    }
}

/// States inside the sequence are observed neither by linear-time nor by branching-time formulas.
#[test]
fn states_inside_are_not_observed() {
    for fairness in notions() {
        assert_linear(FOREVER, "[](x == 0)", fairness, Verdict::Holds);
        assert_linear(FOREVER, "<>(x == 1)", fairness, Verdict::Violated);
        assert_branching(FOREVER, "AG (x == 0)", fairness, Verdict::Holds);
        assert_branching(FOREVER, "EF (x == 1)", fairness, Verdict::Violated);
        assert_branching(FOREVER, "A((x == 0) U (x == 1))", fairness, Verdict::Violated);
    }
}

/// The first step adds a letter to the word, although no observed state changes.
#[test]
fn the_next_state_is_the_same() {
    let text = "byte x; active proctype P() { x = 1; atomic { do :: x = 3 - x od } }\n";
    assert_linear(text, "X (x == 1)", None, Verdict::Holds);
    assert_linear(text, "X X (x == 1)", None, Verdict::Holds);
    assert_linear(text, "X X X (x == 2)", None, Verdict::Violated);
    assert_branching(text, "AX (x == 1)", None, Verdict::Holds);
    assert_branching(text, "AX AX AX (x == 1)", None, Verdict::Holds);
}

/// A transition inside the sequence that is enabled all the time and never taken makes a run
/// unfair.
#[test]
fn fairness_is_judged_inside() {
    let text = "byte x; active proctype P() { atomic { do :: x = 0 :: x = 0; break od }; x = 1 }\n";
    let fairness = |strength, actor| Some(Fairness { strength, actor });
    assert_linear(text, "<>(x == 1)", None, Verdict::Violated);
    assert_linear(text, "<>(x == 1)", fairness(Strength::Weak, Actor::Process), Verdict::Violated);
    assert_linear(
        text,
        "<>(x == 1)",
        fairness(Strength::Strong, Actor::Process),
        Verdict::Violated,
    );
    assert_linear(
        text,
        "<>(x == 1)",
        fairness(Strength::Strong, Actor::Transition),
        Verdict::Holds,
    );
    assert_linear(text, "<>(x == 1)", fairness(Strength::Weak, Actor::Transition), Verdict::Holds);
}

/// Between two visits of the observed state, the run can take any number of rounds inside, so
/// every transition of the sequence can be among those taken.
#[test]
fn all_paths_through_a_sequence_count() {
    let text = "byte x; active proctype P() { do :: atomic { do :: x = 0 :: x = 0; skip :: break od } od }\n";
    for fairness in notions() {
        assert_linear(text, "<>(x == 1)", fairness, Verdict::Violated);
    }
}

/// Rendezvous pass control from one process to another inside the sequence; a third process that
/// could take part again and again is treated unfairly in the strong sense only.
#[test]
fn partners_inside_a_sequence_are_enabled() {
    let text = "chan c = [0] of { bit }; byte z;\n\
                active proctype P() { bit b; atomic { do :: c!1; c?b od } }\n\
                active proctype Q() { bit b; atomic { do :: c?b; c!0 od } }\n";
    for fairness in notions() {
        assert_linear(text, "<>(z == 1)", fairness, Verdict::Violated);
    }
}

/// Labels and claims: the run is infinite, and stays in the state before the sequence.
#[test]
fn labels_and_claims() {
    let accept = "byte x; active proctype P() { accept_a: atomic { do :: x = 1 - x od } }\n";
    let inside = "byte x; active proctype P() { atomic { do :: accept_a: x = 1 - x od } }\n";
    let claim = format!("{FOREVER}never {{ accept_b: do :: (y == 0) od }}\n");
    for (text, expected) in
        [(accept, Verdict::Violated), (inside, Verdict::Holds), (&claim[..], Verdict::Violated)]
    {
        let model = support::model(text, &[]);
        for property in all_stated(&model) {
            for fairness in notions() {
                for (settings, verdict) in verdicts(&model, &property, fairness) {
                    assert_eq!(
                        verdict, expected,
                        "{} {fairness:?} {settings}\n{text}",
                        property.name
                    );
                }
            }
        }
    }
    let model =
        support::model("byte x; active proctype P() { atomic { do :: x = 1 - x od } }\n", &[]);
    let property = Property::NonProgress.resolve(&model).expect("every model has it");
    for fairness in notions() {
        for (settings, verdict) in verdicts(&model, &property, fairness) {
            assert_eq!(verdict, Verdict::Violated, "{fairness:?} {settings}");
        }
    }
}

/// A run-time error ends a run; a branching-time formula still has a value.
#[test]
fn runs_that_end_in_an_error_are_finite() {
    let models = [
        "byte x = 1, y; active proctype P() { y = 1; x = 3 / (x - 1) }\n",
        "byte x = 9, y, a[3]; active proctype P() { y = 1; a[x] = 1 }\n",
        "byte x, y; active proctype P() { y = 1; d_step { x = 1; x == 2 } }\n",
        "byte y; active proctype P() { y = 1; do :: run Q() od }\nproctype Q() { false }\n",
    ];
    for text in &models[..3] {
        for fairness in notions() {
            assert_branching(text, "EG (y < 2)", fairness, Verdict::Violated);
            assert_branching(text, "AF (y == 2)", fairness, Verdict::Holds);
            assert_linear(text, "<>(y == 2)", fairness, Verdict::Holds);
        }
        assert_branching(text, "EX (y == 1)", None, Verdict::Holds);
        assert_branching(text, "A(G F (y == 0))", None, Verdict::Holds);
        assert_branching(text, "E((y == 0) U ((y == 1) && X true))", None, Verdict::Holds);
    }
    for text in models {
        for formula in
            ["AF (y == 2)", "EG (y < 2)", "AG EF (y == 0)", "E(F G (y == 1))", "AX EX true"]
        {
            let (model, property) = branching(text, formula);
            for fairness in notions() {
                let settings = Settings { fairness, ..Settings::default() };
                let options = Options::default();
                check_property(&model.program, &property, &settings, &options).expect("it replays");
            }
        }
    }
}

/// Edges of packets are numbered like those of single nodes, also after branching atomic sequences.
#[test]
fn packets_under_fairness() {
    let text =
        "byte y, z; active proctype P() { atomic { skip; if :: y = 1 :: y = 0 fi }; y == 1 }\n";
    for fairness in notions() {
        assert_linear(text, "[]<>(z == 1)", fairness, Verdict::Violated);
    }
}

/// After `y = 1` every step ends in a run-time error; the infinite runs repeat `x = 5`.
const BEFORE_ERROR: &str =
    "byte x, y, zero; active proctype P() { do :: x = 5 :: y = 1; y = 1 / zero od }\n";

/// A bad prefix is a violation whatever follows, in every search and under every notion of
/// fairness.
#[test]
fn a_bad_prefix_before_an_error_is_a_violation() {
    for fairness in notions() {
        for formula in ["[](y == 0)", "[](y == 0) && []<>(x == 5)"] {
            assert_linear(BEFORE_ERROR, formula, fairness, Verdict::Violated);
        }
        assert_linear(BEFORE_ERROR, "[]<>(x == 5)", fairness, Verdict::Holds);
        for formula in ["AG (y == 0)", "A(G (y == 0) && G F (x == 5))", "AG EF (x == 5)"] {
            assert_branching(BEFORE_ERROR, formula, fairness, Verdict::Violated);
        }
        for formula in ["EF (y == 1)", "EX (y == 1)", "A(G F (x == 5))"] {
            assert_branching(BEFORE_ERROR, formula, fairness, Verdict::Holds);
        }
    }
}
