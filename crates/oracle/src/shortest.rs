//! Is there a shorter forbidden run? Tries all shorter runs, one after the other.
//!
//! The length of a run is that of its prefix and its cycle together, counted in steps between
//! observed states; an atomic sequence is one step, and so is the stuttering of a run that has
//! ended. No automaton is used, except for runs with a bad prefix.

use crate::forbidden::Forbidden;
use crate::graph::Step;
use lariat_ir::system::Move;
use lariat_ltl::automaton::{StateId, Tgba};
use lariat_ltl::emptiness::is_empty;
use lariat_ltl::translate::{Algorithm, Options, translate};
use lariat_ltl::word::Lasso;
use lariat_search::liveness::fairness::{Actor, Fairness, Strength};
use std::collections::{BTreeSet, HashSet};

/// The result of trying all shorter runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shorter {
    /// No shorter run is forbidden.
    Nothing,
    /// A shortest one, by numbers of states.
    Run(Lasso<usize>),
    /// There are too many runs to try.
    Unknown,
}

/// A path through the graph.
struct PartialRun<'g> {
    states: Vec<usize>,
    steps: Vec<&'g Step>,
    /// The number of paths that may still be tried.
    work: usize,
}

impl<'g> Forbidden<'g> {
    /// A forbidden run of fewer steps than `length` that is fair, if fairness is given. Tries at
    /// most `work` paths.
    pub fn shorter(&self, length: usize, fairness: Option<Fairness>, work: usize) -> Shorter {
        let mut path = PartialRun { states: Vec::new(), steps: Vec::new(), work };
        for longest in 1..length {
            for initial in 0..self.graph.initial {
                path.states.push(initial);
                let found = self.extend(&mut path, longest, fairness);
                path.states.pop();
                match found {
                    Some(Some(run)) => return Shorter::Run(run),
                    Some(None) => {}
                    None => return Shorter::Unknown,
                }
            }
        }
        Shorter::Nothing
    }

    /// Tries all paths with exactly this many further steps; `None` if there are too many.
    fn extend(
        &self,
        path: &mut PartialRun<'g>,
        left: usize,
        fairness: Option<Fairness>,
    ) -> Option<Option<Lasso<usize>>> {
        path.work = path.work.checked_sub(1)?;
        let last = *path.states.last()?;
        if left == 0 {
            return Some(self.close_lasso(path, last, fairness));
        }
        let graph = self.graph;
        let mut targets = HashSet::new();
        for step in &graph.steps[last] {
            // Only fairness depends on the actors.
            if fairness.is_none() && !targets.insert(step.target) {
                continue;
            }
            path.states.push(step.target);
            path.steps.push(step);
            let found = self.extend(path, left - 1, fairness)?;
            path.states.pop();
            path.steps.pop();
            if found.is_some() {
                return Some(found);
            }
        }
        Some(None)
    }

    /// A forbidden run along this path, whose last state occurs on it before.
    fn close_lasso(
        &self,
        path: &PartialRun<'_>,
        last: usize,
        fairness: Option<Fairness>,
    ) -> Option<Lasso<usize>> {
        let PartialRun { states, steps, .. } = path;
        let end = steps.len();
        let is_fair = |start: usize| {
            fairness.is_none_or(|notion| self.is_fair(&states[start..end], &steps[start..], notion))
        };
        let starts = (0..end).filter(|&start| states[start] == last && is_fair(start));
        let mut runs =
            starts.map(|start| Lasso::new(states[..start].to_vec(), states[start..end].to_vec()));
        runs.find(|run| self.forbids(run))
    }

    /// Is a cycle of these states and steps fair, by definition?
    fn is_fair(&self, states: &[usize], steps: &[&Step], fairness: Fairness) -> bool {
        let name = |taken: &Move| {
            let what = (taken.process_type, taken.location, taken.transition);
            (taken.pid, (fairness.actor == Actor::Transition).then_some(what))
        };
        let enabled: Vec<HashSet<_>> = states
            .iter()
            .map(|&state| self.graph.enabled[state].iter().map(name).collect())
            .collect();
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

    /// The least number of steps after which no continuation satisfies the formula: a shortest bad
    /// prefix. `None` if there is no formula or no bad prefix, or if there are too many paths.
    pub fn least_prefix(&self, most: usize) -> Option<usize> {
        let (of, letters) = self.formula.as_ref()?;
        let mut formulas = of.formulas.clone();
        let options =
            Options { algorithm: Algorithm::Gpvw(Default::default()), ..Options::default() };
        let automaton = translate(&mut formulas, of.formula, options).ok()?;
        let atoms: Vec<usize> =
            automaton.atoms.iter().map(|name| formulas.atom_id(name).0 as usize).collect();
        let alive: Vec<bool> =
            automaton.states().map(|state| !is_dead(&automaton, state)).collect();
        let first: BTreeSet<usize> = automaton
            .initial
            .iter()
            .map(|state| state.index())
            .filter(|&state| alive[state])
            .collect();
        let mut level: HashSet<(usize, BTreeSet<usize>)> =
            (0..self.graph.initial).map(|state| (state, first.clone())).collect();
        let mut known = level.clone();
        for steps in 0.. {
            let mut next = HashSet::new();
            for (state, positions) in &level {
                let holds = |atom: u32| letters[*state][atoms[atom as usize]];
                let after: BTreeSet<usize> = positions
                    .iter()
                    .flat_map(|&position| &automaton.edges[position])
                    .filter(|edge| {
                        alive[edge.target.index()] && automaton.guards.holds(edge.guard, holds)
                    })
                    .map(|edge| edge.target.index())
                    .collect();
                if after.is_empty() {
                    return Some(steps);
                }
                next.extend(
                    self.graph.steps[*state].iter().map(|step| (step.target, after.clone())),
                );
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

/// Is no word accepted from this state?
fn is_dead(automaton: &Tgba, state: StateId) -> bool {
    let mut from = automaton.clone();
    from.initial = vec![state];
    is_empty(&mut from)
}
