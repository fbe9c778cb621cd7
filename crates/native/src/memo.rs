//! What the interpreter said about the states of a small program: each is asked about once, however often a search comes back to it. For few states
//! that takes less time than a compiler does.

use model::RuntimeError;
use model::interp::PackedInterpreter;
use model::system::{Misfit, Successors, System};
use rapidhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

#[derive(Debug)]
pub struct Memo {
    /// More states than this are not remembered.
    room: usize,
    known: RwLock<HashMap<Box<[u64]>, Answer, RandomState>>,
}

/// The successors of one state.
#[derive(Debug)]
struct Answer {
    entries: Box<[u64]>,
    /// With the entry, counted from the first of these.
    errors: Vec<(usize, RuntimeError)>,
}

impl Memo {
    pub fn new(room: usize) -> Memo {
        Memo { room, known: RwLock::default() }
    }

    /// The successors of a state; `None`, and nothing was asked, if it is one too many.
    pub fn successors(
        &self,
        packed: &PackedInterpreter<'_>,
        state: &[u64],
        out: &mut Successors,
    ) -> Option<Result<(), Box<Misfit>>> {
        let first = out.len();
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(state) {
            out.raw().extend_from_slice(&answer.entries);
            out.errors.extend(answer.errors.iter().map(|(entry, error)| (first + entry, error.clone())));
            return Some(Ok(()));
        }
        if known.len() >= self.room {
            return None;
        }
        drop(known);
        let (words, errors) = (out.raw().len(), out.errors.len());
        if let Err(misfit) = packed.successors(state, out) {
            return Some(Err(misfit));
        }
        let errors = out.errors[errors..].iter().map(|(entry, error)| (entry - first, error.clone()));
        let answer = Answer { errors: errors.collect(), entries: out.raw()[words..].into() };
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(state.into(), answer);
        Some(Ok(()))
    }
}
