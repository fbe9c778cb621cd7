//! The flags that say which properties to check, and how.

use anyhow::Context;
use clap::{Args, ValueEnum};
use lariat::load::Model;
use lariat::property::{self, Meaning, Property, Skeleton, has_accept_labels};
use omega::automaton::Tgba;
use search::liveness::Algorithm;
use search::liveness::fairness;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

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

    /// Look only at runs that treat processes, or their transitions, fairly
    #[arg(long, value_enum, default_value_t, value_name = "NOTION")]
    fairness: Fairness,

    /// Show a violation than which none is shorter
    #[arg(long)]
    pub shortest: bool,
}

/// Who is never kept waiting forever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Fairness {
    /// Every run counts
    #[default]
    None,
    /// A process that can always move from some point on does move
    WeakProcess,
    /// A process that can move again and again does move
    StrongProcess,
    /// A transition that is always possible from some point on is taken
    WeakTransition,
    /// A transition that is possible again and again is taken
    StrongTransition,
}

impl Fairness {
    fn notion(self) -> Option<fairness::Fairness> {
        use fairness::{Actor, Strength};
        let (strength, actor) = match self {
            Fairness::None => return None,
            Fairness::WeakProcess => (Strength::Weak, Actor::Process),
            Fairness::StrongProcess => (Strength::Strong, Actor::Process),
            Fairness::WeakTransition => (Strength::Weak, Actor::Transition),
            Fairness::StrongTransition => (Strength::Strong, Actor::Transition),
        };
        Some(fairness::Fairness { strength, actor })
    }
}

/// What is to be checked.
pub struct Asked {
    pub safety: bool,
    pub properties: Vec<Property>,
}

/// An automaton that was read: its name, itself, and the texts of its atoms.
pub type Read = Vec<(String, Tgba)>;

impl Properties {
    /// Reads the automata that are given.
    pub fn automata(&self) -> anyhow::Result<Read> {
        let mut all = Vec::new();
        for path in &self.automaton {
            let shown = path.display();
            let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
            let mut reader = omega::hoa::Reader::new(BufReader::new(file));
            let first = reader.next().with_context(|| format!("{shown}: there is no automaton in it"))?;
            let automaton = first.with_context(|| format!("{shown}: not an automaton"))?;
            let automaton = automaton.to_tgba().with_context(|| format!("{shown}: cannot be used"))?;
            all.push((shown.to_string(), automaton));
        }
        Ok(all)
    }

    /// The fairness to assume.
    pub fn fairness(&self) -> Option<fairness::Fairness> {
        self.fairness.notion()
    }

    /// The formulas of branching time, with atoms that are still texts.
    fn skeletons(&self) -> anyhow::Result<Vec<Skeleton>> {
        self.ctl.iter().map(|text| Skeleton::read(text).map_err(anyhow::Error::msg)).collect()
    }

    /// What must be read as if it stood in the model: the formulas, then the atoms of the automata, then those of formulas of branching
    /// time.
    pub fn texts(&self, automata: &Read) -> anyhow::Result<Vec<String>> {
        let skeletons = self.skeletons()?;
        let of_skeletons = skeletons.iter().flat_map(Skeleton::texts);
        let atoms = automata.iter().flat_map(|(_, automaton)| &automaton.atoms);
        let of_automata = atoms.map(|name| format!("({name})"));
        Ok(self.ltl.iter().cloned().chain(of_automata).chain(of_skeletons).collect())
    }

    /// What to check in a model that was loaded with these texts.
    pub fn asked(&self, model: &Model, automata: Read) -> anyhow::Result<Asked> {
        let mut given = model.given.iter();
        let mut properties = Vec::new();
        for (text, formula) in self.ltl.iter().zip(given.by_ref()) {
            properties.push(Property { name: text.clone(), meaning: Meaning::Formula(formula.clone()) });
        }
        for (name, automaton) in automata {
            let mut conditions = Vec::new();
            for atom in &automaton.atoms {
                let condition = given.next().and_then(property::condition);
                conditions
                    .push(condition.with_context(|| {
                        format!("{name}: the atom `{atom}` is not a condition on states")
                    })?);
            }
            properties.push(Property { name, meaning: Meaning::Automaton(Box::new(automaton), conditions) });
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
            return Ok(Asked { safety: true, properties: stated });
        }
        Ok(Asked { safety, properties })
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
}

impl Search {
    /// The search for cycles, if it is one.
    pub fn algorithm(self) -> Option<Algorithm> {
        Some(match self {
            Search::Dfs | Search::Bfs => return None,
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
