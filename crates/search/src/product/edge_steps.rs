//! The steps along an edge of the product. The searches for cycles do not store them, so the source
//! is expanded again.

use crate::limits::Limit;
use crate::liveness::{Graph, Node};
use crate::product::graph::{ProductError, ProductGraph};
use crate::reach::atomic::{AtomicWalk, ExpansionError, LoopDetector, SuccessorVisitor};
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::{StepCode, Successors, TransitionSystem};

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// The program's steps from one node to the next; `None` if there is no such edge.
    pub fn steps_between(
        &mut self,
        source: Node,
        target: Node,
    ) -> Result<Option<Vec<StepCode>>, ProductError> {
        if self.absorbed(source).is_some() {
            return Ok(Some(Vec::new()));
        }
        // Every successor fits into the layout after this expansion.
        self.successors(source, &mut Vec::new())?;
        self.load(source);
        let mut identity = Vec::new();
        self.nodes.load_identity(target, &mut identity);
        let product = &self.nodes.product;
        let width = product.width();
        let mut search = TargetSearch { identity: &identity, found: None };
        let mut successors = Successors::new(width);
        let mut watch = LoopDetector::default();
        let mut walk = AtomicWalk::new(width);
        if product.successors(&self.state, &mut successors).is_err() {
            return Ok(None);
        }
        for index in 0..successors.len() {
            let code = successors.code(index);
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            let state = successors.state(index);
            if !code.is_transient() {
                search.arrival(state, &[code], 0);
            } else {
                match walk.through(product, state, code, &mut watch, self.interrupt(), &mut search)
                {
                    Ok(()) => {}
                    Err(
                        ExpansionError::Stopped | ExpansionError::Unfinished(Limit::Interrupted),
                    ) => {
                        return Err(self.stopped());
                    }
                    Err(ExpansionError::Unfinished(limit)) => {
                        return Err(ProductError::Limit(limit));
                    }
                    // Not reached, see above.
                    Err(ExpansionError::Misfit(_)) => return Ok(None),
                }
            }
            if search.found.is_some() {
                break;
            }
        }
        Ok(search.found)
    }
}

/// Records the steps of the first arrival at a state.
struct TargetSearch<'t> {
    identity: &'t [u64],
    found: Option<Vec<StepCode>>,
}

impl SuccessorVisitor for TargetSearch<'_> {
    fn taken(&mut self, _: StepCode) {}

    fn atomic(&mut self) {}

    fn arrival(&mut self, state: &[u64], codes: &[StepCode], _: u64) {
        if self.found.is_none() && state.starts_with(self.identity) {
            self.found = Some(codes.to_vec());
        }
    }

    fn error(&mut self, _: &RuntimeError, _: &[StepCode]) {}

    fn endless(&mut self) {}

    fn is_done(&self) -> bool {
        self.found.is_some()
    }
}
