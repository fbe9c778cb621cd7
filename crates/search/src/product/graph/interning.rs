//! Operations of a product graph that change the shared node table: interning nodes, growing the
//! table, widening the product. Operations on the whole table run in one thread while the others
//! wait.

use super::{ProductError, ProductGraph};
use crate::limits::Limit;
use crate::liveness::Node;
use crate::product::nodes::lookup::HeadLookup;
use crate::product::nodes::table::OutOfMemory;
use crate::reach::expansion::Expansion;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, TransitionSystem};
use std::sync::Arc;

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// Lets another thread change the table if a change is pending.
    #[inline]
    pub(super) fn attend(&mut self) {
        if self.nodes.is_change_pending() {
            self.nodes.yield_to_change();
        }
        self.adapt();
    }

    /// Replaces the buffers that depend on the width of states if the product was widened.
    #[inline]
    pub(super) fn adapt(&mut self) {
        if self.widened != self.nodes.widened {
            self.widened = self.nodes.widened;
            self.expansion = Expansion::new(self.nodes.product.width());
            self.program = Expansion::new(self.nodes.product.program_width());
            self.lookup = HeadLookup::new(self.nodes.table.words());
        }
    }

    /// Widens the product for a value that did not fit, unless another thread has; nodes keep their
    /// numbers.
    pub(in crate::product) fn widen(&mut self, misfit: &Misfit) -> Result<(), ProductError> {
        let (before, table_limit) = (self.widened, self.table_limit());
        let widened = self.nodes.change(|nodes| match nodes.widened == before {
            true => nodes.widen(misfit, table_limit),
            false => Ok(()),
        });
        self.adapt();
        widened.map_err(|OutOfMemory| self.out_of_memory())
    }

    /// The number of bytes that the node table may take.
    pub(super) fn table_limit(&self) -> u64 {
        if self.limits_lifted { u64::MAX } else { self.meter.store_limit(self.store_bytes()) }
    }

    pub(super) fn out_of_memory(&self) -> ProductError {
        ProductError::Limit(self.meter.out_of_memory(self.store_bytes()))
    }

    /// Records a value that does not fit into a layout that this graph may not widen.
    pub(in crate::product) fn fixed_layout_error(&mut self, misfit: Box<Misfit>) -> ProductError {
        self.misfit = Some(misfit);
        ProductError::FixedLayout
    }

    /// Adopts a wider layout of the program's states; nodes keep their numbers.
    pub(in crate::product) fn follow_layout(
        &mut self,
        system: S,
        conditions: Arc<S::Conditions>,
    ) -> Result<(), ProductError> {
        let table_limit = self.table_limit();
        let followed = self.nodes.change(|nodes| {
            nodes.recode(nodes.product.with_system(system, conditions), table_limit)
        });
        self.adapt();
        followed.map_err(|OutOfMemory| self.out_of_memory())
    }

    /// Grows the table. Another thread may have widened the product meanwhile.
    pub(in crate::product) fn grow(&mut self) -> Result<(), ProductError> {
        // The other threads wait, so all of them can take part.
        let (threads, table_limit) = (self.nodes.handle_count(), self.table_limit());
        let grown = self.nodes.change(|nodes| match nodes.table.is_full() {
            true => nodes.table.grow(table_limit, threads).map(|()| !nodes.table.is_full()),
            false => Ok(true),
        });
        self.adapt();
        match grown {
            Ok(true) => Ok(()),
            Ok(false) => Err(ProductError::Limit(Limit::States(self.nodes.table.max_nodes()))),
            Err(OutOfMemory) => Err(self.out_of_memory()),
        }
    }

    /// Interns states of the product, in order, and calls `visit` with their nodes. `false` if the
    /// product was widened meanwhile, which invalidates the words.
    pub(in crate::product) fn add<'w>(
        &mut self,
        list: impl Iterator<Item = &'w [u64]> + Clone,
        mut visit: impl FnMut(Node),
    ) -> Result<bool, ProductError> {
        let mut batch = std::mem::take(&mut self.batch);
        let split = self.nodes.is_split();
        if split {
            batch.fill(&self.nodes, list.clone());
        }
        let added = match split {
            true => self.intern_batch(batch.heads(self.nodes.table.words()))?,
            false => self.intern_batch(list)?,
        };
        if added {
            let tails = batch.tails.iter().copied().chain(std::iter::repeat(0));
            let nodes = self.lookup.heads.iter().zip(tails);
            nodes.for_each(|(head, tail)| {
                visit(self.nodes.table.visit(*head, tail, self.exclusive))
            });
        }
        batch.clear();
        self.batch = batch;
        self.check_size().map(|()| added)
    }

    /// Interns heads; their numbers are in `lookup` then. `false` if the product was widened
    /// meanwhile, which invalidates the words.
    pub(in crate::product) fn intern_batch<'w>(
        &mut self,
        list: impl Iterator<Item = &'w [u64]> + Clone,
    ) -> Result<bool, ProductError> {
        let widened = self.widened;
        self.lookup.begin(&self.nodes.table, list.clone());
        for (index, head) in list.enumerate() {
            let Some(hash) = self.lookup.missing_hash(index) else { continue };
            let number = loop {
                match self.nodes.table.intern_head(head, hash, &mut self.numbers, self.exclusive) {
                    Some(number) => break number,
                    None => self.grow()?,
                }
                if self.widened != widened {
                    return Ok(false);
                }
            };
            self.lookup.record(index, head, number);
        }
        Ok(true)
    }

    /// Fails if there are more nodes than allowed.
    pub(in crate::product) fn check_size(&self) -> Result<(), ProductError> {
        if self.limits_lifted || self.limits.states.is_none() && self.node_limit.is_none() {
            return Ok(());
        }
        let len = self.nodes.table.len() as u64;
        match (self.limits.states, self.node_limit) {
            (Some(limit), _) if len > limit => Err(ProductError::Limit(Limit::States(limit))),
            (_, Some(few)) if len > few => Err(ProductError::TooManyNodes),
            _ => Ok(()),
        }
    }
}
