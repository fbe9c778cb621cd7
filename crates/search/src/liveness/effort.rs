//! A bound on the search for a shortest lasso, which is exponential in the worst case.
//!
//! The search for a shortest *fair* lasso visits pairs of a node and a set of actors, and the
//! search without fairness pairs of a node and a set of marks, so there can be far more pairs than
//! nodes. A search that exceeds its effort, or a limit of the whole search, ends with the shortest
//! lasso found so far.

use crate::tuning::liveness::{EXPANSION_EFFORT, SHORTEST_LASSO_EFFORT};

/// Work that a search may still do. A unit is about one comparison of two sets.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    allowed: u64,
    left: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort::new(SHORTEST_LASSO_EFFORT)
    }
}

impl Effort {
    /// An effort of this many units.
    pub fn new(allowed: u64) -> Effort {
        Effort { allowed, left: allowed }
    }

    /// The effort for expanding this many nodes.
    pub(crate) fn expansions(nodes: usize) -> Effort {
        Effort::new((nodes as u64).saturating_mul(EXPANSION_EFFORT))
    }

    /// Must be called for each node that is expanded.
    pub(crate) fn expand<S>(&mut self) -> Result<(), Halt<S>> {
        self.spend(EXPANSION_EFFORT)
    }

    /// Must be called before this many sets are compared.
    pub(crate) fn compare<S>(&mut self, sets: usize) -> Result<(), Halt<S>> {
        self.spend(sets as u64)
    }

    fn spend<S>(&mut self, units: u64) -> Result<(), Halt<S>> {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Halt::Effort(self.allowed)),
        }
    }
}

/// Why a search ended before it had proven that no lasso is shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt<S> {
    /// The graph could not be constructed any further.
    Graph(S),
    /// All units of this effort were used.
    Effort(u64),
}

/// The shortest lasso found, and why there may be a shorter one; `None` if it is proven to be
/// shortest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortest<L, S> {
    /// The lasso.
    pub lasso: L,
    /// Why it is not proven to be shortest.
    pub unproven: Option<Halt<S>>,
}
