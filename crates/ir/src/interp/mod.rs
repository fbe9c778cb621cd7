//! The reference semantics, kept as simple as possible. Every other engine is tested against it.
//!
//! A process is at a location and tries that location's transitions in order. Of the escapes of an
//! `unless`, the first group with an enabled transition is taken. A process inside an atomic
//! sequence keeps control while it can move. If no step is enabled, `timeout` becomes true and all
//! transitions are tried again.

mod dstep;
mod enabled;
mod eval;
mod execute;
mod initial;
mod packed;
mod state_pool;

pub use dstep::Patience;
pub use eval::Context;
pub use execute::Machine;
pub use packed::PackedInterpreter;
pub use state_pool::StatePool;

use crate::error::RuntimeError;
use crate::expression::Expr;
use crate::program::{Operation, Program, Transition};
use crate::state::{Pid, Process, State};
use crate::system::{Move, Step, Successor};
use std::cell::RefCell;

/// Executes a program step by step.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'a> {
    program: &'a Program,
    /// The limits on a single d_step.
    patience: Patience<'a>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter with the default limits.
    pub fn new(program: &'a Program) -> Interpreter<'a> {
        Interpreter { program, patience: Patience::default() }
    }

    /// Replaces the limits on a single d_step.
    #[must_use]
    pub fn with_patience(self, patience: Patience<'a>) -> Interpreter<'a> {
        Interpreter { patience, ..self }
    }

    /// The limits on a single d_step.
    pub fn patience(&self) -> Patience<'a> {
        self.patience
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The value of an expression that no process evaluates, such as an atom of a property.
    pub fn evaluate(&self, state: &State, expr: &Expr) -> Result<i32, RuntimeError> {
        let noted = RefCell::default();
        let asks = expr.any(&|part| matches!(part, Expr::Timeout | Expr::Enabled(_)));
        let timeout = asks && self.times_out(state);
        let context = Context { timeout, ..Context::outside(self.program, state, &noted) };
        context.value(expr)
    }

    /// Whether no step is enabled while `timeout` is false.
    fn times_out(&self, state: &State) -> bool {
        let mut expansion = Expansion {
            program: self.program,
            state,
            timeout: false,
            sink: &mut |_, _| {},
            pool: &mut StatePool::default(),
            keep_output: false,
            patience: self.patience,
        };
        !expansion.all_processes()
    }

    /// The successors, each with the printed output of its step.
    pub fn successors_with_output(&self, state: &State) -> Vec<(Successor, String)> {
        let mut out = Vec::new();
        let mut printed = Vec::new();
        self.expand(
            state,
            &mut |successor, output| {
                out.push(successor);
                printed.push(output.unwrap_or_default());
            },
            &mut StatePool::default(),
            true,
        );
        out.into_iter().zip(printed).collect()
    }

    fn expand(&self, state: &State, sink: Sink<'_>, pool: &mut StatePool, keep_output: bool) {
        let Interpreter { program, patience } = *self;
        let timeout = false;
        let mut expansion =
            Expansion { program, state, timeout, sink, pool, keep_output, patience };
        if let Some(pid) = state.exclusive {
            if !expansion.process(pid) {
                let released = State { exclusive: None, ..expansion.pool.copy(state) };
                let step = Step::Release(pid);
                (expansion.sink)(
                    Successor { step, state: Some(released), errors: Vec::new() },
                    None,
                );
            }
            return;
        }
        if !expansion.all_processes() {
            expansion.timeout = true;
            expansion.all_processes();
        }
    }
}

type Sink<'s> = &'s mut dyn FnMut(Successor, Option<String>);

/// The computation of the successors of one state.
struct Expansion<'a, 's> {
    program: &'a Program,
    state: &'a State,
    timeout: bool,
    sink: Sink<'s>,
    /// Discarded states, reused for copies.
    pool: &'s mut StatePool,
    keep_output: bool,
    patience: Patience<'a>,
}

impl<'a> Expansion<'a, '_> {
    /// Tries the youngest process first, as SPIN does. Returns whether a step was enabled.
    fn all_processes(&mut self) -> bool {
        let mut moved = false;
        for pid in (0..self.state.processes.len()).rev() {
            moved |= self.process(pid as Pid);
        }
        moved
    }

    fn process(&mut self, pid: Pid) -> bool {
        let noted = RefCell::default();
        let context = self.context(pid, None, &noted);
        match context.may_move() {
            Ok(true) => self.transitions(&context),
            Ok(false) => false,
            Err(error) => {
                self.report_error(pid, 0, error);
                true
            }
        }
    }

    /// Tries the transitions of the context's process, in order.
    fn transitions(&mut self, context: &Context<'_>) -> bool {
        let process = &context.state.processes[usize::from(context.pid)];
        let process_type = context.program.process_type(process.process_type);
        let mut moved = false;
        let mut escape = 0;
        for (index, transition) in
            process_type.location(process.location).transitions.iter().enumerate()
        {
            if escape > 0 && transition.escape != escape {
                break;
            }
            if moved && matches!(transition.operation, Operation::Else) {
                continue;
            }
            if self.attempt(context, index, transition, moved && process_type.deterministic) {
                moved = true;
                escape = transition.escape;
            }
        }
        moved
    }

    /// Performs the transition if it is enabled.
    fn attempt(
        &mut self,
        context: &Context<'_>,
        index: usize,
        transition: &Transition,
        second_choice: bool,
    ) -> bool {
        let pid = context.pid;
        let enabled = context.is_enabled(&transition.operation);
        if matches!(enabled, Ok(false)) {
            if !context.noted.borrow().is_empty() {
                let step = Step::Refused(self.this_move(pid, index));
                (self.sink)(Successor { step, state: None, errors: context.noted.take() }, None);
            }
            return false;
        }
        // These errors are noted again when the operation is performed.
        context.noted.take();
        let mut machine = Machine {
            program: self.program,
            state: self.pool.copy(context.state),
            pid,
            timeout: context.timeout,
            spawned: 0,
            handshake: context.handshake,
            noted: RefCell::default(),
            output: self.keep_output.then(String::new),
            patience: self.patience,
        };
        if let Err(error) = enabled.and_then(|_| machine.perform(&transition.operation)) {
            let error = match error {
                RuntimeError::DStepUnfinished { steps, stopped, .. } => {
                    let line = self.program.origin(transition.origin).line;
                    RuntimeError::DStepUnfinished { line, steps, stopped }
                }
                other => other,
            };
            for error in machine.noted.take().into_iter().chain([error]) {
                self.report_error(pid, index, error);
            }
            return true;
        }
        if second_choice {
            machine.noted.borrow_mut().push(RuntimeError::Nondeterminism);
        }
        let this = self.this_move(pid, index);
        machine.arrive(transition, context.handshake.is_some());
        if machine.handshake.is_some() {
            let met = self.complete_rendezvous(&machine, this);
            self.pool.give(machine.state);
            return met;
        }
        let errors = machine.noted.take();
        let successor = Successor { step: Step::Move(this), state: Some(machine.state), errors };
        (self.sink)(successor, machine.output);
        true
    }

    /// After a send, adds a successor for each process that can receive the message.
    fn complete_rendezvous(&mut self, sent: &Machine<'a>, send: Move) -> bool {
        let mut met = false;
        let sink = &mut *self.sink;
        let mut join = |successor: Successor, output: Option<String>| {
            let (Step::Move(receive) | Step::Refused(receive)) = successor.step else {
                unreachable!("a receive is one move")
            };
            if let Step::Refused(_) = successor.step {
                return sink(successor, output);
            }
            let mut errors = sent.noted.borrow().clone();
            errors.extend(successor.errors);
            sink(
                Successor {
                    step: Step::Rendezvous { send, receive },
                    state: successor.state,
                    errors,
                },
                output,
            );
        };
        let mut half_way = Expansion {
            program: self.program,
            state: &sent.state,
            timeout: self.timeout,
            sink: &mut join,
            pool: &mut *self.pool,
            keep_output: self.keep_output,
            patience: self.patience,
        };
        for pid in (0..sent.state.processes.len()).rev().map(|pid| pid as Pid) {
            if pid == send.pid {
                continue;
            }
            let noted = RefCell::default();
            let receiver = half_way.context(pid, sent.handshake, &noted);
            if receiver.is_provided() == Ok(true) {
                met |= half_way.transitions(&receiver);
            }
        }
        met
    }

    fn context<'c>(
        &self,
        pid: Pid,
        handshake: Option<i32>,
        noted: &'c RefCell<Vec<RuntimeError>>,
    ) -> Context<'c>
    where
        'a: 'c,
    {
        Context {
            program: self.program,
            state: self.state,
            pid,
            outside: false,
            timeout: self.timeout,
            spawned: 0,
            handshake,
            nesting: 0,
            noted,
        }
    }

    fn this_move(&self, pid: Pid, transition: usize) -> Move {
        let process = &self.state.processes[usize::from(pid)];
        Move {
            pid,
            process_type: process.process_type,
            location: process.location.0,
            transition: transition as u32,
        }
    }

    fn report_error(&mut self, pid: Pid, transition: usize, error: RuntimeError) {
        let step = Step::Move(self.this_move(pid, transition));
        (self.sink)(Successor { step, state: None, errors: vec![error] }, None);
    }
}

impl Machine<'_> {
    /// Moves the process to the transition's target, where it keeps or gives up control.
    /// `receiving` completes a rendezvous.
    fn arrive(&mut self, transition: &Transition, receiving: bool) {
        if self.program.remembers_partner {
            // In the middle of a rendezvous, the sender was the last process to move.
            self.state.partner = if receiving { self.state.last } else { self.pid };
        }
        if self.program.remembers_last {
            self.state.last = self.pid;
        }
        if !matches!(transition.operation, Operation::End) {
            self.state.processes[usize::from(self.pid)].location = transition.target;
            self.forget();
        }
        let keeps = transition.keeps_control && self.handshake.is_none();
        self.state.exclusive = keeps.then_some(self.pid);
    }
}

impl Interpreter<'_> {
    /// All initial states, or the error raised in computing one.
    pub fn initial_states(&self) -> Result<Vec<State>, RuntimeError> {
        initial::initial_states(self.program)
    }

    /// Appends the successors of `state`, always in the same order.
    pub fn successors(&self, state: &State, out: &mut Vec<Successor>) {
        self.successors_reusing(state, out, &mut StatePool::default());
    }

    /// As [`successors`](Self::successors), reusing discarded states.
    pub fn successors_reusing(
        &self,
        state: &State,
        out: &mut Vec<Successor>,
        pool: &mut StatePool,
    ) {
        self.expand(state, &mut |successor, _| out.push(successor), pool, false);
    }

    /// Whether the state is inside an atomic sequence. Searches expand such states and do not store
    /// them.
    pub fn is_transient(&self, state: &State) -> bool {
        state.exclusive.is_some()
    }

    /// Whether a state without successors is a valid end state and not a deadlock.
    pub fn is_valid_end(&self, state: &State) -> bool {
        let at_rest = |process: &Process| {
            self.program.process_type(process.process_type).location(process.location).end
        };
        // An event trace must be at an end, too, unless all processes have ended.
        let trace_done = match &self.program.event_trace {
            Some(trace) if !state.processes.is_empty() => {
                state.event == trace.end || trace.resting.contains(&state.event)
            }
            _ => true,
        };
        (trace_done && state.processes.iter().all(at_rest))
            || self.program.end_condition.as_ref().is_some_and(|condition| {
                // An end condition without a value does not make the state a valid end.
                self.evaluate(state, condition).is_ok_and(|value| value != 0)
            })
    }

    /// Appends an error for each of the program's invariants that is false in `state`, or has no
    /// value in it.
    pub fn violated_invariants(&self, state: &State, out: &mut Vec<RuntimeError>) {
        for invariant in &self.program.invariants {
            match self.evaluate(state, &invariant.condition) {
                Ok(0) => out.push(RuntimeError::AssertionViolated(invariant.name.clone())),
                Ok(_) => {}
                Err(error) => out.push(error),
            }
        }
    }
}
