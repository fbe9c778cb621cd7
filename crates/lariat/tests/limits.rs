//! Time limits and interruption hold in every phase of a command: each test starts the real command on an input that is made to be slow in
//! one phase and sees it end soon after its limit, or after SIGINT.

#![cfg(unix)]

use lariat::check::{Engine, check};
use model::Budget;
use search::Options;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(1);
/// A command should end within a second of its limit; a busy machine may take longer.
const MARGIN: Duration = Duration::from_secs(8);
/// How long a command runs before it is interrupted.
const PAUSE: Duration = Duration::from_secs(1);

struct Place(PathBuf);

impl Place {
    fn new(model: &str) -> Place {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lariat-limits-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        std::fs::write(path.join("m.pml"), model).expect("a temporary file");
        Place(path)
    }

    /// What the command says goes to a file, so that it never waits for a reader; its standard input stays open.
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

    /// The exit code, and what was said; it must end within this time.
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
        (status.code(), String::from_utf8_lossy(&std::fs::read(&self.said).unwrap_or_default()).into_owned())
    }
}

/// With a time limit, and with an interrupt instead: it ends in time, inconclusive, and says why and in which phase.
fn ends_inconclusive(model: &str, arguments: &[&str], phase: &str) {
    let place = Place::new(model);
    let (code, said) = place.start(&[arguments, &["--time", "1s"]].concat()).end_within(LIMIT + MARGIN);
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
    // Standard input that never ends.
    ends_inconclusive("", &["check", "-"], "read");
}

#[test]
fn preprocessing() {
    // Each macro is twice the one before.
    let mut model = String::from("#define M0 x = 1;\n");
    for number in 1..60 {
        let _ = writeln!(model, "#define M{number} M{0} M{0}", number - 1);
    }
    model += "byte x;\nactive proctype P() { M59 }\n";
    // Whichever comes first on this machine: the bound on the size of a model, or the limit.
    let started = Place::new(&model).start(&["check", "m.pml", "--time", "1s"]);
    let (code, said) = started.end_within(LIMIT + MARGIN);
    assert!(matches!(code, Some(2 | 3)), "{code:?} {said}");
}

#[test]
fn translating_a_formula() {
    let parts: Vec<String> = (0..9).map(|atom| format!("(<>[](x > {atom}) || []<>(y > {atom}))")).collect();
    let formula = format!("!({}) U X X (x > 3)", parts.join(" && "));
    let model = "byte x, y;\nactive proctype P() { do :: x = 1 - x od }\n";
    ends_inconclusive(model, &["check", "m.pml", "--ltl", &formula], "while the formula was translated");
    let place = Place::new(model);
    let parts: Vec<String> = (0..9).map(|atom| format!("(FG p{atom} | GF q{atom})")).collect();
    let formula = format!("!({}) U X X r", parts.join(" & "));
    let (code, said) = place.start(&["ltl", "--time", "1s", &formula]).end_within(LIMIT + MARGIN);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("the time limit of 1 s was reached"), "{said}");
}

/// States without end.
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
    // Each of its own: all seven get to search.
    let arguments = ["check", "m.pml", "--time-per-property", "200ms", "--threads", "1"];
    let (code, said) = place.start(&arguments).end_within(7 * Duration::from_millis(200) + MARGIN);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.matches("the time limit of 0.2 s was reached").count() >= 7, "{said}");
}

/// A process with very many different steps: reducing and compiling it takes long.
fn long_process(steps: usize) -> String {
    let mut model = String::from("int x, y;\nshort a[20];\nactive [3] proctype P() {\n  int z;\n  do\n");
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
    for arguments in
        [&["check", "m.pml", "--time", "1s"][..], &["check", "m.pml", "--engine", "native", "--time", "2s"]]
    {
        let (code, said) = place.start(arguments).end_within(2 * LIMIT + MARGIN);
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("s was reached"), "{said}");
    }
}

/// An error at the end of a long run, of which every step is expensive for the reference semantics: shortening it ends with its
/// budget, and the error is kept.
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
    let loader = promela::MemoryLoader::new().with("m.pml", model.as_str());
    let program = promela::compile(&loader, "m.pml", &[]).program.expect("the model is right");
    let mut checked = check(&program, Engine::Native, true, &Options::default()).expect("it replays");
    let found = checked.counterexamples[0].violation.clone();
    let start = Instant::now();
    checked.simplify(&program, &Budget::of(Duration::from_millis(300)));
    assert!(start.elapsed() < MARGIN, "{:?}", start.elapsed());
    assert_eq!(checked.counterexamples[0].violation.error, found.error);
    let budget = Budget::of(Duration::ZERO);
    let mut unchanged = check(&program, Engine::Native, true, &Options::default()).expect("it replays");
    unchanged.simplify(&program, &budget);
    assert_eq!(unchanged.counterexamples[0].violation, found);
}
