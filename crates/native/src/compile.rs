//! From a plan to machine code in memory: functions are written as they are asked for, compiled (`pieces.rs`; on two threads if there is much
//! to do and somebody waits), and put into one piece of memory.

use crate::function::{FunctionKey, Generator, Requests};
use crate::pieces::{Piece, Queue};
use crate::plan::Plan;
use cranelift_codegen::CodegenError;
use cranelift_codegen::ir::{Function, UserFuncName};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{Module, ModuleError, default_libcall_names};
use model::program::ProcessTypeId;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why there is no machine code.
#[derive(Clone, Debug)]
pub struct Failure(String);

impl Failure {
    pub(crate) fn new(reason: impl Into<String>) -> Failure {
        Failure(reason.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no machine code could be made: {}", self.0)
    }
}

impl std::error::Error for Failure {}

impl From<ModuleError> for Failure {
    fn from(error: ModuleError) -> Failure {
        Failure(error.to_string())
    }
}

impl From<CodegenError> for Failure {
    fn from(error: CodegenError) -> Failure {
        Failure(error.to_string())
    }
}

/// Machine code in memory that can be executed.
pub struct Compiled {
    pub module: JITModule,
    /// Constants it reads.
    pub tables: Vec<Box<[i32]>>,
    /// Where the function that was asked for begins.
    pub entry: *const u8,
    pub bytes: usize,
}

/// What the entry is.
pub enum Root<'e> {
    Driver,
    Atoms(&'e [&'e model::Expr]),
}

/// How much is done for the code to be good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// It is waited for, and few states will be asked about.
    Least,
    /// It is waited for.
    Quick,
    /// It is going to run for long. Others search meanwhile, so it takes one thread.
    Best,
}

/// A function for more locations than this would take minutes to compile: the time grows with the square.
const MOST_LOCATIONS: usize = 20_000;

/// Ends early, without code, when `unwanted` is raised.
pub fn compile(
    plan: &Plan<'_>,
    root: &Root<'_>,
    effort: Effort,
    unwanted: &AtomicBool,
) -> Result<Compiled, Failure> {
    if let Some(large) = plan.program.process_types.iter().find(|kind| kind.locations.len() > MOST_LOCATIONS)
    {
        let count = large.locations.len();
        return Err(Failure(format!("`{}` has {count} locations, which would take too long", large.name)));
    }
    let isa = target(effort)?;
    let mut requests = Requests::default();
    requests.number(match root {
        Root::Driver => FunctionKey::Driver,
        Root::Atoms(_) => FunctionKey::Atoms,
    });
    let mut builder_context = FunctionBuilderContext::new();
    let queue = Queue::new(&*isa, unwanted);
    let pieces = std::thread::scope(|scope| {
        let mut helper = None;
        let mut count = 0;
        while let Some(key) = requests.list.get(count).copied() {
            if unwanted.load(Ordering::Relaxed) {
                break;
            }
            let name = UserFuncName::user(0, count as u32);
            let mut function = Function::with_name_signature(name, key.signature(isa.default_call_conv()));
            let builder = FunctionBuilder::new(&mut function, &mut builder_context);
            write(Generator::new(plan, &mut requests, builder, key), key, root, &*isa);
            count += 1;
            let worth_a_thread = queue.push(function);
            if worth_a_thread && effort != Effort::Best && helper.is_none() {
                helper = queue.help(scope);
            }
        }
        queue.finish(helper)
    })?;
    if unwanted.load(Ordering::Relaxed) {
        return Err(Failure::new("it is not wanted any more"));
    }
    let compiled = link(&requests, pieces, isa)?;
    Ok(Compiled { tables: requests.tables, ..compiled })
}

/// Writes one function.
fn write(mut generator: Generator<'_, '_>, key: FunctionKey, root: &Root<'_>, isa: &dyn TargetIsa) {
    match (key, root) {
        (FunctionKey::Driver, _) => generator.driver_function(),
        (FunctionKey::Expand(actor), _) => generator.expand_function(actor),
        (FunctionKey::Receive(actor, channel), _) => generator.receive_function(actor, channel),
        (FunctionKey::Enabled(slot), _) => generator.enabled_function(slot),
        (FunctionKey::Run(kind), _) => generator.run_function(ProcessTypeId(kind as u32)),
        (FunctionKey::Atoms, Root::Atoms(conditions)) => generator.atoms_function(conditions),
        _ => generator.channel_function(),
    }
    generator.finish(isa.frontend_config());
}

fn target(effort: Effort) -> Result<OwnedTargetIsa, Failure> {
    let mut flags = settings::builder();
    let verifies = if cfg!(debug_assertions) { "true" } else { "false" };
    // What is simple about the code is simplified as it is written, so that much of it gains nothing; to choose registers well takes a
    // third of the time.
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
        ("enable_verifier", verifies),
    ];
    for (name, value) in options {
        flags.set(name, value).map_err(|error| Failure(error.to_string()))?;
    }
    let builder = cranelift_native::builder().map_err(|message| Failure(message.into()))?;
    Ok(builder.finish(settings::Flags::new(flags))?)
}

fn link(requests: &Requests, pieces: Vec<Piece>, isa: OwnedTargetIsa) -> Result<Compiled, Failure> {
    let bytes: usize = pieces.iter().map(|piece| piece.code.len()).sum();
    let convention = isa.default_call_conv();
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    // One piece of memory, so that every call reaches its target.
    let room = bytes + pieces.len() * 128 + (1 << 16);
    let memory = ArenaMemoryProvider::new_with_size(room).map_err(|error| Failure(error.to_string()))?;
    builder.memory_provider(Box::new(memory));
    let mut module = JITModule::new(builder);
    let mut ids = Vec::new();
    for key in &requests.list {
        ids.push(module.declare_anonymous_function(&key.signature(convention))?);
    }
    for (id, piece) in ids.iter().zip(&pieces) {
        module.define_function_bytes(*id, piece.alignment, &piece.code, &piece.relocations)?;
    }
    module.finalize_definitions()?;
    let entry = module.get_finalized_function(ids[0]);
    Ok(Compiled { module, tables: Vec::new(), entry, bytes })
}
