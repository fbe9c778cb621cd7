//! Temporal formulas: LTL, CTL and CTL*, hash-consed in a store.
//!
//! Owns the syntax tree and its constructors. A [`Formula`] is a small copyable handle into a
//! [`Formulas`] store; equal formulas have equal handles, so equality is a comparison of integers
//! and passes can memoize by handle. Conjunctions and disjunctions are n-ary, flattened, sorted and
//! free of duplicates.
//!
//! The temporal constructors do not simplify (`true U p` stays as it is), because the tableau of
//! Gerth, Peled, Vardi and Wolper is defined on formulas as written. [`Simplifier`] simplifies.

mod class;
mod embedded;
mod eval;
mod implication;
mod lexer;
mod nnf;
mod parse;
mod print;
mod random;
mod simplify;

pub use class::Class;
pub use embedded::GuardedAtom;
pub use eval::evaluate;
pub use parse::{Dialect, Syntax, SyntaxError};
pub(crate) use print::write_atom;
pub use print::{DisplayFormula, Spelling};
pub use random::{RandomFormula, Rng};
pub use simplify::Simplifier;

use rapidhash::RapidHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// An atomic proposition of a [`Formulas`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub u32);

/// A formula: a handle into the [`Formulas`] store that created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula(u32);

impl Formula {
    /// The constant true, the same in every store.
    pub const TRUE: Formula = Formula(0);
    /// The constant false, the same in every store.
    pub const FALSE: Formula = Formula(1);

    /// The handle as an index, for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The outermost operator of a formula and its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The constant true.
    True,
    /// The constant false.
    False,
    /// An atomic proposition.
    Atom(AtomId),
    /// Negation.
    Not(Formula),
    /// Conjunction of two or more distinct operands, sorted.
    And(Arc<[Formula]>),
    /// Disjunction of two or more distinct operands, sorted.
    Or(Arc<[Formula]>),
    /// Implication.
    Implies(Formula, Formula),
    /// Equivalence.
    Iff(Formula, Formula),
    /// Exclusive or.
    Xor(Formula, Formula),
    /// `X f`: in the next position.
    Next(Formula),
    /// `F f`, `<> f`: eventually.
    Finally(Formula),
    /// `G f`, `[] f`: always.
    Globally(Formula),
    /// `f U g`: f until g, and eventually g.
    Until(Formula, Formula),
    /// `f R g`, `f V g`: g up to and including the first f, or forever.
    Release(Formula, Formula),
    /// `f W g`: f until g, or f forever.
    WeakUntil(Formula, Formula),
    /// `f M g`: g up to and including the first f, and eventually f.
    StrongRelease(Formula, Formula),
    /// `A f`: on every path (CTL and CTL*).
    ForAllPaths(Formula),
    /// `E f`: on some path (CTL and CTL*).
    ExistsPath(Formula),
}

impl Node {
    /// Calls `visit` on every direct operand, in order.
    pub fn for_each_child(&self, mut visit: impl FnMut(Formula)) {
        match self {
            Node::True | Node::False | Node::Atom(_) => {}
            Node::And(list) | Node::Or(list) => list.iter().for_each(|f| visit(*f)),
            Node::Not(f)
            | Node::Next(f)
            | Node::Finally(f)
            | Node::Globally(f)
            | Node::ForAllPaths(f)
            | Node::ExistsPath(f) => visit(*f),
            Node::Implies(f, g)
            | Node::Iff(f, g)
            | Node::Xor(f, g)
            | Node::Until(f, g)
            | Node::Release(f, g)
            | Node::WeakUntil(f, g)
            | Node::StrongRelease(f, g) => {
                visit(*f);
                visit(*g);
            }
        }
    }
}

/// The store of formulas: hash-consing table and names of atoms.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    depths: Vec<u32>,
    index: RapidHashMap<Node, Formula>,
    atoms: Vec<Arc<str>>,
    atom_index: RapidHashMap<Arc<str>, AtomId>,
    /// Set to stop translations and decisions.
    stop: Option<Arc<AtomicBool>>,
}

impl Default for Formulas {
    fn default() -> Self {
        Self::new()
    }
}

impl Formulas {
    /// Makes translations of these formulas, and decisions about them, stop with an error once the
    /// flag is set.
    pub fn stop_by(&mut self, flag: Arc<AtomicBool>) {
        self.stop = Some(flag);
    }

    /// Whether the flag of [`stop_by`](Formulas::stop_by) is set.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// A store that contains only the two constants.
    pub fn new() -> Self {
        let mut store = Formulas {
            nodes: Vec::new(),
            depths: Vec::new(),
            index: RapidHashMap::default(),
            atoms: Vec::new(),
            atom_index: RapidHashMap::default(),
            stop: None,
        };
        let t = store.intern(Node::True);
        let f = store.intern(Node::False);
        debug_assert!(t == Formula::TRUE && f == Formula::FALSE);
        store
    }

    /// The handle of a node, whose operands must be in this store. The named constructors
    /// normalize; this function does not.
    fn intern(&mut self, node: Node) -> Formula {
        if let Some(&f) = self.index.get(&node) {
            return f;
        }
        let mut depth = 0;
        node.for_each_child(|c| depth = depth.max(self.depths[c.index()] + 1));
        let f = Formula(u32::try_from(self.nodes.len()).expect("fewer than 2^32 formulas"));
        self.nodes.push(node.clone());
        self.depths.push(depth);
        self.index.insert(node, f);
        f
    }

    /// The outermost operator of `f`.
    pub fn node(&self, f: Formula) -> &Node {
        &self.nodes[f.index()]
    }

    /// The height of the syntax tree of `f`; an atom has height 0.
    pub fn depth(&self, f: Formula) -> u32 {
        self.depths[f.index()]
    }

    /// Number of formulas in the store.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: a store contains the constants.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The atom called `name`, created on first use.
    pub fn atom_id(&mut self, name: &str) -> AtomId {
        if let Some(&id) = self.atom_index.get(name) {
            return id;
        }
        let id = AtomId(self.atoms.len() as u32);
        let name: Arc<str> = name.into();
        self.atoms.push(name.clone());
        self.atom_index.insert(name, id);
        id
    }

    /// The name of an atom.
    pub fn atom_name(&self, atom: AtomId) -> &Arc<str> {
        &self.atoms[atom.0 as usize]
    }

    /// Number of atoms in the store; atoms are numbered from 0.
    pub fn atom_count(&self) -> usize {
        self.atoms.len()
    }

    /// The formula that is the atom called `name`.
    pub fn atom(&mut self, name: &str) -> Formula {
        let id = self.atom_id(name);
        self.atom_formula(id)
    }

    /// The formula that is the given atom.
    pub fn atom_formula(&mut self, atom: AtomId) -> Formula {
        self.intern(Node::Atom(atom))
    }

    /// `! f`, cancelling double negation and folding constants.
    pub fn not(&mut self, f: Formula) -> Formula {
        match self.node(f) {
            Node::True => Formula::FALSE,
            Node::False => Formula::TRUE,
            Node::Not(g) => *g,
            _ => self.intern(Node::Not(f)),
        }
    }

    /// `f && g`.
    pub fn and(&mut self, f: Formula, g: Formula) -> Formula {
        self.and_all([f, g])
    }

    /// `f || g`.
    pub fn or(&mut self, f: Formula, g: Formula) -> Formula {
        self.or_all([f, g])
    }

    /// Conjunction of any number of formulas; the empty one is true.
    pub fn and_all(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.nary(operands, true)
    }

    /// Disjunction of any number of formulas; the empty one is false.
    pub fn or_all(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.nary(operands, false)
    }

    /// Flattens, sorts, removes neutral operands and duplicates; an absorbing operand or a
    /// complementary pair decides the result.
    fn nary(&mut self, operands: impl IntoIterator<Item = Formula>, conjunction: bool) -> Formula {
        let (unit, zero) = if conjunction {
            (Formula::TRUE, Formula::FALSE)
        } else {
            (Formula::FALSE, Formula::TRUE)
        };
        let mut list = Vec::new();
        for f in operands {
            match self.node(f) {
                Node::And(inner) if conjunction => list.extend_from_slice(inner),
                Node::Or(inner) if !conjunction => list.extend_from_slice(inner),
                _ if f == unit => {}
                _ if f == zero => return zero,
                _ => list.push(f),
            }
        }
        list.sort_unstable();
        list.dedup();
        let complementary = list
            .iter()
            .any(|f| matches!(self.node(*f), Node::Not(g) if list.binary_search(g).is_ok()));
        if complementary {
            return zero;
        }
        match list.len() {
            0 => unit,
            1 => list[0],
            _ if conjunction => self.intern(Node::And(list.into())),
            _ => self.intern(Node::Or(list.into())),
        }
    }

    /// `f -> g`.
    pub fn implies(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Implies(f, g))
    }

    /// `f <-> g`.
    pub fn iff(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Iff(f, g))
    }

    /// `f xor g`.
    pub fn xor(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Xor(f, g))
    }

    /// `X f`.
    pub fn next(&mut self, f: Formula) -> Formula {
        self.intern(Node::Next(f))
    }

    /// `F f`.
    pub fn finally(&mut self, f: Formula) -> Formula {
        self.intern(Node::Finally(f))
    }

    /// `G f`.
    pub fn globally(&mut self, f: Formula) -> Formula {
        self.intern(Node::Globally(f))
    }

    /// `f U g`.
    pub fn until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Until(f, g))
    }

    /// `f R g`, SPIN's `f V g`.
    pub fn release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::Release(f, g))
    }

    /// `f W g`.
    pub fn weak_until(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::WeakUntil(f, g))
    }

    /// `f M g`.
    pub fn strong_release(&mut self, f: Formula, g: Formula) -> Formula {
        self.intern(Node::StrongRelease(f, g))
    }

    /// `A f`.
    pub fn for_all_paths(&mut self, f: Formula) -> Formula {
        self.intern(Node::ForAllPaths(f))
    }

    /// `E f`.
    pub fn exists_path(&mut self, f: Formula) -> Formula {
        self.intern(Node::ExistsPath(f))
    }

    /// All subformulas of `f`, each once, operands before operators; `f` is last.
    pub fn subformulas(&self, f: Formula) -> Vec<Formula> {
        // Operands are interned before formulas that contain them, so handles are in topological
        // order.
        let mut seen = vec![false; f.index() + 1];
        seen[f.index()] = true;
        for i in (0..=f.index()).rev() {
            if seen[i] {
                self.nodes[i].for_each_child(|c| seen[c.index()] = true);
            }
        }
        (0..=f.index()).filter(|i| seen[*i]).map(|i| Formula(i as u32)).collect()
    }

    /// The atoms that occur in `f`, ascending.
    pub fn atoms_of(&self, f: Formula) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self
            .subformulas(f)
            .into_iter()
            .filter_map(|g| if let Node::Atom(a) = self.node(g) { Some(*a) } else { None })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// Whether `f` contains a path quantifier, so that it is CTL or CTL* instead of LTL.
    pub fn is_branching(&self, f: Formula) -> bool {
        self.subformulas(f)
            .into_iter()
            .any(|g| matches!(self.node(g), Node::ForAllPaths(_) | Node::ExistsPath(_)))
    }

    /// Whether `f` has no `X`. Such a formula is stutter-invariant.
    pub fn is_next_free(&self, f: Formula) -> bool {
        !self.subformulas(f).into_iter().any(|g| matches!(self.node(g), Node::Next(_)))
    }

    /// The number of operators and atoms of `f` as a tree; shared subformulas count every time.
    pub fn size(&self, f: Formula) -> usize {
        let mut sizes: RapidHashMap<Formula, usize> = RapidHashMap::default();
        for g in self.subformulas(f) {
            let mut size = 1usize;
            let mut operands = 0usize;
            self.node(g).for_each_child(|c| {
                size = size.saturating_add(sizes[&c]);
                operands += 1;
            });
            sizes.insert(g, size + operands.saturating_sub(2));
        }
        sizes[&f]
    }
}
