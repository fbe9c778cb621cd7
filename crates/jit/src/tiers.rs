//! Tiered compilation: when code is compiled, and with how much effort.
//!
//! A program whose first exploration found few states runs on the interpreter, memoized
//! ([`SuccessorMemo`]). Otherwise the engine compiles quickly before the first call, with least
//! effort if the program seems not to have many states. After many calls a background thread
//! compiles optimised code. A large program is compiled location by location
//! ([`late`](crate::late)). A small model does not wait for a compiler that would not pay for
//! itself, and a large one gets good code.

use crate::call::SuccessorFunction;
use crate::compile::{CompileError, Effort};
use crate::late::HotUnit;
use crate::lazy::LazyCode;
use crate::memo::SuccessorMemo;
use crate::plan::Plan;
use lariat_ir::interp::PackedInterpreter;
use lariat_ir::layout::{Coverage, Sample};
use lariat_ir::system::{Misfit, Successors};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Calls after which optimised code is compiled: by then it would have saved about as much time as
/// its compilation takes.
const OPTIMISE_AFTER: u32 = 1 << 18;
/// Calls that a thread counts locally before it adds them to the shared counter.
const CALLS_PER_UPDATE: u32 = 1 << 8;
/// Interpreting this many states takes about as long as compiling a program.
const FEW_STATES: usize = 1000;
/// If fewer than one in `BROAD_FRONTIER` explored states are on the frontier, the first exploration
/// has usually seen most of the state space: a large state space has a broad frontier. Where this
/// guess is wrong, [`OPTIMISE_AFTER`] corrects it.
const BROAD_FRONTIER: usize = 5;
/// A lower bound, for most models, on the number of states where the frontier is broad.
const MANY_STATES: u64 = 40_000;

/// When code is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilePolicy {
    /// Before the first call.
    Immediately(Effort),
    /// Location by location, even if the program is small.
    ByLocation,
    /// When more states than this have been expanded.
    AboveStates(usize),
    Never,
}

impl CompilePolicy {
    /// Chooses by the first exploration of a program.
    pub fn after(sample: &Sample) -> CompilePolicy {
        let Coverage { states, edge } = sample.coverage;
        match edge {
            0 if states <= FEW_STATES => CompilePolicy::AboveStates(states),
            _ if edge < states / BROAD_FRONTIER => CompilePolicy::Immediately(Effort::Least),
            _ => CompilePolicy::Immediately(Effort::Quick),
        }
    }

    /// An estimate of the number of states, if the first exploration supports one.
    pub fn expected_states(self) -> Option<u64> {
        match self {
            CompilePolicy::AboveStates(states) => Some(states as u64),
            CompilePolicy::ByLocation => Some(MANY_STATES),
            CompilePolicy::Immediately(Effort::Quick | Effort::Best) => Some(MANY_STATES),
            CompilePolicy::Immediately(Effort::Least) | CompilePolicy::Never => None,
        }
    }
}

thread_local! {
    /// Calls by this thread that the shared counters do not include yet. A counter that every
    /// thread wrote at every call would bounce between the cores' caches.
    static UNCOUNTED_CALLS: Cell<u32> = const { Cell::new(0) };
}

/// The next-state function in the best version available so far.
#[derive(Debug)]
pub struct Tiers {
    memo: Option<SuccessorMemo>,
    /// The effort for the quick code.
    effort: Effort,
    /// Units that were hot in another layout, and are compiled first.
    hot: Vec<HotUnit>,
    /// Whether code is compiled location by location even if the program is small.
    by_location: bool,
    quick: LazyCode<Result<SuccessorFunction, CompileError>>,
    /// Approximate calls of the quick code, up to [`OPTIMISE_AFTER`].
    calls: AtomicU32,
    /// Whether compilation of the optimised code has started.
    optimising: AtomicBool,
    best: Arc<OnceLock<SuccessorFunction>>,
}

impl Tiers {
    pub fn new(policy: CompilePolicy, packed: &PackedInterpreter<'_>, hot: Vec<HotUnit>) -> Tiers {
        let (memo, effort) = match policy {
            CompilePolicy::Immediately(effort) => (None, effort),
            CompilePolicy::AboveStates(states) => (Some(SuccessorMemo::new(states)), Effort::Quick),
            CompilePolicy::ByLocation | CompilePolicy::Never => (None, Effort::Quick),
        };
        let tiers = Tiers {
            memo,
            effort,
            hot,
            by_location: policy == CompilePolicy::ByLocation,
            quick: LazyCode::default(),
            calls: AtomicU32::new(0),
            optimising: AtomicBool::new(false),
            best: Arc::default(),
        };
        match policy {
            CompilePolicy::Immediately(_) | CompilePolicy::ByLocation => {
                tiers.quick(packed);
            }
            CompilePolicy::AboveStates(_) => {}
            CompilePolicy::Never => {
                tiers.quick.set(Err(CompileError::new("compilation is disabled")));
            }
        }
        tiers
    }

    /// The best code available. Compiles the quick code if that has not happened yet.
    ///
    /// # Errors
    /// Why there is no code.
    pub fn current(
        &self,
        packed: &PackedInterpreter<'_>,
    ) -> Result<&SuccessorFunction, CompileError> {
        match (self.best.get(), self.quick(packed)) {
            (Some(code), _) | (None, Some(Ok(code))) => Ok(code),
            (None, Some(Err(error))) => Err(error.clone()),
            (None, None) => Err(CompileError::new("compilation has not finished yet")),
        }
    }

    fn quick(
        &self,
        packed: &PackedInterpreter<'_>,
    ) -> Option<&Result<SuccessorFunction, CompileError>> {
        if let Some(quick) = self.quick.get() {
            return Some(quick);
        }
        let (effort, hot, by_location) = (self.effort, self.hot.clone(), self.by_location);
        self.quick.get_or_compile(packed, move |plan, cancelled| match by_location {
            true => SuccessorFunction::new(&plan.clone().in_units(), effort, cancelled, &hot),
            false => SuccessorFunction::new(plan, effort, cancelled, &hot),
        })
    }

    /// The units that are hot in code for this layout.
    pub fn hot_units(&self, packed: &PackedInterpreter<'_>) -> Vec<HotUnit> {
        match self.quick.get() {
            Some(Ok(code)) => {
                code.late().map_or(Vec::new(), |late| late.hot_units(packed.layout()))
            }
            _ => self.hot.clone(),
        }
    }

    /// The successors of a state while the program is small enough not to be compiled.
    #[inline]
    pub fn memoized_successors(
        &self,
        packed: &PackedInterpreter<'_>,
        state: &[u64],
        out: &mut Successors,
    ) -> Option<Result<(), Box<Misfit>>> {
        let memo = self.memo.as_ref().filter(|_| self.quick.get().is_none())?;
        memo.successors(packed, state, out)
    }

    /// Counts a call and returns the code for it, if there is any. After [`OPTIMISE_AFTER`] calls
    /// a background thread starts to compile optimised code.
    #[inline]
    pub fn count_call(&self, packed: &PackedInterpreter<'_>) -> Option<&SuccessorFunction> {
        if let Some(best) = self.best.get() {
            return Some(best);
        }
        let quick = self.quick(packed)?.as_ref().ok()?;
        let uncounted = UNCOUNTED_CALLS.get() + 1;
        UNCOUNTED_CALLS.set(uncounted % CALLS_PER_UPDATE);
        if uncounted == CALLS_PER_UPDATE {
            self.add_calls(packed);
        }
        Some(quick)
    }

    /// Adds [`CALLS_PER_UPDATE`] calls of one thread. Some may be calls of another engine, so the
    /// counter is approximate.
    #[cold]
    fn add_calls(&self, packed: &PackedInterpreter<'_>) {
        if self.calls.load(Ordering::Relaxed) < OPTIMISE_AFTER
            && self.calls.fetch_add(CALLS_PER_UPDATE, Ordering::Relaxed) + CALLS_PER_UPDATE
                >= OPTIMISE_AFTER
            && !self.optimising.swap(true, Ordering::Relaxed)
        {
            self.optimise_in_background(packed);
        }
    }

    /// Compiles the optimised code on the calling thread.
    pub fn optimise(&self, packed: &PackedInterpreter<'_>) {
        let compile = || {
            SuccessorFunction::new(&Plan::of(packed), Effort::Best, &AtomicBool::new(false), &[])
        };
        if let (Some(Ok(_)), Ok(code)) = (self.quick(packed), compile()) {
            let _ = self.best.set(code);
        }
    }

    /// Compiles the optimised code while searches continue; they never wait for it. If no thread
    /// can be started, the quick code stays in use.
    fn optimise_in_background(&self, packed: &PackedInterpreter<'_>) {
        if let Some(Ok(code)) = self.quick.get()
            && let Some(late) = code.late()
        {
            return late.optimise();
        }
        let (best, cancelled) = (Arc::clone(&self.best), self.quick.cancelled());
        let (program, layout) = (packed.program().clone(), packed.layout().clone());
        let numbering = packed.numbering().clone();
        let _ = std::thread::Builder::new().name("optimise".into()).spawn(move || {
            let plan = Plan::new(&program, &layout, &numbering);
            if let Ok(code) = SuccessorFunction::new(&plan, Effort::Best, &cancelled, &[]) {
                let _ = best.set(code);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use lariat_ir::budget::UNLIMITED;
    use lariat_ir::layout::Profile;
    use lariat_ir::system::TransitionSystem;
    use lariat_ir::{Interpreter, Program};

    fn program(text: &str) -> Program {
        let loader = lariat_promela::MemoryLoader::new().with("m.pml", text);
        lariat_promela::compile(&loader, "m.pml", &[]).program.expect("a valid model")
    }

    #[test]
    fn programs_with_few_states_are_not_compiled() {
        let text = "byte x; active [2] proctype P() { do :: x = (x + 1) % 6; assert(x < 4) od }";
        let program = program(text);
        let system = Engine::new(&program).expect("no runtime error");
        let compiled = Engine::with_profile(&program, system.packed.profile().clone());
        let mut states = system.initial_states().expect("no runtime error");
        let mut next = 0;
        while next < states.len() {
            let mut results = Vec::new();
            // The second call is answered by the memo, after the successors of another state.
            for system in [&system, &system, &compiled] {
                let mut out = Successors::new(system.width());
                system.successors(&states[0], &mut out).expect("the layout has room");
                system.successors(&states[next], &mut out).expect("the layout has room");
                results.push((out.raw().clone(), out.errors));
            }
            assert_eq!(results[0], results[1]);
            assert_eq!(results[0], results[2]);
            let mut out = Successors::new(system.width());
            system.successors(&states[next], &mut out).expect("the layout has room");
            for entry in 0..out.len() {
                let state = out.state(entry).to_vec();
                if !states.contains(&state) {
                    states.push(state);
                }
            }
            next += 1;
        }
        assert!(system.code.quick.get().is_none(), "nothing was compiled");
    }

    #[test]
    fn more_states_than_expected_trigger_compilation() {
        let program = program("byte x; active proctype P() { do :: x++ od }");
        let sample = Profile::sample(&Interpreter::new(&program)).expect("no runtime error");
        assert_eq!(sample.coverage, Coverage { states: 256, edge: 0 });
        let system = Engine::with_policy(
            &program,
            sample.profile,
            CompilePolicy::AboveStates(100),
            &UNLIMITED,
            Vec::new(),
        );
        let mut state = system.initial_states().expect("no runtime error").remove(0);
        for number in 0..256 {
            assert_eq!(system.code.quick.get().is_some(), number > 100, "{number}");
            let mut out = Successors::new(system.width());
            system.successors(&state, &mut out).expect("the layout has room");
            assert_eq!(out.len(), 1);
            state = out.state(0).to_vec();
        }
        assert_eq!(state, system.initial_states().expect("no runtime error")[0]);
    }

    #[test]
    fn programs_with_many_states_are_compiled_at_once() {
        let program = program(
            "int a, b, c, d, e, f;
             active proctype P() { do :: a++ :: b++ :: c++ :: d++ :: e++ :: f++ od }",
        );
        let system = Engine::new(&program).expect("no runtime error");
        assert!(system.code.quick.get().is_some_and(Result::is_ok));
        assert_eq!(system.policy, CompilePolicy::Immediately(Effort::Quick));
    }

    #[test]
    fn a_narrow_frontier_means_least_effort() {
        let program = program(
            "byte x, y;
             active proctype P() { do :: x < 200 -> x++ od }
             active proctype Q() { do :: y < 20 -> y++ od }",
        );
        let system = Engine::new(&program).expect("no runtime error");
        assert_eq!(system.policy, CompilePolicy::Immediately(Effort::Least));
    }

    #[test]
    fn interpreted_engines_never_compile() {
        let program = program("int x; active proctype P() { do :: x++ od }");
        let system = Engine::interpreted(&program).expect("no runtime error");
        assert!(system.code.count_call(&system.packed).is_none());
        assert!(system.code_bytes().is_err());
    }
}
