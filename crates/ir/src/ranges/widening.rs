//! Widening with thresholds (Blanchet and others 2003): an interval that keeps growing is extended
//! to the next number in the program, because the bound of a loop is usually one of them, and
//! finally to its domain.

use crate::expression::Expr;
use crate::layout::Interval;
use crate::program::Program;
use std::collections::BTreeSet;

pub(super) struct Thresholds {
    ascending: Vec<i64>,
}

/// The most thresholds; with more, widening would take many small steps. Not measured.
const MOST: usize = 48;

impl Thresholds {
    pub fn new(program: &Program) -> Thresholds {
        let mut constants = BTreeSet::new();
        program.for_each_expression(&mut |expr| {
            collect(expr, &mut constants);
        });
        let variables = program.variables.iter();
        let locals = program.process_types.iter().flat_map(|kind| kind.variables.iter());
        for variable in variables.chain(locals) {
            constants.extend(variable.dimensions.iter().map(|&dimension| i64::from(dimension)));
        }
        let mut near: BTreeSet<i64> =
            constants.iter().flat_map(|&constant| [constant - 1, constant, constant + 1]).collect();
        if near.len() > MOST {
            near = constants;
        }
        let all: Vec<i64> = near.into_iter().collect();
        let stride = all.len().div_ceil(MOST).max(1);
        Thresholds { ascending: all.into_iter().step_by(stride).collect() }
    }

    /// An interval that contains `new`, one of the few to which `old` can be widened.
    pub fn widen(&self, old: Interval, new: Interval, limit: Interval) -> Interval {
        let mut wide = new;
        if new.low < old.low {
            let next = self.ascending.partition_point(|&threshold| threshold <= new.low);
            wide.low =
                next.checked_sub(1).map_or(limit.low, |index| self.ascending[index]).max(limit.low);
        }
        if new.high > old.high {
            let next = self.ascending.partition_point(|&threshold| threshold < new.high);
            wide.high = self.ascending.get(next).map_or(limit.high, |&found| found).min(limit.high);
        }
        wide.join(new)
    }
}

fn collect(expr: &Expr, constants: &mut BTreeSet<i64>) {
    if let Expr::Const(value) = expr {
        constants.insert(i64::from(*value));
    }
    expr.for_each_child(&mut |child| collect(child, constants));
}
