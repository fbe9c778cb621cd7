//! Saved counterexamples, followed in edited models.

use super::*;
use crate::check::check_property;
use crate::check::safety::check_safety;
use crate::model::ModelReader;
use crate::run::replay::{Followed, Replayed};
use lariat_search::Order;

fn load(text: &str, properties: &[Property]) -> Model {
    let reader = ModelReader::default().properties(properties);
    let model = reader.and_then(|reader| reader.read_source("m.pml", text));
    model.expect("the model is accepted")
}

/// Writes the run and reads it again.
fn read_again(saved: &SavedRun) -> SavedRun {
    let read = SavedRun::read(&saved.write()).expect("a written run can be read");
    assert_eq!(read, *saved);
    read
}

fn origin(program: &Program) -> FoundIn<'_> {
    FoundIn { model: "m.pml", defines: &[], program }
}

fn saved(text: &str) -> SavedRun {
    let program = load(text, &[]).program;
    let options = Options { order: Order::BreadthFirst, ..Options::default() };
    let checked = check_safety(&program, &Settings::default(), &options).expect("it replays");
    let saved = SavedRun::of_error(&origin(&program), &checked.counterexamples[0]);
    read_again(&saved.expect("it ends with an error"))
}

/// The run that violates a property.
fn saved_lasso(text: &str, property: &Property, fairness: Option<Fairness>) -> SavedRun {
    saved_assuming(text, property, &[], fairness)
}

/// The run that violates a property among those that the automata accept.
fn saved_assuming(
    text: &str,
    property: &Property,
    assumed: &[Property],
    fairness: Option<Fairness>,
) -> SavedRun {
    let model = load(text, &[std::slice::from_ref(property), assumed].concat());
    let property = property.resolve(&model).expect("the model has it");
    let assumptions = assumed.iter().map(|each| Assumption::resolve(each, &model));
    let assumptions = assumptions.collect::<Result<_, _>>().expect("they are automata");
    let settings = Settings { fairness, assumptions, simplify: true, ..Settings::default() };
    let checked = check_property(&model.program, &property, &settings, &Options::default());
    let checked = checked.expect("it replays");
    read_again(&SavedRun::of_property(&origin(&model.program), &checked).expect("it is violated"))
}

fn follow(run: &SavedRun, text: &str) -> Followed {
    let model = load(text, &run.properties());
    let judge = run.judge(&model, Limits::default()).expect("the property is there");
    run.follow(&model.program, judge.as_deref()).expect("it starts")
}

const RACE: &str = "byte x, in;
active [2] proctype P() { byte t; t = x; t++; x = t; in++; assert(in < 2); in-- }";

#[test]
fn an_unchanged_model_still_fails() {
    let run = saved(RACE);
    assert_eq!(follow(&run, RACE).result, Replayed::StillFails);
    assert_eq!(run.fingerprint, fingerprint(&load(RACE, &[]).program));
}

#[test]
fn edits_that_do_not_matter_do_not_matter() {
    let run = saved(RACE);
    let edited =
        RACE.replace("byte t;", "byte t;\n\n  byte unused = 3;\n").replace("in--", "in--; x = 0");
    assert_eq!(follow(&run, &edited).result, Replayed::StillFails);
    assert_ne!(run.fingerprint, fingerprint(&load(&edited, &[]).program));
}

#[test]
fn a_repaired_model() {
    let run = saved(RACE);
    let fixed = follow(&run, &RACE.replace("in < 2", "in < 3"));
    // The statement has another text, so the run cannot be followed further.
    let last = run.steps.len() - 1;
    assert_eq!(fixed.result, Replayed::Diverges { step: last });
    assert!(
        fixed.instead.iter().any(|step| step.moves[0].statement == "assert(in < 3)"),
        "{fixed:?}"
    );
    let fixed = follow(&run, &RACE.replace("byte x, in", "byte x, in = 250"));
    assert_eq!(fixed.result, Replayed::StillFails);
    let zero = "byte n = 1; active proctype P() { byte a; a = 1; a = a / (n - 1) }";
    let run = saved(zero);
    assert_eq!(follow(&run, &zero.replace("n = 1", "n = 2")).result, Replayed::Fixed);
    assert_eq!(follow(&run, zero).result, Replayed::StillFails);
}

#[test]
fn deadlocks_are_errors_of_states() {
    let stuck = "bool go; active proctype P() { byte x; x = 1; go } active proctype Q() { skip }";
    let run = saved(stuck);
    assert_eq!(follow(&run, stuck).result, Replayed::StillFails);
    assert_eq!(follow(&run, &stuck.replace("bool go", "bool go = true")).result, Replayed::Fixed);
}

const BLINKER: &str = "byte x, n, d = 0; bool up;
active proctype P() { do :: n < 250 -> n = n + d; up = !up od }
active proctype Q() { atomic { up -> x = 1 }; x = 0 }
ltl settles { <> [] up } ltl low { [] (x < 2) }";

fn stated(name: &str) -> Property {
    Property::Stated(name.into())
}

#[test]
fn a_cycle_still_violates() {
    let run = saved_lasso(BLINKER, &stated("settles"), None);
    assert!(run.cycle.is_some_and(|cycle| cycle < run.steps.len()), "{run:?}");
    let followed = follow(&run, BLINKER);
    assert_eq!(followed.result, Replayed::StillFails);
    assert!(followed.counterexample.is_some_and(|lasso| !lasso.cycle.is_empty()));
    let moved = BLINKER.replace("active proctype P() {", "\n\nactive proctype P() {\n");
    assert_eq!(follow(&run, &moved).result, Replayed::StillFails);
    let holds = BLINKER.replace("<> [] up", "<> up");
    assert_eq!(follow(&run, &holds).result, Replayed::Fixed);
    let other = follow(&run, &BLINKER.replace("up = !up", "up = true"));
    assert!(
        matches!(other.result, Replayed::Diverges { .. }) && !other.instead.is_empty(),
        "{other:?}"
    );
}

#[test]
fn a_cycle_that_does_not_close() {
    let run = saved_lasso(BLINKER, &stated("settles"), None);
    // The loop ends eventually, which one round does not show.
    let counts = follow(&run, &BLINKER.replace("d = 0", "d = 1"));
    let Replayed::DoesNotClose { differs } = counts.result else { panic!("{counts:?}") };
    assert!(differs.iter().any(|change| change.name == "n"), "{differs:?}");
    // A byte that is incremented forever wraps around.
    let wraps = BLINKER.replace("d = 0", "d = 1").replace("n < 250", "n < 256");
    let run = saved_lasso(&wraps.replace("d = 1", "d = 0"), &stated("settles"), None);
    assert_eq!(follow(&run, &wraps).result, Replayed::StillFails);
}

#[test]
fn formulas_and_automata_are_saved_with_the_run() {
    let formula = Property::Ltl("[] (up -> x != 1)".into());
    let run = saved_lasso(BLINKER, &formula, None);
    // The violation is finite.
    assert_eq!(run.cycle, None);
    assert_eq!(follow(&run, BLINKER).result, Replayed::StillFails);
    assert_eq!(follow(&run, &BLINKER.replace("byte x", "int x")).result, Replayed::StillFails);
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"up\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
               State: 0\n[0] 0 {0}\n[!0] 0\n--END--\n";
    let automaton = Property::Automaton { name: "often.hoa".into(), hoa: hoa.into() };
    let run = saved_lasso(BLINKER, &automaton, None);
    assert_eq!(follow(&run, BLINKER).result, Replayed::StillFails);
    let gone = load(BLINKER, &[]);
    let missing = SavedRun {
        shows: SavedEvidence::Property {
            request: stated("gone"),
            fairness: None,
            assumed: vec![],
            no_value: None,
        },
        ..run
    };
    assert!(
        missing
            .judge(&gone, Limits::default())
            .err()
            .expect("it is gone")
            .contains("it has: safety, settles, low")
    );
}

#[test]
fn fairness_is_saved_with_the_run() {
    let waits = "bool go = false, done, x;
        active proctype P() { do :: x = !x od } active proctype Q() { go; done = true }
        ltl ends { <> done }";
    let run = saved_lasso(waits, &stated("ends"), Some(Fairness::ALL[0]));
    assert_eq!(follow(&run, waits).result, Replayed::StillFails);
    assert_eq!(follow(&run, &waits.replace("go = false", "go = true")).result, Replayed::Unfair);
}

#[test]
fn a_run_that_ends() {
    let stuck =
        "bool go = false, done; active proctype P() { skip; go; done = true } ltl ends { <> done }";
    let run = saved_lasso(stuck, &stated("ends"), None);
    assert_eq!(run.cycle, Some(run.steps.len()));
    assert_eq!(follow(&run, stuck).result, Replayed::StillFails);
    let goes_on = follow(&run, &stuck.replace("go = false", "go = true"));
    assert_eq!(goes_on.result, Replayed::Diverges { step: run.steps.len() });
    assert_eq!(goes_on.instead[0].moves[0].statement, "(go)");
}

#[test]
fn a_condition_without_a_value() {
    let text =
        "byte a[2]; byte i = 0; active proctype P() { i = 2; i = 1 } ltl low { [] (a[i] == 0) }";
    let run = saved_lasso(text, &stated("low"), None);
    assert!(matches!(run.shows, SavedEvidence::Property { no_value: Some(_), .. }), "{run:?}");
    assert_eq!(follow(&run, text).result, Replayed::StillFails);
    assert_eq!(follow(&run, &text.replace("a[2]", "a[3]")).result, Replayed::Fixed);
}

#[test]
fn bad_files_are_named() {
    assert!(SavedRun::read("{}").unwrap_err().contains("not a saved counterexample"));
    let text = saved(RACE).write();
    let other = text.replace("\"format\": 3", "\"format\": 9");
    assert!(SavedRun::read(&other).unwrap_err().contains("format 9"));
    let beyond = text.replace("\"cycle\": null", "\"cycle\": 99");
    assert!(SavedRun::read(&beyond).unwrap_err().contains("cycle"));
}

/// The automaton of the runs on which the condition holds infinitely often.
fn often(name: &str, atom: &str) -> Property {
    let hoa = format!(
        "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"{atom}\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
         State: 0\n[0] 0 {{0}}\n[!0] 0\n--END--\n"
    );
    Property::Automaton { name: name.into(), hoa }
}

#[test]
fn automata_of_fair_runs_are_saved_with_the_run() {
    let text = "byte x; bool up;
        active proctype P() { do :: up = !up od } active proctype Q() { do :: x = 1; x = 0 od }
        ltl settles { <> [] up }";
    let run = saved_assuming(text, &stated("settles"), &[often("lifts.hoa", "x == 1")], None);
    assert_eq!(follow(&run, text).result, Replayed::StillFails);
    let SavedEvidence::Property { assumed, .. } = &run.shows else { panic!("{run:?}") };
    assert_eq!(assumed.len(), 1);
    // The same steps under another assumption.
    let unfair = SavedRun {
        shows: SavedEvidence::Property {
            request: stated("settles"),
            fairness: None,
            assumed: vec![often("never.hoa", "x == 7")],
            no_value: None,
        },
        ..run
    };
    assert_eq!(follow(&unfair, text).result, Replayed::Unfair);
}

#[test]
fn formulas_of_branching_time_are_decided_again() {
    let text = "byte x; bool lost;
        active proctype P() { do :: !lost -> x = 1; x = 0 :: lost = true; x = 2; break od }
        active proctype Q() { do :: lost && x == 7 -> x = 1 od }";
    let always = Property::Ctl("AG EF (x == 1)".into());
    let run = saved_lasso(text, &always, None);
    let followed = follow(&run, text);
    assert_eq!(followed.result, Replayed::StillFails);
    assert!(followed.counterexample.is_some_and(|lasso| lasso.atoms.len() == 1));
    // The steps are still possible, but the goal is reachable from the last state now.
    let again = text.replace("x == 7", "x == 2");
    assert_eq!(follow(&run, &again).result, Replayed::Fixed);
    // The counterexample is a lasso on which `lost` stays false.
    let inevitable = saved_lasso(text, &Property::Ctl("AF lost".into()), None);
    assert!(inevitable.cycle.is_some());
    assert_eq!(follow(&inevitable, text).result, Replayed::StillFails);
    let gone = follow(&inevitable, &text.replace("!lost ->", "!lost && x == 3 ->"));
    assert!(matches!(gone.result, Replayed::Diverges { .. }), "{gone:?}");
    // A formula that cannot be decided within the limits is neither fixed nor failing.
    let model = load(text, &run.properties());
    let limits = Limits { states: Some(1), ..Limits::default() };
    let problem = run.judge(&model, limits).err().expect("it is undecided");
    assert!(problem.contains("cannot be decided"), "{problem}");
}
