//! A bound on the search for a shortest lasso, which is exponential in the worst case.
//!
//! The search for a *fair* shortest lasso visits pairs of a node and a set of actors, and that for an
//! unfair one pairs of a node and a set of marks, so there can be far more pairs than nodes. A search
//! that exceeds its effort, or a limit of the whole search, ends with the shortest lasso found so far.

/// Work that a search may still do. A unit is about as long as a comparison of two sets takes.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    allowed: u64,
    left: u64,
}

/// Enough for some seconds; most lassos are proven to be shortest with far less.
const USUAL: u64 = 20_000_000;

/// What the expansion of a node costs.
const EXPANSION: u64 = 10;

impl Default for Effort {
    fn default() -> Effort {
        Effort::new(USUAL)
    }
}

impl Effort {
    pub fn new(allowed: u64) -> Effort {
        Effort { allowed, left: allowed }
    }

    /// Enough to expand this many nodes.
    pub(crate) fn expansions(nodes: usize) -> Effort {
        Effort::new((nodes as u64).saturating_mul(EXPANSION))
    }

    /// To be called for each node that is expanded.
    pub(crate) fn expand<S>(&mut self) -> Result<(), Halt<S>> {
        self.spend(EXPANSION)
    }

    /// To be called before sets are compared.
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
    /// The graph could not be searched on.
    Graph(S),
    /// All units of this effort were used.
    Effort(u64),
}

/// The shortest lasso found, and why there may be a shorter one; nothing if it is proven to be shortest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortest<L, S> {
    pub lasso: L,
    pub unproven: Option<Halt<S>>,
}
