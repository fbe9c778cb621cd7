//! Emptiness with a witness: Couvreur's SCC-based check (1999), also for lazy automata.
//!
//! The check stops at the first component that contains every mark, so it may build only part of a
//! lazy automaton. The result is a run; [`Run::word`] is a word of the run.

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
    /// A word that the run reads: for each step a partial assignment; other atoms are arbitrary.
    pub fn word(&self, guards: &Guards) -> Lasso<Cube> {
        self.edges.map(|(_, e)| guards.some_cube(e.guard).expect("guards of edges are satisfiable"))
    }
}

/// Whether `automaton` accepts `word`. `holds(letter, i)` says whether atom `i` holds in a letter.
pub fn accepts<L>(automaton: &Tgba, word: &Lasso<L>, holds: impl Fn(&L, u32) -> bool) -> bool {
    let n = automaton.state_count();
    let mut product =
        Tgba { sets: automaton.sets, initial: automaton.initial.clone(), ..Tgba::default() };
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

struct SccRoot {
    number: u32,
    marks: Marks,
    /// Marks of the edge that reached the root.
    incoming: Marks,
}

/// An accepting run of `automaton`; `None` if its language is empty.
pub fn accepting_run(automaton: &mut impl Automaton) -> Option<Run> {
    accepting_run_within(automaton, usize::MAX).expect("no limit")
}

/// Whether the language of `automaton` is empty.
pub fn is_empty(automaton: &mut impl Automaton) -> bool {
    accepting_run(automaton).is_none()
}

/// The check reached its limit before it was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached;

/// As [`accepting_run`], but stops after visiting `limit` states.
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
    let mut roots: Vec<SccRoot> = Vec::new();
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
                roots.push(SccRoot { number: next_number, marks: Marks::NONE, incoming });
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
                            let root = roots.pop().expect("a root was just seen");
                            marks = marks.union(root.marks).union(root.incoming);
                        }
                        let root = roots.last_mut().expect("a live target has a root");
                        root.marks = root.marks.union(marks);
                        if root.marks.contains(all) {
                            let low = root.number;
                            let inside = |q: StateId| {
                                number.get(&q).is_some_and(|n| *n != DEAD && *n >= low)
                            };
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

/// A run to the states for which `inside` holds, and around a cycle among them. These states must
/// be strongly connected and their edges contain every mark.
fn extract(
    automaton: &mut impl Automaton,
    initial: &[StateId],
    inside: impl Fn(StateId) -> bool,
) -> Run {
    let all = Marks::all(automaton.acceptance_sets());
    let (prefix, entry) = match initial.iter().find(|q| inside(**q)) {
        Some(&q) => (Vec::new(), q),
        None => {
            let path = path(automaton, initial, |_| true, |_, e| inside(e.target))
                .expect("the component was reached");
            let entry = path.last().expect("not initial").1.target;
            (path, entry)
        }
    };
    let mut cycle: Vec<(StateId, Edge)> = Vec::new();
    let mut seen = Marks::NONE;
    let mut at = entry;
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
    if at != entry || cycle.is_empty() {
        cycle.extend(
            path(automaton, &[at], &inside, |_, e| e.target == entry).expect("strongly connected"),
        );
    }
    Run { edges: Lasso::new(prefix, cycle) }
}

/// A shortest path from one of `from` whose last edge satisfies `goal`, through states for which
/// `through` holds.
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
