//! Transition systems written as `.lts` texts: their state graphs, and the messages for invalid
//! texts.

use lariat_ir::program::Program;
use lariat_ir::{Interpreter, RuntimeError, State, text};
use std::collections::HashMap;

fn read(source: &str) -> Program {
    let program = text::parse("test.lts", source).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let printed = text::print(&program);
    let again = text::parse("", &printed).unwrap_or_else(|errors| panic!("{printed}\n{errors:#?}"));
    assert_eq!(again, program, "{printed}");
    program
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Graph {
    initial: usize,
    states: usize,
    transitions: usize,
    invalid_ends: usize,
    errors: Vec<RuntimeError>,
}

/// The complete state graph.
fn explore(program: &Program) -> Graph {
    let interpreter = Interpreter::new(program);
    let mut graph = Graph::default();
    let mut seen: HashMap<State, ()> = HashMap::new();
    let mut todo = Vec::new();
    for state in interpreter.initial_states().unwrap() {
        graph.initial += 1;
        if seen.insert(state.clone(), ()).is_none() {
            todo.push(state);
        }
    }
    let mut successors = Vec::new();
    while let Some(state) = todo.pop() {
        interpreter.violated_invariants(&state, &mut graph.errors);
        successors.clear();
        interpreter.successors(&state, &mut successors);
        graph.transitions += successors.len();
        if successors.is_empty() && !interpreter.is_valid_end(&state) {
            graph.invalid_ends += 1;
        }
        for successor in successors.drain(..) {
            graph.errors.extend(successor.errors);
            if let Some(next) = successor.state
                && seen.insert(next.clone(), ()).is_none()
            {
                todo.push(next);
            }
        }
    }
    graph.states = seen.len();
    graph
}

#[test]
fn mutual_exclusion_of_the_survey() {
    let graph = explore(&read(include_str!("lts/mutual_exclusion.lts")));
    assert_eq!(graph, Graph { initial: 2, states: 12, transitions: 18, ..Graph::default() });
}

#[test]
fn sum_of_the_survey() {
    let graph = explore(&read(include_str!("lts/sum.lts")));
    assert_eq!(graph, Graph { initial: 1, states: 6, transitions: 7, ..Graph::default() });
}

/// The survey's second model of the same program, in which processes wait actively.
#[test]
fn busy_waiting_adds_loops() {
    let waiting = include_str!("lts/mutual_exclusion.lts").to_string()
        + "
wait0: pc0 = NC0 && Turn = 1 -> pc0 := NC0
wait1: pc1 = NC1 && Turn = 0 -> pc1 := NC1
";
    let graph = explore(&read(&waiting));
    assert_eq!(graph, Graph { initial: 2, states: 12, transitions: 18 + 6, ..Graph::default() });
}

#[test]
fn a_state_without_successors_is_a_deadlock_unless_the_end_condition_holds() {
    let stuck = "var x : 0..3\nstep: x < 3 -> x := x + 1\n";
    assert_eq!(explore(&read(stuck)).invalid_ends, 1);
    assert_eq!(explore(&read(&format!("{stuck}end x = 3"))).invalid_ends, 0);
    assert_eq!(explore(&read(&format!("{stuck}end x = 2"))).invalid_ends, 1);
    assert_eq!(explore(&read(&format!("{stuck}end x = 2\nend x = 3"))).invalid_ends, 0);
    // A condition that cannot be evaluated does not make an end state valid.
    assert_eq!(explore(&read(&format!("{stuck}end 1 / (x - 3)"))).invalid_ends, 1);
}

#[test]
fn invariants_are_checked_in_every_state() {
    let errors = |assert: &str| {
        let program = read(&format!("var x : 0..3\nstep: x < 3 -> x := x + 1\nend true\n{assert}"));
        explore(&program).errors
    };
    assert_eq!(errors("assert small: x < 3"), [RuntimeError::AssertionViolated("small".into())]);
    assert_eq!(errors("assert x != 0"), [RuntimeError::AssertionViolated("x != 0".into())]);
    assert_eq!(errors("assert 6 / x > 0"), [RuntimeError::DivisionByZero]);
    assert_eq!(errors("assert x >= 0 && x <= 3"), []);
}

#[test]
fn a_value_outside_its_range_is_an_error() {
    let graph = explore(&read("var x : 0..1\nup: do x := x + 1"));
    assert_eq!(graph.errors, [RuntimeError::OutOfDomain { variable: "x".into(), value: 2 }]);
}

/// Right sides are evaluated before anything is stored.
#[test]
fn assignments_happen_at_once() {
    let program = read("var x : 0..1 := 1\nvar y : 0..1\nswap: do (x, y) := (y, x)");
    let graph = explore(&program);
    assert_eq!((graph.states, graph.transitions), (2, 2));
}

#[test]
fn processes_can_be_many_and_have_variables() {
    let program = read(
        "
const N = 3
var turn : 0..N - 1
var inside[N] : bool
process Member[N] {
  var rounds : 0..2 := 2
  enter: turn == _pid && rounds > 0 && !inside[_pid] -> inside[_pid] := true
  leave: inside[_pid] -> (inside[_pid], turn, rounds) := (false, (turn + 1) % N, rounds - 1)
}
end remote(Member[0], rounds) == 0 && remote(Member[2], rounds) == 0
assert alone: inside[0] + inside[1] + inside[2] <= 1
",
    );
    assert_eq!(
        explore(&program),
        Graph { initial: 1, states: 13, transitions: 12, ..Graph::default() }
    );
}

/// The same program with control locations and a channel, in the form that the printer uses.
#[test]
fn locations_and_channels() {
    let program = read(
        "
names kind { ping, pong }
channel wire [0] (kind, byte)
var c : chan := new wire
process Client {
  var n : 0..2
  location idle [end] { send c ! (ping, n) goto waiting }
  location waiting { receive c ? (pong, n) goto idle }
}
process Server {
  var n : byte
  location idle [end] { receive c ? (ping, n) goto busy }
  location busy { send c ! (pong, (n + 1) % 3) goto idle }
}
assert at(Server, busy) => at(Client, waiting)
",
    );
    assert_eq!(
        explore(&program),
        Graph { initial: 1, states: 7, transitions: 7, ..Graph::default() }
    );
}

/// Invalid texts and their messages.
#[test]
fn errors_are_explained() {
    let cases = [
        (
            "var turn : 0..1\nup: turm = 0 -> turn := 1",
            "2:5: there is no variable `turm`; did you mean `turn`?",
        ),
        ("var a[2] : bit\nup: a = 0 -> a[1] := 1", "2:5: `a` takes 1 index: it is written `a[]`"),
        ("var x : 3..1", "1:9: the range 3..1 is empty"),
        ("var x : int := y", "1:16: there is no variable `y`"),
        (
            "var x :",
            "1:8: the text ends here; expected a type, a range such as 0..3 or names in braces",
        ),
        (
            "var x : bit\nup: x = 0 - > x := 1",
            "2:13: `>` does not fit here; expected an expression",
        ),
        (
            "var x : bit\nup: 0 < x < 1 -> x := 1",
            "2:11: comparisons do not chain; use parentheses or `&&`",
        ),
        ("var x : bit\nup: do (x, x) := (1)", "2:18: 2 variables are assigned 1 values"),
        (
            "var end : bit",
            "1:5: `end` is a word of the language; as a name it needs backticks; expected a name",
        ),
        (
            "var x : {a, b}\nvar y : {b, a}\ninit x = a",
            "3:10: `a` means several things; a variable can be written as `#` and its number, a name of a set as `set.name`",
        ),
        (
            "x := 1",
            "1:1: `x` does not fit here; expected var, const, names, channel, process, proctype, start, prologue, init, assert, end, trace, notrace, option, origin, when or do",
        ),
        ("init 3000000000 = 0", "1:6: values are signed and have 32 bits: this one is too large"),
        ("init 99999999999 = 0", "1:6: numbers have 32 bits: this one is too large"),
        ("/* open", "1:1: this comment is never closed"),
        ("init \"open", "1:6: this \" is never closed on its line"),
        ("init 1 $ 2", "1:8: '$' does not belong here"),
        (
            "process P { goto 1 }",
            "1:13: `goto` does not fit here; expected a transition, location, var, prologue, provided, deterministic, exclusive, start or }",
        ),
        ("process P { skip goto 3 }", "1:23: `P` has no location number 3"),
        ("process P { location a { skip goto b } }", "1:36: there is no label `b`"),
        (
            "process P { skip location a { } }",
            "1:18: either all transitions of a process are in locations or none is",
        ),
        ("start Q", "1:7: there is no process type `Q`"),
        ("const N = 2\nvar x : byte\nvar a[x] : byte", "3:7: there is no variable `x`"),
        ("var a[99999999] : byte", "1:5: too large: at most 16777216 elements fit a state"),
    ];
    for (source, message) in cases {
        let errors = text::read("test.lts", source).expect_err(source);
        assert_eq!(errors[0].to_string(), message, "{source}");
    }
}

#[test]
fn several_errors_are_found_at_once() {
    let source = "var x : bit\ninit y = 0\nassert z\nup: x = 0 -> x := 1\nend x = w\n";
    let lines: Vec<u32> =
        text::parse("", source).unwrap_err().iter().map(|error| error.line).collect();
    assert_eq!(lines, [2, 3, 5]);
}

#[test]
fn expressions_can_be_read_by_themselves() {
    let program = read("names k { a, b }\nvar x : k\nvar c[2] : byte");
    for source in
        ["x == 2", "c[x - 1] > 3 || !c[0]", "(if x == 1 then 2 else 3) * -(2)", "_nr_pr < 3"]
    {
        let expr = text::parse_expression(&program, source).unwrap();
        assert_eq!(text::print_expression(&program, None, &expr), source);
    }
    let expr = text::parse_expression(&program, "x = b => c[0] = 0 and").unwrap_err();
    assert_eq!(
        expr[0].to_string(),
        "1:19: `and` does not fit here; expected an operator or the end"
    );
}

/// The examples of the manual can be parsed; those that only show a few transitions are appended to
/// the first.
#[test]
fn the_examples_of_the_manual_are_valid() {
    let manual = include_str!("../../../docs/lts.md");
    let blocks: Vec<&str> = manual.split("\n```\n").skip(1).step_by(2).collect();
    let [_command, mutex, waiting, sum, wire] = blocks[..] else {
        panic!("{} examples", blocks.len())
    };
    assert!(include_str!("lts/mutual_exclusion.lts").ends_with(&format!("{mutex}\n")));
    assert_eq!(explore(&read(&format!("{mutex}\n{waiting}"))).transitions, 24);
    assert!(include_str!("lts/sum.lts").ends_with(&format!("{sum}\n")));
    assert_eq!(explore(&read(wire)).states, 7);
}
