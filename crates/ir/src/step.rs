//! Steps of a program: their readable form ([`Step`]), their one-word form ([`StepCode`]), and
//! [`Numbering`], which numbers a program's transitions and translates between the two forms.

use crate::error::RuntimeError;
use crate::program::{ProcessTypeId, Program};
use crate::state::{Pid, State};
use serde::{Deserialize, Serialize};

/// One transition taken by one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Move {
    /// The process that moves.
    pub pid: Pid,
    /// The type of that process.
    pub process_type: ProcessTypeId,
    /// The location that the process leaves.
    pub location: u32,
    /// The position of the transition among the location's transitions.
    pub transition: u32,
}

/// The step from a state to a successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// One process takes a transition.
    Move(Move),
    /// A send on a rendezvous channel and the matching receive, as one step.
    Rendezvous {
        /// The transition of the sender.
        send: Move,
        /// The transition of the receiver.
        receive: Move,
    },
    /// A process inside an atomic sequence is blocked and gives up exclusive control.
    Release(Pid),
    /// Not a step: evaluating the guard of this transition failed, so it is not enabled.
    Refused(Move),
}

impl Step {
    /// The repetition of the last state of a finite run, which extends it to an infinite run.
    /// No process has the number [`Pid::MAX`].
    pub const STUTTER: Step = Step::Release(Pid::MAX);
}

/// A step of the reference semantics and the state after it.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The step.
    pub step: Step,
    /// The state after the step; `None` if an error aborted the step.
    pub state: Option<State>,
    /// Errors raised by the step; a failed assertion does not abort it.
    pub errors: Vec<RuntimeError>,
}

/// Whether these successors contain no step, only transitions whose guards failed.
pub fn nothing_moves(successors: &[Successor]) -> bool {
    successors.iter().all(|successor| matches!(successor.step, Step::Refused(_)))
}

/// Consecutive numbers for the transitions of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// By process type and location: the number of the first transition.
    first: Vec<Vec<u32>>,
    /// By number: process type, location, position.
    list: Vec<(ProcessTypeId, u32, u32)>,
}

impl Numbering {
    /// Numbers the transitions by process type, location and position.
    pub fn new(program: &Program) -> Numbering {
        let mut numbering = Numbering::default();
        for (kind, process_type) in program.process_types.iter().enumerate() {
            let mut first = Vec::with_capacity(process_type.locations.len());
            for (place, location) in process_type.locations.iter().enumerate() {
                first.push(numbering.list.len() as u32);
                // A location without transitions gets a number too, because an error can be raised
                // there before any transition is tried.
                for position in 0..location.transitions.len().max(1) {
                    numbering.list.push((
                        ProcessTypeId(kind as u32),
                        place as u32,
                        position as u32,
                    ));
                }
            }
            numbering.first.push(first);
        }
        numbering
    }

    /// The number of transitions.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether the program has no transition.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The number of a transition.
    pub fn number(&self, kind: ProcessTypeId, location: u32, position: u32) -> u32 {
        self.first[kind.index()][location as usize] + position
    }

    /// Whether the program has all transitions of the step.
    pub fn has_step(&self, step: &Step) -> bool {
        let has = |taken: &Move| {
            let first = self.first.get(taken.process_type.index());
            first.and_then(|first| first.get(taken.location as usize)).is_some_and(|first| {
                let number = *first as usize + taken.transition as usize;
                self.list.get(number)
                    == Some(&(taken.process_type, taken.location, taken.transition))
            })
        };
        match step {
            Step::Move(taken) | Step::Refused(taken) => has(taken),
            Step::Rendezvous { send, receive } => has(send) && has(receive),
            Step::Release(_) => true,
        }
    }

    /// The process type, location and position of the transition with this number.
    pub fn transition(&self, number: u32) -> (ProcessTypeId, u32, u32) {
        self.list[number as usize]
    }

    fn code(&self, taken: &Move) -> u64 {
        let number = self.number(taken.process_type, taken.location, taken.transition);
        debug_assert!(number < 1 << NUMBER_BITS, "the verifier limits the number of transitions");
        StepCode::of_move(taken.pid, number).0
    }

    fn decode(&self, code: u64) -> Move {
        let (process_type, location, transition) =
            self.transition((code >> 8) as u32 & ((1 << NUMBER_BITS) - 1));
        Move { pid: code as u8, process_type, location, transition }
    }

    /// Encodes a step in one word.
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

    /// Decodes the word that [`encode_step`](Numbering::encode_step) produced.
    pub fn decode_step(&self, code: StepCode) -> Step {
        match code.0 & StepCode::KIND {
            StepCode::RENDEZVOUS => Step::Rendezvous {
                send: self.decode(code.0),
                receive: self.decode(code.0 >> MOVE_BITS),
            },
            StepCode::RELEASE => Step::Release(code.0 as u8),
            StepCode::REFUSED => Step::Refused(self.decode(code.0)),
            _ => Step::Move(self.decode(code.0)),
        }
    }
}

const NUMBER_BITS: u32 = 22;
const MOVE_BITS: u32 = NUMBER_BITS + 8;

/// A [`Step`] in one word. Bits 0 to 29 hold the move (the process number in the lowest 8, the
/// number of the transition above), bits 30 to 59 the receive of a rendezvous, bits 60 and 61 the
/// kind of step, and bits 62 and 63 the flags [`TRANSIENT`](StepCode::TRANSIENT) and
/// [`STOPPED`](StepCode::STOPPED).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepCode(pub u64);

impl StepCode {
    /// Kind of step: a rendezvous.
    pub const RENDEZVOUS: u64 = 1 << 60;
    /// Kind of step: a blocked process gives up exclusive control.
    pub const RELEASE: u64 = 2 << 60;
    /// Kind of step: a transition whose guard failed.
    pub const REFUSED: u64 = 3 << 60;
    /// Mask of the kind of step; 0 is a move of one process.
    pub const KIND: u64 = 3 << 60;
    /// The successor is inside an atomic sequence: searches expand it and do not store it.
    pub const TRANSIENT: u64 = 1 << 62;
    /// An error aborted the step: there is no successor.
    pub const STOPPED: u64 = 1 << 63;
    /// The lowest bit of the receive of a rendezvous.
    pub const RECEIVE_SHIFT: u32 = MOVE_BITS;

    /// The code of a move of process `pid` by the transition with this number, which must be below
    /// 2²².
    pub fn of_move(pid: Pid, transition: u32) -> StepCode {
        StepCode(u64::from(transition) << 8 | u64::from(pid))
    }

    /// Whether the successor is inside an atomic sequence.
    #[inline]
    pub fn is_transient(self) -> bool {
        self.0 & StepCode::TRANSIENT != 0
    }

    /// Whether an error aborted the step.
    #[inline]
    pub fn is_stopped(self) -> bool {
        self.0 & StepCode::STOPPED != 0
    }

    /// Whether this is no step, but a transition whose guard failed.
    #[inline]
    pub fn is_refused(self) -> bool {
        self.0 & StepCode::KIND == StepCode::REFUSED
    }

    /// The number of transitions that the step takes.
    #[inline]
    pub fn weight(self) -> u64 {
        match self.0 & StepCode::KIND {
            0 => 1,
            StepCode::RENDEZVOUS => 2,
            _ => 0,
        }
    }

    /// The numbers of the transitions that the step takes.
    #[inline]
    pub fn transitions(self) -> impl Iterator<Item = u32> {
        let number = |code: u64| (code >> 8) as u32 & ((1 << NUMBER_BITS) - 1);
        let count = self.weight() as usize;
        [number(self.0), number(self.0 >> MOVE_BITS)].into_iter().take(count)
    }
}
