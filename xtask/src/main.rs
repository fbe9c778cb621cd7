//! Project automation: `cargo xtask <command>`. Each command is a module.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bench;
mod configuration;
mod conformance;
mod counterexample;
mod expectation;
mod fuzz;
mod lariat;
mod liveness_fuzz;
mod ltl_bench;
mod pan;
mod paper;
mod process;
mod record;
mod reference;
mod self_fuzz;
mod spin;
mod spin_property;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Project automation")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Measure Lariat and real SPIN side by side on the benchmark models
    Bench(Box<bench::Arguments>),
    /// Check the models of a directory against the figures in its expected.csv
    Conformance(conformance::Arguments),
    /// Compare Lariat with real SPIN on random Promela programs
    SpinFuzz(fuzz::Arguments),
    /// Compare Lariat with real SPIN on random programs, formulas and claims
    LivenessFuzz(liveness_fuzz::Arguments),
    /// Compare Lariat's searches, engines and stores with each other and with the oracle on random
    /// programs
    SelfFuzz(self_fuzz::Arguments),
    /// Run real SPIN on corpus models and write its results into their headers
    Record {
        /// Models, or directories of models
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Reproduce the figures of a paper
    Paper(paper::Arguments),
    /// Compare the sizes of our automata with recorded sizes of other translators
    LtlBench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Conformance(arguments) => conformance::run(&arguments),
        Task::SpinFuzz(arguments) => fuzz::run(&arguments),
        Task::LivenessFuzz(arguments) => liveness_fuzz::run(&arguments),
        Task::SelfFuzz(arguments) => self_fuzz::run(&arguments),
        Task::Record { files } => record::run(&files),
        Task::Paper(arguments) => paper::run(&arguments),
        Task::LtlBench { arguments } => ltl_bench::run(&arguments),
    }
}
