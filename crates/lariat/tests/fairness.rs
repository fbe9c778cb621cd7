//! Fairness and branching time on programs: known verdicts, and two ways to the same answer.

use lariat::load::{Model, load_with};
use lariat::property::{Choice, Meaning, Property, Skeleton, Wanted, check};
use omega::formula::{Formulas, RandomFormula, Rng, Spelling};
use search::liveness::Algorithm;
use search::liveness::fairness::Fairness;
use search::{Options, Verdict};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Loads a model with formulas behind it.
fn model(text: &str, formulas: &[String]) -> Model {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("lariat-fairness-{}-{number}.pml", std::process::id()));
    std::fs::write(&path, text).expect("a temporary file");
    let model =
        load_with(path.as_os_str(), &[], formulas, false).unwrap_or_else(|error| panic!("{}", error.text));
    let _ = std::fs::remove_file(&path);
    model
}

/// The properties: formulas of linear time, then of branching time.
fn properties(text: &str, linear: &[&str], branching: &[&str]) -> (Model, Vec<Property>) {
    let skeletons: Vec<Skeleton> =
        branching.iter().map(|text| Skeleton::read(text).unwrap_or_else(|error| panic!("{error}"))).collect();
    let linear_texts = linear.iter().map(|text| text.to_string());
    let texts: Vec<String> = linear_texts.chain(skeletons.iter().flat_map(Skeleton::texts)).collect();
    let model = model(text, &texts);
    let mut given = model.given.iter();
    let mut all = Vec::new();
    for (name, formula) in linear.iter().zip(given.by_ref()) {
        all.push(Property::new(Wanted::Ltl(name.to_string()), Meaning::Formula(formula.clone())));
    }
    for skeleton in skeletons {
        let formula = skeleton.with_atoms(&mut given).unwrap_or_else(|error| panic!("{error}"));
        all.push(Property::new(Wanted::Ctl(formula.name.clone()), Meaning::Branching(Box::new(formula))));
    }
    (model, all)
}

fn verdict(model: &Model, property: &Property, choice: &Choice) -> Verdict {
    let checked = check(&model.program, property, choice, &Options::default());
    let checked = checked.unwrap_or_else(|error| panic!("{}: {error}", property.name));
    assert!(checked.unsuitable.is_none(), "{}: {:?}", property.name, checked.unsuitable);
    checked.verdict
}

/// No fairness, then the four notions in the order of [`Fairness::ALL`]: `+` holds, `-` is violated.
fn verdicts(text: &str, formula: &str) -> String {
    let branching = format!("A({formula})");
    let (model, both) = properties(text, &[formula], &[&branching]);
    let notions = [None].into_iter().chain(Fairness::ALL.map(Some));
    notions
        .map(|fairness| {
            let choice = Choice { fairness, ..Choice::default() };
            let [linear, branching] = [0, 1].map(|index| verdict(&model, &both[index], &choice));
            assert_eq!(linear, branching, "{fairness:?} {formula}");
            if linear == Verdict::Holds { '+' } else { '-' }
        })
        .collect()
}

/// One process waits busily, the other wants to move.
const BUSY: &str = "bool done; active proctype P() { do :: true od } active proctype Q() { done = true }";

/// A lock that is handed over only to those who are lucky.
const LOCK: &str = "
bool taken; byte inside;
active [2] proctype P() {
  do
  :: atomic { !taken -> taken = true; inside = _pid + 1 };
     atomic { inside = 0; taken = false }
  od
}";

/// A choice that is there at every state, and one that is there at every other.
const CHOICE: &str = "bool done; active proctype P() { do :: true :: done = true od }";
const RARE_CHOICE: &str = "bool done; active proctype P() { do :: true; skip :: done = true; skip od }";

/// A rendezvous that is always possible, beside somebody who does not care.
const MEETING: &str = "
chan c = [0] of { byte }; bool met;
active proctype S() { c!1 }
active proctype R() { byte x; c?x; met = true }
active proctype P() { do :: true od }";

/// Nothing but meetings.
const MEETINGS: &str = "
chan c = [0] of { byte };
active proctype S() { do :: c!1 od }
active proctype T() { byte x; do :: c?x od }";

/// A sender whose partner never comes.
const WAITING: &str = "
chan c = [0] of { byte }; bool sent;
active proctype S() { c!1; sent = true }
active proctype R() { byte x; false; c?x }
active proctype P() { do :: true od }";

/// Two who want to send, and one who is always ready to receive, or again and again.
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

/// The receiver could always move, but the sender has something else to do.
const RECEIVER: &str = "
chan c = [0] of { byte }; bool x, met;
active proctype S() { do :: c!1 :: x = !x od }
active proctype R() { c?_; met = true }";

/// Processes that may move now and then, or never.
const PROVIDED: &str = "
bool x, done;
active proctype P() provided (!x) { done = true }
active proctype Q() { do :: x = !x od }";
const OUTRANKED: &str = "
bool x, done;
active proctype P() priority 1 { done = true }
active proctype Q() priority 2 { do :: x = !x od }";

/// Everything comes to an end.
const ENDING: &str =
    "bool a, b; active proctype P() { a = true } active proctype Q() { b = true; b = false }";

#[test]
fn each_notion_rules_out_what_it_says() {
    //                              none, weak and strong for processes, weak and strong for transitions
    assert_eq!(verdicts(BUSY, "<>done"), "-++++");
    assert_eq!(verdicts(LOCK, "[]<>(inside == 1)"), "--+-+");
    assert_eq!(verdicts(CHOICE, "<>done"), "---++");
    assert_eq!(verdicts(RARE_CHOICE, "<>done"), "----+");
    assert_eq!(verdicts(MEETING, "<>met"), "-++++");
    // SPIN says otherwise of these (`docs/spin-differences.md`).
    assert_eq!(verdicts(RECEIVER, "<>met"), "-++++");
    assert_eq!(verdicts(PROVIDED, "<>done"), "--+-+");
    assert_eq!(verdicts(OUTRANKED, "<>done"), "-----");
    // A run that has ended is fair, and so are its violations.
    assert_eq!(verdicts(ENDING, "[]<>b"), "-----");
    assert_eq!(verdicts(ENDING, "<>[]a"), "+++++");
}

/// Of a rendezvous both move, and neither can without the other.
#[test]
fn of_a_rendezvous_both_move() {
    for formula in ["[](_moves(0) && _moves(1))", "[]<>_moves(S[0])", "[]<>_moves(T[1])"] {
        assert_eq!(verdicts(MEETINGS, formula), "+++++", "{formula}");
    }
    assert_eq!(verdicts(MEETING, "<>_moves(0)"), "-++++");
    assert_eq!(verdicts(MEETING, "[](_moves(0) -> _moves(1))"), "+++++");
    assert_eq!(verdicts(MEETING, "[](_moves(1) -> _moves(0))"), "-----");
    // Whose partner does not come is not treated unfairly.
    assert_eq!(verdicts(WAITING, "<>sent"), "-----");
    // Nor, weakly, who could meet a partner only now and then. That the partner moves does not excuse it.
    assert_eq!(verdicts(ALWAYS_READY, "<>sent"), "-++++");
    assert_eq!(verdicts(OFTEN_READY, "<>sent"), "--+-+");
}

#[test]
fn two_ways_agree_on_random_formulas() {
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
                let choice = Choice { fairness, ..Choice::default() };
                let expected = verdict(&model, second, &choice);
                assert_eq!(
                    verdict(&model, first, &choice),
                    expected,
                    "{fairness:?} {} in {text}",
                    first.name
                );
                let counters = Choice { algorithm: Some(Algorithm::Nested), ..choice };
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
    // Only one of the two can still do it after its first step.
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
        let found = verdict(&model, property, &Choice::default());
        assert_eq!(found == Verdict::Holds, holds, "{text}");
    }
}

#[test]
fn odd_formulas_are_refused_with_a_reason() {
    let read = |text: &str| Skeleton::read(text).map(|_| ()).unwrap_err();
    assert!(read("G p").contains("no quantifier stands before `G p`"), "{}", read("G p"));
    assert!(read("AG (p").contains("never closed"));
    assert!(read("").contains("missing"));
}
