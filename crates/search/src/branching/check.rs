//! Checks a branching-time formula on a program: chooses a method, visits the states, and returns
//! the verdict with a run that shows it.

use super::home::find_state_without_return;
use super::labelling::{Labelling, LabellingError};
use super::node_set::NodeSet;
use super::structure::Structure;
use super::witness::Witness;
use crate::limits::{Limits, Meter, peak_memory_bytes};
use crate::liveness::fairness::{ActorSet, FairGraph, Fairness, LassoStep, Strength};
use crate::liveness::{Graph, Node, shortest_path};
use crate::outcome::{Statistics, Verdict};
use crate::product::{
    Answer, LassoRun, Monitor, ProductError, ProductGraph, endless_run, give_up, state_graph,
    steps_along,
};
use crate::reach::rounds::Progress;
use lariat_ir::Expr;
use lariat_ir::observe::Observable;
use lariat_ir::system::TransitionSystem;
use lariat_ltl::automaton::{Marks, Tgba};
use lariat_ltl::formula::{Formula, Formulas, Node as Operator};
use lariat_ltl::guard::Guard;
use std::fmt;
use std::time::Duration;

/// How a formula was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `AG p`, `EF p`: by visiting states.
    Reachability,
    /// `AG EF p`: by strong components, while states are visited.
    Home,
    /// Any other formula: on the stored graph.
    Labelling,
}

impl Method {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::Reachability => "reachability",
            Method::Home => "components on the fly",
            Method::Labelling => "labelling",
        }
    }
}

/// A formula and the options of its check.
pub struct Question<'a> {
    /// By number of atom.
    pub conditions: Vec<Expr>,
    /// The formula.
    pub formula: Formula,
    /// The fairness notion, if any.
    pub fairness: Option<Fairness>,
    /// Limits of the check.
    pub limits: Limits<'a>,
    /// Receives progress reports.
    pub progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
}

impl fmt::Debug for Question<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Question").field("formula", &self.formula).finish_non_exhaustive()
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct BranchingAnswer {
    /// The verdict.
    pub verdict: Verdict,
    /// The method that decided it.
    pub method: Method,
    /// Why the formula has no value.
    pub error: Option<LabellingError>,
    /// With a run that shows why the formula holds or not, if a single run can. Its cycle is empty
    /// if a finite run suffices.
    pub answer: Answer,
}

/// Why there is no verdict.
enum CheckError {
    Product(ProductError),
    Labelling(LabellingError),
}

impl From<ProductError> for CheckError {
    fn from(stop: ProductError) -> CheckError {
        CheckError::Product(stop)
    }
}

impl From<LabellingError> for CheckError {
    fn from(error: LabellingError) -> CheckError {
        match error {
            LabellingError::Limit(limit) => CheckError::Product(ProductError::Limit(limit)),
            other => CheckError::Labelling(other),
        }
    }
}

type CheckResult = Result<(bool, Option<LassoRun>), CheckError>;

/// Checks a formula whose atoms are those of the store, in order. The formula holds if it holds in
/// all initial states.
pub fn check<S: Observable>(
    system: S,
    store: &mut Formulas,
    question: Question<'_>,
) -> BranchingAnswer {
    let Question { conditions, formula, fairness, limits, progress } = question;
    let monitor = Monitor::new(any_run(conditions.len()), conditions, true);
    let mut graph =
        state_graph(system, &monitor, &limits, progress, fairness.map(|fairness| fairness.actor));
    let shape = shape(store, formula);
    let quick = shape.map(|(method, goal, wanted)| match method {
        Method::Home => (method, home_property(&mut graph, store, goal)),
        _ => (method, reach_goal(&mut graph, store, goal, wanted)),
    });
    // A run that stays inside an atomic sequence forever need not reach the goal of `AG EF`.
    let is_enough = |method: Method| !(method == Method::Home && graph.tally.endless_atomic);
    let (method, found) = match quick {
        Some((method, found)) if found.is_err() || is_enough(method) => (method, found),
        _ => (Method::Labelling, label_structure(&mut graph, store, formula, fairness, &limits)),
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
        // The formula is undecided even if a deciding state was found but not the path to it.
        Err(CheckError::Product(ProductError::Limit(limit))) => {
            answer.limit = Some(limit);
            Verdict::Inconclusive
        }
        Err(CheckError::Product(stop)) => {
            give_up(&mut graph, &mut answer, stop);
            answer.verdict()
        }
        Err(CheckError::Labelling(why)) => {
            error = Some(why);
            Verdict::Inconclusive
        }
    };
    answer.program_errors = monitor.program_errors();
    answer.endless_atomic = graph.tally.endless_atomic;
    BranchingAnswer { verdict, method, error, answer }
}

/// The automaton that accepts every word over this many atoms.
fn any_run(atoms: usize) -> Tgba {
    let mut automaton = Tgba::empty((0..atoms).map(|atom| atom.to_string().into()).collect());
    let state = automaton.add_state();
    automaton.initial.push(state);
    automaton.add_edge(state, Guard::TRUE, Marks::NONE, state);
    automaton
}

/// The formulas that need no stored graph: the method, the Boolean subformula, and whether reaching
/// a state where it is true makes the formula hold.
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

/// Does the formula consist of atoms and Boolean operators?
fn is_boolean(store: &Formulas, f: Formula) -> bool {
    super::shapes::is_state_formula(store, f) && !store.is_branching(f)
}

/// The value of a Boolean formula for a letter.
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

/// Visits states, the nearest first, until the goal has the wanted value: true for a witness, which
/// every initial state must have, false for a counterexample.
fn reach_goal<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    store: &Formulas,
    goal: Formula,
    wanted: bool,
) -> CheckResult {
    let initial = graph.initial()?;
    // Each initial state needs its own witness; a counterexample may start in any.
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

/// A shortest path to a node where the goal has the wanted value.
fn nearest<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    store: &Formulas,
    goal: Formula,
    wanted: bool,
    start: &[Node],
) -> Result<Option<Witness>, ProductError> {
    let mut letter = Vec::new();
    // In the order of discovery: the node, and the position of its predecessor.
    let mut queue: Vec<(Node, usize)> = start.iter().map(|&node| (node, usize::MAX)).collect();
    let mut visited = NodeSet::none(graph.len());
    start.iter().for_each(|&node| visited.insert(node));
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
        visited.widen(graph.len());
        for edge in &edges {
            if !visited.contains(edge.target) {
                visited.insert(edge.target);
                queue.push((edge.target, next));
            }
        }
        next += 1;
    }
    Ok(None)
}

/// The edges along a path of nodes.
fn path<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    nodes: &[Node],
) -> Result<Witness, ProductError> {
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

fn home_property<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    store: &Formulas,
    goal: Formula,
) -> CheckResult {
    let mut letter = Vec::new();
    let found = find_state_without_return(graph, |graph, node| {
        graph.letter(node, &mut letter)?;
        Ok(value(store, goal, &letter))
    })?;
    let Some(node) = found else { return Ok((true, None)) };
    let initial = graph.initial()?;
    let nodes = shortest_path(graph, &initial, |visited| visited == node)?.unwrap_or_default();
    let witness = path(graph, &nodes)?;
    let run = run_along(graph, &witness, nodes[0], None)?;
    Ok((false, Some(run)))
}

/// Stores the whole graph and labels it.
fn label_structure<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    store: &mut Formulas,
    formula: Formula,
    fairness: Option<Fairness>,
    limits: &Limits<'_>,
) -> CheckResult {
    let strength = fairness.map(|fairness| fairness.strength);
    let structure = build_structure(graph, store.atom_count(), strength)?;
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

/// The run along a path that enters an endless atomic sequence with the step at this position.
fn diverging_run<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    witness: &Witness,
    place: usize,
    strength: Option<Strength>,
) -> Result<LassoRun, ProductError> {
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
fn build_structure<S: Observable>(
    graph: &mut ProductGraph<'_, '_, S>,
    atoms: usize,
    strength: Option<Strength>,
) -> Result<Structure, ProductError> {
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
            let diverges =
                graph.diverges(|graph| graph.expand(node, &mut fair_edges, &mut enabled))?;
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
        for (atom, label_structure) in labels.iter_mut().enumerate() {
            label_structure.widen(graph.len());
            if letter[atom / 64] >> (atom % 64) & 1 == 1 {
                label_structure.insert(node);
            }
        }
        node += 1;
        if node % (1 << 16) == 0 {
            graph.check_memory(structure.bytes()).map_err(ProductError::Limit)?;
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
) -> Result<LassoRun, ProductError> {
    let start = witness.steps.first().map_or(start, |step| step.node);
    let initial = graph.initial()?.iter().position(|&node| node == start).unwrap_or(0);
    let (before, round) = witness.steps.split_at(cycle.unwrap_or(witness.steps.len()));
    let prefix = steps_along(graph, before)?;
    let cycle = steps_along(graph, round)?;
    Ok(LassoRun { initial, prefix, cycle })
}
