//! The flags that select the properties, the fairness assumptions and the search.

use super::STACK_BYTES;
use super::source::read_text;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use lariat::{Error, Property};
use lariat_ir::Budget;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Properties")]
pub struct Properties {
    /// Check that all runs satisfy this formula; its atoms are Promela expressions, such as `x > 2`
    /// or `P[0]@critical`
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,

    /// Check that this CTL or CTL* formula holds in the initial states, such as `AG EF done` or
    /// `A(p U E G q)`
    #[arg(long, value_name = "FORMULA")]
    ctl: Vec<String>,

    /// Check only this property of the model, by name; `safety` is the search for errors
    #[arg(long, value_name = "NAME")]
    property: Vec<String>,

    /// Check that this automaton (a file in the HOA format) accepts no run; like a never claim, it
    /// describes forbidden runs
    #[arg(long, value_name = "FILE")]
    automaton: Vec<PathBuf>,

    /// Check that there is no non-progress cycle: every infinite run visits progress labels
    /// infinitely often
    #[arg(long)]
    non_progress: bool,

    /// Consider only fair runs: `weak-process`, `strong-process`, `weak-transition`,
    /// `strong-transition`, `none`, or the runs accepted by an automaton in a HOA file. Several
    /// automata can be given, but only one notion
    #[arg(long, value_name = "NOTION|FILE.hoa", value_parser = Fairness::read)]
    fairness: Vec<Fairness>,

    /// Show a shortest counterexample
    #[arg(long)]
    pub shortest: bool,
}

/// A fairness assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// No assumption, or one of the four notions.
    Notion(Option<fairness::Fairness>),
    /// The runs accepted by the automaton in this file.
    Automaton(PathBuf),
}

impl Fairness {
    /// Parses the argument of `--fairness`.
    fn read(text: &str) -> Result<Fairness, String> {
        let notions = fairness::Fairness::ALL;
        if let Some(notion) = notions.into_iter().find(|notion| notion.name() == text) {
            return Ok(Fairness::Notion(Some(notion)));
        }
        match text {
            "none" => Ok(Fairness::Notion(None)),
            _ if text.ends_with(".hoa") => Ok(Fairness::Automaton(text.into())),
            _ => {
                let names: Vec<&str> = notions.iter().map(|notion| notion.name()).collect();
                Err(format!(
                    "neither a notion of fairness (none, {}) nor a file `*.hoa`",
                    names.join(", ")
                ))
            }
        }
    }
}

impl Properties {
    /// The notion of fairness to assume. [`Properties::assumed`] rejects more than one.
    pub fn fairness(&self) -> Option<fairness::Fairness> {
        self.notions().next().flatten()
    }

    fn notions(&self) -> impl Iterator<Item = Option<fairness::Fairness>> {
        self.fairness.iter().filter_map(|fairness| match fairness {
            Fairness::Notion(notion) => Some(*notion),
            Fairness::Automaton(_) => None,
        })
    }

    /// The requested properties and the assumed automata.
    ///
    /// # Errors
    /// A file or a formula cannot be read, or a limit was reached.
    pub fn read(&self, budget: &Budget) -> anyhow::Result<(Vec<Property>, Vec<Property>)> {
        let properties = self.clone();
        let read = budget.run(STACK_BYTES, move |_| {
            let (requested, assumed) = (properties.requested()?, properties.assumed()?);
            // Syntax errors are reported before the model is read.
            for property in requested.iter().chain(&assumed) {
                property.formulas().map_err(anyhow::Error::msg)?;
            }
            Ok((requested, assumed))
        });
        let phase = "while the properties were read";
        read.map_err(|limit| Error::Exhausted { limit, phase })?
    }

    /// The requested properties; empty to check everything that the model states.
    fn requested(&self) -> anyhow::Result<Vec<Property>> {
        let mut all: Vec<Property> = self.ltl.iter().cloned().map(Property::Ltl).collect();
        for path in &self.automaton {
            all.push(automaton(path)?);
        }
        all.extend(self.ctl.iter().cloned().map(Property::Ctl));
        all.extend(self.non_progress.then_some(Property::NonProgress));
        all.extend(self.property.iter().cloned().map(Property::Stated));
        Ok(all)
    }

    /// The automata of fair runs.
    ///
    /// # Errors
    /// A file cannot be read, or more than one notion of fairness is given.
    fn assumed(&self) -> anyhow::Result<Vec<Property>> {
        let names: Vec<&str> =
            self.notions().map(|notion| notion.map_or("none", |notion| notion.name())).collect();
        if let [first, second, ..] = names[..] {
            anyhow::bail!(
                "--fairness {first} and --fairness {second}: only one notion of fairness can be assumed at a time"
            );
        }
        let path = |fairness: &Fairness| match fairness {
            Fairness::Automaton(path) => Some(automaton(path)),
            Fairness::Notion(_) => None,
        };
        self.fairness.iter().filter_map(path).collect()
    }
}

fn automaton(path: &Path) -> anyhow::Result<Property> {
    let name = path.display().to_string();
    Ok(Property::Automaton { name, hoa: read_text(path)? })
}

/// The order of the safety search, or the algorithm of the cycle search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    #[default]
    Dfs,
    Bfs,
    Cycles(Algorithm),
    /// Visits the product of program and property once, without a verdict.
    Explore,
}

impl Search {
    /// The cycle search, if one is selected.
    pub fn algorithm(self) -> Option<Algorithm> {
        if let Search::Cycles(algorithm) = self { Some(algorithm) } else { None }
    }
}

impl ValueEnum for Search {
    fn value_variants<'a>() -> &'a [Search] {
        static ALL: LazyLock<Vec<Search>> = LazyLock::new(|| {
            let cycles = Algorithm::ALL.map(Search::Cycles);
            [&[Search::Dfs, Search::Bfs], &cycles[..], &[Search::Explore]].concat()
        });
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let (name, help) = match *self {
            Search::Dfs => ("dfs", "Depth-first: the newest states first"),
            Search::Bfs => ("bfs", "Breadth-first: a shortest counterexample"),
            Search::Cycles(algorithm) => (algorithm.name(), help(algorithm)),
            Search::Explore => (
                "explore",
                "Visit the product of program and property once, without a verdict, to measure its size",
            ),
        };
        Some(PossibleValue::new(name).help(help))
    }
}

fn help(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Queue => {
            "Cycles: two passes, accepting nodes in a queue (Courcoubetis, Vardi, Wolper, Yannakakis, A)"
        }
        Algorithm::Interleaved => {
            "Cycles: second search nested in the first (Courcoubetis et al., B)"
        }
        Algorithm::Magic => "Cycles: one stack, one table, a demon (Godefroid, Holzmann)",
        Algorithm::Nested => {
            "Cycles: nested depth-first search, closed on the stack (Schwoon, Esparza)"
        }
        Algorithm::Tarjan => "Cycles: strongly connected components, checked when complete",
        Algorithm::Couvreur => {
            "Cycles: strongly connected components, checked as they grow; the default"
        }
        Algorithm::Kosaraju => {
            "Cycles: strongly connected components of the stored graph, in two passes"
        }
        Algorithm::Deterministic => {
            "Cycles: on the product with the property itself, if that is deterministic (Jard, Jéron)"
        }
        Algorithm::Cndfs => {
            "Cycles: nested depth-first search with all threads (Evangelista, Laarman, Petrucci, van de Pol)"
        }
        Algorithm::Ufscc => {
            "Cycles: strongly connected components with all threads, by union-find (Bloemen, Laarman, van de Pol)"
        }
    }
}
