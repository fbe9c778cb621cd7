//! Runs the body of a d_step to its end, as one step.
//!
//! A body is deterministic, so a body that repeats a state never ends. Repetitions are found with
//! Brent's algorithm (1980): one earlier state is kept, replaced at each power of two, and every
//! later state is compared with it in full. A body that neither ends nor repeats a state runs until
//! its [`Patience`] is exhausted; it is then unfinished, which is a limit of the check and not an
//! error of the program.

use super::execute::{Machine, Performed};
use crate::error::RuntimeError;
use crate::program::{Body, BranchKind};
use crate::state::{Pid, State};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of steps after which repetitions are looked for: most bodies are much shorter.
const UNWATCHED: u64 = 1 << 10;

/// Number of steps between reads of the stop flag.
const POLL: u64 = 1 << 12;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Limits on the execution of a single d_step.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    /// The most steps of a body.
    pub steps: u64,
    /// Raised at a deadline or on an interrupt.
    pub stop: &'a AtomicBool,
}

impl<'a> Patience<'a> {
    /// Runs until `stop` is raised. The bound on steps, about a minute of work, is for callers that
    /// never raise it.
    pub fn until(stop: &'a AtomicBool) -> Patience<'a> {
        Patience { steps: 1 << 30, stop }
    }

    /// Replaces the bound on steps.
    #[must_use]
    pub fn at_most(self, steps: u64) -> Patience<'a> {
        Patience { steps: self.steps.min(steps), ..self }
    }

    /// Whether a body may continue after this number of steps.
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

/// An earlier state of a body: everything on which its further steps depend.
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

    /// Takes the first enabled branch of a node; returns the next node, if any.
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

    /// Whether the state before this step equals the landmark.
    fn compare(
        &self,
        node: u32,
        steps: u64,
        landmark: &mut Option<Landmark>,
    ) -> Result<(), RuntimeError> {
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
