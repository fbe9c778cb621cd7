//! Chooses the automaton, the search, the store and the reduction for a property of single runs.
//!
//! Pure: a plan depends only on the settings, the requested store and the shape of the automaton.
//! [`form`] names the automaton to translate first; [`plan`] decides when its shape is known.

use super::Settings;
use super::automaton::{AutomatonForm, Unsuitable};
use super::reduction::Version;
use lariat_search::StoreKind;
use lariat_search::liveness::Algorithm;
use lariat_search::product::{Monitor, Shape, Tail, has_cycles};
use std::fmt;

/// How a property is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The search of the product.
    pub search: PlannedSearch,
    /// Where the states of the product are stored.
    pub store: ProductStore,
    /// The automaton that the search needs.
    pub form: AutomatonForm,
    /// The reduction of the program.
    pub version: Version,
    /// Why this search was chosen, for reports.
    pub reason: &'static str,
}

/// A search of the product of program and automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedSearch {
    /// The automaton is empty: the property holds without a search.
    Nothing,
    /// Reachability of a state in which the automaton accepts every continuation.
    Reachability,
    /// One visit of the product that decides nothing.
    Explore,
    /// A search for accepting cycles.
    Cycles {
        /// The search to begin with.
        algorithm: Algorithm,
        /// The search that all threads switch to if the product is large.
        when_large: Option<Algorithm>,
    },
}

/// The store of the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductStore {
    /// The table of the cycle searches, which holds their colours.
    Table,
    /// The store that the user requested.
    Requested,
}

/// The properties of an automaton that a plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomatonFacts {
    /// The class of searches that the automaton admits.
    pub shape: Shape,
    /// Every strongly connected component is accepting or rejecting as a whole.
    pub is_weak: bool,
    /// A finite run is extended by repeating its last state.
    pub stutters: bool,
}

impl From<&Monitor> for AutomatonFacts {
    fn from(monitor: &Monitor) -> AutomatonFacts {
        let (shape, is_weak) = (monitor.shape(), monitor.is_weak());
        AutomatonFacts { shape, is_weak, stutters: monitor.stutters() }
    }
}

/// For weak automata: a cycle is judged when it closes, so depth-first search with two bits per
/// node suffices.
const WEAK: PlannedSearch =
    PlannedSearch::Cycles { algorithm: Algorithm::Nested, when_large: Some(Algorithm::Cndfs) };
const GENERAL: PlannedSearch =
    PlannedSearch::Cycles { algorithm: Algorithm::Couvreur, when_large: Some(Algorithm::Ufscc) };

/// The automaton to translate first. [`plan`] may choose another one.
///
/// # Errors
/// The settings contradict each other.
pub fn form(settings: &Settings) -> Result<AutomatonForm, Unsuitable> {
    let (hybrid, fair) = (settings.hybrid, settings.fairness.is_some());
    match settings.algorithm {
        _ if settings.explore && settings.is_hybrid() => Err(Unsuitable::ExploreHybrid),
        _ if settings.explore => Ok(AutomatonForm::Generalized),
        Some(Algorithm::Magic) if !fair => Ok(AutomatonForm::of(settings.algorithm)),
        _ if hybrid == Some(Tail::None) => Err(Unsuitable::NoDemon),
        Some(Algorithm::Deterministic) if fair => Err(Unsuitable::DeterministicFair),
        _ => Ok(AutomatonForm::of(settings.algorithm)),
    }
}

/// Chooses the search for an automaton that was translated in the form that [`form`] returned.
pub fn plan(settings: &Settings, store: &StoreKind, facts: AutomatonFacts) -> Plan {
    // Reductions preserve runs, but neither fairness nor the number of steps.
    let version = match settings.fairness.is_some() || settings.shortest {
        true => Version::Written,
        false => Version::usual(settings.raw),
    };
    let (search, reason) = choose(settings, facts);
    let mut plan = Plan {
        search,
        store: ProductStore::Requested,
        form: if settings.explore {
            AutomatonForm::Generalized
        } else {
            AutomatonForm::of(settings.algorithm)
        },
        version,
        reason,
    };
    if !matches!(search, PlannedSearch::Cycles { .. }) {
        return plan;
    }
    let stores_cycles = has_cycles(store)
        && settings.fairness.is_none()
        && settings.hybrid.is_none()
        && !settings.shortest;
    match settings.algorithm {
        Some(Algorithm::Nested) if stores_cycles => {
            plan.reason = "as requested, in the requested store";
        }
        None if stores_cycles => {
            plan.search = PlannedSearch::Cycles { algorithm: Algorithm::Nested, when_large: None };
            plan.reason = "a violation is a cycle, searched for in the requested store";
            if !facts.is_weak {
                plan.form = AutomatonForm::Buchi;
            }
        }
        _ => plan.store = ProductStore::Table,
    }
    plan
}

/// The search, without regard to the store.
fn choose(settings: &Settings, facts: AutomatonFacts) -> (PlannedSearch, &'static str) {
    if settings.explore {
        let reason = "the product is visited once and nothing is decided";
        return (PlannedSearch::Explore, reason);
    }
    if let Some(algorithm) = settings.algorithm {
        return (PlannedSearch::Cycles { algorithm, when_large: None }, "as requested");
    }
    match facts.shape {
        Shape::Empty => (PlannedSearch::Nothing, "no run can violate the property"),
        // Only cycle searches have hybrid storage.
        Shape::Terminal if facts.stutters && !settings.is_hybrid() => {
            (PlannedSearch::Reachability, "a violation shows in finite time")
        }
        // Fairness is decided on whole components.
        Shape::Terminal | Shape::Weak if facts.is_weak && settings.fairness.is_none() => {
            (WEAK, "a violation is a cycle; the automaton is weak")
        }
        Shape::Terminal | Shape::Weak | Shape::General => (GENERAL, "a violation is a cycle"),
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.search {
            PlannedSearch::Nothing => out.write_str("no search"),
            PlannedSearch::Reachability => out.write_str("reachability"),
            PlannedSearch::Explore => out.write_str("explore"),
            PlannedSearch::Cycles { algorithm, when_large: None } => {
                out.write_str(algorithm.name())
            }
            PlannedSearch::Cycles { algorithm, when_large: Some(large) } => {
                write!(out, "{}, {} if large", algorithm.name(), large.name())
            }
        }?;
        let automaton = match self.form {
            AutomatonForm::Generalized => "generalized automaton",
            AutomatonForm::Buchi => "Büchi automaton",
            AutomatonForm::Deterministic => "deterministic automaton",
        };
        let store = match self.store {
            ProductStore::Table => "own table",
            ProductStore::Requested => "requested store",
        };
        let program = match self.version {
            Version::Written => "program as written",
            Version::SameStates => "program with merged atomic steps",
            Version::Reduced => "reduced program",
        };
        write!(out, "; {automaton}; {store}; {program} ({})", self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_search::liveness::fairness::{Actor, Fairness, Strength};

    const BITSTATE: StoreKind = StoreKind::Bitstate { functions: 3, bytes: None, seed: 0 };
    const WEAK_FAIRNESS: Fairness = Fairness { strength: Strength::Weak, actor: Actor::Process };

    fn facts(shape: Shape) -> AutomatonFacts {
        AutomatonFacts { shape, is_weak: shape != Shape::General, stutters: true }
    }

    #[test]
    fn plans() {
        let automatic = Settings::default();
        let fair = Settings { fairness: Some(WEAK_FAIRNESS), ..Settings::default() };
        let raw = Settings { raw: true, ..Settings::default() };
        let explore = Settings { explore: true, ..Settings::default() };
        let nested = Settings { algorithm: Some(Algorithm::Nested), ..Settings::default() };
        let shortest = Settings { shortest: true, ..Settings::default() };
        let packets = Settings { hybrid: Some(Tail::Property), ..Settings::default() };
        let auto = StoreKind::Automatic;
        let table = [
            (
                &automatic,
                &auto,
                Shape::Empty,
                "no search; generalized automaton; requested store; reduced program (no run can violate the property)",
            ),
            (
                &automatic,
                &auto,
                Shape::Terminal,
                "reachability; generalized automaton; requested store; reduced program (a violation shows in finite time)",
            ),
            (
                &automatic,
                &auto,
                Shape::Weak,
                "nested, cndfs if large; generalized automaton; own table; reduced program (a violation is a cycle; the automaton is weak)",
            ),
            (
                &automatic,
                &auto,
                Shape::General,
                "couvreur, ufscc if large; generalized automaton; own table; reduced program (a violation is a cycle)",
            ),
            (
                &automatic,
                &BITSTATE,
                Shape::Terminal,
                "reachability; generalized automaton; requested store; reduced program (a violation shows in finite time)",
            ),
            (
                &automatic,
                &BITSTATE,
                Shape::Weak,
                "nested; generalized automaton; requested store; reduced program (a violation is a cycle, searched for in the requested store)",
            ),
            (
                &automatic,
                &BITSTATE,
                Shape::General,
                "nested; Büchi automaton; requested store; reduced program (a violation is a cycle, searched for in the requested store)",
            ),
            (
                &fair,
                &BITSTATE,
                Shape::Weak,
                "couvreur, ufscc if large; generalized automaton; own table; program as written (a violation is a cycle)",
            ),
            (
                &raw,
                &auto,
                Shape::General,
                "couvreur, ufscc if large; generalized automaton; own table; program with merged atomic steps (a violation is a cycle)",
            ),
            (
                &explore,
                &auto,
                Shape::General,
                "explore; generalized automaton; requested store; reduced program (the product is visited once and nothing is decided)",
            ),
            (
                &nested,
                &auto,
                Shape::General,
                "nested; Büchi automaton; own table; reduced program (as requested)",
            ),
            (
                &nested,
                &BITSTATE,
                Shape::General,
                "nested; Büchi automaton; requested store; reduced program (as requested, in the requested store)",
            ),
            (
                &shortest,
                &BITSTATE,
                Shape::Weak,
                "nested, cndfs if large; generalized automaton; own table; program as written (a violation is a cycle; the automaton is weak)",
            ),
            (
                &packets,
                &auto,
                Shape::Terminal,
                "nested, cndfs if large; generalized automaton; own table; reduced program (a violation is a cycle; the automaton is weak)",
            ),
        ];
        for (settings, store, shape, expected) in table {
            assert_eq!(plan(settings, store, facts(shape)).to_string(), expected);
        }
    }

    #[test]
    fn forms() {
        let with = |algorithm| Settings { algorithm: Some(algorithm), ..Settings::default() };
        let no_tail = Some(Tail::None);
        let table = [
            (Settings::default(), Ok(AutomatonForm::Generalized)),
            (with(Algorithm::Couvreur), Ok(AutomatonForm::Generalized)),
            (with(Algorithm::Nested), Ok(AutomatonForm::Buchi)),
            (with(Algorithm::Deterministic), Ok(AutomatonForm::Deterministic)),
            (
                Settings { fairness: Some(WEAK_FAIRNESS), ..with(Algorithm::Deterministic) },
                Err(Unsuitable::DeterministicFair),
            ),
            (Settings { hybrid: no_tail, ..Settings::default() }, Err(Unsuitable::NoDemon)),
            (Settings { hybrid: no_tail, ..with(Algorithm::Magic) }, Ok(AutomatonForm::Buchi)),
            (
                Settings {
                    hybrid: no_tail,
                    fairness: Some(WEAK_FAIRNESS),
                    ..with(Algorithm::Magic)
                },
                Err(Unsuitable::NoDemon),
            ),
            (
                Settings { hybrid: no_tail, explore: true, ..Settings::default() },
                Err(Unsuitable::ExploreHybrid),
            ),
        ];
        for (settings, expected) in table {
            assert_eq!(form(&settings), expected, "{settings:?}");
        }
    }
}
