//! The next-state trait: what a search sees of a program, whoever computes it.
//!
//! A state is a fixed number of machine words ([`Width`]): first those that say which state it is, then those that
//! say how it was reached and are needed to go on (who has atomic control, hidden variables). What the
//! bits mean is the [`layout`](crate::layout)'s business. A layout holds what has been seen so far; a state that does not
//! fit is a [`Misfit`], and the search goes on with a [widened](System::widened) system.

use crate::error::RuntimeError;
use crate::layout::Recoder;
use crate::program::{ProcessTypeId, Program};
use crate::state::{Pid, State};
use serde::{Deserialize, Serialize};

/// One transition of one process, as taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Move {
    pub pid: Pid,
    pub process_type: ProcessTypeId,
    /// Where the process was.
    pub location: u32,
    /// Which of the location's transitions it took.
    pub transition: u32,
}

/// What happened between a state and its successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

impl Step {
    /// Not a step of the system: nothing can move, and the run goes on forever in its last state. No process has the number
    /// that stands for nobody here.
    pub const STUTTER: Step = Step::Release(Pid::MAX);
}

/// A step of the reference semantics and where it leads.
#[derive(Clone, Debug)]
pub struct Successor {
    pub step: Step,
    /// `None` if an error stopped the step half way.
    pub state: Option<State>,
    /// What went wrong on the way; a failed assertion does not stop the step.
    pub errors: Vec<RuntimeError>,
}

/// Is this list of successors one of a state in which nothing can move?
pub fn nothing_moves(successors: &[Successor]) -> bool {
    successors.iter().all(|successor| matches!(successor.step, Step::Refused(_)))
}

/// The transitions of a program, numbered one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// By process type and location: the number of the first transition.
    first: Vec<Vec<u32>>,
    /// By number: process type, location, position.
    list: Vec<(ProcessTypeId, u32, u32)>,
}

impl Numbering {
    pub fn new(program: &Program) -> Numbering {
        let mut numbering = Numbering::default();
        for (kind, process_type) in program.process_types.iter().enumerate() {
            let mut first = Vec::with_capacity(process_type.locations.len());
            for (place, location) in process_type.locations.iter().enumerate() {
                first.push(numbering.list.len() as u32);
                // One for a location without transitions too: an error may arise before any is tried.
                for position in 0..location.transitions.len().max(1) {
                    numbering.list.push((ProcessTypeId(kind as u32), place as u32, position as u32));
                }
            }
            numbering.first.push(first);
        }
        numbering
    }

    /// How many transitions there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn number(&self, kind: ProcessTypeId, location: u32, position: u32) -> u32 {
        self.first[kind.index()][location as usize] + position
    }

    /// Are all transitions of the step those of the program?
    pub fn has_step(&self, step: &Step) -> bool {
        let has = |taken: &Move| {
            let first = self.first.get(taken.process_type.index());
            first.and_then(|first| first.get(taken.location as usize)).is_some_and(|first| {
                let number = *first as usize + taken.transition as usize;
                self.list.get(number) == Some(&(taken.process_type, taken.location, taken.transition))
            })
        };
        match step {
            Step::Move(taken) | Step::Refused(taken) => has(taken),
            Step::Rendezvous { send, receive } => has(send) && has(receive),
            Step::Release(_) => true,
        }
    }

    /// The transition with this number: process type, location, position.
    pub fn transition(&self, number: u32) -> (ProcessTypeId, u32, u32) {
        self.list[number as usize]
    }

    fn code(&self, taken: &Move) -> u64 {
        let number = self.number(taken.process_type, taken.location, taken.transition);
        debug_assert!(number < 1 << NUMBER_BITS, "the verifier limits the number of transitions");
        u64::from(number) << 8 | u64::from(taken.pid)
    }

    fn decode(&self, code: u64) -> Move {
        let (process_type, location, transition) =
            self.transition((code >> 8) as u32 & ((1 << NUMBER_BITS) - 1));
        Move { pid: code as u8, process_type, location, transition }
    }

    /// The step as one word.
    pub fn encode_step(&self, step: &Step) -> StepCode {
        StepCode(match step {
            Step::Move(taken) => self.code(taken),
            Step::Rendezvous { send, receive } => {
                StepCode::RENDEZVOUS | self.code(send) | self.code(receive) << MOVE_BITS
            }
            Step::Release(pid) => StepCode::RELEASE | u64::from(*pid),
            Step::Refused(taken) => StepCode::REFUSED | self.code(taken),
        })
    }

    pub fn decode_step(&self, code: StepCode) -> Step {
        match code.0 & StepCode::KIND {
            StepCode::RENDEZVOUS => {
                Step::Rendezvous { send: self.decode(code.0), receive: self.decode(code.0 >> MOVE_BITS) }
            }
            StepCode::RELEASE => Step::Release(code.0 as u8),
            StepCode::REFUSED => Step::Refused(self.decode(code.0)),
            _ => Step::Move(self.decode(code.0)),
        }
    }
}

const NUMBER_BITS: u32 = 22;
const MOVE_BITS: u32 = NUMBER_BITS + 8;

/// A [`Step`] in one word: in the low 30 bits the move (process number in the lowest 8, the transition's number above
/// them), in the next 30 the receive of a rendezvous, then the kind of step and two marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepCode(pub u64);

impl StepCode {
    pub const RENDEZVOUS: u64 = 1 << 60;
    pub const RELEASE: u64 = 2 << 60;
    pub const REFUSED: u64 = 3 << 60;
    pub const KIND: u64 = 3 << 60;
    /// The step leads to a state inside an atomic sequence, to be passed through and not stored.
    pub const TRANSIENT: u64 = 1 << 62;
    /// An error stopped the step half way: there is no state behind it.
    pub const STOPPED: u64 = 1 << 63;
    /// How far the receive of a rendezvous is shifted.
    pub const RECEIVE_SHIFT: u32 = MOVE_BITS;

    #[inline]
    pub fn is_transient(self) -> bool {
        self.0 & StepCode::TRANSIENT != 0
    }

    #[inline]
    pub fn is_stopped(self) -> bool {
        self.0 & StepCode::STOPPED != 0
    }

    #[inline]
    pub fn is_refused(self) -> bool {
        self.0 & StepCode::KIND == StepCode::REFUSED
    }

    /// How many moves the step consists of.
    #[inline]
    pub fn weight(self) -> u64 {
        match self.0 & StepCode::KIND {
            0 => 1,
            StepCode::RENDEZVOUS => 2,
            _ => 0,
        }
    }

    /// The numbers of the transitions taken.
    #[inline]
    pub fn transitions(self) -> impl Iterator<Item = u32> {
        let number = |code: u64| (code >> 8) as u32 & ((1 << NUMBER_BITS) - 1);
        let count = self.weight() as usize;
        [number(self.0), number(self.0 >> MOVE_BITS)].into_iter().take(count)
    }
}

/// How many words a state has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Width {
    /// The words that are stored and compared.
    pub identity: usize,
    /// All words; the others follow those of the identity.
    pub all: usize,
}

/// The successors of one or more states, one after the other in one buffer: for each its [`StepCode`], then
/// the words of the state.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// Words of one entry: one more than a state's.
    stride: usize,
    buffer: Vec<u64>,
    /// What went wrong, with the entry where it did; a failed assertion does not stop the step.
    pub errors: Vec<(usize, RuntimeError)>,
}

impl Successors {
    /// For states of `width.all` words.
    pub fn new(width: Width) -> Successors {
        Successors { stride: width.all + 1, buffer: Vec::new(), errors: Vec::new() }
    }

    #[inline]
    pub fn clear(&mut self) {
        self.buffer.clear();
        self.errors.clear();
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.buffer.len() / self.stride
    }

    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Are there just so many entries? Cheaper than asking how many there are.
    #[inline]
    pub fn has(&self, count: usize) -> bool {
        self.buffer.len() == count * self.stride
    }

    #[inline]
    pub fn code(&self, index: usize) -> StepCode {
        StepCode(self.buffer[index * self.stride])
    }

    /// All words of the state; meaningless if the step was stopped.
    #[inline]
    pub fn state(&self, index: usize) -> &[u64] {
        &self.buffer[index * self.stride + 1..(index + 1) * self.stride]
    }

    #[inline]
    pub fn push(&mut self, code: StepCode, state: &[u64]) {
        debug_assert_eq!(state.len() + 1, self.stride);
        self.buffer.push(code.0);
        self.buffer.extend_from_slice(state);
    }

    /// Keeps the first `len` entries.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.buffer.truncate(len * self.stride);
        if !self.errors.is_empty() {
            self.errors.retain(|(index, _)| *index < len);
        }
    }

    /// The buffer itself, for an engine that writes entries directly: entries of `stride` words.
    #[inline]
    pub fn raw(&mut self) -> &mut Vec<u64> {
        &mut self.buffer
    }

    /// Is the part from `first` on that of a state in which nothing can move?
    #[inline]
    pub fn nothing_moves(&self, first: usize) -> bool {
        (first..self.len()).all(|index| self.code(index).is_refused())
    }
}

/// States met that the layout has no room for.
#[derive(Clone, Debug, Default)]
pub struct Misfit {
    pub states: Vec<State>,
    /// Not these states are the trouble, but values within steps to them: make room for what is proven possible.
    pub within: bool,
}

/// A program that can be run: states and their successors.
pub trait System: Sync {
    fn width(&self) -> Width;

    /// For each word of the identity, how many of its lowest bits are ever set.
    fn identity_bits(&self) -> Vec<u32> {
        vec![u64::BITS; self.width().identity]
    }

    /// About how many states there are, if anything is known about it: for speed, never for truth.
    fn expected_states(&self) -> Option<u64> {
        None
    }

    /// All initial states, or the error met while making one. They always fit.
    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError>;

    /// Appends the successors of `state`, always in the same order. After a misfit `out` is as before.
    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>>;

    /// In a state without successors: may the system rest here?
    fn is_valid_end(&self, state: &[u64]) -> bool;

    /// Appends an error for each of the program's invariants that is false in `state`, or has no value in it.
    /// Meant for every state that is stored, the initial ones included.
    fn violated_invariants(&self, state: &[u64], out: &mut Vec<RuntimeError>);

    /// Are there any invariants?
    fn has_invariants(&self) -> bool;

    /// What the code stands for.
    fn step(&self, code: StepCode) -> Step;

    /// How many transitions the program has; their numbers are below.
    fn transition_count(&self) -> usize;

    /// Are these the words of a state, as far as their shape tells? To be asked about words from a file before any
    /// other method is given them.
    fn is_state(&self, words: &[u64]) -> bool {
        words.len() == self.width().all
    }

    /// The same for a spelled-out state, before the system is [widened](System::widened) for it.
    fn is_spelled_state(&self, _state: &State) -> bool {
        true
    }

    /// Does the program have the transitions of this step from a file?
    fn has_step(&self, _step: &Step) -> bool {
        true
    }

    /// The same program in a layout with room for everything this one has room for, and for the misfit.
    fn widened(&self, misfit: &Misfit) -> Self
    where
        Self: Sized;

    /// Translates states of `narrow`, from which this system was widened; all their words must be given, or 0 for those
    /// that are not stored.
    fn recoder(&self, narrow: &Self) -> Recoder
    where
        Self: Sized;
}
