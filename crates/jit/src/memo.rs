//! Memoized successors of a small program, computed by the interpreter once per state. For few
//! states this takes less time than compiling.

use lariat_ir::RuntimeError;
use lariat_ir::interp::PackedInterpreter;
use lariat_ir::system::{Misfit, Successors, TransitionSystem};
use rapidhash::fast::RandomState;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

#[derive(Debug)]
pub struct SuccessorMemo {
    /// The most states that are memoized.
    capacity: usize,
    entries: RwLock<HashMap<Box<[u64]>, MemoEntry, RandomState>>,
}

/// The successors of one state.
#[derive(Debug)]
struct MemoEntry {
    words: Box<[u64]>,
    /// Each error with the index of its successor within this entry.
    errors: Vec<(usize, RuntimeError)>,
}

impl SuccessorMemo {
    pub fn new(capacity: usize) -> SuccessorMemo {
        SuccessorMemo { capacity, entries: RwLock::default() }
    }

    /// The successors of a state; `None`, with `out` unchanged, if the memo is full and does not
    /// contain the state.
    pub fn successors(
        &self,
        packed: &PackedInterpreter<'_>,
        state: &[u64],
        out: &mut Successors,
    ) -> Option<Result<(), Box<Misfit>>> {
        let first = out.len();
        let entries = self.entries.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(state) {
            out.raw().extend_from_slice(&entry.words);
            out.errors
                .extend(entry.errors.iter().map(|(index, error)| (first + index, error.clone())));
            return Some(Ok(()));
        }
        if entries.len() >= self.capacity {
            return None;
        }
        drop(entries);
        let (words, errors) = (out.raw().len(), out.errors.len());
        if let Err(misfit) = packed.successors(state, out) {
            return Some(Err(misfit));
        }
        let errors =
            out.errors[errors..].iter().map(|(index, error)| (index - first, error.clone()));
        let entry = MemoEntry { errors: errors.collect(), words: out.raw()[words..].into() };
        self.entries.write().unwrap_or_else(PoisonError::into_inner).insert(state.into(), entry);
        Some(Ok(()))
    }
}
