//! Code that is waited for, but not for too long.
//!
//! Machine code for most programs is made in milliseconds, for a very large one in minutes. So a search with a [budget](model::Budget) has it
//! made by another thread and waits for a moment; if it is not there by then, states are left to the interpreter until it is.
//! When the code is no longer needed, the other thread stops after the function that it is compiling.

use crate::plan::Plan;
use model::interp::PackedInterpreter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

/// How long code is waited for: longer than almost every program needs.
const PATIENCE: Duration = Duration::from_secs(1);
const STACK_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub struct Awaited<T> {
    made: Arc<OnceLock<T>>,
    begun: Once,
    unwanted: Arc<AtomicBool>,
}

impl<T> Default for Awaited<T> {
    fn default() -> Awaited<T> {
        Awaited { made: Arc::default(), begun: Once::new(), unwanted: Arc::default() }
    }
}

impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }
}

impl<T: Send + Sync + 'static> Awaited<T> {
    /// What was made, if it is there.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        self.made.get()
    }

    /// Says what there is, so that nothing is made.
    pub fn set(&self, made: T) {
        let _ = self.made.set(made);
    }

    /// Raised when the code is no longer needed.
    pub fn unwanted(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.unwanted)
    }

    /// What is made for the program; `None` if it takes long and is not there yet. `make` is told when nobody wants it any
    /// more.
    #[inline]
    pub fn get_or_make(
        &self,
        packed: &PackedInterpreter<'_>,
        make: impl FnOnce(&Plan<'_>, &AtomicBool) -> T + Send + 'static,
    ) -> Option<&T> {
        if self.made.get().is_none() && !self.begun.is_completed() {
            self.begin(packed, make);
        }
        self.made.get()
    }

    #[cold]
    fn begin(
        &self,
        packed: &PackedInterpreter<'_>,
        make: impl FnOnce(&Plan<'_>, &AtomicBool) -> T + Send + 'static,
    ) {
        self.begun.call_once(|| {
            if packed.budget().is_unlimited() {
                self.set(make(&Plan::of(packed), &self.unwanted));
                return;
            }
            let (made, unwanted) = (Arc::clone(&self.made), Arc::clone(&self.unwanted));
            let (program, layout) = (packed.program().clone(), packed.layout().clone());
            let numbering = packed.numbering().clone();
            // If the time runs out, the search goes on without code.
            let _ = packed.budget().part(PATIENCE).run(STACK_BYTES, move |_| {
                let code = make(&Plan::new(&program, &layout, &numbering), &unwanted);
                let _ = made.set(code);
            });
        });
    }
}
