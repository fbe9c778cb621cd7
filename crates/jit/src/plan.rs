//! The compilation plan: the program, its layout, and what can be derived from both before code
//! generation.

use lariat_ir::expression::{BinaryOp, Expr, Place, Scope};
use lariat_ir::interp::PackedInterpreter;
use lariat_ir::layout::{Cells, ChannelKind, Field, Interval, Layout, ProcessKind};
use lariat_ir::program::{Action, Body, BranchKind, Operation, ProcessType, Program, Variable};
use lariat_ir::system::Numbering;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// A process as the layout knows it: its process number, and an index into the layout's process
/// kinds for that number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    pub slot: usize,
    pub kind: usize,
}

/// By process and channel, for each location whether the process may receive there.
pub type ReceivingLocations = HashMap<(Actor, usize), Rc<Vec<bool>>>;

#[derive(Clone, Debug)]
pub struct Plan<'p> {
    pub program: &'p Program,
    pub layout: &'p Layout,
    pub numbering: &'p Numbering,
    /// Whether any process reads `timeout`.
    pub uses_timeout: bool,
    /// Whether an exclusive claim on a channel or an event trace may read the locals of another
    /// process during a step.
    pub reads_remote_locals: bool,
    /// Whether generated code compares with the end of the output before it writes a successor.
    pub checks_limit: bool,
    /// The most successors that one call writes: by construction, or because of `checks_limit`.
    pub max_successors: usize,
    /// Whether the code of processes is compiled location by location, when it is needed: see
    /// [`units`](crate::units).
    pub split: bool,
    /// Computed when they are needed.
    pub receiving_locations: RefCell<ReceivingLocations>,
}

/// The [`weight`] of all processes above which code is split. Code of this weight, 25 to 60 kB,
/// is compiled in about 10 ms.
const MAX_WEIGHT: usize = 8000;

impl<'p> Plan<'p> {
    pub fn of(packed: &'p PackedInterpreter<'_>) -> Plan<'p> {
        Plan::new(packed.program(), packed.layout(), packed.numbering())
    }

    pub fn new(program: &'p Program, layout: &'p Layout, numbering: &'p Numbering) -> Plan<'p> {
        let uses_timeout = any_process_expression(program, &|expr| *expr == Expr::Timeout);
        let reads_remote_locals =
            any_observer_expression(program, &|expr| matches!(expr, Expr::ReadRemote { .. }));
        let mut plan = Plan {
            program,
            layout,
            numbering,
            uses_timeout,
            reads_remote_locals,
            checks_limit: false,
            max_successors: 0,
            split: false,
            receiving_locations: RefCell::default(),
        };
        plan.split = plan.exceeds_weight(MAX_WEIGHT);
        let most = plan.successor_bound();
        // Reserving more output than this would waste memory, so the code checks the limit instead.
        const MAX_OUTPUT_WORDS: u64 = 1 << 18;
        plan.checks_limit = most.saturating_mul(layout.width.all as u64 + 1) > MAX_OUTPUT_WORDS;
        plan.max_successors = match plan.checks_limit {
            true => MAX_OUTPUT_WORDS as usize / (layout.width.all + 1),
            false => most as usize,
        };
        plan
    }

    /// The plan with code that is compiled location by location.
    pub fn in_units(self) -> Plan<'p> {
        Plan { split: true, ..self }
    }

    /// The plan with code that is compiled as a whole.
    pub fn in_one_piece(self) -> Plan<'p> {
        Plan { split: false, ..self }
    }

    /// Whether the transitions of all processes together weigh more than this.
    fn exceeds_weight(&self, most: usize) -> bool {
        let mut weights = HashMap::new();
        let mut total = 0;
        for actor in self.actors() {
            let process_type = self.kind(actor).process_type;
            total += *weights.entry(process_type).or_insert_with(|| {
                let locations = self.program.process_type(process_type).locations.iter();
                let steps = locations.flat_map(|location| &location.transitions);
                steps.map(|step| weight(&step.operation)).sum::<usize>()
            });
            if total > most {
                return true;
            }
        }
        false
    }

    /// An upper bound on the number of successors of a state.
    fn successor_bound(&self) -> u64 {
        let by_slot = |count: &dyn Fn(&Operation) -> u64| -> Vec<u64> {
            let in_kind = |kind: &ProcessKind| {
                let locations = self.program.process_type(kind.process_type).locations.iter();
                let counts = locations.map(|location| {
                    location.transitions.iter().map(|step| count(&step.operation)).sum::<u64>()
                });
                counts.max().unwrap_or(0)
            };
            let slots = self.layout.processes.iter();
            slots.map(|slot| slot.kinds.iter().map(in_kind).max().unwrap_or(0)).collect()
        };
        let receives = by_slot(&|operation| {
            u64::from(matches!(operation, Operation::Receive { .. } | Operation::Deterministic(_)))
        });
        let receivers: u64 = receives.iter().sum();
        let rendezvous = self.program.channel_types.iter().any(|kind| kind.capacity == 0);
        let moves = by_slot(&|operation| match operation {
            Operation::Send { .. } if rendezvous => receivers.max(1),
            _ => 1,
        });
        // One more for a release of control, and one for an incomplete entry after the last.
        moves.iter().sum::<u64>() + 2
    }

    pub fn kind(&self, actor: Actor) -> &'p ProcessKind {
        &self.layout.processes[actor.slot].kinds[actor.kind]
    }

    pub fn process_type(&self, actor: Actor) -> &'p ProcessType {
        self.program.process_type(self.kind(actor).process_type)
    }

    /// Every process that the layout has room for, by number.
    pub fn actors(&self) -> impl DoubleEndedIterator<Item = Actor> + 'p {
        let slots = self.layout.processes.iter().enumerate();
        slots.flat_map(|(slot, known)| (0..known.kinds.len()).map(move |kind| Actor { slot, kind }))
    }

    /// The possible numbers of processes.
    pub fn process_count_range(&self) -> Interval {
        let room = Interval { low: 0, high: self.layout.processes.len() as i64 };
        self.layout.process_count.interval().meet(room)
    }

    pub fn channel_count_range(&self) -> Interval {
        let room = Interval { low: 0, high: self.layout.channels.len() as i64 };
        self.layout.channel_count.interval().meet(room)
    }

    /// The kind of the channel with this index, if the layout has exactly one.
    pub fn only_channel_kind(&self, index: usize) -> Option<&'p ChannelKind> {
        match self.layout.channels.get(index)?.kinds.as_slice() {
            [kind] => Some(kind),
            _ => None,
        }
    }

    /// The most fields of a message of any channel.
    pub fn max_message_fields(&self) -> usize {
        let types = self.program.channel_types.iter();
        types.map(|channel_type| channel_type.fields.len()).max().unwrap_or(0)
    }

    pub fn capacity(&self, kind: &ChannelKind) -> u32 {
        self.program.channel_type(kind.channel_type).capacity
    }

    /// Whether the channel with this index may be a rendezvous channel.
    pub fn may_be_rendezvous(&self, index: usize) -> bool {
        self.layout.channels[index].kinds.iter().any(|kind| self.capacity(kind) == 0)
    }

    /// The variable of a place and its cells; `None` for a local variable outside any process.
    pub fn variable(
        &self,
        actor: Option<Actor>,
        place: &Place,
    ) -> Option<(&'p Variable, &'p Cells)> {
        let index = place.variable.index();
        Some(match place.scope {
            Scope::Global => {
                (self.program.variables.get(place.variable), &self.layout.globals[index])
            }
            Scope::Local => {
                let actor = actor?;
                (
                    self.process_type(actor).variables.get(place.variable),
                    &self.kind(actor).variables[index],
                )
            }
        })
    }

    /// The value of an expression that is constant over all states that the layout can encode.
    pub fn fold(&self, actor: Option<Actor>, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => Some(actor.map_or(0, |actor| actor.slot as i32)),
            Expr::Read(place) => {
                let (variable, cells) = self.variable(actor, place)?;
                let Cells::Constant(values) = cells else { return None };
                if values.iter().all(|value| *value == values[0]) && variable.dimensions.is_empty()
                {
                    return Some(values[0]);
                }
                let element = self.fold_element(actor, variable, &place.indices)?;
                values.get(element as usize).copied()
            }
            Expr::Unary(op, operand) => Some(op.apply(self.fold(actor, operand)?)),
            Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => None,
            Expr::Binary(op, left, right) => {
                op.apply(self.fold(actor, left)?, self.fold(actor, right)?).ok()
            }
            _ => None,
        }
    }

    /// The element that the indices select, if they are constant and in range.
    pub fn fold_element(
        &self,
        actor: Option<Actor>,
        variable: &Variable,
        indices: &[Expr],
    ) -> Option<u32> {
        let mut element = 0;
        for (index, &dimension) in indices.iter().zip(&variable.dimensions) {
            let index =
                u32::try_from(self.fold(actor, index)?).ok().filter(|index| *index < dimension)?;
            element = element * dimension + index;
        }
        Some(element)
    }
}

/// Whether an expression in the code of processes satisfies the test.
pub fn any_process_expression(program: &Program, test: &dyn Fn(&Expr) -> bool) -> bool {
    program.process_types.iter().any(|kind| {
        kind.provided.iter().any(|expr| expr.any(test))
            || kind.exclusive.iter().any(|claim| claim.channel.any(test))
            || kind
                .locations
                .iter()
                .flat_map(|location| &location.transitions)
                .any(|step| any_expression(&step.operation, &|expr| expr.any(test)))
    })
}

/// Whether an expression satisfies the test that is evaluated during the steps of other processes:
/// one in an exclusive claim on a channel or in the event trace.
fn any_observer_expression(program: &Program, test: &dyn Fn(&Expr) -> bool) -> bool {
    let claims =
        program.process_types.iter().flat_map(|kind| &kind.exclusive).map(|claim| &claim.channel);
    let events = program.event_trace.iter().flat_map(|trace| {
        let scope = trace.send_scope.iter().chain(&trace.receive_scope);
        let events = trace.locations.iter().flatten();
        scope.chain(events.flat_map(|event| event.fields.iter().flatten().chain([&event.channel])))
    });
    claims.chain(events).any(|expr| expr.any(test))
}

/// Whether the test holds for one of the operation's expressions. A written place counts as a read.
pub fn any_expression(operation: &Operation, test: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    for_each_expression(operation, &mut |expr| found = found || test(expr));
    found
}

/// An estimate of the size of the code for an operation, in units of about 10 bytes.
fn weight(operation: &Operation) -> usize {
    let own = match operation {
        Operation::Deterministic(body) => return 10 + operations(body).map(weight).sum::<usize>(),
        Operation::Send { .. } | Operation::Receive { .. } => 25,
        Operation::Guarded { .. } | Operation::Else | Operation::End => 10,
    };
    let parts = Cell::new(0);
    any_expression(operation, &|expr| {
        expr.any(&|_| {
            parts.set(parts.get() + 1);
            false
        })
    });
    own + parts.get()
}

fn for_each_expression(operation: &Operation, visit: &mut dyn FnMut(&Expr)) {
    let place = |place: &Place, visit: &mut dyn FnMut(&Expr)| visit(&Expr::Read(place.clone()));
    match operation {
        Operation::Guarded { guard, actions } => {
            visit(guard);
            for action in actions {
                match action {
                    Action::Assign(assignments) => {
                        for (target, value) in assignments {
                            place(target, visit);
                            visit(value);
                        }
                    }
                    Action::NewChannel { place: target, .. } => place(target, visit),
                    Action::Run { arguments, .. } => arguments.iter().for_each(&mut *visit),
                    Action::Assert { condition, .. } => visit(condition),
                    Action::Print { .. } => {}
                    Action::SetPriority { process, priority } => {
                        visit(process);
                        visit(priority);
                    }
                }
            }
        }
        Operation::Send { channel, arguments, .. } => {
            visit(channel);
            arguments.iter().for_each(visit);
        }
        Operation::Receive { channel, patterns, .. } => {
            visit(channel);
            for pattern in patterns {
                match pattern {
                    lariat_ir::expression::Pattern::Bind(target) => place(target, visit),
                    lariat_ir::expression::Pattern::Match(expr) => visit(expr),
                    lariat_ir::expression::Pattern::Ignore => {}
                }
            }
        }
        Operation::Deterministic(body) => {
            for operation in operations(body) {
                for_each_expression(operation, visit);
            }
        }
        Operation::Else | Operation::End => {}
    }
}

/// The operations in a d_step.
pub fn operations(body: &Body) -> impl Iterator<Item = &Operation> {
    body.nodes.iter().flatten().filter_map(|branch| match &branch.kind {
        BranchKind::Operation(operation) => Some(operation),
        BranchKind::Enter => None,
    })
}

/// The bits that a process or channel occupies in a state, by word.
#[derive(Debug, Default)]
pub struct Footprint {
    pub masks: std::collections::BTreeMap<u32, u64>,
}

impl Footprint {
    pub fn add(&mut self, field: Field) {
        if field.width > 0 {
            *self.masks.entry(field.word).or_default() |= mask(field.width) << field.shift;
        }
    }

    pub fn read_of_process(layout: &Layout, slot: usize) -> Footprint {
        let mut footprint = Footprint::default();
        let slot = &layout.processes[slot];
        footprint.add(slot.kind);
        footprint.add(slot.priority);
        for kind in &slot.kinds {
            footprint.add(kind.location);
            for cells in &kind.variables {
                if let Cells::Row { count, .. } = cells {
                    (0..*count).for_each(|element| footprint.add(cells.field(element)));
                }
            }
        }
        footprint
    }

    pub fn of_channel(layout: &Layout, index: usize) -> Footprint {
        let mut footprint = Footprint::default();
        let slot = &layout.channels[index];
        footprint.add(slot.kind);
        footprint.add(slot.owner);
        for kind in &slot.kinds {
            footprint.add(kind.length);
            for position in 0..kind.slots {
                (0..kind.fields.len()).for_each(|field| footprint.add(kind.field(position, field)));
            }
        }
        footprint
    }
}

/// The lowest `width` bits.
pub fn mask(width: u8) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width) }
}
