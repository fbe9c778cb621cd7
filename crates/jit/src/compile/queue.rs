//! Compiles functions on up to two threads while further functions are being generated. The largest
//! are compiled first, so that both threads finish at about the same time.

use crate::compile::CompileError;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_module::{FuncId, ModuleReloc};
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

/// A compiled function before linking.
pub struct CompiledFunction {
    pub code: Vec<u8>,
    pub alignment: u64,
    pub relocations: Vec<ModuleReloc>,
}

/// Cranelift instructions below which starting a second thread takes longer than it saves.
const SECOND_THREAD_INSTRUCTIONS: usize = 600;

/// A function's number and the result of its compilation.
type Numbered = (usize, Result<CompiledFunction, CompileError>);

/// The functions that are not compiled yet.
pub struct CompileQueue<'a> {
    isa: &'a dyn TargetIsa,
    cancelled: &'a AtomicBool,
    state: Mutex<QueueState>,
    changed: Condvar,
}

#[derive(Default)]
struct QueueState {
    /// By number; `None` once a thread has taken the function.
    functions: Vec<Option<Function>>,
    /// The size and number of each function that is not taken yet.
    order: BinaryHeap<(usize, usize)>,
    /// Instructions of all functions pushed so far.
    instructions: usize,
    /// Whether all functions have been pushed.
    complete: bool,
}

impl<'a> CompileQueue<'a> {
    pub fn new(isa: &'a dyn TargetIsa, cancelled: &'a AtomicBool) -> CompileQueue<'a> {
        CompileQueue { isa, cancelled, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next function. Returns whether there is now enough work for a second thread.
    pub fn push(&self, function: Function) -> bool {
        let mut state = self.lock();
        let (size, number) = (function.dfg.num_insts(), state.functions.len());
        state.functions.push(Some(function));
        state.order.push((size, number));
        state.instructions += size;
        self.changed.notify_one();
        state.instructions >= SECOND_THREAD_INSTRUCTIONS
    }

    /// Starts a second thread; `None` if the system refuses one.
    pub fn start_second_thread<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
    ) -> Option<ScopedJoinHandle<'scope, Vec<Numbered>>> {
        thread::Builder::new().name("compile".into()).spawn_scoped(scope, || self.work()).ok()
    }

    /// Compiles the remaining functions after the last one was pushed, together with the second
    /// thread if there is one. Returns all functions in the order in which they were pushed.
    ///
    /// # Errors
    /// A function cannot be compiled, or compilation was cancelled.
    pub fn finish(
        &self,
        second_thread: Option<ScopedJoinHandle<'_, Vec<Numbered>>>,
    ) -> Result<Vec<CompiledFunction>, CompileError> {
        self.lock().complete = true;
        self.changed.notify_all();
        let mut results = self.work();
        results.extend(second_thread.and_then(|thread| thread.join().ok()).unwrap_or_default());
        let mut compiled: Vec<Option<CompiledFunction>> =
            self.lock().functions.iter().map(|_| None).collect();
        for (number, result) in results {
            compiled[number] = Some(result?);
        }
        let failed = || CompileError::new("a compiler thread failed or was cancelled");
        compiled.into_iter().map(|function| function.ok_or_else(failed)).collect()
    }

    /// Compiles functions until the queue is complete and empty.
    fn work(&self) -> Vec<Numbered> {
        let mut done = Vec::new();
        // Reused for its allocations.
        let mut context = Context::new();
        while let Some((number, function)) = self.next() {
            done.push((number, compile_function(&mut context, function, self.isa)));
        }
        done
    }

    fn next(&self) -> Option<(usize, Function)> {
        let mut state = self.lock();
        loop {
            if state.complete && self.cancelled.load(Ordering::Relaxed) {
                return None;
            }
            if let Some((_, number)) = state.order.pop() {
                return state.functions[number].take().map(|function| (number, function));
            }
            if state.complete {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn compile_function(
    context: &mut Context,
    function: Function,
    isa: &dyn TargetIsa,
) -> Result<CompiledFunction, CompileError> {
    context.clear();
    context.func = function;
    context
        .compile(isa, &mut ControlPlane::default())
        .map_err(|error| CompileError::new(format!("{:?}", error.inner)))?;
    let code = context.compiled_code().ok_or_else(|| CompileError::new("no code"))?;
    let relocations = code
        .buffer
        .relocs()
        .iter()
        .map(|relocation| {
            ModuleReloc::from_mach_reloc(relocation, &context.func, FuncId::from_u32(0))
        })
        .collect();
    Ok(CompiledFunction {
        code: code.code_buffer().to_vec(),
        alignment: u64::from(code.buffer.alignment),
        relocations,
    })
}
