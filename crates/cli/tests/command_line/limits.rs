//! Time limits and interrupts are respected in every phase of a command: each test runs the program
//! on an input that is slow in one phase, and expects it to end soon after the limit or SIGINT.

#![cfg(unix)]

use crate::common::Place;
use lariat::check::safety::check_safety;
use lariat::run::shorten::simplified;
use lariat::{Engine, Model, Settings};
use lariat_ir::Budget;
use lariat_search::Options;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(1);
/// The limit should be exceeded by at most a second; a busy machine may take longer.
const MARGIN: Duration = Duration::from_secs(8);
/// Time before a command is interrupted.
const PAUSE: Duration = Duration::from_secs(1);

impl Place {
    /// Adds a pipe whose other end is never opened.
    fn with_pipe(self, name: &str) -> Place {
        let made = Command::new("mkfifo").arg(self.0.join(name)).status();
        assert!(made.expect("there is a command `mkfifo`").success());
        self
    }

    /// The output goes to a file, so that the command never blocks on a pipe; standard input stays
    /// open.
    fn start(&self, arguments: &[&str]) -> Started {
        let said = self.0.join("said");
        let out = std::fs::File::create(&said).expect("a temporary file");
        let err = out.try_clone().expect("a second handle");
        let child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(out)
            .stderr(err)
            .spawn()
            .expect("the command starts");
        Started { child, said }
    }
}

struct Started {
    child: Child,
    said: PathBuf,
}

impl Started {
    fn interrupt(&self) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(sent.expect("there is a command `kill`").success(), "it has ended already");
    }

    /// The exit code and the output; panics if the command does not end within the given time.
    fn end_within(mut self, latest: Duration) -> (Option<i32>, String) {
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("it can be waited for") {
                Some(status) => break status,
                None if start.elapsed() > latest => {
                    let _ = self.child.kill();
                    let _ = self.child.wait();
                    panic!("it still runs after {:?}", start.elapsed());
                }
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        (
            status.code(),
            String::from_utf8_lossy(&std::fs::read(&self.said).unwrap_or_default()).into_owned(),
        )
    }
}

/// Runs the command with a time limit, then with an interrupt; both must end in time, inconclusive,
/// and name the reason and the phase.
fn ends_inconclusive(model: &str, arguments: &[&str], phase: &str) {
    ends_inconclusive_in(&Place::of(model), arguments, phase);
}

fn ends_inconclusive_in(place: &Place, arguments: &[&str], phase: &str) {
    let (code, said) =
        place.start(&[arguments, &["--time", "1s"]].concat()).end_within(LIMIT + MARGIN);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the time limit of 1 s was reached") && said.contains(phase), "{said}");
    let started = place.start(arguments);
    std::thread::sleep(PAUSE);
    started.interrupt();
    let (code, said) = started.end_within(MARGIN);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("interrupted") && said.contains(phase), "{said}");
}

#[test]
fn reading() {
    // Standard input without end of file.
    ends_inconclusive("", &["check", "-"], "read");
}

#[test]
fn preprocessing() {
    // Each macro expands to twice the previous one.
    let mut model = String::from("#define M0 x = 1;\n");
    for number in 1..60 {
        let _ = writeln!(model, "#define M{number} M{0} M{0}", number - 1);
    }
    model += "byte x;\nactive proctype P() { M59 }\n";
    // Either the bound on the size of a model or the time limit is reached first.
    let started = Place::of(&model).start(&["check", "m.pml", "--time", "1s"]);
    let (code, said) = started.end_within(LIMIT + MARGIN);
    assert!(matches!(code, Some(2 | 3)), "{code:?} {said}");
}

#[test]
fn translating_a_formula() {
    let parts: Vec<String> =
        (0..9).map(|atom| format!("(<>[](x > {atom}) || []<>(y > {atom}))")).collect();
    let formula = format!("!({}) U X X (x > 3)", parts.join(" && "));
    let model = "byte x, y;\nactive proctype P() { do :: x = 1 - x od }\n";
    ends_inconclusive(
        model,
        &["check", "m.pml", "--ltl", &formula],
        "while the formula was translated",
    );
    let place = Place::of(model);
    let parts: Vec<String> = (0..9).map(|atom| format!("(FG p{atom} | GF q{atom})")).collect();
    let formula = format!("!({}) U X X r", parts.join(" & "));
    let (code, said) = place.start(&["ltl", "--time", "1s", &formula]).end_within(LIMIT + MARGIN);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the time limit of 1 s was reached"), "{said}");
}

/// A practically infinite state space.
const LARGE: &str = "\
int a, b, c, d;
active proctype P() { do :: a++ :: b++ :: c++ :: d++ :: a + 3 * b + 5 * c + 7 * d == -1 -> assert(false) od }
";

#[test]
fn searching() {
    ends_inconclusive(LARGE, &["check", "m.pml"], "");
    ends_inconclusive(LARGE, &["check", "m.pml", "--store", "cache"], "");
    ends_inconclusive(LARGE, &["check", "m.pml", "--ltl", "<>(a < 0)"], "");
    ends_inconclusive(LARGE, &["check", "m.pml", "--ctl", "AG EF (a == 0)"], "");
}

#[test]
fn properties_share_the_time() {
    let mut model = LARGE.to_string();
    for number in 0..6 {
        let _ = writeln!(model, "ltl p{number} {{ []<>(a == {number}) }}");
    }
    let place = Place::of(&model);
    let (code, said) = place.start(&["check", "m.pml", "--time", "1s"]).end_within(LIMIT + MARGIN);
    assert_eq!(code, Some(3), "{said}");
    // Each property has its own limit, so all seven are searched.
    let arguments = ["check", "m.pml", "--time-per-property", "200ms", "--threads", "1"];
    let (code, said) = place.start(&arguments).end_within(7 * Duration::from_millis(200) + MARGIN);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.matches("the time limit of 0.2 s was reached").count() >= 7, "{said}");
}

/// A process with very many different transitions, slow to reduce and to compile.
fn long_process(steps: usize) -> String {
    let mut model =
        String::from("int x, y;\nshort a[20];\nactive [3] proctype P() {\n  int z;\n  do\n");
    for step in 0..steps {
        let _ = writeln!(
            model,
            "  :: a[x % 20] >= y * {step} && z <= {step} -> \
             if :: x = (x * {step} + z) % 77 :: a[(x + {step}) % 20] = z; y = y ^ {step} fi"
        );
    }
    model + "  od\n}\n"
}

#[test]
fn before_the_search() {
    let place = Place::of(&long_process(2_500));
    for arguments in [
        &["check", "m.pml", "--time", "1s"][..],
        &["check", "m.pml", "--engine", "native", "--time", "2s"],
    ] {
        let (code, said) = place.start(arguments).end_within(2 * LIMIT + MARGIN);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("s was reached"), "{said}");
    }
}

/// An error after a long run whose steps are expensive for the interpreter: shortening respects the
/// budget, and the error is reported.
#[test]
fn shortening() {
    let mut model = String::from(
        "int x;\nactive proctype P() { do :: x < 3000 -> x++ :: x >= 3000 -> break od; assert(false) }\n\
         active [8] proctype Q() {\n  do\n",
    );
    for number in 0..400 {
        let _ = writeln!(model, "  :: x == -1 - {number} -> skip");
    }
    model += "  od\n}\n";
    let model = Model::from_source("m.pml", model).expect("the model is accepted");
    let settings = Settings { engine: Engine::Native, raw: true, ..Settings::default() };
    let checked = check_safety(&model.program, &settings, &Options::default());
    let found = &checked.expect("it replays").counterexamples[0];
    let start = Instant::now();
    let shortened = simplified(found, &Budget::of(Duration::from_millis(300)));
    assert!(start.elapsed() < MARGIN, "{:?}", start.elapsed());
    assert_eq!(shortened.shows, found.shows);
    let unchanged = simplified(found, &Budget::of(Duration::ZERO));
    assert_eq!(unchanged.prefix, found.prefix);
}

/// A single step that takes about a minute.
const LONG_STEP: &str = "\
int x;
active proctype P() { d_step { do :: x < 2000000000 -> x++ :: else -> break od } }
";

#[test]
fn simulating() {
    let endless = "bit x;\nactive proctype P() { do :: x = 1 - x od }\n";
    let many = ["simulate", "m.pml", "--quiet", "--steps", "1000000000000"];
    ends_inconclusive(endless, &many, "Stopped after");
    ends_inconclusive(LONG_STEP, &["simulate", "m.pml"], "Stopped after");
    let place = Place::of(LONG_STEP).with_pipe("m.trail");
    let trail = ["simulate", "m.pml", "--trail", "m.trail"];
    let short = "bit x;\nactive proctype P() { x = 1 }\n";
    ends_inconclusive_in(&place.with("m.pml", short), &trail, "while the trail was followed");
}

#[test]
fn drawing_and_replaying() {
    ends_inconclusive(LONG_STEP, &["graph", "m.pml"], "while the graph was drawn");
    let place = Place::of("bit x;\nactive proctype P() { x = 1 }\n").with_pipe("m.trail");
    let chart = ["msc", "m.pml", "--trail", "m.trail"];
    ends_inconclusive_in(&place, &chart, "while the run was drawn");
    ends_inconclusive_in(&place, &["replay", "m.trail"], "while the run was replayed");
    let (code, said) = place
        .start(&["explore", "m.pml", "--automaton", "m.trail", "--no-open", "--time", "1s"])
        .end_within(LIMIT + MARGIN);
    assert_eq!(code, Some(3), "{said}");
}

#[test]
fn reading_a_transition_system() {
    let place = Place::new().with_pipe("m.lts");
    for command in ["check", "simulate", "graph", "msc", "swarm"] {
        ends_inconclusive_in(&place, &[command, "m.lts"], "while the model was read");
    }
}

#[test]
fn computing_initial_states() {
    // Both variables have 2^32 values, and no pair satisfies the condition.
    let system = "var a : int\nvar b : int\ninit a * a + b * b = 0 - 1\nt: a = 0 -> b := 1\n";
    let place = Place::new().with("m.lts", system);
    for command in ["check", "simulate", "msc", "swarm"] {
        ends_inconclusive_in(&place, &[command, "m.lts"], "while the initial states were computed");
    }
    ends_inconclusive_in(&place, &["graph", "m.lts"], "while the graph was drawn");
}

/// An error after this number of steps, in states with many variables.
fn long_run(steps: usize) -> String {
    format!(
        "int x;\nbyte a[20];\nactive proctype P() {{ do :: x < {steps} -> \
         atomic {{ x++; a[x % 20] = x % 200 }} :: x >= {steps} -> break od; assert(false) }}\n"
    )
}

/// The verdict is printed even if there is no time to write the run.
#[test]
fn writing_files() {
    let place = Place::of(&long_run(200_000));
    for flag in ["--sarif", "--itf"] {
        let (code, said) = place
            .start(&["check", "m.pml", "--as-found", flag, "out", "--time", "4s"])
            .end_within(4 * LIMIT + MARGIN);
        assert_eq!(code, Some(1), "{said}");
        let last = &said[said.len().saturating_sub(500)..];
        assert!(said.contains("safety: VIOLATED"), "{last}");
        assert!(
            said.contains("out is not written: the time limit of 4 s was reached"),
            "{flag}: {last}"
        );
        assert!(!place.0.join("out").exists(), "an incomplete file is left");
    }
}

/// The report itself is too long for the time limit.
#[test]
fn printing() {
    let place = Place::of(&long_run(1_000_000));
    for (arguments, verdict) in [
        (&["check", "m.pml", "--as-found", "--time", "10s"][..], "safety: VIOLATED"),
        (&["check", "m.pml", "--as-found", "--json", "--time", "10s"], "\"verdict\": \"violated\""),
    ] {
        let (code, said) = place.start(arguments).end_within(10 * LIMIT + MARGIN);
        let first = &said[..said.len().min(1000)];
        assert_eq!(code, Some(1), "{first}");
        assert!(said.contains(verdict), "{first}");
        // On a slow machine the limit is reached before the report.
        let missing = ["the report has no runs: the time limit of 10 s", "within the limit"];
        assert!(missing.iter().any(|why| said.contains(why)), "{first}");
    }
}

/// Pipes whose readers wait.
#[test]
fn pipes() {
    let place = Place::of(&long_run(20_000)).with_pipe("page");
    let page = ["check", "m.pml", "--as-found", "--html", "page"];
    ends_inconclusive_in(&place, &page, "while the output files were opened");
    let mut reader = Command::new("sh");
    let mut reader = reader
        .args(["-c", "exec sleep 60 < page"])
        .current_dir(&place.0)
        .spawn()
        .expect("there is a command `sh`");
    let (code, said) =
        place.start(&[&page[..], &["--time", "3s"]].concat()).end_within(3 * LIMIT + MARGIN);
    let _ = reader.kill();
    let _ = reader.wait();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("page is not written: the time limit of 3 s was reached"), "{code:?}");
    // Standard output is not read, and the report is longer than the buffer of a pipe.
    let child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", "m.pml", "--as-found"])
        .current_dir(&place.0)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let started = Started { child, said: place.0.join("none") };
    std::thread::sleep(3 * PAUSE);
    started.interrupt();
    let (code, _) = started.end_within(MARGIN);
    // On a slow machine the interrupt ends the search.
    assert!(matches!(code, Some(1 | 3)), "{code:?}");
}
