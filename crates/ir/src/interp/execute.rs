//! Execution of one operation, in place.

use super::dstep::Patience;
use super::eval::{Context, channel_index};
use crate::error::RuntimeError;
use crate::expression::{Expr, Pattern, Place, Scope};
use crate::program::{
    Action, ChannelTypeId, Event, EventTrace, Operation, PrintPart, ProcessTypeId, Program,
};
use crate::state::{Channel, Pid, State};
use std::cell::RefCell;

/// The most equal errors of one step that are kept: a d_step may repeat an error without end.
const EQUAL_ERRORS: usize = 1 << 10;

/// The most bytes of printed output of one step that are kept.
const OUTPUT_BYTES: usize = 1 << 20;

/// The execution of a step.
#[derive(Debug)]
pub struct Machine<'a> {
    /// The program.
    pub program: &'a Program,
    /// The state, which the step changes.
    pub state: State,
    /// The process that makes the step.
    pub pid: Pid,
    /// Whether no other step is enabled.
    pub timeout: bool,
    /// The process that the step created.
    pub spawned: Pid,
    /// A rendezvous on this channel is in progress: only a receive from it is enabled.
    pub handshake: Option<i32>,
    /// Errors that do not abort the step.
    pub noted: RefCell<Vec<RuntimeError>>,
    /// The printed output, if it is kept.
    pub output: Option<String>,
    /// The limits on a d_step.
    pub patience: Patience<'a>,
}

/// Whether the operation was enabled and performed.
pub type Performed = Result<bool, RuntimeError>;

impl<'a> Machine<'a> {
    /// The context of expressions in this step.
    pub fn context(&self) -> Context<'_> {
        Context {
            program: self.program,
            state: &self.state,
            pid: self.pid,
            outside: false,
            timeout: self.timeout,
            spawned: self.spawned,
            handshake: self.handshake,
            nesting: 0,
            noted: &self.noted,
        }
    }

    /// Performs the operation if it is enabled. After a send on a rendezvous channel, the message
    /// is in the channel and `handshake` is set; the receive completes the step.
    pub fn perform(&mut self, operation: &Operation) -> Performed {
        match operation {
            Operation::Receive { .. } | Operation::Deterministic(_) => {}
            _ if self.handshake.is_some() => return Ok(false),
            _ => {}
        }
        match operation {
            Operation::Guarded { guard, actions } => {
                if !self.context().truth(guard)? {
                    return Ok(false);
                }
                for action in actions {
                    self.act(action)?;
                }
                Ok(true)
            }
            Operation::Else => Ok(true),
            Operation::Send { channel, arguments, sorted } => {
                self.send(channel, arguments, *sorted)
            }
            Operation::Receive { channel, patterns, random, keep } => {
                self.receive(channel, patterns, *random, *keep)
            }
            Operation::End => Ok(self.end_process()),
            Operation::Deterministic(body) => self.run_body(body),
        }
    }

    /// Performs an action.
    pub fn act(&mut self, action: &Action) -> Result<(), RuntimeError> {
        match action {
            Action::Assign(assignments) => {
                let mut values = Vec::with_capacity(assignments.len());
                for (place, value) in assignments {
                    let context = self.context();
                    values.push((context.slot(place)?, context.value(value)?));
                }
                for ((place, _), (slot, value)) in assignments.iter().zip(values) {
                    self.store_slot(place, slot, value)?;
                }
            }
            Action::NewChannel { place, channel_type } => {
                let number = self.new_channel(*channel_type, place.scope)?;
                self.store(place, number)?;
            }
            Action::Run { process_type, arguments, priority } => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.context().value(argument)?);
                }
                self.spawned = self.new_process(*process_type, &values, *priority)?;
            }
            Action::Assert { condition, text } => {
                if !self.context().truth(condition)? {
                    self.note(RuntimeError::AssertionViolated(text.clone()));
                }
            }
            Action::Print { format } => self.print(format)?,
            Action::SetPriority { process, priority } => {
                let context = self.context();
                let (process, priority) = (context.value(process)?, context.value(priority)?);
                if let Some(process) =
                    usize::try_from(process).ok().and_then(|pid| self.state.processes.get_mut(pid))
                {
                    match u8::try_from(priority) {
                        Ok(priority @ 1..) => process.priority = priority,
                        _ => return Err(RuntimeError::PriorityOutOfRange(priority)),
                    }
                }
            }
        }
        Ok(())
    }

    /// Creates a process and runs its prologue.
    pub fn new_process(
        &mut self,
        kind: ProcessTypeId,
        arguments: &[i32],
        priority: u8,
    ) -> Result<Pid, RuntimeError> {
        let Ok(pid @ ..=254) = Pid::try_from(self.state.processes.len()) else {
            return Err(RuntimeError::TooManyProcesses);
        };
        let process_type = self.program.process_type(kind);
        let mut process = State::new_process(self.program, kind, priority);
        for (variable, &argument) in process_type.variables.iter().zip(arguments) {
            process.locals[variable.first_slot()] =
                variable.domain.store(argument).ok_or_else(|| RuntimeError::OutOfDomain {
                    variable: variable.name.clone(),
                    value: argument,
                })?;
        }
        self.state.processes.push(process);
        let caller = std::mem::replace(&mut self.pid, pid);
        for action in &process_type.prologue {
            self.act(action)?;
        }
        self.forget();
        self.pid = caller;
        Ok(pid)
    }

    /// Resets the variables that are dead at the location of the process.
    pub(super) fn forget(&mut self) {
        let process = &mut self.state.processes[usize::from(self.pid)];
        let process_type = self.program.process_type(process.process_type);
        for &variable in &process_type.location(process.location).dead {
            let variable = process_type.variables.get(variable);
            process.locals[variable.slots()].fill(variable.domain.default_value());
        }
    }

    fn end_process(&mut self) -> bool {
        if usize::from(self.pid) + 1 != self.state.processes.len() {
            return false;
        }
        self.state.processes.pop();
        while self.state.channels.last().is_some_and(|channel| channel.owner == Some(self.pid)) {
            self.state.channels.pop();
        }
        true
    }

    fn new_channel(
        &mut self,
        channel_type: ChannelTypeId,
        scope: Scope,
    ) -> Result<i32, RuntimeError> {
        if self.state.channels.len() >= 255 {
            return Err(RuntimeError::TooManyChannels);
        }
        let owner = (scope == Scope::Local).then_some(self.pid);
        self.state.channels.push(Channel { channel_type, owner, contents: Vec::new() });
        Ok(self.state.channels.len() as i32)
    }

    fn store(&mut self, place: &Place, value: i32) -> Result<(), RuntimeError> {
        let slot = self.context().slot(place)?;
        self.store_slot(place, slot, value)
    }

    fn store_slot(&mut self, place: &Place, slot: usize, value: i32) -> Result<(), RuntimeError> {
        let context = self.context();
        let variable = context.variables(place.scope).get(place.variable);
        let Some(value) = variable.domain.store(value) else {
            return Err(RuntimeError::OutOfDomain { variable: variable.name.clone(), value });
        };
        match place.scope {
            Scope::Global => self.state.globals[slot] = value,
            Scope::Local => self.state.processes[usize::from(self.pid)].locals[slot] = value,
        }
        Ok(())
    }

    fn send(&mut self, channel: &Expr, arguments: &[Expr], sorted: bool) -> Performed {
        let number = self.context().value(channel)?;
        let index = channel_index(&self.state, number)?;
        let kind = self.program.channel_type(self.state.channels[index].channel_type);
        if !self.context().has_room(number)? {
            return Ok(false);
        }
        let mut message = Vec::with_capacity(arguments.len());
        for argument in arguments {
            message.push(self.context().value(argument)?);
        }
        self.check_field_count(true, message.len(), kind.fields.len());
        message.resize(kind.fields.len(), 0);
        self.check_exclusive(number, false)?;
        let contents = &self.state.channels[index].contents;
        let at = if sorted {
            // Inserted before the first larger message; messages are compared field by field.
            contents
                .chunks(kind.fields.len())
                .position(|other| message.as_slice() < other)
                .map_or(contents.len(), |position| position * kind.fields.len())
        } else {
            contents.len()
        };
        for (value, field) in message.iter_mut().zip(&kind.fields) {
            *value = field.domain.store(*value).ok_or_else(|| RuntimeError::OutOfDomain {
                variable: kind.name.clone(),
                value: *value,
            })?;
        }
        let rendezvous = kind.capacity == 0;
        self.state.channels[index].contents.splice(at..at, message);
        self.watch(number, true)?;
        if rendezvous {
            self.handshake = Some(number);
        }
        Ok(true)
    }

    fn receive(
        &mut self,
        channel: &Expr,
        patterns: &[Pattern],
        random: bool,
        keep: bool,
    ) -> Performed {
        let Some((number, position)) =
            self.context().matching_message(channel, patterns, random, keep)?
        else {
            return Ok(false);
        };
        self.check_exclusive(number, true)?;
        let index = channel_index(&self.state, number)?;
        let fields =
            self.program.channel_type(self.state.channels[index].channel_type).fields.len();
        self.check_field_count(false, patterns.len(), fields);
        let start = position * fields;
        // Fields are stored one by one, because an index may depend on the field before.
        for (offset, pattern) in patterns.iter().enumerate() {
            if let Pattern::Bind(place) = pattern {
                let message = &self.state.channels[index].contents[start..start + fields];
                self.store(place, message.get(offset).copied().unwrap_or(0))?;
            }
        }
        if !keep {
            self.watch(number, false)?;
            self.state.channels[index].contents.drain(start..start + fields);
            self.handshake = None;
        }
        Ok(true)
    }

    /// Notes an error if another process has the exclusive right to this operation.
    fn check_exclusive(&mut self, channel: i32, receive: bool) -> Result<(), RuntimeError> {
        for (pid, process) in self.state.processes.iter().enumerate() {
            if pid == usize::from(self.pid) {
                continue;
            }
            for claim in &self.program.process_type(process.process_type).exclusive {
                let context = Context { pid: pid as Pid, ..self.context() };
                if claim.receive == receive && context.value(&claim.channel)? == channel {
                    self.note(RuntimeError::ExclusiveUse { channel: channel as u32, receive });
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Moves the event trace on a send or receive in its scope. The message is in the channel in
    /// both cases: after the send, and before it is received.
    fn watch(&mut self, channel: i32, send: bool) -> Result<(), RuntimeError> {
        let Some(trace) = &self.program.event_trace else {
            return Ok(());
        };
        let scope = if send { &trace.send_scope } else { &trace.receive_scope };
        let mut watched = false;
        for expr in scope {
            watched |= self.context().value(expr)? == channel;
        }
        if !watched {
            return Ok(());
        }
        let mut next = None;
        if self.state.event != trace.end {
            for event in &trace.locations[self.state.event as usize] {
                if event.send == send && self.event_matches(event, channel)? {
                    if next.is_some() {
                        return Err(RuntimeError::TraceNondeterminism);
                    }
                    next = Some(event.target);
                }
            }
        }
        self.advance(trace, next);
        Ok(())
    }

    fn advance(&mut self, trace: &EventTrace, next: Option<u32>) {
        match next {
            Some(target) => {
                self.state.event = target;
                if trace.negated && target == trace.end {
                    self.note(RuntimeError::TraceMatched);
                }
            }
            None if trace.negated => self.state.event = trace.end,
            None => self.note(RuntimeError::TraceMismatch),
        }
    }

    fn event_matches(&self, event: &Event, channel: i32) -> Performed {
        let context = self.context();
        if context.value(&event.channel)? != channel {
            return Ok(false);
        }
        let channel = context.channel(channel)?;
        let contents = &channel.contents;
        let fields = self.program.channel_type(channel.channel_type).fields.len();
        let start = if event.send { contents.len().saturating_sub(fields) } else { 0 };
        for (wanted, &field) in event.fields.iter().zip(&contents[start..]) {
            if let Some(wanted) = wanted
                && context.value(wanted)? != field
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn check_field_count(&mut self, send: bool, given: usize, expected: usize) {
        if given != expected {
            self.note(RuntimeError::FieldCount { send, given, expected });
        }
    }

    fn note(&mut self, error: RuntimeError) {
        let mut noted = self.noted.borrow_mut();
        if noted.len() < EQUAL_ERRORS || !noted.contains(&error) {
            noted.push(error);
        }
    }

    fn print(&mut self, format: &[PrintPart]) -> Result<(), RuntimeError> {
        if self.output.as_ref().is_none_or(|output| output.len() > OUTPUT_BYTES) {
            return Ok(());
        }
        let mut text = String::new();
        for part in format {
            let context = self.context();
            match part {
                PrintPart::Text(part) => text += part,
                PrintPart::Decimal(expr) => text += &context.value(expr)?.to_string(),
                PrintPart::Unsigned(expr) => text += &(context.value(expr)? as u32).to_string(),
                PrintPart::Hexadecimal(expr) => text += &format!("{:x}", context.value(expr)?),
                PrintPart::Octal(expr) => text += &format!("{:o}", context.value(expr)?),
                PrintPart::Character(expr) => text.push(context.value(expr)? as u8 as char),
                PrintPart::Name(expr, set) => {
                    let value = context.value(expr)?;
                    match self.program.name_sets[set.index()].name_of(value) {
                        Some(name) => text += name,
                        None => text += &value.to_string(),
                    }
                }
            }
        }
        if let Some(output) = &mut self.output {
            *output += &text;
            if output.len() > OUTPUT_BYTES {
                *output += "\n(this step printed more, which is left out)\n";
            }
        }
        Ok(())
    }
}
