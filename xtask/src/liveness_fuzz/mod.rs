//! `cargo xtask liveness-fuzz`: compares real SPIN (`pan -a`, `-l`, `-f`), an oracle on the
//! explicit product, and Lariat in random configurations (search, store, number of threads) on
//! random programs with formulas, claims, accept labels and non-progress cycles.

mod compare;
mod tally;
mod writer;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::fuzz::programs::Programs;
use crate::fuzz::random::Random;
use crate::spin;
use compare::Comparison;
use tally::Tally;
use writer::Writer;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Programs to compare
    #[arg(long, default_value_t = 50)]
    count: u64,
    #[command(flatten)]
    programs: Programs,
    /// Number of configurations in which each property is checked
    #[arg(long, default_value_t = 4)]
    configurations: usize,
    /// Kinds of properties
    #[arg(long, value_enum, default_values_t = [Kind::Formulas, Kind::Claims, Kind::Labels])]
    kinds: Vec<Kind>,
    /// Print the programs instead of comparing
    #[arg(long)]
    print: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    Formulas,
    Claims,
    /// Accept and progress labels
    Labels,
}

/// A random program and its properties.
#[derive(Debug)]
struct Sample {
    seed: u64,
    kind: Kind,
    program: String,
    properties: String,
}

impl Sample {
    /// Formulas most of the time, because they are the hardest for searches.
    fn new(seed: u64, kinds: &[Kind]) -> Sample {
        let mut random = Random::new(seed.rotate_left(32));
        let weights: Vec<(usize, Kind)> = kinds
            .iter()
            .map(|&kind| (if kind == Kind::Formulas { 60 } else { 20 }, kind))
            .collect();
        let kind = random.weighted(&weights).unwrap_or(Kind::Formulas);
        let mut writer = Writer::new(seed);
        let program = writer.program();
        let properties = match kind {
            Kind::Formulas => writer.formulas(),
            Kind::Claims => writer.claims(),
            Kind::Labels => String::new(),
        };
        Sample { seed, kind, program, properties }
    }

    fn text(&self) -> String {
        format!("{}{}", self.program, self.properties)
    }
}

/// For SPIN, which translates a formula either immediately or in minutes.
const LIMIT: Duration = Duration::from_secs(6);

/// Number of programs between two progress reports.
const REPORT: u64 = 200;

pub fn run(arguments: &Arguments) -> ExitCode {
    let count = arguments.programs.number(arguments.count);
    let seed = |index: u64| arguments.programs.seed(index);
    if arguments.print {
        for sample in (0..count).map(|index| Sample::new(seed(index), &arguments.kinds)) {
            println!("/* seed {} */\n{}", sample.seed, sample.text());
        }
        return ExitCode::SUCCESS;
    }
    if let Err(message) = spin::ensure_installed() {
        eprintln!("{message}");
        return ExitCode::from(2);
    }
    let next = AtomicU64::new(0);
    let tally = Mutex::new(Tally::default());
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return Ok(());
            }
            let found = Comparison::run(
                &Sample::new(seed(index), &arguments.kinds),
                arguments.configurations,
            )?;
            let mut tally = tally.lock().expect("no worker panics");
            tally.add(found);
            if (index + 1).is_multiple_of(REPORT) {
                eprintln!("{tally}\n");
            }
        }
    };
    let compared = arguments.programs.in_parallel(work);
    let tally = tally.into_inner().expect("no worker panics");
    println!("{tally}");
    if let Err(error) = compared {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    if tally.differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
