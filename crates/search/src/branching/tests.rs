//! Labelling on random structures with random formulas, compared with a direct computation of the
//! fixpoints, in which fairness tries every set of edges.

use super::*;
use crate::liveness::fairness::{ActorSet, FairEdge, Strength};
use crate::liveness::{Edge, Node};
use lariat_ltl::formula::{Formula, Formulas, Node as Operator, RandomFormula, Rng, evaluate};
use lariat_ltl::word::Lasso;
use proptest::prelude::*;

const ATOMS: usize = 2;

/// Small structures, with actors. An actor is enabled only where it can move, so every finite path
/// has a fair continuation, as in a program without run-time errors.
fn structures() -> impl Strategy<Value = Structure> {
    (1usize..6).prop_flat_map(|count| {
        let edges = prop::collection::vec((0..count, 0..count as Node, 0u32..4), 0..8);
        let labels = prop::collection::vec(0u32..1 << ATOMS, count);
        (edges, labels).prop_map(move |(list, labels)| {
            let mut structure = Structure::default();
            for node in 0..count {
                let mut enabled = ActorSet::new();
                let mut edges = Vec::new();
                for &(_, target, actor) in list.iter().filter(|(source, ..)| *source == node) {
                    let movers: ActorSet = [actor].into_iter().filter(|&actor| actor < 3).collect();
                    enabled.union(&movers);
                    edges.push(FairEdge { edge: Edge { marks: 0, target }, movers });
                }
                if edges.is_empty() {
                    let edge = Edge { marks: 0, target: node as Node };
                    edges.push(FairEdge { edge, movers: ActorSet::new() });
                }
                structure.push(&edges, &enabled);
            }
            for atom in 0..ATOMS {
                let mut set = NodeSet::none(count);
                let holds = |node: &usize| labels[*node] >> atom & 1 == 1;
                (0..count).filter(holds).for_each(|node| set.insert(node as Node));
                structure.labels.push(set);
            }
            structure
        })
    })
}

/// A store whose atoms are those of the structures.
fn store() -> Formulas {
    let mut store = Formulas::new();
    for atom in 0..ATOMS {
        store.atom_id(&format!("p{atom}"));
    }
    store
}

/// A random CTL formula.
fn ctl(store: &mut Formulas, rng: &mut Rng, size: usize) -> Formula {
    if size <= 1 {
        return RandomFormula { atoms: ATOMS, size: 1, next: true }.generate(store, rng);
    }
    let f = ctl(store, rng, size / 2);
    let g = ctl(store, rng, size - size / 2 - 1);
    let path = match rng.below(11) {
        0 => return store.not(f),
        1 => return store.and(f, g),
        2 => return store.or(f, g),
        3 => return store.implies(f, g),
        4 => store.next(f),
        5 => store.finally(f),
        6 => store.globally(f),
        7 => store.until(f, g),
        8 => store.release(f, g),
        9 => store.weak_until(f, g),
        _ => store.strong_release(f, g),
    };
    if rng.below(2) == 0 { store.for_all_paths(path) } else { store.exists_path(path) }
}

/// CTL by direct fixpoints.
struct Obvious<'s> {
    structure: &'s Structure,
    /// The sets of nodes that a fair path can visit infinitely often.
    forever: Vec<Vec<Node>>,
}

type Set = Vec<bool>;

impl<'s> Obvious<'s> {
    fn new(structure: &'s Structure, strength: Option<Strength>) -> Obvious<'s> {
        let all: Vec<(Node, usize, Node)> = (0..structure.len() as Node)
            .flat_map(|node| {
                let targets = structure.successors(node).iter().enumerate();
                targets.map(move |(edge, &target)| (node, edge, target))
            })
            .collect();
        let mut forever = Vec::new();
        for subset in 1u32..1 << all.len() {
            let chosen: Vec<_> =
                (0..all.len()).filter(|bit| subset >> bit & 1 == 1).map(|bit| all[bit]).collect();
            let reached = |from: Node| {
                let mut visited = vec![from];
                while let Some(&(.., next)) = chosen.iter().find(|(source, _, target)| {
                    visited.contains(source) && !visited.contains(target)
                }) {
                    visited.push(next);
                }
                visited
            };
            let strong = chosen.iter().all(|&(.., target)| {
                let visited = reached(target);
                chosen.iter().all(|(source, ..)| visited.contains(source))
            });
            let fair = (0..3).all(|actor| {
                let mut claims = chosen.iter().map(|&(node, ..)| {
                    structure.enabled(node).is_some_and(|set| set.contains(actor))
                });
                let claim = match strength {
                    None => false,
                    Some(Strength::Weak) => claims.all(|claim| claim),
                    Some(Strength::Strong) => claims.any(|claim| claim),
                };
                !claim
                    || chosen
                        .iter()
                        .any(|&(node, edge, _)| structure.movers(node, edge).contains(actor))
            });
            if strong && fair {
                forever.push(chosen.iter().map(|&(node, ..)| node).collect());
            }
        }
        Obvious { structure, forever }
    }

    fn set(&self, holds: impl Fn(Node) -> bool) -> Set {
        (0..self.structure.len() as Node).map(holds).collect()
    }

    fn until(&self, f: &Set, g: &Set) -> Set {
        let mut set = g.clone();
        for _ in 0..self.structure.len() {
            set = self.set(|node| {
                let next = self.structure.successors(node).iter().any(|&next| set[next as usize]);
                set[node as usize] || f[node as usize] && next
            });
        }
        set
    }

    fn globally(&self, f: &Set) -> Set {
        let inside = |nodes: &&Vec<Node>| nodes.iter().all(|&node| f[node as usize]);
        let core: Vec<Node> = self.forever.iter().filter(inside).flatten().copied().collect();
        self.until(f, &self.set(|node| core.contains(&node)))
    }

    fn eval(&self, store: &Formulas, f: Formula) -> Set {
        let both = |a: &Set, b: &Set, join: fn(bool, bool) -> bool| {
            self.set(|node| join(a[node as usize], b[node as usize]))
        };
        let and = |a: &Set, b: &Set| both(a, b, |a, b| a && b);
        let or = |a: &Set, b: &Set| both(a, b, |a, b| a || b);
        let not = |a: &Set| self.set(|node| !a[node as usize]);
        let of = |g: Formula| self.eval(store, g);
        let next = |f: &Set| {
            self.set(|node| self.structure.successors(node).iter().any(|&next| f[next as usize]))
        };
        match store.node(f) {
            Operator::True => self.set(|_| true),
            Operator::False => self.set(|_| false),
            Operator::Atom(atom) => {
                self.set(|node| self.structure.labels[atom.0 as usize].contains(node))
            }
            Operator::Not(g) => not(&of(*g)),
            Operator::And(list) => {
                list.iter().fold(self.set(|_| true), |all, &g| and(&all, &of(g)))
            }
            Operator::Or(list) => list.iter().fold(self.set(|_| false), |all, &g| or(&all, &of(g))),
            Operator::Implies(a, b) => or(&not(&of(*a)), &of(*b)),
            Operator::ExistsPath(path) => match *store.node(*path) {
                Operator::Next(g) => next(&of(g)),
                Operator::Finally(g) => self.until(&self.set(|_| true), &of(g)),
                Operator::Globally(g) => self.globally(&of(g)),
                Operator::Until(f, g) => self.until(&of(f), &of(g)),
                Operator::WeakUntil(f, g) => {
                    or(&self.until(&of(f), &of(g)), &self.globally(&of(f)))
                }
                Operator::Release(f, g) => {
                    or(&self.until(&of(g), &and(&of(f), &of(g))), &self.globally(&of(g)))
                }
                Operator::StrongRelease(f, g) => self.until(&of(g), &and(&of(f), &of(g))),
                ref other => panic!("not generated: {other:?}"),
            },
            Operator::ForAllPaths(path) => {
                let ways_out = match *store.node(*path) {
                    Operator::Next(g) => next(&not(&of(g))),
                    Operator::Finally(g) => self.globally(&not(&of(g))),
                    Operator::Globally(g) => self.until(&self.set(|_| true), &not(&of(g))),
                    Operator::Until(f, g) => {
                        let neither = and(&not(&of(f)), &not(&of(g)));
                        or(&self.until(&not(&of(g)), &neither), &self.globally(&not(&of(g))))
                    }
                    Operator::WeakUntil(f, g) => {
                        self.until(&not(&of(g)), &and(&not(&of(f)), &not(&of(g))))
                    }
                    Operator::Release(f, g) => self.until(&not(&of(f)), &not(&of(g))),
                    Operator::StrongRelease(f, g) => {
                        or(&self.until(&not(&of(f)), &not(&of(g))), &self.globally(&not(&of(f))))
                    }
                    ref other => panic!("not generated: {other:?}"),
                };
                not(&ways_out)
            }
            other => panic!("not generated: {other:?}"),
        }
    }
}

const STRENGTHS: [Option<Strength>; 3] = [None, Some(Strength::Weak), Some(Strength::Strong)];

/// Do the steps follow edges from the state to the end?
fn follows(structure: &Structure, state: Node, path: &Witness) -> bool {
    let ends = path.steps.iter().map(|step| step.node).skip(1).chain([path.end]);
    path.steps.first().is_none_or(|step| step.node == state)
        && path
            .steps
            .iter()
            .zip(ends)
            .all(|(step, next)| structure.successors(step.node).get(step.edge) == Some(&next))
        && path.cycle.is_none_or(|start| path.steps[start].node == path.end)
}

proptest! {
    #![proptest_config(seeded::cases(1500))]

    #[test]
    fn ctl_is_its_fix_points(structure in structures(), seed in any::<u64>(), size in 1usize..12) {
        let mut store = store();
        let f = ctl(&mut store, &mut Rng::new(seed), size);
        for strength in STRENGTHS {
            let expected = Obvious::new(&structure, strength).eval(&store, f);
            for by_automata in [false, true] {
                let mut labelling = Labelling::new(&structure, strength);
                labelling.by_automata = by_automata;
                let found = labelling.states(&mut store, f).unwrap();
                let found: Vec<bool> =
                    (0..structure.len() as Node).map(|node| found.contains(node)).collect();
                let shown = store.display(f, Default::default());
                prop_assert_eq!(&found, &expected, "{:?} {}", strength, shown);
                for node in 0..structure.len() as Node {
                    let path = labelling.witness(&mut store, f, node).unwrap();
                    prop_assert!(follows(&structure, node, &path), "{:?}", path);
                }
            }
        }
    }

    /// `E φ` and `A φ` for any LTL formula φ: a witness satisfies it, and if none exists, no random
    /// path satisfies it.
    #[test]
    fn ctl_star_is_about_words(structure in structures(), seed in any::<u64>(), size in 1usize..9) {
        let mut store = store();
        let mut rng = Rng::new(seed);
        let f = RandomFormula { atoms: ATOMS, size, next: true }.generate(&mut store, &mut rng);
        let (exists, all) = (store.exists_path(f), store.for_all_paths(f));
        let opposite = store.not(f);
        let opposite = store.exists_path(opposite);
        let letter = |node: Node, atom: lariat_ltl::formula::AtomId| {
            structure.labels[atom.0 as usize].contains(node)
        };
        let mut labelling = Labelling::new(&structure, None);
        let some = labelling.states(&mut store, exists).unwrap();
        let every = labelling.states(&mut store, all).unwrap();
        let not_every = labelling.states(&mut store, opposite).unwrap();
        prop_assert_eq!((*not_every).clone().complement(), (*every).clone());
        for node in 0..structure.len() as Node {
            for (formula, value) in [(exists, true), (all, false)] {
                if labelling.states(&mut store, formula).unwrap().contains(node) != value {
                    continue;
                }
                let path = labelling.witness(&mut store, formula, node).unwrap();
                if let Some(cycle) = path.cycle {
                    let nodes: Vec<Node> = path.steps.iter().map(|step| step.node).collect();
                    let word = Lasso::new(nodes[..cycle].to_vec(), nodes[cycle..].to_vec());
                    let truth = evaluate(&store, f, &word, |&node, atom| letter(node, atom));
                    prop_assert_eq!(truth, value, "{}", store.display(f, Default::default()));
                }
            }
            for _ in 0..8 {
                let mut nodes = vec![node];
                let cycle = loop {
                    let last = nodes[nodes.len() - 1];
                    let targets = structure.successors(last);
                    let next = targets[rng.below(targets.len())];
                    if let Some(place) = nodes.iter().position(|&node| node == next)
                        && (rng.below(2) == 0 || nodes.len() > 12)
                    {
                        break place;
                    }
                    nodes.push(next);
                };
                let word = Lasso::new(nodes[..cycle].to_vec(), nodes[cycle..].to_vec());
                let truth = evaluate(&store, f, &word, |&node, atom| letter(node, atom));
                let shown = store.display(f, Default::default());
                prop_assert!(!truth || some.contains(node), "{}", shown);
                prop_assert!(truth || !every.contains(node), "{}", shown);
            }
        }
    }
}

#[test]
fn a_path_formula_needs_a_quantifier() {
    let mut structure = Structure::default();
    structure.push_plain([0]);
    structure.labels = vec![NodeSet::all(1)];
    let mut store = Formulas::new();
    let f = store.parse("G p").unwrap();
    let result = Labelling::new(&structure, None).states(&mut store, f);
    assert_eq!(result, Err(LabellingError::NotQuantified(f)));
}
