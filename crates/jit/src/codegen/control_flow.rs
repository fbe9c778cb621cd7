//! Control flow: branches, switches, and bailouts to the interpreter. Branches whose condition is
//! known generate no code.

use crate::codegen::Generator;
use crate::codegen::value::{Operand, Value};
use cranelift_codegen::ir::{self, Block, BlockArg, InstBuilder, types};
use cranelift_frontend::Switch;

impl Generator<'_, '_> {
    pub fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub fn go_to(&mut self, block: Block) {
        self.builder.ins().jump(block, &[]);
    }

    /// Continues code generation in `block`.
    pub fn at(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    pub fn jump_with(&mut self, block: Block, value: ir::Value) {
        self.builder.ins().jump(block, &[BlockArg::Value(value)]);
    }

    /// Ends the current block: goes to `yes` if the value is non-zero, otherwise to `no`.
    pub fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        match (condition.known_truth(), condition.operand) {
            (Some(true), _) => self.go_to(yes),
            (Some(false), _) | (_, Operand::Constant(_)) => self.go_to(no),
            (None, Operand::Number(value) | Operand::Truth(value)) => {
                self.builder.ins().brif(value, yes, &[], no, &[]);
            }
        }
    }

    /// Goes to `otherwise` unless the value is non-zero.
    pub fn require_or(&mut self, condition: Value, otherwise: Block) {
        if condition.known_truth() != Some(true) {
            let next = self.block();
            self.branch(condition, next, otherwise);
            self.at(next);
        }
    }

    /// Bails out unless the value is non-zero.
    pub fn require(&mut self, condition: Value) {
        self.require_or(condition, self.bailout);
    }

    /// Bails out if the value is non-zero.
    pub fn bail_out_if(&mut self, condition: Value) {
        if condition.known_truth() != Some(false) {
            let next = self.block();
            self.branch(condition, self.bailout, next);
            self.at(next);
        }
    }

    /// Bails out; the code generated next is unreachable.
    pub fn bail_out(&mut self) {
        self.go_to(self.bailout);
        let dead = self.block();
        self.at(dead);
    }

    /// Executes the code of `then` if the value is non-zero. `then` must not write to a state that
    /// is not in memory: the words in registers would differ after the branch.
    pub fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        match condition.known_truth() {
            Some(true) => then(self),
            Some(false) => {}
            None => {
                let (yes, after) = (self.block(), self.block());
                self.branch(condition, yes, after);
                self.at(yes);
                then(self);
                self.go_to(after);
                self.at(after);
            }
        }
    }

    /// One of two values, each computed in its own branch.
    pub fn choose(
        &mut self,
        condition: Value,
        yes: impl FnOnce(&mut Self) -> Value,
        no: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        match condition.known_truth() {
            Some(true) => yes(self),
            Some(false) => no(self),
            None => {
                let (yes_block, no_block, after) = (self.block(), self.block(), self.block());
                let result = self.builder.append_block_param(after, types::I32);
                self.branch(condition, yes_block, no_block);
                self.at(yes_block);
                let first = yes(self);
                let number = self.number(first);
                self.jump_with(after, number);
                self.at(no_block);
                let second = no(self);
                let number = self.number(second);
                self.jump_with(after, number);
                self.at(after);
                Value::number(result, first.range.join(second.range))
            }
        }
    }

    /// Ends the current block with a jump selected by a value that is not negative.
    pub fn switch(&mut self, value: Value, arms: &[(i32, Block)], otherwise: Block) {
        if let Some(constant) = value.as_constant() {
            let found = arms.iter().find(|(case, _)| *case == constant);
            return self.go_to(found.map_or(otherwise, |(_, block)| *block));
        }
        let mut switch = Switch::new();
        for &(case, block) in arms {
            switch.set_entry(case as u32 as u128, block);
        }
        let number = self.number(value);
        switch.emit(&mut self.builder, number, otherwise);
    }
}
