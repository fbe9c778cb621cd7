//! The facts that hold when a process is at a location: an interval for each of its variables, and
//! intervals of places for which more is known than for the whole variable (a global that no other
//! process can change at the moment, an element of an array).

use super::interval::common;
use super::widening::Thresholds;
use crate::domain::Domain;
use crate::expression::{Expr, Place, Scope};
use crate::layout::Interval;
use crate::program::{ProcessType, Program, VariableId};
use std::rc::Rc;

/// The most facts of a location; bounds the cost of a step of the analysis. Not measured.
const MOST_FACTS: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Environment {
    /// By variable of the process; for an array, the interval of all elements.
    pub locals: Vec<Interval>,
    /// Places with better known intervals than the whole variable. Their indices are
    /// [simple](is_simple).
    pub facts: Vec<(Rc<Place>, Interval)>,
    /// Globals that the current step has written, with intervals that cover their other elements.
    pub pending: Vec<(VariableId, Interval)>,
}

impl Environment {
    pub fn fact(&self, place: &Place) -> Option<Interval> {
        self.facts.iter().find(|(known, _)| **known == *place).map(|(_, value)| *value)
    }

    pub fn pending(&self, variable: VariableId) -> Option<Interval> {
        self.pending.iter().find(|(known, _)| *known == variable).map(|(_, value)| *value)
    }

    /// Records that a place is in the interval `value`, a part of its previous interval.
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

    /// Stores a value in a place. Drops the facts about places that may be the same or whose
    /// indices depend on it.
    pub fn assign(&mut self, place: &Place, value: Interval) {
        let (scope, variable) = (place.scope, place.variable);
        let reads_variable = |expr: &Expr| match expr {
            Expr::Read(read) => read.scope == scope && read.variable == variable,
            _ => false,
        };
        self.facts.retain(|(known, _)| {
            !may_be_same(known, place)
                && !known.indices.iter().any(|index| index.any(&reads_variable))
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
        // An index that reads the array itself may denote another element after the store.
        let depends_on_itself = place.indices.iter().any(|index| index.any(&reads_variable));
        if !depends_on_itself {
            self.learn(place, value);
        }
    }

    /// Resets all elements of a variable of the process to their default.
    pub fn forget(&mut self, variable: VariableId, domain: Domain) {
        let whole = Place { scope: Scope::Local, variable, indices: Vec::new() };
        self.assign(&whole, Interval::point(domain.default_value()));
    }

    /// Keeps only the knowledge that the two environments share.
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

    /// Joins, and widens intervals that keep growing. Returns whether anything changed.
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

    /// Keeps the facts that other processes cannot invalidate.
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

    /// Restricts a place to an interval. This is recorded even if it is no restriction yet, because
    /// the interval of the whole variable may grow. `None` if no value remains.
    pub fn narrow(&mut self, place: &Place, known: Interval, to: Interval) -> Option<()> {
        self.learn(place, common(known, to)?);
        Some(())
    }
}

/// Whether the value of an index changes only when a variable in it does.
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
