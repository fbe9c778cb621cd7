//! Quotients by direct and by reverse simulation.
//!
//! Owns the two reductions, computed on *signatures* as in Babiak et al. (2013): the signature of a state is one
//! decision diagram that joins, for every edge, its letters, the marks it lacks and the classes that simulate its
//! target. One state is simulated by another exactly if its signature implies the other's, so the simulation
//! preorder is the fixpoint of signatures. The quotient is read back from the prime cubes of the signatures, which
//! drops every edge that another one dominates. Each pass has an effort limit and leaves the automaton alone when
//! it is reached.

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::guard::{Cube, Guard, Guards};
use rapidhash::RapidHashMap;

/// Diagram nodes a pass may build before it gives up.
const NODE_LIMIT: usize = 400_000;

/// One edge as signatures see it: what it leads to (or, reversed, comes from).
struct Link {
    guard: Guard,
    marks: Marks,
    neighbour: usize,
}

struct Signatures {
    guards: Guards,
    links: Vec<Vec<Link>>,
    /// Present in the signature of every state: marks of the state itself.
    own: Vec<Marks>,
    /// Is there a link to the outside (reversed: the state is initial)?
    outside: Vec<bool>,
    atom_count: u32,
    sets: u32,
}

impl Signatures {
    fn class_variable(&self, class: usize) -> u32 {
        self.atom_count + self.sets + 1 + class as u32
    }

    fn outside_variable(&self) -> u32 {
        self.atom_count + self.sets
    }

    /// The cube of the marks an edge lacks: fewer literals for more marks.
    fn lacking(&mut self, marks: Marks) -> Guard {
        let cube: Cube =
            Marks::all(self.sets).minus(marks).iter().map(|m| (self.atom_count + m, true)).collect();
        self.guards.cube(&cube)
    }

    /// The simulation preorder: for each state its class, for each class its signature and the classes above it.
    fn fixpoint(&mut self) -> Option<(Vec<usize>, Vec<Guard>, Vec<Vec<usize>>)> {
        let n = self.links.len();
        let mut class = vec![0usize; n];
        let mut above: Vec<Vec<usize>> = vec![vec![0]];
        loop {
            let up: Vec<Guard> = above
                .iter()
                .map(|list| {
                    let cube: Cube = list.iter().map(|c| (self.class_variable(*c), true)).collect();
                    self.guards.cube(&cube)
                })
                .collect();
            let mut signatures = Vec::with_capacity(n);
            for q in 0..n {
                let mut sum = Guard::FALSE;
                for i in 0..self.links[q].len() {
                    let Link { guard, marks, neighbour } = self.links[q][i];
                    let lacking = self.lacking(marks);
                    let goal = self.guards.and(lacking, up[class[neighbour]]);
                    let term = self.guards.and(guard, goal);
                    sum = self.guards.or(sum, term);
                }
                if self.outside[q] {
                    let v = self.outside_variable();
                    let outside = self.guards.variable(v);
                    sum = self.guards.or(sum, outside);
                }
                let own = self.lacking(self.own[q]);
                signatures.push(self.guards.and(sum, own));
                if self.guards.len() > NODE_LIMIT {
                    return None;
                }
            }
            let mut of_signature: RapidHashMap<Guard, usize> = RapidHashMap::default();
            let mut distinct: Vec<Guard> = Vec::new();
            let next: Vec<usize> = signatures
                .iter()
                .map(|s| {
                    *of_signature.entry(*s).or_insert_with(|| {
                        distinct.push(*s);
                        distinct.len() - 1
                    })
                })
                .collect();
            let next_above: Vec<Vec<usize>> = (0..distinct.len())
                .map(|c| {
                    (0..distinct.len())
                        .filter(|d| self.guards.implies(distinct[c], distinct[*d]))
                        .collect()
                })
                .collect();
            if next_above == above && next == class {
                return Some((class, distinct, above));
            }
            class = next;
            above = next_above;
            if self.guards.len() > NODE_LIMIT {
                return None;
            }
        }
    }

    /// The links of a class: those of its signature that no other dominates; and whether it has one to the outside.
    fn links_of(&mut self, signature: Guard, above: &[Vec<usize>]) -> (Vec<Link>, bool) {
        let place: RapidHashMap<&[usize], usize> =
            above.iter().enumerate().map(|(c, list)| (list.as_slice(), c)).collect();
        let mut links = Vec::new();
        let mut outside = false;
        for (letters, rest) in self.guards.split(signature, self.atom_count) {
            for cube in self.guards.cubes(rest) {
                let mut marks = Marks::all(self.sets);
                let mut classes = Vec::new();
                let mut outer = false;
                for (v, _) in cube {
                    let v = v - self.atom_count;
                    if v < self.sets {
                        marks = marks.minus(Marks::one(v));
                    } else if v == self.sets {
                        outer = true;
                    } else {
                        classes.push((v - self.sets - 1) as usize);
                    }
                }
                if outer {
                    outside = true;
                } else if let Some(&neighbour) = place.get(classes.as_slice()) {
                    links.push(Link { guard: letters, marks, neighbour });
                }
            }
        }
        (links, outside)
    }
}

/// Merges states that simulate each other and drops edges dominated by others. True if the automaton changed.
pub fn reduce_direct(automaton: &mut Tgba) -> bool {
    let n = automaton.state_count();
    if n == 0 {
        return false;
    }
    let mut signatures = Signatures {
        guards: automaton.guards.clone(),
        links: automaton
            .edges
            .iter()
            .map(|list| {
                list.iter()
                    .map(|e| Link { guard: e.guard, marks: e.marks, neighbour: e.target.index() })
                    .collect()
            })
            .collect(),
        own: vec![Marks::all(automaton.sets); n],
        outside: vec![false; n],
        atom_count: automaton.atoms.len() as u32,
        sets: automaton.sets,
    };
    let Some((class, distinct, above)) = signatures.fixpoint() else { return false };
    let before = (n, automaton.edges.iter().map(Vec::len).sum::<usize>());
    let mut edges = Vec::with_capacity(distinct.len());
    for s in &distinct {
        let (links, _) = signatures.links_of(*s, &above);
        edges.push(
            links
                .into_iter()
                .map(|l| Edge { guard: l.guard, marks: l.marks, target: StateId(l.neighbour as u32) })
                .collect(),
        );
    }
    automaton.edges = edges;
    automaton.guards = signatures.guards;
    let mut initial: Vec<usize> = automaton.initial.iter().map(|q| class[q.index()]).collect();
    initial.sort_unstable();
    initial.dedup();
    // An initial state that another one simulates is not needed.
    let kept = initial.iter().filter(|c| !initial.iter().any(|d| d != *c && above[**c].contains(d)));
    automaton.initial = kept.map(|c| StateId(*c as u32)).collect();
    automaton.merge_edges();
    automaton.retain_reachable();
    compact(automaton);
    before != (automaton.state_count(), automaton.edges.iter().map(Vec::len).sum::<usize>())
}

/// Merges states that simulate each other backwards, and drops edges dominated by others into the same state.
/// True if the automaton changed. A state-based automaton stays state-based.
pub fn reduce_reverse(automaton: &mut Tgba) -> bool {
    let n = automaton.state_count();
    if n == 0 {
        return false;
    }
    let state_based = automaton.is_state_based();
    let mut links: Vec<Vec<Link>> = (0..n).map(|_| Vec::new()).collect();
    for q in automaton.states() {
        for e in &automaton.edges[q.index()] {
            let marks = if state_based { Marks::all(automaton.sets) } else { e.marks };
            links[e.target.index()].push(Link { guard: e.guard, marks, neighbour: q.index() });
        }
    }
    let mut outside = vec![false; n];
    for q in &automaton.initial {
        outside[q.index()] = true;
    }
    // Marks of a state-based automaton belong to the state, so they are compared there.
    let own: Vec<Marks> = automaton
        .states()
        .map(|q| if state_based { automaton.state_marks(q) } else { Marks::all(automaton.sets) })
        .collect();
    let mut signatures = Signatures {
        guards: automaton.guards.clone(),
        links,
        own,
        outside,
        atom_count: automaton.atoms.len() as u32,
        sets: automaton.sets,
    };
    let Some((class, distinct, above)) = signatures.fixpoint() else { return false };
    let before = (n, automaton.edges.iter().map(Vec::len).sum::<usize>());
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); distinct.len()];
    let mut initial = Vec::new();
    let mut marks_of_class = vec![Marks::NONE; distinct.len()];
    for (q, c) in class.iter().enumerate() {
        if state_based {
            marks_of_class[*c] = automaton.state_marks(StateId(q as u32));
        }
    }
    for (c, s) in distinct.iter().enumerate() {
        let (links, outside) = signatures.links_of(*s, &above);
        if outside {
            initial.push(StateId(c as u32));
        }
        for l in links {
            let marks = if state_based { marks_of_class[l.neighbour] } else { l.marks };
            edges[l.neighbour].push(Edge { guard: l.guard, marks, target: StateId(c as u32) });
        }
    }
    automaton.edges = edges;
    automaton.guards = signatures.guards;
    automaton.initial = initial;
    automaton.merge_edges();
    automaton.retain_reachable();
    compact(automaton);
    before != (automaton.state_count(), automaton.edges.iter().map(Vec::len).sum::<usize>())
}

/// A fresh manager with only the guards in use: signatures leave many nodes behind.
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
