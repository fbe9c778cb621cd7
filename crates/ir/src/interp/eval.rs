//! Evaluation of expressions.

use crate::error::RuntimeError;
use crate::expression::{BinaryOp, ChannelQuery, Expr, Pattern, Place, Remote, Scope};
use crate::program::{ProcessTypeId, Program, VariableId, Variables};
use crate::state::{Channel, Pid, Process, State};
use std::cell::RefCell;

/// Everything to which an expression can refer.
#[derive(Debug)]
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// The state.
    pub state: &'a State,
    /// The evaluating process; 0 if there is none.
    pub pid: Pid,
    /// Whether a property evaluates the expression instead of a process.
    pub outside: bool,
    /// Whether no other step is enabled.
    pub timeout: bool,
    /// The process that the current step created.
    pub spawned: Pid,
    /// A rendezvous on this channel is in progress: only a receive from it is enabled.
    pub handshake: Option<i32>,
    /// Depth of nested `enabled` expressions.
    pub nesting: u8,
    /// Errors that do not prevent the evaluation.
    pub noted: &'a RefCell<Vec<RuntimeError>>,
}

type Value = Result<i32, RuntimeError>;

impl<'a> Context<'a> {
    /// The context of a property, which belongs to no process.
    pub fn outside(
        program: &'a Program,
        state: &'a State,
        noted: &'a RefCell<Vec<RuntimeError>>,
    ) -> Context<'a> {
        Context {
            program,
            state,
            pid: 0,
            outside: true,
            timeout: false,
            spawned: 0,
            handshake: None,
            nesting: 0,
            noted,
        }
    }
}

impl Context<'_> {
    /// Whether the value is not 0.
    pub fn truth(&self, expr: &Expr) -> Result<bool, RuntimeError> {
        Ok(self.value(expr)? != 0)
    }

    /// The value of the expression.
    pub fn value(&self, expr: &Expr) -> Value {
        match expr {
            Expr::Const(value) => Ok(*value),
            Expr::Read(place) => {
                let slot = self.slot(place)?;
                Ok(match place.scope {
                    Scope::Global => self.state.globals[slot],
                    Scope::Local => self.state.processes[usize::from(self.pid)].locals[slot],
                })
            }
            Expr::Unary(op, operand) => Ok(op.apply(self.value(operand)?)),
            Expr::Binary(BinaryOp::And, left, right) => {
                Ok(i32::from(self.truth(left)? && self.truth(right)?))
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                Ok(i32::from(self.truth(left)? || self.truth(right)?))
            }
            Expr::Binary(op, left, right) => op.apply(self.value(left)?, self.value(right)?),
            Expr::Conditional(condition, yes, no) => {
                if self.truth(condition)? {
                    self.value(yes)
                } else {
                    self.value(no)
                }
            }
            Expr::Channel(query, channel) => {
                let channel = self.channel(self.value(channel)?)?;
                let kind = self.program.channel_type(channel.channel_type);
                let length = message_count(self.program, channel);
                // A rendezvous channel holds a message only in the middle of a handshake.
                let full = length >= kind.capacity.max(1);
                Ok(match query {
                    ChannelQuery::Len => length as i32,
                    ChannelQuery::Full => i32::from(full),
                    ChannelQuery::NotFull => i32::from(!full),
                    ChannelQuery::Empty => i32::from(length == 0),
                    ChannelQuery::NotEmpty => i32::from(length > 0),
                })
            }
            Expr::Poll { channel, patterns, random } => {
                let number = self.value(channel)?;
                let channel = self.channel(number)?;
                if self.program.channel_type(channel.channel_type).capacity == 0 {
                    self.noted.borrow_mut().push(RuntimeError::PollsRendezvous);
                    return Ok(0);
                }
                Ok(i32::from(self.find_message(number, patterns, *random)?.is_some()))
            }
            Expr::Timeout => Ok(i32::from(self.timeout)),
            Expr::Pid => Ok(i32::from(self.pid)),
            Expr::ProcessCount => Ok(self.state.processes.len() as i32),
            Expr::Last => Ok(i32::from(self.state.last)),
            Expr::Partner => Ok(i32::from(self.state.partner)),
            Expr::Spawned => Ok(i32::from(self.spawned)),
            Expr::Enabled(pid) => {
                let pid = self.value(pid)?;
                if !self.outside && pid == i32::from(self.pid) {
                    return Err(RuntimeError::EnabledSelf);
                }
                match Pid::try_from(pid) {
                    Ok(pid) if usize::from(pid) < self.state.processes.len() => {
                        if self.nesting == u8::MAX {
                            return Err(RuntimeError::EnabledCycle);
                        }
                        let other = Context { nesting: self.nesting + 1, ..self.of(pid) };
                        Ok(i32::from(other.has_enabled_transition()?))
                    }
                    _ => Ok(0),
                }
            }
            Expr::PcValue(pid) => Ok(self
                .process(self.value(pid)?)
                .map_or(0, |process| self.location_number(process))),
            Expr::Priority(pid) => {
                Ok(self.process(self.value(pid)?).map_or(0, |process| i32::from(process.priority)))
            }
            Expr::NonProgress => Ok(i32::from(!self.state.processes.iter().any(|process| {
                self.program.process_type(process.process_type).location(process.location).progress
            }))),
            Expr::At { process_type, process, location } => {
                // As in SPIN, the number is compared even if the process has another type.
                let wanted = self.program.process_type(*process_type).location(*location).number;
                let at = self.remote(*process_type, process)?;
                Ok(at
                    .map_or(0, |process| i32::from(self.location_number(process) == wanted as i32)))
            }
            Expr::ReadRemote { process_type, process, variable, indices } => {
                match self.remote(*process_type, process)? {
                    Some(process) if process.process_type == *process_type => {
                        let variables = &self.program.process_type(*process_type).variables;
                        Ok(process.locals[self.element(variables, *variable, indices)?])
                    }
                    _ => Ok(0),
                }
            }
        }
    }

    /// The channel with this number.
    pub fn channel(&self, number: i32) -> Result<&Channel, RuntimeError> {
        channel_index(self.state, number).map(|index| &self.state.channels[index])
    }

    /// The slot of a place.
    pub fn slot(&self, place: &Place) -> Result<usize, RuntimeError> {
        self.element(self.variables(place.scope), place.variable, &place.indices)
    }

    /// The variables of a scope.
    pub fn variables(&self, scope: Scope) -> &Variables {
        match scope {
            Scope::Global => &self.program.variables,
            Scope::Local => {
                let process = &self.state.processes[usize::from(self.pid)];
                &self.program.process_type(process.process_type).variables
            }
        }
    }

    fn element(
        &self,
        variables: &Variables,
        variable: VariableId,
        indices: &[Expr],
    ) -> Result<usize, RuntimeError> {
        let variable = variables.get(variable);
        let mut element = 0;
        for (index, &dimension) in indices.iter().zip(&variable.dimensions) {
            let index = self.value(index)?;
            match u32::try_from(index) {
                Ok(index) if index < dimension => element = element * dimension + index,
                _ => {
                    return Err(RuntimeError::IndexOutOfRange {
                        variable: variable.name.replace("[]", ""),
                        index,
                        length: dimension,
                    });
                }
            }
        }
        Ok(variable.first_slot() + element as usize)
    }

    /// The position of the first message that matches, counted in messages.
    pub fn find_message(
        &self,
        channel: i32,
        patterns: &[Pattern],
        random: bool,
    ) -> Result<Option<usize>, RuntimeError> {
        let channel = self.channel(channel)?;
        let fields = self.program.channel_type(channel.channel_type).fields.len();
        for (position, message) in channel.contents.chunks(fields).enumerate() {
            if position > 0 && !random {
                break;
            }
            let mut matches = true;
            // A field that the channel does not have is 0.
            for (pattern, &field) in
                patterns.iter().zip(message.iter().chain(std::iter::repeat(&0)))
            {
                if let Pattern::Match(expr) = pattern
                    && self.value(expr)? != field
                {
                    matches = false;
                    break;
                }
            }
            if matches {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    fn process(&self, pid: i32) -> Option<&Process> {
        self.state.processes.get(usize::try_from(pid).ok()?)
    }

    fn remote(
        &self,
        kind: ProcessTypeId,
        process: &Remote,
    ) -> Result<Option<&Process>, RuntimeError> {
        Ok(match process {
            Remote::Pid(pid) => self.process(self.value(pid)?),
            Remote::Only => {
                self.state.processes.iter().find(|process| process.process_type == kind)
            }
        })
    }

    fn location_number(&self, process: &Process) -> i32 {
        self.program.process_type(process.process_type).location(process.location).number as i32
    }
}

pub fn channel_index(state: &State, number: i32) -> Result<usize, RuntimeError> {
    match usize::try_from(number) {
        Ok(number) if (1..=state.channels.len()).contains(&number) => Ok(number - 1),
        _ => Err(RuntimeError::UninitializedChannel),
    }
}

pub fn message_count(program: &Program, channel: &Channel) -> u32 {
    (channel.contents.len() / program.channel_type(channel.channel_type).fields.len()) as u32
}
