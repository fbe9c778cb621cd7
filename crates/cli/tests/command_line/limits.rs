//! Time limits and interrupts are respected in every phase of a command: each test runs the program
//! on an input that is slow in one phase, and expects it to end soon after the limit or SIGINT.

#![cfg(unix)]

use lariat::check::safety::check_safety;
use lariat::run::shorten::simplified;
use lariat::{Engine, Model, Settings};
use lariat_ir::Budget;
use lariat_search::Options;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(1);
/// The limit should be exceeded by at most a second; a busy machine may take longer.
const MARGIN: Duration = Duration::from_secs(8);
/// Time before a command is interrupted.
const PAUSE: Duration = Duration::from_secs(1);

struct Place(PathBuf);

impl Place {
    fn new(model: &str) -> Place {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("lariat-limits-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        std::fs::write(path.join("m.pml"), model).expect("a temporary file");
        Place(path)
    }

    /// The output goes to a file, so that the command never blocks on a pipe; standard input stays
    /// open.
    fn start(&self, arguments: &[&str]) -> Started {
        let said = self.0.join("said");
        let out = std::fs::File::create(&said).expect("a temporary file");
        let err = out.try_clone().expect("a second handle");
        let child = Command::new(env!("CARGO_BIN_EXE_lariat"))
            .args(arguments)
            .current_dir(&self.0)
            .stdin(Stdio::piped())
            .stdout(out)
            .stderr(err)
            .spawn()
            .expect("the command starts");
        Started { child, said }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
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
    let place = Place::new(model);
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
    let started = Place::new(&model).start(&["check", "m.pml", "--time", "1s"]);
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
    let place = Place::new(model);
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
    let place = Place::new(&model);
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
    let place = Place::new(&long_process(2_500));
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
