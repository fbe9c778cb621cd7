//! The entry point for successors: which processes move, in which order, and what happens if none
//! can.

use crate::codegen::state_view::{Base, StateView};
use crate::codegen::value::Value;
use crate::codegen::{
    CONTEXT_BYTES, FunctionKey, Generator, LIMIT_OFFSET, TIMEOUT_OFFSET, trusted,
};
use crate::plan::Actor;
use crate::units::Part;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use lariat_ir::layout::Interval;
use lariat_ir::system::StepCode;

impl Generator<'_, '_> {
    /// Generates [`FunctionKey::Driver`].
    pub fn driver_function(&mut self) {
        let [state, out, limit] = self.parameters[..] else { return };
        let view = StateView::new(Base::Input(state), None);
        self.builder.def_var(self.out, out);
        let context = self.stack_slot(CONTEXT_BYTES);
        let context = self.stack_address(context);
        self.context = Some(context);
        if self.plan.uses_timeout {
            let zero = self.word_constant(0);
            self.builder.ins().store(trusted(), zero, context, TIMEOUT_OFFSET);
        }
        if self.plan.checks_limit || self.plan.split {
            self.builder.ins().store(trusted(), limit, context, LIMIT_OFFSET);
        }
        let end = self.block();
        let free = self.block();
        let last = self.plan.layout.processes.len() as i64;
        let control =
            self.read_field(&view, self.plan.layout.control, Interval { low: 0, high: last });
        let mut arms: Vec<(i32, Block)> = (control.range.low.max(1) as i32
            ..=control.range.high as i32)
            .map(|holder| (holder, self.block()))
            .collect();
        if control.range.high > 0 {
            let held = self.block();
            self.branch(control, held, free);
            self.at(held);
            self.switch(control, &arms, self.bailout);
        } else {
            arms.clear();
            self.go_to(free);
        }
        for (holder, block) in arms {
            self.at(block);
            let slot = holder as usize - 1;
            self.expand_process(&view, state, slot);
            let now = self.builder.use_var(self.out);
            let moved = Value::truth(self.builder.ins().icmp(IntCC::NotEqual, now, out));
            let release = self.block();
            self.branch(moved, end, release);
            self.at(release);
            let mut released = view.clone();
            self.write_field(&mut released, self.plan.layout.control, Value::constant(0));
            let code = self.word_constant(StepCode::RELEASE | slot as u64);
            self.emit(&released, code);
            self.go_to(end);
        }
        self.at(free);
        self.expand_all_processes(&view, state, end);
        self.at(end);
        let out = self.builder.use_var(self.out);
        self.return_value(out);
    }

    /// Expands all processes, the youngest first; once more with `timeout` set if none can move.
    /// Then goes to `end`.
    fn expand_all_processes(&mut self, view: &StateView, state: ir::Value, end: Block) {
        let start = self.builder.use_var(self.out);
        let again = self.block();
        let zero = self.word_constant(0);
        if self.plan.uses_timeout {
            self.builder.append_block_param(again, types::I64);
            self.jump_with(again, zero);
        } else {
            self.go_to(again);
        }
        self.at(again);
        for slot in (0..self.plan.layout.processes.len()).rev() {
            let exists = self.process_exists(view, slot);
            self.when(exists, |generator| generator.expand_process(view, state, slot));
        }
        if self.plan.uses_timeout {
            let timeout = self.builder.block_params(again)[0];
            let now = self.builder.use_var(self.out);
            let moved = self.builder.ins().icmp(IntCC::NotEqual, now, start);
            let (stuck, second) = (self.block(), self.block());
            self.branch(Value::truth(moved), end, stuck);
            self.at(stuck);
            self.builder.ins().brif(timeout, end, &[], second, &[]);
            self.at(second);
            let one = self.word_constant(1);
            if let Some(context) = self.context {
                self.builder.ins().store(trusted(), one, context, TIMEOUT_OFFSET);
            }
            self.jump_with(again, one);
        } else {
            self.go_to(end);
        }
    }

    /// Writes the steps of the process with this number, which must exist.
    fn expand_process(&mut self, view: &StateView, state: ir::Value, slot: usize) {
        let kinds = self.plan.layout.processes[slot].kinds.len();
        let after = self.block();
        for kind in 0..kinds {
            let actor = Actor { slot, kind };
            let next = self.block();
            if kind + 1 < kinds {
                let is = self.has_kind(view, actor);
                self.require_or(is, next);
            }
            let zero = self.word_constant(0);
            let context = self.context.unwrap_or(zero);
            let out = self.builder.use_var(self.out);
            let arguments = [state, out, context];
            let result = match self.plan.split {
                true => self.call_unit(view, actor, Part::Expand(actor), &arguments),
                false => {
                    let key = FunctionKey::Expand(actor);
                    let result = self.call(key, &arguments);
                    self.check_result(key, result);
                    result
                }
            };
            self.builder.def_var(self.out, result);
            self.go_to(after);
            self.at(next);
        }
        self.go_to(self.bailout);
        self.at(after);
    }
}
