//! Code in two tiers: made quickly at first, and made well in the background once the search turns out to be long. So a small model does not wait for
//! an optimiser that would pay for itself only later, and a large one does not go without it.

use crate::call::Code;
use crate::compile::{Effort, Failure};
use crate::plan::Plan;
use model::interp::PackedInterpreter;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// A search is long that has asked about so many states: what better code would have saved until then is about what it costs to make.
const LONG: u32 = 1 << 18;

/// The next-state function, as good as it is by now.
#[derive(Debug)]
pub struct Tiers {
    quick: Result<Code, Failure>,
    /// Questions so far, until the search is long: shared by threads, so none counts any more after that.
    asked: AtomicU32,
    best: Arc<OnceLock<Code>>,
}

impl Tiers {
    pub fn new(plan: &Plan<'_>) -> Tiers {
        Tiers::of(Code::new(plan, Effort::Quick))
    }

    /// Nothing is compiled.
    pub fn unwanted() -> Tiers {
        Tiers::of(Err(Failure::unwanted()))
    }

    fn of(quick: Result<Code, Failure>) -> Tiers {
        Tiers { quick, asked: AtomicU32::new(0), best: Arc::default() }
    }

    /// The best code there is, or why there is none.
    pub fn current(&self) -> Result<&Code, &Failure> {
        self.best.get().map_or(self.quick.as_ref(), Ok)
    }

    /// The same, on the way to an answer: the system whose code this is gets better code if it is asked often.
    #[inline]
    pub fn ask(&self, packed: &PackedInterpreter<'_>) -> Option<&Code> {
        if let Some(best) = self.best.get() {
            return Some(best);
        }
        let quick = self.quick.as_ref().ok()?;
        if self.asked.load(Ordering::Relaxed) < LONG && self.asked.fetch_add(1, Ordering::Relaxed) + 1 == LONG
        {
            self.optimise_in_the_background(packed);
        }
        Some(quick)
    }

    /// Makes the better code at once.
    pub fn optimise(&self, plan: &Plan<'_>) {
        self.asked.store(LONG, Ordering::Relaxed);
        if let (Ok(_), Ok(code)) = (&self.quick, Code::new(plan, Effort::Best)) {
            let _ = self.best.set(code);
        }
    }

    /// Whoever searches goes on meanwhile, and ends without waiting. If there is no thread to be had, the code stays as it is.
    fn optimise_in_the_background(&self, packed: &PackedInterpreter<'_>) {
        let best = Arc::clone(&self.best);
        let (program, layout) = (packed.program().clone(), packed.layout().clone());
        let numbering = packed.numbering().clone();
        let _ = std::thread::Builder::new().name("optimise".into()).spawn(move || {
            if let Ok(code) = Code::new(&Plan::new(&program, &layout, &numbering), Effort::Best) {
                let _ = best.set(code);
            }
        });
    }
}
