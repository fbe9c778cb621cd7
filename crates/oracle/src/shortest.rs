//! Is there a shorter forbidden run? All runs that are shorter are tried, one after the other.
//!
//! A run is as long as its prefix and its cycle together, counted in steps between states where a property looks; so an atomic sequence is one step, and so is the rest of a
//! run that has come to its end. No automaton takes part in it, but for runs whose beginning alone is forbidden.

use crate::forbidden::Forbidden;
use crate::graph::Step;
use model::system::Move;
use omega::automaton::{StateId, Tgba};
use omega::emptiness::is_empty;
use omega::translate::{Algorithm, Options, translate};
use omega::word::Lasso;
use search::liveness::fairness::{Actor, Fairness, Strength};
use std::collections::{BTreeSet, HashSet};

/// What was found among the runs that are shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shorter {
    /// There is none.
    Nothing,
    /// A shortest one, by numbers of states.
    Run(Lasso<usize>),
    /// There are too many to try.
    Unknown,
}

/// A way through the graph.
struct Way<'g> {
    states: Vec<usize>,
    steps: Vec<&'g Step>,
    /// So many more may be tried.
    work: usize,
}

impl<'g> Forbidden<'g> {
    /// A forbidden run of fewer steps than this, among those that are fair if that is asked. So many ways are tried at most.
    pub fn shorter(&self, length: usize, fairness: Option<Fairness>, work: usize) -> Shorter {
        let mut way = Way { states: Vec::new(), steps: Vec::new(), work };
        for longest in 1..length {
            for initial in 0..self.graph.initial {
                way.states.push(initial);
                let found = self.extend(&mut way, longest, fairness);
                way.states.pop();
                match found {
                    Some(Some(run)) => return Shorter::Run(run),
                    Some(None) => {}
                    None => return Shorter::Unknown,
                }
            }
        }
        Shorter::Nothing
    }

    /// Tries all ways that go on with so many steps; nothing if there are too many.
    fn extend(
        &self,
        way: &mut Way<'g>,
        left: usize,
        fairness: Option<Fairness>,
    ) -> Option<Option<Lasso<usize>>> {
        way.work = way.work.checked_sub(1)?;
        let last = *way.states.last()?;
        if left == 0 {
            return Some(self.closed(way, last, fairness));
        }
        let graph = self.graph;
        let mut targets = HashSet::new();
        for step in &graph.steps[last] {
            // Who moves matters only to fairness.
            if fairness.is_none() && !targets.insert(step.target) {
                continue;
            }
            way.states.push(step.target);
            way.steps.push(step);
            let found = self.extend(way, left - 1, fairness)?;
            way.states.pop();
            way.steps.pop();
            if found.is_some() {
                return Some(found);
            }
        }
        Some(None)
    }

    /// A forbidden run that goes this way, whose last state is one that it was in before.
    fn closed(&self, way: &Way<'_>, last: usize, fairness: Option<Fairness>) -> Option<Lasso<usize>> {
        let Way { states, steps, .. } = way;
        let end = steps.len();
        let is_fair = |start: usize| {
            fairness.is_none_or(|notion| self.is_fair(&states[start..end], &steps[start..], notion))
        };
        let starts = (0..end).filter(|&start| states[start] == last && is_fair(start));
        let mut runs = starts.map(|start| Lasso::new(states[..start].to_vec(), states[start..end].to_vec()));
        runs.find(|run| self.forbids(run))
    }

    /// Is a cycle of these states and steps fair, by the words of the definition?
    fn is_fair(&self, states: &[usize], steps: &[&Step], fairness: Fairness) -> bool {
        let name = |taken: &Move| {
            let what = (taken.process_type, taken.location, taken.transition);
            (taken.pid, (fairness.actor == Actor::Transition).then_some(what))
        };
        let enabled: Vec<HashSet<_>> =
            states.iter().map(|&state| self.graph.enabled[state].iter().map(name).collect()).collect();
        let moved: HashSet<_> = steps.iter().flat_map(|step| step.moves.iter().map(name)).collect();
        let mut everybody = enabled.iter().flatten();
        everybody.all(|who| {
            let waits = match fairness.strength {
                Strength::Weak => enabled.iter().all(|set| set.contains(who)),
                Strength::Strong => true,
            };
            !waits || moved.contains(who)
        })
    }

    /// The least number of steps after which no way to go on satisfies the formula; nothing if there is no formula, if that never happens, or if there are too many ways.
    pub fn least_prefix(&self, most: usize) -> Option<usize> {
        let (of, letters) = self.formula.as_ref()?;
        let mut formulas = of.formulas.clone();
        let options = Options { algorithm: Algorithm::Gpvw(Default::default()), ..Options::default() };
        let automaton = translate(&mut formulas, of.formula, options).ok()?;
        let atoms: Vec<usize> =
            automaton.atoms.iter().map(|name| formulas.atom_id(name).0 as usize).collect();
        let alive: Vec<bool> = automaton.states().map(|state| !is_dead(&automaton, state)).collect();
        let first: BTreeSet<usize> =
            automaton.initial.iter().map(|state| state.index()).filter(|&state| alive[state]).collect();
        let mut level: HashSet<(usize, BTreeSet<usize>)> =
            (0..self.graph.initial).map(|state| (state, first.clone())).collect();
        let mut known = level.clone();
        for steps in 0.. {
            let mut next = HashSet::new();
            for (state, places) in &level {
                let holds = |atom: u32| letters[*state][atoms[atom as usize]];
                let after: BTreeSet<usize> = places
                    .iter()
                    .flat_map(|&place| &automaton.edges[place])
                    .filter(|edge| alive[edge.target.index()] && automaton.guards.holds(edge.guard, holds))
                    .map(|edge| edge.target.index())
                    .collect();
                if after.is_empty() {
                    return Some(steps);
                }
                next.extend(self.graph.steps[*state].iter().map(|step| (step.target, after.clone())));
            }
            next.retain(|node| known.insert(node.clone()));
            if next.is_empty() || known.len() > most {
                return None;
            }
            level = next;
        }
        None
    }
}

/// Is nothing accepted from this state on?
fn is_dead(automaton: &Tgba, state: StateId) -> bool {
    let mut from = automaton.clone();
    from.initial = vec![state];
    is_empty(&mut from)
}
