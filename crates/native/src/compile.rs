//! From a plan to machine code in memory: functions are written as they are asked for, compiled (on two threads if there are
//! many and somebody waits), and put into one piece of memory.

use crate::function::{FunctionKey, Generator, Requests};
use crate::plan::Plan;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{Function, UserFuncName};
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CodegenError, Context};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{Module, ModuleError, ModuleReloc, default_libcall_names};
use model::program::ProcessTypeId;
use std::fmt;

/// Why there is no machine code.
#[derive(Debug)]
pub struct Failure(String);

impl Failure {
    /// Nobody asked for code.
    pub(crate) fn unwanted() -> Failure {
        Failure("it is not wanted".into())
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

/// A function before it is linked.
struct Piece {
    code: Vec<u8>,
    alignment: u64,
    relocations: Vec<ModuleReloc>,
}

/// Fewer functions than this are compiled faster by one thread.
const WORTH_A_THREAD: usize = 6;

/// What the entry is.
pub enum Root<'e> {
    Driver,
    Atoms(&'e [&'e model::Expr]),
}

/// How much is done for the code to be good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// It is waited for.
    Quick,
    /// It is going to run for long. Others search meanwhile, so it takes one thread.
    Best,
}

/// A function for more locations than this would take minutes to compile: the time grows with the square.
const MOST_LOCATIONS: usize = 20_000;

pub fn compile(plan: &Plan<'_>, root: &Root<'_>, effort: Effort) -> Result<Compiled, Failure> {
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
    let mut functions = Vec::new();
    let mut builder_context = FunctionBuilderContext::new();
    while let Some(key) = requests.list.get(functions.len()).copied() {
        let name = UserFuncName::user(0, functions.len() as u32);
        let mut function = Function::with_name_signature(name, key.signature(isa.default_call_conv()));
        let builder = FunctionBuilder::new(&mut function, &mut builder_context);
        let mut generator = Generator::new(plan, &mut requests, builder, key);
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
        functions.push(function);
    }
    let pieces = compile_all(functions, &*isa, effort)?;
    let compiled = link(&requests, pieces, isa)?;
    Ok(Compiled { tables: requests.tables, ..compiled })
}

fn target(effort: Effort) -> Result<OwnedTargetIsa, Failure> {
    let mut flags = settings::builder();
    let verifies = if cfg!(debug_assertions) { "true" } else { "false" };
    // What is simple about the code is simplified as it is written, so that much of it gains nothing; registers are another matter.
    let level = if effort == Effort::Best { "speed" } else { "none" };
    let options =
        [("opt_level", level), ("is_pic", "false"), ("unwind_info", "false"), ("enable_verifier", verifies)];
    for (name, value) in options {
        flags.set(name, value).map_err(|error| Failure(error.to_string()))?;
    }
    let builder = cranelift_native::builder().map_err(|message| Failure(message.into()))?;
    Ok(builder.finish(settings::Flags::new(flags))?)
}

fn compile_all(functions: Vec<Function>, isa: &dyn TargetIsa, effort: Effort) -> Result<Vec<Piece>, Failure> {
    let numbered: Vec<(usize, Function)> = functions.into_iter().enumerate().collect();
    if numbered.len() < WORTH_A_THREAD || effort == Effort::Best {
        let mut context = Context::new();
        return numbered.into_iter().map(|(_, function)| piece(&mut context, function, isa)).collect();
    }
    let count = numbered.len();
    let queue = std::sync::Mutex::new(numbered.into_iter());
    let work = || {
        let mut done = Vec::new();
        let mut context = Context::new();
        loop {
            let next = queue.lock().ok().and_then(|mut queue| queue.next());
            let Some((number, function)) = next else { return done };
            done.push((number, piece(&mut context, function, isa)));
        }
    };
    let results = std::thread::scope(|scope| {
        let helper = scope.spawn(work);
        let mut results = work();
        results.extend(helper.join().unwrap_or_default());
        results
    });
    let mut pieces: Vec<Option<Piece>> = (0..count).map(|_| None).collect();
    for (number, result) in results {
        pieces[number] = Some(result?);
    }
    pieces.into_iter().map(|piece| piece.ok_or_else(|| Failure("a compiling thread failed".into()))).collect()
}

/// Compiles one function. The context is reused, for the memory it has.
fn piece(context: &mut Context, function: Function, isa: &dyn TargetIsa) -> Result<Piece, Failure> {
    context.clear();
    context.func = function;
    context
        .compile(isa, &mut ControlPlane::default())
        .map_err(|error| Failure(format!("{:?}", error.inner)))?;
    let code = context.compiled_code().ok_or_else(|| Failure("no code".into()))?;
    let relocations = code
        .buffer
        .relocs()
        .iter()
        .map(|relocation| {
            ModuleReloc::from_mach_reloc(relocation, &context.func, cranelift_module::FuncId::from_u32(0))
        })
        .collect();
    Ok(Piece { code: code.code_buffer().to_vec(), alignment: u64::from(code.buffer.alignment), relocations })
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
