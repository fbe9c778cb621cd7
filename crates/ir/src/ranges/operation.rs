//! The effect of a step on the facts: the same cases as in the interpreter.

use super::Analysis;
use super::environment::Environment;
use super::expression::Reader;
use super::interval::{between, common, stored};
use crate::access::constant_element;
use crate::expression::{Expr, Pattern, Place, Scope};
use crate::layout::Interval;
use crate::program::{
    Action, Body, BranchKind, ChannelTypeId, Operation, ProcessTypeId, Transition, VariableId,
};

/// The effects of a step outside the process that makes it.
#[derive(Default)]
pub(super) struct Effects {
    pub sent: Vec<(ChannelTypeId, usize, Interval)>,
    pub started: Vec<(ProcessTypeId, Environment)>,
    /// Every stored value, including those that are overwritten within the step.
    pub stored: Vec<(Option<ProcessTypeId>, VariableId, Interval)>,
}

/// Visits of a node of a d_step before growing intervals are widened. Not measured.
const ROUNDS_BEFORE_WIDENING: u32 = 3;

impl Analysis<'_> {
    /// The facts after the operation; `None` if it is never enabled or always ends with an error.
    pub(super) fn after(
        &self,
        reader: Reader,
        mut known: Environment,
        operation: &Operation,
        effects: &mut Effects,
    ) -> Option<Environment> {
        match operation {
            Operation::Guarded { guard, actions } => {
                self.assume(reader, &mut known, guard, true)?;
                self.within_bounds(reader, &mut known, guard, true)?;
                for action in actions {
                    self.act(reader, &mut known, action, effects)?;
                }
            }
            Operation::Else => {}
            Operation::End => return None,
            Operation::Send { channel, arguments, .. } => {
                self.value(reader, &known, channel)?;
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.value(reader, &known, argument)?);
                }
                for expr in arguments.iter().chain([channel]) {
                    self.within_bounds(reader, &mut known, expr, false)?;
                }
                for kind in self.types_of(reader, channel) {
                    for (index, field) in self.program.channel_type(kind).fields.iter().enumerate()
                    {
                        let value = values.get(index).copied().unwrap_or(Interval::point(0));
                        if let Some(value) = stored(field.domain, value) {
                            effects.sent.push((kind, index, value));
                        }
                    }
                }
            }
            Operation::Receive { channel, patterns, .. } => {
                self.value(reader, &known, channel)?;
                self.receive(reader, &mut known, channel, patterns, effects)?;
            }
            Operation::Deterministic(body) => return self.body(reader, known, body, effects),
        }
        Some(known)
    }

    fn receive(
        &self,
        reader: Reader,
        known: &mut Environment,
        channel: &Expr,
        patterns: &[Pattern],
        effects: &mut Effects,
    ) -> Option<()> {
        let types: Vec<ChannelTypeId> = self
            .types_of(reader, channel)
            .into_iter()
            .filter(|&kind| self.field(kind, 0).is_some())
            .collect();
        let field = |index: usize| {
            let of_type = |&kind: &ChannelTypeId| match self.program.channel_type(kind).fields.len()
                > index
            {
                true => self.field(kind, index),
                false => Some(Interval::point(0)),
            };
            types.iter().filter_map(of_type).reduce(Interval::join)
        };
        // The patterns are matched before any field is stored.
        for (index, pattern) in patterns.iter().enumerate() {
            let sent = field(index)?;
            if let Pattern::Match(wanted) = pattern {
                let value = self.value(reader, known, wanted)?;
                common(value, sent)?;
                if let Expr::Read(place) = wanted {
                    known.narrow(place, value, sent)?;
                }
            }
        }
        for (index, pattern) in patterns.iter().enumerate() {
            if let Pattern::Bind(place) = pattern {
                self.store(reader, known, place, field(index)?, effects)?;
            }
        }
        Some(())
    }

    fn store(
        &self,
        reader: Reader,
        known: &mut Environment,
        place: &Place,
        value: Interval,
        effects: &mut Effects,
    ) -> Option<()> {
        let variables = match place.scope {
            Scope::Global => &self.program.variables,
            Scope::Local => &self.program.process_type(reader.kind).variables,
        };
        for index in &place.indices {
            self.value(reader, known, index)?;
        }
        let value = stored(variables.get(place.variable).domain, value)?;
        let owner = (place.scope == Scope::Local).then_some(reader.kind);
        effects.stored.push((owner, place.variable, value));
        known.assign(place, value);
        Some(())
    }

    fn act(
        &self,
        reader: Reader,
        known: &mut Environment,
        action: &Action,
        effects: &mut Effects,
    ) -> Option<()> {
        match action {
            Action::Assign(assignments) => {
                let mut values = Vec::with_capacity(assignments.len());
                for (_, value) in assignments {
                    values.push(self.value(reader, known, value)?);
                }
                for (place, value) in assignments {
                    self.within_bounds(reader, known, value, false)?;
                    self.indices_within_bounds(reader, known, place)?;
                }
                let together = assignments.len() > 1;
                for ((place, _), value) in assignments.iter().zip(values) {
                    self.store(reader, known, place, value, effects)?;
                    if together && !place.indices.is_empty() {
                        // Places are determined before any value is stored, so their indices may
                        // have changed since.
                        known.facts.retain(|(fact, _)| {
                            (fact.scope, fact.variable) != (place.scope, place.variable)
                        });
                    }
                }
            }
            Action::NewChannel { place, .. } => {
                let (low, high) = self.instances.own_channels();
                self.store(reader, known, place, between(low, high), effects)?;
            }
            Action::Run { process_type, arguments, .. } => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.value(reader, known, argument)?);
                }
                for argument in arguments {
                    self.within_bounds(reader, known, argument, false)?;
                }
                let started = self.start(*process_type, Some(&values), known, effects)?;
                effects.started.push((*process_type, started));
            }
            Action::Assert { condition, .. } => {
                self.value(reader, known, condition)?;
                self.within_bounds(reader, known, condition, false)?;
            }
            Action::Print { .. } => {}
            Action::SetPriority { process, priority } => {
                self.value(reader, known, process)?;
                self.value(reader, known, priority)?;
            }
        }
        Some(())
    }

    /// The facts of a new process; `creator` are the facts in the step that creates it. Elements of
    /// arrays are tracked one by one, so that the prologue can overwrite their defaults.
    pub(super) fn start(
        &self,
        kind: ProcessTypeId,
        arguments: Option<&[Interval]>,
        creator: &Environment,
        effects: &mut Effects,
    ) -> Option<Environment> {
        let process_type = self.program.process_type(kind);
        let mut elements: Vec<Interval> = Vec::with_capacity(process_type.variables.slot_count());
        for (index, variable) in process_type.variables.iter().enumerate() {
            let value = match arguments.and_then(|values| values.get(index)) {
                Some(argument) => stored(variable.domain, *argument)?,
                None => Interval::point(variable.domain.default_value()),
            };
            elements.extend(std::iter::repeat_n(value, variable.length() as usize));
        }
        let reader = Reader { kind, prologue: true };
        let globals = creator.facts.iter().filter(|(place, _)| {
            let global = |place: &Place| place.scope == Scope::Global;
            let reads_locals = |index: &Expr| {
                index.any(&|expr| {
                    matches!(expr, Expr::Read(read) if !global(read)) || *expr == Expr::Pid
                })
            };
            global(place) && !place.indices.iter().any(reads_locals)
        });
        let mut known = Environment {
            locals: summarize(process_type, &elements),
            facts: globals.cloned().collect(),
            pending: creator.pending.clone(),
        };
        for action in &process_type.prologue {
            let single = match action {
                Action::Assign(assignments) => match &assignments[..] {
                    [(place, value)] => Some((place, self.value(reader, &known, value)?)),
                    _ => None,
                },
                Action::NewChannel { place, .. } => {
                    let (low, high) = self.instances.own_channels();
                    Some((place, between(low, high)))
                }
                _ => None,
            };
            self.act(reader, &mut known, action, effects)?;
            let element = single.and_then(|(place, value)| {
                let variable = process_type.variables.get(place.variable);
                let element = constant_element(variable, &place.indices)?;
                Some((
                    variable,
                    variable.first_slot() + element as usize,
                    stored(variable.domain, value)?,
                ))
            });
            match element {
                Some((_, slot, value)) => elements[slot] = value,
                None => {
                    // An unknown element, or several: each may now have any value of the variable.
                    for (variable, value) in process_type.variables.iter().zip(&known.locals) {
                        elements[variable.slots()]
                            .iter_mut()
                            .for_each(|element| *element = element.join(*value));
                    }
                }
            }
            known.locals = summarize(process_type, &elements);
        }
        known.facts.retain(|(place, _)| place.scope == Scope::Local);
        known.facts.extend(self.owned_at_start(kind));
        known.pending.clear();
        Some(known)
    }

    /// Analyses a d_step: its nodes are visited until a fixpoint.
    fn body(
        &self,
        reader: Reader,
        known: Environment,
        body: &Body,
        effects: &mut Effects,
    ) -> Option<Environment> {
        let mut nodes: Vec<Option<Environment>> = vec![None; body.nodes.len()];
        let mut rounds = vec![0u32; body.nodes.len()];
        nodes[0] = Some(known);
        // A node with a single predecessor needs no stored facts.
        let mut entries = vec![0u32; body.nodes.len()];
        entries[0] = 1;
        for next in body.nodes.iter().flatten().filter_map(|branch| branch.next) {
            entries[next as usize] += 1;
        }
        let mut waiting = vec![0u32];
        let mut end: Option<Environment> = None;
        while let Some(node) = waiting.pop() {
            let index = node as usize;
            rounds[index] += 1;
            let kept = if entries[index] > 1 { nodes[index].clone() } else { nodes[index].take() };
            let mut here = kept;
            let last = body.nodes[index].len().saturating_sub(1);
            for (position, branch) in body.nodes[index].iter().enumerate() {
                let known = if position == last { here.take() } else { here.clone() };
                let Some(mut known) = known else { break };
                let after = match &branch.kind {
                    BranchKind::Enter => Some(known),
                    BranchKind::Operation(operation) => {
                        // The guards of earlier branches are false; but if a receive completes a
                        // rendezvous, only receives were tried.
                        let alone = !matches!(operation, Operation::Receive { .. });
                        let earlier =
                            body.nodes[index][..position].iter().filter_map(
                                |earlier| match &earlier.kind {
                                    BranchKind::Operation(Operation::Guarded { guard, .. })
                                        if alone =>
                                    {
                                        Some(guard)
                                    }
                                    _ => None,
                                },
                            );
                        let possible = earlier
                            .into_iter()
                            .all(|guard| self.assume(reader, &mut known, guard, false).is_some());
                        if possible { self.after(reader, known, operation, effects) } else { None }
                    }
                };
                let Some(after) = after else { continue };
                let Some(next) = branch.next else {
                    match &mut end {
                        Some(end) => end.join(&after),
                        None => end = Some(after),
                    }
                    continue;
                };
                let widens = rounds[next as usize] > ROUNDS_BEFORE_WIDENING;
                if self.absorb_in_body(reader, &mut nodes[next as usize], after, widens)
                    && !waiting.contains(&next)
                {
                    waiting.push(next);
                }
            }
        }
        end
    }

    fn absorb_in_body(
        &self,
        reader: Reader,
        node: &mut Option<Environment>,
        after: Environment,
        widens: bool,
    ) -> bool {
        let Some(known) = node else {
            *node = Some(after);
            return true;
        };
        // Pending writes are part of the step's result, so they are joined and widened too.
        let mut pending = known.clone();
        pending.join(&after);
        for (variable, value) in &mut pending.pending {
            if widens && let Some(old) = known.pending(*variable) {
                let limit = Interval::of_domain(self.program.variables.get(*variable).domain);
                *value = self.thresholds.widen(old, *value, limit);
            }
        }
        let pending = pending.pending;
        let grew = pending != known.pending;
        let kind = self.program.process_type(reader.kind);
        let changed = known.absorb(self.program, kind, &after, widens, &self.thresholds);
        known.pending = pending;
        grew || changed
    }

    /// Adds the facts that follow from `else`: no earlier transition is enabled.
    pub(super) fn assume_else(
        &self,
        reader: Reader,
        known: &mut Environment,
        earlier: &[Transition],
    ) -> Option<()> {
        for transition in earlier {
            if let Operation::Guarded { guard, .. } = &transition.operation {
                self.assume(reader, known, guard, false)?;
            }
        }
        Some(())
    }
}

/// The interval of each variable: the union of the intervals of its elements.
fn summarize(kind: &crate::program::ProcessType, elements: &[Interval]) -> Vec<Interval> {
    let whole = |variable: &crate::program::Variable| {
        elements[variable.slots()]
            .iter()
            .copied()
            .reduce(Interval::join)
            .unwrap_or(Interval::point(0))
    };
    kind.variables.iter().map(whole).collect()
}
