//! Conditions on single states, evaluated outside any process.

use crate::codegen::state_view::{Base, StateView};
use crate::codegen::{CONTEXT_BYTES, Generator, TIMEOUT_OFFSET, trusted};
use cranelift_codegen::ir::InstBuilder;

impl Generator<'_, '_> {
    /// Generates [`FunctionKey::Conditions`]: condition `i` is bit `i % 64` of word `i / 64`.
    pub fn conditions_function(&mut self, conditions: &[&lariat_ir::Expr]) {
        let [state, result] = self.parameters[..] else { return };
        let view = StateView::new(Base::Input(state), None);
        let context = self.stack_slot(CONTEXT_BYTES);
        let context = self.stack_address(context);
        let zero = self.word_constant(0);
        self.builder.ins().store(trusted(), zero, context, TIMEOUT_OFFSET);
        self.context = Some(context);
        for (number, conditions) in conditions.chunks(64).enumerate() {
            let mut word = self.word_constant(0);
            for (bit, condition) in conditions.iter().enumerate() {
                let value = self.value(&view, condition);
                let truth = self.as_truth(value);
                let truth = self.wide(truth);
                let truth = self.shift_left(truth, bit as u8);
                word = self.builder.ins().bor(word, truth);
            }
            self.builder.ins().store(trusted(), word, result, number as i32 * 8);
        }
        let one = self.word_constant(1);
        self.return_value(one);
    }
}
