//! The command line: one file per command, this one to choose among them.

mod check;
mod destination;
mod examples;
mod explore;
mod graph;
mod help;
mod hybrid;
mod ltl;
mod msc;
mod outputs;
mod progress;
mod properties;
mod replay;
mod signals;
mod simulate;
mod source;
mod storage;
mod swarm;
mod values;
mod view;

use clap::{Parser, Subcommand, ValueEnum};
use lariat::answer::Fault;
use lariat::report::printable_lines;
use lariat::report::text::Style;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

/// Checks concurrent systems written in Promela.
#[derive(Debug, Parser)]
#[command(name = "lariat", version, max_term_width = 110, before_help = examples::LARIAT, after_help = EXIT_CODES, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes: 0 holds, 1 violated, 2 bad input or usage, 3 inconclusive. If all holds but an output could
not be written, the verdict is printed and the exit code is 2.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Look at every reachable state for errors, and check the properties the model states
    #[command(before_help = examples::CHECK)]
    Check(Box<check::Check>),
    /// Look for errors with many small, different searches at once, within a time
    #[command(before_help = examples::SWARM)]
    Swarm(swarm::Swarm),
    /// Run the model: at random, step by step, or along a recorded run
    #[command(before_help = examples::SIMULATE)]
    Simulate(simulate::Simulate),
    /// Check a model and look at the answer in a browser
    #[command(before_help = examples::VIEW)]
    View(Box<view::View>),
    /// Walk through a model in a browser, step by step
    #[command(before_help = examples::EXPLORE)]
    Explore(explore::Explore),
    /// Follow a saved counterexample again, after the model was edited
    #[command(before_help = examples::REPLAY)]
    Replay(replay::Replay),
    /// Translate temporal formulas to automata, or compare them
    #[command(before_help = examples::LTL)]
    Ltl(ltl::Ltl),
    /// Draw a small state space, or the automata of the processes
    #[command(before_help = examples::GRAPH)]
    Graph(graph::Graph),
    /// Draw a counterexample as a message sequence chart
    #[command(before_help = examples::MSC)]
    Msc(msc::Msc),
    /// Print completions for a shell
    Completions(help::Completions),
    /// Print a manual page
    Man(help::Man),
    /// Explain a command or a topic: searches, stores, fairness, formulas
    Help(help::Help),
}

/// When to colour the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Color {
    /// If it goes to a terminal and `NO_COLOR` is not set
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    fn on(self, terminal: bool) -> bool {
        match self {
            Color::Auto => {
                let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
                terminal && !refused && !dumb
            }
            Color::Always => true,
            Color::Never => false,
        }
    }

    fn stdout(self) -> bool {
        self.on(io::stdout().is_terminal())
    }

    /// How a report on standard output looks.
    fn style(self) -> Style {
        Style { color: self.stdout(), width: width() }
    }

    fn stderr(self) -> bool {
        self.on(io::stderr().is_terminal())
    }
}

/// The width of the terminal that standard output is, or of one that `COLUMNS` speaks of; nothing if the output goes elsewhere.
fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let asked = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|width| *width > 0);
    let size = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    // In less no table can be read; then the terminal may break lines as it likes.
    asked.or_else(size).map(|width| width.max(40))
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Holds = 0,
    Violated = 1,
    BadInput = 2,
    Inconclusive = 3,
    /// A fault of ours.
    Internal = 70,
}

/// A limit was reached before anything could be found out.
#[derive(Debug)]
struct Stopped {
    why: model::Exhausted,
    phase: &'static str,
}

/// For threads that read and translate, which may be left alone when a limit is reached.
const STACK_BYTES: usize = 64 << 20;

const READING: &str = "while the model was read and translated";

impl std::fmt::Display for Stopped {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "inconclusive: {} {}", self.why, self.phase)
    }
}

impl std::error::Error for Stopped {}

/// Prints what the command line's parser has to say, and ends the program.
fn refuse(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let shown = printable_lines(&text);
    if shown == text {
        error.exit();
    }
    // It repeats arguments that are not safe to show.
    complain(&shown);
    std::process::exit(error.exit_code())
}

pub fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
    let result = match arguments.command {
        Command::Check(check) => check.run(),
        Command::Swarm(swarm) => swarm.run(),
        Command::Simulate(simulate) => simulate.run(),
        Command::View(view) => view.run(),
        Command::Explore(explore) => explore.run(),
        Command::Replay(replay) => replay.run(),
        Command::Ltl(ltl) => ltl.run(),
        Command::Graph(graph) => graph.run(),
        Command::Msc(msc) => msc.run(),
        Command::Completions(completions) => completions.run(),
        Command::Man(man) => man.run(),
        Command::Help(help) => help.run(),
    };
    let exit = result.unwrap_or_else(|error| {
        if is_closed_pipe(&error) {
            // The reader of standard output has seen enough. Commands that give a verdict do not get here.
            return Exit::Holds;
        }
        if let Some(stopped) = error.downcast_ref::<Stopped>() {
            complain(&format!("{stopped}\n"));
            return Exit::Inconclusive;
        }
        if let Some(fault) = error.downcast_ref::<Fault>() {
            complain(&format!("{}\n", printable_lines(&fault.to_string())));
            return Exit::Internal;
        }
        complain(&format!("error: {}\n", printable_lines(&format!("{error:#}"))));
        Exit::BadInput
    });
    ExitCode::from(exit as u8)
}

/// Was the output closed by its reader?
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(closed)
}

/// Prints a report whose verdict has this exit code, and returns the exit code of the command. A reader that has seen enough
/// changes nothing. Any other failure is reported, and only a verdict of `holds` is replaced by it.
fn say(text: &str, exit: Exit) -> Exit {
    match destination::to_stdout(text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("error: cannot write the report to standard output: {error}\n"));
            if exit == Exit::Holds { Exit::BadInput } else { exit }
        }
        _ => exit,
    }
}

/// To standard error. A failure to write there is ignored: there is no other place to report it.
fn complain(text: &str) {
    let _ = io::Write::write_all(&mut io::stderr(), text.as_bytes());
}
