//! The reference semantics on packed states: unpack, ask the interpreter, pack again. It shares with compiled engines
//! everything but the meaning of a step, which makes it their oracle.

use super::{Interpreter, Patience};
use crate::budget::Budget;
use crate::error::RuntimeError;
use crate::layout::{Layout, Profile, Recoder};
use crate::program::Program;
use crate::state::State;
use crate::system::{Misfit, Numbering, Step, StepCode, Successors, System, Width};

#[derive(Clone, Debug)]
pub struct PackedInterpreter<'a> {
    interpreter: Interpreter<'a>,
    numbering: Numbering,
    profile: Profile,
    layout: Layout,
    /// For a look around before the system is widened.
    budget: Budget,
}

impl<'a> PackedInterpreter<'a> {
    /// With a layout made after a look around.
    pub fn new(program: &'a Program) -> Result<PackedInterpreter<'a>, RuntimeError> {
        let look = Profile::first_look(&Interpreter::new(program))?;
        Ok(PackedInterpreter::with_profile(program, look.profile))
    }

    pub fn with_profile(program: &'a Program, profile: Profile) -> PackedInterpreter<'a> {
        let layout = Layout::new(program, &profile);
        let numbering = Numbering::new(program);
        let (interpreter, budget) = (Interpreter::new(program), Budget::default());
        PackedInterpreter { interpreter, numbering, profile, layout, budget }
    }

    /// The same system, which looks around only as long as the budget lasts when it is widened.
    #[must_use]
    pub fn within(self, budget: Budget) -> PackedInterpreter<'a> {
        PackedInterpreter { budget, ..self }
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The same, with another bound on how long a single d_step may run.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience<'a>) -> PackedInterpreter<'a> {
        self.interpreter = self.interpreter.with_patience(patience);
        self
    }

    pub fn interpreter(&self) -> &Interpreter<'a> {
        &self.interpreter
    }

    pub fn program(&self) -> &'a Program {
        self.interpreter.program()
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    pub fn decode(&self, state: &[u64]) -> State {
        self.layout.decode(self.program(), state)
    }

    /// The profile that has seen the misfit too, and what is near it.
    pub fn wider_profile(&self, misfit: &Misfit) -> Profile {
        let mut profile = self.profile.clone();
        profile.absorb(self.program(), &self.layout);
        let before = profile.clone();
        profile.look_around(&self.interpreter, &misfit.states, &self.budget);
        profile.be_generous(self.program(), &before);
        // What one process did others of its kind will do, each with a misfit of its own.
        profile.share(self.program());
        if misfit.within {
            profile.make_room_within_steps(self.program());
        }
        profile
    }
}

impl System for PackedInterpreter<'_> {
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
            self.layout.encode(state, &mut words).expect("every profile begins with the initial states");
            words
        };
        Ok(states.iter().map(pack).collect())
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        let state = self.decode(state);
        let mut successors = Vec::new();
        self.interpreter.successors(&state, &mut successors);
        let first = out.len();
        let mut words = Vec::with_capacity(self.layout.width.all);
        for successor in &successors {
            let mut code = self.numbering.encode_step(&successor.step);
            words.clear();
            match &successor.state {
                Some(next) => {
                    if next.exclusive.is_some() {
                        code.0 |= StepCode::TRANSIENT;
                    }
                    if self.layout.encode(next, &mut words).is_err() {
                        out.truncate(first);
                        let states = successors.into_iter().filter_map(|successor| successor.state).collect();
                        return Err(Box::new(Misfit { states, ..Misfit::default() }));
                    }
                }
                None => {
                    code.0 |= StepCode::STOPPED;
                    words.resize(self.layout.width.all, 0);
                }
            }
            let entry = out.len();
            out.push(code, &words);
            out.errors.extend(successor.errors.iter().map(|error| (entry, error.clone())));
        }
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

    fn is_state(&self, words: &[u64]) -> bool {
        self.layout.decode_untrusted(self.program(), words).is_some()
    }

    fn has_step(&self, step: &Step) -> bool {
        self.numbering.has_step(step)
    }

    fn is_spelled_state(&self, state: &State) -> bool {
        state.belongs_to(self.program())
    }

    fn widened(&self, misfit: &Misfit) -> Self {
        PackedInterpreter::with_profile(self.program(), self.wider_profile(misfit))
            .within(self.budget.clone())
            .with_patience(self.interpreter.patience())
    }

    fn recoder(&self, narrow: &Self) -> Recoder {
        Recoder::new(&narrow.layout, &self.layout)
    }
}
