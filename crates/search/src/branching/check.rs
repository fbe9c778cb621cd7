//! A branching-time formula about a program: choose a way, visit the states, say the verdict and show why.

use super::home::lost;
use super::labelling::{Labelling, LabellingError};
use super::node_set::NodeSet;
use super::structure::Structure;
use super::witness::Witness;
use crate::limits::{Limits, Meter, peak_memory_bytes};
use crate::liveness::fairness::{ActorSet, FairGraph, Fairness, LassoStep, Strength};
use crate::liveness::{Graph, Node, way};
use crate::outcome::{Statistics, Verdict};
use crate::product::{
    Answer, LassoRun, Monitor, ProductGraph, Stop, endless_run, give_up, states, steps_along,
};
use crate::rounds::Progress;
use model::Expr;
use model::observe::Observable;
use model::system::System;
use omega::automaton::{Marks, Tgba};
use omega::formula::{Formula, Formulas, Node as Operator};
use omega::guard::Guard;
use std::fmt;
use std::time::Duration;

/// How a formula was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `AG p`, `EF p`: by visiting states.
    Reachability,
    /// `AG EF p`: by strong components, while states are visited.
    Home,
    /// Anything else: on the stored graph.
    Labelling,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Method::Reachability => "reachability",
            Method::Home => "components on the fly",
            Method::Labelling => "labelling",
        }
    }
}

/// What is asked.
pub struct Question<'a> {
    /// By number of atom.
    pub conditions: Vec<Expr>,
    pub formula: Formula,
    pub fairness: Option<Fairness>,
    pub limits: Limits<'a>,
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl fmt::Debug for Question<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Question").field("formula", &self.formula).finish_non_exhaustive()
    }
}

/// What is known of a formula.
#[derive(Clone, Debug)]
pub struct BranchingAnswer {
    pub verdict: Verdict,
    pub method: Method,
    /// The formula has no value here, for this reason.
    pub error: Option<LabellingError>,
    /// With a run that shows why the formula holds or does not, as far as one run can. Its cycle is empty if its beginning is
    /// enough.
    pub answer: Answer,
}

/// Why there is no verdict.
enum Broken {
    Stop(Stop),
    Labelling(LabellingError),
}

impl From<Stop> for Broken {
    fn from(stop: Stop) -> Broken {
        Broken::Stop(stop)
    }
}

impl From<LabellingError> for Broken {
    fn from(error: LabellingError) -> Broken {
        match error {
            LabellingError::Limit(limit) => Broken::Stop(Stop::Limit(limit)),
            other => Broken::Labelling(other),
        }
    }
}

type Found = Result<(bool, Option<LassoRun>), Broken>;

/// Decides a formula whose atoms are those of the store, in order. It holds if it holds in all initial states. Every finite run can be
/// continued fairly, so fairness does not matter where nothing but reachability does.
pub fn check<S: Observable>(system: S, store: &mut Formulas, question: Question<'_>) -> BranchingAnswer {
    let Question { conditions, formula, fairness, limits, progress } = question;
    let monitor = Monitor::new(any_run(conditions.len()), conditions, true);
    let mut graph = states(system, &monitor, &limits, progress, fairness.map(|fairness| fairness.actor));
    let shape = shape(store, formula);
    let quick = shape.map(|(method, goal, wanted)| match method {
        Method::Home => (method, home(&mut graph, store, goal)),
        _ => (method, reach(&mut graph, store, goal, wanted)),
    });
    // A run that stays inside an atomic sequence forever need not reach the goal of `AG EF`; and a finite run
    // that each continuation leads into a run-time error cannot be continued fairly.
    let is_enough = |method: Method| {
        let diverges = method == Method::Home && graph.tally.endless_atomic;
        !diverges && (fairness.is_none() || monitor.met().is_empty())
    };
    let (method, found) = match quick {
        Some((method, found)) if found.is_err() || is_enough(method) => (method, found),
        _ => (Method::Labelling, label(&mut graph, store, formula, fairness, &limits)),
    };
    let statistics = Statistics {
        states: graph.len() as u64,
        transitions: graph.tally.transitions,
        atomic_steps: graph.tally.atomic_steps,
        store_bytes: graph.store_bytes(),
        memory_bytes: peak_memory_bytes().unwrap_or_else(|| graph.store_bytes()),
        time: graph.elapsed(),
        ..Statistics::default()
    };
    let mut answer = Answer { statistics, ..Answer::default() };
    let mut error = None;
    let verdict = match found {
        Ok((holds, run)) => {
            answer.lasso = run;
            if holds { Verdict::Holds } else { Verdict::Violated }
        }
        // Whether the formula holds is not known, even if a state was found and only the way to it was not.
        Err(Broken::Stop(Stop::Limit(limit))) => {
            answer.limit = Some(limit);
            Verdict::Inconclusive
        }
        Err(Broken::Stop(stop)) => {
            give_up(&mut graph, &mut answer, stop);
            answer.verdict()
        }
        Err(Broken::Labelling(why)) => {
            error = Some(why);
            Verdict::Inconclusive
        }
    };
    answer.met = monitor.met();
    answer.endless_atomic = graph.tally.endless_atomic;
    BranchingAnswer { verdict, method, error, answer }
}

/// The automaton that accepts everything, over so many atoms.
fn any_run(atoms: usize) -> Tgba {
    let mut automaton = Tgba::empty((0..atoms).map(|atom| atom.to_string().into()).collect());
    let state = automaton.add_state();
    automaton.initial.push(state);
    automaton.add_edge(state, Guard::TRUE, Marks::NONE, state);
    automaton
}

/// The shapes that need no graph: which, of what, and whether reaching a state where that is true is what is wanted.
fn shape(store: &Formulas, f: Formula) -> Option<(Method, Formula, bool)> {
    match *store.node(f) {
        Operator::ForAllPaths(path) => {
            let Operator::Globally(inner) = *store.node(path) else { return None };
            if is_boolean(store, inner) {
                return Some((Method::Reachability, inner, false));
            }
            let Operator::ExistsPath(path) = *store.node(inner) else { return None };
            let Operator::Finally(goal) = *store.node(path) else { return None };
            is_boolean(store, goal).then_some((Method::Home, goal, true))
        }
        Operator::ExistsPath(path) => {
            let Operator::Finally(goal) = *store.node(path) else { return None };
            is_boolean(store, goal).then_some((Method::Reachability, goal, true))
        }
        _ => None,
    }
}

/// Is it made of atoms and Boolean operators alone?
fn is_boolean(store: &Formulas, f: Formula) -> bool {
    super::shapes::is_state_formula(store, f) && !store.is_branching(f)
}

/// The value of a Boolean formula where these atoms hold.
fn value(store: &Formulas, f: Formula, letter: &[u64]) -> bool {
    let of = |g: Formula| value(store, g, letter);
    match store.node(f) {
        Operator::True => true,
        Operator::Atom(atom) => letter[atom.0 as usize / 64] >> (atom.0 % 64) & 1 == 1,
        Operator::Not(g) => !of(*g),
        Operator::And(list) => list.iter().all(|&g| of(g)),
        Operator::Or(list) => list.iter().any(|&g| of(g)),
        Operator::Implies(a, b) => !of(*a) || of(*b),
        Operator::Iff(a, b) => of(*a) == of(*b),
        Operator::Xor(a, b) => of(*a) != of(*b),
        _ => false,
    }
}

/// Visits states, the nearest first, until one is met where the goal has the value that decides: true if a witness is wanted, which
/// every initial state must have; false if that is a counterexample.
fn reach<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    store: &Formulas,
    goal: Formula,
    wanted: bool,
) -> Found {
    let initial = graph.initial()?;
    // Whether all of them have a witness is a question for each; a counterexample may start anywhere.
    let starts: Vec<Vec<Node>> =
        if wanted { initial.iter().map(|&node| vec![node]).collect() } else { vec![initial] };
    let mut first = None;
    for start in starts {
        match nearest(graph, store, goal, wanted, &start)? {
            Some(edges) => {
                if first.is_none() {
                    first = Some(run_along(graph, &edges, start[0], None)?);
                }
                if !wanted {
                    break;
                }
            }
            None if wanted => return Ok((false, None)),
            None => {}
        }
    }
    Ok((first.is_some() == wanted, first))
}

/// The edges of a shortest way to a node where the goal has this value, and the node.
fn nearest<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    store: &Formulas,
    goal: Formula,
    wanted: bool,
    start: &[Node],
) -> Result<Option<Witness>, Stop> {
    let mut letter = Vec::new();
    // In the order in which they are met: the node, and where it was met from.
    let mut queue: Vec<(Node, usize)> = start.iter().map(|&node| (node, usize::MAX)).collect();
    let mut met = NodeSet::none(graph.len());
    start.iter().for_each(|&node| met.insert(node));
    let mut edges = Vec::new();
    let mut next = 0;
    while let Some(&(node, _)) = queue.get(next) {
        graph.letter(node, &mut letter)?;
        if value(store, goal, &letter) == wanted {
            let mut nodes = Vec::new();
            let mut place = next;
            while let Some(&(node, before)) = queue.get(place) {
                nodes.push(node);
                place = before;
            }
            nodes.reverse();
            return path(graph, &nodes).map(Some);
        }
        edges.clear();
        graph.successors(node, &mut edges)?;
        met.widen(graph.len());
        for edge in &edges {
            if !met.contains(edge.target) {
                met.insert(edge.target);
                queue.push((edge.target, next));
            }
        }
        next += 1;
    }
    Ok(None)
}

/// The edges between nodes that follow each other.
fn path<S: Observable>(graph: &mut ProductGraph<'_, '_, S>, nodes: &[Node]) -> Result<Witness, Stop> {
    let mut witness = Witness { steps: Vec::new(), end: nodes[nodes.len() - 1], cycle: None };
    let mut edges = Vec::new();
    for pair in nodes.windows(2) {
        edges.clear();
        graph.successors(pair[0], &mut edges)?;
        let edge = edges.iter().position(|edge| edge.target == pair[1]).unwrap_or(0);
        witness.steps.push(LassoStep { node: pair[0], edge });
    }
    Ok(witness)
}

fn home<S: Observable>(graph: &mut ProductGraph<'_, '_, S>, store: &Formulas, goal: Formula) -> Found {
    let mut letter = Vec::new();
    let found = lost(graph, |graph, node| {
        graph.letter(node, &mut letter)?;
        Ok(value(store, goal, &letter))
    })?;
    let Some(node) = found else { return Ok((true, None)) };
    let initial = graph.initial()?;
    let nodes = way(graph, &initial, |met| met == node)?.unwrap_or_default();
    let witness = path(graph, &nodes)?;
    let run = run_along(graph, &witness, nodes[0], None)?;
    Ok((false, Some(run)))
}

/// Writes the whole graph down and labels it.
fn label<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    store: &mut Formulas,
    formula: Formula,
    fairness: Option<Fairness>,
    limits: &Limits<'_>,
) -> Found {
    let strength = fairness.map(|fairness| fairness.strength);
    let structure = write_down(graph, store.atom_count(), strength)?;
    let meter = Meter::new(limits, Duration::ZERO);
    let mut labelling = Labelling::new(&structure, strength);
    labelling.meter = Some(&meter);
    let holds = labelling.states(store, formula)?;
    let violating = structure.initial.iter().copied().find(|&node| !holds.contains(node));
    let Some(start) = violating.or(structure.initial.first().copied()) else {
        return Ok((true, None));
    };
    let witness = labelling.witness(store, formula, start)?;
    let run = match witness.steps.iter().position(|step| structure.diverges(step.node, step.edge)) {
        Some(place) => Some(diverging_run(graph, &witness, place, strength)?),
        None if witness.steps.is_empty() => None,
        None => Some(run_along(graph, &witness, start, witness.cycle)?),
    };
    Ok((violating.is_none(), run))
}

/// The run along a path that leaves the observed states with the step at this place.
fn diverging_run<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    witness: &Witness,
    place: usize,
    strength: Option<Strength>,
) -> Result<LassoRun, Stop> {
    let end = witness.steps[place].node;
    let before = Witness { steps: witness.steps[..place].to_vec(), end, cycle: None };
    let mut run = run_along(graph, &before, end, None)?;
    if let Some(endless) = endless_run(graph, end, strength)? {
        let product = graph.product();
        run.prefix.extend(endless.prefix.iter().map(|&code| product.step(code)));
        run.cycle.extend(endless.cycle.iter().map(|&code| product.step(code)));
    }
    Ok(run)
}

/// All states with their edges and labels.
fn write_down<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    atoms: usize,
    strength: Option<Strength>,
) -> Result<Structure, Stop> {
    let mut structure = Structure::default();
    structure.initial = graph.initial()?;
    let mut labels = vec![NodeSet::none(0); atoms];
    let mut letter = Vec::new();
    let (mut edges, mut fair_edges, mut enabled) = (Vec::new(), Vec::new(), ActorSet::new());
    let mut diverging = Vec::new();
    let mut node = 0;
    while (node as usize) < graph.len() {
        let diverges = if strength.is_some() {
            fair_edges.clear();
            let diverges = graph.diverges(|graph| graph.expand(node, &mut fair_edges, &mut enabled))?;
            structure.push(&fair_edges, &enabled);
            diverges
        } else {
            edges.clear();
            let diverges = graph.diverges(|graph| graph.successors(node, &mut edges))?;
            structure.push_plain(edges.iter().map(|edge| edge.target));
            diverges
        };
        if diverges && endless_run(graph, node, strength)?.is_some() {
            diverging.push(node);
        }
        graph.letter(node, &mut letter)?;
        for (atom, label) in labels.iter_mut().enumerate() {
            label.widen(graph.len());
            if letter[atom / 64] >> (atom % 64) & 1 == 1 {
                label.insert(node);
            }
        }
        node += 1;
        if node % (1 << 16) == 0 {
            graph.check_memory(structure.bytes()).map_err(Stop::Limit)?;
        }
    }
    structure.labels = labels;
    if !diverging.is_empty() {
        structure.diverge(&diverging);
    }
    Ok(structure)
}

/// The program's steps along a path.
fn run_along<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    witness: &Witness,
    start: Node,
    cycle: Option<usize>,
) -> Result<LassoRun, Stop> {
    let start = witness.steps.first().map_or(start, |step| step.node);
    let initial = graph.initial()?.iter().position(|&node| node == start).unwrap_or(0);
    let (before, round) = witness.steps.split_at(cycle.unwrap_or(witness.steps.len()));
    let prefix = steps_along(graph, before)?;
    let cycle = steps_along(graph, round)?;
    Ok(LassoRun { initial, prefix, cycle })
}
