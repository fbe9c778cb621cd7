//! The next-state trait: what a search sees of a program, whoever computes it.

use crate::error::RuntimeError;
use crate::program::ProcessTypeId;
use crate::state::Pid;
use std::hash::Hash;

/// One transition of one process, as taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    pub pid: Pid,
    pub process_type: ProcessTypeId,
    /// Where the process was.
    pub location: u32,
    /// Which of the location's transitions it took.
    pub transition: u32,
}

/// What happened between a state and its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    Move(Move),
    /// A send and the receive that meets it, as one.
    Rendezvous {
        send: Move,
        receive: Move,
    },
    /// A process in an atomic sequence could not go on and gave up control.
    Release(Pid),
    /// Not a step: the transition is not enabled, and finding that out was an error.
    Refused(Move),
}

/// A step and where it leads.
#[derive(Clone, Debug)]
pub struct Successor<State> {
    pub step: Step,
    /// `None` if an error stopped the step half way.
    pub state: Option<State>,
    /// What went wrong on the way; a failed assertion does not stop the step.
    pub errors: Vec<RuntimeError>,
}

/// Is this list of successors one of a state in which nothing can move?
pub fn nothing_moves<State>(successors: &[Successor<State>]) -> bool {
    successors.iter().all(|successor| matches!(successor.step, Step::Refused(_)))
}

/// A program that can be run: states and their successors.
pub trait System {
    type State: Clone + Eq + Hash;

    /// All initial states, or the error met while making one.
    fn initial_states(&self) -> Result<Vec<Self::State>, RuntimeError>;

    /// Appends the successors of `state` to `out`, always in the same order.
    fn successors(&self, state: &Self::State, out: &mut Vec<Successor<Self::State>>);

    /// Is this a state between the steps of an atomic sequence? Such states are passed through, not stored.
    fn is_transient(&self, state: &Self::State) -> bool;

    /// In a state without successors: may the system rest here?
    fn is_valid_end(&self, state: &Self::State) -> bool;

    /// Appends an error for each of the program's invariants that is false in `state`, or has no value in it.
    /// Meant for every state that is stored, the initial ones included.
    fn violated_invariants(&self, state: &Self::State, out: &mut Vec<RuntimeError>);

    /// Appends the state, packed; equal states give equal bytes. Only for states that are not transient.
    fn encode(&self, state: &Self::State, out: &mut Vec<u8>);

    /// The inverse of [`encode`](Self::encode), but for hidden variables, which become 0.
    fn decode(&self, bytes: &[u8]) -> Self::State;
}
