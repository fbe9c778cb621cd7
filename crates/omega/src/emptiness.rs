//! Emptiness with a witness: Couvreur's SCC-based check (1999) on automata computed on demand.
//!
//! Owns the search for an accepting lasso. It stops at the first component that collects every mark, so only part
//! of a lazy automaton may ever be built. The answer is a run; [`Run::word`] is the word it reads.

use crate::automaton::{Automaton, Edge, Marks, StateId, Tgba};
use crate::guard::{Cube, Guard, Guards};
use crate::word::Lasso;
use rapidhash::RapidHashMap;
use std::collections::VecDeque;

/// An accepting run: the edges of its prefix and of its cycle, each with its source.
#[derive(Clone, Debug)]
pub struct Run {
    /// The edges, as a lasso.
    pub edges: Lasso<(StateId, Edge)>,
}

impl Run {
    /// A word the run reads: for each step a partial assignment of the atoms; those not named are free.
    pub fn word(&self, guards: &Guards) -> Lasso<Cube> {
        self.edges.map(|(_, e)| guards.some_cube(e.guard).expect("guards of edges are satisfiable"))
    }
}

/// Does `automaton` accept `word`? `holds(letter, i)` tells whether its `i`-th atom holds in a letter.
pub fn accepts<L>(automaton: &Tgba, word: &Lasso<L>, holds: impl Fn(&L, u32) -> bool) -> bool {
    let n = automaton.state_count();
    let mut product = Tgba { sets: automaton.sets, initial: automaton.initial.clone(), ..Tgba::default() };
    for i in 0..word.len() {
        for list in &automaton.edges {
            let q = product.add_state();
            for e in list {
                if automaton.guards.holds(e.guard, |v| holds(word.letter(i), v)) {
                    let target = StateId((word.next(i) * n) as u32 + e.target.0);
                    product.add_edge(q, Guard::TRUE, e.marks, target);
                }
            }
        }
    }
    !is_empty(&mut product)
}

struct Root {
    number: u32,
    marks: Marks,
    /// Marks of the edge by which the root was reached.
    incoming: Marks,
}

/// An accepting run of `automaton`, unless its language is empty.
pub fn accepting_run(automaton: &mut impl Automaton) -> Option<Run> {
    accepting_run_within(automaton, usize::MAX).expect("no limit")
}

/// Is the language of `automaton` empty?
pub fn is_empty(automaton: &mut impl Automaton) -> bool {
    accepting_run(automaton).is_none()
}

/// The effort limit of a check was reached before an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached;

/// Like [`accepting_run`], but gives up after visiting `limit` states.
///
/// # Errors
/// The limit was reached.
pub fn accepting_run_within(
    automaton: &mut impl Automaton,
    limit: usize,
) -> Result<Option<Run>, LimitReached> {
    const DEAD: u32 = u32::MAX;
    let all = Marks::all(automaton.acceptance_sets());
    let mut number: RapidHashMap<StateId, u32> = RapidHashMap::default();
    let mut live: Vec<StateId> = Vec::new();
    let mut roots: Vec<Root> = Vec::new();
    let mut calls: Vec<(StateId, usize)> = Vec::new();
    let mut next_number = 0;
    let initial = automaton.initial();
    for &start in &initial {
        if number.contains_key(&start) {
            continue;
        }
        let mut enter = Some((start, Marks::NONE));
        loop {
            if let Some((q, incoming)) = enter.take() {
                if number.len() >= limit {
                    return Err(LimitReached);
                }
                number.insert(q, next_number);
                roots.push(Root { number: next_number, marks: Marks::NONE, incoming });
                next_number += 1;
                live.push(q);
                calls.push((q, 0));
            }
            let Some((q, at)) = calls.last_mut() else { break };
            let q = *q;
            let edge = automaton.successors(q).get(*at).copied();
            *at += 1;
            match edge {
                Some(e) => match number.get(&e.target) {
                    None => enter = Some((e.target, e.marks)),
                    Some(&DEAD) => {}
                    Some(&n) => {
                        let mut marks = e.marks;
                        while let Some(root) = roots.last() {
                            if root.number <= n {
                                break;
                            }
                            let root = roots.pop().expect("there is a last one");
                            marks = marks.union(root.marks).union(root.incoming);
                        }
                        let root = roots.last_mut().expect("a live target has a root");
                        root.marks = root.marks.union(marks);
                        if root.marks.contains(all) {
                            let low = root.number;
                            let inside = |q: StateId| number.get(&q).is_some_and(|n| *n != DEAD && *n >= low);
                            return Ok(Some(extract(automaton, &initial, inside)));
                        }
                    }
                },
                None => {
                    calls.pop();
                    let root = roots.last().expect("a live state has a root");
                    if root.number == number[&q] {
                        roots.pop();
                        while let Some(p) = live.pop() {
                            number.insert(p, DEAD);
                            if p == q {
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
    Ok(None)
}

/// A run to the states for which `inside` holds (strongly connected, with every mark among them) and round in them.
fn extract(automaton: &mut impl Automaton, initial: &[StateId], inside: impl Fn(StateId) -> bool) -> Run {
    let all = Marks::all(automaton.acceptance_sets());
    let (prefix, knot) = match initial.iter().find(|q| inside(**q)) {
        Some(&q) => (Vec::new(), q),
        None => {
            let path = path(automaton, initial, |_| true, |_, e| inside(e.target)).expect("it was reached");
            let knot = path.last().expect("not initial").1.target;
            (path, knot)
        }
    };
    let mut cycle: Vec<(StateId, Edge)> = Vec::new();
    let mut seen = Marks::NONE;
    let mut at = knot;
    while !seen.contains(all) {
        let missing = all.minus(seen);
        let part = path(automaton, &[at], &inside, |_, e| {
            inside(e.target) && e.marks.intersection(missing) != Marks::NONE
        })
        .expect("the component has every mark");
        for (q, e) in part {
            seen = seen.union(e.marks);
            at = e.target;
            cycle.push((q, e));
        }
    }
    if at != knot || cycle.is_empty() {
        cycle.extend(path(automaton, &[at], &inside, |_, e| e.target == knot).expect("strongly connected"));
    }
    Run { edges: Lasso::new(prefix, cycle) }
}

/// A shortest path from one of `from` whose last edge satisfies `goal`, through states where `through` holds.
fn path(
    automaton: &mut impl Automaton,
    from: &[StateId],
    through: impl Fn(StateId) -> bool,
    goal: impl Fn(StateId, &Edge) -> bool,
) -> Option<Vec<(StateId, Edge)>> {
    let mut parent: RapidHashMap<StateId, Option<(StateId, Edge)>> =
        from.iter().map(|q| (*q, None)).collect();
    let mut queue: VecDeque<StateId> = from.iter().copied().collect();
    while let Some(q) = queue.pop_front() {
        for e in automaton.successors(q) {
            if goal(q, e) {
                let mut path = vec![(q, *e)];
                let mut at = q;
                while let Some(Some((p, e))) = parent.get(&at) {
                    path.push((*p, *e));
                    at = *p;
                }
                path.reverse();
                return Some(path);
            }
            if through(e.target) && !parent.contains_key(&e.target) {
                parent.insert(e.target, Some((q, *e)));
                queue.push_back(e.target);
            }
        }
    }
    None
}
