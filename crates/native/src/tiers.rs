//! Code in tiers: none for a program of few states, about which the interpreter is asked (`memo.rs`); made quickly where somebody waits for it, all the more if there
//! seem to be not many states; and made well in the background once the search turns out to be long. So a small model does not wait for a compiler that would pay for itself only later,
//! and a large one does not go without it.

use crate::awaited::Awaited;
use crate::call::Code;
use crate::compile::{Effort, Failure};
use crate::memo::Memo;
use crate::plan::Plan;
use model::interp::PackedInterpreter;
use model::layout::{Extent, FirstLook};
use model::system::{Misfit, Successors};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// A search is long that has asked about so many states: what better code would have saved until then is about what it costs to make.
const LONG: u32 = 1 << 18;
/// So many questions are counted at once.
const COUNTED: u32 = 1 << 8;
/// To ask the interpreter about so many states takes about as long as to compile a program.
const FEW_STATES: usize = 1000;
/// A look around that ends with fewer than this part of its states on the edge has mostly seen much of what there is: the edge of a large state space is broad. If not, better code comes soon (`LONG`).
const BROAD: usize = 5;
/// Where the edge is broad there are at least so many states, more often than not.
const MANY_STATES: u64 = 40_000;

/// When code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// At once.
    Now(Effort),
    /// When there turn out to be more states than this.
    Above(usize),
    Never,
}

impl Demand {
    /// After a first look at a program.
    pub fn after(look: &FirstLook) -> Demand {
        let Extent { states, edge } = look.extent;
        match edge {
            0 if states <= FEW_STATES => Demand::Above(states),
            _ if edge < states / BROAD => Demand::Now(Effort::Least),
            _ => Demand::Now(Effort::Quick),
        }
    }

    /// How many states the look promised, if it promised anything.
    pub fn expected_states(self) -> Option<u64> {
        match self {
            Demand::Above(states) => Some(states as u64),
            Demand::Now(Effort::Quick | Effort::Best) => Some(MANY_STATES),
            Demand::Now(Effort::Least) | Demand::Never => None,
        }
    }
}

thread_local! {
    /// Questions that this thread asked and that are not counted yet. What all threads read for every state, none may write for every
    /// state: each would wait for the others' caches.
    static UNCOUNTED: Cell<u32> = const { Cell::new(0) };
}

/// The next-state function, as good as it is by now.
#[derive(Debug)]
pub struct Tiers {
    memo: Option<Memo>,
    /// For the code that is waited for.
    effort: Effort,
    quick: Awaited<Result<Code, Failure>>,
    /// About how often the quick code was asked, until the search is long.
    asked: AtomicU32,
    /// Better code is on its way.
    ordered: AtomicBool,
    best: Arc<OnceLock<Code>>,
}

impl Tiers {
    pub fn new(demand: Demand, packed: &PackedInterpreter<'_>) -> Tiers {
        let memo = if let Demand::Above(states) = demand { Some(Memo::new(states)) } else { None };
        let effort = if let Demand::Now(effort) = demand { effort } else { Effort::Quick };
        let tiers = Tiers {
            memo,
            effort,
            quick: Awaited::default(),
            asked: AtomicU32::new(0),
            ordered: AtomicBool::new(false),
            best: Arc::default(),
        };
        match demand {
            Demand::Now(_) => {
                tiers.quick(packed);
            }
            Demand::Above(_) => {}
            Demand::Never => {
                tiers.quick.set(Err(Failure::new("it is not wanted")));
            }
        }
        tiers
    }

    /// The best code there is, or why there is none.
    pub fn current(&self, packed: &PackedInterpreter<'_>) -> Result<&Code, Failure> {
        match (self.best.get(), self.quick(packed)) {
            (Some(code), _) | (None, Some(Ok(code))) => Ok(code),
            (None, Some(Err(failure))) => Err(failure.clone()),
            (None, None) => Err(Failure::new("it takes long")),
        }
    }

    fn quick(&self, packed: &PackedInterpreter<'_>) -> Option<&Result<Code, Failure>> {
        let effort = self.effort;
        self.quick.get_or_make(packed, move |plan, unwanted| Code::new(plan, effort, unwanted))
    }

    /// The successors of a state if there is no need for code yet, as there are few states.
    #[inline]
    pub fn without_code(
        &self,
        packed: &PackedInterpreter<'_>,
        state: &[u64],
        out: &mut Successors,
    ) -> Option<Result<(), Box<Misfit>>> {
        let memo = self.memo.as_ref().filter(|_| self.quick.get().is_none())?;
        memo.successors(packed, state, out)
    }

    /// The code to ask, or none if there is none to be had: the system whose code this is gets better code if it is asked often.
    #[inline]
    pub fn ask(&self, packed: &PackedInterpreter<'_>) -> Option<&Code> {
        if let Some(best) = self.best.get() {
            return Some(best);
        }
        let quick = self.quick(packed)?.as_ref().ok()?;
        let uncounted = UNCOUNTED.get() + 1;
        UNCOUNTED.set(uncounted % COUNTED);
        if uncounted == COUNTED {
            self.count(packed);
        }
        Some(quick)
    }

    /// A thread has asked so often again, this system or another.
    #[cold]
    fn count(&self, packed: &PackedInterpreter<'_>) {
        if self.asked.load(Ordering::Relaxed) < LONG
            && self.asked.fetch_add(COUNTED, Ordering::Relaxed) + COUNTED >= LONG
            && !self.ordered.swap(true, Ordering::Relaxed)
        {
            self.optimise_in_the_background(packed);
        }
    }

    /// Makes the better code at once.
    pub fn optimise(&self, packed: &PackedInterpreter<'_>) {
        let make = || Code::new(&Plan::of(packed), Effort::Best, &AtomicBool::new(false));
        if let (Some(Ok(_)), Ok(code)) = (self.quick(packed), make()) {
            let _ = self.best.set(code);
        }
    }

    /// Whoever searches goes on meanwhile, and ends without waiting. If there is no thread to be had, the code stays as it is.
    fn optimise_in_the_background(&self, packed: &PackedInterpreter<'_>) {
        let (best, unwanted) = (Arc::clone(&self.best), self.quick.unwanted());
        let (program, layout) = (packed.program().clone(), packed.layout().clone());
        let numbering = packed.numbering().clone();
        let _ = std::thread::Builder::new().name("optimise".into()).spawn(move || {
            let plan = Plan::new(&program, &layout, &numbering);
            if let Ok(code) = Code::new(&plan, Effort::Best, &unwanted) {
                let _ = best.set(code);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Native;
    use model::layout::Profile;
    use model::system::System;
    use model::{Interpreter, Program};

    fn program(text: &str) -> Program {
        let loader = promela::MemoryLoader::new().with("m.pml", text);
        promela::compile(&loader, "m.pml", &[]).program.expect("a model")
    }

    #[test]
    fn few_states_are_left_to_the_interpreter() {
        let text = "byte x; active [2] proctype P() { do :: x = (x + 1) % 6; assert(x < 4) od }";
        let program = program(text);
        let system = Native::new(&program).expect("it has an initial state");
        let compiled = Native::with_profile(&program, system.packed.profile().clone());
        let mut states = system.initial_states().expect("it has one");
        let mut next = 0;
        while next < states.len() {
            let mut answers = Vec::new();
            // The second time it is remembered, and stands behind what was asked before.
            for system in [&system, &system, &compiled] {
                let mut out = Successors::new(system.width());
                system.successors(&states[0], &mut out).expect("it fits");
                system.successors(&states[next], &mut out).expect("it fits");
                answers.push((out.raw().clone(), out.errors));
            }
            assert_eq!(answers[0], answers[1]);
            assert_eq!(answers[0], answers[2]);
            let mut out = Successors::new(system.width());
            system.successors(&states[next], &mut out).expect("it fits");
            for entry in 0..out.len() {
                let state = out.state(entry).to_vec();
                if !states.contains(&state) {
                    states.push(state);
                }
            }
            next += 1;
        }
        assert!(system.code.quick.get().is_none(), "nobody needs code");
    }

    #[test]
    fn more_states_than_expected_get_code() {
        let program = program("byte x; active proctype P() { do :: x++ od }");
        let look = Profile::first_look(&Interpreter::new(&program)).expect("it has an initial state");
        assert_eq!(look.extent, Extent { states: 256, edge: 0 });
        let system = Native::make(&program, look.profile, Demand::Above(100), &model::budget::UNLIMITED);
        let mut state = system.initial_states().expect("it has one").remove(0);
        for number in 0..256 {
            assert_eq!(system.code.quick.get().is_some(), number > 100, "{number}");
            let mut out = Successors::new(system.width());
            system.successors(&state, &mut out).expect("it fits");
            assert_eq!(out.len(), 1);
            state = out.state(0).to_vec();
        }
        assert_eq!(state, system.initial_states().expect("it has one")[0]);
    }

    #[test]
    fn many_states_get_code_at_once() {
        let program = program(
            "int a, b, c, d, e, f; active proctype P() { do :: a++ :: b++ :: c++ :: d++ :: e++ :: f++ od }",
        );
        let system = Native::new(&program).expect("it has an initial state");
        assert!(system.code.quick.get().is_some_and(Result::is_ok));
        assert_eq!(system.demand, Demand::Now(Effort::Quick));
    }

    #[test]
    fn not_many_states_get_simple_code() {
        let program = program(
            "byte x, y; active proctype P() { do :: x < 200 -> x++ od } active proctype Q() { do :: y < 20 -> y++ od }",
        );
        let system = Native::new(&program).expect("it has an initial state");
        assert_eq!(system.demand, Demand::Now(Effort::Least));
    }

    #[test]
    fn code_that_is_not_wanted_is_never_made() {
        let program = program("int x; active proctype P() { do :: x++ od }");
        let system = Native::interpreted(&program).expect("it has an initial state");
        assert!(system.code.ask(&system.packed).is_none());
        assert!(system.code_bytes().is_err());
    }
}
