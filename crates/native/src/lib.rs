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
//! [`driver`] who moves when, [`compile`] the way to memory, [`tiers`] when which code is made, [`call`] the calls.

#![deny(unsafe_code)]

mod atoms;
mod body;
mod call;
mod channel;
mod compile;
mod driver;
mod dynamic_channel;
mod event_trace;
mod expression;
mod function;
mod observe;
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

use model::RuntimeError;
use model::expression::Expr;
use model::interp::{Interpreter, PackedInterpreter};
use model::layout::{Layout, Profile, Recoder};
use model::program::Program;
use model::state::State;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};
use plan::Plan;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tiers::Tiers;

/// A program compiled for a layout.
#[derive(Debug)]
pub struct Native<'a> {
    /// What the code asks when something is abnormal.
    packed: PackedInterpreter<'a>,
    code: Tiers,
    /// Code is not wanted.
    interpreted: bool,
    invariants: Atoms,
    compile_time: Duration,
    /// States about which the interpreter was asked.
    asked: AtomicU64,
    /// Has room been made for values within steps?
    trusting: bool,
}

/// So often the interpreter is asked in vain before the layout is blamed.
const PATIENCE: u64 = 1000;

impl<'a> Native<'a> {
    /// Looks around with the interpreter, makes a layout and compiles. The error is one of making an initial state.
    pub fn new(program: &'a Program) -> Result<Native<'a>, RuntimeError> {
        let profile = Profile::first_look(&Interpreter::new(program))?;
        Ok(Native::with_profile(program, profile))
    }

    /// Without machine code: the interpreter is asked about every state. So the reference semantics comes through the same
    /// door, and whoever searches needs to be compiled for one kind of system only.
    pub fn interpreted(program: &'a Program) -> Result<Native<'a>, RuntimeError> {
        let profile = Profile::first_look(&Interpreter::new(program))?;
        Ok(Native::make(program, profile, true))
    }

    pub fn with_profile(program: &'a Program, profile: Profile) -> Native<'a> {
        Native::make(program, profile, false)
    }

    fn make(program: &'a Program, profile: Profile, interpreted: bool) -> Native<'a> {
        let packed = PackedInterpreter::with_profile(program, profile);
        let start = Instant::now();
        let conditions: Vec<Expr> =
            program.invariants.iter().map(|invariant| invariant.condition.clone()).collect();
        let (code, invariants) = if interpreted {
            (Tiers::unwanted(), Atoms::interpreted(&conditions))
        } else {
            let plan = Plan::new(program, packed.layout(), packed.numbering());
            (Tiers::new(&plan), Atoms::new(&plan, &conditions))
        };
        let compile_time = start.elapsed();
        let asked = AtomicU64::new(0);
        Native { packed, code, interpreted, invariants, compile_time, asked, trusting: false }
    }

    /// Now with the code that others get once they were asked often.
    #[must_use]
    pub fn optimised(self) -> Native<'a> {
        self.code.optimise(&Plan::new(self.program(), self.packed.layout(), self.packed.numbering()));
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

    /// How long it took to make the first code.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Bytes of machine code, or why there is none; then everything is left to the interpreter.
    pub fn code_bytes(&self) -> Result<usize, &Failure> {
        self.code.current().map(|code| code.bytes)
    }

    /// About how many states the interpreter was asked.
    pub fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Compiles conditions on states.
    pub fn compile_atoms(&self, conditions: &[Expr]) -> Atoms {
        if self.interpreted {
            return Atoms::interpreted(conditions);
        }
        let plan = Plan::new(self.program(), self.packed.layout(), self.packed.numbering());
        Atoms::new(&plan, conditions)
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

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        self.packed.initial_states()
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        if let Some(code) = self.code.ask(&self.packed) {
            if code.expand(state, out.raw()) {
                return Ok(());
            }
            let asked = self.asked.fetch_add(1, Ordering::Relaxed);
            let (first, errors) = (out.len(), out.errors.len());
            self.packed.successors(state, out)?;
            // The answer was not worth the question: some value within a step does not fit.
            let needless = out.errors.len() == errors;
            if needless && !self.trusting && asked >= PATIENCE {
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

    fn widened(&self, misfit: &Misfit) -> Self {
        let wide = Native::make(self.program(), self.packed.wider_profile(misfit), self.interpreted);
        Native { trusting: self.trusting || misfit.within, ..wide }
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        self.packed.recoder(&narrow.packed)
    }
}
