//! Printing of programs: everything in program order, one transition per line.

use super::lexer::{quote, spell_name};
use super::print_expression::Printer;
use crate::program::{
    Action, Body, BranchKind, EventTrace, Instance, LocationId, Operation, PrintPart, ProcessType,
    ProcessTypeId, Program, Transition,
};
use std::fmt::Write;

/// The text of a program; [`parse`](super::parse) reads the same program back.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    let mut printer = Printer::new(program);
    printer.declarations(&mut out);
    for id in 0..program.process_types.len() {
        printer.process_type = Some(id);
        printer.process(id, &mut out);
    }
    printer.process_type = None;
    printer.beginning(&mut out);
    for invariant in &program.invariants {
        let condition = printer.expression(&invariant.condition);
        line(
            &mut out,
            0,
            format!("assert {}: {condition} @{}", spell_name(&invariant.name), invariant.origin.0),
        );
    }
    if let Some(condition) = &program.end_condition {
        line(&mut out, 0, format!("end {}", printer.expression(condition)));
    }
    if let Some(trace) = &program.event_trace {
        printer.event_trace(trace, &mut out);
    }
    for (id, origin) in program.origins.iter().enumerate() {
        let (file, text) = (quote(&origin.file, '"'), quote(&origin.text, '"'));
        let extent = origin.extent.map_or_else(String::new, |extent| {
            format!(" columns {} {} {}", extent.column, extent.end_line, extent.end_column)
        });
        line(
            &mut out,
            0,
            format!("origin {id} {file} {} {} {text}{extent}", origin.line, origin.number),
        );
    }
    out
}

fn line(out: &mut String, depth: usize, text: impl std::fmt::Display) {
    writeln!(out, "{:indent$}{text}", "", indent = 2 * depth).expect("a string takes all");
}

impl Printer<'_> {
    fn declarations(&self, out: &mut String) {
        let program = self.program;
        if program.has_priorities {
            line(out, 0, "option priorities");
        }
        if program.remembers_last {
            line(out, 0, "option last");
        }
        if program.remembers_partner {
            line(out, 0, "option partner");
        }
        for set in &program.name_sets {
            let names: Vec<String> = set.names.iter().map(|name| spell_name(name)).collect();
            line(out, 0, format!("names {} {{ {} }}", spell_name(&set.name), names.join(", ")));
        }
        for kind in &program.channel_types {
            let fields: Vec<String> = kind
                .fields
                .iter()
                .map(|field| self.value_type(field.domain, field.meaning))
                .collect();
            let (name, capacity) = (spell_name(&kind.name), kind.capacity);
            line(out, 0, format!("channel {name} [{capacity}] ({})", fields.join(", ")));
        }
        for variable in program.variables.iter() {
            line(out, 0, format!("var {}", self.variable(variable)));
        }
    }

    fn process(&self, id: usize, out: &mut String) {
        let kind = &self.program.process_types[id];
        let parameters = kind.parameters as usize;
        let heading: Vec<String> = kind
            .variables
            .iter()
            .take(parameters)
            .map(|variable| self.variable(variable))
            .collect();
        line(out, 0, format!("proctype {}({}) {{", spell_name(&kind.name), heading.join(", ")));
        for variable in kind.variables.iter().skip(parameters) {
            line(out, 1, format!("var {}", self.variable(variable)));
        }
        self.process_options(kind, out);
        self.prologue(&kind.prologue, 1, out);
        for (index, location) in kind.locations.iter().enumerate() {
            let mut heading = format!("location {index}");
            for label in &location.labels {
                write!(heading, " {}", spell_name(label)).expect("a string takes all");
            }
            let mut marks = Vec::new();
            marks.extend(location.end.then(|| "end".to_string()));
            marks.extend(location.accept.then(|| "accept".to_string()));
            marks.extend(location.progress.then(|| "progress".to_string()));
            marks.extend(
                (location.number != index as u32).then(|| format!("number {}", location.number)),
            );
            let dead: String =
                location.dead.iter().map(|variable| format!(" #{}", variable.0)).collect();
            marks.extend((!dead.is_empty()).then(|| format!("dead{dead}")));
            if !marks.is_empty() {
                write!(heading, " [{}]", marks.join(", ")).expect("a string takes all");
            }
            line(out, 1, heading + " {");
            for transition in &location.transitions {
                self.transition(
                    ProcessTypeId(id as u32),
                    LocationId(index as u32),
                    transition,
                    out,
                );
            }
            line(out, 1, "}");
        }
        line(out, 0, "}");
    }

    fn process_options(&self, kind: &ProcessType, out: &mut String) {
        if kind.deterministic {
            line(out, 1, "deterministic");
        }
        if let Some(condition) = &kind.provided {
            line(out, 1, format!("provided {}", self.expression(condition)));
        }
        for claim in &kind.exclusive {
            let way = if claim.receive { "receive" } else { "send" };
            line(out, 1, format!("exclusive {way} {}", self.expression(&claim.channel)));
        }
        if kind.initial_location != LocationId(0) {
            line(out, 1, format!("start {}", kind.initial_location.0));
        }
    }

    fn prologue(&self, actions: &[Action], depth: usize, out: &mut String) {
        if !actions.is_empty() {
            line(out, depth, format!("prologue {{ {} }}", self.actions(actions)));
        }
    }

    fn transition(
        &self,
        kind: ProcessTypeId,
        at: LocationId,
        transition: &Transition,
        out: &mut String,
    ) {
        let mut text = self.operation(&transition.operation, 2);
        if transition.target != at {
            write!(text, " goto {}", self.location(kind, transition.target))
                .expect("a string takes all");
        }
        if transition.keeps_control {
            text += " atomic";
        }
        if transition.escape > 0 {
            write!(text, " escape {}", transition.escape).expect("a string takes all");
        }
        line(out, 2, format!("{text} @{}", transition.origin.0));
    }

    fn operation(&self, operation: &Operation, depth: usize) -> String {
        match operation {
            skip if *skip == Operation::SKIP => "skip".into(),
            Operation::Guarded { guard, actions } if actions.is_empty() => {
                format!("when {}", self.expression(guard))
            }
            Operation::Guarded { guard, actions } if *guard == crate::Expr::TRUE => {
                format!("do {}", self.actions(actions))
            }
            Operation::Guarded { guard, actions } => {
                format!("when {} -> {}", self.expression(guard), self.actions(actions))
            }
            Operation::Else => "else".into(),
            Operation::End => "terminate".into(),
            Operation::Send { channel, arguments, sorted } => {
                let mark = if *sorted { "!!" } else { "!" };
                format!(
                    "send {} {mark} ({})",
                    self.expression(channel),
                    self.expressions(arguments)
                )
            }
            Operation::Receive { channel, patterns, random, keep } => {
                let word = if *keep { "peek" } else { "receive" };
                let mark = if *random { "??" } else { "?" };
                format!("{word} {} {mark} ({})", self.expression(channel), self.patterns(patterns))
            }
            Operation::Deterministic(body) => self.body(body, depth),
        }
    }

    fn body(&self, body: &Body, depth: usize) -> String {
        let mut out = String::from("d_step {\n");
        for (index, branches) in body.nodes.iter().enumerate() {
            line(&mut out, depth + 1, format!("node {index} {{"));
            for branch in branches {
                let what = match &branch.kind {
                    BranchKind::Enter => "enter".into(),
                    BranchKind::Operation(operation) => self.operation(operation, depth + 2),
                };
                let next = branch.next.map_or("leave".to_string(), |next| format!("goto {next}"));
                line(&mut out, depth + 2, format!("{what} {next} @{}", branch.origin.0));
            }
            line(&mut out, depth + 1, "}");
        }
        write!(out, "{:indent$}}}", "", indent = 2 * depth).expect("a string takes all");
        out
    }

    fn actions(&self, actions: &[Action]) -> String {
        actions.iter().map(|action| self.action(action)).collect::<Vec<_>>().join("; ")
    }

    fn action(&self, action: &Action) -> String {
        match action {
            Action::Assign(assignments) => match assignments.as_slice() {
                [(place, value)] => format!("{} := {}", self.place(place), self.expression(value)),
                _ => {
                    let places: Vec<String> =
                        assignments.iter().map(|(place, _)| self.place(place)).collect();
                    let values = self.expressions(assignments.iter().map(|(_, value)| value));
                    format!("({}) := ({values})", places.join(", "))
                }
            },
            Action::NewChannel { place, channel_type } => {
                let name = self
                    .program
                    .channel_types
                    .get(channel_type.index())
                    .map(|kind| kind.name.as_str());
                let name = self.reference(&self.symbols.channel_types, name, channel_type.0);
                format!("{} := new {name}", self.place(place))
            }
            Action::Run { process_type, arguments, priority } => {
                let name = self.process_type_name(*process_type);
                format!("run {name}({}){}", self.expressions(arguments), spell_priority(*priority))
            }
            Action::Assert { condition, text } => {
                format!("assert {} {}", self.expression(condition), self.text(text))
            }
            Action::Print { format } => {
                let parts: Vec<String> = format.iter().map(|part| self.print_part(part)).collect();
                format!("print({})", parts.join(", "))
            }
            Action::SetPriority { process, priority } => {
                format!("set_priority({}, {})", self.expression(process), self.expression(priority))
            }
        }
    }

    fn print_part(&self, part: &PrintPart) -> String {
        match part {
            PrintPart::Text(text) => self.text(text),
            PrintPart::Decimal(value) => format!("%d {}", self.expression(value)),
            PrintPart::Unsigned(value) => format!("%u {}", self.expression(value)),
            PrintPart::Hexadecimal(value) => format!("%x {}", self.expression(value)),
            PrintPart::Octal(value) => format!("%o {}", self.expression(value)),
            PrintPart::Character(value) => format!("%c {}", self.expression(value)),
            PrintPart::Name(value, set) => {
                format!("%e {} as {}", self.expression(value), self.name_set(*set))
            }
        }
    }

    /// The prologue, the initial condition and the initial processes.
    fn beginning(&self, out: &mut String) {
        self.prologue(&self.program.prologue, 0, out);
        if let Some(condition) = &self.program.initial_condition {
            line(out, 0, format!("init {}", self.expression(condition)));
        }
        for Instance { process_type, priority } in &self.program.initial_processes {
            let name = self.process_type_name(*process_type);
            line(out, 0, format!("start {name}{}", spell_priority(*priority)));
        }
    }

    fn event_trace(&self, trace: &EventTrace, out: &mut String) {
        let word = if trace.negated { "notrace" } else { "trace" };
        let scopes = (self.expressions(&trace.send_scope), self.expressions(&trace.receive_scope));
        let (start, end) = (trace.initial, trace.end);
        let resting: Vec<String> = trace.resting.iter().map(u32::to_string).collect();
        let resting = if resting.is_empty() {
            String::new()
        } else {
            format!(" resting ({})", resting.join(", "))
        };
        line(
            out,
            0,
            format!(
                "{word} start {start} end {end}{resting} send ({}) receive ({}) {{",
                scopes.0, scopes.1
            ),
        );
        for (index, events) in trace.locations.iter().enumerate() {
            line(out, 1, format!("node {index} {{"));
            for event in events {
                let (way, mark) = if event.send { ("send", "!") } else { ("receive", "?") };
                let fields: Vec<String> = event
                    .fields
                    .iter()
                    .map(|field| field.as_ref().map_or("_".into(), |value| self.expression(value)))
                    .collect();
                let channel = self.expression(&event.channel);
                line(
                    out,
                    2,
                    format!("{way} {channel} {mark} ({}) goto {}", fields.join(", "), event.target),
                );
            }
            line(out, 1, "}");
        }
        line(out, 0, "}");
    }
}

fn spell_priority(priority: u8) -> String {
    if priority == 1 { String::new() } else { format!(" priority {priority}") }
}
