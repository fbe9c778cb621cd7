//! The steps along an edge of the product, which the searches for cycles do not remember: the source is expanded once more.

use super::graph::{ProductGraph, Stop};
use crate::atomic::{Broken, Visitor, Walk, Watch};
use crate::limits::Limit;
use crate::liveness::{Graph, Node};
use model::RuntimeError;
use model::observe::Observable;
use model::system::{StepCode, Successors, System};

impl<S: Observable> ProductGraph<'_, '_, S> {
    /// The steps by which the program gets from one node to the next, if it does.
    pub fn passage(&mut self, source: Node, target: Node) -> Result<Option<Vec<StepCode>>, Stop> {
        if self.absorbed(source).is_some() {
            return Ok(Some(Vec::new()));
        }
        // Expanded once, so everything fits from here on.
        self.successors(source, &mut Vec::new())?;
        self.load(source);
        let mut identity = Vec::new();
        self.nodes.identity(target, &mut identity);
        let product = &self.nodes.product;
        let width = product.width();
        let mut search = Sought { identity: &identity, found: None };
        let mut successors = Successors::new(width);
        let mut watch = Watch::default();
        let mut walk = Walk::new(width);
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
                match walk.through(product, state, code, &mut watch, self.interrupt(), &mut search) {
                    Ok(()) => {}
                    Err(Broken::Stopped | Broken::Unfinished(Limit::Interrupted)) => {
                        return Err(self.stopped());
                    }
                    Err(Broken::Unfinished(limit)) => return Err(Stop::Limit(limit)),
                    // Everything fits, see above.
                    Err(Broken::Misfit(_)) => return Ok(None),
                }
            }
            if search.found.is_some() {
                break;
            }
        }
        Ok(search.found)
    }
}

/// Looks for an arrival at a state.
struct Sought<'t> {
    identity: &'t [u64],
    found: Option<Vec<StepCode>>,
}

impl Visitor for Sought<'_> {
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
