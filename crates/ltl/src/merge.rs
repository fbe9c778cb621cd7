//! Merging states by language, with an automaton of the negated formula as oracle.
//!
//! Merging two states can only add words to the language. If the result is still disjoint from the
//! automaton of the *negated* formula, no word was added and the merge is correct. This merges
//! states that no simulation relates. Making more states or edges accepting also only adds words
//! and is checked in the same way. The budget counts edges of products, so the result does not
//! depend on the speed of the machine.

use crate::automaton::{Edge, Marks, StateId, Tgba};
use crate::guard::Guard;
use crate::product::Product;
use rapidhash::RapidHashMap;

/// The edges of one state: label number, marks, target.
type EdgeRow = Vec<(u32, u64, u32)>;

/// An automaton whose language must stay disjoint from that of the negation.
struct DisjointnessCheck {
    rows: Vec<EdgeRow>,
    sets: u32,
    initial: Vec<u32>,
    other: Vec<EdgeRow>,
    other_initial: Vec<u32>,
    other_sets: u32,
    /// Whether two labels share a letter, at index `label * width + other label`.
    compatible: Vec<bool>,
    width: usize,
}

impl DisjointnessCheck {
    fn new(automaton: &Tgba, negation: &Tgba) -> Option<Self> {
        if automaton.sets + negation.sets > 63 {
            return None;
        }
        // Of the product only the common numbering of atoms is used here.
        let (mut a, mut b) = (automaton.clone(), negation.clone());
        let (guards, left, right) = Product::new(&mut a, &mut b).common_guards();
        let numbering = |edges: &[Vec<Edge>], common: &RapidHashMap<Guard, Guard>| {
            let mut labels: RapidHashMap<Guard, u32> = RapidHashMap::default();
            let mut list = Vec::new();
            let rows = edges
                .iter()
                .map(|row| {
                    row.iter()
                        .map(|e| {
                            let l = *labels.entry(e.guard).or_insert_with(|| {
                                list.push(common[&e.guard]);
                                (list.len() - 1) as u32
                            });
                            (l, e.marks.0, e.target.0)
                        })
                        .collect()
                })
                .collect::<Vec<EdgeRow>>();
            (rows, list)
        };
        let (rows, labels) = numbering(&automaton.edges, &left);
        let (mut other, other_labels) = numbering(&negation.edges, &right);
        for e in other.iter_mut().flatten() {
            e.1 <<= automaton.sets;
        }
        let width = other_labels.len();
        let mut compatible = Vec::with_capacity(labels.len() * width);
        for l in &labels {
            compatible.extend(other_labels.iter().map(|m| guards.intersects(*l, *m)));
        }
        Some(DisjointnessCheck {
            rows,
            sets: automaton.sets,
            initial: automaton.initial.iter().map(|q| q.0).collect(),
            other,
            other_initial: negation.initial.iter().map(|q| q.0).collect(),
            other_sets: negation.sets,
            compatible,
            width,
        })
    }

    /// Whether the language, with each state `q` replaced by `name[q]`, is disjoint from that of
    /// the negation (Couvreur's emptiness check on the product). False if the budget runs out.
    fn is_disjoint(&self, name: &[u32], rows: &[EdgeRow], budget: &mut u64) -> bool {
        const UNSEEN: u32 = u32::MAX;
        const DEAD: u32 = u32::MAX - 1;
        let all = Marks::all(self.sets + self.other_sets).0;
        let m = self.other.len() as u32;
        let mut number = vec![UNSEEN; rows.len() * m as usize];
        *budget = budget.saturating_sub(number.len() as u64 / 8);
        let mut live: Vec<u32> = Vec::new();
        // Roots of components: number, marks inside, marks of the edge that reached the root.
        let mut roots: Vec<(u32, u64, u64)> = Vec::new();
        let mut calls: Vec<(u32, u32, u32)> = Vec::new();
        let mut count = 0;
        for p in &self.initial {
            for q in &self.other_initial {
                let start = name[*p as usize] * m + q;
                if number[start as usize] != UNSEEN {
                    continue;
                }
                let mut enter = Some((start, 0));
                loop {
                    if let Some((s, incoming)) = enter.take() {
                        number[s as usize] = count;
                        roots.push((count, 0, incoming));
                        count += 1;
                        live.push(s);
                        calls.push((s, 0, 0));
                    }
                    let Some((s, i, j)) = calls.last_mut() else { break };
                    let (row, other) = (&rows[(*s / m) as usize], &self.other[(*s % m) as usize]);
                    let mut edge = None;
                    while (*i as usize) < row.len() {
                        let (l, marks, t) = row[*i as usize];
                        while (*j as usize) < other.len() {
                            let (k, more, u) = other[*j as usize];
                            *j += 1;
                            if *budget == 0 {
                                return false;
                            }
                            *budget -= 1;
                            if self.compatible[l as usize * self.width + k as usize] {
                                edge = Some((marks | more, t * m + u));
                                break;
                            }
                        }
                        if edge.is_some() {
                            break;
                        }
                        *i += 1;
                        *j = 0;
                    }
                    match edge {
                        Some((marks, t)) => match number[t as usize] {
                            UNSEEN => enter = Some((t, marks)),
                            DEAD => {}
                            n => {
                                let mut marks = marks;
                                while roots.last().is_some_and(|r| r.0 > n) {
                                    let r = roots.pop().expect("just seen");
                                    marks |= r.1 | r.2;
                                }
                                let r = roots.last_mut().expect("a live target has a root");
                                r.1 |= marks;
                                if r.1 & all == all {
                                    return false;
                                }
                            }
                        },
                        None => {
                            let s = *s;
                            calls.pop();
                            if roots.last().is_some_and(|r| r.0 == number[s as usize]) {
                                roots.pop();
                                while let Some(t) = live.pop() {
                                    number[t as usize] = DEAD;
                                    if t == s {
                                        break;
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        true
    }

    /// Merges pairs greedily. Returns the representative of each state.
    fn merge_all(&self, state_based: bool, budget: &mut u64) -> Vec<u32> {
        let n = self.rows.len() as u32;
        let mut name: Vec<u32> = (0..n).collect();
        let mut rows = self.rows.clone();
        for q in 1..n {
            for p in 0..q {
                if name[p as usize] != p || name[q as usize] != q {
                    continue;
                }
                let trial_name: Vec<u32> =
                    name.iter().map(|r| if *r == q { p } else { *r }).collect();
                let trial = merged_rows(&rows, p, q, state_based);
                if self.is_disjoint(&trial_name, &trial, budget) {
                    name = trial_name;
                    rows = trial;
                }
                if *budget == 0 {
                    return name;
                }
            }
        }
        name
    }
}

/// The edges of all states with `q` merged into `p`.
fn merged_rows(rows: &[EdgeRow], p: u32, q: u32, state_based: bool) -> Vec<EdgeRow> {
    let mut rows = rows.to_vec();
    let moved = std::mem::take(&mut rows[q as usize]);
    rows[p as usize].extend(moved);
    for e in rows.iter_mut().flatten() {
        if e.2 == q {
            e.2 = p;
        }
    }
    let row = &mut rows[p as usize];
    if state_based {
        let marks = row.iter().fold(0, |m, e| m | e.1);
        row.iter_mut().for_each(|e| e.1 = marks);
    }
    row.sort_unstable();
    row.dedup();
    rows
}

/// Merges states of `automaton` while it stays disjoint from `negation`. Returns whether states
/// were merged.
///
/// Precondition: the language of `negation` is the complement of that of `automaton`. The edges of
/// products that are visited are subtracted from `budget`. A state-based automaton stays
/// state-based.
pub fn merge_states(automaton: &mut Tgba, negation: &Tgba, budget: &mut u64) -> bool {
    let Some(check) = DisjointnessCheck::new(automaton, negation) else { return false };
    let state_based = automaton.sets <= 1 && automaton.is_state_based();
    let name = check.merge_all(state_based, budget);
    if name.iter().enumerate().all(|(i, r)| i as u32 == *r) {
        return false;
    }
    let old = automaton.edges.clone();
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); old.len()];
    for (q, list) in old.into_iter().enumerate() {
        let row = &mut edges[name[q] as usize];
        row.extend(list.into_iter().map(|e| Edge { target: StateId(name[e.target.index()]), ..e }));
    }
    if state_based {
        for row in &mut edges {
            let marks = row.iter().fold(Marks::NONE, |m, e| m.union(e.marks));
            row.iter_mut().for_each(|e| e.marks = marks);
        }
    }
    automaton.edges = edges;
    for q in &mut automaton.initial {
        *q = StateId(name[q.index()]);
    }
    automaton.initial.sort_unstable();
    automaton.initial.dedup();
    automaton.merge_edges();
    automaton.retain_reachable();
    true
}

/// Makes states of a state-based Büchi automaton accepting where that adds no word, so that
/// simulations relate more states. Returns whether the automaton changed.
pub fn saturate_acceptance(automaton: &mut Tgba, negation: &Tgba, budget: &mut u64) -> bool {
    let Some(check) = DisjointnessCheck::new(automaton, negation) else { return false };
    let name: Vec<u32> = (0..automaton.state_count() as u32).collect();
    let mut rows = check.rows.clone();
    let mut changed = false;
    for q in 0..rows.len() {
        if rows[q].iter().all(|e| e.1 == 1) {
            continue;
        }
        let before = rows[q].clone();
        rows[q].iter_mut().for_each(|e| e.1 = 1);
        if check.is_disjoint(&name, &rows, budget) {
            automaton.edges[q].iter_mut().for_each(|e| e.marks = Marks::one(0));
            changed = true;
        } else {
            rows[q] = before;
        }
    }
    changed
}
