//! One function of the machine code while it is written: small helpers over Cranelift's builder, calls of other
//! generated functions, and the way out for everything abnormal.

use crate::plan::{Actor, Plan};
use crate::value::{BIT, Code, FULL, Value};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, AbiParam, Block, BlockArg, ExtFuncData, ExternalName, FuncRef, InstBuilder, MemFlagsData,
    Signature, StackSlot, StackSlotData, StackSlotKind, UserExternalName, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Switch, Variable};
use model::layout::Interval;
use std::collections::HashMap;

/// A function to be generated. All take and return 64-bit numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKey {
    /// `(state, out, limit) -> out`: all successors of a state; 0 if something is abnormal.
    Driver,
    /// `(state, out, context) -> out`: those that one process makes.
    Expand(Actor),
    /// `(half-way state, message, out, context, code of the send) -> out`: those that one process makes by
    /// receiving from a rendezvous channel.
    Receive(Actor, usize),
    /// `(state, nesting, context) -> 0 or 1`: can the process make a step? 2 if something is abnormal.
    Enabled(usize),
    /// `(state, arguments, priority) -> number`: starts a process; all ones if something is abnormal.
    Run(usize),
    /// `(state, channel) -> length, capacity above bit 32`; all ones if there is no such channel.
    ChannelSize,
    /// `(state, channel, position, buffer) -> number of fields`: unpacks a message.
    Fetch,
    /// `(state, channel, buffer, sorted) -> 0`: puts a message into a channel that is not full; all ones if something is abnormal.
    Send,
    /// `(state, channel, position) -> 0`: removes a message.
    Remove,
    /// `(state, result) -> 1`: the truth of a list of conditions as bits; 0 if something is abnormal.
    Atoms,
}

impl FunctionKey {
    pub fn parameters(self) -> usize {
        match self {
            FunctionKey::Receive(..) => 5,
            FunctionKey::Fetch | FunctionKey::Send => 4,
            FunctionKey::ChannelSize | FunctionKey::Atoms => 2,
            _ => 3,
        }
    }

    fn abnormal_result(self) -> i64 {
        match self {
            FunctionKey::Driver | FunctionKey::Expand(_) | FunctionKey::Receive(..) | FunctionKey::Atoms => 0,
            FunctionKey::Enabled(_) => 2,
            _ => -1,
        }
    }

    pub fn signature(self, convention: CallConv) -> Signature {
        let mut signature = Signature::new(convention);
        signature.params = vec![AbiParam::new(types::I64); self.parameters()];
        signature.returns = vec![AbiParam::new(types::I64)];
        signature
    }
}

/// The functions asked for, in the order in which they were: their numbers in the module.
#[derive(Debug, Default)]
pub struct Requests {
    pub list: Vec<FunctionKey>,
    numbers: HashMap<FunctionKey, u32>,
    /// Constants that the code reads; they live as long as it does.
    pub tables: Vec<Box<[i32]>>,
}

impl Requests {
    pub fn number(&mut self, key: FunctionKey) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.list.push(key);
            self.list.len() as u32 - 1
        })
    }
}

/// Where in the context the first word tells whether `timeout` is true.
pub const TIMEOUT_OFFSET: i32 = 0;
/// Where in the context the end of the output is.
pub const LIMIT_OFFSET: i32 = 8;
pub const CONTEXT_BYTES: u32 = 16;

pub struct Generator<'g, 'p> {
    pub plan: &'g Plan<'p>,
    pub requests: &'g mut Requests,
    pub builder: FunctionBuilder<'g>,
    pub convention: CallConv,
    pub key: FunctionKey,
    pub parameters: Vec<ir::Value>,
    /// Where the next entry goes.
    pub out: Variable,
    /// What everything has to know: see the offsets above.
    pub context: Option<ir::Value>,
    /// How many questions whether a process is enabled are being answered.
    pub nesting: Option<ir::Value>,
    pub abnormal: Block,
    pub half_slot: Option<StackSlot>,
    pub message_slot: Option<StackSlot>,
    functions: HashMap<FunctionKey, FuncRef>,
}

impl<'g, 'p> Generator<'g, 'p> {
    pub fn new(
        plan: &'g Plan<'p>,
        requests: &'g mut Requests,
        mut builder: FunctionBuilder<'g>,
        key: FunctionKey,
    ) -> Generator<'g, 'p> {
        let convention = builder.func.signature.call_conv;
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let parameters = builder.block_params(entry).to_vec();
        let abnormal = builder.create_block();
        builder.set_cold_block(abnormal);
        let out = builder.declare_var(types::I64);
        Generator {
            plan,
            requests,
            builder,
            convention,
            key,
            parameters,
            out,
            context: None,
            nesting: None,
            abnormal,
            half_slot: None,
            message_slot: None,
            functions: HashMap::new(),
        }
    }

    /// Writes the way out and closes the function.
    pub fn finish(mut self, target: cranelift_codegen::isa::TargetFrontendConfig) {
        self.builder.switch_to_block(self.abnormal);
        let result = self.word_constant(self.key.abnormal_result() as u64);
        self.builder.ins().return_(&[result]);
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    pub fn return_value(&mut self, value: ir::Value) {
        self.builder.ins().return_(&[value]);
    }

    // Constants.

    pub fn word_constant(&mut self, value: u64) -> ir::Value {
        self.builder.ins().iconst(types::I64, value as i64)
    }

    pub fn number_constant(&mut self, value: i32) -> ir::Value {
        self.builder.ins().iconst(types::I32, i64::from(value as u32))
    }

    /// The address of a table of constants.
    pub fn table(&mut self, values: Vec<i32>) -> ir::Value {
        let table = values.into_boxed_slice();
        let address = table.as_ptr() as u64;
        self.requests.tables.push(table);
        self.word_constant(address)
    }

    /// An entry of a table of constants; the index must be in it.
    pub fn table_entry(&mut self, values: Vec<i32>, index: Value) -> Value {
        let low = values.iter().copied().min().unwrap_or(0);
        let high = values.iter().copied().max().unwrap_or(0);
        if let Some(index) = index.as_constant() {
            return Value::constant(values.get(index as usize).copied().unwrap_or(0));
        }
        let range = Interval { low: low.into(), high: high.into() };
        if range.is_point() {
            return Value::constant(low);
        }
        let table = self.table(values);
        let index = self.wide(index);
        let offset = self.shift_left(index, 2);
        let address = self.builder.ins().iadd(table, offset);
        let entry = self.builder.ins().load(types::I32, trusted().with_readonly(), address, 0);
        Value::number(entry, range)
    }

    // Words.

    pub fn and_mask(&mut self, value: ir::Value, mask: u64) -> ir::Value {
        if mask == u64::MAX {
            return value;
        }
        let mask = self.word_constant(mask);
        self.builder.ins().band(value, mask)
    }

    pub fn or_mask(&mut self, value: ir::Value, mask: u64) -> ir::Value {
        if mask == 0 {
            return value;
        }
        let mask = self.word_constant(mask);
        self.builder.ins().bor(value, mask)
    }

    pub fn xor_mask(&mut self, value: ir::Value, mask: u64) -> ir::Value {
        if mask == 0 {
            return value;
        }
        let mask = self.word_constant(mask);
        self.builder.ins().bxor(value, mask)
    }

    pub fn shift_left(&mut self, value: ir::Value, by: u8) -> ir::Value {
        if by == 0 {
            return value;
        }
        let by = self.builder.ins().iconst(types::I64, i64::from(by));
        self.builder.ins().ishl(value, by)
    }

    pub fn shift_right(&mut self, value: ir::Value, by: u8) -> ir::Value {
        if by == 0 {
            return value;
        }
        let by = self.builder.ins().iconst(types::I64, i64::from(by));
        self.builder.ins().ushr(value, by)
    }

    pub fn add_offset(&mut self, pointer: ir::Value, bytes: i64) -> ir::Value {
        if bytes == 0 {
            return pointer;
        }
        let bytes = self.builder.ins().iconst(types::I64, bytes);
        self.builder.ins().iadd(pointer, bytes)
    }

    // Values.

    /// As 32 bits.
    pub fn number(&mut self, value: Value) -> ir::Value {
        match value.code {
            Code::Constant(value) => self.number_constant(value),
            Code::Number(value) => value,
            Code::Truth(value) => self.builder.ins().uextend(types::I32, value),
        }
    }

    /// As 64 bits, for a value that is not negative.
    pub fn wide(&mut self, value: Value) -> ir::Value {
        match value.code {
            Code::Constant(value) => self.word_constant(u64::from(value as u32)),
            Code::Number(value) | Code::Truth(value) => self.builder.ins().uextend(types::I64, value),
        }
    }

    /// As 8 bits, 0 or 1.
    pub fn truth(&mut self, value: Value) -> ir::Value {
        match value.code {
            Code::Constant(value) => self.builder.ins().iconst(types::I8, i64::from(value != 0)),
            Code::Truth(value) => value,
            Code::Number(number) if BIT.contains(value.range) => {
                self.builder.ins().ireduce(types::I8, number)
            }
            Code::Number(number) => {
                let zero = self.number_constant(0);
                self.builder.ins().icmp(IntCC::NotEqual, number, zero)
            }
        }
    }

    pub fn compare(&mut self, condition: IntCC, left: ir::Value, right: i32) -> ir::Value {
        let right = self.number_constant(right);
        self.builder.ins().icmp(condition, left, right)
    }

    /// Is it equal to a constant?
    pub fn equals(&mut self, value: Value, wanted: i32) -> Value {
        if !value.range.contains(Interval::point(wanted)) {
            return Value::constant(0);
        }
        if value.as_constant().is_some() {
            return Value::constant(1);
        }
        let number = self.number(value);
        Value::truth(self.compare(IntCC::Equal, number, wanted))
    }

    pub fn both(&mut self, left: Value, right: Value) -> Value {
        match (left.known_truth(), right.known_truth()) {
            (Some(false), _) | (_, Some(false)) => Value::constant(0),
            (Some(true), _) => self.as_truth(right),
            (_, Some(true)) => self.as_truth(left),
            _ => {
                let (left, right) = (self.truth(left), self.truth(right));
                Value::truth(self.builder.ins().band(left, right))
            }
        }
    }

    pub fn either(&mut self, left: Value, right: Value) -> Value {
        match (left.known_truth(), right.known_truth()) {
            (Some(true), _) | (_, Some(true)) => Value::constant(1),
            (Some(false), _) => self.as_truth(right),
            (_, Some(false)) => self.as_truth(left),
            _ => {
                let (left, right) = (self.truth(left), self.truth(right));
                Value::truth(self.builder.ins().bor(left, right))
            }
        }
    }

    pub fn negation(&mut self, value: Value) -> Value {
        match value.known_truth() {
            Some(known) => Value::constant(i32::from(!known)),
            None => {
                let truth = self.truth(value);
                let zero = self.builder.ins().iconst(types::I8, 0);
                Value::truth(self.builder.ins().icmp(IntCC::Equal, truth, zero))
            }
        }
    }

    pub fn as_truth(&mut self, value: Value) -> Value {
        match value.known_truth() {
            Some(known) => Value::constant(i32::from(known)),
            None => Value::truth(self.truth(value)),
        }
    }

    /// Does a table of truths, by value, say yes?
    pub fn is_member(&mut self, value: Value, member: &dyn Fn(i32) -> bool) -> Value {
        let (low, high) = (value.range.low as i32, value.range.high as i32);
        let members: Vec<i32> = (low..=high).filter(|value| member(*value)).collect();
        if members.is_empty() {
            return Value::constant(0);
        }
        if members.len() as i64 == value.range.high - value.range.low + 1 {
            return Value::constant(1);
        }
        if let [only] = members[..] {
            return self.equals(value, only);
        }
        if low >= 0 && high < 64 {
            let set = members.iter().fold(0u64, |set, member| set | 1 << member);
            let index = self.wide(value);
            let set = self.word_constant(set);
            let bit = self.builder.ins().ushr(set, index);
            let bit = self.and_mask(bit, 1);
            return Value::truth(self.builder.ins().ireduce(types::I8, bit));
        }
        let table = (low..=high).map(|value| i32::from(member(value))).collect();
        let index = self.number(value);
        let low = self.number_constant(low);
        let index = self.builder.ins().isub(index, low);
        let range = Interval { low: 0, high: value.range.high - value.range.low };
        self.table_entry(table, Value::number(index, range))
    }

    // Control flow.

    pub fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub fn go_to(&mut self, block: Block) {
        self.builder.ins().jump(block, &[]);
    }

    /// Continues writing in `block`.
    pub fn at(&mut self, block: Block) {
        self.builder.switch_to_block(block);
    }

    pub fn jump_with(&mut self, block: Block, value: ir::Value) {
        self.builder.ins().jump(block, &[BlockArg::Value(value)]);
    }

    /// Leaves the current block: to `yes` if the value is not 0, otherwise to `no`.
    pub fn branch(&mut self, condition: Value, yes: Block, no: Block) {
        match (condition.known_truth(), condition.code) {
            (Some(true), _) => self.go_to(yes),
            (Some(false), _) | (_, Code::Constant(_)) => self.go_to(no),
            (None, Code::Number(value) | Code::Truth(value)) => {
                self.builder.ins().brif(value, yes, &[], no, &[]);
            }
        }
    }

    /// Goes on only if the value is not 0; otherwise to `otherwise`.
    pub fn require_or(&mut self, condition: Value, otherwise: Block) {
        if condition.known_truth() != Some(true) {
            let next = self.block();
            self.branch(condition, next, otherwise);
            self.at(next);
        }
    }

    /// Something is abnormal unless the value is not 0.
    pub fn require(&mut self, condition: Value) {
        self.require_or(condition, self.abnormal);
    }

    pub fn refuse(&mut self, condition: Value) {
        if condition.known_truth() != Some(false) {
            let next = self.block();
            self.branch(condition, self.abnormal, next);
            self.at(next);
        }
    }

    /// What follows is never reached.
    pub fn give_up(&mut self) {
        self.go_to(self.abnormal);
        let dead = self.block();
        self.at(dead);
    }

    /// Writes `then` for the case that the value is not 0. It must not change what is known of a state that is not in memory.
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

    /// One of two values, each written in its own branch.
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

    /// Leaves the current block for one of several, by a value that is not negative.
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

    // Calls.

    pub fn call(&mut self, key: FunctionKey, arguments: &[ir::Value]) -> ir::Value {
        let function = match self.functions.get(&key) {
            Some(function) => *function,
            None => {
                let index = self.requests.number(key);
                let name = UserExternalName { namespace: 0, index };
                let name = self.builder.func.declare_imported_user_function(name);
                let signature = self.builder.import_signature(key.signature(self.convention));
                let function = self.builder.import_function(ExtFuncData {
                    name: ExternalName::user(name),
                    signature,
                    colocated: true,
                    patchable: false,
                });
                self.functions.insert(key, function);
                function
            }
        };
        let call = self.builder.ins().call(function, arguments);
        self.builder.inst_results(call)[0]
    }

    /// Something is abnormal if a called function says so.
    pub fn check_result(&mut self, key: FunctionKey, result: ir::Value) {
        let abnormal = self.word_constant(key.abnormal_result() as u64);
        let same = self.builder.ins().icmp(IntCC::Equal, result, abnormal);
        self.refuse(Value::truth(same));
    }

    pub fn stack_slot(&mut self, bytes: u32) -> StackSlot {
        self.builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, bytes.max(8), 3))
    }

    pub fn stack_address(&mut self, slot: StackSlot) -> ir::Value {
        self.builder.ins().stack_addr(types::I64, slot, 0)
    }

    /// Where the values of a message are handed over, as 32-bit numbers.
    pub fn message_buffer(&mut self) -> ir::Value {
        let slot = match self.message_slot {
            Some(slot) => slot,
            None => {
                let program = self.plan.program;
                let fields = program.channel_types.iter().map(|kind| kind.fields.len()).max().unwrap_or(0);
                let parameters =
                    program.process_types.iter().map(|kind| kind.parameters as usize).max().unwrap_or(0);
                let slot = self.stack_slot(fields.max(parameters) as u32 * 4);
                self.message_slot = Some(slot);
                slot
            }
        };
        self.stack_address(slot)
    }

    pub fn store_in_buffer(&mut self, buffer: ir::Value, index: usize, value: Value) {
        let number = self.number(value);
        self.builder.ins().store(trusted(), number, buffer, index as i32 * 4);
    }

    pub fn load_from_buffer(&mut self, buffer: ir::Value, index: usize, range: Interval) -> Value {
        let number = self.builder.ins().load(types::I32, trusted(), buffer, index as i32 * 4);
        Value::number(number, range)
    }

    /// The value of `timeout`.
    pub fn timeout(&mut self) -> Value {
        match self.context {
            Some(context) if self.plan.uses_timeout => {
                let word = self.builder.ins().load(types::I64, trusted(), context, TIMEOUT_OFFSET);
                let number = self.builder.ins().ireduce(types::I32, word);
                Value::number(number, BIT)
            }
            _ => Value::constant(0),
        }
    }

    /// The low half of a word as a number.
    pub fn low_half(&mut self, word: ir::Value, range: Interval) -> Value {
        let number = self.builder.ins().ireduce(types::I32, word);
        Value::number(number, range)
    }

    pub fn full_number(&mut self, number: ir::Value) -> Value {
        Value::number(number, FULL)
    }
}

/// Memory that is there and aligned to its type.
pub fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}
