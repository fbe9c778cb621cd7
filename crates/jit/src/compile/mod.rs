//! From a plan to machine code in executable memory. Code generation starts with the functions
//! asked for; every function that a generated function calls is generated in turn, unless it is
//! linked already. The functions are compiled through a [`queue`] and linked into one block of
//! memory.

mod queue;

use crate::codegen::{FunctionKey, FunctionRegistry, Generator};
use crate::plan::Plan;
use cranelift_codegen::CodegenError;
use cranelift_codegen::ir::{Function, UserFuncName};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{Module, ModuleError, default_libcall_names};
use lariat_ir::program::ProcessTypeId;
use queue::{CompileQueue, CompiledFunction};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a program could not be compiled.
#[derive(Clone, Debug)]
pub struct CompileError(String);

impl CompileError {
    pub(crate) fn new(reason: impl Into<String>) -> CompileError {
        CompileError(reason.into())
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no machine code: {}", self.0)
    }
}

impl std::error::Error for CompileError {}

impl From<ModuleError> for CompileError {
    fn from(error: ModuleError) -> CompileError {
        CompileError(error.to_string())
    }
}

impl From<CodegenError> for CompileError {
    fn from(error: CodegenError) -> CompileError {
        CompileError(error.to_string())
    }
}

/// Machine code in executable memory.
pub struct LinkedCode {
    pub module: JITModule,
    /// Constant tables that the code reads.
    pub tables: Vec<Box<[i32]>>,
    /// The functions and their addresses, first those that were asked for.
    pub functions: Vec<(FunctionKey, *const u8)>,
    pub bytes: usize,
}

/// How much time compilation spends on the quality of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A search waits for the code and will expand few states.
    Least,
    /// A search waits for the code.
    Quick,
    /// The code will run for long. Searches run meanwhile, so compilation uses one thread only.
    Best,
}

/// What is compiled, and how.
pub struct Compilation<'c> {
    /// The functions that are called from outside the generated code.
    pub functions: &'c [FunctionKey],
    /// The conditions of [`FunctionKey::Conditions`].
    pub conditions: &'c [&'c lariat_ir::Expr],
    pub effort: Effort,
    /// Ends the compilation early, with an error.
    pub cancelled: &'c AtomicBool,
}

/// Compiles functions and everything they call. The registry knows what is linked already.
pub fn compile(
    plan: &Plan<'_>,
    compilation: &Compilation<'_>,
    registry: &mut FunctionRegistry,
) -> Result<LinkedCode, CompileError> {
    let linked = compile_listed(plan, compilation, registry);
    if linked.is_err() {
        registry.take_list();
        registry.tables.clear();
    }
    linked
}

fn compile_listed(
    plan: &Plan<'_>,
    compilation: &Compilation<'_>,
    registry: &mut FunctionRegistry,
) -> Result<LinkedCode, CompileError> {
    let &Compilation { functions, conditions, effort, cancelled } = compilation;
    let isa = target(effort)?;
    for key in functions {
        registry.number(*key);
    }
    let mut builder_context = FunctionBuilderContext::new();
    let queue = CompileQueue::new(&*isa, cancelled);
    let compiled = std::thread::scope(|scope| {
        let mut second_thread = None;
        let mut count = 0;
        while let Some(key) = registry.list.get(count).copied() {
            if cancelled.load(Ordering::Relaxed) {
                break;
            }
            let name = UserFuncName::user(0, count as u32);
            let mut function =
                Function::with_name_signature(name, key.signature(isa.default_call_conv()));
            let builder = FunctionBuilder::new(&mut function, &mut builder_context);
            generate(Generator::new(plan, registry, builder, key), key, conditions, &*isa);
            count += 1;
            let second_thread_pays = queue.push(function);
            if second_thread_pays && effort != Effort::Best && second_thread.is_none() {
                second_thread = queue.start_second_thread(scope);
            }
        }
        queue.finish(second_thread)
    })?;
    if cancelled.load(Ordering::Relaxed) {
        return Err(CompileError::new("compilation was cancelled"));
    }
    link(registry, compiled, isa)
}

/// Generates one function.
fn generate(
    mut generator: Generator<'_, '_>,
    key: FunctionKey,
    conditions: &[&lariat_ir::Expr],
    isa: &dyn TargetIsa,
) {
    match key {
        FunctionKey::Driver => generator.driver_function(),
        FunctionKey::Expand(actor) => generator.expand_function(actor),
        FunctionKey::Receive(actor, channel) => generator.receive_function(actor, channel),
        FunctionKey::Enabled(slot) => generator.enabled_function(slot),
        FunctionKey::Run(kind) => generator.run_function(ProcessTypeId(kind as u32)),
        FunctionKey::Conditions => generator.conditions_function(conditions),
        FunctionKey::Unit(unit) => generator.unit_function(unit),
        FunctionKey::ChannelSize | FunctionKey::Fetch | FunctionKey::Send | FunctionKey::Remove => {
            generator.channel_function()
        }
    }
    generator.finish(isa.frontend_config());
}

fn target(effort: Effort) -> Result<OwnedTargetIsa, CompileError> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    // Code generation already simplifies constants and intervals, so that quick code gains little
    // from optimisation. Backtracking register allocation takes a third of the compile time.
    let (level, registers) = match effort {
        Effort::Best => ("speed", "backtracking"),
        Effort::Quick => ("none", "backtracking"),
        Effort::Least => ("none", "single_pass"),
    };
    let options = [
        ("opt_level", level),
        ("regalloc_algorithm", registers),
        ("is_pic", "false"),
        ("unwind_info", "false"),
        ("enable_verifier", verify),
    ];
    for (name, value) in options {
        flags.set(name, value).map_err(|error| CompileError(error.to_string()))?;
    }
    let builder = cranelift_native::builder().map_err(|message| CompileError(message.into()))?;
    Ok(builder.finish(settings::Flags::new(flags))?)
}

/// Links the functions of the registry, which is ready for others afterwards.
fn link(
    registry: &mut FunctionRegistry,
    compiled: Vec<CompiledFunction>,
    isa: OwnedTargetIsa,
) -> Result<LinkedCode, CompileError> {
    let bytes: usize = compiled.iter().map(|function| function.code.len()).sum();
    let convention = isa.default_call_conv();
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    // One block of memory, so that relative calls reach every function.
    let room = bytes + compiled.len() * 128 + (1 << 16);
    let memory = ArenaMemoryProvider::new_with_size(room)
        .map_err(|error| CompileError(error.to_string()))?;
    builder.memory_provider(Box::new(memory));
    let mut module = JITModule::new(builder);
    let keys = registry.take_list();
    let mut ids = Vec::new();
    for key in &keys {
        ids.push(module.declare_anonymous_function(&key.signature(convention))?);
    }
    for (id, function) in ids.iter().zip(&compiled) {
        let CompiledFunction { code, alignment, relocations } = function;
        module.define_function_bytes(*id, *alignment, code, relocations)?;
    }
    module.finalize_definitions()?;
    let addresses = ids.into_iter().map(|id| module.get_finalized_function(id));
    let functions: Vec<(FunctionKey, *const u8)> = keys.into_iter().zip(addresses).collect();
    for (key, address) in &functions {
        registry.linked.insert(*key, *address as usize);
    }
    let tables = std::mem::take(&mut registry.tables);
    Ok(LinkedCode { module, tables, functions, bytes })
}
