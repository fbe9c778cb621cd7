//! Code that is compiled on first use, with a bounded wait.
//!
//! Code compiles within milliseconds unless the machine is busy or the program has a single very
//! large function. Under a limited [budget](lariat_ir::Budget) another thread compiles and the
//! caller waits for at most [`MAX_WAIT`]; until the code is ready, the interpreter computes
//! successors. Dropping a [`LazyCode`] cancels its compilation after the function that is being
//! compiled.

use crate::plan::Plan;
use lariat_ir::interp::PackedInterpreter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

/// How long a caller waits for code. Code that takes longer than about 10 ms is compiled location
/// by location instead, so the wait is over sooner unless the machine is busy.
const MAX_WAIT: Duration = Duration::from_millis(50);
const STACK_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub struct LazyCode<T> {
    code: Arc<OnceLock<T>>,
    started: Once,
    cancelled: Arc<AtomicBool>,
}

impl<T> Default for LazyCode<T> {
    fn default() -> LazyCode<T> {
        LazyCode { code: Arc::default(), started: Once::new(), cancelled: Arc::default() }
    }
}

impl<T> Drop for LazyCode<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }
}

impl<T: Send + Sync + 'static> LazyCode<T> {
    /// The code, if it is ready.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.code.get()
    }

    /// Provides the value, so that nothing is compiled.
    pub fn set(&self, code: T) {
        let _ = self.code.set(code);
    }

    /// The flag that is set when the code is no longer needed.
    pub fn cancelled(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// The code for the program, compiled by the first call; `None` while compilation exceeds the
    /// wait. `compile` should stop when its flag is set.
    #[inline]
    pub fn get_or_compile(
        &self,
        packed: &PackedInterpreter<'_>,
        compile: impl FnOnce(&Plan<'_>, &AtomicBool) -> T + Send + 'static,
    ) -> Option<&T> {
        if self.code.get().is_none() && !self.started.is_completed() {
            self.start(packed, compile);
        }
        self.code.get()
    }

    #[cold]
    fn start(
        &self,
        packed: &PackedInterpreter<'_>,
        compile: impl FnOnce(&Plan<'_>, &AtomicBool) -> T + Send + 'static,
    ) {
        self.started.call_once(|| {
            if packed.budget().is_unlimited() {
                self.set(compile(&Plan::of(packed), &self.cancelled));
                return;
            }
            let (code, cancelled) = (Arc::clone(&self.code), Arc::clone(&self.cancelled));
            let (program, layout) = (packed.program().clone(), packed.layout().clone());
            let numbering = packed.numbering().clone();
            // An error means that the wait ended; the compiling thread continues.
            let _ = packed.budget().part(MAX_WAIT).run(STACK_BYTES, move |_| {
                let compiled = compile(&Plan::new(&program, &layout, &numbering), &cancelled);
                let _ = code.set(compiled);
            });
        });
    }
}
