//! Random walks through random programs: steps read and write only what [`lariat_ir::access`] says.

mod common;

use common::{Choices, Kind, build, numbers, walk};
use lariat_ir::access::{Access, AccessTable, Resource, overlap};
use lariat_ir::domain::Domain;
use lariat_ir::program::{LocationId, Meaning, ProcessTypeId, Program, VariableId, Variables};
use lariat_ir::state::{Pid, State};
use lariat_ir::system::{Move, Step, Successor};
use lariat_ir::text::print;
use lariat_ir::{Interpreter, RuntimeError};
use proptest::prelude::*;

const STEPS: usize = 12;

proptest! {
    #![proptest_config(seeded::cases(4000))]

    #[test]
    fn steps_change_only_their_writes(from in numbers(), path in numbers()) {
        let program = build(Kind::Runnable, from);
        let table = AccessTable::new(&program);
        let mut failure = None;
        walk(&program, &mut Choices::new(path), STEPS, |state, successors, _| {
            for successor in successors {
                let Some(mover) = mover(&successor.step) else { continue };
                let Some(after) = &successor.state else { continue };
                let access = access_of(&table, mover);
                let missing = changes(state, after)
                    .into_iter()
                    .find(|part| !part.is_in(&access.writes, &program, state, mover));
                if let Some(part) = missing {
                    let text = print(&program);
                    failure = Some(format!("{part:?} by {mover:?}: {access:#?}\n{text}"));
                }
            }
        });
        prop_assert!(failure.is_none(), "{}", failure.unwrap_or_default());
    }

    #[test]
    fn steps_depend_only_on_their_reads(from in numbers(), path in numbers()) {
        let program = build(Kind::Runnable, from);
        let table = AccessTable::new(&program);
        let mut failure = None;
        walk(&program, &mut Choices::new(path), STEPS, |state, successors, choices| {
            for _ in 0..4 {
                let Some((part, other)) = perturb(&program, state, choices) else { continue };
                let mut changed = Vec::new();
                Interpreter::new(&program).successors(&other, &mut changed);
                let (before, after) = ((state, successors), (&other, &changed[..]));
                if let Some(mover) = differs(&program, &table, part, before, after) {
                    failure = Some(format!(
                        "{mover:?} depends on {part:?}: {:#?}\n{state:?}\n{other:?}\n{}",
                        access_of(&table, mover),
                        print(&program)
                    ));
                }
            }
        });
        prop_assert!(failure.is_none(), "{}", failure.unwrap_or_default());
    }

    /// Steps of different processes that do not interfere lead to the same state in both orders.
    #[test]
    fn steps_that_do_not_interfere_commute(from in numbers(), path in numbers()) {
        let program = build(Kind::Runnable, from);
        let table = AccessTable::new(&program);
        let interpreter = Interpreter::new(&program);
        let then = |state: &State, step: Step| {
            let mut successors = Vec::new();
            interpreter.successors(state, &mut successors);
            let mut states: Vec<String> = successors
                .into_iter()
                .filter(|successor| successor.step == step)
                .map(|successor| format!("{:?} {:?}", successor.state, successor.errors))
                .collect();
            states.sort();
            states
        };
        let mut failure = None;
        walk(&program, &mut Choices::new(path), STEPS, |_, successors, _| {
            for (index, one) in successors.iter().enumerate() {
                for other in &successors[index + 1..] {
                    let (Some(a), Some(b)) = (mover(&one.step), mover(&other.step)) else {
                        continue;
                    };
                    let (Some(after_a), Some(after_b)) = (&one.state, &other.state) else {
                        continue;
                    };
                    let (access_a, access_b) = (access_of(&table, a), access_of(&table, b));
                    if a.pid == b.pid
                        || access_a.interferes(a.process_type, access_b, b.process_type)
                    {
                        continue;
                    }
                    let (ab, ba) = (then(after_a, other.step), then(after_b, one.step));
                    let no_errors = one.errors.is_empty() && other.errors.is_empty();
                    if ab.is_empty() || ab != ba && no_errors {
                        let text = print(&program);
                        failure = Some(format!("{a:?} {b:?}\n{ab:?}\n{ba:?}\n{text}"));
                    }
                }
            }
        });
        prop_assert!(failure.is_none(), "{}", failure.unwrap_or_default());
    }
}

/// The move whose access describes the step: for a rendezvous, the sender's.
fn mover(step: &Step) -> Option<Move> {
    match *step {
        Step::Move(mover) | Step::Rendezvous { send: mover, .. } => Some(mover),
        Step::Release(_) | Step::Refused(_) => None,
    }
}

fn access_of(table: &AccessTable, mover: Move) -> &Access {
    table.transition(mover.process_type, LocationId(mover.location), mover.transition as usize)
}

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Global(usize),
    Local(Pid, usize),
    Location(Pid),
    Priority(Pid),
    Channel(usize),
    Channels,
    Processes,
    Last,
    Event,
    Control,
}

impl Part {
    /// Whether a set of resources, as named by the mover, contains the part.
    fn is_in(
        self,
        set: &lariat_ir::access::Resources,
        program: &Program,
        state: &State,
        mover: Move,
    ) -> bool {
        let kind_of = |pid: Pid| state.processes[usize::from(pid)].process_type;
        let as_seen = match self {
            Part::Global(slot) => {
                let (variable, element) = element_at(&program.variables, slot);
                Resource::Global(variable, Some(element))
            }
            Part::Local(pid, slot) => {
                let (variable, element) =
                    element_at(&program.process_type(kind_of(pid)).variables, slot);
                match pid == mover.pid {
                    true => Resource::Local(variable, Some(element)),
                    false => Resource::Remote(kind_of(pid), variable, Some(element)),
                }
            }
            Part::Location(pid) if pid == mover.pid => Resource::Location,
            Part::Location(pid) => Resource::LocationOf(kind_of(pid)),
            Part::Priority(_) => Resource::Priorities,
            Part::Channel(number) => Resource::Channel(number as u32),
            Part::Channels => Resource::Channels,
            Part::Processes => Resource::Processes,
            Part::Last => Resource::Last,
            Part::Event => Resource::Event,
            Part::Control => Resource::Control,
        };
        let kind = mover.process_type;
        set.iter().any(|&resource| match (resource, as_seen) {
            // Both belong to the same process, while `overlap` compares two processes.
            (Resource::Local(a, i), Resource::Local(b, j)) => a == b && (i.is_none() || i == j),
            (Resource::Location, Resource::Location) => true,
            (Resource::Local(..) | Resource::Location, _) => false,
            _ => overlap(resource, kind, as_seen, kind),
        })
    }
}

fn element_at(variables: &Variables, slot: usize) -> (VariableId, u32) {
    let (id, variable) =
        (0..).zip(variables.iter()).find(|(_, known)| known.slots().contains(&slot)).unwrap();
    (VariableId(id), (slot - variable.first_slot()) as u32)
}

/// The parts in which two states differ.
fn changes(before: &State, after: &State) -> Vec<Part> {
    let mut parts = Vec::new();
    let differing = |a: &[i32], b: &[i32]| -> Vec<usize> {
        a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b).map(|(slot, _)| slot).collect()
    };
    parts.extend(differing(&before.globals, &after.globals).into_iter().map(Part::Global));
    for (pid, (a, b)) in before.processes.iter().zip(&after.processes).enumerate() {
        let pid = pid as Pid;
        assert_eq!(a.process_type, b.process_type, "a process does not change its type");
        parts
            .extend(differing(&a.locals, &b.locals).into_iter().map(|slot| Part::Local(pid, slot)));
        parts.extend((a.location != b.location).then_some(Part::Location(pid)));
        parts.extend((a.priority != b.priority).then_some(Part::Priority(pid)));
    }
    parts.extend((before.processes.len() != after.processes.len()).then_some(Part::Processes));
    for (index, (a, b)) in before.channels.iter().zip(&after.channels).enumerate() {
        assert_eq!(a.channel_type, b.channel_type, "a channel does not change its type");
        parts.extend((a.contents != b.contents).then_some(Part::Channel(index + 1)));
    }
    parts.extend((before.channels.len() != after.channels.len()).then_some(Part::Channels));
    let movers = |state: &State| (state.last, state.partner);
    parts.extend((movers(before) != movers(after)).then_some(Part::Last));
    parts.extend((before.event != after.event).then_some(Part::Event));
    parts.extend((before.exclusive != after.exclusive).then_some(Part::Control));
    parts
}

/// The state with one part changed.
fn perturb(program: &Program, state: &State, choices: &mut Choices) -> Option<(Part, State)> {
    let mut other = state.clone();
    let pid = choices.below(state.processes.len()) as Pid;
    let part = match choices.below(6) {
        0 => {
            let slot = choices.below(state.globals.len());
            let value = other.globals.get_mut(slot)?;
            *value = other_value(&program.variables, slot, choices)?;
            Part::Global(slot)
        }
        1 => {
            let process = other.processes.get_mut(usize::from(pid))?;
            let slot = choices.below(process.locals.len());
            let variables = &program.process_type(process.process_type).variables;
            let value = process.locals.get_mut(slot)?;
            *value = other_value(variables, slot, choices)?;
            Part::Local(pid, slot)
        }
        2 => {
            let process = other.processes.get_mut(usize::from(pid))?;
            let count = program.process_type(process.process_type).locations.len();
            process.location = LocationId(choices.below(count) as u32);
            Part::Location(pid)
        }
        3 if program.remembers_last => {
            other.last = choices.below(3) as Pid;
            if program.remembers_partner {
                other.partner = choices.below(3) as Pid;
            }
            Part::Last
        }
        4 if event_locations(program) > 0 => {
            other.event = choices.below(event_locations(program)) as u32;
            Part::Event
        }
        _ => {
            let index = choices.below(state.channels.len());
            let channel = other.channels.get_mut(index)?;
            let kind = program.channel_type(channel.channel_type);
            let length = choices.below(kind.capacity as usize + 1);
            channel.contents = (0..length)
                .flat_map(|_| kind.fields.iter())
                .map(|field| value_in(field.domain, choices))
                .collect();
            Part::Channel(index + 1)
        }
    };
    (other != *state).then_some((part, other))
}

/// The number of locations of the event trace.
fn event_locations(program: &Program) -> usize {
    program.event_trace.as_ref().map_or(0, |trace| trace.locations.len())
}

/// A random value for a slot; `None` for channels, because the access analysis relies on the
/// channels that the program stores in a variable.
fn other_value(variables: &Variables, slot: usize, choices: &mut Choices) -> Option<i32> {
    let variable = variables.get(element_at(variables, slot).0);
    (variable.meaning != Meaning::Channel).then(|| value_in(variable.domain, choices))
}

fn value_in(domain: Domain, choices: &mut Choices) -> i32 {
    domain.store(choices.below(5) as i32 - 1).unwrap_or(domain.default_value())
}

type Outcome = (Step, Vec<RuntimeError>, Option<State>);

/// A move that behaves differently in the two states although it does not read `part`.
fn differs(
    program: &Program,
    table: &AccessTable,
    part: Part,
    (state, successors): (&State, &[Successor]),
    (other, changed): (&State, &[Successor]),
) -> Option<Move> {
    let movers = successors.iter().chain(changed).filter_map(|successor| mover(&successor.step));
    for mover in movers {
        // If the perturbation changed the location of the process, the move is another one.
        let here = |state: &State| {
            state.processes[usize::from(mover.pid)].location == LocationId(mover.location)
        };
        let count = program
            .process_type(mover.process_type)
            .location(LocationId(mover.location))
            .transitions
            .len();
        if !here(state) || !here(other) || mover.transition as usize >= count {
            continue;
        }
        let access = access_of(table, mover);
        if part.is_in(&access.reads, program, state, mover) {
            continue;
        }
        let written = part.is_in(&access.writes, program, state, mover);
        let (mut left, mut right) = (outcomes(successors, mover), outcomes(changed, mover));
        for (step, errors, state) in left.drain(..) {
            let found = right.iter().position(|(other_step, other_errors, other_state)| {
                step == *other_step
                    && errors == *other_errors
                    && match (&state, other_state) {
                        (Some(state), Some(other_state)) => {
                            // The part keeps its perturbed value, unless the step wrote it.
                            *other_state == with_part(state, other, part)
                                || written && other_state == state
                        }
                        (None, None) => true,
                        _ => false,
                    }
            });
            match found {
                Some(position) => right.remove(position),
                None => return Some(mover),
            };
        }
        if !right.is_empty() {
            return Some(mover);
        }
    }
    None
}

/// The results of the move, without duplicates: if only steps with `timeout` are enabled, guards
/// are evaluated twice and report their errors twice.
fn outcomes(successors: &[Successor], wanted: Move) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for successor in successors {
        let outcome = (successor.step, successor.errors.clone(), successor.state.clone());
        if mover(&successor.step) == Some(wanted) && !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }
    outcomes
}

/// The state with one part copied from another state.
fn with_part(state: &State, other: &State, part: Part) -> State {
    let mut state = state.clone();
    match part {
        Part::Global(slot) => state.globals[slot] = other.globals[slot],
        Part::Local(pid, slot) => {
            if let Some(process) = state.processes.get_mut(usize::from(pid)) {
                process.locals[slot] = other.processes[usize::from(pid)].locals[slot];
            }
        }
        Part::Location(pid) => {
            if let Some(process) = state.processes.get_mut(usize::from(pid)) {
                process.location = other.processes[usize::from(pid)].location;
            }
        }
        Part::Channel(number) => {
            if let Some(channel) = state.channels.get_mut(number - 1) {
                channel.contents.clone_from(&other.channels[number - 1].contents);
            }
        }
        Part::Last => (state.last, state.partner) = (other.last, other.partner),
        Part::Event => state.event = other.event,
        Part::Priority(_) | Part::Channels | Part::Processes | Part::Control => {}
    }
    state
}

#[test]
fn accesses_are_precise_where_they_can_be() {
    let program = lariat_ir::text::read(
        "",
        "
channel link [1] (byte)
var c : chan := new link
var d : chan := new link
var a[3] : byte
var x : byte
process P {
  var i : byte
  location 0 {
    send c ! (i) goto 1
    when a[1] == 0 -> a[2] := i
    when a[i] == 0 -> i := 2
  }
  location 1 { receive d ? (x) goto 0 }
}
",
    )
    .unwrap();
    let table = AccessTable::new(&program);
    let writes = |location, index| {
        let access = table.transition(ProcessTypeId(0), LocationId(location), index);
        access.writes.iter().copied().collect::<Vec<_>>()
    };
    let (a, x, i) = (VariableId(2), VariableId(3), VariableId(0));
    assert_eq!(writes(0, 0), [Resource::Location, Resource::Channel(1)]);
    assert_eq!(writes(0, 1), [Resource::Global(a, Some(2))]);
    assert_eq!(writes(0, 2), [Resource::Local(i, Some(0))]);
    assert_eq!(
        writes(1, 0),
        [Resource::Global(x, Some(0)), Resource::Location, Resource::Channel(2)]
    );
    let reads = &table.transition(ProcessTypeId(0), LocationId(0), 2).reads;
    assert!(reads.contains(&Resource::Global(a, None)) && !reads.contains(&Resource::Channel(1)));
    // The two processes use different channels, so their steps do not interfere.
    let send = table.transition(ProcessTypeId(0), LocationId(0), 0);
    let receive = table.transition(ProcessTypeId(0), LocationId(1), 0);
    assert!(!send.interferes(ProcessTypeId(0), receive, ProcessTypeId(0)));
    assert!(send.interferes(ProcessTypeId(0), send, ProcessTypeId(0)));
}
