//! Strongly connected components of an explicit automaton (Tarjan 1972, without recursion), and
//! which of them contain cycles and accepting runs.

use crate::automaton::{Marks, StateId, Tgba};

/// The components of an automaton in reverse topological order: no edge leads to a higher number.
#[derive(Debug, Clone)]
pub struct Sccs {
    /// The component of each state; `u32::MAX` if it is unreachable.
    pub component: Vec<u32>,
    /// Marks on edges inside each component.
    pub marks: Vec<Marks>,
    /// Whether each component has an inner edge.
    pub cyclic: Vec<bool>,
    /// Whether a run inside each component can be accepting.
    pub accepting: Vec<bool>,
}

impl Sccs {
    /// The components of the reachable part of `automaton`.
    pub fn of(automaton: &Tgba) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let n = automaton.state_count();
        let mut component = vec![UNSEEN; n];
        let mut number = vec![UNSEEN; n];
        let mut low = vec![0u32; n];
        let mut live: Vec<usize> = Vec::new();
        let mut calls: Vec<(usize, usize)> = Vec::new();
        let (mut next_number, mut count) = (0, 0);
        for root in &automaton.initial {
            if number[root.index()] != UNSEEN {
                continue;
            }
            calls.push((root.index(), 0));
            while let Some((q, at)) = calls.pop() {
                if at == 0 {
                    number[q] = next_number;
                    low[q] = next_number;
                    next_number += 1;
                    live.push(q);
                }
                if let Some(e) = automaton.edges[q].get(at) {
                    let t = e.target.index();
                    calls.push((q, at + 1));
                    if number[t] == UNSEEN {
                        calls.push((t, 0));
                    } else if component[t] == UNSEEN {
                        low[q] = low[q].min(number[t]);
                    }
                    continue;
                }
                if low[q] == number[q] {
                    while let Some(p) = live.pop() {
                        component[p] = count;
                        if p == q {
                            break;
                        }
                    }
                    count += 1;
                }
                if let Some((parent, _)) = calls.last() {
                    low[*parent] = low[*parent].min(low[q]);
                }
            }
        }
        let mut marks = vec![Marks::NONE; count as usize];
        let mut cyclic = vec![false; count as usize];
        for (q, list) in automaton.edges.iter().enumerate() {
            for e in list {
                let c = component[q];
                if c != UNSEEN && c == component[e.target.index()] {
                    cyclic[c as usize] = true;
                    marks[c as usize] = marks[c as usize].union(e.marks);
                }
            }
        }
        let all = Marks::all(automaton.sets);
        let accepting = marks.iter().zip(&cyclic).map(|(m, c)| *c && m.contains(all)).collect();
        Sccs { component, marks, cyclic, accepting }
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether there are no components.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// The component of a reachable state.
    pub fn of_state(&self, state: StateId) -> usize {
        self.component[state.index()] as usize
    }

    /// Whether `source` and `target` are in the same component.
    pub fn is_inner(&self, source: StateId, target: StateId) -> bool {
        self.component[source.index()] == self.component[target.index()]
    }

    /// For each component, whether an accepting component is reachable from it.
    pub fn productive(&self, automaton: &Tgba) -> Vec<bool> {
        let mut productive = self.accepting.clone();
        let mut order: Vec<usize> =
            (0..automaton.state_count()).filter(|q| self.component[*q] != u32::MAX).collect();
        order.sort_by_key(|q| self.component[*q]);
        for q in order {
            let c = self.component[q] as usize;
            productive[c] |= automaton.edges[q]
                .iter()
                .any(|e| productive[self.component[e.target.index()] as usize]);
        }
        productive
    }
}
