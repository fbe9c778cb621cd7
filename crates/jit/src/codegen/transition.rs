//! The steps of one process: tries the transitions of its location in order and writes an entry for
//! each step.

use crate::codegen::state_view::{Base, StateView};
use crate::codegen::value::{FULL, Value};
use crate::codegen::{Generator, LIMIT_OFFSET, trusted};
use crate::plan::{Actor, any_expression};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use lariat_ir::expression::Expr;
use lariat_ir::program::{Operation, Transition};
use lariat_ir::system::{Move, Step, StepCode};

/// A transition whose step is being generated.
#[derive(Clone, Copy)]
pub struct Attempt<'t> {
    pub transition: &'t Transition,
    pub index: usize,
    pub location: u32,
    /// The end of the output before the first transition of the location.
    pub start: ir::Value,
    /// In the receiving half of a rendezvous: the step code of the send.
    pub send_code: Option<ir::Value>,
    /// Where execution continues after the transition.
    pub done: Block,
}

impl Generator<'_, '_> {
    /// Generates [`FunctionKey::Expand`].
    pub fn expand_function(&mut self, actor: Actor) {
        let [state, out, context] = self.parameters[..] else { return };
        self.context = Some(context);
        self.builder.def_var(self.out, out);
        let view = StateView::new(Base::Input(state), Some(actor));
        let end = self.block();
        self.require_may_move(&view, actor, end);
        self.expand_location(&view, actor, end, None, &|_| true);
        self.at(end);
        let out = self.builder.use_var(self.out);
        self.return_value(out);
    }

    /// Generates the unit of [`FunctionKey::Expand`] for one location.
    ///
    /// [`FunctionKey::Expand`]: crate::codegen::FunctionKey::Expand
    pub fn expand_unit(&mut self, actor: Actor, location: u32) {
        let [state, out, context] = self.parameters[..] else { return };
        self.context = Some(context);
        self.builder.def_var(self.out, out);
        let view = StateView::new(Base::Input(state), Some(actor)).at(location);
        let end = self.block();
        self.require_may_move(&view, actor, end);
        self.expand_transitions(&view, actor, location, end, None);
        self.at(end);
        let out = self.builder.use_var(self.out);
        self.return_value(out);
    }

    /// Tries the transitions of the process's current location if `selected` contains the location;
    /// then goes to `end`.
    pub fn expand_location(
        &mut self,
        view: &StateView,
        actor: Actor,
        end: Block,
        send_code: Option<ir::Value>,
        selected: &dyn Fn(u32) -> bool,
    ) {
        let process_type = self.plan.process_type(actor);
        let location = self.location(view, actor);
        let arms: Vec<(i32, Block)> = (location.range.low as i32..=location.range.high as i32)
            .filter(|at| {
                selected(*at as u32) && !process_type.locations[*at as usize].transitions.is_empty()
            })
            .map(|at| (at, self.block()))
            .collect();
        self.switch(location, &arms, end);
        for (at, block) in arms {
            self.at(block);
            self.expand_transitions(&view.at(at as u32), actor, at as u32, end, send_code);
        }
    }

    /// Tries the transitions of a location, at which the view is; then goes to `end`.
    pub fn expand_transitions(
        &mut self,
        view: &StateView,
        actor: Actor,
        location: u32,
        end: Block,
        send_code: Option<ir::Value>,
    ) {
        let process_type = self.plan.process_type(actor);
        let start = self.builder.use_var(self.out);
        let mut escape = 0;
        let transitions = &process_type.locations[location as usize].transitions;
        for (index, transition) in transitions.iter().enumerate() {
            if escape > 0 && transition.escape != escape {
                // A step of an `unless` escape disables the transitions of lower rank.
                let moved = self.has_emitted(start);
                let go_on = self.block();
                self.branch(moved, end, go_on);
                self.at(go_on);
            }
            escape = transition.escape;
            let done = self.block();
            let attempt = Attempt { transition, index, location, start, send_code, done };
            self.attempt(view, &attempt);
            self.at(done);
        }
        self.go_to(end);
    }

    /// Whether a step was written since the output ended at `start`.
    fn has_emitted(&mut self, start: ir::Value) -> Value {
        let out = self.builder.use_var(self.out);
        Value::truth(self.builder.ins().icmp(IntCC::NotEqual, out, start))
    }

    /// Makes the step if the transition is enabled; then goes to `done`.
    fn attempt(&mut self, view: &StateView, attempt: &Attempt<'_>) {
        let operation = &attempt.transition.operation;
        let mut view = view.clone();
        if any_expression(operation, &|expr| expr.any(&|part| *part == Expr::Spawned)) {
            let spawned = self.builder.declare_var(types::I32);
            let zero = self.number_constant(0);
            self.builder.def_var(spawned, zero);
            view.spawned = Some(spawned);
        }
        self.promote_variables(&mut view, attempt.transition);
        match operation {
            Operation::Else if view.handshake.is_some() => return self.go_to(attempt.done),
            Operation::Else => {
                if attempt.index > 0 {
                    let moved = self.has_emitted(attempt.start);
                    let blocked = self.negation(moved);
                    self.require_or(blocked, attempt.done);
                }
            }
            Operation::Deterministic(body) => return self.expand_body(view, body, attempt),
            Operation::Send { channel, arguments, .. } if view.handshake.is_none() => {
                let target = self.channel_target(&view, channel);
                return self.send(view, target, arguments, attempt);
            }
            _ => {
                let ready = self.require_enabled(&view, operation, attempt.done);
                self.perform_operation(&mut view, operation, ready);
            }
        }
        self.finish_step(view, attempt);
    }

    /// Moves the process to the transition's target. `keeps` says whether it keeps control.
    pub fn arrive(&mut self, view: &mut StateView, attempt: &Attempt<'_>, keeps: bool) {
        let Some(actor) = view.actor else { return };
        let layout = self.plan.layout;
        let pid = Value::constant(actor.slot as i32);
        if self.plan.program.remembers_partner {
            // In the receiving half of a rendezvous the sender was the last to move.
            let partner = match attempt.send_code {
                Some(_) => self.read_field(view, layout.last, FULL),
                None => pid,
            };
            self.write_field(view, layout.partner, partner);
        }
        if self.plan.program.remembers_last {
            self.write_field(view, layout.last, pid);
        }
        if !matches!(attempt.transition.operation, Operation::End) {
            self.write_back(view, attempt.transition);
            let field = self.plan.kind(actor).location;
            let target = attempt.transition.target.0;
            let fits = field.interval().contains(lariat_ir::layout::Interval::point(target as i32));
            if field.width > 0 && fits {
                // The current location is known, so flipping the differing bits suffices.
                let flipped = (attempt.location as i32 - field.low) ^ (target as i32 - field.low);
                let word = self.word(view, field.word);
                let word = self.xor_mask(word, (flipped as u32 as u64) << field.shift);
                if flipped != 0 {
                    self.set_word(view, field.word, word);
                }
            } else {
                self.write_field(view, field, Value::constant(target as i32));
            }
        }
        let control = if keeps { actor.slot as i32 + 1 } else { 0 };
        self.write_field(view, layout.control, Value::constant(control));
    }

    /// Completes the step: writes its entry and goes to `done`.
    pub fn finish_step(&mut self, mut view: StateView, attempt: &Attempt<'_>) {
        let Some(actor) = view.actor else { return };
        if self.plan.process_type(actor).deterministic && attempt.index > 0 {
            let moved = self.has_emitted(attempt.start);
            self.bail_out_if(moved);
        }
        let keeps = attempt.transition.keeps_control;
        self.arrive(&mut view, attempt, keeps);
        let mut code = self.move_code(actor, attempt);
        if keeps {
            code |= StepCode::TRANSIENT;
        }
        let code = match attempt.send_code {
            Some(send) => {
                let receive = (code & !StepCode::TRANSIENT) << StepCode::RECEIVE_SHIFT;
                self.or_mask(send, receive | code & StepCode::TRANSIENT | StepCode::RENDEZVOUS)
            }
            None => self.word_constant(code),
        };
        self.emit(&view, code);
        self.go_to(attempt.done);
    }

    /// The step code, without flags.
    pub fn move_code(&self, actor: Actor, attempt: &Attempt<'_>) -> u64 {
        let step = Step::Move(Move {
            pid: actor.slot as u8,
            process_type: self.plan.kind(actor).process_type,
            location: attempt.location,
            transition: attempt.index as u32,
        });
        self.plan.numbering.encode_step(&step).0
    }

    /// Writes an entry and advances the output.
    pub fn emit(&mut self, view: &StateView, code: ir::Value) {
        let out = self.builder.use_var(self.out);
        let stride = (self.plan.layout.width.all as i64 + 1) * 8;
        self.builder.ins().store(trusted(), code, out, 0);
        if !matches!(view.base, Base::Output) {
            self.copy_state(view, out, 8);
        }
        let next = self.add_offset(out, stride);
        if self.plan.checks_limit
            && let Some(context) = self.context
        {
            let limit = self.builder.ins().load(types::I64, trusted(), context, LIMIT_OFFSET);
            let full = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, next, limit);
            self.bail_out_if(Value::truth(full));
        }
        self.builder.def_var(self.out, next);
    }
}
