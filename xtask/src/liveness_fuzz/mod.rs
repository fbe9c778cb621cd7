//! `cargo xtask liveness-fuzz`: random programs × random formulas and claims through real SPIN (`pan -a`) and through Lariat, by several
//! searches; also accept labels and non-progress cycles.

mod writer;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::lariat::{Tool, target_directory};
use crate::spin::{self, PrivateDirectory};
use crate::spin_property::Verifier;
use writer::{PROPERTIES, Writer};

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
    /// What to state about the programs
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

/// A random program and what is said about it.
struct Sample {
    seed: u64,
    program: String,
    formulas: String,
    claims: String,
}

impl Sample {
    fn new(seed: u64) -> Sample {
        let mut writer = Writer::new(seed);
        let (program, formulas, claims) = (writer.program(), writer.formulas(), writer.claims());
        Sample { seed, program, formulas, claims }
    }
}

/// What a round of comparisons found.
#[derive(Debug, Default)]
struct Tally {
    same: usize,
    violated: usize,
    skipped: usize,
    different: usize,
}

impl Tally {
    fn compare(&mut self, what: &str, violated: bool, ours: Option<&String>, model: &str) {
        let ours = ours.map_or("nothing", String::as_str);
        if ours == if violated { "violated" } else { "holds" } {
            self.same += 1;
            self.violated += usize::from(violated);
        } else {
            self.different += 1;
            println!("{what}: SPIN says violated: {violated}, Lariat says {ours}\n{model}");
        }
    }
}

const LIMIT: Duration = Duration::from_secs(30);

pub fn run(arguments: &Arguments) -> ExitCode {
    let seeds = (0..arguments.count).map(|index| arguments.seed.wrapping_mul(1_000_003).wrapping_add(index));
    let samples = seeds.map(Sample::new);
    if arguments.print {
        samples.for_each(|Sample { seed, program, formulas, claims }| {
            println!("/* seed {seed} */\n{program}{formulas}{claims}");
        });
        return ExitCode::SUCCESS;
    }
    let program = arguments.lariat.clone().unwrap_or_else(|| target_directory().join("release/lariat"));
    let tool = match spin::ensure_installed().and_then(|()| Tool::new(Some(program), LIMIT * 2)) {
        Ok(tool) => tool,
        Err(message) => {
            eprintln!("{message}; `cargo build --release -p lariat` builds our side");
            return ExitCode::from(2);
        }
    };
    let mut tally = Tally::default();
    for sample in samples {
        for kind in &arguments.kinds {
            let compared = match kind {
                Kind::Formulas => stated(&sample, &sample.formulas, &tool, &mut tally),
                Kind::Claims => stated(&sample, &sample.claims, &tool, &mut tally),
                Kind::Labels => labels(&sample, &tool, &mut tally),
            };
            if let Err(error) = compared {
                eprintln!("seed {}: {error}", sample.seed);
                return ExitCode::from(2);
            }
        }
    }
    let Tally { same, violated, skipped, different } = tally;
    println!("{same} same ({violated} violated), {different} different, {skipped} skipped");
    if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Compares the verdicts about the formulas or claims of a model.
fn stated(sample: &Sample, properties: &str, tool: &Tool, tally: &mut Tally) -> io::Result<()> {
    let directory = PrivateDirectory::new()?;
    let model = format!("{}{properties}", sample.program);
    let path = directory.path.join("m.pml");
    fs::write(&path, &model)?;
    let Some(verifier) = Verifier::build(&path, &["-O0"], LIMIT)? else {
        tally.skipped += 1;
        return Ok(());
    };
    let mut expected = Vec::new();
    for name in (0..PROPERTIES).map(|number| format!("p{number}")) {
        match verifier.violated(&["-a", "-N", &name], || Ok(None))? {
            // Beside a formula SPIN counts accept labels of processes as well.
            Some(true) if properties.starts_with("ltl") && model.contains("accept") => tally.skipped += 1,
            Some(violated) => expected.push((name, violated)),
            None => tally.skipped += 1,
        }
    }
    for options in [&[][..], &["--raw"], &["--search", "nested"], &["--raw", "--search", "tarjan"]] {
        let Some(verdicts) = tool.verdicts(&path, options)? else {
            tally.skipped += 1;
            return Ok(());
        };
        for (name, violated) in &expected {
            let what = format!("seed {}, {name} {options:?}", sample.seed);
            tally.compare(&what, *violated, verdicts.get(name), &model);
        }
    }
    Ok(())
}

/// Compares the verdicts about accept labels and non-progress cycles.
fn labels(sample: &Sample, tool: &Tool, tally: &mut Tally) -> io::Result<()> {
    let directory = PrivateDirectory::new()?;
    let path = directory.path.join("n.pml");
    fs::write(&path, &sample.program)?;
    let kinds: [(&[&str], &[&str], &[&str]); 2] = [
        (&["-O0"], &["-a"], &["--property", "accept labels"]),
        (&["-O0", "-DNP"], &["-l"], &["--non-progress"]),
    ];
    for (compile, search, options) in kinds {
        if search == ["-a"] && !sample.program.contains("accept") {
            continue;
        }
        let violated = match Verifier::build(&path, compile, LIMIT)? {
            Some(verifier) => verifier.violated(search, || Ok(None))?,
            None => None,
        };
        let Some(violated) = violated else { continue };
        let verdicts = tool.verdicts(&path, options)?.unwrap_or_default();
        let what = format!("seed {} {options:?}", sample.seed);
        tally.compare(&what, violated, verdicts.values().next(), &sample.program);
    }
    Ok(())
}
