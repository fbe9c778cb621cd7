//! Making the figures of papers again: `cargo xtask paper NAME`.

mod chart;
mod jard_jeron;
mod random_graph;

use clap::ValueEnum;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Which paper, as its directory in `papers/` is called
    paper: Paper,

    /// The program to run instead of a release build
    #[arg(long)]
    lariat: Option<PathBuf>,

    /// Other models to measure as well; their curves are printed and not drawn
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
