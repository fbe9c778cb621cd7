//! The engine: a program's next-state function over packed states, computed by generated code with
//! the interpreter as fallback. Searches need to be compiled for this one type only: an engine that
//! never compiles is the reference interpreter behind the same interface.

use crate::atoms::Atoms;
use crate::call::SuccessorFunction;
use crate::compile::{CompileError, Effort};
use crate::late::HotUnit;
use crate::tiers::{CompilePolicy, Tiers};
use lariat_ir::RuntimeError;
use lariat_ir::budget::{Budget, UNLIMITED};
use lariat_ir::expression::Expr;
use lariat_ir::interp::{Interpreter, PackedInterpreter, Patience};
use lariat_ir::layout::{Layout, Profile, Recoder};
use lariat_ir::observe::Observable;
use lariat_ir::program::Program;
use lariat_ir::state::State;
use lariat_ir::system::{
    Misfit, Repackable, SearchObserver, Step, StepCode, Successors, TransitionSystem, Width,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How an engine computes successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// Compiles unless a first exploration finds few states.
    Automatic,
    /// Compiles at once.
    Compiled,
    /// Never compiles: the interpreter computes all successors.
    Interpreted,
}

/// A program in a packed layout, with its next-state function compiled or interpreted.
#[derive(Debug)]
pub struct Engine<'a> {
    /// Computes the successors of a state when there is no code or the code bails out.
    pub(crate) packed: PackedInterpreter<'a>,
    pub(crate) code: Arc<Tiers>,
    pub(crate) policy: CompilePolicy,
    invariants: Atoms,
    compile_time: Duration,
    /// States for which the code bailed out.
    fallbacks: AtomicU64,
    /// Whether the layout was widened for values that occur only within steps.
    intermediate_ranges_widened: bool,
}

/// Fallbacks without a runtime error after which the layout is widened for intermediate values.
const MAX_NEEDLESS_FALLBACKS: u64 = 1000;
/// A fallback that takes longer than this widens the layout at once: the program's steps are long.
const LONG_FALLBACK: Duration = Duration::from_secs(1);

impl<'a> Engine<'a> {
    /// Explores with the interpreter, chooses a layout, and compiles unless the exploration was
    /// complete after few states.
    ///
    /// # Errors
    /// A runtime error in an initial state.
    pub fn new(program: &'a Program) -> Result<Engine<'a>, RuntimeError> {
        Engine::with_budget(program, EngineKind::Automatic, &UNLIMITED)
    }

    /// An engine that compiles however few states there are.
    ///
    /// # Errors
    /// A runtime error in an initial state.
    pub fn compiled(program: &'a Program) -> Result<Engine<'a>, RuntimeError> {
        Engine::with_budget(program, EngineKind::Compiled, &UNLIMITED)
    }

    /// An engine that never compiles.
    ///
    /// # Errors
    /// A runtime error in an initial state.
    pub fn interpreted(program: &'a Program) -> Result<Engine<'a>, RuntimeError> {
        Engine::with_budget(program, EngineKind::Interpreted, &UNLIMITED)
    }

    /// An engine of a given kind, made within a budget. The first exploration stops with the
    /// budget. The call does not wait for code that takes long to compile; the interpreter computes
    /// successors until the code is ready.
    ///
    /// # Errors
    /// A runtime error in an initial state.
    pub fn with_budget(
        program: &'a Program,
        kind: EngineKind,
        budget: &Budget,
    ) -> Result<Engine<'a>, RuntimeError> {
        let sample = Profile::sample_within(&Interpreter::new(program), budget)?;
        let policy = match kind {
            EngineKind::Automatic => CompilePolicy::after(&sample),
            EngineKind::Compiled => CompilePolicy::Immediately(Effort::Quick),
            EngineKind::Interpreted => CompilePolicy::Never,
        };
        Ok(Engine::with_policy(program, sample.profile, policy, budget, Vec::new()))
    }

    /// An engine that compiles at once for the layout of a profile.
    pub fn with_profile(program: &'a Program, profile: Profile) -> Engine<'a> {
        let policy = CompilePolicy::Immediately(Effort::Quick);
        Engine::with_policy(program, profile, policy, &UNLIMITED, Vec::new())
    }

    /// As [`with_profile`](Engine::with_profile), with the code for programs that seem to have few
    /// states: compiled fastest, optimised least.
    pub fn with_least_effort(program: &'a Program, profile: Profile) -> Engine<'a> {
        let policy = CompilePolicy::Immediately(Effort::Least);
        Engine::with_policy(program, profile, policy, &UNLIMITED, Vec::new())
    }

    /// As [`with_profile`](Engine::with_profile), with the code for large programs: compiled
    /// location by location when it is needed. Under a limited budget a thread compiles, and the
    /// interpreter computes successors meanwhile.
    pub fn by_location(program: &'a Program, profile: Profile, budget: &Budget) -> Engine<'a> {
        Engine::with_policy(program, profile, CompilePolicy::ByLocation, budget, Vec::new())
    }

    pub(crate) fn with_policy(
        program: &'a Program,
        profile: Profile,
        policy: CompilePolicy,
        budget: &Budget,
        hot: Vec<HotUnit>,
    ) -> Engine<'a> {
        let packed = PackedInterpreter::with_profile(program, profile).with_budget(budget.clone());
        let start = Instant::now();
        let conditions: Vec<Expr> =
            program.invariants.iter().map(|invariant| invariant.condition.clone()).collect();
        let code = Arc::new(Tiers::new(policy, &packed, hot));
        let invariants = Atoms::new(policy, &packed, &conditions);
        Engine {
            packed,
            code,
            policy,
            invariants,
            compile_time: start.elapsed(),
            fallbacks: AtomicU64::new(0),
            intermediate_ranges_widened: false,
        }
    }

    /// Sets how long a single d_step may run.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience<'a>) -> Engine<'a> {
        self.packed = self.packed.with_patience(patience);
        self
    }

    /// Bounds the sampling before the layout is widened.
    #[must_use]
    pub fn within(mut self, budget: &Budget) -> Engine<'a> {
        self.packed = self.packed.with_budget(budget.clone());
        self
    }

    /// Another engine for the same program in the same layout. Both share their code.
    #[must_use]
    pub fn again(&self) -> Engine<'a> {
        let packed = self.packed.clone();
        let invariants = Atoms::new(self.policy, &packed, self.invariants.conditions());
        let code = Arc::clone(&self.code);
        Engine { packed, code, invariants, fallbacks: AtomicU64::new(0), ..*self }
    }

    /// Compiles the optimised code now. Other engines get it in the background, after many calls.
    #[must_use]
    pub fn optimised(self) -> Engine<'a> {
        self.code.optimise(&self.packed);
        self
    }

    /// The successors of a state for which the code bailed out.
    #[cold]
    fn fall_back(
        &self,
        code: &SuccessorFunction,
        state: &[u64],
        out: &mut Successors,
    ) -> Result<(), Box<Misfit>> {
        while let Some(unit) = code.missing_unit(out.raw()) {
            let waits = self.packed.budget().is_unlimited();
            if !code.late().is_some_and(|late| late.miss(unit, waits)) {
                return self.packed.successors(state, out);
            }
            if code.expand(state, out.raw()) {
                return Ok(());
            }
        }
        let fallbacks = self.fallbacks.fetch_add(1, Ordering::Relaxed);
        let (first, errors, start) = (out.len(), out.errors.len(), Instant::now());
        self.packed.successors(state, out)?;
        // All successors fit and no error occurred, so the code bailed out because of an
        // intermediate value within a step.
        let needless = out.errors.len() == errors;
        let costly = fallbacks >= MAX_NEEDLESS_FALLBACKS || start.elapsed() > LONG_FALLBACK;
        if needless && costly && !self.intermediate_ranges_widened {
            out.truncate(first);
            return Err(Box::new(Misfit { inside_step: true, ..Misfit::default() }));
        }
        Ok(())
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.packed.program()
    }

    /// The layout of the engine's states.
    pub fn layout(&self) -> &Layout {
        self.packed.layout()
    }

    /// The interpreter that the engine falls back on.
    pub fn packed(&self) -> &PackedInterpreter<'a> {
        &self.packed
    }

    /// The state that the words encode.
    pub fn decode(&self, state: &[u64]) -> State {
        self.packed.decode(state)
    }

    /// The compilation time of an engine that compiled when it was made.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// The size of the machine code. Compiles now if that has not happened yet.
    ///
    /// # Errors
    /// Why there is no code; then the interpreter computes all successors.
    pub fn code_bytes(&self) -> Result<usize, CompileError> {
        self.code.current(&self.packed).map(|code| code.bytes())
    }

    /// The number of states for which the code bailed out to the interpreter.
    pub fn fallbacks(&self) -> u64 {
        self.fallbacks.load(Ordering::Relaxed)
    }

    /// Compiles conditions on states.
    pub fn compile_atoms(&self, conditions: &[Expr]) -> Atoms {
        Atoms::new(self.policy, &self.packed, conditions)
    }

    /// Writes which conditions hold in a state: condition `i` is bit `i % 64` of word `i / 64` of
    /// `results`. This engine, or one made from it by [`again`](Engine::again), must have compiled
    /// the atoms.
    ///
    /// # Errors
    /// The first condition without a value, such as a division by zero.
    pub fn evaluate(
        &self,
        atoms: &Atoms,
        state: &[u64],
        results: &mut [u64],
    ) -> Result<(), RuntimeError> {
        atoms.evaluate(&self.packed, state, results)
    }
}

impl TransitionSystem for Engine<'_> {
    fn width(&self) -> Width {
        self.packed.width()
    }

    fn identity_bits(&self) -> Vec<u32> {
        self.packed.identity_bits()
    }

    fn expected_states(&self) -> Option<u64> {
        self.policy.expected_states()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        self.packed.initial_states()
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        if let Some(result) = self.code.memoized_successors(&self.packed, state, out) {
            return result;
        }
        match self.code.count_call(&self.packed) {
            Some(code) if code.expand(state, out.raw()) => Ok(()),
            Some(code) => self.fall_back(code, state, out),
            None => self.packed.successors(state, out),
        }
    }

    fn is_valid_end(&self, state: &[u64]) -> bool {
        self.packed.is_valid_end(state)
    }

    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        let count = self.program().invariants.len();
        if count == 0 {
            return;
        }
        let mut few = [0; 4];
        let mut many = Vec::new();
        let words = self.invariants.words();
        let results = match few.get_mut(..words) {
            Some(results) => results,
            None => {
                many.resize(words, 0);
                &mut many[..]
            }
        };
        let all_hold = |results: &[u64]| {
            (0..count).all(|number| results[number / 64] >> (number % 64) & 1 == 1)
        };
        if self.invariants.evaluate(&self.packed, state, results).is_err() || !all_hold(results) {
            self.packed.violated_invariants(state, out);
        }
    }

    fn has_invariants(&self) -> bool {
        self.packed.has_invariants()
    }

    fn step(&self, code: StepCode) -> Step {
        self.packed.step(code)
    }

    fn transition_count(&self) -> usize {
        self.packed.transition_count()
    }
}

impl Repackable for Engine<'_> {
    fn is_state(&self, words: &[u64]) -> bool {
        self.packed.is_state(words)
    }

    fn has_step(&self, step: &Step) -> bool {
        self.packed.has_step(step)
    }

    fn is_unpacked_state(&self, state: &State) -> bool {
        self.packed.is_unpacked_state(state)
    }

    fn widened(&self, misfit: &Misfit) -> Self {
        // The first exploration was not complete after all, so the program may have many states.
        let policy = match self.policy {
            CompilePolicy::AboveStates(_) => CompilePolicy::Immediately(Effort::Quick),
            other => other,
        };
        let profile = self.packed.wider_profile(misfit);
        let hot = self.code.hot_units(&self.packed);
        let wide = Engine::with_policy(self.program(), profile, policy, self.packed.budget(), hot)
            .with_patience(self.packed.interpreter().patience());
        Engine {
            intermediate_ranges_widened: self.intermediate_ranges_widened || misfit.inside_step,
            ..wide
        }
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        self.packed.recoder(&narrow.packed)
    }
}

impl SearchObserver for Engine<'_> {}

impl Observable for Engine<'_> {
    type Conditions = Atoms;

    fn conditions(&self, list: &[Expr]) -> Atoms {
        self.compile_atoms(list)
    }

    fn again(&self) -> Self {
        Engine::again(self)
    }

    fn observe(
        &self,
        conditions: &Atoms,
        state: &[u64],
        results: &mut [u64],
    ) -> Result<(), RuntimeError> {
        self.evaluate(conditions, state, results)
    }
}
