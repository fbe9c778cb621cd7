//! The product as a [`Graph`] and [`SharedGraph`] for the searches for cycles.

use super::{ProductError, ProductGraph};
use crate::limits::Limit;
use crate::liveness::{Edge, Graph, Node, SharedGraph};
use crate::product::expand::packet::EdgeScope;
use crate::product::nodes::ProductNodes;
use crate::product::nodes::packet_bits::COMPANION_EXPANDED;
use crate::product::nodes::table::{MAX_THREADS, OutOfMemory};
use crate::reach::atomic::ExpansionError;
use crate::reach::tally::Tally;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, TransitionSystem};

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// Computes the successors of nodes without interning them. Absorbing nodes are their own
    /// successors; their edges are appended to `out`.
    fn expand(
        &mut self,
        nodes: &[Node],
        out: &mut Vec<Edge>,
    ) -> Result<Result<(), Box<Misfit>>, ProductError> {
        self.expansion.clear();
        for &node in nodes {
            if let Some(marks) = self.absorbed(node) {
                out.push(Edge { marks, target: node });
                continue;
            }
            self.load(node);
            let stop = self.interrupt();
            match self.expansion.append(&self.nodes.product, &self.state, &mut self.tally, stop) {
                Ok(()) => {}
                Err(ExpansionError::Misfit(misfit)) => return Ok(Err(misfit)),
                Err(ExpansionError::Stopped | ExpansionError::Unfinished(Limit::Interrupted)) => {
                    return Err(self.stopped());
                }
                Err(ExpansionError::Unfinished(limit)) => return Err(ProductError::Limit(limit)),
            }
            if let Some((error, _)) = self.expansion.errors.first() {
                return Err(ProductError::NoValue(node, error.clone()));
            }
        }
        Ok(Ok(()))
    }

    /// Interns the nodes that the expansion arrives at and appends the edges; `false` if the
    /// expansion must be repeated.
    fn add_arrivals(&mut self, out: &mut Vec<Edge>) -> Result<bool, ProductError> {
        let (stride, identity) = (self.expansion.stride(), self.nodes.product.width().identity);
        let arrivals = self.expansion.take_successors();
        let list = arrivals.chunks_exact(stride);
        // The product stores the marks in its last word.
        let mut marks = list.clone().map(|arrival| arrival[stride - 1]);
        let added = self.add(list.map(|arrival| &arrival[1..=identity]), |target| {
            out.push(Edge { marks: marks.next().unwrap_or(0), target });
        });
        self.expansion.restore(arrivals);
        added
    }
}

impl<S: Observable> Graph for ProductGraph<'_, '_, S> {
    type Error = ProductError;

    fn initial(&mut self) -> Result<Vec<Node>, ProductError> {
        loop {
            self.attend();
            let states =
                self.nodes.product.initial_states().map_err(ProductError::NoInitialState)?;
            let identity = self.nodes.product.width().identity;
            let mut nodes = Vec::with_capacity(states.len());
            if self.add(states.iter().map(|state| &state[..identity]), |node| nodes.push(node))? {
                return Ok(nodes);
            }
        }
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), ProductError> {
        self.successors_of(&[node], out)
    }

    /// Interns after all successors are computed, so that their memory is prefetched.
    fn successors_of(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<(), ProductError> {
        if self.needs_arrivals() {
            return self.fair_successors_of(nodes, out);
        }
        if self.nodes.is_split() {
            return self.packet_successors(nodes, EdgeScope::All, out, &mut Vec::new());
        }
        nodes.iter().try_for_each(|_| self.tick())?;
        let start = out.len();
        loop {
            let counted = (self.tally.transitions, self.tally.atomic_steps);
            match self.expand(nodes, out)? {
                // This expansion found the first endless atomic sequence.
                Ok(()) if self.needs_arrivals() => {
                    out.truncate(start);
                    (self.tally.transitions, self.tally.atomic_steps) = counted;
                    return self.fair_successors_of(nodes, out);
                }
                Ok(()) if self.add_arrivals(out)? => return Ok(()),
                Ok(()) => {}
                Err(misfit) if self.fixed_layout => return Err(self.fixed_layout_error(misfit)),
                Err(misfit) => self.widen(&misfit)?,
            }
            // Repeated, since the layout has changed.
            (self.tally.transitions, self.tally.atomic_steps) = counted;
            out.truncate(start);
        }
    }

    fn component_successors(
        &mut self,
        node: Node,
        out: &mut Vec<Edge>,
        exits: &mut Vec<Node>,
    ) -> Result<(), ProductError> {
        if self.nodes.is_split() {
            let companion = self.claim_companion(node);
            return self.packet_successors(&[node], EdgeScope::Component(companion), out, exits);
        }
        let start = out.len();
        self.successors(node, out)?;
        exits.extend(
            out.extract_if(start.., |edge| self.is_rejecting(edge.target)).map(|edge| edge.target),
        );
        Ok(())
    }

    fn rejecting_successors(
        &mut self,
        nodes: &[Node],
        out: &mut Vec<Edge>,
    ) -> Result<(), ProductError> {
        let ProductNodes { product, table, .. } = &*self.nodes;
        let Some(waiting) = product.monitor().waiting().filter(|_| self.nodes.is_split()) else {
            return self.successors_of(nodes, out);
        };
        let is_unexpanded = |node: &Node| {
            table.tail(*node) != waiting
                || table.set_flag(table.head(*node), COMPANION_EXPANDED, self.exclusive)
        };
        let mut rejecting = std::mem::take(&mut self.rejecting);
        rejecting.clear();
        rejecting.extend(nodes.iter().copied().filter(is_unexpanded));
        let made = self.successors_of(&rejecting, out);
        self.rejecting = rejecting;
        made
    }

    fn with_switched_demon(&mut self, node: Node) -> Result<Node, ProductError> {
        self.with_demon(node, true)
    }

    fn all_marks(&self) -> u64 {
        self.nodes.product.monitor().all_marks()
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.nodes.product.monitor().is_accepting(self.automaton_state(node))
    }

    #[inline]
    fn is_rejecting(&self, node: Node) -> bool {
        self.nodes.product.monitor().is_rejecting(self.automaton_state(node))
    }

    fn is_weak(&self) -> bool {
        self.nodes.product.monitor().is_weak()
    }

    fn lift_limits(&mut self) {
        self.limits_lifted = true;
    }

    fn note_depth(&mut self, depth: usize) {
        self.tally.depth = self.tally.depth.max(depth as u64);
    }

    fn len(&self) -> usize {
        self.nodes.table.len()
    }

    fn number_bound(&self) -> u64 {
        self.nodes.table.number_bound()
    }
}

impl<S: Observable> SharedGraph for ProductGraph<'_, '_, S> {
    type Counts = Tally;

    fn view(&mut self) -> Self {
        self.exclusive = false;
        // Only the first thread reports progress.
        let view = ProductGraph::with_nodes(
            self.nodes.new_handle(),
            &self.limits,
            self.meter.clone(),
            None,
        );
        ProductGraph { exclusive: false, ..view }
    }

    fn max_views(&self) -> usize {
        MAX_THREADS
    }

    fn wait(&mut self) -> Result<(), ProductError> {
        std::thread::yield_now();
        self.attend();
        self.meter.check_time().map_err(ProductError::Limit)
    }

    fn suspend(&mut self) {
        self.nodes.release();
    }

    fn resume(&mut self) {
        self.nodes.acquire();
        self.adapt();
    }

    #[inline]
    fn has_color(&self, node: Node, color: u8) -> bool {
        self.nodes.table.has_color(node, color)
    }

    #[inline]
    fn insert_color(&self, node: Node, color: u8) -> bool {
        self.nodes.table.insert_color(node, color, self.exclusive)
    }

    fn clear_colors(&mut self) -> Result<(), ProductError> {
        let cleared = self.nodes.change(|nodes| nodes.table.clear_colors());
        cleared.map_err(|OutOfMemory| self.out_of_memory())
    }

    fn into_counts(self) -> Tally {
        self.tally
    }

    fn add_counts(&mut self, counts: Tally) {
        self.tally.join(&counts);
    }
}
