//! Expressions under the result of the analysis: their values, and whether their evaluation can
//! fail, at any point of a step.

use super::Ranges;
use super::interval::{EVERYTHING, TRUTH, between, binary, unary};
use crate::domain::Domain;
use crate::expression::{BinaryOp, Expr, Pattern, Place, Remote, Scope};
use crate::layout::Interval;
use crate::program::{ProcessTypeId, Program, Variable};

impl Ranges {
    /// The interval of the expression's values, evaluated by a process of the type in any of its
    /// steps (but not in its prologue).
    pub fn value(&self, reader: Option<ProcessTypeId>, expr: &Expr) -> Interval {
        match expr {
            Expr::Const(value) => Interval::point(*value),
            Expr::Read(place) => match (place.scope, reader) {
                (Scope::Global, _) => self.global_stores[place.variable.index()],
                (Scope::Local, Some(kind)) => {
                    self.local_stores[kind.index()][place.variable.index()]
                }
                (Scope::Local, None) => EVERYTHING,
            },
            Expr::Unary(op, operand) => unary(*op, self.value(reader, operand)),
            Expr::Binary(op, left, right) => {
                binary(*op, self.value(reader, left), self.value(reader, right))
                    .unwrap_or(EVERYTHING)
            }
            Expr::Conditional(_, yes, no) => self.value(reader, yes).join(self.value(reader, no)),
            Expr::Poll { .. }
            | Expr::Timeout
            | Expr::Enabled(_)
            | Expr::NonProgress
            | Expr::At { .. } => TRUTH,
            Expr::Pid | Expr::Last | Expr::Partner | Expr::Spawned => between(0, 255),
            Expr::ProcessCount | Expr::Priority(_) => between(0, 255),
            Expr::Channel(..) | Expr::PcValue(_) | Expr::ReadRemote { .. } => EVERYTHING,
        }
    }

    /// Whether the evaluation can fail.
    pub fn can_fail(&self, program: &Program, reader: Option<ProcessTypeId>, expr: &Expr) -> bool {
        let fails = |expr: &Expr| self.can_fail(program, reader, expr);
        match expr {
            Expr::Const(_)
            | Expr::Timeout
            | Expr::Pid
            | Expr::ProcessCount
            | Expr::Last
            | Expr::Partner
            | Expr::Spawned
            | Expr::NonProgress => false,
            Expr::Read(place) => self.place_can_fail(program, reader, place),
            Expr::Unary(_, operand) | Expr::PcValue(operand) | Expr::Priority(operand) => {
                fails(operand)
            }
            Expr::Binary(op, left, right) => {
                let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                let zero = divides && self.value(reader, right).contains(Interval::point(0));
                zero || fails(left) || fails(right)
            }
            Expr::Conditional(condition, yes, no) => fails(condition) || fails(yes) || fails(no),
            Expr::Channel(..) | Expr::Poll { .. } | Expr::Enabled(_) => true,
            Expr::At { process, .. } => matches!(process, Remote::Pid(pid) if fails(pid)),
            Expr::ReadRemote { process, process_type, variable, indices } => {
                let variable = program.process_type(*process_type).variables.get(*variable);
                matches!(process, Remote::Pid(pid) if fails(pid))
                    || self.indices_can_fail(program, reader, variable, indices)
            }
        }
    }

    /// Whether determining the place can fail.
    pub fn place_can_fail(
        &self,
        program: &Program,
        reader: Option<ProcessTypeId>,
        place: &Place,
    ) -> bool {
        let variables = match (place.scope, reader) {
            (Scope::Global, _) => &program.variables,
            (Scope::Local, Some(kind)) => &program.process_type(kind).variables,
            (Scope::Local, None) => return true,
        };
        self.indices_can_fail(program, reader, variables.get(place.variable), &place.indices)
    }

    fn indices_can_fail(
        &self,
        program: &Program,
        reader: Option<ProcessTypeId>,
        variable: &Variable,
        indices: &[Expr],
    ) -> bool {
        indices.iter().zip(&variable.dimensions).any(|(index, &dimension)| {
            let inside = between(0, i64::from(dimension) - 1);
            !inside.contains(self.value(reader, index)) || self.can_fail(program, reader, index)
        })
    }

    /// Whether storing the value in the domain can fail.
    pub fn store_can_fail(
        &self,
        reader: Option<ProcessTypeId>,
        domain: Domain,
        value: &Expr,
    ) -> bool {
        match domain {
            Domain::Bits { .. } => false,
            Domain::Range { .. } => {
                !Interval::of_domain(domain).contains(self.value(reader, value))
            }
        }
    }

    /// Whether storing a field of a received message by this pattern can fail.
    pub fn bind_can_fail(
        &self,
        program: &Program,
        reader: ProcessTypeId,
        pattern: &Pattern,
    ) -> bool {
        let Pattern::Bind(place) = pattern else { return false };
        let variables = match place.scope {
            Scope::Global => &program.variables,
            Scope::Local => &program.process_type(reader).variables,
        };
        matches!(variables.get(place.variable).domain, Domain::Range { .. })
            || self.place_can_fail(program, Some(reader), place)
    }
}
