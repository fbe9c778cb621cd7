//! Boolean functions as reduced ordered binary decision diagrams (Bryant 1986).
//!
//! Owns the labels of edges. Diagrams are hash-consed, so equality is a comparison of handles.
//! Variables are numbers; only callers know whether one stands for an atom, a successor or an
//! acceptance promise. There is no reordering and no garbage collection: a manager lives as long as
//! its automaton, and automata are small.

mod cover;

use rapidhash::RapidHashMap;

/// A Boolean function: a handle into the [`Guards`] that created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guard(u32);

impl Guard {
    /// The constant false.
    pub const FALSE: Guard = Guard(0);
    /// The constant true.
    pub const TRUE: Guard = Guard(1);

    /// Whether the function is constant.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The handle as an index, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct DiagramNode {
    variable: u32,
    low: Guard,
    high: Guard,
}

const AND: u32 = 0;
const OR: u32 = 1;
const NOT: u32 = 2;

/// A partial assignment: variables with their values, ascending.
pub type Cube = Vec<(u32, bool)>;

/// A cached result: operator, operands, result. The operator `u32::MAX` marks an unused entry.
type CacheEntry = (u32, Guard, Guard, Guard);

const UNUSED: CacheEntry = (u32::MAX, Guard::FALSE, Guard::FALSE, Guard::FALSE);

/// The manager of diagrams: unique table and result cache.
///
/// The length of both tables is a power of two. The unique table uses linear probing and holds node
/// numbers; 0, a constant, marks an empty slot. A collision in the cache overwrites the older
/// entry. Small managers are cloned often, so they start small.
#[derive(Clone, Debug)]
pub struct Guards {
    nodes: Vec<DiagramNode>,
    unique: Vec<u32>,
    cache: Vec<CacheEntry>,
    node_limit: usize,
    overflowed: bool,
}

impl Default for Guards {
    fn default() -> Self {
        Self::new()
    }
}

fn hash(a: u32, b: u32, c: u32) -> usize {
    let x = u64::from(a) << 32 | u64::from(b);
    let x =
        (x ^ u64::from(c).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ x >> 29) as usize
}

impl Guards {
    /// A manager that contains only the constants.
    pub fn new() -> Self {
        let constant = |g| DiagramNode { variable: u32::MAX, low: g, high: g };
        Guards {
            nodes: vec![constant(Guard::FALSE), constant(Guard::TRUE)],
            unique: vec![0; 64],
            cache: vec![UNUSED; 128],
            node_limit: usize::MAX,
            overflowed: false,
        }
    }

    /// Limits the number of nodes. Once the limit is reached, conjunctions and disjunctions are
    /// wrong and [`Self::overflowed`] is true: callers that set a limit must check it before
    /// they use a result.
    pub fn set_node_limit(&mut self, nodes: usize) {
        self.node_limit = nodes;
        self.overflowed = false;
    }

    /// Whether the node limit has been reached.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// The number of nodes created, a measure of the work done.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: the constants are nodes.
    pub fn is_empty(&self) -> bool {
        false
    }

    fn make(&mut self, variable: u32, low: Guard, high: Guard) -> Guard {
        if low == high {
            return low;
        }
        let node = DiagramNode { variable, low, high };
        let mask = self.unique.len() - 1;
        let mut slot = hash(variable, low.0, high.0) & mask;
        while self.unique[slot] != 0 {
            let at = self.unique[slot];
            if self.nodes[at as usize] == node {
                return Guard(at);
            }
            slot = (slot + 1) & mask;
        }
        let number = u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        self.nodes.push(node);
        self.unique[slot] = number;
        if self.nodes.len() * 2 > self.unique.len() {
            self.grow();
        }
        Guard(number)
    }

    fn grow(&mut self) {
        let mask = self.unique.len() * 4 - 1;
        let mut unique = vec![0; mask + 1];
        for (i, n) in self.nodes.iter().enumerate().skip(2) {
            let mut slot = hash(n.variable, n.low.0, n.high.0) & mask;
            while unique[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            unique[slot] = i as u32;
        }
        self.unique = unique;
        self.cache = vec![UNUSED; (mask + 1).min(1 << 18)];
    }

    fn cached(&self, operator: u32, f: Guard, g: Guard) -> Option<Guard> {
        let entry = self.cache[hash(operator, f.0, g.0) & (self.cache.len() - 1)];
        (entry.0 == operator && entry.1 == f && entry.2 == g).then_some(entry.3)
    }

    fn cache_result(&mut self, operator: u32, f: Guard, g: Guard, result: Guard) {
        let slot = hash(operator, f.0, g.0) & (self.cache.len() - 1);
        self.cache[slot] = (operator, f, g, result);
    }

    /// The function that is variable `v`.
    pub fn variable(&mut self, v: u32) -> Guard {
        self.make(v, Guard::FALSE, Guard::TRUE)
    }

    /// Variable `v` or its negation.
    pub fn literal(&mut self, v: u32, positive: bool) -> Guard {
        if positive { self.variable(v) } else { self.make(v, Guard::TRUE, Guard::FALSE) }
    }

    /// The least variable `f` depends on (`u32::MAX` for a constant).
    pub fn top(&self, f: Guard) -> u32 {
        self.nodes[f.index()].variable
    }

    /// The cofactors of `f` for its top variable: with the variable false, and true.
    pub fn branches(&self, f: Guard) -> (Guard, Guard) {
        let n = self.nodes[f.index()];
        (n.low, n.high)
    }

    fn cofactors(&self, f: Guard, variable: u32) -> (Guard, Guard) {
        let n = self.nodes[f.index()];
        if n.variable == variable { (n.low, n.high) } else { (f, f) }
    }

    fn apply(&mut self, operator: u32, f: Guard, g: Guard) -> Guard {
        let (unit, zero) =
            if operator == AND { (Guard::TRUE, Guard::FALSE) } else { (Guard::FALSE, Guard::TRUE) };
        if f == zero || g == zero {
            return zero;
        }
        if f == unit || f == g {
            return g;
        }
        if g == unit {
            return f;
        }
        let (f, g) = (f.min(g), f.max(g));
        if let Some(r) = self.cached(operator, f, g) {
            return r;
        }
        if self.nodes.len() >= self.node_limit {
            self.overflowed = true;
            return Guard::FALSE;
        }
        let v = self.top(f).min(self.top(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, v), self.cofactors(g, v));
        let low = self.apply(operator, f0, g0);
        let high = self.apply(operator, f1, g1);
        let r = self.make(v, low, high);
        self.cache_result(operator, f, g, r);
        r
    }

    /// Conjunction.
    pub fn and(&mut self, f: Guard, g: Guard) -> Guard {
        self.apply(AND, f, g)
    }

    /// Disjunction.
    pub fn or(&mut self, f: Guard, g: Guard) -> Guard {
        self.apply(OR, f, g)
    }

    /// Negation.
    pub fn not(&mut self, f: Guard) -> Guard {
        if f == Guard::TRUE {
            return Guard::FALSE;
        }
        if f == Guard::FALSE {
            return Guard::TRUE;
        }
        if let Some(r) = self.cached(NOT, f, f) {
            return r;
        }
        let n = self.nodes[f.index()];
        let (low, high) = (self.not(n.low), self.not(n.high));
        let r = self.make(n.variable, low, high);
        self.cache_result(NOT, f, f, r);
        r
    }

    /// `f` and not `g`.
    pub fn minus(&mut self, f: Guard, g: Guard) -> Guard {
        let g = self.not(g);
        self.and(f, g)
    }

    /// Whether `f` implies `g`.
    pub fn implies(&mut self, f: Guard, g: Guard) -> bool {
        f == g || self.and(f, g) == f
    }

    /// Whether `f` and `g` have a common model. Creates no nodes.
    pub fn intersects(&self, f: Guard, g: Guard) -> bool {
        if f == Guard::FALSE || g == Guard::FALSE {
            return false;
        }
        if f == Guard::TRUE || g == Guard::TRUE || f == g {
            return true;
        }
        let v = self.top(f).min(self.top(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, v), self.cofactors(g, v));
        self.intersects(f0, g0) || self.intersects(f1, g1)
    }

    /// The value of `f` under an assignment.
    pub fn holds(&self, f: Guard, assignment: impl Fn(u32) -> bool) -> bool {
        let mut f = f;
        while !f.is_constant() {
            let n = self.nodes[f.index()];
            f = if assignment(n.variable) { n.high } else { n.low };
        }
        f == Guard::TRUE
    }

    /// Some partial assignment that makes `f` true, unless `f` is false.
    pub fn some_cube(&self, f: Guard) -> Option<Cube> {
        let mut cube = Cube::new();
        let mut f = f;
        while !f.is_constant() {
            let n = self.nodes[f.index()];
            let positive = n.low == Guard::FALSE;
            cube.push((n.variable, positive));
            f = if positive { n.high } else { n.low };
        }
        (f == Guard::TRUE).then_some(cube)
    }

    /// The variables `f` depends on, ascending.
    pub fn support(&self, f: Guard) -> Vec<u32> {
        let mut seen = rapidhash::RapidHashSet::default();
        let mut stack = vec![f];
        let mut variables = std::collections::BTreeSet::new();
        while let Some(g) = stack.pop() {
            if !g.is_constant() && seen.insert(g) {
                let n = self.nodes[g.index()];
                variables.insert(n.variable);
                stack.extend([n.low, n.high]);
            }
        }
        variables.into_iter().collect()
    }

    /// Copies a function from another manager and renames its variables; `rename` may change their
    /// order.
    pub fn import(
        &mut self,
        other: &Guards,
        f: Guard,
        rename: &dyn Fn(u32) -> u32,
        memo: &mut RapidHashMap<Guard, Guard>,
    ) -> Guard {
        if f.is_constant() {
            return f;
        }
        if let Some(&r) = memo.get(&f) {
            return r;
        }
        let n = other.nodes[f.index()];
        let low = self.import(other, n.low, rename, memo);
        let high = self.import(other, n.high, rename, memo);
        let v = rename(n.variable);
        let (negative, positive) = (self.literal(v, false), self.literal(v, true));
        let (low, high) = (self.and(negative, low), self.and(positive, high));
        let r = self.or(low, high);
        memo.insert(f, r);
        r
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Rng;

    /// A random function of `n` variables, as a diagram and as a truth table.
    fn random(guards: &mut Guards, n: u32, rng: &mut Rng) -> (Guard, u64) {
        let table = rng.bits() & rng.bits() & ((1u64 << (1 << n)) - 1);
        let mut f = Guard::FALSE;
        for row in 0..(1u64 << n) {
            if table >> row & 1 == 1 {
                let cube: Cube = (0..n).map(|v| (v, row >> v & 1 == 1)).collect();
                let c = guards.cube(&cube);
                f = guards.or(f, c);
            }
        }
        (f, table)
    }

    #[test]
    fn agrees_with_truth_tables() {
        let mut rng = Rng::new(1);
        let n = 5;
        for _ in 0..200 {
            let mut guards = Guards::new();
            let (f, tf) = random(&mut guards, n, &mut rng);
            let (g, tg) = random(&mut guards, n, &mut rng);
            let (and, or, not) = (guards.and(f, g), guards.or(f, g), guards.not(f));
            for row in 0..(1u64 << n) {
                let at = |v: u32| row >> v & 1 == 1;
                let (a, b) = (tf >> row & 1 == 1, tg >> row & 1 == 1);
                assert_eq!(guards.holds(and, at), a && b);
                assert_eq!(guards.holds(or, at), a || b);
                assert_eq!(guards.holds(not, at), !a);
            }
            assert_eq!(guards.intersects(f, g), tf & tg != 0);
            assert_eq!(guards.implies(f, g), tf & !tg == 0);
            let mut sum = Guard::FALSE;
            for cube in guards.cubes(f) {
                let c = guards.cube(&cube);
                assert!(guards.implies(c, f));
                sum = guards.or(sum, c);
            }
            assert_eq!(sum, f);
            let mut again = Guard::FALSE;
            for (a, b) in guards.split(f, 3, 100) {
                let part = guards.and(a, b);
                again = guards.or(again, part);
            }
            assert_eq!(again, f);
        }
    }
}
