//! The flags that say which properties to check, and how.

use anyhow::Context;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use lariat::property::Wanted;
use search::liveness::Algorithm;
use search::liveness::fairness;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Properties")]
pub struct Properties {
    /// Check that all runs satisfy this formula; its atoms are Promela expressions, such as `x > 2` or `P[0]@critical`
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,

    /// Check that this formula of CTL or CTL* holds initially, such as `AG EF done` or `A(p U E G q)`
    #[arg(long, value_name = "FORMULA")]
    ctl: Vec<String>,

    /// Check only this one of the model's properties, by its name; `safety` is the search for errors
    #[arg(long, value_name = "NAME")]
    property: Vec<String>,

    /// Check that no run is accepted by this automaton, a file in the HOA format; like a never claim it says what is forbidden
    #[arg(long, value_name = "FILE")]
    automaton: Vec<PathBuf>,

    /// Check that no infinite run stays away from progress labels forever
    #[arg(long)]
    non_progress: bool,

    /// Look only at runs that treat processes, or their transitions, fairly: `weak-process`, `strong-process`, `weak-transition`, `strong-transition`, `none`; or
    /// that an automaton of fair runs accepts, a file in the HOA format. Automata may be given several times, a notion only once
    #[arg(long, value_name = "NOTION|FILE.hoa", value_parser = Fairness::read)]
    fairness: Vec<Fairness>,

    /// Show a violation than which none is shorter
    #[arg(long)]
    pub shortest: bool,
}

/// Which runs count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// Every run, or those in which nobody is kept waiting forever.
    Notion(Option<fairness::Fairness>),
    /// Those that an automaton accepts.
    Automaton(PathBuf),
}

impl Fairness {
    /// As it is written on the command line.
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
                Err(format!("neither a notion of fairness (none, {}) nor a file `*.hoa`", names.join(", ")))
            }
        }
    }
}

impl Properties {
    /// The notion of fairness to assume. Precondition: not more than one was given, see [`Properties::assumed`].
    pub fn fairness(&self) -> Option<fairness::Fairness> {
        self.notions().next().flatten()
    }

    fn notions(&self) -> impl Iterator<Item = Option<fairness::Fairness>> {
        self.fairness.iter().filter_map(|fairness| match fairness {
            Fairness::Notion(notion) => Some(*notion),
            Fairness::Automaton(_) => None,
        })
    }

    /// What is asked for; nothing if that is all the model states.
    pub fn wanted(&self) -> anyhow::Result<Vec<Wanted>> {
        let mut all: Vec<Wanted> = self.ltl.iter().cloned().map(Wanted::Ltl).collect();
        for path in &self.automaton {
            all.push(automaton(path)?);
        }
        all.extend(self.ctl.iter().cloned().map(Wanted::Ctl));
        all.extend(self.non_progress.then_some(Wanted::NonProgress));
        all.extend(self.property.iter().cloned().map(Wanted::Stated));
        Ok(all)
    }

    /// The automata of the runs that count.
    ///
    /// # Errors
    /// One cannot be read, or there is more than one notion of fairness, which cannot be combined.
    pub fn assumed(&self) -> anyhow::Result<Vec<Wanted>> {
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

fn automaton(path: &Path) -> anyhow::Result<Wanted> {
    let name = path.display().to_string();
    let hoa = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    Ok(Wanted::Automaton { name, hoa: String::from_utf8_lossy(&hoa).into_owned() })
}

/// What must be read as if it stood in the model.
pub fn texts(wanted: &[Wanted], assumed: &[Wanted]) -> anyhow::Result<Vec<String>> {
    let mut all = Vec::new();
    for each in wanted.iter().chain(assumed) {
        all.extend(each.texts().map_err(anyhow::Error::msg)?);
    }
    Ok(all)
}

/// In which order states are visited, or by which search cycles are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    #[default]
    Dfs,
    Bfs,
    Cycles(Algorithm),
    /// The product of program and property is visited once.
    Explore,
}

impl Search {
    /// The search for cycles, if it is one.
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
            Search::Bfs => ("bfs", "Breadth-first: the shortest run to an error"),
            Search::Cycles(algorithm) => (algorithm.name(), help(algorithm)),
            Search::Explore => (
                "explore",
                "Judge nothing: visit the product of program and property once, to see what that costs",
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
        Algorithm::Interleaved => "Cycles: the second search within the first (the same, B)",
        Algorithm::Magic => "Cycles: one stack, one table, a demon (Godefroid, Holzmann)",
        Algorithm::Nested => "Cycles: nested depth-first search, closed on the stack (Schwoon, Esparza)",
        Algorithm::Tarjan => "Cycles: strong components, judged when complete",
        Algorithm::Couvreur => "Cycles: strong components, judged as they grow; the default",
        Algorithm::Kosaraju => "Cycles: the whole graph, then strong components backwards",
        Algorithm::Deterministic => {
            "Cycles: on the product with the property itself, if that is deterministic (Jard, Jéron)"
        }
        Algorithm::Cndfs => {
            "Cycles: nested depth-first search by all threads (Evangelista, Laarman, Petrucci, van de Pol)"
        }
        Algorithm::Ufscc => {
            "Cycles: strong components by all threads, in a shared union-find (Bloemen, Laarman, van de Pol)"
        }
    }
}
