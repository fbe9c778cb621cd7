//! Whether operations are enabled in a state.

use super::eval::{Context, message_count};
use crate::error::RuntimeError;
use crate::expression::{Expr, Pattern};
use crate::program::{Body, BranchKind, Operation};
use crate::state::Pid;

impl Context<'_> {
    /// Whether the operation is enabled. For a send on a rendezvous channel, receivers are ignored.
    pub fn is_enabled(&self, operation: &Operation) -> Result<bool, RuntimeError> {
        match operation {
            Operation::Receive { channel, patterns, random, keep } => {
                Ok(self.matching_message(channel, patterns, *random, *keep)?.is_some())
            }
            Operation::Deterministic(body) => self.node_enabled(body, 0),
            _ if self.handshake.is_some() => Ok(false),
            Operation::Guarded { guard, .. } => self.truth(guard),
            Operation::Else => Ok(true),
            Operation::Send { channel, .. } => self.has_room(self.value(channel)?),
            Operation::End => Ok(usize::from(self.pid) + 1 == self.state.processes.len()),
        }
    }

    pub(super) fn has_room(&self, channel: i32) -> Result<bool, RuntimeError> {
        let channel = self.channel(channel)?;
        let capacity = self.program.channel_type(channel.channel_type).capacity;
        Ok(message_count(self.program, channel) < capacity.max(1))
    }

    /// The channel's number and the position of the message that a receive would take.
    pub(super) fn matching_message(
        &self,
        channel: &Expr,
        patterns: &[Pattern],
        random: bool,
        keep: bool,
    ) -> Result<Option<(i32, usize)>, RuntimeError> {
        let number = self.value(channel)?;
        let rendezvous =
            self.program.channel_type(self.channel(number)?.channel_type).capacity == 0;
        if keep && rendezvous {
            self.noted.borrow_mut().push(RuntimeError::PollsRendezvous);
            return Ok(None);
        }
        let in_turn = match self.handshake {
            Some(handshake) => handshake == number,
            None => !rendezvous,
        };
        if !in_turn {
            return Ok(None);
        }
        Ok(self.find_message(number, patterns, random)?.map(|position| (number, position)))
    }

    /// Whether a node of a d_step has an enabled branch.
    pub(super) fn node_enabled(&self, body: &Body, node: u32) -> Result<bool, RuntimeError> {
        for branch in &body.nodes[node as usize] {
            let enabled = match (&branch.kind, branch.next) {
                (BranchKind::Operation(operation), _) => self.is_enabled(operation)?,
                (BranchKind::Enter, Some(next)) => self.node_enabled(body, next)?,
                (BranchKind::Enter, None) => self.handshake.is_none(),
            };
            if enabled {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether its `provided` clause and the priorities of other processes let the process move.
    pub(super) fn may_move(&self) -> Result<bool, RuntimeError> {
        if !self.is_provided()? {
            return Ok(false);
        }
        if !self.program.has_priorities {
            return Ok(true);
        }
        let own = self.state.processes[usize::from(self.pid)].priority;
        for (pid, process) in self.state.processes.iter().enumerate() {
            if process.priority > own {
                let other = self.of(pid as Pid);
                if other.is_provided()? && other.has_enabled_transition()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    pub(super) fn is_provided(&self) -> Result<bool, RuntimeError> {
        let process = &self.state.processes[usize::from(self.pid)];
        match &self.program.process_type(process.process_type).provided {
            Some(condition) => self.truth(condition),
            None => Ok(true),
        }
    }

    /// Whether the process has an enabled transition, apart from its `provided` clause.
    pub(super) fn has_enabled_transition(&self) -> Result<bool, RuntimeError> {
        let process = &self.state.processes[usize::from(self.pid)];
        let location = self.program.process_type(process.process_type).location(process.location);
        for transition in &location.transitions {
            if self.is_enabled(&transition.operation)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The same state from the point of view of another process.
    pub(super) fn of(&self, pid: Pid) -> Context<'_> {
        Context { pid, outside: false, ..*self }
    }
}
