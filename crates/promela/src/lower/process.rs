//! A body's table becomes a process type.

use super::{Lowering, Unit};
use crate::flow::table::{EntryKind, Table};
use crate::flow::{Body, LabelName, Node};
use model::program::{Location, LocationId, Operation, ProcessType, Transition};
use std::collections::HashMap;

/// Gives a number to every location that can be reached or has a label, the initial one first.
pub(super) fn number_locations(table: &Table, body: &Body) -> HashMap<u32, LocationId> {
    let mut ids = HashMap::new();
    let mut pending = vec![table.initial];
    let labelled = body.labels.iter().filter(|label| matches!(label.name, LabelName::Written(_)));
    let mut labelled: Vec<u32> = labelled.map(|label| body.element(label.element).number).collect();
    labelled.reverse();
    while let Some(number) = pending.pop().or_else(|| labelled.pop()) {
        if number == 0 || ids.contains_key(&number) {
            continue;
        }
        ids.insert(number, LocationId(ids.len() as u32));
        pending.extend(table.entries[number as usize].iter().rev().map(|entry| entry.target));
    }
    ids
}

impl Lowering<'_> {
    pub(super) fn process_type(&mut self, index: usize) -> ProcessType {
        let locations = self.locations(index);
        let (provided, deterministic) = match self.bodies[index].unit.clone() {
            Unit::Proctype(proctype) => {
                let place = self.bodies[index].place.clone();
                (proctype.provided.as_ref().map(|expr| self.expr(expr, &place)), proctype.deterministic)
            }
            _ => (None, false),
        };
        let initial = self.bodies[index].table.as_ref().map_or(0, |table| table.initial);
        let initial_location = self.bodies[index].locations.get(&initial).copied().unwrap_or(LocationId(0));
        ProcessType {
            name: self.bodies[index].name.to_string(),
            parameters: self.parameter_count(index),
            prologue: self.prologue(index),
            variables: self.slots.locals[&index].clone(),
            initial_location,
            locations,
            provided,
            deterministic,
            exclusive: self.exclusive_claims(index),
        }
    }

    fn locations(&mut self, index: usize) -> Vec<Location> {
        let Some(table) = self.bodies[index].table.take() else { return Vec::new() };
        let body = self.bodies[index].body.clone();
        let ids = self.bodies[index].locations.clone();
        let mut locations = vec![Location::default(); ids.len()];
        let mut numbered: Vec<(u32, LocationId)> = ids.iter().map(|(&number, &id)| (number, id)).collect();
        numbered.sort_by_key(|&(_, id)| id);
        for (number, id) in numbered {
            let marks = table.marks[number as usize];
            let labels = body
                .labels
                .iter()
                .filter(|label| body.element(label.element).number == number)
                .filter_map(|label| match &label.name {
                    LabelName::Written(name) => Some(name.to_string()),
                    LabelName::Break(_) => None,
                })
                .collect();
            let mut transitions = Vec::new();
            for entry in &table.entries[number as usize] {
                let element = body.element(entry.kind.element());
                let operation = match (&entry.kind, &element.node) {
                    (EntryKind::Blocked(_), _) => Operation::when(model::Expr::Const(0)),
                    (_, Node::DStep(sequence)) => self.dstep(&body, *sequence),
                    _ => self.operation(element),
                };
                let origin = self.origin(element.span, Self::element_text(element), element.global_number);
                transitions.push(Transition {
                    operation,
                    target: ids.get(&entry.target).copied().unwrap_or(LocationId(0)),
                    keeps_control: entry.atomic,
                    escape: entry.escape,
                    origin,
                });
            }
            self.check_else(&transitions, &body, number);
            locations[id.index()] = Location {
                transitions,
                end: marks.end,
                accept: marks.accept,
                progress: marks.progress,
                labels,
                number,
            };
        }
        self.bodies[index].table = Some(table);
        locations
    }

    fn check_else(&mut self, transitions: &[Transition], body: &Body, number: u32) {
        let elses = transitions.iter().filter(|transition| transition.operation == Operation::Else);
        if elses.count() > 1
            && let Some(element) = body.elements.iter().find(|element| element.number == number)
        {
            let span = element.span;
            self.error(
                span,
                "more than one `else` can be taken here",
                "nested selections share their guards",
            );
        }
    }
}
