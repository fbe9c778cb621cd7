//! Calls into generated code: the only unsafe code of this crate.
//!
//! [`SuccessorFunction`] and [`ConditionFunction`] own the executable memory of the function that
//! they call, and check the lengths of the slices that they pass to it.

#![allow(unsafe_code)]

use crate::compile::{CompileError, Effort, EntryPoint, LinkedCode, compile};
use crate::plan::Plan;
use cranelift_jit::JITModule;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// The generated function `(state, out, limit) -> end`, which writes the successors of a state.
///
/// # Safety
/// - `state` is valid for reading as many words as the layout has, and nothing writes to them
///   during the call.
/// - `out..limit` is valid for writing, does not overlap the state, and has room for the plan's
///   `max_successors` entries.
/// - The memory that holds the code, and the constant tables that the code reads, are not freed
///   during the call.
///
/// The function writes only within `out..limit` and returns the end of what it wrote, or null if it
/// bailed out; then the contents of `out..limit` are unspecified.
type RawSuccessorFunction = unsafe extern "C" fn(*const u64, *mut u64, *mut u64) -> *mut u64;

/// The generated function `(state, results) -> 0 or 1`, which evaluates a list of conditions.
///
/// # Safety
/// - `state` is valid for reading as many words as the layout has.
/// - `results` is valid for writing one bit for each condition, rounded up to whole words, and does
///   not overlap the state.
/// - The memory that holds the code, and the constant tables that the code reads, are not freed
///   during the call.
///
/// The function returns 0 if it bailed out; then the results are unspecified.
type RawConditionFunction = unsafe extern "C" fn(*const u64, *mut u64) -> u64;

/// Executable memory, and the constant tables that its code reads.
struct CodeMemory {
    /// Taken out when the memory is freed. The mutex only makes the type `Sync`; it is never
    /// locked.
    module: Mutex<Option<JITModule>>,
    _tables: Vec<Box<[i32]>>,
}

impl Drop for CodeMemory {
    fn drop(&mut self) {
        let module = self.module.get_mut().map_or(None, Option::take);
        if let Some(module) = module {
            // SAFETY: only the value that owns this memory holds pointers into it, and calls borrow
            // that value. It is being dropped, so no call is running and none can follow.
            unsafe { module.free_memory() };
        }
    }
}

impl CodeMemory {
    fn new(module: JITModule, tables: Vec<Box<[i32]>>) -> CodeMemory {
        CodeMemory { module: Mutex::new(Some(module)), _tables: tables }
    }
}

/// The compiled next-state function.
pub struct SuccessorFunction {
    function: RawSuccessorFunction,
    /// Words of a state.
    words: usize,
    /// The most entries that one call writes.
    max_successors: usize,
    pub bytes: usize,
    _memory: CodeMemory,
}

impl fmt::Debug for SuccessorFunction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SuccessorFunction {{ {} bytes }}", self.bytes)
    }
}

impl SuccessorFunction {
    pub fn new(
        plan: &Plan<'_>,
        effort: Effort,
        cancelled: &AtomicBool,
    ) -> Result<SuccessorFunction, CompileError> {
        let LinkedCode { module, tables, entry, bytes } =
            compile(plan, &EntryPoint::Successors, effort, cancelled)?;
        // SAFETY: `entry` is the start of the driver, which was compiled with three pointer
        // parameters, one pointer result and the platform's C calling convention.
        let function = unsafe { std::mem::transmute::<*const u8, RawSuccessorFunction>(entry) };
        Ok(SuccessorFunction {
            function,
            words: plan.layout.width.all,
            max_successors: plan.max_successors,
            bytes,
            _memory: CodeMemory::new(module, tables),
        })
    }

    /// Appends the entries of all successors. Returns false, and appends nothing, if the code
    /// bailed out.
    #[inline]
    pub fn expand(&self, state: &[u64], out: &mut Vec<u64>) -> bool {
        assert_eq!(state.len(), self.words, "a state has the layout's width");
        let room = self.max_successors * (self.words + 1);
        out.reserve(room);
        let start = out.len();
        // SAFETY: `state` has `words` words (asserted), as many as the code reads. `reserve` made
        // `room` words after `start` valid for writing, and the code writes no others: the plan
        // either bounds the number of entries by `max_successors` or makes the code compare with
        // the limit. `out` is borrowed mutably, so it does not overlap `state`. `self` owns the
        // code. The code initialized the words up to `end`, so they may be part of the vector.
        unsafe {
            let first = out.as_mut_ptr().add(start);
            let end = (self.function)(state.as_ptr(), first, first.add(room));
            if end.is_null() {
                return false;
            }
            let written = end.offset_from(first) as usize;
            debug_assert!(written <= room);
            out.set_len(start + written);
        }
        true
    }
}

/// A compiled list of conditions on states.
pub struct ConditionFunction {
    function: RawConditionFunction,
    /// Words of a state.
    words: usize,
    result_words: usize,
    _memory: CodeMemory,
}

impl fmt::Debug for ConditionFunction {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ConditionFunction")
    }
}

impl ConditionFunction {
    pub fn new(
        plan: &Plan<'_>,
        conditions: &[&lariat_ir::Expr],
        cancelled: &AtomicBool,
    ) -> Result<ConditionFunction, CompileError> {
        let entry_point = EntryPoint::Conditions(conditions);
        let LinkedCode { module, tables, entry, .. } =
            compile(plan, &entry_point, Effort::Quick, cancelled)?;
        // SAFETY: `entry` is the start of the function for conditions, which was compiled with two
        // pointer parameters, one 64-bit result and the platform's C calling convention.
        let function = unsafe { std::mem::transmute::<*const u8, RawConditionFunction>(entry) };
        Ok(ConditionFunction {
            function,
            words: plan.layout.width.all,
            result_words: conditions.len().div_ceil(64),
            _memory: CodeMemory::new(module, tables),
        })
    }

    /// Writes which conditions hold, as bits. Returns false if the code bailed out.
    #[inline]
    pub fn evaluate(&self, state: &[u64], results: &mut [u64]) -> bool {
        assert_eq!(state.len(), self.words, "a state has the layout's width");
        assert_eq!(results.len(), self.result_words, "one bit for each condition");
        // SAFETY: `state` and `results` have the lengths that the code was compiled for (asserted),
        // do not overlap because `results` is borrowed mutably, and `self` owns the code.
        unsafe { (self.function)(state.as_ptr(), results.as_mut_ptr()) != 0 }
    }
}
