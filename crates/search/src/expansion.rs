//! One state at a time: its successors that are stored states, with atomic sequences passed through. For the searches that
//! have no use for blocks and threads: the one with a real stack, and the one on disk.

use crate::atomic::{Broken, Visitor, Walk, Watch, check_finished};
use crate::outcome::Run;
use crate::predecessors::passage;
use crate::tally::Tally;
use model::RuntimeError;
use model::system::{StepCode, Successors, System, Width};
use rapidhash::fast::GlobalState;
use std::hash::BuildHasher;
use std::sync::atomic::AtomicBool;

/// What was met in expanding a state, and the steps from it that led there.
pub(crate) type Met = Vec<(RuntimeError, Vec<StepCode>)>;

/// The arrivals of one state, in order: for each the number of moves, then the words of the state. `NAMED`: and their names.
#[derive(Debug)]
pub(crate) struct Expansion<const NAMED: bool = false> {
    stride: usize,
    successors: Successors,
    walk: Walk,
    arrivals: Vec<u64>,
    names: Vec<u64>,
    /// Could something move in the state that was expanded last?
    moved: bool,
    pub met: Met,
}

impl<const NAMED: bool> Expansion<NAMED> {
    pub fn new(width: Width) -> Self {
        Expansion {
            stride: width.all + 1,
            successors: Successors::new(width),
            walk: Walk::new(width),
            arrivals: Vec::new(),
            names: Vec::new(),
            moved: false,
            met: Met::new(),
        }
    }

    /// Words of an arrival.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Could nothing move in the state that was expanded last?
    pub fn nothing_moved(&self) -> bool {
        !self.moved
    }

    pub fn arrivals(&self) -> &[u64] {
        &self.arrivals
    }

    /// What the arrivals are called, if they have names: in another state, one of the same steps has the same name. Different steps have the same name
    /// by accident only.
    pub fn names(&self) -> &[u64] {
        &self.names
    }

    /// The arrivals themselves, for somebody who needs them while the expansion is borrowed.
    pub fn take_arrivals(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.arrivals)
    }

    /// The list that was taken, so that it need not be allocated again.
    pub fn give_back(&mut self, arrivals: Vec<u64>) {
        self.arrivals = arrivals;
    }

    /// Expands a state, counting in `tally`.
    pub fn expand<S: System>(
        &mut self,
        system: &S,
        state: &[u64],
        tally: &mut Tally,
        stop: &AtomicBool,
    ) -> Result<(), Broken> {
        self.clear();
        self.expand_more(system, state, tally, stop)
    }

    /// Adds an arrival that is no move.
    pub fn arrive(&mut self, state: &[u64]) {
        self.arrivals.push(0);
        self.arrivals.extend_from_slice(state);
    }

    pub fn clear(&mut self) {
        self.arrivals.clear();
        self.names.clear();
        self.met.clear();
    }

    /// The same, keeping what was met and where states before led to.
    pub fn expand_more<S: System>(
        &mut self,
        system: &S,
        state: &[u64],
        tally: &mut Tally,
        stop: &AtomicBool,
    ) -> Result<(), Broken> {
        self.successors.clear();
        system.successors(state, &mut self.successors)?;
        check_finished(&self.successors)?;
        let errors = std::mem::take(&mut self.successors.errors);
        let entries = self.successors.raw().chunks_exact(self.stride);
        self.moved = entries.clone().any(|entry| !StepCode(entry[0]).is_refused());
        if !self.moved && !system.is_valid_end(state) {
            self.met.push((RuntimeError::InvalidEndState, Vec::new()));
        }
        let mut watch = Watch::default();
        for (index, entry) in entries.enumerate() {
            let code = StepCode(entry[0]);
            for (_, error) in errors.iter().filter(|(entry, _)| *entry == index) {
                self.met.push((error.clone(), vec![code]));
            }
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            tally.coverage.mark(code);
            let mut passing = Passing::<NAMED> {
                tally,
                arrivals: &mut self.arrivals,
                names: &mut self.names,
                met: &mut self.met,
            };
            if code.is_transient() {
                passing.atomic();
                self.walk.through(system, &entry[1..], code, &mut watch, stop, &mut passing)?;
            } else {
                passing.arrival(&entry[1..], &[code], code.weight());
            }
        }
        Ok(())
    }
}

fn name(codes: &[StepCode]) -> u64 {
    match codes {
        [code] => code.0,
        _ => GlobalState::new().hash_one(codes),
    }
}

struct Passing<'a, const NAMED: bool> {
    tally: &'a mut Tally,
    arrivals: &'a mut Vec<u64>,
    names: &'a mut Vec<u64>,
    met: &'a mut Met,
}

impl<const NAMED: bool> Visitor for Passing<'_, NAMED> {
    const WANTS_CODES: bool = NAMED;

    #[inline]
    fn taken(&mut self, code: StepCode) {
        self.tally.coverage.mark(code);
    }

    fn atomic(&mut self) {
        self.tally.atomic_steps += 1;
    }

    #[inline]
    fn arrival(&mut self, state: &[u64], codes: &[StepCode], moves: u64) {
        self.tally.transitions += 1;
        if NAMED {
            self.names.push(name(codes));
        }
        // Copying a few words one by one is quicker than to call somebody who copies many.
        match *state {
            [a] => self.arrivals.extend_from_slice(&[moves, a]),
            [a, b] => self.arrivals.extend_from_slice(&[moves, a, b]),
            [a, b, c] => self.arrivals.extend_from_slice(&[moves, a, b, c]),
            _ => {
                self.arrivals.push(moves);
                self.arrivals.extend_from_slice(state);
            }
        }
    }

    fn error(&mut self, error: &RuntimeError, codes: &[StepCode]) {
        self.met.push((error.clone(), codes.to_vec()));
    }

    fn endless(&mut self) {
        self.tally.endless_atomic = true;
    }
}

/// The run from an initial state by these arrivals, and on with these steps.
pub(crate) fn run_along<S: System>(
    system: &S,
    initial: usize,
    arrivals: impl IntoIterator<Item = u32>,
    codes: &[StepCode],
) -> Option<Run> {
    let mut state = system.initial_states().ok()?.into_iter().nth(initial)?;
    let mut steps = Vec::new();
    for arrival in arrivals {
        let (codes, next) = passage(system, &state, arrival)?;
        steps.extend(codes.iter().map(|code| system.step(*code)));
        state = next;
    }
    steps.extend(codes.iter().map(|code| system.step(*code)));
    Some(Run { initial, steps })
}
