//! The flags that say which properties to check, and how.

use anyhow::Context;
use clap::{Args, ValueEnum};
use lariat::load::Model;
use lariat::property::{self, Assumption, Meaning, Property, Skeleton, has_accept_labels};
use model::Expr;
use omega::automaton::Tgba;
use promela::LtlFormula;
use search::liveness::Algorithm;
use search::liveness::fairness;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

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
    /// that an automaton of fair runs accepts, a file in the HOA format. Automata may be given several times
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

/// What is to be checked.
pub struct Asked {
    pub safety: bool,
    pub properties: Vec<Property>,
    /// The automata of the runs that count.
    pub assumptions: Vec<Assumption>,
}

/// Automata that were read, each with the name of its file.
#[derive(Debug, Default)]
pub struct Automata {
    forbidden: Vec<(String, Tgba)>,
    fair: Vec<(String, Tgba)>,
}

/// Reads an automaton.
fn read(path: &Path) -> anyhow::Result<(String, Tgba)> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let mut reader = omega::hoa::Reader::new(BufReader::new(file));
    let first = reader.next().with_context(|| format!("{shown}: there is no automaton in it"))?;
    let automaton = first.with_context(|| format!("{shown}: not an automaton"))?;
    let automaton = automaton.to_tgba().with_context(|| format!("{shown}: cannot be used"))?;
    Ok((shown.to_string(), automaton))
}

/// What the atoms of an automaton stand for, given them as formulas.
fn conditions<'f>(
    name: &str,
    automaton: &Tgba,
    given: &mut impl Iterator<Item = &'f LtlFormula>,
) -> anyhow::Result<Vec<Expr>> {
    let condition = |atom| {
        let condition = given.next().and_then(property::condition);
        condition.with_context(|| format!("{name}: the atom `{atom}` is not a condition on states"))
    };
    automaton.atoms.iter().map(condition).collect()
}

impl Properties {
    /// Reads the automata that are given.
    pub fn automata(&self) -> anyhow::Result<Automata> {
        let fair = self.fairness.iter().filter_map(|fairness| match fairness {
            Fairness::Automaton(path) => Some(read(path)),
            Fairness::Notion(_) => None,
        });
        let forbidden = self.automaton.iter().map(|path| read(path));
        Ok(Automata {
            forbidden: forbidden.collect::<Result<_, _>>()?,
            fair: fair.collect::<Result<_, _>>()?,
        })
    }

    /// The notion of fairness to assume: the last one that was given.
    pub fn fairness(&self) -> Option<fairness::Fairness> {
        let notion = |fairness: &Fairness| match fairness {
            Fairness::Notion(notion) => Some(*notion),
            Fairness::Automaton(_) => None,
        };
        self.fairness.iter().rev().find_map(notion).flatten()
    }

    /// The formulas of branching time, with atoms that are still texts.
    fn skeletons(&self) -> anyhow::Result<Vec<Skeleton>> {
        self.ctl.iter().map(|text| Skeleton::read(text).map_err(anyhow::Error::msg)).collect()
    }

    /// What must be read as if it stood in the model: the formulas, then the atoms of the automata, then those of formulas of branching
    /// time.
    pub fn texts(&self, automata: &Automata) -> anyhow::Result<Vec<String>> {
        let skeletons = self.skeletons()?;
        let of_skeletons = skeletons.iter().flat_map(Skeleton::texts);
        let all = automata.forbidden.iter().chain(&automata.fair);
        let atoms = all.flat_map(|(_, automaton)| &automaton.atoms);
        let of_automata = atoms.map(|name| format!("({name})"));
        Ok(self.ltl.iter().cloned().chain(of_automata).chain(of_skeletons).collect())
    }

    /// What to check in a model that was loaded with these texts.
    pub fn asked(&self, model: &Model, automata: Automata) -> anyhow::Result<Asked> {
        let mut given = model.given.iter();
        let mut properties = Vec::new();
        for (text, formula) in self.ltl.iter().zip(given.by_ref()) {
            properties.push(Property { name: text.clone(), meaning: Meaning::Formula(formula.clone()) });
        }
        for (name, automaton) in automata.forbidden {
            let conditions = conditions(&name, &automaton, &mut given)?;
            properties.push(Property { name, meaning: Meaning::Automaton(Box::new(automaton), conditions) });
        }
        let mut assumptions = Vec::new();
        for (name, automaton) in automata.fair {
            let conditions = conditions(&name, &automaton, &mut given)?;
            assumptions.push(Assumption { name, automaton, conditions });
        }
        for skeleton in self.skeletons()? {
            let formula = skeleton.with_atoms(&mut given).map_err(anyhow::Error::msg)?;
            let name = formula.name.clone();
            properties.push(Property { name, meaning: Meaning::Branching(Box::new(formula)) });
        }
        if self.non_progress {
            properties.push(Property::progress());
        }
        let mut stated = model.stated.clone();
        if has_accept_labels(&model.program) {
            stated.push(Property::accept_labels());
        }
        let mut safety = false;
        for name in &self.property {
            match stated.iter().find(|property| property.name == *name) {
                Some(found) => properties.push(found.clone()),
                None if name == "safety" => safety = true,
                None => {
                    let names: Vec<&str> = stated.iter().map(|property| &*property.name).collect();
                    let names = ["safety"].into_iter().chain(names).collect::<Vec<_>>().join(", ");
                    anyhow::bail!("the model has no property `{name}`; it has: {names}");
                }
            }
        }
        if properties.is_empty() && !safety {
            return Ok(Asked { safety: true, properties: stated, assumptions });
        }
        Ok(Asked { safety, properties, assumptions })
    }
}

/// In which order states are visited, or by which search cycles are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Search {
    /// Depth-first: the newest states first
    #[default]
    Dfs,
    /// Breadth-first: the shortest run to an error
    Bfs,
    /// Cycles: two passes, accepting nodes in a queue (Courcoubetis, Vardi, Wolper, Yannakakis, A)
    Queue,
    /// Cycles: the second search within the first (the same, B)
    Interleaved,
    /// Cycles: one stack, one table, a demon (Godefroid, Holzmann)
    Magic,
    /// Cycles: nested depth-first search, closed on the stack (Schwoon, Esparza)
    Nested,
    /// Cycles: strong components, judged when complete
    Tarjan,
    /// Cycles: strong components, judged as they grow; the default
    Couvreur,
    /// Cycles: the whole graph, then strong components backwards
    Kosaraju,
    /// Cycles: on the product with the property itself, if that is deterministic (Jard, Jéron)
    Deterministic,
    /// Cycles: nested depth-first search by all threads (Evangelista, Laarman, Petrucci, van de Pol)
    Cndfs,
    /// Cycles: strong components by all threads, in a shared union-find (Bloemen, Laarman, van de Pol)
    Ufscc,
    /// Judge nothing: visit the product of program and property once, to see what that costs
    Explore,
}

impl Search {
    /// The search for cycles, if it is one.
    pub fn algorithm(self) -> Option<Algorithm> {
        Some(match self {
            Search::Dfs | Search::Bfs | Search::Explore => return None,
            Search::Queue => Algorithm::Queue,
            Search::Interleaved => Algorithm::Interleaved,
            Search::Magic => Algorithm::Magic,
            Search::Nested => Algorithm::Nested,
            Search::Tarjan => Algorithm::Tarjan,
            Search::Couvreur => Algorithm::Couvreur,
            Search::Kosaraju => Algorithm::Kosaraju,
            Search::Deterministic => Algorithm::Deterministic,
            Search::Cndfs => Algorithm::Cndfs,
            Search::Ufscc => Algorithm::Ufscc,
        })
    }
}
