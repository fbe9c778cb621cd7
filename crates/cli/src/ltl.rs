//! `lariat ltl`: translation of temporal formulas to automata, validity, satisfiability and
//! equivalence.

use super::signals::{INTERRUPTED, stop_when_interrupted};
use super::source::read_text;
use super::{Color, Exit, STACK_BYTES, complain, values};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use lariat_ir::Budget;
use lariat_ir::printable::{ShownSource, printable};
use lariat_ltl::automaton::Tgba;
use lariat_ltl::decide::{self, Witness};
use lariat_ltl::formula::{Formula, Formulas, Spelling, Syntax, SyntaxError};
use lariat_ltl::gpvw::Improvements;
use lariat_ltl::translate::{Acceptance, Goal, Options, TranslateError, translate};
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Ltl {
    /// Formulas; if none are given here or with --file, they are read from standard input, one per
    /// line
    formulas: Vec<String>,

    /// Read formulas from a file, one per line; empty lines and lines that begin with # are ignored
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,

    /// Print the automaton in the Hanoi Omega-Automata format (the default)
    #[arg(long, group = "output")]
    hoa: bool,

    /// Print a SPIN never claim (implies --ba)
    #[arg(long, group = "output")]
    never: bool,

    /// Print a graph for Graphviz
    #[arg(long, group = "output")]
    dot: bool,

    /// Print one line per formula: states, edges, acceptance sets, 1 if deterministic, formula
    #[arg(long, group = "output")]
    stats: bool,

    /// Is the formula valid? If not, print a word that violates it
    #[arg(long, group = "output")]
    valid: bool,

    /// Is the formula satisfiable? If so, print a word that satisfies it
    #[arg(long, group = "output")]
    satisfiable: bool,

    /// Are the two formulas equivalent? If not, print a word on which they differ
    #[arg(long, group = "output")]
    equivalent: bool,

    /// Produce a state-based Büchi automaton instead of a transition-based generalized one
    #[arg(long)]
    ba: bool,

    /// Translate the negation of each formula
    #[arg(long)]
    negate: bool,

    /// Prefer a deterministic automaton, even if it is larger
    #[arg(long, conflicts_with = "small")]
    deterministic: bool,

    /// Prefer a small automaton (the default)
    #[arg(long)]
    small: bool,

    /// Translation algorithm
    #[arg(long, value_enum, default_value_t)]
    algorithm: Algorithm,

    /// Read formulas with SPIN's grammar: `&&`, `||`, `->` and `<->` have equal precedence and
    /// associate to the left
    #[arg(long)]
    spin: bool,

    /// Time limit, such as 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  lariat ltl '[](request -> <>grant)'           the automaton
  lariat ltl --never --negate '[]<>p'           a never claim for SPIN
  lariat ltl --valid 'p U q -> <>q'             validity
  lariat ltl --equivalent 'F G p' '!G F !p'     equivalence

Exit codes: 0 yes or done, 1 no, 2 bad input or usage, 3 automaton too large or time limit reached.";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Algorithm {
    /// Sets of obligations, with all simplifications
    #[default]
    Modern,
    /// The tableau of Gerth, Peled, Vardi and Wolper (1995)
    Gpvw,
}

impl Ltl {
    pub fn run(self) -> anyhow::Result<Exit> {
        stop_when_interrupted();
        let budget = Budget::new(self.time, &INTERRUPTED);
        let phase = "while the formulas were processed";
        let stopped = |limit| lariat::Error::Exhausted { limit, phase };
        budget.run(STACK_BYTES, move |stop| self.work(stop)).map_err(stopped)?
    }

    fn work(&self, stop: Arc<AtomicBool>) -> anyhow::Result<Exit> {
        let texts = self.texts()?;
        if self.equivalent && texts.len() != 2 {
            bail!("--equivalent takes two formulas, {} given", texts.len());
        }
        let mut store = Formulas::new();
        store.stop_by(stop);
        let syntax = if self.spin { Syntax::SPIN } else { Syntax::SPOT };
        let mut formulas = Vec::new();
        let mut failed = false;
        for text in &texts {
            match store.parse_with(text, syntax) {
                Ok(formula) => {
                    formulas.push(if self.negate { store.not(formula) } else { formula })
                }
                Err(error) => {
                    complain(&render(text, &error));
                    failed = true;
                }
            }
        }
        if failed {
            return Ok(Exit::BadInput);
        }
        match self.answer(&mut store, &formulas) {
            Ok(exit) => Ok(exit),
            Err(Failure::Output(error)) => Err(error.into()),
            Err(Failure::Translate(TranslateError::Branching)) => {
                Err(TranslateError::Branching.into())
            }
            Err(Failure::Translate(limit)) => {
                complain(&format!("inconclusive: {limit}\n"));
                Ok(Exit::Inconclusive)
            }
        }
    }

    fn texts(&self) -> anyhow::Result<Vec<String>> {
        let mut texts = self.formulas.clone();
        let mut lines = |content: &str| {
            let wanted = |line: &&str| !line.is_empty() && !line.starts_with('#');
            texts.extend(content.lines().map(str::trim).filter(wanted).map(String::from));
        };
        for path in &self.file {
            lines(&read_text(path)?);
        }
        if self.formulas.is_empty() && self.file.is_empty() {
            let mut content = String::new();
            io::stdin().read_to_string(&mut content).context("cannot read standard input")?;
            lines(&content);
        }
        Ok(texts)
    }

    fn answer(&self, store: &mut Formulas, formulas: &[Formula]) -> Result<Exit, Failure> {
        let mut out = UntilClosed(io::stdout().lock());
        if let (true, &[first, second]) = (self.equivalent, formulas) {
            return match decide::difference(store, first, second)? {
                None => say(&mut out, "equivalent", None),
                Some(word) => say(&mut out, "not equivalent", Some(&word)),
            };
        }
        let mut exit = Exit::Holds;
        for &formula in formulas {
            let verdict = if self.valid {
                match decide::counterexample(store, formula)? {
                    None => say(&mut out, "valid", None)?,
                    Some(word) => say(&mut out, "not valid", Some(&word))?,
                }
            } else if self.satisfiable {
                match decide::satisfiable(store, formula)? {
                    Some(word) => {
                        writeln!(out, "satisfiable: {word}")?;
                        Exit::Holds
                    }
                    None => {
                        writeln!(out, "not satisfiable")?;
                        Exit::Violated
                    }
                }
            } else {
                self.print(store, formula, &mut out)?;
                Exit::Holds
            };
            if verdict != Exit::Holds {
                exit = verdict;
            }
        }
        Ok(exit)
    }

    fn print(
        &self,
        store: &mut Formulas,
        formula: Formula,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let automaton = self.automaton(store, formula)?;
        let name = store.display(formula, Spelling::Spot).to_string();
        if self.stats {
            let stats = automaton.stats();
            let deterministic = u8::from(stats.deterministic);
            let (states, edges, sets) = (stats.states, stats.edges, stats.acceptance_sets);
            writeln!(out, "{states}\t{edges}\t{sets}\t{deterministic}\t{name}")?;
            return Ok(());
        }
        let mut text = String::new();
        let written = if self.never {
            lariat_ltl::never::write(&automaton, Some(&name), &mut text)
        } else if self.dot {
            lariat_ltl::dot::write(&automaton, Some(&name), &mut text)
        } else {
            lariat_ltl::hoa::write(&automaton, Some(&name), &mut text)
        };
        written.expect("writing to a string does not fail");
        out.write_all(text.as_bytes())?;
        Ok(())
    }

    fn automaton(&self, store: &mut Formulas, formula: Formula) -> Result<Tgba, TranslateError> {
        let mut options = Options::default();
        if self.ba || self.never {
            options.acceptance = Acceptance::StateBuchi;
        }
        if self.deterministic {
            options.goal = Goal::Deterministic;
        }
        if self.algorithm == Algorithm::Gpvw {
            options.algorithm = lariat_ltl::translate::Algorithm::Gpvw(Improvements::ALL);
        }
        Ok(translate(store, formula, options)?.with_single_initial())
    }
}

/// Output that ignores a closed pipe, so that the exit code does not change.
struct UntilClosed<Out>(Out);

impl<Out: Write> Write for UntilClosed<Out> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            result => result,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

/// The reason why there is no answer.
enum Failure {
    Translate(TranslateError),
    Output(io::Error),
}

impl From<TranslateError> for Failure {
    fn from(error: TranslateError) -> Failure {
        Failure::Translate(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

/// Prints an answer, and the witness if the answer is no.
fn say(out: &mut impl Write, answer: &str, word: Option<&Witness>) -> Result<Exit, Failure> {
    let mut text = answer.to_string();
    if let Some(word) = word {
        write!(text, ": {word}").expect("writing to a string does not fail");
    }
    writeln!(out, "{text}")?;
    Ok(if word.is_none() { Exit::Holds } else { Exit::Violated })
}

/// Renders a syntax error below its position in the formula.
fn render(text: &str, error: &SyntaxError) -> String {
    let label = if error.expected.is_empty() {
        String::new()
    } else {
        format!("expected {}", error.expected.join(" or "))
    };
    let shown = ShownSource::new(text);
    let place = shown.offset(error.span.start)..shown.offset(error.span.end);
    let mark = AnnotationKind::Primary.span(place).label(printable(&label));
    let group = Group::with_title(Level::ERROR.primary_title(printable(&error.message)))
        .element(Snippet::source(shown.text).annotation(mark));
    let renderer = if Color::Auto.stderr() { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n", renderer.decor_style(DecorStyle::Ascii).render(&[group]))
}
