//! Configurations for checking a property: every search, store, engine and number of threads.
//! Lariat itself rejects invalid combinations, so this file does not list them.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use lariat::{Engine, Settings};
use lariat_ir::Budget;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::product::Tail;
use lariat_search::{Limits, Options, Order, Replacement, StoreKind};

use crate::fuzz::random::Random;

/// One configuration.
#[derive(Debug, Clone)]
pub struct Configuration {
    pub choice: Settings,
    pub store: StoreKind,
    order: Order,
    threads: usize,
    join_after: Option<u64>,
}

/// Number of nodes after which other threads join, so that they also join in small products.
const EARLY: u64 = 30;

/// Enough states for random programs.
const STATES: u64 = 20_000;

/// Searching for a shortest fair run may take very long.
pub const PATIENCE: Duration = Duration::from_secs(10);

impl Configuration {
    /// A random configuration; options are drawn independently, so that every pair of options
    /// eventually occurs.
    pub fn random(
        random: &mut Random,
        fairness: Option<Fairness>,
        directory: &Path,
    ) -> Configuration {
        let algorithm = (!random.percent(30)).then(|| *random.pick(&Algorithm::ALL));
        let hybrid = random.percent(50).then(|| *random.pick(&Tail::ALL));
        // Stores and late-joining threads apply only to searches that are chosen automatically.
        let store = random.pick(&stores(directory)).clone();
        let order = if random.percent(25) { Order::BreadthFirst } else { Order::DepthFirst };
        Configuration {
            choice: Settings {
                engine: if random.percent(40) { Engine::Native } else { Engine::Interpreter },
                raw: random.percent(50),
                algorithm,
                hybrid,
                shortest: random.percent(25),
                simplify: random.percent(50),
                fairness,
                ..Settings::default()
            },
            order: if matches!(store, StoreKind::Disk { .. }) {
                Order::BreadthFirst
            } else {
                order
            },
            store,
            threads: random.between(1, 3),
            join_after: random.percent(50).then_some(EARLY),
        }
    }

    /// The default search and store, with a shortest run half of the time. These searches adapt
    /// to the size of the product.
    pub fn with_defaults(random: &mut Random, directory: &Path) -> Configuration {
        let any = Configuration::random(random, None, directory);
        let shortest = random.percent(50);
        Configuration {
            choice: Settings { algorithm: None, hybrid: None, shortest, ..any.choice },
            join_after: *random.pick(&[None, Some(EARLY), Some(10 * EARLY)]),
            ..any
        }
    }

    /// Several threads on a product that is large enough for them to join by default.
    pub fn sharing(
        usual: &Configuration,
        algorithm: Option<Algorithm>,
        fairness: Option<Fairness>,
    ) -> Configuration {
        let choice = Settings {
            engine: Engine::Native,
            raw: true,
            algorithm,
            hybrid: None,
            shortest: false,
            fairness,
            ..usual.choice.clone()
        };
        let threads = usual.threads.max(2);
        Configuration {
            choice,
            store: StoreKind::Automatic,
            order: Order::DepthFirst,
            threads,
            join_after: None,
        }
    }

    pub fn options<'b>(&self, budget: &'b Budget) -> Options<'b> {
        Options {
            order: self.order,
            threads: NonZeroUsize::new(self.threads),
            join_after: self.join_after,
            store: self.store.clone(),
            limits: Limits { states: Some(STATES), budget, ..Limits::default() },
            ..Options::default()
        }
    }

    /// The names and values of its options. A store counts only where it was used.
    pub fn settings(&self, uses_store: bool) -> Vec<(&'static str, String)> {
        let choice = &self.choice;
        let named = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let mut all = vec![
            ("search", choice.algorithm.map_or("default", Algorithm::name).to_owned()),
            (
                "hybrid",
                choice
                    .hybrid
                    .map_or("default".to_owned(), |tail| format!("{tail:?}").to_lowercase()),
            ),
            ("engine", format!("{:?}", choice.engine).to_lowercase()),
            ("raw", named(choice.raw)),
            ("shortest", named(choice.shortest)),
            ("threads", self.threads.to_string()),
            ("fairness", choice.fairness.map_or("none", Fairness::name).to_owned()),
        ];
        if uses_store {
            all.push(("store", store_name(&self.store).to_owned()));
        }
        all
    }
}

/// Every store, with little memory.
fn stores(directory: &Path) -> [StoreKind; 7] {
    [
        StoreKind::Automatic,
        StoreKind::Packed,
        StoreKind::Interned,
        StoreKind::compact(),
        StoreKind::Bitstate { functions: 3, bytes: Some(1 << 20), seed: 0 },
        StoreKind::Cache {
            states: Some(20_000),
            replacement: Replacement::Layers,
            sleep_sets: false,
            seed: 0,
        },
        StoreKind::Disk { directory: directory.to_path_buf() },
    ]
}

/// The name of the store on the command line.
fn store_name(store: &StoreKind) -> &'static str {
    match store {
        StoreKind::Automatic => "auto",
        StoreKind::Packed => "packed",
        StoreKind::Interned => "interned",
        StoreKind::Compact { .. } => "compact",
        StoreKind::Bitstate { .. } => "bitstate",
        StoreKind::Cache { .. } => "cache",
        StoreKind::Disk { .. } => "disk",
    }
}

/// Command-line options: the default, then every option by itself.
pub fn one_by_one() -> Vec<Vec<String>> {
    let mut all: Vec<Vec<&str>> = vec![
        vec![],
        vec!["--raw"],
        vec!["--shortest"],
        vec!["--engine", "interp"],
        vec!["--search", "bfs"],
    ];
    all.extend(["1", "2"].map(|threads| vec!["--threads", threads]));
    for algorithm in Algorithm::ALL {
        let search = vec!["--search", algorithm.name()];
        if algorithm.is_parallel() {
            all.extend(["1", "2"].map(|threads| [&search[..], &["--threads", threads]].concat()));
        } else {
            all.push(search);
        }
    }
    let stores = stores(Path::new(""));
    all.extend(stores.iter().skip(1).map(|store| vec!["--store", store_name(store)]));
    all.extend(["demon", "property"].map(|tail| vec!["--hybrid", tail]));
    all.push(vec!["--search", "magic", "--hybrid", "none"]);
    all.into_iter()
        .map(|configuration| configuration.into_iter().map(str::to_owned).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A few hundred configurations contain every pair of options.
    #[test]
    fn pairs() {
        let mut random = Random::new(1);
        let mut met = BTreeSet::new();
        let mut pairs = BTreeSet::new();
        for _ in 0..3000 {
            let configuration = Configuration::random(&mut random, None, Path::new(""));
            let settings = configuration.settings(true);
            for (first, second) in
                settings.iter().flat_map(|a| settings.iter().map(move |b| (a, b)))
            {
                met.insert(first.clone());
                pairs.insert((first.clone(), second.clone()));
            }
        }
        for first in &met {
            for second in met.iter().filter(|second| second.0 != first.0) {
                assert!(pairs.contains(&(first.clone(), second.clone())), "{first:?} {second:?}");
            }
        }
        let searches = met.iter().filter(|(axis, _)| *axis == "search").count();
        assert_eq!(searches, Algorithm::ALL.len() + 1);
    }
}
