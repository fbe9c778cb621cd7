//! Output files of a check: write errors are reported and do not change the verdict or its exit
//! code.
#![cfg(unix)]

use crate::common::{Place, Ran};
use std::process::Stdio;

const HOLDS: &str = "byte x; active proctype P() { x = 1 }\n";
const FAILS: &str = "byte x; active proctype P() { x = 1; assert(x == 0) }\n";
const ENDLESS: &str = "int x; active proctype P() { do :: x++ od }\n";
const FLAGS: [&str; 6] = ["--html", "--sarif", "--junit", "--itf", "--trail", "--save"];

fn place() -> Place {
    Place::new().with("holds.pml", HOLDS).with("fails.pml", FAILS).with("endless.pml", ENDLESS)
}

/// Runs the command with a pipe that has no reader as descriptor 3.
fn with_closed_pipe(place: &Place, arguments: &str) -> Ran {
    let lariat = env!("CARGO_BIN_EXE_lariat");
    // The reader has ended before the command starts.
    let script = format!("(sleep 0.2; exec {lariat} {arguments} 3>&1 >out 2>err); echo $? >code");
    let mut command = std::process::Command::new("sh");
    command.arg("-c").arg(script).current_dir(&place.0).stdout(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    drop(child.stdout.take());
    child.wait().expect("it ends");
    let read = |name: &str| std::fs::read_to_string(place.0.join(name)).unwrap_or_default();
    Ran { code: read("code").trim().parse().ok(), out: read("out"), err: read("err") }
}

#[test]
fn a_closed_pipe_does_not_change_the_verdict() {
    let place = place();
    for flag in FLAGS {
        let ran = with_closed_pipe(&place, &format!("check --quiet {flag} /dev/fd/3 fails.pml"));
        assert_eq!(ran.code, Some(1), "{flag}: {ran:?}");
        assert_eq!(ran.out, "safety: VIOLATED  assertion violated: x == 0\n", "{flag}");
        assert!(ran.err.contains(flag) && ran.err.contains("/dev/fd/3"), "{ran:?}");
    }
}

#[test]
fn a_closed_standard_output_does_not_change_the_exit_code() {
    let place = place().with("s.pml", FAILS);
    for (arguments, code) in [
        (&["check", "fails.pml"][..], 1),
        (&["check", "--sarif", "/dev/stdout", "fails.pml"], 1),
        (&["check", "--max-states", "5", "--raw", "endless.pml"], 3),
        (&["check", "holds.pml"], 0),
        (&["ltl", "--valid", "[]p"], 1),
        (&["simulate", "--seed", "1", "s.pml"], 1),
    ] {
        // A pipe whose reading end is closed before the command starts.
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut command = place.command(arguments);
        let ran =
            Ran::from(command.stdout(writer).stderr(Stdio::piped()).output().expect("it starts"));
        if arguments[0] == "simulate" {
            // The simulation ends at the first line that cannot be written, before or after the
            // error.
            assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
        } else {
            assert_eq!((ran.code, ran.err.as_str()), (Some(code), ""), "{arguments:?}");
        }
    }
}

#[test]
fn a_file_that_cannot_be_written_does_not_lose_the_verdict() {
    let place = place();
    for flag in FLAGS {
        for (file, cause) in [
            ("/dev/full", "no space left"),
            ("missing/out", "its directory does not exist"),
            (".", "is a directory"),
        ] {
            let ran = place.run(&["check", "--quiet", flag, file, "fails.pml"]);
            assert_eq!(ran.code, Some(1), "{flag} {file}: {ran:?}");
            assert_eq!(ran.out, "safety: VIOLATED  assertion violated: x == 0\n", "{flag} {file}");
            assert!(ran.err.contains(flag) && ran.err.contains(file), "{ran:?}");
            assert!(ran.err.contains(cause) && ran.err.matches("error").count() == 1, "{ran:?}");
        }
    }
    // Everything holds, but a requested file is missing.
    let ran =
        place.run(&["check", "--quiet", "--sarif", "/dev/full", "--junit", "j.xml", "holds.pml"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), "safety: holds\n"), "{ran:?}");
    assert!(place.0.join("j.xml").exists(), "other outputs are written");
    let ran = place.run(&[
        "check",
        "-q",
        "--raw",
        "--max-states",
        "5",
        "--html",
        "missing/p",
        "endless.pml",
    ]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
}

/// If there is nothing to write, an existing file is unchanged and no new file is created.
#[test]
fn files_are_changed_only_by_something_to_write() {
    let place = place()
        .with("old.trail", "old\n")
        .with("old.itf", "much longer than what is written".repeat(999).as_str());
    let ran = place.run(&["check", "-q", "--trail", "old.trail", "--save", "new.run", "holds.pml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(std::fs::read_to_string(place.0.join("old.trail")).expect("it is there"), "old\n");
    assert!(!place.0.join("new.run").exists());
    assert_eq!(place.run(&["check", "-q", "--itf", "old.itf", "fails.pml"]).code, Some(1));
    let text = std::fs::read_to_string(place.0.join("old.itf")).expect("it is there");
    serde_json::from_str::<serde_json::Value>(&text).expect("nothing of the old text is left");
}

#[test]
fn outputs_do_not_overwrite_each_other_or_the_model() {
    let place = place();
    let ran = place.run(&["check", "--html", "a", "--sarif", "./a", "fails.pml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.err.contains("--sarif and --html are the same file")
            || ran.err.contains("--html and --sarif")
    );
    let ran = place.run(&["check", "--html", "fails.pml", "fails.pml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert_eq!(std::fs::read_to_string(place.0.join("fails.pml")).expect("it is there"), FAILS);
    assert!(!place.0.join("a").exists());
    assert_eq!(
        place.run(&["check", "-q", "--html", "/dev/null", "--itf", "/dev/null", "fails.pml"]).code,
        Some(1)
    );
}

#[test]
fn standard_output_is_a_file_like_others() {
    let place = place();
    let ran = place.run(&["check", "--quiet", "--trail", "/dev/stdout", "fails.pml"]);
    assert_eq!(ran.out, "1:0:0\n2:0:1\nsafety: VIOLATED  assertion violated: x == 0\n", "{ran:?}");
    let file = std::fs::File::create(place.0.join("all")).expect("a file");
    place
        .command(&["check", "--quiet", "--trail", "/dev/stdout", "fails.pml"])
        .stdout(file)
        .status()
        .expect("it runs");
    let all = std::fs::read_to_string(place.0.join("all")).expect("it is there");
    assert_eq!(all, ran.out, "neither overwrites the other");
}

/// A search is not started if its checkpoint cannot be written.
#[test]
fn a_checkpoint_is_tried_before_the_search() {
    let ran = place().run(&["check", "--checkpoint", "missing/c", "endless.pml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("cannot write missing/c") && ran.out.is_empty(), "{ran:?}");
}

/// Errors in a model are in the machine-readable outputs too.
#[test]
fn rejected_models_are_reported_to_machines() {
    let place = place().with("bad.pml", "byte x;\nactive proctype P() { turm = 1 }\n");
    let ran =
        place.run(&["check", "--json", "--sarif", "s", "--junit", "j", "--html", "p", "bad.pml"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON value");
    let first = &report["diagnostics"][0];
    assert_eq!(
        (&first["file"], &first["line"], &first["column"]),
        (&"bad.pml".into(), &2.into(), &23.into())
    );
    assert!(first["message"].as_str().is_some_and(|message| message.contains("turm")), "{report}");
    assert_eq!(report["error"], first["message"]);
    let read = |name: &str| std::fs::read_to_string(place.0.join(name)).expect("it was written");
    let sarif: serde_json::Value = serde_json::from_str(&read("s")).expect("JSON");
    let run = &sarif["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let region = &run["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&2.into(), &23.into()));
    assert!(
        read("j").contains("<error type=\"rejected\"") && read("j").contains("bad.pml:2:23"),
        "{}",
        read("j")
    );
    assert!(!place.0.join("p").exists());
    // The same for an error without a source position.
    let ran = place.run(&["check", "--json", "missing.pml"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON value");
    assert!(
        report["error"].as_str().is_some_and(|error| error.contains("no such file")),
        "{report}"
    );
    let ran = place.run(&["check", "--json", "--property", "nothing", "holds.pml"]);
    assert!(ran.code == Some(2) && ran.out.contains("\"error\""), "{ran:?}");
}

#[test]
fn an_inconclusive_run_is_reported_to_code_hosts() {
    let place = place();
    let ran =
        place.run(&["check", "-q", "--raw", "--max-states", "5", "--sarif", "s", "endless.pml"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let text = std::fs::read_to_string(place.0.join("s")).expect("it was written");
    let sarif: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], true);
    let text =
        invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap_or_default();
    assert!(text.contains("inconclusive") && text.contains("5 states"), "{text}");
}

/// Each operation on an output file fails in turn: the verdict stays, the failure is reported, and
/// no incomplete new file remains.
#[test]
fn every_failing_file_operation_is_reported() {
    let place = place();
    let names: Vec<String> = FLAGS.iter().map(|flag| format!("out{flag}")).collect();
    let mut arguments = vec!["check", "--quiet", "fails.pml"];
    for (flag, name) in FLAGS.iter().zip(&names) {
        arguments.extend([*flag, name.as_str()]);
    }
    let run = |fault: u32| {
        names.iter().for_each(|name| _ = std::fs::remove_file(place.0.join(name)));
        let mut command = place.command(&arguments);
        command.env("LARIAT_FILE_FAULT", fault.to_string());
        let ran = Ran::from(command.output().expect("it starts"));
        let content = |name: &String| std::fs::read_to_string(place.0.join(name)).ok();
        (ran, names.iter().map(content).collect::<Vec<_>>())
    };
    let (complete, expected) = run(0);
    assert_eq!(complete.code, Some(1), "{complete:?}");
    assert!(expected.iter().all(Option::is_some));
    let mut reached = Vec::new();
    for fault in 1..200 {
        let (ran, contents) = run(fault);
        let reported = FLAGS.iter().position(|flag| ran.err.contains(flag));
        let Some(index) = reported else {
            assert_eq!(ran.code, Some(1), "fault {fault}: {ran:?}");
            let is_last = ran.out == complete.out && ran.err == complete.err;
            if !is_last {
                // Standard output itself failed.
                continue;
            }
            assert_eq!(contents.len(), expected.len());
            assert!(reached.len() == FLAGS.len(), "the faults reach every output: {reached:?}");
            return;
        };
        assert_eq!((ran.code, &ran.out), (Some(1), &complete.out), "fault {fault}: {ran:?}");
        assert!(contents[index].is_none(), "fault {fault}: an incomplete file remains: {ran:?}");
        for (other, content) in contents.iter().enumerate().filter(|(other, _)| *other != index) {
            assert_eq!(content.is_some(), expected[other].is_some(), "fault {fault}: {ran:?}");
        }
        if !reached.contains(&index) {
            reached.push(index);
        }
    }
    panic!("the faults have no end");
}
