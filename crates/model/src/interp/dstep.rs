//! Running the body of a d_step to its end, as one step.
//!
//! A body is deterministic: once its state is one that it was in before, it never ends. Such a
//! repetition is found with Brent's algorithm (1980): one earlier state is kept, renewed at each
//! power of two, and every later state is compared with it in full. A body that neither ends nor
//! repeats its state runs until [`Patience`] is over; it is then unfinished, which is a limit of
//! the check and not an error of the program.

use super::execute::{Machine, Performed};
use crate::error::RuntimeError;
use crate::program::{Body, BranchKind};
use crate::state::{Pid, State};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bodies with fewer steps than this are not watched for repetitions: most are much shorter.
const UNWATCHED: u64 = 1 << 10;

/// How often the stop flag is read, in steps.
const POLL: u64 = 1 << 12;

static NEVER: AtomicBool = AtomicBool::new(false);

/// How long a single d_step may run.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    /// The most steps of a body.
    pub steps: u64,
    /// Raised when all work has to stop, because of a deadline or an interrupt.
    pub stop: &'a AtomicBool,
}

impl<'a> Patience<'a> {
    /// As long as `stop` is not raised; the bound on steps, about a minute of work, is for callers
    /// that never raise it.
    pub fn until(stop: &'a AtomicBool) -> Patience<'a> {
        Patience { steps: 1 << 30, stop }
    }

    /// No longer than this many steps.
    #[must_use]
    pub fn at_most(self, steps: u64) -> Patience<'a> {
        Patience { steps: self.steps.min(steps), ..self }
    }

    /// After this many steps of a body: may it go on?
    fn check(self, steps: u64) -> Result<(), RuntimeError> {
        let stopped = steps.is_multiple_of(POLL) && self.stop.load(Ordering::Relaxed);
        if stopped || steps > self.steps {
            return Err(RuntimeError::DStepUnfinished { line: 0, steps: steps - 1, stopped });
        }
        Ok(())
    }
}

impl Default for Patience<'_> {
    fn default() -> Self {
        Patience::until(&NEVER)
    }
}

/// An earlier state of a body: all that its further steps depend on.
struct Landmark {
    node: u32,
    spawned: Pid,
    state: State,
}

impl Machine<'_> {
    pub(super) fn run_body(&mut self, body: &Body) -> Performed {
        if !self.context().node_enabled(body, 0)? {
            return Ok(false);
        }
        let mut node = Some(0);
        let mut steps = 0;
        let mut landmark: Option<Landmark> = None;
        while let Some(current) = node {
            steps += 1;
            if steps >= UNWATCHED {
                self.patience.check(steps)?;
                self.compare(current, steps, &mut landmark)?;
            }
            node = self.take_branch(body, current)?;
        }
        Ok(true)
    }

    /// Takes the first branch of a node that can be taken; returns the node that follows, if any.
    fn take_branch(&mut self, body: &Body, node: u32) -> Result<Option<u32>, RuntimeError> {
        for branch in &body.nodes[node as usize] {
            let taken = match &branch.kind {
                BranchKind::Enter => match branch.next {
                    Some(next) => self.context().node_enabled(body, next)?,
                    None => true,
                },
                BranchKind::Operation(operation) => self.perform(operation)?,
            };
            if taken && self.handshake.is_some() {
                return Err(RuntimeError::RendezvousInDStep);
            }
            if taken {
                return Ok(branch.next);
            }
        }
        Err(RuntimeError::DStepBlocks)
    }

    /// Is the state before this step the one at the landmark?
    fn compare(&self, node: u32, steps: u64, landmark: &mut Option<Landmark>) -> Result<(), RuntimeError> {
        if let Some(known) = landmark
            && known.node == node
            && known.spawned == self.spawned
            && known.state == self.state
        {
            return Err(RuntimeError::DStepDoesNotEnd);
        }
        if steps.is_power_of_two() {
            *landmark = Some(Landmark { node, spawned: self.spawned, state: self.state.clone() });
        }
        Ok(())
    }
}
