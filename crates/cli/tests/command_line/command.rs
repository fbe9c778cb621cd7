//! The command line from a user's view: output, exit codes, malformed input.

use crate::common::{Place, Ran};
use std::path::Path;
use std::process::Stdio;

const HOLDS: &str = "active proctype P() { byte x; x = 1; x = 2 }\n";

const FAILS: &str = "\
mtype = { ping, pong };
chan wire = [0] of { mtype, byte };
byte total;

active proctype Sender() {
  wire!ping,3;
  total++
}
active proctype Receiver() {
  mtype kind;
  byte value;
  wire?kind,value;
  total = total + value;
  assert(total < 4)
}
";

const STUCK: &str = "\
chan left = [1] of { bit }, right = [1] of { bit };
active proctype A() { left?1; right!1 }
active proctype B() { if :: right?1 -> left!1 :: right?0 fi }
";

#[test]
fn a_model_that_holds() {
    let ran = Place::new().with("m.pml", HOLDS).run(&["check", "--raw", "m.pml"]);
    assert_eq!(
        ran.steady(),
        "safety: holds\n  4 states, 4 transitions, depth 3, …\n\n\
         checked: deadlocks, run-time errors — in every reachable state, 4 states\n"
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn a_failed_assertion_shows_its_run() {
    let ran = Place::new().with("m.pml", FAILS).run(&["check", "--search", "bfs", "m.pml"]);
    assert_eq!(
        ran.steady(),
        "\
safety: VIOLATED  assertion violated: total < 4
  8 states, 10 transitions, depth 4, …

The run that shows it, 4 steps:
  1  Sender[0]    m.pml:6   wire!ping,3
     Receiver[1]  m.pml:12  wire?kind,value        Receiver[1]:kind = ping, Receiver[1]:value = 3
  2  Receiver[1]  m.pml:13  total = total + value  total = 3
  3  Sender[0]    m.pml:7   total++                total = 4
  4  Receiver[1]  m.pml:14  assert(total < 4)
  assertion violated: total < 4

checked: 1 assertion, deadlocks, run-time errors — until the first error; --all-errors continues
"
    );
    assert_eq!(ran.code, Some(1));
}

#[test]
fn a_deadlock_shows_who_waits_where() {
    let ran = Place::new().with("m.pml", STUCK).run(&["check", "m.pml"]);
    assert_eq!(
        ran.steady(),
        "\
safety: VIOLATED  invalid end state
  1 state, 1 transitions, depth 0, …

The initial state shows it:
  invalid end state
  No process can move:
    A[0]  waits at m.pml:2  left?1  — left is empty
    B[1]  waits at m.pml:3  right?1  — right is empty
                or m.pml:3  right?0  — right is empty
  They wait in a circle: A[0] → B[1] → A[0]

checked: deadlocks, run-time errors — until the first error; --all-errors continues
not checked: channels that would grow forever (not requested, --unbounded)
"
    );
}

#[test]
fn json_is_one_object() {
    let ran = Place::new().with("m.pml", FAILS).run(&["check", "--all-errors", "--json", "m.pml"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON value");
    let property = &report["properties"][0];
    assert_eq!(report["model"], "m.pml");
    assert_eq!(report["verdict"], "violated");
    assert_eq!(property["error_kinds"], serde_json::json!(["assertion violated"]));
    assert_eq!(property["statistics"]["states"], 10);
    let step = &property["trace"]["prefix"][0];
    assert_eq!(step["proctype"], "Sender");
    assert_eq!(step["receiver"]["statement"], "wire?kind,value");
    assert_eq!(step["changes"]["Receiver[1]:kind"], "ping");
    assert_eq!((step["line"].as_u64(), step["pid"].as_u64()), (Some(6), Some(0)));
    assert_eq!(property["trace"]["cycle"], serde_json::json!([]));
}

#[test]
fn unchecked_properties_are_named() {
    let place = Place::new().with("m.pml", &format!("{HOLDS}ltl p {{ [] true }}\n"));
    let ran = place.run(&["check", "m.pml"]);
    assert!(ran.out.contains("ltl p: holds"), "{ran:?}");
    let ran = place.run(&["check", "--json", "--property", "safety", "m.pml"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON value");
    assert_eq!(report["not_checked"][0]["name"], "p");
}

#[test]
fn definitions_reach_the_model() {
    let place = Place::new().with("m.pml", "active proctype P() { assert(N == 3) }\n");
    assert_eq!(place.run(&["check", "-D", "N=3", "m.pml"]).code, Some(0));
    assert_eq!(place.run(&["check", "-DN=4", "m.pml"]).code, Some(1));
    assert_eq!(place.run(&["check", "m.pml"]).code, Some(2));
}

#[test]
fn limits_are_inconclusive() {
    let place = Place::new().with("m.pml", "active proctype P() { int x; do :: x++ od }\n");
    for flags in
        [["--max-states", "100"], ["--max-depth", "100"], ["--time", "10ms"], ["--memory", "1M"]]
    {
        let ran = place.run(&["check", "--raw", flags[0], flags[1], "--search", "bfs", "m.pml"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.out.contains("inconclusive") && ran.out.contains("was reached"), "{ran:?}");
    }
}

#[test]
fn a_search_is_saved_and_resumed() {
    let counter = "byte x, y; active [2] proctype P() { do :: x++ :: y++ od }\n";
    let place = Place::new().with("m.pml", counter).with("other.pml", HOLDS);
    let whole = place.run(&["check", "--raw", "m.pml"]);
    let first =
        place.run(&["check", "--raw", "--max-states", "1000", "--checkpoint", "saved", "m.pml"]);
    assert_eq!(first.code, Some(3), "{first:?}");
    assert!(first.err.contains("--resume saved"), "{first:?}");
    let rest = place.run(&["check", "--raw", "--resume", "saved", "m.pml"]);
    let figures = |ran: &Ran| ran.out.split(" transitions").next().map(str::to_string);
    assert_eq!((rest.code, figures(&rest)), (Some(0), figures(&whole)), "{rest:?}");
    for (arguments, part) in [
        (["check", "--resume", "saved", "other.pml"], "another model"),
        (["check", "--resume", "m.pml", "m.pml"], "not a saved search"),
        (["check", "--resume", "missing", "m.pml"], "missing"),
    ] {
        let ran = place.run(&arguments);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(part), "{ran:?}");
    }
}

#[test]
fn threads_do_not_change_the_figures() {
    let counter = "byte x, y; active [2] proctype P() { do :: x++ :: y++ od }\n";
    let place = Place::new().with("m.pml", counter);
    for search in ["dfs", "bfs"] {
        let figures = ["1", "2", "3"].map(|threads| {
            let ran =
                place.run(&["check", "--raw", "--threads", threads, "--search", search, "m.pml"]);
            ran.out.split(", depth").next().map(str::to_string)
        });
        assert!(
            figures[0].as_ref().is_some_and(|text| text.contains("65,536 states")),
            "{figures:?}"
        );
        assert!(figures.iter().all(|each| *each == figures[0]), "{figures:?}");
    }
    assert_eq!(place.run(&["check", "--threads", "0", "m.pml"]).code, Some(2));
}

#[test]
fn bad_input_is_named_and_exits_with_2() {
    let place =
        Place::new().with("m.pml", "active proctype P() { turm = 1 }\n").with("empty.pml", "");
    std::fs::create_dir(place.0.join("folder.pml")).expect("a directory");
    std::fs::write(place.0.join("binary.pml"), [0u8, 255, 254, 13, 10, 0]).expect("a file");
    for (arguments, part) in [
        (&["check", "missing.pml"][..], "no such file"),
        (&["check", "folder.pml"], "directory"),
        (&["check", "m.pml"], "turm"),
        (&["check", "empty.pml"], "error"),
        (&["check", "binary.pml"], "error"),
        (&["check", "--memory", "lots", "m.pml"], "4G"),
        (&["check", "-D", "3", "m.pml"], "NAME"),
        (&["check"], "MODEL"),
        (&["simulate", "--trail", "none", "m.pml"], "turm"),
        (&["frobnicate"], "frobnicate"),
    ] {
        let ran = place.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?} {ran:?}");
        assert!(ran.err.contains(part) && ran.out.is_empty(), "{arguments:?} {ran:?}");
        assert!(!ran.err.contains("panicked"), "{ran:?}");
    }
}

/// Reading ends for every kind of file: directories, devices, pipes.
#[cfg(unix)]
#[test]
fn only_texts_of_a_bounded_length_are_read() {
    let place = Place::new()
        .with("device.pml", "#include \"/dev/zero\"\nactive proctype P() { skip }\n")
        .with("folder.pml", "#include \"/\"\nactive proctype P() { skip }\n");
    let device = place.run(&["check", "device.pml"]);
    assert_eq!(device.code, Some(2));
    let wanted = "cannot include `/dev/zero`: it is a device, not a regular file";
    assert!(device.err.contains(wanted) && device.err.contains("device.pml:1"), "{}", device.err);
    let folder = place.run(&["check", "folder.pml"]);
    assert!(folder.err.contains("cannot include `/`: it is a directory"), "{}", folder.err);
    let automaton = ["check", "--automaton", "/dev/zero", "device.pml"];
    for arguments in [
        &["check", "/dev/zero"][..],
        &automaton,
        &["replay", "/dev/zero"],
        &["ltl", "--file", "/dev/zero"],
    ] {
        let zero = place.run(arguments);
        assert_eq!(zero.code, Some(2), "{arguments:?}");
        assert!(zero.err.contains("it is a device, not a regular file"), "{}", zero.err);
    }
}

/// Initialising the program fails: safety is violated, and temporal properties have no run.
#[test]
fn an_error_in_the_initial_state() {
    let text = "byte a[2]; int i = 5; byte x; active proctype P() { byte y = a[i]; x = y }\n";
    let place = Place::new().with("m.pml", text);
    assert_eq!(place.run(&["check", "m.pml"]).code, Some(1));
    for property in ["--ltl", "--ctl"] {
        let formula = if property == "--ltl" { "[] (x == 0)" } else { "AG (x == 0)" };
        let ran = place.run(&["check", property, formula, "m.pml"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.out.contains("there is no initial state: invalid array index"), "{ran:?}");
    }
}

/// A proctype may have the name of a formula operator.
#[test]
fn formulas_may_name_anything_in_the_model() {
    let model = "byte E; active proctype R() { l: E = 1; E = 0 } active proctype A() { m: skip }";
    let place = Place::new().with("m.pml", model);
    for (formula, code) in [
        ("EF R[0]@l", 0),
        ("AG (R[0]@l -> EF A[1]@m)", 1),
        ("A[R[0]@l U E == 1]", 0),
        ("E[A[1]@m U E == 1]", 0),
        ("EF (\"E\" && A[1]@m)", 0),
        ("EF _moves(R[0])", 0),
    ] {
        let ran = place.run(&["check", "--quiet", "--ctl", formula, "m.pml"]);
        assert_eq!(ran.code, Some(code), "{formula}: {ran:?}");
    }
    for flag in ["--ltl", "--ctl"] {
        let ran = place.run(&["check", flag, " ", "m.pml"]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("the formula is empty"), "{ran:?}");
    }
}

/// Lariat adds braces around a formula; messages do not mention them.
#[test]
fn formulas_that_cannot_be_read() {
    let place = Place::new().with("m.pml", "byte x; active proctype P() { x = 1 }");
    for (formula, problem) in [
        ("[](x < 3", "this `(` is never closed"),
        ("[]<>((x == 1) && (x < 3)", "this `(` is never closed"),
        ("[]", "expected an expression, found the end of the formula"),
        ("x U", "expected an expression, found the end of the formula"),
        ("[] x <", "expected an expression, found the end of the formula"),
        ("x[1", "found the end of the formula"),
        ("[](x < 3))", "expected an operator or the end of the formula, found `)`"),
        ("x x", "expected an operator or the end of the formula, found `x`"),
        ("G F x", "write `[]` for `G` and `<>` for `F`"),
        ("[](x = 1)", "to compare two values, write `==`"),
    ] {
        let ran = place.run(&["check", "--ltl", formula, "m.pml"]);
        assert_eq!(ran.code, Some(2), "{formula}: {ran:?}");
        assert!(ran.err.contains(problem) && !ran.err.contains("`}`"), "{formula}: {ran:?}");
        assert!(ran.err.matches("error").count() == 1, "{formula}: {ran:?}");
    }
    // A brace in the formula itself is reported once.
    for (formula, problem) in [
        ("[] x }", "this `}` ends the formula"),
        ("[] x } ltl { [] x", "this `}` ends the formula"),
        ("[] (x }", "expected `)`, found `}`"),
        ("}", "expected an expression, found `}`"),
        ("[] /* x", "unterminated comment"),
        ("[] (x == 1) /* }", "unterminated comment"),
    ] {
        let ran = place.run(&["check", "--ltl", formula, "m.pml"]);
        assert_eq!(ran.code, Some(2), "{formula}: {ran:?}");
        assert!(
            ran.err.contains(problem) && ran.err.matches("error").count() == 1,
            "{formula}: {ran:?}"
        );
    }
}

#[test]
fn odd_paths() {
    let place = Place::new().with("-m.pml", HOLDS).with("a b\u{e9}\u{1b}.pml", HOLDS);
    assert_eq!(place.run(&["check", "--", "-m.pml"]).code, Some(0));
    assert_eq!(place.run(&["check", "./-m.pml"]).code, Some(0));
    assert_eq!(place.run(&["check", "a b\u{e9}\u{1b}.pml"]).code, Some(0));
    assert_eq!(place.run_with_input(&["check", "-"], HOLDS).code, Some(0));
    assert_eq!(place.run_with_input(&["check", "-"], "byte").code, Some(2));
}

#[cfg(unix)]
#[test]
fn a_path_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"m\xff.pml");
    std::fs::write(place.0.join(name), FAILS).expect("a file");
    let output =
        place.command(&["check", "--json"]).arg(name).output().expect("the command starts");
    assert_eq!(Ran::from(output).code, Some(1));
}

#[test]
fn colours_only_if_wanted() {
    let place = Place::new().with("m.pml", FAILS);
    assert!(!place.run(&["check", "m.pml"]).out.contains('\x1b'));
    assert!(place.run(&["check", "--color", "always", "m.pml"]).out.contains('\x1b'));
}

#[test]
fn quiet_leaves_the_verdict() {
    let ran = Place::new().with("m.pml", FAILS).run(&["check", "--quiet", "m.pml"]);
    assert_eq!(ran.out, "safety: VIOLATED  assertion violated: total < 4\n");
}

#[test]
fn a_trail_leads_back_to_the_error() {
    let place = Place::new().with("m.pml", FAILS);
    assert_eq!(
        place.run(&["check", "--search", "bfs", "--trail", "m.trail", "m.pml"]).code,
        Some(1)
    );
    let ran = place.run(&["simulate", "--trail", "m.trail", "m.pml"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("assertion violated: total < 4"), "{ran:?}");
    let trail = std::fs::read_to_string(place.0.join("m.trail")).expect("the trail was written");
    assert_eq!(trail.lines().count(), 5, "a rendezvous takes two lines");
    let place = place.with("bad.trail", "1:9:9\n").with("worse.trail", "hello\n");
    for (file, part) in
        [("bad.trail", "move 1"), ("worse.trail", "line 1"), ("none.trail", "cannot read")]
    {
        let ran = place.run(&["simulate", "--trail", file, "m.pml"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains(part), "{ran:?}");
    }
}

#[test]
fn a_counterexample_lasts() {
    let place = Place::new().with("m.pml", FAILS);
    assert_eq!(place.run(&["check", "--save", "saved", "m.pml"]).code, Some(1));
    let ran = place.run(&["replay", "saved"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.out
            .starts_with("still fails: assertion violated: total < 4; the model has not changed\n"),
        "{ran:?}"
    );
    let place = place.with("m.pml", &FAILS.replace("byte total;", "int total = -5;"));
    let ran = place.run(&["replay", "saved"]);
    assert_eq!(
        (ran.code, ran.out.lines().next()),
        (Some(0), Some("fixed: the run is still possible, but the error does not occur"))
    );
    let place = place.with("m.pml", &FAILS.replace("total++", "skip"));
    let ran = place.run(&["replay", "saved", "m.pml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let fixed = "fixed: no run fails any more; this one diverges at step ";
    assert!(ran.out.starts_with(fixed) && ran.out.contains("`total++` is not possible"), "{ran:?}");
    // The remaining time is too short to check the property again.
    let counters = "int a, b, c, d; active proctype P() {
        do :: a++ :: b++ :: c++ :: d++ :: assert(a + b + c + d >= 0) od }";
    let place = place.with("large.pml", counters);
    let ran = place.run(&["replay", "--time", "2s", "saved", "large.pml"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.starts_with("diverges at step ") && ran.out.contains("use lariat check"));
    let place = place.with("m.pml", &FAILS.replace("total++", "total = total + 1"));
    let ran = place.run(&["replay", "saved"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.out.starts_with("diverges at step "), "{ran:?}");
    assert!(ran.out.contains("any more, but another run fails\n"), "{ran:?}");
    assert!(
        ran.out.ends_with("  another run: assertion violated: total < 4; lariat check shows it\n")
    );
    let place = place.with("bad", "{");
    assert_eq!(place.run(&["replay", "bad"]).code, Some(2));
    assert_eq!(place.run(&["replay", "missing"]).code, Some(2));
}

#[test]
fn simulation_repeats_with_its_seed() {
    let place = Place::new().with("m.pml", FAILS);
    let first = place.run(&["simulate", "--seed", "7", "m.pml"]);
    assert_eq!(first.out, place.run(&["simulate", "--seed", "7", "m.pml"]).out);
    assert!(first.out.contains("wire!ping,3"), "{first:?}");
}

#[test]
fn simulation_prints_and_says_how_it_ends() {
    let model = "active proctype P() { printf(\"hello %d\\n\", 42) }\n";
    let place = Place::new()
        .with("m.pml", model)
        .with("stuck.pml", STUCK)
        .with("on.pml", "active proctype P() { do :: skip od }");
    let ran = place.run(&["simulate", "m.pml"]);
    assert!(
        ran.out.contains("> hello 42\n") && ran.out.ends_with("All processes have ended.\n"),
        "{ran:?}"
    );
    assert_eq!(ran.code, Some(0));
    let ran = place.run(&["simulate", "stuck.pml"]);
    assert!(ran.out.contains("invalid end state") && ran.out.contains("waits at"), "{ran:?}");
    assert_eq!(ran.code, Some(1));
    let ran = place.run(&["simulate", "--steps", "5", "on.pml"]);
    assert!(ran.out.contains("Stopped after 5 steps"), "{ran:?}");
}

#[test]
fn interactive_simulation() {
    let place = Place::new().with("m.pml", FAILS);
    let ran =
        place.run_with_input(&["simulate", "-i", "m.pml"], "1\ns\n1\nb\n9\nx\n2\nb\nb\nb\nq\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for part in [
        "   1: Sender[0]",
        "Receiver[1]:value = 3",
        "Enter a number from the list",
        "This is the initial state.",
    ] {
        assert!(ran.out.contains(part), "{part} missing: {ran:?}");
    }
    assert_eq!(place.run_with_input(&["simulate", "-i", "m.pml"], "").code, Some(0));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new().with("m.pml", "active proctype P() { do :: printf(\"x\\n\") od }");
    let mut child = place
        .command(&["simulate", "--steps", "1000000", "m.pml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let ran = Ran::from(child.wait_with_output().expect("the command ends"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn transition_systems_without_promela() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let Ok(entries) = std::fs::read_dir(examples) else { return };
    let systems = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "lts"));
    for path in systems {
        let ran = Place::new().run(&["check", path.to_str().expect("a path of ours is text")]);
        assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    }
}
