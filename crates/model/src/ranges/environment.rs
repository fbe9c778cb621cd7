//! What is known when a process is at a location: an interval for each of its variables, and facts about places that
//! the intervals of whole variables do not tell (a global while nobody else can change it, an element of an array).

use super::interval::common;
use super::widening::Thresholds;
use crate::domain::Domain;
use crate::expression::{Expr, Place, Scope};
use crate::layout::Interval;
use crate::program::{ProcessType, Program, VariableId};
use std::rc::Rc;

/// More are not worth carrying around.
const MOST_FACTS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Environment {
    /// By variable of the process; of an array, all elements.
    pub locals: Vec<Interval>,
    /// Written places only the intervals of which are better known than those of the whole variable. Indices are
    /// [simple](is_simple).
    pub facts: Vec<(Rc<Place>, Interval)>,
    /// Globals written in the step under way: what other elements may hold too.
    pub pending: Vec<(VariableId, Interval)>,
}

impl Environment {
    pub fn fact(&self, place: &Place) -> Option<Interval> {
        self.facts.iter().find(|(known, _)| **known == *place).map(|(_, value)| *value)
    }

    pub fn pending(&self, variable: VariableId) -> Option<Interval> {
        self.pending.iter().find(|(known, _)| *known == variable).map(|(_, value)| *value)
    }

    /// Notes that a place is within an interval, `value` being part of what was known before.
    pub fn learn(&mut self, place: &Place, value: Interval) {
        if place.scope == Scope::Local && place.indices.is_empty() {
            self.locals[place.variable.index()] = value;
        } else if place.indices.iter().all(is_simple) {
            let room = self.facts.len() < MOST_FACTS;
            match self.facts.iter_mut().find(|(known, _)| **known == *place) {
                Some((_, known)) => *known = value,
                None if room => self.facts.push((Rc::new(place.clone()), value)),
                None => {}
            }
        }
    }

    /// A value arrives at a place: what was known about places it may be, or that depend on it, is forgotten.
    pub fn assign(&mut self, place: &Place, value: Interval) {
        let (scope, variable) = (place.scope, place.variable);
        self.facts.retain(|(known, _)| {
            !may_be_same(known, place)
                && !known.indices.iter().any(|index| {
                    index.any(&|expr| {
                        matches!(expr, Expr::Read(read) if read.scope == scope && read.variable == variable)
                    })
                })
        });
        match scope {
            Scope::Local if place.indices.is_empty() => self.locals[variable.index()] = value,
            Scope::Local => {
                let known = &mut self.locals[variable.index()];
                *known = known.join(value);
            }
            Scope::Global => match self.pending.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, known)) if !place.indices.is_empty() => *known = known.join(value),
                Some((_, known)) => *known = value,
                None => self.pending.push((variable, value)),
            },
        }
        // An index that reads the array itself may mean another element by now.
        let depends_on_itself = place.indices.iter().any(|index| {
            index.any(
                &|expr| matches!(expr, Expr::Read(read) if read.scope == scope && read.variable == variable),
            )
        });
        if !depends_on_itself {
            self.learn(place, value);
        }
    }

    /// All elements of a variable of the process get their default.
    pub fn forget(&mut self, variable: VariableId, domain: Domain) {
        let whole = Place { scope: Scope::Local, variable, indices: Vec::new() };
        self.assign(&whole, Interval::point(domain.default_value()));
    }

    /// What is known whichever of the two it is.
    pub fn join(&mut self, other: &Environment) {
        for (own, other) in self.locals.iter_mut().zip(&other.locals) {
            *own = own.join(*other);
        }
        self.facts.retain_mut(|(place, value)| match other.fact(place) {
            Some(other) => {
                *value = value.join(other);
                true
            }
            None => false,
        });
        for (variable, value) in &other.pending {
            match self.pending.iter_mut().find(|(known, _)| known == variable) {
                Some((_, known)) => *known = known.join(*value),
                None => self.pending.push((*variable, *value)),
            }
        }
    }

    /// Joins, in larger steps where the result keeps growing. Says whether anything changed.
    pub fn absorb(
        &mut self,
        program: &Program,
        kind: &ProcessType,
        other: &Environment,
        widens: bool,
        thresholds: &Thresholds,
    ) -> bool {
        let mut joined = self.clone();
        joined.join(other);
        joined.pending.clear();
        if widens {
            for ((new, old), variable) in
                joined.locals.iter_mut().zip(&self.locals).zip(kind.variables.iter())
            {
                *new = thresholds.widen(*old, *new, Interval::of_domain(variable.domain));
            }
            for (place, new) in &mut joined.facts {
                let variables = match place.scope {
                    Scope::Global => &program.variables,
                    Scope::Local => &kind.variables,
                };
                let limit = Interval::of_domain(variables.get(place.variable).domain);
                if let Some(old) = self.fact(place) {
                    *new = thresholds.widen(old, *new, limit);
                }
            }
        }
        let changed = joined.locals != self.locals || joined.facts != self.facts;
        *self = joined;
        changed
    }

    /// Keeps the facts that nobody else can make untrue.
    pub fn keep_facts(&mut self, is_own: impl Fn(VariableId) -> bool) {
        let own = |place: &Place| place.scope == Scope::Local || is_own(place.variable);
        let lasting = |place: &Place| {
            own(place)
                && !place
                    .indices
                    .iter()
                    .any(|index| index.any(&|expr| matches!(expr, Expr::Read(read) if !own(read))))
        };
        self.facts.retain(|(place, _)| lasting(place));
    }

    /// A place is within an interval too. That is noted even if it says nothing new now: what is known of the variable
    /// as a whole may grow.
    pub fn narrow(&mut self, place: &Place, known: Interval, to: Interval) -> Option<()> {
        self.learn(place, common(known, to)?);
        Some(())
    }
}

/// An index whose value changes only when a variable it reads does.
fn is_simple(index: &Expr) -> bool {
    !index.any(&|expr| {
        !matches!(
            expr,
            Expr::Const(_)
                | Expr::Read(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Conditional(..)
                | Expr::Pid
        )
    })
}

fn may_be_same(one: &Place, other: &Place) -> bool {
    let apart = |(one, other): (&Expr, &Expr)| match (one, other) {
        (Expr::Const(one), Expr::Const(other)) => one != other,
        _ => false,
    };
    one.scope == other.scope
        && one.variable == other.variable
        && !one.indices.iter().zip(&other.indices).any(apart)
}
