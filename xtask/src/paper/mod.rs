//! `cargo xtask paper NAME`: reproduces the figures of papers.

mod chart;
mod jard_jeron;
mod random_graph;

use clap::ValueEnum;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The name of the paper's directory in `papers/`
    paper: Paper,

    /// The program to use instead of a release build
    #[arg(long)]
    lariat: Option<PathBuf>,

    /// More models to measure; their curves are printed but not drawn
    models: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Paper {
    #[value(name = "jard-jeron91")]
    JardJeron,
}

pub fn run(arguments: &Arguments) -> ExitCode {
    let result = match arguments.paper {
        Paper::JardJeron => jard_jeron::run(arguments.lariat.clone(), &arguments.models),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
