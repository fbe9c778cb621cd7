//! A concurrent union-find of nodes (Bloemen, Laarman, van de Pol 2016, "Multi-core on-the-fly SCC
//! decomposition").
//!
//! A set is a tree of parents. Its root holds the data of the set: the threads that work on it, the
//! marks of its edges, and whether it is dead, that is, a complete strong component. The nodes of a
//! set that are not expanded are on a cyclic list, from which each thread picks any; an expanded
//! node is removed from the list by the next thread that passes it. When the list is empty, the set
//! is dead.
//!
//! A root is only united into a root with a higher number, so parents have no cycles. Two lists are
//! joined by exchanging the links of one node of each while both are locked: first that of the root
//! that becomes a child, then the other, which excludes deadlock.

use crate::liveness::graph::Node;
use crate::liveness::segmented_list::SegmentedList;
use crate::liveness::stress;
use std::sync::atomic::Ordering::{Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Of a root: it is being united into another root.
const ROOT_LOCKED: u64 = 1 << 60;
/// Of a root: the set is a complete strong component.
const DEAD: u64 = 1 << 61;
/// Of any node: its link is being changed.
const LINK_LOCKED: u64 = 1 << 62;
/// Of any node: it is expanded.
const DONE: u64 = 1 << 63;
/// Bits for threads and marks.
pub(super) const BITS: u32 = 60;

/// A node. All zeros represent a node that is alone in a set on which no thread works.
#[derive(Debug, Default)]
struct Cell {
    /// Of a root: threads in the lowest bits, marks above them. Of any node: the flags above.
    info: AtomicU64,
    /// The parent's number plus one; 0 in a root.
    parent: AtomicU32,
    /// The number of the next node on the list plus one; 0 for the node itself.
    next: AtomicU32,
}

/// The state of a node's set from the point of view of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The thread has not worked on the set.
    New,
    /// The thread works on the set.
    Visiting,
    /// The set is complete.
    Dead,
}

/// The sets.
#[derive(Debug)]
pub(super) struct UnionFind {
    cells: SegmentedList<Cell>,
    /// The number of bits for threads.
    threads: u32,
}

impl UnionFind {
    /// Precondition: threads and marks together need at most [`BITS`].
    pub fn new(threads: u32) -> UnionFind {
        UnionFind { cells: SegmentedList::default(), threads }
    }

    #[inline]
    fn cell(&self, node: Node) -> &Cell {
        self.cells.get(node)
    }

    #[inline]
    fn parent(&self, node: Node) -> Option<Node> {
        self.cell(node).parent.load(SeqCst).checked_sub(1)
    }

    fn next(&self, node: Node) -> Node {
        self.cell(node).next.load(SeqCst).checked_sub(1).unwrap_or(node)
    }

    fn set_next(&self, node: Node, next: Node) {
        self.cell(node).next.store(next + 1, SeqCst);
    }

    /// The root of a node's set; if another thread unites sets meanwhile, a former root.
    #[inline]
    fn find(&self, mut node: Node) -> Node {
        while let Some(parent) = self.parent(node) {
            let Some(above) = self.parent(parent) else { return parent };
            // Path compression for later calls; any ancestor is correct.
            self.cell(node).parent.store(above + 1, Release);
            node = above;
        }
        node
    }

    /// Sets bits at the root; returns all bits that are set there then.
    fn add_to_root(&self, node: Node, bits: u64) -> u64 {
        let mut root = node;
        loop {
            root = self.find(root);
            let info = self.cell(root).info.fetch_or(bits, SeqCst) | bits;
            stress::point();
            // If the root becomes a child after this, its bits are copied to the new root.
            if self.parent(root).is_none() {
                return info;
            }
        }
    }

    /// Enters a node with a thread.
    pub fn claim(&self, node: Node, thread: usize) -> Claim {
        let root = self.find(node);
        let info = self.cell(root).info.load(SeqCst);
        if info & DEAD != 0 {
            return Claim::Dead;
        }
        let bit = 1 << thread;
        if info & bit != 0 {
            return Claim::Visiting;
        }
        self.add_to_root(root, bit);
        Claim::New
    }

    /// Is the node's set complete?
    pub fn is_dead(&self, node: Node) -> bool {
        self.cell(self.find(node)).info.load(SeqCst) & DEAD != 0
    }

    /// Are two nodes in one set?
    pub fn same(&self, left: Node, right: Node) -> bool {
        let (mut left, mut right) = (left, right);
        loop {
            (left, right) = (self.find(left), self.find(right));
            if left == right {
                return true;
            }
            if self.parent(left).is_none() {
                return false;
            }
        }
    }

    /// Adds marks of edges inside the set; returns all marks of the set.
    pub fn add_marks(&self, node: Node, marks: u64) -> u64 {
        let info = self.add_to_root(node, marks << self.threads);
        (info & ((1 << BITS) - 1)) >> self.threads
    }

    /// Unites two sets.
    ///
    /// Precondition: they belong to one strong component, so that neither is complete before they
    /// are united.
    pub fn unite(&self, left: Node, right: Node) {
        let (from, to) = loop {
            let (left, right) = (self.find(left), self.find(right));
            if left == right {
                return;
            }
            let from = left.min(right);
            if self.lock_root(from) {
                break (from, left.max(right));
            }
            std::thread::yield_now();
        };
        let (one, other) = (self.lock_link(from), self.lock_link(to));
        stress::point();
        let cell = self.cell(from);
        cell.parent.store(to + 1, SeqCst);
        stress::point();
        // A thread that adds bits to `from` after this sees that it is not a root.
        self.add_to_root(to, cell.info.load(SeqCst) & ((1 << BITS) - 1));
        stress::point();
        // Only now: a thread that picks a node of the other list relies on the node being in the
        // set.
        let (after_one, after_other) = (self.next(one), self.next(other));
        self.set_next(one, after_other);
        self.set_next(other, after_one);
        for node in [one, other] {
            self.cell(node).info.fetch_and(!LINK_LOCKED, SeqCst);
        }
        cell.info.fetch_and(!ROOT_LOCKED, SeqCst);
    }

    /// Locks a node if it is a root and not locked.
    fn lock_root(&self, node: Node) -> bool {
        let cell = self.cell(node);
        if cell.info.fetch_or(ROOT_LOCKED, SeqCst) & ROOT_LOCKED != 0 {
            return false;
        }
        let is_root = self.parent(node).is_none();
        if !is_root {
            cell.info.fetch_and(!ROOT_LOCKED, SeqCst);
        }
        is_root
    }

    /// Locks the link of a node in the set that is not expanded.
    fn lock_link(&self, node: Node) -> Node {
        loop {
            let picked = self.pick(node).expect("a set that can grow is not complete");
            let info = &self.cell(picked).info;
            let seen = info.load(SeqCst);
            if seen & (LINK_LOCKED | DONE) == 0
                && info.compare_exchange(seen, seen | LINK_LOCKED, SeqCst, SeqCst).is_ok()
            {
                return picked;
            }
            std::hint::spin_loop();
        }
    }

    /// Marks a node as expanded.
    pub fn done(&self, node: Node) {
        let info = &self.cell(node).info;
        let mut seen = info.load(SeqCst);
        while seen & DONE == 0 {
            if seen & LINK_LOCKED != 0 {
                std::thread::yield_now();
                seen = info.load(SeqCst);
                continue;
            }
            match info.compare_exchange_weak(seen, seen | DONE, SeqCst, SeqCst) {
                Ok(_) => return,
                Err(now) => seen = now,
            }
        }
    }

    /// A node of the set that is not expanded; `None` if there is none, and then the set is dead.
    pub fn pick(&self, node: Node) -> Option<Node> {
        let mut here = node;
        loop {
            if !self.is_done(here) {
                return Some(here);
            }
            let next = self.next(here);
            if next == here {
                self.add_to_root(node, DEAD);
                return None;
            }
            if !self.is_done(next) {
                return Some(next);
            }
            stress::point();
            // The link of an expanded node only ever changes to a later node.
            let further = self.next(next);
            self.set_next(here, further);
            here = further;
        }
    }

    fn is_done(&self, node: Node) -> bool {
        loop {
            let info = self.cell(node).info.load(SeqCst);
            if info & LINK_LOCKED == 0 {
                return info & DONE != 0;
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NODES: Node = 24;

    proptest! {
        #![proptest_config(seeded::cases(300))]

        /// Concurrent unions and marks give the sets, marks and lists that one thread would
        /// compute.
        #[test]
        fn sets_are_those_of_one_thread(
            lists in prop::collection::vec(prop::collection::vec((0..NODES, 0..NODES), 0..20), 3),
        ) {
            let sets = UnionFind::new(3);
            std::thread::scope(|scope| {
                for (thread, list) in lists.iter().enumerate() {
                    let sets = &sets;
                    scope.spawn(move || {
                        for &(left, right) in list {
                            sets.claim(left, thread);
                            sets.unite(left, right);
                            sets.add_marks(right, 1 << thread);
                        }
                    });
                }
            });
            // The reference: each node has the lowest number of its set, and the marks of the
            // threads that united it.
            let mut lowest: Vec<Node> = (0..NODES).collect();
            for &(left, right) in lists.iter().flatten() {
                let (left, right) = (lowest[left as usize], lowest[right as usize]);
                let replaced = lowest.iter_mut().filter(|number| **number == left.max(right));
                replaced.for_each(|number| *number = left.min(right));
            }
            for node in 0..NODES {
                let in_set = |pair: &(Node, Node)| lowest[pair.0 as usize] == lowest[node as usize];
                let parts = lists.iter().enumerate().filter(|(_, list)| list.iter().any(in_set));
                let marks = parts.fold(0, |marks, (thread, _)| marks | 1 << thread);
                prop_assert_eq!(sets.add_marks(node, 0), marks);
                for thread in (0..lists.len()).filter(|thread| marks >> thread & 1 == 1) {
                    prop_assert_eq!(sets.claim(node, thread), Claim::Visiting);
                }
                for other in 0..NODES {
                    let expected = lowest[node as usize] == lowest[other as usize];
                    prop_assert_eq!(sets.same(node, other), expected);
                }
            }
            // Each node of a set is picked once, then the set is dead.
            for node in (0..NODES).filter(|node| lowest[*node as usize] == *node) {
                let mut picked = Vec::new();
                while let Some(next) = sets.pick(node) {
                    picked.push(next);
                    sets.done(next);
                }
                picked.sort_unstable();
                let members: Vec<Node> =
                    (0..NODES).filter(|other| lowest[*other as usize] == node).collect();
                prop_assert_eq!(picked, members);
                prop_assert!(sets.is_dead(node));
            }
        }
    }
}
