//! Sets of nodes that threads unite while others look at them (Bloemen, Laarman, van de Pol 2016, "Multi-core on-the-fly SCC
//! decomposition").
//!
//! A set is a tree of parents, whose root has what is known of the set: the threads that work on it, the marks of its edges, and whether it is
//! dead, a complete strong component. The nodes of a set that are still to be expanded are on a cyclic list, from which each thread picks any; a
//! node that was expanded is taken off the list by the next one that passes. When nothing is left on the list, the set is dead.
//!
//! Roots give way to roots with higher numbers only, so parents have no cycles. Two lists are joined by exchanging the links of a
//! node of each, both locked: first that of the root that gives way, then the other, so nobody waits in a circle.

use super::graph::Node;
use super::segments::Segments;
use super::stress;
use std::sync::atomic::Ordering::{Release, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Of a root: it is giving way to another.
const ROOT_LOCKED: u64 = 1 << 60;
/// Of a root: the set is a complete strong component.
const DEAD: u64 = 1 << 61;
/// Of any node: its link is being changed.
const LINK_LOCKED: u64 = 1 << 62;
/// Of any node: it need not be expanded any more.
const DONE: u64 = 1 << 63;
/// Bits for threads and marks.
pub(super) const BITS: u32 = 60;

/// A node. Zero in all of it is a node alone in a set that nobody works on.
#[derive(Debug, Default)]
struct Cell {
    /// Of a root, threads in the lowest bits and marks above; and the bits above.
    info: AtomicU64,
    /// One more than the parent's number; 0 in a root.
    parent: AtomicU32,
    /// One more than the number of the next node on the list; 0 for the node itself.
    next: AtomicU32,
}

/// What a thread that comes to a node finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The thread has not been in this set.
    New,
    /// The set is one that the thread works on.
    Found,
    /// The set is complete.
    Dead,
}

/// The sets.
#[derive(Debug)]
pub(super) struct UnionFind {
    cells: Segments<Cell>,
    /// How many bits stand for threads.
    threads: u32,
}

impl UnionFind {
    /// Precondition: threads and marks together have no more than [`BITS`].
    pub fn new(threads: u32) -> UnionFind {
        UnionFind { cells: Segments::default(), threads }
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

    /// The root of a node's set; when somebody unites sets meanwhile, one that was it.
    #[inline]
    fn find(&self, mut node: Node) -> Node {
        while let Some(parent) = self.parent(node) {
            let Some(above) = self.parent(parent) else { return parent };
            // Shorter ways for those who come later; any node above will do.
            self.cell(node).parent.store(above + 1, Release);
            node = above;
        }
        node
    }

    /// Sets bits at the root; all bits that are set there then.
    fn add_to_root(&self, node: Node, bits: u64) -> u64 {
        let mut root = node;
        loop {
            root = self.find(root);
            let info = self.cell(root).info.fetch_or(bits, SeqCst) | bits;
            stress::point();
            // A root that gave way after this has taken the bits with it.
            if self.parent(root).is_none() {
                return info;
            }
        }
    }

    /// A thread comes to a node.
    pub fn claim(&self, node: Node, thread: usize) -> Claim {
        let root = self.find(node);
        let info = self.cell(root).info.load(SeqCst);
        if info & DEAD != 0 {
            return Claim::Dead;
        }
        let bit = 1 << thread;
        if info & bit != 0 {
            return Claim::Found;
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

    /// Adds marks of edges within the set; all that it has then.
    pub fn add_marks(&self, node: Node, marks: u64) -> u64 {
        let info = self.add_to_root(node, marks << self.threads);
        (info & ((1 << BITS) - 1)) >> self.threads
    }

    /// Makes one set of two.
    ///
    /// Precondition: they belong to one strong component; so neither of them is complete before they are one.
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
        // Whoever adds bits to `from` after this sees that it is no root.
        self.add_to_root(to, cell.info.load(SeqCst) & ((1 << BITS) - 1));
        stress::point();
        // Only now, for whoever picks a node of the other list relies on it being in the set.
        let (after_one, after_other) = (self.next(one), self.next(other));
        self.set_next(one, after_other);
        self.set_next(other, after_one);
        for node in [one, other] {
            self.cell(node).info.fetch_and(!LINK_LOCKED, SeqCst);
        }
        cell.info.fetch_and(!ROOT_LOCKED, SeqCst);
    }

    /// Locks a root if it is one and nobody else has.
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

    /// Locks the link of a node of the set that is still to be expanded.
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

    /// A node was expanded: nobody need do it any more.
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

    /// A node of the set that is still to be expanded; `None` if there is none, and then the set is dead.
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
            // Links of nodes that are done are only ever made to lead further.
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

        /// Threads unite pairs and add marks at the same time: sets, marks and lists are what one thread would make.
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
            // The slow way: each node has the lowest number of its set, and the marks of the threads that had a part in it.
            let mut lowest: Vec<Node> = (0..NODES).collect();
            for &(left, right) in lists.iter().flatten() {
                let (left, right) = (lowest[left as usize], lowest[right as usize]);
                lowest.iter_mut().filter(|number| **number == left.max(right)).for_each(|number| *number = left.min(right));
            }
            for node in 0..NODES {
                let in_set = |pair: &(Node, Node)| lowest[pair.0 as usize] == lowest[node as usize];
                let parts = lists.iter().enumerate().filter(|(_, list)| list.iter().any(in_set));
                let marks = parts.fold(0, |marks, (thread, _)| marks | 1 << thread);
                prop_assert_eq!(sets.add_marks(node, 0), marks);
                for (thread, _) in lists.iter().enumerate().filter(|(thread, _)| marks >> thread & 1 == 1) {
                    prop_assert_eq!(sets.claim(node, thread), Claim::Found);
                }
                for other in 0..NODES {
                    prop_assert_eq!(sets.same(node, other), lowest[node as usize] == lowest[other as usize]);
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
                let members: Vec<Node> = (0..NODES).filter(|other| lowest[*other as usize] == node).collect();
                prop_assert_eq!(picked, members);
                prop_assert!(sets.is_dead(node));
            }
        }
    }
}
