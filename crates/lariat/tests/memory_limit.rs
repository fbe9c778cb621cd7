//! `--memory` holds for the whole command: states, nodes, stacks and counterexamples. The real program is run on models that
//! fill memory in different places, and the most it ever held is compared with the limit.

#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const LIMIT: u64 = 60 << 20;
/// What may be held beyond the limit: a tenth, for what is allocated between two looks at the memory, and what the program
/// itself takes.
const MARGIN: u64 = LIMIT / 10 + (25 << 20);

/// Four counters that move up and down: 200⁴ states.
const COUNTERS: &str = "
byte a, b, c, d;
active proctype A() { do :: a < 199 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 199 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 199 -> c++ :: c > 0 -> c-- od }
active proctype D() { do :: d < 199 -> d++ :: d > 0 -> d-- od }
";

/// An error behind a run of 400,000 steps.
const LONG: &str = "
int i;
active proctype P() { do :: i < 200000 -> i++ :: else -> break od; assert(false) }
";

struct Model(PathBuf);

impl Model {
    fn new(name: &str, text: &str) -> Model {
        let file = std::env::temp_dir().join(format!("lariat-memory-{}-{name}.pml", std::process::id()));
        std::fs::write(&file, text).expect("a temporary file can be written");
        Model(file)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The most memory that a process ever held, until it ends.
fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("the child can be waited for").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kilobytes = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
        peak = kilobytes
            .and_then(|number| number.trim().parse().ok())
            .map_or(peak, |kb: u64| peak.max(kb << 10));
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// Runs the program; what it says, its exit code, and the most memory it held.
fn run(model: &Model, more: &[&str]) -> (String, Option<i32>, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        // Several threads can each allocate between two looks at the memory, which depends on the machine's load.
        .args(["check", "--memory", "60M", "--threads", "1", "--time", "40s", "--color", "never"])
        .args(more)
        .arg(&model.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be started");
    let mut out = child.stdout.take().expect("piped");
    let reader = std::thread::spawn(move || std::io::read_to_string(&mut out).unwrap_or_default());
    let peak = peak(&mut child);
    let code = child.wait().expect("it has ended").code();
    (reader.join().expect("no panic"), code, peak)
}

/// Runs the program and checks that it stays within the limit and says that it was reached.
fn fills(name: &str, text: &str, more: &[&str], said: &str) {
    let (out, code, peak) = run(&Model::new(name, text), more);
    assert!(peak < LIMIT + MARGIN, "{name}: {} MB\n{out}", peak >> 20);
    assert_eq!(code, Some(3), "{name}: {out}");
    assert!(out.contains(said), "{name}: {out}");
}

#[test]
fn states_and_those_that_wait() {
    for search in ["dfs", "bfs"] {
        let more = ["--store", "packed", "--search", search];
        fills(&format!("packed-{search}"), COUNTERS, &more, "the memory limit of 60 MB was reached");
    }
}

/// The array of bits has a fixed size; the report says that it is not what ran out.
#[test]
fn bitstate() {
    let more = ["--store", "bitstate", "--search", "bfs"];
    fills("bitstate", COUNTERS, &more, "not the array of bits ran out");
}

#[test]
fn nodes_of_a_product() {
    let more = ["--ltl", "[]<>(a < 200)", "--search", "couvreur", "--raw"];
    fills("product", COUNTERS, &more, "the memory limit of 60 MB was reached");
}

/// The error is known, the run to it is too long to be shown, and the verdict does not depend on that.
#[test]
fn a_long_counterexample() {
    let model = Model::new("long", LONG);
    let (out, code, peak) = run(&model, &[]);
    assert!(peak < LIMIT + MARGIN, "{} MB", peak >> 20);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("VIOLATED") && out.contains("takes more memory to show"), "{out}");
}

/// With little address space, a search that needs little memory comes to its end.
#[test]
fn little_address_space() {
    let text = COUNTERS.replace("199", "14");
    let model = Model::new("address", &text);
    let command = "ulimit -v 700000 && exec \"$0\" check --threads 2 --color never \"$1\"";
    let output = Command::new("sh")
        .args(["-c", command, env!("CARGO_BIN_EXE_lariat")])
        .arg(&model.0)
        .output()
        .expect("a shell can be started");
    let out = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{out}{errors}");
    assert!(out.contains("safety: holds"), "{out}");
}
