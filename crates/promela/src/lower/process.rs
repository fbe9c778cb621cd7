//! From the transition table of a body to a process type.

use super::{BodySource, Lowering};
use crate::flow::table::{EntryKind, Table};
use crate::flow::{Body, ElementId, LabelName, Node};
use lariat_ir::program::{Location, LocationId, Operation, ProcessType, Transition};
use std::collections::{HashMap, HashSet};

/// Numbers the locations that are reachable in the control flow or labelled, the initial one
/// first; then the locations of unreachable statements, which are reported as such.
pub(super) fn number_locations(table: &Table, body: &Body) -> HashMap<u32, LocationId> {
    let mut ids = HashMap::new();
    let mut pending = vec![table.initial];
    let labelled = body.labels.iter().filter(|label| matches!(label.name, LabelName::Written(_)));
    let mut labelled: Vec<u32> = labelled.map(|label| body.element(label.element).number).collect();
    labelled.reverse();
    let mut covered: HashSet<ElementId> = HashSet::new();
    let mut dead = 1..table.entries.len() as u32;
    while let Some(number) = pending.pop().or_else(|| labelled.pop()).or_else(|| {
        // Which statements occur in no other location is known only now.
        dead.find(|&number| is_unreachable_statement(table, body, number, &covered))
    }) {
        if number == 0 || ids.contains_key(&number) {
            continue;
        }
        ids.insert(number, LocationId(ids.len() as u32));
        let entries = &table.entries[number as usize];
        covered.extend(entries.iter().map(|entry| entry.kind.element()));
        pending.extend(entries.iter().rev().map(|entry| entry.target));
    }
    ids
}

/// Whether this is the location of a statement that occurs in no covered location. Jumps and other
/// structural elements do not count.
fn is_unreachable_statement(
    table: &Table,
    body: &Body,
    number: u32,
    covered: &HashSet<ElementId>,
) -> bool {
    let [only] = &table.entries[number as usize][..] else { return false };
    let id = only.kind.element();
    let statement = matches!(
        body.element(id).node,
        Node::Basic(_) | Node::Reset(_) | Node::DStep(_) | Node::Stop
    );
    statement && matches!(only.kind, EntryKind::Step(_)) && !covered.contains(&id)
}

impl Lowering<'_> {
    /// Whether the body is a process, as opposed to a claim or a trace.
    pub(super) fn is_process(&self, body: usize) -> bool {
        matches!(self.bodies[body].unit, BodySource::Proctype(_) | BodySource::Init(_))
    }

    pub(super) fn process_type(&mut self, index: usize) -> ProcessType {
        let locations = self.locations(index);
        let (provided, deterministic) = match self.bodies[index].unit.clone() {
            BodySource::Proctype(proctype) => {
                let place = self.bodies[index].place.clone();
                (
                    proctype.provided.as_ref().map(|expr| self.expr(expr, &place)),
                    proctype.deterministic,
                )
            }
            _ => (None, false),
        };
        let initial = self.bodies[index].table.as_ref().map_or(0, |table| table.initial);
        let initial_location =
            self.bodies[index].locations.get(&initial).copied().unwrap_or(LocationId(0));
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
        let mut numbered: Vec<(u32, LocationId)> =
            ids.iter().map(|(&number, &id)| (number, id)).collect();
        numbered.sort_by_key(|&(_, id)| id);
        let mut origins = HashMap::new();
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
                    (EntryKind::Blocked(_), _) => Operation::when(lariat_ir::Expr::Const(0)),
                    (_, Node::DStep(sequence)) => self.dstep(&body, *sequence),
                    _ => self.operation(element),
                };
                // A statement may be a transition of several locations.
                let origin = *origins.entry(entry.kind.element()).or_insert_with(|| {
                    self.origin(element.span, Self::element_text(element), element.global_number)
                });
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
                dead: Vec::new(),
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
                "more than one `else` applies here",
                "nested selections share their guards",
            );
        }
    }
}
