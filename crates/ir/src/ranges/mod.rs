//! Ranges of variables: an interval analysis by abstract interpretation (Cousot and Cousot 1977).
//!
//! Variables written by one process only (its locals, and globals of which it is the only writer)
//! are analysed per location. Other globals and the fields of messages have one interval for all
//! locations; but inside an atomic sequence or a d_step no other process moves, so facts about
//! globals stay true there until control may be given up. Growing intervals are widened, up to the
//! bounds of variables that count processes.
//!
//! `interval` is the arithmetic, `environment` the facts at a location, `expression` and
//! `operation` the abstract semantics, `widening` ensures termination, `instances` bounds the
//! number of processes, `counts` finds variables that count processes. This file owns the
//! iteration. Nothing here knows layouts (except for the type of intervals) or how the result is
//! used.

mod counts;
mod environment;
mod expression;
mod instances;
mod interval;
mod operation;
mod value;
mod widening;

pub use counts::Count;
pub(crate) use instances::Instances;

use crate::access::Channels;
use crate::budget::{Budget, UNLIMITED};
use crate::expression::{Expr, Place, Scope};
use crate::interp::{Machine, Patience};
use crate::layout::Interval;
use crate::program::{
    ChannelTypeId, LocationId, Operation, ProcessTypeId, Program, Transition, VariableId,
};
use crate::state::State;
use environment::Environment;
use expression::Reader;
use interval::{common, truth};
use operation::Effects;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use widening::Thresholds;

/// Intervals that contain every value in every reachable state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranges {
    globals: Vec<Interval>,
    locals: Vec<Vec<Interval>>,
    fields: Vec<Vec<Interval>>,
    /// By global variable: its count, if it counts processes.
    counts: Vec<Option<Count>>,
    /// By global variable, and by process type and variable: all stored values, including those
    /// that only exist inside a step.
    global_stores: Vec<Interval>,
    local_stores: Vec<Vec<Interval>>,
    /// The most processes and channels that can exist at a time.
    most_processes: u32,
    most_channels: u32,
}

impl Ranges {
    /// The most processes that can exist at a time.
    pub fn most_processes(&self) -> u32 {
        self.most_processes
    }

    /// The most channels that can exist at a time.
    pub fn most_channels(&self) -> u32 {
        self.most_channels
    }

    /// The interval of all elements of a global variable.
    pub fn global(&self, variable: VariableId) -> Interval {
        self.globals[variable.index()]
    }

    /// The global variables that count processes at locations.
    pub fn counts(&self) -> impl Iterator<Item = (VariableId, &Count)> {
        let numbered = (0..).zip(&self.counts);
        numbered.filter_map(|(number, count)| Some((VariableId(number), count.as_ref()?)))
    }

    /// The interval of all elements of a variable, in all processes of the type.
    pub fn local(&self, kind: ProcessTypeId, variable: VariableId) -> Interval {
        self.locals[kind.index()][variable.index()]
    }

    /// The interval of a field, in all messages of all channels of the type; the default if no
    /// message is ever sent.
    pub fn channel_field(&self, kind: ChannelTypeId, field: usize) -> Interval {
        self.fields[kind.index()][field]
    }
}

impl Ranges {
    /// A description of a value in the state outside its interval; `None` in reachable states.
    pub fn outside(&self, program: &Program, state: &State) -> Option<String> {
        let strange =
            |held: &[i32], variables: &crate::program::Variables, intervals: &[Interval]| {
                let mut pairs = variables.iter().zip(intervals);
                pairs.find_map(|(variable, interval)| {
                    let values = &held[variable.slots()];
                    let wrong =
                        values.iter().find(|&&value| !interval.contains(Interval::point(value)))?;
                    Some(format!("{} is {wrong}, not within {interval:?}", variable.name))
                })
            };
        let in_process = |process: &crate::state::Process| {
            let kind = process.process_type;
            strange(
                &process.locals,
                &program.process_type(kind).variables,
                &self.locals[kind.index()],
            )
        };
        let in_channel = |channel: &crate::state::Channel| {
            let intervals = &self.fields[channel.channel_type.index()];
            let mut messages =
                channel.contents.chunks(intervals.len()).flat_map(|one| one.iter().zip(intervals));
            let (wrong, interval) =
                messages.find(|(value, interval)| !interval.contains(Interval::point(**value)))?;
            let name = &program.channel_type(channel.channel_type).name;
            Some(format!("{wrong} in a message of {name}, not within {interval:?}"))
        };
        strange(&state.globals, &program.variables, &self.globals)
            .or_else(|| state.processes.iter().find_map(in_process))
            .or_else(|| state.channels.iter().find_map(in_channel))
    }
}

/// Analyses a program, which must follow the rules of the IR.
pub fn analyse(program: &Program) -> Ranges {
    analyse_within(program, &UNLIMITED)
}

/// As [`analyse`], within a budget; if it runs out, the result is the domains.
pub fn analyse_within(program: &Program, budget: &Budget) -> Ranges {
    let Some(mut analysis) = Analysis::new(program) else { return everything(program) };
    match analysis.iterate(budget) {
        Ok(()) => analysis.result(),
        Err(Interrupted) => everything(program),
    }
}

/// The budget ran out before the analysis reached its fixpoint.
struct Interrupted;

/// The result without an analysis: the domains.
fn everything(program: &Program) -> Ranges {
    let of = |variables: &crate::program::Variables| {
        variables.iter().map(|variable| Interval::of_domain(variable.domain)).collect()
    };
    let of_fields = |kind: &crate::program::ChannelType| {
        kind.fields.iter().map(|field| Interval::of_domain(field.domain)).collect()
    };
    let globals: Vec<Interval> = of(&program.variables);
    let locals: Vec<Vec<Interval>> =
        program.process_types.iter().map(|kind| of(&kind.variables)).collect();
    Ranges {
        counts: vec![None; globals.len()],
        global_stores: globals.clone(),
        local_stores: locals.clone(),
        globals,
        locals,
        most_processes: MOST_COMPONENTS,
        most_channels: MOST_COMPONENTS,
        fields: program.channel_types.iter().map(of_fields).collect(),
    }
}

/// A part of the state with one interval for all locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cell {
    Global(VariableId),
    /// A local variable, for reads by other processes.
    Local(ProcessTypeId, VariableId),
    Field(ChannelTypeId, usize),
}

#[derive(Clone, Debug)]
struct Content {
    value: Option<Interval>,
    limit: Interval,
    growths: u32,
    /// Locations whose steps read the cell.
    readers: Vec<(ProcessTypeId, LocationId)>,
}

/// The facts at a location.
#[derive(Clone, Debug, Default)]
struct Knowledge {
    /// While the process has exclusive control, inside an atomic sequence.
    controlled: Option<Environment>,
    /// While any process can move.
    free: Option<Environment>,
    visits: u32,
    waiting: bool,
}

/// The most processes, and the most channels, of a state.
const MOST_COMPONENTS: u32 = 255;

/// The number of times an interval may grow before it is widened. Not measured.
const GROWTHS_BEFORE_WIDENING: u32 = 3;

struct Analysis<'p> {
    program: &'p Program,
    channels: Channels<'p>,
    instances: Instances,
    thresholds: Thresholds,
    globals: Vec<Content>,
    locals: Vec<Vec<Content>>,
    fields: Vec<Vec<Content>>,
    /// By global: its count, if it counts processes.
    counts: Vec<Option<Count>>,
    /// The values of globals before any process exists.
    start: Vec<Interval>,
    /// By global: the type of the single process that writes it, if there is only one.
    owner: Vec<Option<ProcessTypeId>>,
    /// All stored values, including those that are overwritten within the step.
    global_stores: Vec<Option<Interval>>,
    local_stores: Vec<Vec<Option<Interval>>>,
    knowledge: Vec<Vec<Knowledge>>,
    waiting: Vec<(ProcessTypeId, LocationId)>,
    /// SPIN's numbers of all locations, for `pc_value`.
    location_numbers: Interval,
}

impl<'p> Analysis<'p> {
    /// `None` if initialising the program certainly fails.
    fn new(program: &'p Program) -> Option<Analysis<'p>> {
        let start = start_values(program)?;
        let within = |limit, value: Option<Interval>| Content {
            value,
            limit,
            growths: 0,
            readers: Vec::new(),
        };
        let content = |value, domain| within(Interval::of_domain(domain), value);
        let instances = Instances::new(program);
        let counts = counts::counts(program, &instances, &start);
        let mut analysis = Analysis {
            program,
            channels: Channels::new(program),
            owner: owners(program, &instances),
            instances,
            thresholds: Thresholds::new(program),
            globals: program
                .variables
                .iter()
                .zip(start.iter().zip(&counts))
                .map(|(variable, (value, count))| match count {
                    Some(count) => within(count.values, Some(*value)),
                    None => content(Some(*value), variable.domain),
                })
                .collect(),
            counts,
            locals: program
                .process_types
                .iter()
                .map(|kind| {
                    kind.variables.iter().map(|variable| content(None, variable.domain)).collect()
                })
                .collect(),
            fields: program
                .channel_types
                .iter()
                .map(|kind| kind.fields.iter().map(|field| content(None, field.domain)).collect())
                .collect(),
            start,
            global_stores: vec![None; program.variables.len()],
            local_stores: program
                .process_types
                .iter()
                .map(|kind| vec![None; kind.variables.len()])
                .collect(),
            knowledge: program
                .process_types
                .iter()
                .map(|kind| vec![Knowledge::default(); kind.locations.len()])
                .collect(),
            waiting: Vec::new(),
            location_numbers: program
                .process_types
                .iter()
                .flat_map(|kind| &kind.locations)
                .fold(Interval::point(0), |all, location| {
                    all.join(Interval::point(location.number as i32))
                }),
        };
        analysis.find_readers();
        Some(analysis)
    }

    fn global(&self, variable: VariableId) -> Interval {
        let content = &self.globals[variable.index()];
        content.value.unwrap_or(content.limit)
    }

    fn local(&self, kind: ProcessTypeId, variable: VariableId) -> Option<Interval> {
        self.locals[kind.index()][variable.index()].value
    }

    fn field(&self, kind: ChannelTypeId, index: usize) -> Option<Interval> {
        self.fields[kind.index()][index].value
    }

    /// The facts that the single process of a type has, when it starts, about the globals it owns.
    fn owned_at_start(&self, kind: ProcessTypeId) -> Vec<(Rc<Place>, Interval)> {
        let own = (0u32..).zip(self.program.variables.iter()).filter(|(id, variable)| {
            self.owner[*id as usize] == Some(kind) && variable.dimensions.is_empty()
        });
        own.map(|(id, _)| {
            let place =
                Place { scope: Scope::Global, variable: VariableId(id), indices: Vec::new() };
            (Rc::new(place), self.start[id as usize])
        })
        .collect()
    }

    fn find_readers(&mut self) {
        let program = self.program;
        for (kind, process_type) in program.process_types.iter().enumerate() {
            let id = ProcessTypeId(kind as u32);
            for (number, location) in process_type.locations.iter().enumerate() {
                let reader = (id, LocationId(number as u32));
                let mut cells = Vec::new();
                for transition in &location.transitions {
                    self.cells_read(id, &transition.operation, &mut cells);
                }
                for cell in cells {
                    let readers = &mut self.content(cell).readers;
                    if readers.last() != Some(&reader) {
                        readers.push(reader);
                    }
                }
            }
        }
    }

    fn cells_read(&self, kind: ProcessTypeId, operation: &'p Operation, cells: &mut Vec<Cell>) {
        let mut visit = |expr: &Expr| collect_cells(expr, cells);
        operation.for_each_expression(&mut visit);
        operation.for_each_run(&mut |started| {
            for action in &self.program.process_type(started).prologue {
                action.for_each_expression(&mut visit);
            }
        });
        operation.for_each_receive(&mut |channel| {
            for kind in self.types_of(Reader { kind, prologue: false }, channel) {
                let fields = self.program.channel_type(kind).fields.len();
                cells.extend((0..fields).map(|field| Cell::Field(kind, field)));
            }
        });
    }

    fn content(&mut self, cell: Cell) -> &mut Content {
        match cell {
            Cell::Global(variable) => &mut self.globals[variable.index()],
            Cell::Local(kind, variable) => &mut self.locals[kind.index()][variable.index()],
            Cell::Field(kind, field) => &mut self.fields[kind.index()][field],
        }
    }

    /// Adds a value to a cell; if its interval grows, the locations that read it are revisited.
    fn add(&mut self, cell: Cell, value: Interval) {
        let content = self.content(cell);
        let limit = content.limit;
        // No run exceeds the limit of a variable that counts processes, although the abstract step
        // might.
        let Some(value) = common(value, limit) else { return };
        let grown = match content.value {
            None => value,
            Some(old) if old.contains(value) => return,
            Some(old) => {
                content.growths += 1;
                match content.growths > GROWTHS_BEFORE_WIDENING {
                    true => self.thresholds.widen(old, old.join(value), limit),
                    false => old.join(value),
                }
            }
        };
        let content = self.content(cell);
        content.value = Some(grown);
        for (kind, location) in content.readers.clone() {
            self.wait(kind, location);
        }
    }

    fn wait(&mut self, kind: ProcessTypeId, location: LocationId) {
        let knowledge = &mut self.knowledge[kind.index()][location.index()];
        let known = knowledge.free.is_some() || knowledge.controlled.is_some();
        if known && !std::mem::replace(&mut knowledge.waiting, true) {
            self.waiting.push((kind, location));
        }
    }

    fn iterate(&mut self, budget: &Budget) -> Result<(), Interrupted> {
        let no_process = Environment { locals: Vec::new(), facts: Vec::new(), pending: Vec::new() };
        let kinds: BTreeSet<ProcessTypeId> =
            self.program.initial_processes.iter().map(|instance| instance.process_type).collect();
        for kind in kinds {
            let mut effects = Effects::default();
            let started = self.start(kind, None, &no_process, &mut effects);
            self.note_stores(&effects);
            if let Some(started) = started {
                self.arrive(kind, self.program.process_type(kind).initial_location, started, false);
            }
        }
        while let Some((kind, location)) = self.waiting.pop() {
            if budget.is_over() {
                return Err(Interrupted);
            }
            let knowledge = &mut self.knowledge[kind.index()][location.index()];
            knowledge.waiting = false;
            knowledge.visits += 1;
            let (free, controlled) = (knowledge.free.clone(), knowledge.controlled.clone());
            if let Some(free) = free {
                self.leave(kind, location, &free);
            }
            if let Some(controlled) = controlled {
                self.leave(kind, location, &controlled);
                if self.may_block(kind, location, &controlled) {
                    self.arrive(kind, location, controlled, false);
                }
            }
        }
        Ok(())
    }

    /// Applies every step from the location to the facts there.
    fn leave(&mut self, kind: ProcessTypeId, location: LocationId, known: &Environment) {
        let program = self.program;
        let reader = Reader { kind, prologue: false };
        let transitions = &program.process_type(kind).location(location).transitions;
        for (index, transition) in transitions.iter().enumerate() {
            let mut known = known.clone();
            if transition.operation == Operation::Else
                && self.assume_else(reader, &mut known, &transitions[..index]).is_none()
            {
                continue;
            }
            let mut effects = Effects::default();
            let after = self.after(reader, known, &transition.operation, &mut effects);
            self.note_stores(&effects);
            for (channel_type, field, value) in effects.sent {
                self.add(Cell::Field(channel_type, field), value);
            }
            for (started, environment) in effects.started {
                let initial = program.process_type(started).initial_location;
                self.arrive(started, initial, environment, false);
            }
            let Some(after) = after else { continue };
            for &(variable, value) in &after.pending {
                self.add(Cell::Global(variable), value);
            }
            if transition.keeps_control {
                self.arrive(kind, transition.target, after.clone(), true);
            }
            if !transition.keeps_control || self.passes_control(reader, transition) {
                self.arrive(kind, transition.target, after, false);
            }
        }
    }

    fn note_stores(&mut self, effects: &Effects) {
        for &(owner, variable, value) in &effects.stored {
            let known = match owner {
                Some(kind) => &mut self.local_stores[kind.index()][variable.index()],
                None => &mut self.global_stores[variable.index()],
            };
            *known = Some(known.map_or(value, |known| known.join(value)));
        }
    }

    /// Whether the step may be a rendezvous, after which the receiver has control.
    fn passes_control(&self, reader: Reader, transition: &Transition) -> bool {
        match &transition.operation {
            Operation::Send { channel, .. } => self
                .types_of(reader, channel)
                .into_iter()
                .any(|kind| self.program.channel_type(kind).capacity == 0),
            _ => false,
        }
    }

    /// Whether a process with exclusive control may be blocked here.
    fn may_block(&self, kind: ProcessTypeId, location: LocationId, known: &Environment) -> bool {
        let process_type = self.program.process_type(kind);
        let reader = Reader { kind, prologue: false };
        let goes_on = |transition: &Transition| match &transition.operation {
            Operation::Guarded { guard, .. } => {
                self.value(reader, known, guard).is_none_or(|value| truth(value) == Some(true))
            }
            Operation::Else => true,
            _ => false,
        };
        self.program.has_priorities
            || process_type.provided.is_some()
            || !process_type.location(location).transitions.iter().any(goes_on)
    }

    fn arrive(
        &mut self,
        kind: ProcessTypeId,
        location: LocationId,
        mut new: Environment,
        controlled: bool,
    ) {
        new.pending.clear();
        let process_type = self.program.process_type(kind);
        for &variable in &process_type.location(location).dead {
            new.forget(variable, process_type.variables.get(variable).domain);
        }
        if !controlled {
            let owner = &self.owner;
            new.keep_facts(|variable| owner[variable.index()] == Some(kind));
        }
        for (index, value) in new.locals.iter().enumerate() {
            self.add(Cell::Local(kind, VariableId(index as u32)), *value);
        }
        let knowledge = &mut self.knowledge[kind.index()][location.index()];
        let widens = knowledge.visits > GROWTHS_BEFORE_WIDENING;
        let known = if controlled { &mut knowledge.controlled } else { &mut knowledge.free };
        let changed = match known {
            Some(known) => known.absorb(self.program, process_type, &new, widens, &self.thresholds),
            None => {
                *known = Some(new);
                true
            }
        };
        if changed {
            self.wait(kind, location);
        }
    }

    fn result(&self) -> Ranges {
        // The intervals at the locations are more precise than that of the cell, which was widened.
        let local = |kind: usize, variable: usize| {
            let known = self.knowledge[kind]
                .iter()
                .flat_map(|place| place.free.iter().chain(&place.controlled));
            let value = known.map(|known| known.locals[variable]).reduce(Interval::join);
            let domain =
                self.program.process_types[kind].variables.get(VariableId(variable as u32)).domain;
            value.unwrap_or(Interval::point(domain.default_value()))
        };
        let field = |content: &Content, domain: crate::domain::Domain| {
            content.value.unwrap_or(Interval::point(domain.default_value()))
        };
        let globals: Vec<Interval> =
            (0..self.globals.len() as u32).map(|id| self.global(VariableId(id))).collect();
        let locals: Vec<Vec<Interval>> = (0..self.locals.len())
            .map(|kind| {
                (0..self.locals[kind].len()).map(|variable| local(kind, variable)).collect()
            })
            .collect();
        let with_stores = |held: &[Interval], stores: &[Option<Interval>]| {
            let both = held.iter().zip(stores);
            both.map(|(held, stores)| stores.map_or(*held, |stores| held.join(stores))).collect()
        };
        Ranges {
            global_stores: with_stores(&globals, &self.global_stores),
            local_stores: locals
                .iter()
                .zip(&self.local_stores)
                .map(|(held, stores)| with_stores(held, stores))
                .collect(),
            globals,
            locals,
            counts: self.counts.clone(),
            most_processes: self.instances.most_processes(),
            most_channels: self.instances.most_channels(),
            fields: self
                .fields
                .iter()
                .zip(&self.program.channel_types)
                .map(|(contents, kind)| {
                    let pairs = contents.iter().zip(&kind.fields);
                    pairs.map(|(content, of)| field(content, of.domain)).collect()
                })
                .collect(),
        }
    }
}

fn collect_cells(expr: &Expr, cells: &mut Vec<Cell>) {
    match expr {
        Expr::Read(place) if place.scope == Scope::Global => {
            cells.push(Cell::Global(place.variable))
        }
        Expr::ReadRemote { process_type, variable, .. } => {
            cells.push(Cell::Local(*process_type, *variable))
        }
        _ => {}
    }
    expr.for_each_child(&mut |child| collect_cells(child, cells));
}

/// The values of globals after the program's prologue; those in an initial condition may have any
/// value.
fn start_values(program: &Program) -> Option<Vec<Interval>> {
    let mut machine = Machine {
        program,
        state: State::empty(program),
        pid: 0,
        timeout: false,
        spawned: 0,
        handshake: None,
        noted: RefCell::default(),
        output: None,
        patience: Patience::default(),
    };
    for action in &program.prologue {
        machine.act(action).ok()?;
    }
    let mut values: Vec<Interval> = program
        .variables
        .iter()
        .map(|variable| {
            let held =
                machine.state.globals[variable.slots()].iter().map(|&value| Interval::point(value));
            held.reduce(Interval::join).unwrap_or(Interval::point(0))
        })
        .collect();
    if let Some(condition) = &program.initial_condition {
        let mut cells = Vec::new();
        collect_cells(condition, &mut cells);
        for cell in cells {
            if let Cell::Global(variable) = cell {
                values[variable.index()] =
                    Interval::of_domain(program.variables.get(variable).domain);
            }
        }
    }
    Some(values)
}

/// By global: the type of the single process that writes it, if there is only one.
fn owners(program: &Program, instances: &Instances) -> Vec<Option<ProcessTypeId>> {
    let mut writers: Vec<BTreeSet<ProcessTypeId>> = vec![BTreeSet::new(); program.variables.len()];
    for (kind, process_type) in program.process_types.iter().enumerate() {
        for transition in process_type.locations.iter().flat_map(|location| &location.transitions) {
            transition.operation.for_each_written(&mut |place| {
                if place.scope == Scope::Global {
                    writers[place.variable.index()].insert(ProcessTypeId(kind as u32));
                }
            });
        }
    }
    writers
        .into_iter()
        .map(|writers| match writers.len() {
            1 => writers.into_iter().next().filter(|&kind| instances.is_single(kind)),
            _ => None,
        })
        .collect()
}
