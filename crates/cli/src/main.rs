//! The command `lariat`: one file per subcommand. This file parses the command line and maps
//! results to exit codes.

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
mod server;
mod signals;
mod simulate;
mod source;
mod storage;
mod swarm;
mod values;
mod view;
mod writing;

use clap::{Parser, Subcommand, ValueEnum};
use lariat::Error;
use lariat::report::printable_lines;
use lariat::report::text::{Detail, Style};
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
Exit codes: 0 holds, 1 violated, 2 bad input or usage, 3 inconclusive. If everything holds but an output could
not be written, the verdict is printed and the exit code is 2.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Search every reachable state for errors, and check the properties stated in the model
    #[command(before_help = examples::CHECK)]
    Check(Box<check::Check>),
    /// Search for errors with many small, different searches within a given time
    #[command(before_help = examples::SWARM)]
    Swarm(swarm::Swarm),
    /// Run the model: at random, step by step, or along a recorded run
    #[command(before_help = examples::SIMULATE)]
    Simulate(simulate::Simulate),
    /// Check a model and show the report in a browser
    #[command(before_help = examples::VIEW)]
    View(Box<view::View>),
    /// Execute a model step by step in a browser
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
    /// If the output is a terminal and `NO_COLOR` is not set
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

    /// The style of a report on standard output.
    fn style(self) -> Style {
        Style { color: self.stdout(), width: width() }
    }

    fn stderr(self) -> bool {
        self.on(io::stderr().is_terminal())
    }
}

/// The width of the terminal on standard output, or the value of `COLUMNS`; `None` if standard
/// output is not a terminal.
fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    let requested =
        std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|width| *width > 0);
    let size = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    // Tables are unreadable below 40 columns; narrower terminals wrap the lines.
    requested.or_else(size).map(|width| width.max(40))
}

/// The exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Holds = 0,
    Violated = 1,
    BadInput = 2,
    Inconclusive = 3,
    /// An internal error.
    Internal = 70,
}

/// Stack size of the threads that parse and translate; they are abandoned when a limit is reached.
const STACK_BYTES: usize = 64 << 20;

/// Prints an error of the argument parser and ends the program.
fn refuse(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let shown = printable_lines(&text);
    if shown == text {
        error.exit();
    }
    // The message quotes arguments with control characters, which must be escaped.
    complain(&shown);
    std::process::exit(error.exit_code())
}

pub fn main() -> ExitCode {
    lariat_search::faults::inject_from_environment();
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
            // The reader of standard output closed it early. Commands with a verdict handle this
            // case themselves.
            return Exit::Holds;
        }
        let shown = |text: &str| complain(&format!("{}\n", printable_lines(text)));
        match error.downcast_ref::<Error>() {
            Some(stopped @ Error::Exhausted { limit, .. }) => {
                shown(&format!("{stopped}{}", writing::advice(*limit)));
                return Exit::Inconclusive;
            }
            Some(fault @ Error::Internal(_)) => {
                shown(&fault.to_string());
                return Exit::Internal;
            }
            Some(Error::Rejected(rejected)) => {
                complain(&rejected.text);
                return Exit::BadInput;
            }
            Some(Error::Property(_)) | None => {}
        }
        complain(&format!("error: {}\n", printable_lines(&format!("{error:#}"))));
        Exit::BadInput
    });
    ExitCode::from(exit as u8)
}

/// Whether the error is that of a closed pipe.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(closed)
}

/// Prints a report whose verdict has the exit code `exit`, and returns the exit code of the
/// command. A closed pipe does not change the exit code. Any other write error is reported and
/// changes the exit code only if the verdict is `holds`.
fn say(text: &str, exit: Exit) -> Exit {
    match signals::leave_while_printing(exit, || destination::to_stdout(text)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("error: cannot write the report to standard output: {error}\n"));
            if exit == Exit::Holds { Exit::BadInput } else { exit }
        }
        _ => exit,
    }
}

/// The part of a report that is printed.
fn detail(quiet: bool) -> Detail {
    if quiet { Detail::Verdicts } else { Detail::Full }
}

/// Writes to standard error. A write error is ignored, since it cannot be reported anywhere.
fn complain(text: &str) {
    let _ = io::Write::write_all(&mut io::stderr(), text.as_bytes());
}
