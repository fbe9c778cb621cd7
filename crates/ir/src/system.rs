//! The interface between engines, which compute successors, and searches.
//!
//! A packed state is a fixed number of machine words ([`Width`]). The [`layout`](crate::layout)
//! defines the meaning of the bits. A layout represents the values seen so far; a successor with
//! other values is reported as a [`Misfit`], and the search continues with a
//! [widened](Repackable::widened) system.
//!
//! | trait | owns |
//! |---|---|
//! | [`TransitionSystem`] | initial states, successors, end states, invariants; no side effects |
//! | [`Repackable`] | changes of the layout, and checks of states that come from a file |
//! | [`SearchObserver`] | reactions to events of a search; may have side effects |
//! | [`System`] | all three: the bound of the searches |

use crate::error::RuntimeError;
use crate::layout::Recoder;
use crate::program::ProcessTypeId;
use crate::state::State;

pub use crate::step::{Move, Numbering, Step, StepCode, Successor, nothing_moves};

/// The number of words of a packed state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Width {
    /// Words that identify the state: those that searches store and compare.
    pub identity: usize,
    /// All words: the identity first, then the words that only the successors depend on.
    pub all: usize,
}

/// A buffer of successors. An entry is a [`StepCode`] followed by the words of the state.
#[derive(Clone, Debug, Default)]
pub struct Successors {
    /// Words of an entry: one more than a state has.
    stride: usize,
    buffer: Vec<u64>,
    /// Errors and the indices of the entries that raised them.
    pub errors: Vec<(usize, RuntimeError)>,
}

impl Successors {
    /// An empty buffer for states of `width.all` words.
    pub fn new(width: Width) -> Successors {
        Successors { stride: width.all + 1, buffer: Vec::new(), errors: Vec::new() }
    }

    /// Removes all entries and errors.
    #[inline]
    pub fn clear(&mut self) {
        self.buffer.clear();
        self.errors.clear();
    }

    /// The number of entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.buffer.len() / self.stride
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Whether there are exactly `count` entries; unlike [`len`](Successors::len), this does not
    /// divide.
    #[inline]
    pub fn has(&self, count: usize) -> bool {
        self.buffer.len() == count * self.stride
    }

    /// The step of an entry.
    #[inline]
    pub fn code(&self, index: usize) -> StepCode {
        StepCode(self.buffer[index * self.stride])
    }

    /// All words of the state of an entry; meaningless if the step was
    /// [aborted](StepCode::is_stopped).
    #[inline]
    pub fn state(&self, index: usize) -> &[u64] {
        &self.buffer[index * self.stride + 1..(index + 1) * self.stride]
    }

    /// Appends an entry.
    #[inline]
    pub fn push(&mut self, code: StepCode, state: &[u64]) {
        debug_assert_eq!(state.len() + 1, self.stride);
        self.buffer.push(code.0);
        self.buffer.extend_from_slice(state);
    }

    /// Appends an entry whose words `append` adds to the buffer. Returns the result of `append`; if
    /// it is false, the last entry is incomplete.
    #[inline]
    pub(crate) fn push_with(
        &mut self,
        code: StepCode,
        append: impl FnOnce(&mut Vec<u64>) -> bool,
    ) -> bool {
        self.buffer.push(code.0);
        append(&mut self.buffer)
    }

    /// Keeps the first `len` entries.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        self.buffer.truncate(len * self.stride);
        if !self.errors.is_empty() {
            self.errors.retain(|(index, _)| *index < len);
        }
    }

    /// The underlying buffer, for engines that write entries directly.
    #[inline]
    pub fn raw(&mut self) -> &mut Vec<u64> {
        &mut self.buffer
    }

    /// Whether the entries from `first` on contain no step, only transitions whose guards failed.
    #[inline]
    pub fn nothing_moves(&self, first: usize) -> bool {
        (first..self.len()).all(|index| self.code(index).is_refused())
    }
}

/// States that the layout of a system cannot represent.
#[derive(Clone, Debug, Default)]
pub struct Misfit {
    /// The states.
    pub states: Vec<State>,
    /// An intermediate value of a step did not fit, so the wider layout must represent every value
    /// that the range analysis considers possible.
    pub inside_step: bool,
}

/// States and their successors. All methods are queries without side effects.
///
/// A counter modulo 3, which a search can explore:
///
/// ```
/// use lariat_ir::RuntimeError;
/// use lariat_ir::system::{
///     Misfit, Repackable, SearchObserver, StepCode, Successors, TransitionSystem, Width,
/// };
///
/// struct Counter;
///
/// impl TransitionSystem for Counter {
///     fn width(&self) -> Width {
///         Width { identity: 1, all: 1 }
///     }
///
///     fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
///         Ok(vec![vec![0]])
///     }
///
///     fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
///         out.push(StepCode::of_move(0, 0), &[(state[0] + 1) % 3]);
///         Ok(())
///     }
///
///     fn is_valid_end(&self, _: &[u64]) -> bool {
///         true
///     }
///
///     fn transition_count(&self) -> usize {
///         1
///     }
/// }
///
/// // The layout never changes, and nothing observes the search.
/// impl Repackable for Counter {}
/// impl SearchObserver for Counter {}
///
/// let mut successors = Successors::new(Counter.width());
/// Counter.successors(&[2], &mut successors).expect("every state fits");
/// assert_eq!((successors.len(), successors.state(0)), (1, &[0][..]));
/// ```
pub trait TransitionSystem: Sync {
    /// The number of words of a state.
    fn width(&self) -> Width;

    /// All initial states, or the error raised in computing one. They always fit the layout.
    ///
    /// # Errors
    /// Initialising the program failed.
    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError>;

    /// Appends the successors of `state`, in an order that depends on `state` only.
    ///
    /// # Errors
    /// A successor does not fit the layout; `out` is then unchanged.
    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>>;

    /// Whether `state`, which has no successors, is a valid end state and not a deadlock.
    fn is_valid_end(&self, state: &[u64]) -> bool;

    /// The number of transitions; the transitions in a [`StepCode`] have smaller numbers.
    fn transition_count(&self) -> usize;

    /// Decodes a step. By default the system is one process at one location, and the code is one of
    /// [`StepCode::of_move`].
    fn step(&self, code: StepCode) -> Step {
        let transition = code.transitions().next().unwrap_or(0);
        let process_type = ProcessTypeId(0);
        Step::Move(Move { pid: code.0 as u8, process_type, location: 0, transition })
    }

    /// Whether there are invariants.
    fn has_invariants(&self) -> bool {
        false
    }

    /// Appends an error for each invariant that is false in `state` or has no value in it.
    fn violated_invariants(&self, _state: &[u64], _out: &mut Vec<RuntimeError>) {}

    /// For each word of the identity, the number of its lowest bits that can be set.
    fn identity_bits(&self) -> Vec<u32> {
        vec![u64::BITS; self.width().identity]
    }

    /// An estimate of the number of reachable states, if there is one; it affects speed only.
    fn expected_states(&self) -> Option<u64> {
        None
    }
}

/// A system whose layout can change during a search.
///
/// The provided methods suit a system without [misfits](Misfit), which is never widened.
pub trait Repackable: TransitionSystem {
    /// Whether these words from an untrusted file have the form of a state. The other methods
    /// accept only words for which this holds.
    fn is_state(&self, words: &[u64]) -> bool {
        words.len() == self.width().all
    }

    /// Whether a state read from an untrusted file has the variables, processes and channels of the
    /// program, so that the system can be [widened](Repackable::widened) to pack it.
    fn is_unpacked_state(&self, _state: &State) -> bool {
        true
    }

    /// Whether the program has the transitions of this step from an untrusted file.
    fn has_step(&self, _step: &Step) -> bool {
        true
    }

    /// The same program in a layout that represents everything this layout does, and the misfit.
    #[must_use]
    fn widened(&self, _misfit: &Misfit) -> Self
    where
        Self: Sized,
    {
        unreachable!("a system without misfits is never widened")
    }

    /// Translates states of `narrow`, from which this system was widened. The input has all words
    /// of a state; words that were not stored are 0.
    fn recoder(&self, _narrow: &Self) -> Recoder
    where
        Self: Sized,
    {
        unreachable!("a system without misfits is never widened")
    }
}

/// Receives the events of a search and may have side effects. The provided methods ignore the
/// events.
pub trait SearchObserver {
    /// A search stores `state`; a search that forgets states may store one several times. Errors
    /// appended to `errors` are reported at this state.
    #[inline]
    fn state_stored(&self, _state: &[u64], _errors: &mut Vec<RuntimeError>) {}

    /// A search expanded a state in which no step is enabled.
    #[inline]
    fn no_step_enabled(&self, _state: &[u64]) {}

    /// A search continues with `wide` instead of this system.
    fn layout_widened(&self, _wide: &Self)
    where
        Self: Sized,
    {
    }

    /// The search found errors without runs to them; it begins again, in one thread, to find the
    /// runs.
    fn search_repeated(&self) {}
}

/// A system that can be searched. Implemented for every type with the three traits.
pub trait System: Repackable + SearchObserver {
    /// Appends the errors of a state that a search stores, and notifies the observer.
    #[inline]
    fn check_stored(&self, state: &[u64], errors: &mut Vec<RuntimeError>) {
        if self.has_invariants() {
            self.violated_invariants(state, errors);
        }
        self.state_stored(state, errors);
    }
}

impl<S: Repackable + SearchObserver> System for S {}
