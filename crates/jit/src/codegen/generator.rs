//! The generator of one function: its state during generation, calls of other generated functions,
//! and stack memory.

use crate::codegen::value::{BIT, Value};
use crate::codegen::{FunctionKey, FunctionRegistry};
use crate::plan::Plan;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, Block, ExtFuncData, ExternalName, FuncRef, InstBuilder, MemFlagsData, StackSlot,
    StackSlotData, StackSlotKind, UserExternalName, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use lariat_ir::layout::Interval;
use std::collections::HashMap;

/// The offset in the context of the word that holds the value of `timeout`.
pub const TIMEOUT_OFFSET: i32 = 0;
/// The offset in the context of the end of the output.
pub const LIMIT_OFFSET: i32 = 8;
pub const CONTEXT_BYTES: u32 = 16;

/// Generates one function.
pub struct Generator<'g, 'p> {
    pub plan: &'g Plan<'p>,
    pub registry: &'g mut FunctionRegistry,
    pub builder: FunctionBuilder<'g>,
    pub convention: CallConv,
    pub key: FunctionKey,
    pub parameters: Vec<ir::Value>,
    /// The address of the next entry in the output.
    pub out: Variable,
    /// The address of the context, which all functions of one call share: see the offsets.
    pub context: Option<ir::Value>,
    /// How deeply evaluations of `enabled` are nested.
    pub nesting: Option<ir::Value>,
    /// Returns the function's bailout result.
    pub bailout: Block,
    /// Memory for the state between the two halves of a rendezvous.
    pub half_step_slot: Option<StackSlot>,
    /// Memory for the fields of a message or the arguments of a process.
    pub message_slot: Option<StackSlot>,
    functions: HashMap<FunctionKey, FuncRef>,
}

impl<'g, 'p> Generator<'g, 'p> {
    pub fn new(
        plan: &'g Plan<'p>,
        registry: &'g mut FunctionRegistry,
        mut builder: FunctionBuilder<'g>,
        key: FunctionKey,
    ) -> Generator<'g, 'p> {
        let convention = builder.func.signature.call_conv;
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let parameters = builder.block_params(entry).to_vec();
        let bailout = builder.create_block();
        builder.set_cold_block(bailout);
        let out = builder.declare_var(types::I64);
        Generator {
            plan,
            registry,
            builder,
            convention,
            key,
            parameters,
            out,
            context: None,
            nesting: None,
            bailout,
            half_step_slot: None,
            message_slot: None,
            functions: HashMap::new(),
        }
    }

    /// Fills the bailout block and completes the function.
    pub fn finish(mut self, target: cranelift_codegen::isa::TargetFrontendConfig) {
        self.builder.switch_to_block(self.bailout);
        let result = self.word_constant(self.key.bailout_result() as u64);
        self.builder.ins().return_(&[result]);
        self.builder.seal_all_blocks();
        self.builder.finalize(target);
    }

    pub fn return_value(&mut self, value: ir::Value) {
        self.builder.ins().return_(&[value]);
    }

    pub fn call(&mut self, key: FunctionKey, arguments: &[ir::Value]) -> ir::Value {
        if let Some(&address) = self.registry.linked.get(&key) {
            let address = self.word_constant(address as u64);
            return self.call_address(key, address, arguments);
        }
        let function = match self.functions.get(&key) {
            Some(function) => *function,
            None => {
                let index = self.registry.number(key);
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

    /// Bails out if the called function did.
    pub fn check_result(&mut self, key: FunctionKey, result: ir::Value) {
        let bailout = self.word_constant(key.bailout_result() as u64);
        let same = self.builder.ins().icmp(IntCC::Equal, result, bailout);
        self.bail_out_if(Value::truth(same));
    }

    pub fn stack_slot(&mut self, bytes: u32) -> StackSlot {
        self.builder.create_sized_stack_slot(StackSlotData::new(
            StackSlotKind::ExplicitSlot,
            bytes.max(8),
            3,
        ))
    }

    pub fn stack_address(&mut self, slot: StackSlot) -> ir::Value {
        self.builder.ins().stack_addr(types::I64, slot, 0)
    }

    /// The address of the buffer that passes messages and arguments between functions, as 32-bit
    /// numbers.
    pub fn message_buffer(&mut self) -> ir::Value {
        let slot = match self.message_slot {
            Some(slot) => slot,
            None => {
                let program = self.plan.program;
                let fields = self.plan.max_message_fields();
                let parameters = program
                    .process_types
                    .iter()
                    .map(|kind| kind.parameters as usize)
                    .max()
                    .unwrap_or(0);
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
}

/// The flags of accesses that cannot trap and are aligned.
pub fn trusted() -> MemFlagsData {
    MemFlagsData::trusted()
}
