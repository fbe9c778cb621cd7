//! Syntactic classes: properties of the language that follow from the syntax of a formula.
//!
//! Follows Etessami and Holzmann (2000) for *eventual* and *universal* formulas and Chang, Manna
//! and Pnueli (1992) for the hierarchy of safety, guarantee and obligation. A set flag proves the
//! property; an unset flag proves nothing. Negation normal form yields the most flags.

use super::{Formula, Formulas, Node};
use rapidhash::RapidHashMap;

/// A set of properties of the language of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Class(u8);

impl Class {
    /// No temporal operator: the first letter decides.
    pub const BOOLEAN: Class = Class(1);
    /// If a suffix of a word is in the language, so is the word (`F p`).
    pub const EVENTUAL: Class = Class(2);
    /// If a word is in the language, so are all its suffixes (`G p`).
    pub const UNIVERSAL: Class = Class(4);
    /// Every violation has a finite prefix that decides it.
    pub const SAFETY: Class = Class(8);
    /// Every word of the language has a finite prefix that decides it.
    pub const GUARANTEE: Class = Class(16);
    /// A Boolean combination of safety and guarantee: a weak deterministic automaton exists.
    pub const OBLIGATION: Class = Class(32);
    /// Both eventual and universal: the formula has the same value at every position (`G F p`).
    pub const SUSPENDABLE: Class = Class(2 | 4);

    const ALL: Class = Class(63);

    /// Whether all properties of `other` are set.
    pub fn has(self, other: Class) -> bool {
        self.0 & other.0 == other.0
    }

    fn with(self, other: Class, condition: bool) -> Class {
        if condition { Class(self.0 | other.0) } else { self }
    }

    fn and(self, other: Class) -> Class {
        Class(self.0 & other.0)
    }

    fn without(self, other: Class) -> Class {
        Class(self.0 & !other.0)
    }
}

/// Memoized classes of the formulas of one store.
#[derive(Debug, Default, Clone)]
pub(crate) struct Classes {
    memo: RapidHashMap<Formula, Class>,
}

impl Classes {
    /// The class of `f`.
    pub(crate) fn of(&mut self, store: &Formulas, f: Formula) -> Class {
        if let Some(&class) = self.memo.get(&f) {
            return class;
        }
        let class = self.compute(store, f);
        self.memo.insert(f, class);
        class
    }

    fn compute(&mut self, store: &Formulas, f: Formula) -> Class {
        let boolean_only =
            Class(Class::BOOLEAN.0 | Class::SAFETY.0 | Class::GUARANTEE.0 | Class::OBLIGATION.0);
        let mut of = |g: &Formula| self.of(store, *g);
        match store.node(f) {
            Node::True | Node::False => Class::ALL,
            Node::Atom(_) => boolean_only,
            Node::Not(g) => {
                let c = of(g);
                Class(0)
                    .with(Class::BOOLEAN, c.has(Class::BOOLEAN))
                    .with(Class::EVENTUAL, c.has(Class::UNIVERSAL))
                    .with(Class::UNIVERSAL, c.has(Class::EVENTUAL))
                    .with(Class::SAFETY, c.has(Class::GUARANTEE))
                    .with(Class::GUARANTEE, c.has(Class::SAFETY))
                    .with(Class::OBLIGATION, c.has(Class::OBLIGATION))
            }
            Node::And(list) | Node::Or(list) => {
                list.iter().fold(Class::ALL, |all, g| all.and(of(g)))
            }
            Node::Implies(a, b) | Node::Iff(a, b) | Node::Xor(a, b) => {
                let both = of(a).and(of(b));
                if both.has(Class::BOOLEAN) { boolean_only } else { both.and(Class::OBLIGATION) }
            }
            Node::Next(a) => of(a).without(Class::BOOLEAN),
            Node::Finally(a) => {
                let c = of(a);
                c.and(Class::UNIVERSAL)
                    .with(Class::EVENTUAL, true)
                    .with(Class::GUARANTEE, c.has(Class::GUARANTEE))
                    .with(Class::OBLIGATION, c.has(Class::GUARANTEE))
            }
            Node::Globally(a) => {
                let c = of(a);
                c.and(Class::EVENTUAL)
                    .with(Class::UNIVERSAL, true)
                    .with(Class::SAFETY, c.has(Class::SAFETY))
                    .with(Class::OBLIGATION, c.has(Class::SAFETY))
            }
            Node::Until(a, b) | Node::StrongRelease(b, a) => {
                let until = matches!(store.node(f), Node::Until(..));
                let (ca, cb) = (of(a), of(b));
                let both = ca.and(cb);
                // f U g ends with g alone; f M g = g U (f & g) ends with both.
                let end = if until { cb } else { both };
                Class(0)
                    .with(Class::EVENTUAL, *a == Formula::TRUE || end.has(Class::EVENTUAL))
                    .with(Class::UNIVERSAL, both.has(Class::UNIVERSAL))
                    .with(Class::GUARANTEE, both.has(Class::GUARANTEE))
                    .with(Class::OBLIGATION, ca.has(Class::OBLIGATION) && cb.has(Class::GUARANTEE))
            }
            Node::Release(a, b) | Node::WeakUntil(b, a) => {
                let release = matches!(store.node(f), Node::Release(..));
                let (ca, cb) = (of(a), of(b));
                let both = ca.and(cb);
                // f R g holds as long as g does; f W g = g R (f | g), as long as f or g does.
                let hold = if release { cb } else { both };
                Class(0)
                    .with(Class::UNIVERSAL, *a == Formula::FALSE || hold.has(Class::UNIVERSAL))
                    .with(Class::EVENTUAL, both.has(Class::EVENTUAL))
                    .with(Class::SAFETY, both.has(Class::SAFETY))
                    .with(Class::OBLIGATION, ca.has(Class::OBLIGATION) && cb.has(Class::SAFETY))
            }
            Node::ForAllPaths(_) | Node::ExistsPath(_) => Class(0),
        }
    }
}

impl Formulas {
    /// The properties of the language of `f` that its syntax proves.
    pub fn class(&self, f: Formula) -> Class {
        Classes::default().of(self, f)
    }
}
