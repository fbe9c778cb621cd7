//! `cargo xtask liveness-fuzz`: random programs × random formulas through real SPIN (`pan -a`) and through Lariat, by several
//! searches; also accept labels and non-progress cycles.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use serde_json::Value;

use crate::fuzz::random::Random;
use crate::lariat::target_directory;
use crate::process;
use crate::spin::{self, PrivateDirectory};

/// Formulas for each program: SPIN's compilation is what takes time.
const FORMULAS: usize = 6;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Programs to compare
    #[arg(long, default_value_t = 50)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A built `lariat` [default: the release build]
    #[arg(long)]
    lariat: Option<PathBuf>,
    /// Print the programs instead of comparing
    #[arg(long)]
    print: bool,
}

/// What a round of comparisons found.
#[derive(Debug, Default)]
struct Tally {
    same: usize,
    violated: usize,
    skipped: usize,
    different: usize,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let seeds = (0..arguments.count).map(|index| arguments.seed.wrapping_mul(1_000_003).wrapping_add(index));
    if arguments.print {
        seeds.for_each(|seed| println!("/* seed {seed} */\n{}", Writer::new(seed).program()));
        return ExitCode::SUCCESS;
    }
    let lariat = arguments.lariat.clone().unwrap_or_else(|| target_directory().join("release/lariat"));
    if let Err(message) = spin::ensure_installed() {
        eprintln!("{message}");
        return ExitCode::from(2);
    }
    if !lariat.exists() {
        eprintln!("there is no {}; run `cargo build --release -p lariat`", lariat.display());
        return ExitCode::from(2);
    }
    let mut tally = Tally::default();
    for seed in seeds {
        let model = Writer::new(seed).program();
        if let Err(error) = compare(seed, &model, &lariat, &mut tally) {
            eprintln!("seed {seed}: {error}");
            return ExitCode::from(2);
        }
    }
    let Tally { same, violated, skipped, different } = tally;
    println!("{same} same ({violated} violated), {different} different, {skipped} skipped");
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const LIMIT: Duration = Duration::from_secs(30);

fn compare(seed: u64, model: &str, lariat: &Path, tally: &mut Tally) -> io::Result<()> {
    let directory = PrivateDirectory::new()?;
    fs::write(directory.path.join("m.pml"), model)?;
    let without: String =
        model.lines().filter(|line| !line.starts_with("ltl")).map(|line| format!("{line}\n")).collect();
    fs::write(directory.path.join("n.pml"), &without)?;
    let different = |what: &str, spin: bool, ours: &str| {
        println!("seed {seed}, {what}: SPIN says violated: {spin}, Lariat says {ours}\n{model}");
    };
    if !build(&directory.path, "m.pml", &[])? {
        tally.skipped += 1;
        return Ok(());
    }
    let mut expected = BTreeMap::new();
    for number in 0..FORMULAS {
        let name = format!("p{number}");
        match pan(&directory.path, &["-a", "-N", &name])? {
            // SPIN counts accept labels of processes as well.
            Some(violated) if !(violated && model.contains("accept")) => {
                expected.insert(name, violated);
            }
            _ => tally.skipped += 1,
        }
    }
    for options in [&[][..], &["--raw"], &["--search", "nested"], &["--raw", "--search", "tarjan"]] {
        let Some(verdicts) = check(lariat, &directory.path.join("m.pml"), options)? else {
            tally.skipped += 1;
            return Ok(());
        };
        for (name, &violated) in &expected {
            let ours = verdicts.get(name).map_or("nothing", String::as_str);
            if ours == if violated { "violated" } else { "holds" } {
                tally.same += 1;
                tally.violated += usize::from(violated);
            } else {
                tally.different += 1;
                different(&format!("{name} {options:?}"), violated, ours);
            }
        }
    }
    let labels: [(&[&str], &[&str], &[&str]); 2] =
        [(&[], &["-a"], &["--property", "accept labels"]), (&["-DNP"], &["-l"], &["--non-progress"])];
    for (compile, search, options) in labels {
        if compile.is_empty() && !without.contains("accept") || !build(&directory.path, "n.pml", compile)? {
            continue;
        }
        let Some(violated) = pan(&directory.path, search)? else { continue };
        let verdicts = check(lariat, &directory.path.join("n.pml"), options)?.unwrap_or_default();
        let ours = verdicts.values().next().map_or("nothing", String::as_str);
        if ours == if violated { "violated" } else { "holds" } {
            tally.same += 1;
        } else {
            tally.different += 1;
            different(&format!("{options:?}"), violated, ours);
        }
    }
    Ok(())
}

/// Makes `pan`; `false` if SPIN does not like the model.
fn build(directory: &Path, model: &str, arguments: &[&str]) -> io::Result<bool> {
    let mut command = Command::new("spin");
    command.args(["-o1", "-o2", "-o3", "-a", model]).current_dir(directory);
    if !process::run(&mut command, LIMIT)?.succeeded() {
        return Ok(false);
    }
    let mut command = Command::new("cc");
    command.args(["-O0", "-w", "-DNOREDUCE"]).args(arguments).args(["-o", "pan", "pan.c"]);
    Ok(process::run(command.current_dir(directory), LIMIT * 4)?.succeeded())
}

/// Is there an error? Nothing if the verifier did not come to its end.
fn pan(directory: &Path, arguments: &[&str]) -> io::Result<Option<bool>> {
    let mut command = Command::new(directory.join("pan"));
    let finished =
        process::run(command.args(arguments).args(["-E", "-m200000"]).current_dir(directory), LIMIT)?;
    let text = finished.stdout;
    let Some(errors) = text.split_once("errors: ").map(|(_, rest)| rest) else { return Ok(None) };
    // Of several claims SPIN cannot search the one that cannot even start, and then reports nonsense.
    if text.contains("max search depth too small")
        || !text.contains("states, stored")
        || text.contains("e+07 seconds")
    {
        return Ok(None);
    }
    Ok(Some(!errors.starts_with('0')))
}

/// The verdicts by name; nothing if the model is refused.
fn check(lariat: &Path, model: &Path, options: &[&str]) -> io::Result<Option<BTreeMap<String, String>>> {
    let mut command = Command::new(lariat);
    let finished = process::run(command.args(["check", "--json"]).args(options).arg(model), LIMIT * 2)?;
    if finished.status.and_then(|status| status.code()) == Some(2) {
        return Ok(None);
    }
    let report: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
    let properties = report.get("properties").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |property: &Value, key: &str| property.get(key)?.as_str().map(str::to_owned);
    Ok(Some(
        properties.iter().filter_map(|each| Some((text(each, "name")?, text(each, "verdict")?))).collect(),
    ))
}

/// Writes a program with formulas.
struct Writer {
    random: Random,
}

impl Writer {
    fn new(seed: u64) -> Writer {
        Writer { random: Random::new(seed) }
    }

    fn program(&mut self) -> String {
        let mut text =
            "byte x, y; bool b;\nchan r = [0] of { byte };\nchan q = [1] of { byte };\n".to_owned();
        for number in 0..self.random.between(1, 3) {
            let body = self.sequence(2, false, 3);
            let label = *self.random.pick(&["", "", "", "accept_a: ", "progress_a: ", "end_a: "]);
            let body = match self.random.percent(60) {
                true => format!("do :: {label}{body} :: {} od", self.sequence(1, false, 2)),
                false => body,
            };
            text += &format!("active proctype P{number}() {{ bool l; {body} }}\n");
        }
        for number in 0..FORMULAS {
            text += &format!("ltl p{number} {{ {} }}\n", self.formula(3));
        }
        text
    }

    fn sequence(&mut self, depth: usize, atomic: bool, most: usize) -> String {
        let count = self.random.between(1, most);
        let list: Vec<String> = (0..count).map(|_| self.statement(depth, atomic)).collect();
        list.join("; ")
    }

    fn statement(&mut self, depth: usize, atomic: bool) -> String {
        let choice = self.random.below(if depth == 0 { 75 } else { 100 });
        let effects = [
            "x = (x + 1) % 3",
            "y = (y + 1) % 3",
            "b = !b",
            "x = 0",
            "y = x",
            "b = (x == y)",
            "l = !l; b = l",
        ];
        let conditions = ["(x == 1)", "(y > 0)", "(b)", "(!b)", "(x != y)", "(y == 0)"];
        let messages = ["r!1", "r?x", "r!x", "q!1", "q?y", "q!x", "q?1"];
        match choice {
            0..40 => (*self.random.pick(&effects)).to_owned(),
            40..58 => (*self.random.pick(&conditions)).to_owned(),
            58..63 => "skip".to_owned(),
            63..75 => (*self.random.pick(&messages)).to_owned(),
            75..82 if !atomic => format!("atomic {{ {} }}", self.sequence(depth - 1, true, 3)),
            82..85 if !atomic => "d_step { x = (x + 1) % 3; y = x; b = !b }".to_owned(),
            _ => {
                let count = self.random.between(1, 3);
                let options: Vec<String> =
                    (0..count).map(|_| format!(":: {}", self.sequence(depth - 1, atomic, 2))).collect();
                let options = options.join(" ");
                // A loop inside an atomic sequence might never end.
                match (atomic, self.random.below(3)) {
                    (false, 0) => format!("do {options} :: (b) -> break od"),
                    (_, 1) if !options.contains('!') && !options.contains('?') => {
                        format!("if {options} :: else fi")
                    }
                    _ => format!("if {options} fi"),
                }
            }
        }
    }

    fn formula(&mut self, depth: usize) -> String {
        let atoms = ["(x == 1)", "(b)", "(y == 0)", "(x == y)", "(x > 0 && b)", "(len(q) == 1)"];
        if depth == 0 || self.random.percent(15) {
            return (*self.random.pick(&atoms)).to_owned();
        }
        let left = self.formula(depth - 1);
        match self.random.below(10) {
            0 => format!("(!{left})"),
            1 | 2 => format!("([] {left})"),
            3 | 4 => format!("(<> {left})"),
            5 => format!("(X {left})"),
            number => {
                let operator = ["&&", "||", "->", "U", "V"][number % 5];
                format!("({left} {operator} {})", self.formula(depth - 1))
            }
        }
    }
}
