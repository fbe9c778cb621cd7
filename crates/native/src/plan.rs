//! What is compiled: the program and the layout, with what both say together before any code exists.

use model::expression::{BinaryOp, Expr, Place, Scope, UnaryOp};
use model::interp::{PackedInterpreter, binary};
use model::layout::{Cells, ChannelKind, Field, Interval, Layout, ProcessKind};
use model::program::{Action, Body, BranchKind, Operation, ProcessType, Program, Variable};
use model::system::Numbering;

/// The process whose code is being generated: its number, and which of the kinds the layout knows under this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    pub slot: usize,
    pub kind: usize,
}

#[derive(Debug)]
pub struct Plan<'p> {
    pub program: &'p Program,
    pub layout: &'p Layout,
    pub numbering: &'p Numbering,
    /// Does any process ask for `timeout`?
    pub uses_timeout: bool,
    /// May anything that watches a step read the locals of another process?
    pub asks_remotely: bool,
    /// Must room for a successor be checked before it is written?
    pub checks_room: bool,
    /// How many successors a state has at most, if that is not checked while they are made.
    pub most_successors: usize,
}

impl<'p> Plan<'p> {
    /// For the layout of a packed program.
    pub fn of(packed: &'p PackedInterpreter<'_>) -> Plan<'p> {
        Plan::new(packed.program(), packed.layout(), packed.numbering())
    }

    pub fn new(program: &'p Program, layout: &'p Layout, numbering: &'p Numbering) -> Plan<'p> {
        let uses_timeout = process_expressions(program, &|expr| *expr == Expr::Timeout);
        let asks_remotely = watching_expressions(program, &|expr| matches!(expr, Expr::ReadRemote { .. }));
        let mut plan = Plan {
            program,
            layout,
            numbering,
            uses_timeout,
            asks_remotely,
            checks_room: false,
            most_successors: 0,
        };
        let most = plan.count_successors();
        // More than this is room nobody needs: then it is checked instead.
        const ROOM_WORDS: u64 = 1 << 18;
        plan.checks_room = most.saturating_mul(layout.width.all as u64 + 1) > ROOM_WORDS;
        plan.most_successors = match plan.checks_room {
            true => ROOM_WORDS as usize / (layout.width.all + 1),
            false => most as usize,
        };
        plan
    }

    /// An upper bound.
    fn count_successors(&self) -> u64 {
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
        let answers: u64 = receives.iter().sum();
        let rendezvous = self.program.channel_types.iter().any(|kind| kind.capacity == 0);
        let moves = by_slot(&|operation| match operation {
            Operation::Send { .. } if rendezvous => answers.max(1),
            _ => 1,
        });
        // One more for a release, one for the half-made entry behind the last.
        moves.iter().sum::<u64>() + 2
    }

    pub fn kind(&self, actor: Actor) -> &'p ProcessKind {
        &self.layout.processes[actor.slot].kinds[actor.kind]
    }

    pub fn process_type(&self, actor: Actor) -> &'p ProcessType {
        self.program.process_type(self.kind(actor).process_type)
    }

    /// Every process the layout has room for, by number.
    pub fn actors(&self) -> impl DoubleEndedIterator<Item = Actor> + 'p {
        let slots = self.layout.processes.iter().enumerate();
        slots.flat_map(|(slot, known)| (0..known.kinds.len()).map(move |kind| Actor { slot, kind }))
    }

    /// How many processes there can be.
    pub fn process_count_range(&self) -> Interval {
        let room = Interval { low: 0, high: self.layout.processes.len() as i64 };
        self.layout.process_count.interval().meet(room)
    }

    pub fn channel_count_range(&self) -> Interval {
        let room = Interval { low: 0, high: self.layout.channels.len() as i64 };
        self.layout.channel_count.interval().meet(room)
    }

    /// The only kind of channel seen under this index, if there is only one.
    pub fn only_channel_kind(&self, index: usize) -> Option<&'p ChannelKind> {
        match self.layout.channels.get(index)?.kinds.as_slice() {
            [kind] => Some(kind),
            _ => None,
        }
    }

    pub fn capacity(&self, kind: &ChannelKind) -> u32 {
        self.program.channel_type(kind.channel_type).capacity
    }

    /// May a channel with this index be a rendezvous channel?
    pub fn may_be_rendezvous(&self, index: usize) -> bool {
        self.layout.channels[index].kinds.iter().any(|kind| self.capacity(kind) == 0)
    }

    /// The variable of a place and where it lives; `None` for a local of nobody.
    pub fn variable(&self, actor: Option<Actor>, place: &Place) -> Option<(&'p Variable, &'p Cells)> {
        let index = place.variable.index();
        Some(match place.scope {
            Scope::Global => (self.program.variables.get(place.variable), &self.layout.globals[index]),
            Scope::Local => {
                let actor = actor?;
                (self.process_type(actor).variables.get(place.variable), &self.kind(actor).variables[index])
            }
        })
    }

    /// The value of an expression that has the same one in all states the layout can hold.
    pub fn fold(&self, actor: Option<Actor>, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Pid => Some(actor.map_or(0, |actor| actor.slot as i32)),
            Expr::Read(place) => {
                let (variable, cells) = self.variable(actor, place)?;
                let Cells::Constant(values) = cells else { return None };
                if values.iter().all(|value| *value == values[0]) && variable.dimensions.is_empty() {
                    return Some(values[0]);
                }
                let element = self.fold_element(actor, variable, &place.indices)?;
                values.get(element as usize).copied()
            }
            Expr::Unary(op, operand) => {
                let value = self.fold(actor, operand)?;
                Some(match op {
                    UnaryOp::Not => i32::from(value == 0),
                    UnaryOp::Negate => value.wrapping_neg(),
                    UnaryOp::Complement => !value,
                })
            }
            Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) => None,
            Expr::Binary(op, left, right) => {
                binary(*op, self.fold(actor, left)?, self.fold(actor, right)?).ok()
            }
            _ => None,
        }
    }

    /// The element that constant indices mean, if they are in range.
    pub fn fold_element(&self, actor: Option<Actor>, variable: &Variable, indices: &[Expr]) -> Option<u32> {
        let mut element = 0;
        for (index, &dimension) in indices.iter().zip(&variable.dimensions) {
            let index = u32::try_from(self.fold(actor, index)?).ok().filter(|index| *index < dimension)?;
            element = element * dimension + index;
        }
        Some(element)
    }

    /// Must the elements of this variable be addressed in memory, because the index is not known and they take several
    /// words?
    pub fn is_spread(&self, actor: Option<Actor>, place: &Place) -> bool {
        let Some((variable, cells)) = self.variable(actor, place) else { return false };
        matches!(cells, Cells::Row { row, count, .. } if *count > row.per_word)
            && self.fold_element(actor, variable, &place.indices).is_none()
    }
}

/// Is there an expression in the code of processes that satisfies the test?
pub fn process_expressions(program: &Program, test: &dyn Fn(&Expr) -> bool) -> bool {
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

/// Is there an expression that satisfies the test among those that are evaluated while some process makes a step?
fn watching_expressions(program: &Program, test: &dyn Fn(&Expr) -> bool) -> bool {
    let claims = program.process_types.iter().flat_map(|kind| &kind.exclusive).map(|claim| &claim.channel);
    let events = program.event_trace.iter().flat_map(|trace| {
        let scope = trace.send_scope.iter().chain(&trace.receive_scope);
        let events = trace.locations.iter().flatten();
        scope.chain(events.flat_map(|event| event.fields.iter().flatten().chain([&event.channel])))
    });
    claims.chain(events).any(|expr| expr.any(test))
}

/// Does the test hold for one of the operation's expressions? Places count as what reads them.
pub fn any_expression(operation: &Operation, test: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    for_each_expression(operation, &mut |expr| found = found || test(expr));
    found
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
                    model::expression::Pattern::Bind(target) => place(target, visit),
                    model::expression::Pattern::Match(expr) => visit(expr),
                    model::expression::Pattern::Ignore => {}
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

/// The bits that fields and rows of a process or channel take, by word.
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

    pub fn of_process(layout: &Layout, slot: usize) -> Footprint {
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

/// `width` ones.
pub fn mask(width: u8) -> u64 {
    if width == 0 { 0 } else { u64::MAX >> (64 - width) }
}
