//! Compiling functions on two threads, while others are still being written. The largest come first, so that both threads end at about the
//! same time.

use crate::compile::Failure;
use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::Function;
use cranelift_codegen::isa::TargetIsa;
use cranelift_module::{FuncId, ModuleReloc};
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

/// A function before it is linked.
pub struct Piece {
    pub code: Vec<u8>,
    pub alignment: u64,
    pub relocations: Vec<ModuleReloc>,
}

/// Functions of fewer instructions in all are compiled faster by one thread.
const WORTH_A_THREAD: usize = 600;

type Numbered = (usize, Result<Piece, Failure>);

/// The functions that wait to be compiled.
pub struct Queue<'a> {
    isa: &'a dyn TargetIsa,
    /// Raised when nothing more is to be compiled.
    unwanted: &'a AtomicBool,
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    /// By number; those that are taken are gone.
    functions: Vec<Option<Function>>,
    /// Their sizes and numbers.
    order: BinaryHeap<(usize, usize)>,
    /// The sizes of all so far.
    size: usize,
    complete: bool,
}

impl<'a> Queue<'a> {
    pub fn new(isa: &'a dyn TargetIsa, unwanted: &'a AtomicBool) -> Queue<'a> {
        Queue { isa, unwanted, waiting: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the next function; returns whether there is now enough to do for a second thread.
    pub fn push(&self, function: Function) -> bool {
        let mut waiting = self.lock();
        let (size, number) = (function.dfg.num_insts(), waiting.functions.len());
        waiting.functions.push(Some(function));
        waiting.order.push((size, number));
        waiting.size += size;
        self.changed.notify_one();
        waiting.size >= WORTH_A_THREAD
    }

    /// Starts a second thread; none if there is none to be had.
    pub fn help<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
    ) -> Option<ScopedJoinHandle<'scope, Vec<Numbered>>> {
        thread::Builder::new().name("compile".into()).spawn_scoped(scope, || self.work()).ok()
    }

    /// All functions are there: compiles them, with the second thread if there is one.
    ///
    /// # Errors
    /// One cannot be compiled.
    pub fn finish(&self, helper: Option<ScopedJoinHandle<'_, Vec<Numbered>>>) -> Result<Vec<Piece>, Failure> {
        self.lock().complete = true;
        self.changed.notify_all();
        let mut results = self.work();
        results.extend(helper.and_then(|helper| helper.join().ok()).unwrap_or_default());
        let mut pieces: Vec<Option<Piece>> = self.lock().functions.iter().map(|_| None).collect();
        for (number, result) in results {
            pieces[number] = Some(result?);
        }
        let failed = || Failure::new("a compiling thread failed");
        pieces.into_iter().map(|piece| piece.ok_or_else(failed)).collect()
    }

    /// Compiles until nothing is left to come.
    fn work(&self) -> Vec<Numbered> {
        let mut done = Vec::new();
        // Reused, for the memory it has.
        let mut context = Context::new();
        while let Some((number, function)) = self.next() {
            done.push((number, piece(&mut context, function, self.isa)));
        }
        done
    }

    fn next(&self) -> Option<(usize, Function)> {
        let mut waiting = self.lock();
        loop {
            if waiting.complete && self.unwanted.load(Ordering::Relaxed) {
                return None;
            }
            if let Some((_, number)) = waiting.order.pop() {
                return waiting.functions[number].take().map(|function| (number, function));
            }
            if waiting.complete {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn piece(context: &mut Context, function: Function, isa: &dyn TargetIsa) -> Result<Piece, Failure> {
    context.clear();
    context.func = function;
    context
        .compile(isa, &mut ControlPlane::default())
        .map_err(|error| Failure::new(format!("{:?}", error.inner)))?;
    let code = context.compiled_code().ok_or_else(|| Failure::new("no code"))?;
    let relocations = code
        .buffer
        .relocs()
        .iter()
        .map(|relocation| ModuleReloc::from_mach_reloc(relocation, &context.func, FuncId::from_u32(0)))
        .collect();
    Ok(Piece { code: code.code_buffer().to_vec(), alignment: u64::from(code.buffer.alignment), relocations })
}
