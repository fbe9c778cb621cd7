//! Divergence: runs that stay inside an atomic sequence forever.
//!
//! A property does not observe the states inside an atomic sequence. A run that enters one in a
//! stored state `s` and never leaves it therefore looks, to the property, like a run that stays in
//! `s` forever. It is forbidden if the automaton accepts the letter of `s` repeated forever, from
//! the automaton state reached at `s`. The searches for cycles see stored states only and cannot
//! find such a run; [`find`] looks for one after a search without a result.
//!
//! Fairness depends on the states inside the sequence: only processes that have control are enabled
//! there. The automaton and the program move independently of each other here, because the letter
//! does not change, so [`endless_run`] depends on the program alone.

use crate::limits::Limit;
use crate::liveness::fairness::{ActorSet, FairEdge, FairGraph, LassoStep, Strength, search};
use crate::liveness::{Edge, Graph, Lasso, Node};
use crate::product::actors::ActorNumbers;
use crate::product::answer::LassoRun;
use crate::product::graph::{ProductError, ProductGraph};
use crate::product::reconstruction::program_steps;
use crate::reach::atomic::{ExpansionError, check_finished};
use lariat_ir::observe::Observable;
use lariat_ir::system::{StepCode, Successors, TransitionSystem};
use rapidhash::{RapidHashMap, RapidHashSet};

/// The steps of a run that never leaves an atomic sequence, from the stored state before it.
#[derive(Debug)]
pub(crate) struct EndlessRun {
    pub prefix: Vec<StepCode>,
    pub cycle: Vec<StepCode>,
}

/// The meaning of the automaton's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The automaton accepts the forbidden runs.
    ForbiddenRuns,
    /// The automaton is deterministic and accepts the allowed runs.
    AllowedRuns,
}

/// Searches for a forbidden run that stays inside an atomic sequence forever, with a shortest
/// prefix. With a notion of fairness, only fair runs count. Visits the whole product, breadth
/// first.
pub(super) fn find<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    meaning: Meaning,
    fairness: Option<Strength>,
) -> Result<Option<LassoRun>, ProductError> {
    graph.limits_lifted = false;
    let initial = graph.initial()?;
    // In the order of discovery: the node, and the position of its predecessor.
    let mut queue: Vec<(Node, usize)> = initial.iter().map(|&node| (node, usize::MAX)).collect();
    let mut visited: RapidHashSet<Node> = initial.iter().copied().collect();
    let mut accepted: RapidHashMap<(u32, Vec<u64>), bool> = RapidHashMap::default();
    let (mut edges, mut letter) = (Vec::new(), Vec::new());
    let mut next = 0;
    while let Some(&(node, _)) = queue.get(next) {
        edges.clear();
        if graph.diverges(|graph| graph.successors(node, &mut edges))? {
            graph.letter(node, &mut letter)?;
            let state = graph.automaton_state(node);
            let accepts = *accepted
                .entry((state, letter.clone()))
                .or_insert_with(|| graph.product().monitor().accepts_forever(state, &letter));
            if accepts == (meaning == Meaning::ForbiddenRuns)
                && let Some(run) = endless_run(graph, node, fairness)?
            {
                graph.lift_limits();
                return joined(graph, &path_to(&queue, next), &run).map(Some);
            }
        }
        for edge in &edges {
            if visited.insert(edge.target) {
                queue.push((edge.target, next));
            }
        }
        next += 1;
    }
    Ok(None)
}

/// The nodes from an initial node to the one at this position of the queue.
fn path_to(queue: &[(Node, usize)], position: usize) -> Vec<Node> {
    let positions = std::iter::successors(Some(position), |&position| {
        Some(queue[position].1).filter(|&predecessor| predecessor != usize::MAX)
    });
    let mut nodes: Vec<Node> = positions.map(|position| queue[position].0).collect();
    nodes.reverse();
    nodes
}

/// The steps along a path of the product, then those of the endless run.
fn joined<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    nodes: &[Node],
    endless: &EndlessRun,
) -> Result<LassoRun, ProductError> {
    let mut run = program_steps(graph, &Lasso { prefix: nodes.to_vec(), cycle: Vec::new() })?;
    let product = graph.product();
    run.prefix.extend(endless.prefix.iter().map(|&code| product.step(code)));
    run.cycle.extend(endless.cycle.iter().map(|&code| product.step(code)));
    Ok(run)
}

/// A run of the program that enters an atomic sequence in this node and never leaves it; a fair one
/// if fairness is given.
pub(crate) fn endless_run<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    node: Node,
    fairness: Option<Strength>,
) -> Result<Option<EndlessRun>, ProductError> {
    loop {
        let mut inside = AtomicSequenceGraph::new(graph, node, fairness.is_some());
        let found = search(&mut inside, fairness.unwrap_or(Strength::Weak));
        let found = found.and_then(|lasso| {
            let Some(lasso) = lasso else { return Ok(None) };
            let (prefix, cycle) =
                (inside.lasso_codes(&lasso.prefix)?, inside.lasso_codes(&lasso.cycle)?);
            Ok(Some(EndlessRun { prefix, cycle }))
        });
        match (found, graph.misfit.take()) {
            // Start again, with states in the wider layout.
            (Err(ProductError::FixedLayout), Some(misfit)) => graph.widen(&misfit)?,
            (found, _) => return found,
        }
    }
}

/// The states of the program inside the atomic sequences that begin in one stored state, as a
/// graph. Node 0 is the stored state itself; steps that leave the sequences are omitted.
struct AtomicSequenceGraph<'g, 'm, 'a, S: Observable> {
    graph: &'g mut ProductGraph<'m, 'a, S>,
    /// Is fairness considered?
    fair: bool,
    states: Vec<Box<[u64]>>,
    numbers: RapidHashMap<Box<[u64]>, Node>,
    successors: Successors,
}

impl<'g, 'm, 'a, S: Observable> AtomicSequenceGraph<'g, 'm, 'a, S> {
    fn new(graph: &'g mut ProductGraph<'m, 'a, S>, node: Node, fair: bool) -> Self {
        graph.load(node);
        let product = &graph.nodes.product;
        let mut state = Vec::new();
        product.program_state(&graph.state, &mut state);
        let successors = Successors::new(product.program_width());
        let states = vec![state.into_boxed_slice()];
        AtomicSequenceGraph { graph, fair, states, numbers: RapidHashMap::default(), successors }
    }

    /// Computes all steps from a node into `self.successors`.
    fn compute_successors(&mut self, node: Node) -> Result<(), ProductError> {
        self.graph.tick()?;
        self.successors.clear();
        let system = self.graph.nodes.product.system();
        let made = system.successors(&self.states[node as usize], &mut self.successors);
        made.map_err(|misfit| self.graph.fixed_layout_error(misfit))?;
        match check_finished(&self.successors) {
            Err(ExpansionError::Unfinished(limit)) if limit != Limit::Interrupted => {
                Err(ProductError::Limit(limit))
            }
            Err(_) => Err(self.graph.stopped()),
            Ok(()) => Ok(()),
        }
    }

    /// The steps in `self.successors` that stay inside.
    fn inner_steps(&self) -> impl Iterator<Item = (StepCode, &[u64])> {
        let stays =
            |code: StepCode| code.is_transient() && !code.is_stopped() && !code.is_refused();
        let all = (0..self.successors.len()).map(|index| (self.successors.code(index), index));
        all.filter(move |(code, _)| stays(*code))
            .map(|(code, index)| (code, self.successors.state(index)))
    }

    /// The edges of the steps in `self.successors`.
    fn edges(&mut self) -> Vec<(StepCode, Edge)> {
        let AtomicSequenceGraph { states, numbers, .. } = self;
        let (mut states, mut numbers) = (std::mem::take(states), std::mem::take(numbers));
        let edge = |(code, state): (StepCode, &[u64])| {
            let target = *numbers.entry(state.into()).or_insert_with(|| {
                states.push(state.into());
                states.len() as Node - 1
            });
            (code, Edge { marks: 0, target })
        };
        let edges = self.inner_steps().map(edge).collect();
        (self.states, self.numbers) = (states, numbers);
        edges
    }

    /// The codes of the steps of a lasso in this graph.
    fn lasso_codes(&mut self, steps: &[LassoStep]) -> Result<Vec<StepCode>, ProductError> {
        let mut lasso_codes = Vec::with_capacity(steps.len());
        for step in steps {
            self.compute_successors(step.node)?;
            lasso_codes.extend(self.inner_steps().nth(step.edge).map(|(code, _)| code));
        }
        Ok(lasso_codes)
    }
}

impl<S: Observable> Graph for AtomicSequenceGraph<'_, '_, '_, S> {
    type Error = ProductError;

    fn initial(&mut self) -> Result<Vec<Node>, ProductError> {
        Ok(vec![0])
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), ProductError> {
        self.compute_successors(node)?;
        out.extend(self.edges().into_iter().map(|(_, edge)| edge));
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        0
    }

    fn is_accepting(&self, _: Node) -> bool {
        true
    }

    fn len(&self) -> usize {
        self.states.len()
    }
}

impl<S: Observable> FairGraph for AtomicSequenceGraph<'_, '_, '_, S> {
    fn expand(
        &mut self,
        node: Node,
        edges: &mut Vec<FairEdge>,
        enabled: &mut ActorSet,
    ) -> Result<(), ProductError> {
        self.compute_successors(node)?;
        enabled.clear();
        if self.fair {
            self.graph.actors.add_enabled(&self.successors, enabled);
        }
        for (code, edge) in self.edges() {
            let mut movers = ActorSet::new();
            if self.fair {
                self.graph.actors.add(code, &mut movers);
            }
            edges.push(FairEdge { edge, movers });
        }
        Ok(())
    }
}

impl ActorNumbers {
    /// Adds the actors of all steps that can be taken.
    pub(super) fn add_enabled(&mut self, successors: &Successors, enabled: &mut ActorSet) {
        let lasso_codes = (0..successors.len()).map(|index| successors.code(index));
        lasso_codes.filter(|code| !code.is_refused()).for_each(|code| self.add(code, enabled));
    }
}

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// Runs an expansion and returns whether it found an atomic sequence that can run forever.
    pub(crate) fn diverges(
        &mut self,
        expand: impl FnOnce(&mut Self) -> Result<(), ProductError>,
    ) -> Result<bool, ProductError> {
        let before = std::mem::take(&mut self.tally.endless_atomic);
        let expanded = expand(self);
        let diverges = self.tally.endless_atomic;
        self.tally.endless_atomic |= before;
        expanded.map(|()| diverges)
    }
}
