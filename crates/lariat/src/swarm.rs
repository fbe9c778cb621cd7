//! Many small, different searches instead of one large one (Holzmann, Joshi, Groce: Swarm
//! verification techniques, 2011).
//!
//! Each member of the swarm is a single-threaded bitstate search with its own hash functions,
//! number of bits per state, order of successors, depth limit and search order. Each omits many
//! states, but different ones. They run in parallel until one finds an error or the time limit is
//! reached.

use lariat_ir::Budget;
use lariat_ir::system::System;
use lariat_search::{
    Limits, Options, Order, Outcome, Shuffled, StoreKind, SuccessorOrder, Verdict, joined,
    reachability,
};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The resources of a swarm.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    /// The number of members that search in parallel.
    pub threads: usize,
    /// The time limit and the interrupt.
    pub budget: &'a Budget,
    /// The memory for all members together.
    pub memory_bytes: u64,
    /// The most members to run.
    pub members: Option<u64>,
}

/// The parameters of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Selects the hash functions.
    pub seed: u64,
    /// The number of hash functions.
    pub functions: u32,
    /// The search order.
    pub order: Order,
    /// The order of successors.
    pub arrangement: SuccessorOrder,
    /// The depth limit.
    pub depth: Option<u64>,
}

/// The member with this number; the first ones use the default orders.
pub fn member(number: u64) -> Member {
    let arrangement = match number % 3 {
        0 => SuccessorOrder::Given,
        1 => SuccessorOrder::Reversed,
        _ => SuccessorOrder::Random(number),
    };
    Member {
        seed: number,
        functions: [3, 2, 1, 4][(number / 3 % 4) as usize],
        order: if number % 7 == 6 { Order::BreadthFirst } else { Order::DepthFirst },
        arrangement,
        depth: match number % 5 {
            3 => Some(1000),
            4 => Some(10_000),
            _ => None,
        },
    }
}

/// The result of a swarm.
#[derive(Debug)]
pub struct Swarm {
    /// The joined outcome of all members.
    pub outcome: Outcome,
    /// Members that finished their search or found an error.
    pub members: u64,
    /// The sum of the states visited by all members.
    pub visits: u64,
}

/// Runs members until one finds an error or the budget is exhausted. `system` returns a new
/// instance of the system.
pub fn swarm<S: System>(system: impl Fn() -> S + Sync, share: &Share<'_>) -> Swarm {
    let start = Instant::now();
    let stop = Arc::new(AtomicBool::new(false));
    let budget = share.budget.part_until(Arc::clone(&stop));
    let next = AtomicU64::new(0);
    let outcomes: Mutex<Vec<Outcome>> = Mutex::new(Vec::new());
    let threads = share.threads.max(1);
    let bytes = share.memory_bytes / threads as u64 / 2;
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let enough = share.members.is_some_and(|members| number >= members);
            if enough || budget.check().is_err() {
                return;
            }
            let outcome = search(&system, member(number), bytes, &budget);
            if outcome.verdict() == Verdict::Violated {
                stop.store(true, Ordering::Relaxed);
            }
            outcomes.lock().unwrap_or_else(PoisonError::into_inner).push(outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // If the system refuses a thread, those that run share the members.
            if lariat_search::threads::start(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    let members =
        outcomes.iter().filter(|outcome| outcome.limit.is_none() || outcome.errors > 0).count()
            as u64;
    let visits = outcomes.iter().map(|outcome| outcome.statistics.states).sum();
    let mut outcome = if outcomes.is_empty() { Outcome::default() } else { joined(outcomes) };
    outcome.statistics.time = start.elapsed();
    // A swarm is never exhaustive.
    outcome.exhaustive = false;
    Swarm { outcome, members, visits }
}

fn search<S: System>(
    system: &impl Fn() -> S,
    member: Member,
    bytes: u64,
    budget: &Budget,
) -> Outcome {
    let options = Options {
        order: member.order,
        limits: Limits { depth: member.depth, budget, ..Limits::default() },
        threads: NonZeroUsize::new(1),
        store: StoreKind::Bitstate {
            functions: member.functions,
            bytes: Some(bytes),
            seed: member.seed,
        },
        ..Options::default()
    };
    reachability(&Shuffled::new(system(), member.arrangement), &options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_search::faults::{Fault, inject};
    use std::collections::HashSet;

    #[test]
    fn members_share_the_threads_that_can_be_started() {
        let text = "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> break od; assert(x == 0) }";
        let model = crate::Model::from_source("m.pml", text).expect("the model is accepted");
        let system = || lariat_ir::PackedInterpreter::new(&model.program).expect("it starts");
        let share = Share {
            memory_bytes: 1 << 20,
            threads: 3,
            members: None,
            budget: &lariat_ir::budget::UNLIMITED,
        };
        inject(Fault::Thread, 1);
        let found = swarm(system, &share);
        inject(Fault::Thread, 0);
        assert_eq!(found.outcome.verdict(), Verdict::Violated);
    }

    #[test]
    fn members_differ() {
        let members: Vec<Member> = (0..100).map(member).collect();
        let kinds: HashSet<String> =
            members.iter().map(|member| format!("{:?}", Member { seed: 0, ..*member })).collect();
        assert!(kinds.len() > 30, "{}", kinds.len());
        assert_eq!(member(0).arrangement, SuccessorOrder::Given);
    }
}
