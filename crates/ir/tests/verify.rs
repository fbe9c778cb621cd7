//! Each rule of the IR, broken once.

use lariat_ir::domain::Domain;
use lariat_ir::expression::{Expr, Place, Scope};
use lariat_ir::program::{
    Action, Instance, LocationId, Meaning, Operation, OriginId, ProcessTypeId, Program, VariableId,
};
use lariat_ir::text;
use lariat_ir::verify::verify;

/// A well-formed program that uses most features.
const GOOD: &str = "
names mtype { ack, msg }
channel link [2] (mtype, byte)
var x : byte
var a[3] : 0..2
var c : chan
proctype P(n: byte) {
  var i : byte
  prologue { i := n }
  location 0 {
    when x > 0 goto 1 escape 1
    when x == 0 -> run P(i); i := spawned goto 1
    else goto 1
  }
  location 1 idle [end] {
    d_step {
      node 0 { when i == 0 goto 1  enter goto 1 }
      node 1 { do a[i] := 1 leave }
    }
    receive c ? (_, i) goto 0
    terminate
  }
}
prologue { c := new link }
init x == 0 || x == 1
start P
assert small: x < 3
end x == 2
trace start 0 end 1 send (c) receive () {
  node 0 { send c ! (1, _) goto 1 }
  node 1 { }
}
";

fn good() -> Program {
    text::read("good.lts", GOOD).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Asserts that the changed good program breaks a rule with this message.
#[track_caller]
fn breaks(change: impl FnOnce(&mut Program), message: &str) {
    let mut program = good();
    change(&mut program);
    let found: Vec<String> = verify(&program).iter().map(ToString::to_string).collect();
    assert!(
        found.iter().any(|violation| violation.contains(message)),
        "wanted {message:?}, found {found:#?}"
    );
}

/// Asserts that the good program with additional text breaks a rule with this message.
#[track_caller]
fn text_breaks(more: &str, message: &str) {
    let program =
        text::parse("", &format!("{GOOD}{more}")).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let found: Vec<String> = verify(&program).iter().map(ToString::to_string).collect();
    assert!(
        found.iter().any(|violation| violation.contains(message)),
        "wanted {message:?}, found {found:#?}"
    );
}

fn operation(program: &mut Program, location: usize, transition: usize) -> &mut Operation {
    &mut program.process_types[0].locations[location].transitions[transition].operation
}

fn global(variable: u32, indices: Vec<Expr>) -> Expr {
    Expr::Read(Place { scope: Scope::Global, variable: VariableId(variable), indices })
}

#[test]
fn a_good_program_breaks_nothing() {
    good();
    assert!(verify(&Program::default()).is_empty());
}

#[test]
fn domains() {
    let add = |domain, meaning| {
        move |program: &mut Program| {
            program.variables.add("bad", Vec::new(), domain, meaning, false);
        }
    };
    breaks(add(Domain::unsigned(0), Meaning::Number), "variable 3 `bad`: 0 bits");
    breaks(add(Domain::unsigned(33), Meaning::Number), "33 bits");
    breaks(add(Domain::Range { low: 2, high: 1 }, Meaning::Number), "the range 2..1 is empty");
    breaks(add(Domain::BYTE, Meaning::Name(lariat_ir::program::NameSetId(1))), "no set of names 1");
}

#[test]
fn variables() {
    breaks(
        |program| {
            program.variables.add("none", vec![2, 0], Domain::BYTE, Meaning::Number, false);
        },
        "an array without elements",
    );
    breaks(
        |program| {
            program.variables.add("a[].b", Vec::new(), Domain::BYTE, Meaning::Number, false);
        },
        "the name has 1 indices",
    );
}

#[test]
fn channel_types() {
    breaks(
        |program| program.channel_types[0].fields.clear(),
        "channel type 0 `link`: a message has at least",
    );
    breaks(|program| program.channel_types[0].fields[0].domain = Domain::unsigned(0), "0 bits");
}

#[test]
fn process_types() {
    breaks(|program| program.process_types[0].parameters = 9, "9 parameters among 2 variables");
    breaks(
        |program| program.process_types[0].initial_location = LocationId(7),
        "starts at location 7",
    );
    breaks(
        |program| program.process_types[0].locations.clear(),
        "starts at location 0, but there are 0",
    );
    text_breaks("proctype Q(b[2]: byte) { }", "parameter `b` is an array");
    text_breaks(
        "proctype Q() { provided #0 \n var i : byte } proctype R() { provided spawned }",
        "spawned",
    );
    text_breaks("proctype Q() { exclusive send _last }", "exclusive send: uses the last process");
}

#[test]
fn transitions() {
    breaks(
        |program| program.process_types[0].locations[0].transitions[1].target = LocationId(5),
        "process type 0 `P`, location 0, transition 1: no target 5: there are 2 locations",
    );
    breaks(
        |program| program.process_types[0].locations[0].transitions[1].origin = OriginId(99),
        "no origin 99",
    );
    breaks(
        |program| program.process_types[0].locations[1].transitions[2].keeps_control = true,
        "a process that ends cannot keep control",
    );
    breaks(|program| *operation(program, 0, 0) = Operation::Else, "a second `else`");
    breaks(
        |program| program.process_types[0].locations[0].transitions[2].escape = 1,
        "the transitions of escape 1 are not together",
    );
    breaks(
        |program| program.process_types[0].locations[0].transitions.rotate_left(1),
        "an escape after a transition that it escapes from",
    );
}

#[test]
fn bodies() {
    text_breaks("process Q { d_step { } }", "a d_step has at least one node");
    text_breaks("process Q { d_step { node 0 { terminate } } }", "node 0: only simple operations");
    text_breaks(
        "process Q { d_step { node 0 { d_step { node 0 { skip } } } } }",
        "only simple operations",
    );
    text_breaks("process Q { d_step { node 0 { skip goto 3 } } }", "no node 3");
    text_breaks(
        "process Q { d_step { node 0 { else skip } } }",
        "a branch after `else` is never taken",
    );
    text_breaks("process Q { d_step { node 0 { enter goto 0 } } }", "enter one another in a cycle");
    text_breaks(
        "process Q { d_step { node 0 { enter goto 1 } node 1 { skip enter goto 2 } node 2 { enter goto 1 } } }",
        "enter one another in a cycle",
    );
}

#[test]
fn actions() {
    text_breaks("when true -> c := new link", "channels are created by prologues only");
    text_breaks("when true -> run P()", "`P` has 1 parameters, not 0");
    text_breaks("when true -> run P(1) priority 3", "priority 3 in a program without priorities");
    text_breaks("when true -> set_priority(0, 3)", "sets a priority");
    text_breaks("when true -> x := spawned", "`spawned` without a `run`");
    text_breaks("when spawned -> run P(1)", "`spawned` without a `run`");
    text_breaks("when true -> run P(spawned)", "`spawned` without a `run`");
    text_breaks("option priorities \n start P priority 0", "a priority is at least 1");
    breaks(
        |program| {
            let process_type = ProcessTypeId(3);
            let run = Action::Run { process_type, arguments: Vec::new(), priority: 1 };
            *operation(program, 0, 1) = Operation::act(vec![run]);
        },
        "no process type 3",
    );
    breaks(
        |program| {
            let send = Operation::Send {
                channel: global(2, Vec::new()),
                arguments: Vec::new(),
                sorted: false,
            };
            *operation(program, 1, 1) = send;
        },
        "at least one field",
    );
}

#[test]
fn prologues() {
    text_breaks("prologue { run P(1) }", "prologue, action 1: a prologue only assigns");
    text_breaks("prologue { assert x }", "a prologue only assigns");
    text_breaks("proctype Q() { prologue { x := 1 } }", "variables of its own scope");
    text_breaks("proctype Q() { prologue { ::c := new link } }", "variables of its own scope");
    text_breaks("prologue { x := _pid }", "but there is none");
    breaks(
        |program| {
            let channel_type = lariat_ir::program::ChannelTypeId(4);
            let place =
                Place { scope: Scope::Global, variable: VariableId(2), indices: Vec::new() };
            program.prologue = vec![Action::NewChannel { place, channel_type }];
        },
        "no channel type 4",
    );
}

#[test]
fn initial_processes() {
    breaks(
        |program| {
            let instance = Instance { process_type: ProcessTypeId(1), priority: 1 };
            program.initial_processes.push(instance);
        },
        "no process type 1",
    );
    breaks(
        |program| {
            let instance = program.initial_processes[0].clone();
            program.initial_processes = vec![instance; 256];
        },
        "256 processes",
    );
}

#[test]
fn expressions() {
    let set =
        |expr: Expr| move |program: &mut Program| *operation(program, 0, 0) = Operation::when(expr);
    let local = |variable| Place {
        scope: Scope::Local,
        variable: VariableId(variable),
        indices: Vec::new(),
    };
    breaks(set(global(9, Vec::new())), "no variable 9: there are 3");
    breaks(set(global(1, Vec::new())), "`a` has 1 dimensions, not 0");
    breaks(set(global(0, vec![Expr::TRUE])), "`x` has 0 dimensions, not 1");
    breaks(set(global(1, vec![Expr::Last])), "uses the last process");
    breaks(set(Expr::Read(local(7))), "no variable 7: there are 2");
    breaks(
        |program| program.invariants[0].condition = Expr::Read(local(0)),
        "a local variable, but no process",
    );
    breaks(
        set(Expr::At {
            process_type: ProcessTypeId(0),
            process: lariat_ir::expression::Remote::Only,
            location: LocationId(2),
        }),
        "`P` has no location 2",
    );
    breaks(
        set(Expr::ReadRemote {
            process_type: ProcessTypeId(0),
            process: lariat_ir::expression::Remote::Only,
            variable: VariableId(2),
            indices: Vec::new(),
        }),
        "no variable 2",
    );
    text_breaks("assert _pid == 0", "invariant `_pid == 0`, condition: refers to the process");
    text_breaks("end timeout", "end condition: refers to the process");
    text_breaks("init len(c) == 0", "a formula over the variables alone");
}

#[test]
fn event_traces() {
    breaks(|program| program.event_trace.as_mut().unwrap().initial = 2, "the start is location 2");
    breaks(|program| program.event_trace.as_mut().unwrap().end = 2, "the end is location 2");
    breaks(
        |program| program.event_trace.as_mut().unwrap().locations[0][0].target = 5,
        "event trace, location 0: a target is location 5",
    );
    breaks(
        |program| program.event_trace.as_mut().unwrap().send_scope[0] = global(8, Vec::new()),
        "event trace, scope: no variable 8",
    );
}

/// Violations in a text are reported at their line.
#[test]
fn broken_rules_have_a_line() {
    let errors =
        text::read("bad.lts", "var x : 0..3\n\nwhen x == 0 ->\n  x := spawned\n").unwrap_err();
    assert_eq!((errors[0].line, errors[0].column), (3, 1));
    assert!(errors[0].message.contains("spawned"), "{errors:?}");
}
