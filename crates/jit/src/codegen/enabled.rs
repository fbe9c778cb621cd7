//! Which processes may move: `enabled`, `provided` clauses, and priorities.

use crate::codegen::state_view::{Base, StateView};
use crate::codegen::value::{BIT, Value};
use crate::codegen::{FunctionKey, Generator};
use crate::plan::Actor;
use crate::units::Part;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use lariat_ir::expression::{BinaryOp, Expr};
use lariat_ir::layout::Interval;
use lariat_ir::program::Operation;

/// How deeply evaluations of `enabled` may be nested before the code bails out.
const MAX_ENABLED_NESTING: i32 = 16;

impl Generator<'_, '_> {
    /// Generates [`FunctionKey::Enabled`].
    pub fn enabled_function(&mut self, slot: usize) {
        let [state, nesting, context] = self.parameters[..] else { return };
        self.nesting = Some(nesting);
        self.context = Some(context);
        let (yes, no) = (self.block(), self.block());
        let kinds = self.plan.layout.processes[slot].kinds.len();
        for kind in 0..kinds {
            let actor = Actor { slot, kind };
            let view = StateView::new(Base::Input(state), Some(actor));
            let next = self.block();
            if kind + 1 < kinds {
                let is = self.has_kind(&view, actor);
                self.require_or(is, next);
            }
            if self.plan.split {
                let arguments = [state, nesting, context];
                let answer = self.call_unit(&view, actor, Part::Enabled(actor), &arguments);
                self.return_value(answer);
                self.at(next);
                continue;
            }
            let location = self.location(&view, actor);
            let process_type = self.plan.process_type(actor);
            let arms: Vec<(i32, Block)> = (location.range.low as i32..=location.range.high as i32)
                .filter(|at| !process_type.locations[*at as usize].transitions.is_empty())
                .map(|at| (at, self.block()))
                .collect();
            self.switch(location, &arms, no);
            for (at, block) in arms {
                self.at(block);
                self.enabled_at(&view.at(at as u32), actor, at as u32, yes, no);
            }
            self.at(next);
        }
        self.go_to(self.bailout);
        self.answer(yes, no);
    }

    /// Generates the unit of [`FunctionKey::Enabled`] for one location.
    pub fn enabled_unit(&mut self, actor: Actor, location: u32) {
        let [state, nesting, context] = self.parameters[..] else { return };
        self.nesting = Some(nesting);
        self.context = Some(context);
        let (yes, no) = (self.block(), self.block());
        let view = StateView::new(Base::Input(state), Some(actor)).at(location);
        self.enabled_at(&view, actor, location, yes, no);
        self.answer(yes, no);
    }

    /// Goes to `yes` if a transition of the location is enabled, otherwise to `no`.
    fn enabled_at(&mut self, view: &StateView, actor: Actor, location: u32, yes: Block, no: Block) {
        let process_type = self.plan.process_type(actor);
        for transition in &process_type.locations[location as usize].transitions {
            let otherwise = self.block();
            match &transition.operation {
                Operation::Deterministic(body) => {
                    self.require_node_enabled(view, body, 0, otherwise)
                }
                operation => {
                    self.require_enabled(view, operation, otherwise);
                }
            }
            self.go_to(yes);
            self.at(otherwise);
        }
        self.go_to(no);
    }

    /// Returns 1 from `yes` and 0 from `no`.
    fn answer(&mut self, yes: Block, no: Block) {
        for (block, answer) in [(yes, 1), (no, 0)] {
            self.at(block);
            let answer = self.word_constant(answer);
            self.return_value(answer);
        }
    }

    /// Goes to `otherwise` unless the process may move: its `provided` clause holds and no process
    /// of higher priority is enabled.
    pub fn require_may_move(&mut self, view: &StateView, actor: Actor, otherwise: Block) {
        self.require_provided(view, actor, otherwise);
        if !self.plan.program.has_priorities {
            return;
        }
        let own = self.priority(view, actor.slot);
        let zero = self.word_constant(0);
        let context = self.context.unwrap_or(zero);
        for slot in 0..self.plan.layout.processes.len() {
            if slot == actor.slot {
                continue;
            }
            let priority = self.priority(view, slot);
            let higher = self.binary(BinaryOp::Greater, priority, own);
            let exists = self.process_exists(view, slot);
            let ahead = self.both(exists, higher);
            if ahead.known_truth() == Some(false) {
                continue;
            }
            let (ask, next) = (self.block(), self.block());
            self.branch(ahead, ask, next);
            self.at(ask);
            self.require_provided_of_slot(view, slot, next);
            let address = self.address(view);
            let key = FunctionKey::Enabled(slot);
            let answer = self.call(key, &[address, zero, context]);
            self.check_result(key, answer);
            let enabled = self.low_half(answer, BIT);
            self.branch(enabled, otherwise, next);
            self.at(next);
        }
    }

    /// Goes to `otherwise` unless the process's `provided` clause holds.
    pub fn require_provided(&mut self, view: &StateView, actor: Actor, otherwise: Block) {
        if let Some(condition) = &self.plan.process_type(actor).provided {
            let yes = self.block();
            let view = StateView { actor: Some(actor), ..view.clone() };
            self.branch_on(&view, condition, yes, otherwise);
            self.at(yes);
        }
    }

    /// As `require_provided`, for an existing process that may be of several kinds.
    fn require_provided_of_slot(&mut self, view: &StateView, slot: usize, otherwise: Block) {
        let plan = self.plan;
        let after = self.block();
        for kind in 0..plan.layout.processes[slot].kinds.len() {
            let actor = Actor { slot, kind };
            if plan.process_type(actor).provided.is_none() {
                continue;
            }
            let next = self.block();
            let is = self.has_kind(view, actor);
            self.require_or(is, next);
            self.require_provided(&view.of(actor), actor, otherwise);
            self.go_to(after);
            self.at(next);
        }
        self.go_to(after);
        self.at(after);
    }

    /// `enabled(pid)`.
    pub fn enabled_expression(&mut self, view: &StateView, pid: &Expr) -> Value {
        let half_step = view.handshake.is_some() || view.occupied.is_some();
        if half_step || !view.is_addressable() || !view.provisional.is_empty() {
            self.bail_out();
            return Value::constant(0);
        }
        let pid = self.value(view, pid);
        let own = view.actor.map_or(0, |actor| actor.slot as i32);
        let own = self.equals(pid, own);
        self.bail_out_if(own);
        let address = self.address(view);
        let zero = self.word_constant(0);
        let nesting = self.nesting.unwrap_or(zero);
        let limit = self.word_constant(MAX_ENABLED_NESTING as u64);
        let deep = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, nesting, limit);
        self.bail_out_if(Value::truth(deep));
        let deeper = self.add_offset(nesting, 1);
        let context = self.context.unwrap_or(zero);
        let slots = self.plan.layout.processes.len() as i32;
        let after = self.block();
        let result = self.builder.append_block_param(after, types::I32);
        let otherwise = self.block();
        let arms: Vec<(i32, Block)> = (0..slots)
            .filter(|slot| pid.range.contains(Interval::point(*slot)))
            .map(|slot| (slot, self.block()))
            .collect();
        self.switch(pid, &arms, otherwise);
        for (slot, block) in arms {
            self.at(block);
            let exists = self.process_exists(view, slot as usize);
            self.require_or(exists, otherwise);
            let key = FunctionKey::Enabled(slot as usize);
            let answer = self.call(key, &[address, deeper, context]);
            self.check_result(key, answer);
            let number = self.builder.ins().ireduce(types::I32, answer);
            self.jump_with(after, number);
        }
        self.at(otherwise);
        let zero = self.number_constant(0);
        self.jump_with(after, zero);
        self.at(after);
        Value::number(result, BIT)
    }
}
