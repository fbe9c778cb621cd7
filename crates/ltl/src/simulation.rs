//! Quotients by direct and by reverse simulation.
//!
//! State q simulates p if, for every letter and every edge of p, q has an edge with at least the
//! same marks whose target simulates the target of p's edge. The preorder is the greatest fixpoint,
//! computed by sweeps over a matrix. Comparing an edge with the *union* of the dominating edges is
//! exact, because simulation is defined letter by letter. States that simulate each other are
//! merged, and an edge keeps only the letters of no dominating edge. Reverse simulation reverses
//! the edges. Callers bound the size of the automaton.

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::guard::{Guard, Guards};
use rapidhash::RapidHashMap;

/// An edge to a neighbour: its target, or its source in a reverse simulation.
#[derive(Clone, Copy)]
struct Link {
    guard: Guard,
    marks: Marks,
    neighbour: usize,
}

struct SimulationGame<'a> {
    guards: &'a mut Guards,
    links: Vec<Vec<Link>>,
    /// Marks of the state itself, used in state-based automata.
    own: Vec<Marks>,
    /// In a reverse simulation: whether the state is initial.
    outside: Vec<bool>,
}

/// The simulation preorder.
struct Preorder {
    /// Class of each state.
    class: Vec<usize>,
    /// One state of each class.
    representative: Vec<usize>,
    /// `above[c][d]`: class d simulates class c.
    above: Vec<Vec<bool>>,
}

impl SimulationGame<'_> {
    fn fixpoint(&mut self) -> Preorder {
        let n = self.links.len();
        let letters: Vec<Guard> = self
            .links
            .iter()
            .map(|list| list.iter().fold(Guard::FALSE, |sum, l| self.guards.or(sum, l.guard)))
            .collect();
        let mut simulates = vec![vec![false; n]; n];
        for p in 0..n {
            for q in 0..n {
                simulates[p][q] = self.own[q].contains(self.own[p])
                    && (self.outside[q] || !self.outside[p])
                    && self.guards.implies(letters[p], letters[q]);
            }
        }
        loop {
            let mut changed = false;
            for p in 0..n {
                for q in 0..n {
                    if p != q && simulates[p][q] && !self.step(p, q, &simulates) {
                        simulates[p][q] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut class = vec![usize::MAX; n];
        let mut representative = Vec::new();
        for p in 0..n {
            if class[p] == usize::MAX {
                for q in p..n {
                    if simulates[p][q] && simulates[q][p] {
                        class[q] = representative.len();
                    }
                }
                representative.push(p);
            }
        }
        let above = representative
            .iter()
            .map(|p| representative.iter().map(|q| simulates[*p][*q]).collect())
            .collect();
        Preorder { class, representative, above }
    }

    /// Whether `q` can answer every move of `p`.
    fn step(&mut self, p: usize, q: usize, simulates: &[Vec<bool>]) -> bool {
        for i in 0..self.links[p].len() {
            let move_ = self.links[p][i];
            let mut covered = Guard::FALSE;
            let mut answered = false;
            for answer in &self.links[q] {
                if answer.marks.contains(move_.marks)
                    && simulates[move_.neighbour][answer.neighbour]
                {
                    covered = self.guards.or(covered, answer.guard);
                    if self.guards.implies(move_.guard, covered) {
                        answered = true;
                        break;
                    }
                }
            }
            if !answered {
                return false;
            }
        }
        true
    }

    /// The links of a class to other classes, each without the letters of dominating links.
    fn links_of(&mut self, class: usize, order: &Preorder) -> Vec<Link> {
        let mut joined: Vec<Link> = Vec::new();
        for l in &self.links[order.representative[class]] {
            let neighbour = order.class[l.neighbour];
            match joined.iter_mut().find(|k| k.neighbour == neighbour && k.marks == l.marks) {
                Some(k) => k.guard = self.guards.or(k.guard, l.guard),
                None => joined.push(Link { neighbour, ..*l }),
            }
        }
        let mut kept = Vec::new();
        for l in &joined {
            let mut better = Guard::FALSE;
            for k in &joined {
                let same = k.neighbour == l.neighbour && k.marks == l.marks;
                if !same && k.marks.contains(l.marks) && order.above[l.neighbour][k.neighbour] {
                    better = self.guards.or(better, k.guard);
                }
            }
            let guard = self.guards.minus(l.guard, better);
            if guard != Guard::FALSE {
                kept.push(Link { guard, ..*l });
            }
        }
        kept
    }
}

/// Merges states that simulate each other and removes dominated edges. Returns whether the
/// automaton changed.
pub fn reduce_direct(automaton: &mut Tgba) -> bool {
    let n = automaton.state_count();
    if n == 0 {
        return false;
    }
    let links = automaton
        .edges
        .iter()
        .map(|list| {
            list.iter()
                .map(|e| Link { guard: e.guard, marks: e.marks, neighbour: e.target.index() })
                .collect()
        })
        .collect();
    let mut game = SimulationGame {
        guards: &mut automaton.guards,
        links,
        own: vec![Marks::NONE; n],
        outside: vec![false; n],
    };
    let order = game.fixpoint();
    let mut edges = Vec::with_capacity(order.representative.len());
    for c in 0..order.representative.len() {
        let links = game.links_of(c, &order).into_iter();
        edges.push(
            links
                .map(|l| Edge {
                    guard: l.guard,
                    marks: l.marks,
                    target: StateId(l.neighbour as u32),
                })
                .collect(),
        );
    }
    let before = (n, automaton.edges.iter().map(Vec::len).sum::<usize>());
    automaton.edges = edges;
    let mut initial: Vec<usize> =
        automaton.initial.iter().map(|q| order.class[q.index()]).collect();
    initial.sort_unstable();
    initial.dedup();
    // Initial states that another initial state simulates are redundant.
    let kept = initial.iter().filter(|c| !initial.iter().any(|d| d != *c && order.above[**c][*d]));
    automaton.initial = kept.map(|c| StateId(*c as u32)).collect();
    automaton.merge_edges();
    automaton.retain_reachable();
    compact(automaton);
    before != (automaton.state_count(), automaton.edges.iter().map(Vec::len).sum::<usize>())
}

/// Merges states that reverse-simulate each other and removes dominated edges into the same state.
/// Returns whether the automaton changed. A state-based automaton stays state-based.
pub fn reduce_reverse(automaton: &mut Tgba) -> bool {
    let n = automaton.state_count();
    if n == 0 {
        return false;
    }
    let state_based = automaton.is_state_based();
    let mut links: Vec<Vec<Link>> = (0..n).map(|_| Vec::new()).collect();
    for q in automaton.states() {
        for e in &automaton.edges[q.index()] {
            let marks = if state_based { Marks::NONE } else { e.marks };
            links[e.target.index()].push(Link { guard: e.guard, marks, neighbour: q.index() });
        }
    }
    let mut outside = vec![false; n];
    for q in &automaton.initial {
        outside[q.index()] = true;
    }
    // In a state-based automaton marks belong to states and are compared there.
    let own: Vec<Marks> = automaton
        .states()
        .map(|q| if state_based { automaton.state_marks(q) } else { Marks::NONE })
        .collect();
    let marks: Vec<Marks> = automaton.states().map(|q| automaton.state_marks(q)).collect();
    let mut game = SimulationGame { guards: &mut automaton.guards, links, own, outside };
    let order = game.fixpoint();
    let classes = order.representative.len();
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); classes];
    let mut initial = Vec::new();
    for c in 0..classes {
        if game.outside[order.representative[c]] {
            initial.push(StateId(c as u32));
        }
        for l in game.links_of(c, &order) {
            let marks =
                if state_based { marks[order.representative[l.neighbour]] } else { l.marks };
            edges[l.neighbour].push(Edge { guard: l.guard, marks, target: StateId(c as u32) });
        }
    }
    let before = (n, automaton.edges.iter().map(Vec::len).sum::<usize>());
    automaton.edges = edges;
    automaton.initial = initial;
    automaton.merge_edges();
    automaton.retain_reachable();
    compact(automaton);
    before != (automaton.state_count(), automaton.edges.iter().map(Vec::len).sum::<usize>())
}

/// Replaces the manager by one with only the guards in use: comparisons leave unused nodes behind.
pub(crate) fn compact(automaton: &mut Tgba) {
    if automaton.guards.len() < 256 {
        return;
    }
    let mut fresh = Guards::new();
    let mut memo = RapidHashMap::default();
    for e in automaton.edges.iter_mut().flatten() {
        e.guard = fresh.import(&automaton.guards, e.guard, &|v| v, &mut memo);
    }
    automaton.guards = fresh;
}
