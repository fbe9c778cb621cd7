//! Values of expressions. Code bails out where an expression has no value or reports an error.

use crate::codegen::Generator;
use crate::codegen::state_view::StateView;
use crate::codegen::value::{FULL, Value};
use cranelift_codegen::ir::Block;
use lariat_ir::expression::{BinaryOp, Expr, UnaryOp};
use lariat_ir::layout::Interval;

impl Generator<'_, '_> {
    pub fn value(&mut self, view: &StateView, expr: &Expr) -> Value {
        match expr {
            Expr::Const(value) => Value::constant(*value),
            Expr::Read(place) => self.read_place(view, place),
            Expr::Unary(op, operand) => {
                let value = self.value(view, operand);
                self.unary(*op, value)
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                self.connective(view, *op, left, right)
            }
            Expr::Binary(op, left, right) => {
                let left = self.value(view, left);
                let right = self.value(view, right);
                self.binary(*op, left, right)
            }
            Expr::Conditional(condition, yes, no) => {
                let condition = self.value(view, condition);
                self.choose(
                    condition,
                    |generator| generator.value(view, yes),
                    |generator| generator.value(view, no),
                )
            }
            Expr::Channel(query, channel) => self.channel_query(view, *query, channel),
            Expr::Poll { channel, patterns, random } => self.poll(view, channel, patterns, *random),
            // Outside any process these depend on all transitions; the interpreter evaluates them.
            Expr::Timeout | Expr::Enabled(_) if view.actor.is_none() => {
                self.bail_out();
                Value::constant(0)
            }
            Expr::Timeout => self.timeout(),
            Expr::Pid => Value::constant(view.actor.map_or(0, |actor| actor.slot as i32)),
            Expr::ProcessCount => self.process_count(view),
            Expr::Last => self.read_field(view, self.plan.layout.last, FULL),
            Expr::Partner => self.read_field(view, self.plan.layout.partner, FULL),
            Expr::Spawned => match view.spawned {
                Some(variable) => {
                    let number = self.builder.use_var(variable);
                    Value::number(number, Interval { low: 0, high: 255 })
                }
                None => Value::constant(0),
            },
            Expr::Enabled(pid) => self.enabled_expression(view, pid),
            Expr::PcValue(pid) => self.read_of_process(view, pid, &mut |generator, actor| {
                generator.location_number(view, actor)
            }),
            Expr::Priority(pid) => self.read_of_process(view, pid, &mut |generator, actor| {
                generator.priority(view, actor.slot)
            }),
            Expr::NonProgress => self.non_progress(view),
            Expr::At { process_type, process, location } => {
                let plan = self.plan;
                let number = plan.program.process_type(*process_type).location(*location).number;
                self.remote(view, *process_type, process, &mut |generator, actor| {
                    let location = generator.location(view, actor);
                    let locations = &plan.process_type(actor).locations;
                    generator.is_member(location, &|at| {
                        locations.get(at as usize).is_some_and(|location| location.number == number)
                    })
                })
            }
            Expr::ReadRemote { process_type, process, variable, indices } => {
                let plan = self.plan;
                if !view.provisional.is_empty() {
                    self.bail_out();
                }
                self.remote(view, *process_type, process, &mut |generator, actor| {
                    if plan.kind(actor).process_type != *process_type {
                        return Value::constant(0);
                    }
                    let cells = &plan.kind(actor).variables[variable.index()];
                    let variable = plan.process_type(actor).variables.get(*variable);
                    // The indices are evaluated by the reading process.
                    let index = generator.element(view, variable, indices);
                    generator.read_cells(view, cells, index, variable.domain)
                })
            }
        }
    }

    /// Ends the current block: goes to `yes` if the expression is non-zero, otherwise to `no`.
    pub fn branch_on(&mut self, view: &StateView, expr: &Expr, yes: Block, no: Block) {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => {
                let middle = self.block();
                self.branch_on(view, left, middle, no);
                self.at(middle);
                self.branch_on(view, right, yes, no);
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                let middle = self.block();
                self.branch_on(view, left, yes, middle);
                self.at(middle);
                self.branch_on(view, right, yes, no);
            }
            Expr::Unary(UnaryOp::Not, operand) => self.branch_on(view, operand, no, yes),
            _ => {
                let value = self.value(view, expr);
                self.branch(value, yes, no);
            }
        }
    }

    fn connective(&mut self, view: &StateView, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let left = self.value(view, left);
        let conjunction = op == BinaryOp::And;
        if let Some(known) = left.known_truth() {
            if known != conjunction {
                return Value::constant(i32::from(known));
            }
            let right = self.value(view, right);
            return self.as_truth(right);
        }
        if self.is_simple(view, right) {
            let right = self.value(view, right);
            return if conjunction { self.both(left, right) } else { self.either(left, right) };
        }
        let truth = |generator: &mut Self| {
            let right = generator.value(view, right);
            generator.as_truth(right)
        };
        match conjunction {
            true => self.choose(left, truth, |_| Value::constant(0)),
            false => self.choose(left, |_| Value::constant(1), truth),
        }
    }

    /// Whether the expression is cheap and its code never bails out.
    fn is_simple(&self, view: &StateView, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::Timeout | Expr::ProcessCount => true,
            Expr::Last | Expr::Partner => true,
            Expr::Read(place) => {
                self.plan.variable(view.actor, place).is_some_and(|(variable, _)| {
                    self.plan.fold_element(view.actor, variable, &place.indices).is_some()
                })
            }
            Expr::Unary(_, operand) => self.is_simple(view, operand),
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => false,
            Expr::Binary(_, left, right) => {
                self.is_simple(view, left) && self.is_simple(view, right)
            }
            _ => false,
        }
    }
}
