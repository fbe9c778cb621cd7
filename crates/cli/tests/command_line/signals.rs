//! Signals end a search: it is saved and reported, and leaves no temporary files. Options that
//! cannot be saved are rejected.
#![cfg(unix)]

use crate::common::{Place, Ran};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A model with too many states for a test.
const LARGE: &str =
    "int a, b, c, d; active [4] proctype P() { do :: a++ :: b++ :: c++ :: d++ od }\n";

fn start(place: &Place, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.env("TMPDIR", &place.0).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.expect("kill can be run").success());
}

/// Waits until the condition is true.
fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether the program has installed its handler for SIGTERM.
fn is_ready(child: &Child) -> bool {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask >> 14 & 1 == 1)
}

fn has_scratch(directory: &Path) -> bool {
    let entries = std::fs::read_dir(directory).expect("a directory");
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("lariat-"))
}

#[test]
#[cfg(target_os = "linux")]
fn every_signal_saves_the_search() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let place = Place::new().with("m.pml", LARGE);
        let arguments =
            ["check", "--raw", "--max-states", "30000000", "--checkpoint", "saved", "m.pml"];
        let child = start(&place, &arguments);
        wait_for("it handles signals", || is_ready(&child));
        std::thread::sleep(Duration::from_millis(300));
        send(&child, signal);
        let ran = Ran::from(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.code, Some(3), "{signal}: {ran:?}");
        assert!(
            ran.out.contains("interrupted") && ran.err.contains("--resume saved"),
            "{signal}: {ran:?}"
        );
        assert!(place.0.join("saved").exists() && !place.0.join("saved.part").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn temporary_files_are_removed() {
    for signals in [&["-TERM"][..], &["-HUP"], &["-TERM", "-TERM"]] {
        let place = Place::new().with("m.pml", LARGE);
        let child = start(&place, &["check", "--raw", "--store", "disk", "--sarif", "s", "m.pml"]);
        wait_for("it handles signals", || is_ready(&child));
        wait_for("it has files", || has_scratch(&place.0));
        for signal in signals {
            let _ = Command::new("kill").args([*signal, &child.id().to_string()]).status();
        }
        let ran = Ran::from(child.wait_with_output().expect("it ends"));
        assert_eq!(ran.code, Some(3), "{signals:?}: {ran:?}");
        assert!(!has_scratch(&place.0), "{signals:?}");
    }
}

/// Under `nohup`, SIGHUP is ignored.
#[test]
#[cfg(target_os = "linux")]
fn an_ignored_hangup_stays_ignored() {
    let place = Place::new().with("m.pml", LARGE);
    let lariat = env!("CARGO_BIN_EXE_lariat");
    let script = format!("trap '' HUP; exec {lariat} check --raw --max-states 30000000 m.pml");
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(script)
        .current_dir(&place.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("a shell");
    wait_for("it handles signals", || is_ready(&child));
    send(&child, "-HUP");
    std::thread::sleep(Duration::from_millis(300));
    assert!(is_ready(&child), "it goes on");
    send(&child, "-TERM");
    assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(3));
}

/// No option is silently ignored.
#[test]
fn searches_that_cannot_be_saved_are_refused() {
    let model = "byte x; active proctype P() { x = 1 }\n";
    let place = Place::new()
        .with("m.pml", model)
        .with("l.pml", &format!("{model} ltl p {{ <>(x == 1) }}\n"));
    for flag in ["--checkpoint", "--resume"] {
        for (arguments, part) in [
            (&["--store", "disk", "m.pml"][..], "--store disk"),
            (&["--store", "cache", "m.pml"], "--store cache"),
            (&["--store", "bitstate", "m.pml"], "--store bitstate"),
            (&["--store", "compact", "m.pml"], "--store compact"),
            (&["--ltl", "<>(x == 1)", "m.pml"], "ltl <>(x == 1)"),
            (&["--ctl", "EF x == 1", "m.pml"], "ctl EF x == 1"),
            (&["--non-progress", "m.pml"], "progress"),
            (&["l.pml"], "ltl p"),
        ] {
            let ran = place.run(&[&["check", flag, "saved"], arguments].concat());
            assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
            assert!(
                ran.err.contains(flag) && ran.err.contains(part) && ran.out.is_empty(),
                "{ran:?}"
            );
            assert!(!place.0.join("saved").exists() && !place.0.join("saved.part").exists());
        }
    }
    let ran = place.run(&["check", "--checkpoint", "saved", "--property", "safety", "l.pml"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
