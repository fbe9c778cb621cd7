//! Explanations of deadlocks in small models.

use super::*;
use crate::check::Settings;
use crate::check::safety::check_safety;
use crate::model::Model;
use lariat_search::{Options, Order};

fn explained(text: &str) -> Deadlock {
    let program = Model::from_source("m.pml", text).expect("the model is accepted").program;
    let options = Options { order: Order::BreadthFirst, ..Options::default() };
    let checked = check_safety(&program, &Settings::default(), &options).expect("it replays");
    deadlock(&program, checked.counterexamples[0].states.last().expect("it ends somewhere"))
}

fn reasons(deadlock: &Deadlock) -> Vec<&str> {
    deadlock
        .processes
        .iter()
        .flat_map(|process| &process.waits)
        .map(|wait| wait.because.as_str())
        .collect()
}

#[test]
fn conditions_say_what_they_read() {
    let found = explained(
        "byte turn = 1; bool wants[2] = true;
         active proctype A() { byte i = 1; (turn < 5 && !wants[i]) }
         active proctype B() { turn = 4; (turn == 0) }",
    );
    assert_eq!(reasons(&found), ["wants[1] is true", "turn is 4"]);
    assert_eq!(found.circle, Vec::<String>::new());
    assert!(
        render(&found).contains("No process is left that could unblock A[0]."),
        "{}",
        render(&found)
    );
}

#[test]
fn channels_say_what_they_hold() {
    let found = explained(
        "mtype = { yes, no }; chan brim = [1] of { byte }, mixed = [2] of { mtype, byte }, meet = [0] of { bit };
         active proctype A() { mixed!no,3; brim!1; brim!2 }
         active proctype B() { (len(mixed) == 1); mixed?yes,_ }
         active proctype C() { meet!1 }
         active proctype D() { chan own = [1] of { bit }; if :: own?_ :: meet?0 fi }",
    );
    let expected = [
        "brim is full with 1 message",
        "mixed holds [no,3]",
        "no process is ready to receive from meet",
        "own[3] is empty",
        "no process is ready to send to meet",
    ];
    assert_eq!(reasons(&found), expected);
}

#[test]
fn a_circle_is_found() {
    let found = explained(
        "chan fork[3] = [1] of { bit };
         proctype P(byte l; byte r) { fork[l]?_; fork[r]?_; fork[l]!0; fork[r]!0 }
         init { atomic { fork[0]!0; fork[1]!0; fork[2]!0; run P(0, 1); run P(1, 2); run P(2, 0) } }",
    );
    assert_eq!(found.circle, ["P[1]", "P[2]", "P[3]"]);
    assert_eq!(found.processes[1].freed_by, ["P[2]"]);
}

#[test]
fn a_provided_clause_explains_itself() {
    let found = explained("bool go; active proctype A() provided (go) { skip; assert(true) }");
    assert_eq!(reasons(&found), ["its `provided` clause is false: go is false"]);
}
