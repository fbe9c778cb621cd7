//! Calling generated code: the only unsafe code of this crate.

#![allow(unsafe_code)]

use crate::compile::{Compiled, Effort, Failure, Root, compile};
use crate::plan::Plan;
use cranelift_jit::JITModule;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

type Expand = extern "C" fn(*const u64, *mut u64, *mut u64) -> *mut u64;
type Evaluate = extern "C" fn(*const u64, *mut u64) -> u64;

/// Memory that holds code, and what the code reads.
struct Memory {
    /// Taken out when it is freed. The lock is never contended: nobody else asks for it.
    module: Mutex<Option<JITModule>>,
    _tables: Vec<Box<[i32]>>,
}

impl Drop for Memory {
    fn drop(&mut self) {
        let module = self.module.get_mut().map_or(None, Option::take);
        if let Some(module) = module {
            // SAFETY: pointers into this memory are only in the value that owns it and is being dropped, so no
            // call is under way and none can follow.
            unsafe { module.free_memory() };
        }
    }
}

impl Memory {
    fn new(module: JITModule, tables: Vec<Box<[i32]>>) -> Memory {
        Memory { module: Mutex::new(Some(module)), _tables: tables }
    }
}

/// The next-state function.
pub struct Code {
    expand: Expand,
    /// Words of a state.
    words: usize,
    /// How many entries one call may write.
    most_successors: usize,
    pub bytes: usize,
    _memory: Memory,
}

impl fmt::Debug for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Code {{ {} bytes }}", self.bytes)
    }
}

impl Code {
    pub fn new(plan: &Plan<'_>, effort: Effort, unwanted: &AtomicBool) -> Result<Code, Failure> {
        let Compiled { module, tables, entry, bytes } = compile(plan, &Root::Driver, effort, unwanted)?;
        // SAFETY: the entry is the driver, compiled with these parameters and the platform's calling convention.
        let expand = unsafe { std::mem::transmute::<*const u8, Expand>(entry) };
        let memory = Memory::new(module, tables);
        let words = plan.layout.width.all;
        Ok(Code { expand, words, most_successors: plan.most_successors, bytes, _memory: memory })
    }

    /// Appends the entries of all successors; false, and nothing appended, if something is abnormal.
    #[inline]
    pub fn expand(&self, state: &[u64], out: &mut Vec<u64>) -> bool {
        assert_eq!(state.len(), self.words, "a state has the layout's width");
        let room = self.most_successors * (self.words + 1);
        out.reserve(room);
        let start = out.len();
        // SAFETY: `state` has the words the code reads, and it writes no more than `room` words at the end of `out`: the
        // plan bounds how many entries a state can have, or has the code check against the limit.
        unsafe {
            let first = out.as_mut_ptr().add(start);
            let end = (self.expand)(state.as_ptr(), first, first.add(room));
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

/// A list of conditions on states.
pub struct Conditions {
    evaluate: Evaluate,
    words: usize,
    results: usize,
    _memory: Memory,
}

impl fmt::Debug for Conditions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Conditions")
    }
}

impl Conditions {
    pub fn new(
        plan: &Plan<'_>,
        conditions: &[&model::Expr],
        unwanted: &AtomicBool,
    ) -> Result<Conditions, Failure> {
        let root = Root::Atoms(conditions);
        let Compiled { module, tables, entry, .. } = compile(plan, &root, Effort::Quick, unwanted)?;
        // SAFETY: the entry is the function for conditions, compiled with these parameters and the platform's calling convention.
        let evaluate = unsafe { std::mem::transmute::<*const u8, Evaluate>(entry) };
        let memory = Memory::new(module, tables);
        let results = conditions.len().div_ceil(64);
        Ok(Conditions { evaluate, words: plan.layout.width.all, results, _memory: memory })
    }

    /// Which conditions hold, as bits; false if that must be found out otherwise.
    #[inline]
    pub fn evaluate(&self, state: &[u64], results: &mut [u64]) -> bool {
        assert_eq!(state.len(), self.words, "a state has the layout's width");
        assert_eq!(results.len(), self.results, "a bit for each condition");
        // The code reads the state and writes the results, whose lengths were just checked.
        (self.evaluate)(state.as_ptr(), results.as_mut_ptr()) != 0
    }
}
