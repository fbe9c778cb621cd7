//! The reference semantics on packed states: unpacks, calls the interpreter and packs the result.
//! It shares everything but the meaning of a step with the compiled engines, which makes it their
//! oracle.

use super::{Interpreter, Patience, StatePool};
use crate::budget::Budget;
use crate::error::RuntimeError;
use crate::layout::{Layout, Profile, Recoder};
use crate::program::Program;
use crate::state::State;
use crate::system::{Misfit, Numbering, Step, StepCode, Successor, Successors, Width};
use crate::system::{Repackable, SearchObserver, TransitionSystem};
use std::cell::Cell;

/// The interpreter with packed states.
#[derive(Clone, Debug)]
pub struct PackedInterpreter<'a> {
    interpreter: Interpreter<'a>,
    numbering: Numbering,
    profile: Profile,
    layout: Layout,
    /// Bounds the sampling before the layout is widened.
    budget: Budget,
}

impl<'a> PackedInterpreter<'a> {
    /// A system with a layout made from a sample.
    pub fn new(program: &'a Program) -> Result<PackedInterpreter<'a>, RuntimeError> {
        let look = Profile::sample(&Interpreter::new(program))?;
        Ok(PackedInterpreter::with_profile(program, look.profile))
    }

    /// A system with the layout of this profile.
    pub fn with_profile(program: &'a Program, profile: Profile) -> PackedInterpreter<'a> {
        let layout = Layout::new(program, &profile);
        let numbering = Numbering::new(program);
        let (interpreter, budget) = (Interpreter::new(program), Budget::default());
        PackedInterpreter { interpreter, numbering, profile, layout, budget }
    }

    /// Bounds the sampling before the layout is widened.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> PackedInterpreter<'a> {
        PackedInterpreter { budget, ..self }
    }

    /// The budget of sampling.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Replaces the limits on a single d_step.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience<'a>) -> PackedInterpreter<'a> {
        self.interpreter = self.interpreter.with_patience(patience);
        self
    }

    /// The interpreter on unpacked states.
    pub fn interpreter(&self) -> &Interpreter<'a> {
        &self.interpreter
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.interpreter.program()
    }

    /// The layout of the packed states.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The profile from which the layout was made.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The numbers of the transitions.
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The unpacked state.
    pub fn decode(&self, state: &[u64]) -> State {
        self.layout.decode(self.program(), state)
    }

    /// The profile extended by the misfit and by values sampled from it.
    pub fn wider_profile(&self, misfit: &Misfit) -> Profile {
        let mut profile = self.profile.clone();
        profile.absorb(self.program(), &self.layout);
        let before = profile.clone();
        profile.add_sample(&self.interpreter, &misfit.states, &self.budget);
        profile.anticipate(self.program(), &before);
        if misfit.inside_step {
            profile.cover_values_inside_steps(self.program());
        }
        profile
    }
}

/// Memory that one call leaves to the next one of the same thread.
#[derive(Default)]
struct Scratch {
    pool: StatePool,
    successors: Vec<Successor>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

impl TransitionSystem for PackedInterpreter<'_> {
    fn width(&self) -> Width {
        self.layout.width
    }

    fn identity_bits(&self) -> Vec<u32> {
        self.layout.identity_bits.clone()
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        let states = self.interpreter.initial_states()?;
        let pack = |state: &State| {
            let mut words = Vec::new();
            self.layout
                .encode(state, &mut words)
                .expect("every profile begins with the initial states");
            words
        };
        Ok(states.iter().map(pack).collect())
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        let Scratch { mut pool, mut successors } = SCRATCH.take();
        let mut unpacked = pool.take(self.program());
        self.layout.decode_into(state, &mut unpacked);
        self.interpreter.successors_reusing(&unpacked, &mut successors, &mut pool);
        let first = out.len();
        for successor in &mut successors {
            let mut code = self.numbering.encode_step(&successor.step);
            match &successor.state {
                Some(next) if next.exclusive.is_some() => code.0 |= StepCode::TRANSIENT,
                Some(_) => {}
                None => code.0 |= StepCode::STOPPED,
            }
            let entry = out.len();
            let fits = out.push_with(code, |words| match &successor.state {
                Some(next) => self.layout.encode_near(&unpacked, state, next, words).is_ok(),
                None => {
                    words.resize(words.len() + self.layout.width.all, 0);
                    true
                }
            });
            if !fits {
                out.truncate(first);
                let states =
                    successors.into_iter().filter_map(|successor| successor.state).collect();
                return Err(Box::new(Misfit { states, ..Misfit::default() }));
            }
            out.errors.extend(successor.errors.drain(..).map(|error| (entry, error)));
        }
        let states = successors.drain(..).filter_map(|successor| successor.state);
        states.chain([unpacked]).for_each(|state| pool.give(state));
        SCRATCH.set(Scratch { pool, successors });
        Ok(())
    }

    fn is_valid_end(&self, state: &[u64]) -> bool {
        self.interpreter.is_valid_end(&self.decode(state))
    }

    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>) {
        self.interpreter.violated_invariants(&self.decode(state), out);
    }

    fn has_invariants(&self) -> bool {
        !self.program().invariants.is_empty()
    }

    fn step(&self, code: StepCode) -> Step {
        self.numbering.decode_step(code)
    }

    fn transition_count(&self) -> usize {
        self.numbering.len()
    }
}

impl Repackable for PackedInterpreter<'_> {
    fn is_state(&self, words: &[u64]) -> bool {
        self.layout.decode_untrusted(self.program(), words).is_some()
    }

    fn has_step(&self, step: &Step) -> bool {
        self.numbering.has_step(step)
    }

    fn is_unpacked_state(&self, state: &State) -> bool {
        state.belongs_to(self.program())
    }

    fn widened(&self, misfit: &Misfit) -> Self {
        PackedInterpreter::with_profile(self.program(), self.wider_profile(misfit))
            .with_budget(self.budget.clone())
            .with_patience(self.interpreter.patience())
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        Recoder::new(&narrow.layout, &self.layout)
    }
}

impl SearchObserver for PackedInterpreter<'_> {}
