//! Programs as machine code: Cranelift compiles the next-state function of a program, specialised for one packed
//! [`Layout`](model::layout::Layout).
//!
//! The code works on the words of states and makes all successors of a state in one call. It knows only what is
//! normal: whatever would be an error, or does not fit the layout, it merely notices, and the interpreter is asked about that state
//! instead. So a program has one meaning, and what is rare may be slow.
//!
//! Where to look: [`plan`] is what is known before code exists, [`value`] constants and intervals, [`function`] the writer
//! of one function, [`state_access`] packed words, [`shadow`] variables in registers, [`expression`] values, [`transition`] steps, [`channel`] and
//! [`dynamic_channel`] messages, [`rendezvous`], [`body`] d_steps, [`process`] `run` and the end of processes, [`event_trace`],
//! [`driver`] who moves when, [`compile`] the way to memory, [`awaited`] how long it is waited for, [`pieces`] on two threads, [`tiers`] when which code is made, [`memo`] what is done without, [`call`] the calls.

#![deny(unsafe_code)]

mod atoms;
mod awaited;
mod body;
mod call;
mod channel;
mod compile;
mod driver;
mod dynamic_channel;
mod event_trace;
mod expression;
mod function;
mod memo;
mod observe;
mod pieces;
mod plan;
mod process;
mod rendezvous;
mod shadow;
mod state_access;
mod tiers;
mod transition;
mod value;

pub use atoms::Atoms;
pub use compile::Failure;

use compile::Effort;
use model::RuntimeError;
use model::budget::{Budget, UNLIMITED};
use model::expression::Expr;
use model::interp::{Interpreter, PackedInterpreter, Patience};
use model::layout::{Layout, Profile, Recoder};
use model::program::Program;
use model::state::State;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tiers::{Demand, Tiers};

/// What computes successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Machine code, unless there are few states.
    Automatic,
    Code,
    /// The interpreter is asked about every state. So the reference semantics comes through the same door, and searches need to be
    /// compiled for one kind of system only.
    Interpreter,
}

/// A program compiled for a layout.
#[derive(Debug)]
pub struct Native<'a> {
    /// What the code asks when something is abnormal.
    packed: PackedInterpreter<'a>,
    code: Arc<Tiers>,
    /// When code is wanted.
    demand: Demand,
    invariants: Atoms,
    compile_time: Duration,
    /// States about which the interpreter was asked.
    asked: AtomicU64,
    /// Has room been made for values within steps?
    trusting: bool,
}

/// So often the interpreter is asked in vain before the layout is blamed.
const PATIENCE: u64 = 1000;
/// If one answer takes the interpreter longer than this, the layout is blamed at once: the steps are long ones.
const LONG_ANSWER: Duration = Duration::from_secs(1);

impl<'a> Native<'a> {
    /// Looks around with the interpreter, makes a layout and compiles; not yet if few states were seen and that was all. The error is one of
    /// making an initial state.
    pub fn new(program: &'a Program) -> Result<Native<'a>, RuntimeError> {
        Native::within(program, Wanted::Automatic, &UNLIMITED)
    }

    /// The same, but compiles whatever was seen.
    pub fn compiled(program: &'a Program) -> Result<Native<'a>, RuntimeError> {
        Native::within(program, Wanted::Code, &UNLIMITED)
    }

    /// Without machine code.
    pub fn interpreted(program: &'a Program) -> Result<Native<'a>, RuntimeError> {
        Native::within(program, Wanted::Interpreter, &UNLIMITED)
    }

    /// Any of these within a budget: what takes longer is left out, so that the system is there soon after the budget ends. Code that takes
    /// long to make is not waited for; until it is there the interpreter is asked. The error is one of making an
    /// initial state.
    pub fn within(program: &'a Program, wanted: Wanted, budget: &Budget) -> Result<Native<'a>, RuntimeError> {
        let look = Profile::first_look_within(&Interpreter::new(program), budget)?;
        let demand = match wanted {
            Wanted::Automatic => Demand::after(&look),
            Wanted::Code => Demand::Now(Effort::Quick),
            Wanted::Interpreter => Demand::Never,
        };
        Ok(Native::make(program, look.profile, demand, budget))
    }

    /// Compiles at once.
    pub fn with_profile(program: &'a Program, profile: Profile) -> Native<'a> {
        Native::make(program, profile, Demand::Now(Effort::Quick), &UNLIMITED)
    }

    /// The same with the code that is made where there seem to be not many states.
    pub fn simplest(program: &'a Program, profile: Profile) -> Native<'a> {
        Native::make(program, profile, Demand::Now(Effort::Least), &UNLIMITED)
    }

    fn make(program: &'a Program, profile: Profile, demand: Demand, budget: &Budget) -> Native<'a> {
        let packed = PackedInterpreter::with_profile(program, profile).within(budget.clone());
        let start = Instant::now();
        let conditions: Vec<Expr> =
            program.invariants.iter().map(|invariant| invariant.condition.clone()).collect();
        let code = Arc::new(Tiers::new(demand, &packed));
        let invariants = Atoms::new(demand, &packed, &conditions);
        let compile_time = start.elapsed();
        let asked = AtomicU64::new(0);
        Native { packed, code, demand, invariants, compile_time, asked, trusting: false }
    }

    /// The same, with another bound on how long a single d_step may run.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience<'a>) -> Native<'a> {
        self.packed = self.packed.with_patience(patience);
        self
    }

    /// The same system for another search: code that one makes both have.
    #[must_use]
    pub fn again(&self) -> Native<'a> {
        let packed = self.packed.clone();
        let invariants = Atoms::new(self.demand, &packed, self.invariants.conditions());
        let code = Arc::clone(&self.code);
        Native { packed, code, invariants, asked: AtomicU64::new(0), ..*self }
    }

    /// Now with the code that others get once they were asked often.
    #[must_use]
    pub fn optimised(self) -> Native<'a> {
        self.code.optimise(&self.packed);
        self
    }

    pub fn program(&self) -> &'a Program {
        self.packed.program()
    }

    pub fn layout(&self) -> &Layout {
        self.packed.layout()
    }

    pub fn packed(&self) -> &PackedInterpreter<'a> {
        &self.packed
    }

    pub fn decode(&self, state: &[u64]) -> State {
        self.packed.decode(state)
    }

    /// How long it took to make code, if it was made at once.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Bytes of machine code, made now if there is none yet, or why there is none; then everything is left to the interpreter.
    pub fn code_bytes(&self) -> Result<usize, Failure> {
        self.code.current(&self.packed).map(|code| code.bytes)
    }

    /// About how many states the interpreter was asked.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Compiles conditions on states.
    pub fn compile_atoms(&self, conditions: &[Expr]) -> Atoms {
        Atoms::new(self.demand, &self.packed, conditions)
    }

    /// Which of the conditions, compiled by this very system, hold in a state. See [`Atoms`].
    pub fn evaluate(&self, atoms: &Atoms, state: &[u64], results: &mut [u64]) -> Result<(), RuntimeError> {
        atoms.evaluate(&self.packed, state, results)
    }
}

impl System for Native<'_> {
    fn width(&self) -> Width {
        self.packed.width()
    }

    fn identity_bits(&self) -> Vec<u32> {
        self.packed.identity_bits()
    }

    fn expected_states(&self) -> Option<u64> {
        self.demand.expected_states()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        self.packed.initial_states()
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        if let Some(answer) = self.code.without_code(&self.packed, state, out) {
            return answer;
        }
        if let Some(code) = self.code.ask(&self.packed) {
            if code.expand(state, out.raw()) {
                return Ok(());
            }
            let asked = self.asked.fetch_add(1, Ordering::Relaxed);
            let (first, errors, start) = (out.len(), out.errors.len(), Instant::now());
            self.packed.successors(state, out)?;
            // The answer was not worth the question: some value within a step does not fit.
            let needless = out.errors.len() == errors;
            if needless && !self.trusting && (asked >= PATIENCE || start.elapsed() > LONG_ANSWER) {
                out.truncate(first);
                return Err(Box::new(Misfit { within: true, ..Misfit::default() }));
            }
            return Ok(());
        }
        self.packed.successors(state, out)
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
        let all = |results: &[u64]| (0..count).all(|number| results[number / 64] >> (number % 64) & 1 == 1);
        if self.invariants.evaluate(&self.packed, state, results).is_err() || !all(results) {
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

    fn is_state(&self, words: &[u64]) -> bool {
        self.packed.is_state(words)
    }

    fn has_step(&self, step: &Step) -> bool {
        self.packed.has_step(step)
    }

    fn is_spelled_state(&self, state: &State) -> bool {
        self.packed.is_spelled_state(state)
    }

    fn widened(&self, misfit: &Misfit) -> Self {
        // There was more to be seen than the first look saw.
        let demand = match self.demand {
            Demand::Above(_) => Demand::Now(Effort::Quick),
            other => other,
        };
        let profile = self.packed.wider_profile(misfit);
        let wide = Native::make(self.program(), profile, demand, self.packed.budget())
            .with_patience(self.packed.interpreter().patience());
        Native { trusting: self.trusting || misfit.within, ..wide }
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        self.packed.recoder(&narrow.packed)
    }
}
