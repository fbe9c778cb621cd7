//! `--memory` limits the whole command: states, nodes, stacks and counterexamples. The tests run
//! the program on models that fill memory in different data structures, and compare its peak memory
//! with the limit.

#![cfg(target_os = "linux")]

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const LIMIT: u64 = 60 << 20;
/// Allowed excess: a tenth, for memory allocated between two checks, and a constant for the code of
/// the program and for a loaded machine, on which checks come late.
const MARGIN: u64 = LIMIT / 10 + (25 << 20);

/// Allowed excess where the states are recoded, for a wider layout or to compress them: meanwhile
/// some states are stored twice.
const RECODING_MARGIN: u64 = LIMIT / 4 + (25 << 20);

/// Four counters that go up and down: 200⁴ states.
const COUNTERS: &str = "
byte a, b, c, d;
active proctype A() { do :: a < 199 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 199 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 199 -> c++ :: c > 0 -> c-- od }
active proctype D() { do :: d < 199 -> d++ :: d > 0 -> d-- od }
";

/// An error after 400,000 steps.
const LONG: &str = "
int i;
active proctype P() { do :: i < 200000 -> i++ :: else -> break od; assert(false) }
";

struct Model(PathBuf);

impl Model {
    fn new(name: &str, text: &str) -> Model {
        let file =
            std::env::temp_dir().join(format!("lariat-memory-{}-{name}.pml", std::process::id()));
        std::fs::write(&file, text).expect("a temporary file can be written");
        Model(file)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The peak memory of a process, sampled until it ends.
fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("the child can be waited for").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let kilobytes =
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB"));
        peak = kilobytes
            .and_then(|number| number.trim().parse().ok())
            .map_or(peak, |kb: u64| peak.max(kb << 10));
        std::thread::sleep(Duration::from_millis(2));
    }
    peak
}

/// Runs the program; its output, its exit code and its peak memory.
fn run(model: &Model, more: &[&str]) -> (String, Option<i32>, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", "--memory", "60M", "--time", "120s", "--color", "never"])
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

/// Runs the program with one and with two threads, and checks that it stays within the limit and
/// reports that the limit was reached.
fn fills(name: &str, text: &str, more: &[&str], message: &str) {
    fills_within(MARGIN, name, text, more, message);
}

/// Like [`fills`], with another allowed excess.
fn fills_within(margin: u64, name: &str, text: &str, more: &[&str], message: &str) {
    let model = Model::new(name, text);
    for threads in ["1", "2"] {
        let (out, code, peak) = run(&model, &[more, &["--threads", threads]].concat());
        let name = format!("{name} with {threads} threads: {} MB\n{out}", peak >> 20);
        assert!(peak < LIMIT + margin, "{name}");
        assert_eq!(code, Some(3), "{name}");
        assert!(out.contains(message), "{name}");
    }
}

const REACHED: &str = "the memory limit of 60 MB was reached";

#[test]
fn packed_states_depth_first() {
    fills("packed-dfs", COUNTERS, &["--store", "packed", "--search", "dfs"], REACHED);
}

#[test]
fn packed_states_breadth_first() {
    let more = ["--store", "packed", "--search", "bfs"];
    fills_within(RECODING_MARGIN, "packed-bfs", COUNTERS, &more, REACHED);
}

/// Packed states fill the memory, are compressed to interned ones, and these fill it again.
#[test]
fn compression() {
    fills_within(RECODING_MARGIN, "compression", COUNTERS, &["--search", "bfs"], REACHED);
}

/// A long chain of states, each with a second successor: the frontier takes most of the memory.
#[test]
fn deep_frontier() {
    let text = "int i; active proctype P() { do :: i < 50000000 -> i++ :: i > 0 -> i-- od }";
    fills("deep", text, &["--store", "packed", "--search", "dfs"], REACHED);
}

/// The bit array has a fixed size; the report says that the frontier ran out of memory.
#[test]
fn bitstate() {
    fills("bitstate", COUNTERS, &["--store", "bitstate", "--search", "bfs"], "the frontier");
}

#[test]
fn nested_search() {
    let more = ["--ltl", "[]<>(a < 200)", "--search", "nested", "--raw"];
    fills("nested", COUNTERS, &more, REACHED);
}

#[test]
fn nodes_of_a_product() {
    let more = ["--ltl", "[]<>(a < 200)", "--search", "couvreur", "--raw"];
    fills("product", COUNTERS, &more, REACHED);
}

/// The error is reported although its run is too long to be shown.
#[test]
fn a_long_counterexample() {
    let model = Model::new("long", LONG);
    let (out, code, peak) = run(&model, &["--threads", "1"]);
    assert!(peak < LIMIT + MARGIN, "{} MB", peak >> 20);
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.contains("VIOLATED") && out.contains("more than the memory limit can hold"),
        "{out}"
    );
}

/// With a small address space, a search that needs little memory completes.
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
