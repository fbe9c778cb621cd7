//! Fairness and branching time: known verdicts, and LTL and CTL* checks that must agree.

use crate::support;
use lariat::check::check_property;
use lariat::property::{CtlSyntax, ResolvedProperty};
use lariat::{Model, Property, Settings};
use lariat_ltl::formula::{Formulas, RandomFormula, Rng, Spelling};
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::{Options, Verdict};

/// A model and its properties: linear-time formulas, then branching-time formulas.
fn properties(text: &str, linear: &[&str], branching: &[&str]) -> (Model, Vec<ResolvedProperty>) {
    let linear = linear.iter().copied().map(Property::ltl);
    let all: Vec<Property> = linear.chain(branching.iter().copied().map(Property::ctl)).collect();
    let model = support::model(text, &all);
    let resolve = |property: &Property| property.resolve(&model);
    let resolved = all.iter().map(resolve).collect::<Result<_, _>>();
    let resolved = resolved.unwrap_or_else(|error| panic!("{error}"));
    (model, resolved)
}

fn verdict(model: &Model, property: &ResolvedProperty, settings: &Settings) -> Verdict {
    let checked = check_property(&model.program, property, settings, &Options::default());
    let checked = checked.unwrap_or_else(|error| panic!("{}: {error}", property.name));
    assert!(checked.unsuitable.is_none(), "{}: {:?}", property.name, checked.unsuitable);
    checked.verdict
}

/// No fairness, then the four notions in the order of [`Fairness::ALL`]: `+` holds, `-` is
/// violated.
fn verdicts(text: &str, formula: &str) -> String {
    let branching = format!("A({formula})");
    let (model, both) = properties(text, &[formula], &[&branching]);
    let notions = [None].into_iter().chain(Fairness::ALL.map(Some));
    notions
        .map(|fairness| {
            let settings = Settings { fairness, ..Settings::default() };
            let [linear, branching] = [0, 1].map(|index| verdict(&model, &both[index], &settings));
            assert_eq!(linear, branching, "{fairness:?} {formula}");
            if linear == Verdict::Holds { '+' } else { '-' }
        })
        .collect()
}

/// One process loops, the other can move once.
const BUSY: &str =
    "bool done; active proctype P() { do :: true od } active proctype Q() { done = true }";

/// A lock that a process can miss forever.
const LOCK: &str = "
bool taken; byte inside;
active [2] proctype P() {
  do
  :: atomic { !taken -> taken = true; inside = _pid + 1 };
     atomic { inside = 0; taken = false }
  od
}";

/// A transition that is enabled in every state, and one that is enabled in every other state.
const CHOICE: &str = "bool done; active proctype P() { do :: true :: done = true od }";
const RARE_CHOICE: &str =
    "bool done; active proctype P() { do :: true; skip :: done = true; skip od }";

/// A rendezvous that is always enabled, and an independent process.
const MEETING: &str = "
chan c = [0] of { byte }; bool met;
active proctype S() { c!1 }
active proctype R() { byte x; c?x; met = true }
active proctype P() { do :: true od }";

/// Only rendezvous.
const MEETINGS: &str = "
chan c = [0] of { byte };
active proctype S() { do :: c!1 od }
active proctype T() { byte x; do :: c?x od }";

/// A sender without a receiver.
const WAITING: &str = "
chan c = [0] of { byte }; bool sent;
active proctype S() { c!1; sent = true }
active proctype R() { byte x; false; c?x }
active proctype P() { do :: true od }";

/// Two senders, and a receiver that is always, or infinitely often, ready.
const ALWAYS_READY: &str = "
chan c = [0] of { byte }; bool sent;
active proctype S() { c!1; sent = true }
active proctype T() { do :: c!2 od }
active proctype R() { byte x; do :: c?x od }";
const OFTEN_READY: &str = "
chan c = [0] of { byte }; bool sent;
active proctype S() { c!1; sent = true }
active proctype T() { do :: c!2 od }
active proctype R() { byte x; do :: c?x; x = 0 od }";

/// The receiver is always enabled, but the sender has an alternative.
const RECEIVER: &str = "
chan c = [0] of { byte }; bool x, met;
active proctype S() { do :: c!1 :: x = !x od }
active proctype R() { c?_; met = true }";

/// Processes that are enabled infinitely often, or never.
const PROVIDED: &str = "
bool x, done;
active proctype P() provided (!x) { done = true }
active proctype Q() { do :: x = !x od }";
const OUTRANKED: &str = "
bool x, done;
active proctype P() priority 1 { done = true }
active proctype Q() priority 2 { do :: x = !x od }";

/// All processes end.
const ENDING: &str =
    "bool a, b; active proctype P() { a = true } active proctype Q() { b = true; b = false }";

#[test]
fn each_notion_rules_out_what_it_says() {
    // No fairness; weak and strong process fairness; weak and strong transition fairness.
    assert_eq!(verdicts(BUSY, "<>done"), "-++++");
    assert_eq!(verdicts(LOCK, "[]<>(inside == 1)"), "--+-+");
    assert_eq!(verdicts(CHOICE, "<>done"), "---++");
    assert_eq!(verdicts(RARE_CHOICE, "<>done"), "----+");
    assert_eq!(verdicts(MEETING, "<>met"), "-++++");
    // SPIN's verdicts differ here (`docs/spin-differences.md`).
    assert_eq!(verdicts(RECEIVER, "<>met"), "-++++");
    assert_eq!(verdicts(PROVIDED, "<>done"), "--+-+");
    assert_eq!(verdicts(OUTRANKED, "<>done"), "-----");
    // A finite run is fair, so its violations count.
    assert_eq!(verdicts(ENDING, "[]<>b"), "-----");
    assert_eq!(verdicts(ENDING, "<>[]a"), "+++++");
}

/// A rendezvous is a move of both processes, and enabled only if both are ready.
#[test]
fn a_rendezvous_moves_both_processes() {
    for formula in ["[](_moves(0) && _moves(1))", "[]<>_moves(S[0])", "[]<>_moves(T[1])"] {
        assert_eq!(verdicts(MEETINGS, formula), "+++++", "{formula}");
    }
    assert_eq!(verdicts(MEETING, "<>_moves(0)"), "-++++");
    assert_eq!(verdicts(MEETING, "[](_moves(0) -> _moves(1))"), "+++++");
    assert_eq!(verdicts(MEETING, "[](_moves(1) -> _moves(0))"), "-----");
    // A process without a partner is not enabled.
    assert_eq!(verdicts(WAITING, "<>sent"), "-----");
    // A process whose partner is ready infinitely often is enabled in the strong sense only. The
    // partner's other moves do not count as its moves.
    assert_eq!(verdicts(ALWAYS_READY, "<>sent"), "-++++");
    assert_eq!(verdicts(OFTEN_READY, "<>sent"), "--+-+");
}

#[test]
fn ltl_and_ctl_star_agree_on_random_formulas() {
    let more = [
        "byte x, y; active proctype P() { do :: x = (x + 1) % 3 :: y == 0 -> y = 1 od } active proctype Q() { do :: y == 1 -> y = 0 od }",
        "byte x, y; chan c = [1] of { byte }; active proctype P() { do :: c!1 :: c?x od } active proctype Q() { do :: c?y; y = 0 :: x > 0 -> x = 0 od }",
        "byte x, y; proctype P() { x = 1; y = 1; x = 0 } init { do :: _nr_pr < 3 -> run P() :: y = 0 od }",
    ];
    let mut rng = Rng::new(7);
    for text in more {
        let mut store = Formulas::new();
        let mut linear = Vec::new();
        for _ in 0..12 {
            let f = RandomFormula { atoms: 2, size: 7, next: false }.generate(&mut store, &mut rng);
            let shown = store.display(f, Spelling::Spin).to_string();
            linear.push(shown.replace("p0", "(x == 0)").replace("p1", "(y == 0)"));
        }
        let linear: Vec<&str> = linear.iter().map(String::as_str).collect();
        let branching: Vec<String> = linear.iter().map(|text| format!("A({text})")).collect();
        let branching: Vec<&str> = branching.iter().map(String::as_str).collect();
        let (model, all) = properties(text, &linear, &branching);
        for (first, second) in all[..linear.len()].iter().zip(&all[linear.len()..]) {
            for fairness in [None].into_iter().chain(Fairness::ALL.map(Some)) {
                let settings = Settings { fairness, ..Settings::default() };
                let expected = verdict(&model, second, &settings);
                assert_eq!(
                    verdict(&model, first, &settings),
                    expected,
                    "{fairness:?} {} in {text}",
                    first.name
                );
                let counters = Settings { algorithm: Some(Algorithm::Nested), ..settings };
                assert_eq!(
                    verdict(&model, first, &counters),
                    expected,
                    "{fairness:?} {} in {text}",
                    first.name
                );
            }
        }
    }
}

#[test]
fn branching_time_sees_choices() {
    // After the first step only one of the two branches can still reach the state.
    let text = "byte x; active proctype P() { if :: x = 1; x = 3 :: x = 2 fi }";
    let expected = [
        ("EF x == 3", true),
        ("AF x == 3", false),
        ("AG EF x == 3", false),
        ("EX AX x == 3", true),
        ("AX (x == 1 || x == 2)", true),
        ("A(x == 0 U x > 0)", true),
        ("E(x == 0 U (x == 2 && AG x == 2))", true),
        ("AG (x == 1 -> AF x == 3)", true),
        ("E(F x == 1 && G F x == 3)", true),
        ("A(F x == 3 || F G x == 2)", true),
        ("A(F G x == 3)", false),
        ("AG EF (x == 3 || x == 2)", true),
        ("EG x == 0", false),
        ("!EF EG x == 1", true),
        ("A(X x == 1 -> X X X x == 3)", true),
        ("EX _moves(P[0])", true),
        ("A(G F _moves(0) -> F x == 3)", false),
    ];
    let formulas: Vec<&str> = expected.iter().map(|(text, _)| *text).collect();
    let (model, all) = properties(text, &[], &formulas);
    for (property, (text, holds)) in all.iter().zip(expected) {
        let found = verdict(&model, property, &Settings::default());
        assert_eq!(found == Verdict::Holds, holds, "{text}");
    }
}

#[test]
fn odd_formulas_are_refused_with_a_reason() {
    let read = |text: &str| CtlSyntax::parse(text).map(|_| ()).unwrap_err();
    assert!(read("G p").contains("there is no path quantifier before `G p`"), "{}", read("G p"));
    assert!(read("AG (p").contains("never closed"));
    assert!(read("").contains("missing"));
}
