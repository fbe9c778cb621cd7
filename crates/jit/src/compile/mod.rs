//! From a plan to machine code in executable memory. Code generation starts with the entry point;
//! every function that a generated function calls is generated in turn. The functions are compiled
//! through a [`queue`] and linked into one block of memory.

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
    /// The address of the entry point.
    pub entry: *const u8,
    pub bytes: usize,
}

/// The function that is called from outside the generated code.
pub enum EntryPoint<'e> {
    Successors,
    Conditions(&'e [&'e lariat_ir::Expr]),
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

/// A process type with more locations than this would take minutes to compile: the time grows with
/// the square of their number.
const MAX_LOCATIONS: usize = 20_000;

/// Compiles an entry point and everything it calls. Stops early, with an error, once `cancelled` is
/// set.
pub fn compile(
    plan: &Plan<'_>,
    entry: &EntryPoint<'_>,
    effort: Effort,
    cancelled: &AtomicBool,
) -> Result<LinkedCode, CompileError> {
    if let Some(large) =
        plan.program.process_types.iter().find(|kind| kind.locations.len() > MAX_LOCATIONS)
    {
        let count = large.locations.len();
        let reason = format!("`{}` has {count} locations, which would take too long", large.name);
        return Err(CompileError(reason));
    }
    let isa = target(effort)?;
    let mut registry = FunctionRegistry::default();
    registry.number(match entry {
        EntryPoint::Successors => FunctionKey::Driver,
        EntryPoint::Conditions(_) => FunctionKey::Conditions,
    });
    let mut builder_context = FunctionBuilderContext::new();
    let queue = CompileQueue::new(&*isa, cancelled);
    let functions = std::thread::scope(|scope| {
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
            generate(Generator::new(plan, &mut registry, builder, key), key, entry, &*isa);
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
    let compiled = link(&registry, functions, isa)?;
    Ok(LinkedCode { tables: registry.tables, ..compiled })
}

/// Generates one function.
fn generate(
    mut generator: Generator<'_, '_>,
    key: FunctionKey,
    entry: &EntryPoint<'_>,
    isa: &dyn TargetIsa,
) {
    match (key, entry) {
        (FunctionKey::Driver, _) => generator.driver_function(),
        (FunctionKey::Expand(actor), _) => generator.expand_function(actor),
        (FunctionKey::Receive(actor, channel), _) => generator.receive_function(actor, channel),
        (FunctionKey::Enabled(slot), _) => generator.enabled_function(slot),
        (FunctionKey::Run(kind), _) => generator.run_function(ProcessTypeId(kind as u32)),
        (FunctionKey::Conditions, EntryPoint::Conditions(conditions)) => {
            generator.conditions_function(conditions)
        }
        _ => generator.channel_function(),
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

fn link(
    registry: &FunctionRegistry,
    functions: Vec<CompiledFunction>,
    isa: OwnedTargetIsa,
) -> Result<LinkedCode, CompileError> {
    let bytes: usize = functions.iter().map(|function| function.code.len()).sum();
    let convention = isa.default_call_conv();
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    // One block of memory, so that relative calls reach every function.
    let room = bytes + functions.len() * 128 + (1 << 16);
    let memory = ArenaMemoryProvider::new_with_size(room)
        .map_err(|error| CompileError(error.to_string()))?;
    builder.memory_provider(Box::new(memory));
    let mut module = JITModule::new(builder);
    let mut ids = Vec::new();
    for key in &registry.list {
        ids.push(module.declare_anonymous_function(&key.signature(convention))?);
    }
    for (id, function) in ids.iter().zip(&functions) {
        let CompiledFunction { code, alignment, relocations } = function;
        module.define_function_bytes(*id, *alignment, code, relocations)?;
    }
    module.finalize_definitions()?;
    let entry = module.get_finalized_function(ids[0]);
    Ok(LinkedCode { module, tables: Vec::new(), entry, bytes })
}
