//! From elements to the transitions of each location.
//!
//! A selection first gets links to the first elements of its options; links to links are flattened;
//! each link is replaced by the step at its target; finally the steps of escapes are prepended.
//! This order determines the order of a location's transitions and the positions of labels, so it
//! is SPIN's order.

use super::{Body, ElementId, LabelName, Node, SequenceId};
use crate::ast::{Expr, ExprKind, StatementKind};
use crate::source::Span;

/// A transition out of a location.
#[derive(Clone, Debug)]
pub struct Entry {
    pub kind: EntryKind,
    /// The number of the target location; 0 after the end of the body.
    pub target: u32,
    /// Whether the process keeps control.
    pub atomic: bool,
    /// The number of the escape that it belongs to, or 0.
    pub escape: u32,
    /// Numbers of the escapes that cover the transition, outermost first.
    covered_by: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Executes the element's statement.
    Step(ElementId),
    /// A selection all of whose options are constantly false.
    Blocked(ElementId),
    /// Placeholder for a selection until its links are known.
    Head(ElementId),
    /// Placeholder for the steps of the location `target` until they are known.
    Link(ElementId),
}

impl EntryKind {
    pub fn element(self) -> ElementId {
        let (EntryKind::Step(id)
        | EntryKind::Blocked(id)
        | EntryKind::Head(id)
        | EntryKind::Link(id)) = self;
        id
    }
}

/// The special labels of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
}

impl Marks {
    fn join(self, other: Marks) -> Marks {
        Marks {
            end: self.end | other.end,
            accept: self.accept | other.accept,
            progress: self.progress | other.progress,
        }
    }
}

#[derive(Debug)]
pub struct Table {
    /// Indexed by location number.
    pub entries: Vec<Vec<Entry>>,
    pub marks: Vec<Marks>,
    pub initial: u32,
}

/// An error in the control flow.
#[derive(Debug)]
pub struct FlowError {
    pub span: Span,
    pub message: &'static str,
}

type Result<T> = std::result::Result<T, FlowError>;

/// Number of consecutive jumps after which they are considered a cycle.
const JUMP_LIMIT: usize = 500;

/// Computes the transition table of a body. Adjusts the `atomic` flag of jumps between sequences in
/// the body.
pub fn table(body: &mut Body) -> Result<Table> {
    let size = body.size as usize;
    let mut marks = vec![Marks::default(); size];
    for label in &body.labels {
        if let LabelName::Written(name) = &label.name {
            let mark = &mut marks[body.element(label.element).number as usize];
            mark.end |= name.starts_with("end");
            mark.accept |= name.starts_with("accept");
            mark.progress |= name.starts_with("progress");
        }
    }
    let stop = body.element(body.last(body.top)).number;
    marks[stop as usize].end = true;

    let mut builder = TableBuilder {
        entries: vec![Vec::new(); size],
        done: vec![false; body.elements.len()],
        body,
    };
    builder.sequence(builder.body.top)?;
    let first = builder.body.first(builder.body.top);
    let initial = builder.resolve(first, builder.body.element(first).status.atomic)?;
    let initial = builder.body.element(initial).number;
    let mut table = Table { entries: builder.entries, marks, initial };
    table.flatten();
    table.replace_links();
    table.put_escapes_in_front(body);
    table.move_end_marks(body);
    Ok(table)
}

struct TableBuilder<'a> {
    body: &'a mut Body,
    entries: Vec<Vec<Entry>>,
    done: Vec<bool>,
}

impl TableBuilder<'_> {
    fn sequence(&mut self, sequence: SequenceId) -> Result<()> {
        let last = self.body.last(sequence);
        let mut current = Some(self.body.first(sequence));
        while let Some(id) = current {
            if !self.done[id.0] {
                self.done[id.0] = true;
                self.element(id)?;
            }
            if id == last {
                break;
            }
            current = self.body.element(id).next;
        }
        Ok(())
    }

    fn element(&mut self, id: ElementId) -> Result<()> {
        match self.body.element(id).node {
            Node::Unless => self.sequence(self.body.element(id).parts[0]),
            Node::If | Node::Do => self.selection(id),
            Node::Atomic(inner) => self.compound(id, inner, true),
            Node::Block(inner) => self.compound(id, inner, false),
            Node::DStep(inner) => self.dstep(id, inner),
            _ => self.step(id),
        }
    }

    fn selection(&mut self, id: ElementId) -> Result<()> {
        let element = self.body.element(id);
        let atomic = element.status.atomic;
        let parts = element.parts.clone();
        let mut entries = vec![plain(EntryKind::Head(id), 0, atomic)];
        for &part in &parts {
            let start = self.start_of(self.body.first(part))?;
            if !self.is_dead(start) {
                entries.push(plain(EntryKind::Link(id), self.body.element(start).number, atomic));
            }
        }
        self.put(id, entries);
        for part in parts {
            self.sequence(part)?;
        }
        Ok(())
    }

    /// Whether an option starts with a constant false condition.
    fn is_dead(&self, id: ElementId) -> bool {
        let element = self.body.element(id);
        element.escapes.is_empty()
            && matches!(&element.node, Node::Basic(statement) if matches!(
                statement.kind,
                StatementKind::Condition(Expr { kind: ExprKind::Constant(0), .. })
            ))
    }

    fn compound(&mut self, id: ElementId, inner: SequenceId, atomic: bool) -> Result<()> {
        self.patch_jumps(inner);
        let start = self.start_of(self.body.first(inner))?;
        let last = self.body.last(inner);
        self.body.elements[last.0].next = self.body.element(id).next;
        let target = self.body.element(start).number;
        self.put(
            id,
            vec![plain(EntryKind::Head(id), 0, atomic), plain(EntryKind::Link(id), target, atomic)],
        );
        self.sequence(inner)
    }

    fn dstep(&mut self, id: ElementId, inner: SequenceId) -> Result<()> {
        self.patch_jumps(inner);
        let last = self.body.last(inner);
        self.body.elements[last.0].next = self.body.element(id).next;
        let element = self.body.element(id);
        let atomic = element.status.atomic;
        let target = match element.next {
            Some(next) => self.number_of(next, atomic)?,
            None => 0,
        };
        let mut entry = plain(EntryKind::Step(id), target, atomic);
        entry.covered_by = self.escape_numbers(id)?;
        self.put(id, vec![entry]);
        self.escapes(id)
    }

    fn step(&mut self, id: ElementId) -> Result<()> {
        let element = self.body.element(id);
        let atomic = element.status.atomic;
        let target = match (&element.node, element.next) {
            (Node::Goto(jump), _) => match self.body.destination(jump) {
                Some(destination) => self.number_of(destination, atomic)?,
                None => {
                    return Err(FlowError {
                        span: element.span,
                        message: "the target label of this jump is not defined",
                    });
                }
            },
            (_, Some(next)) => self.number_of(next, atomic)?,
            (_, None) => 0,
        };
        let mut entry = plain(EntryKind::Step(id), target, atomic);
        if !matches!(self.body.element(id).node, Node::Join) {
            entry.covered_by = self.escape_numbers(id)?;
        }
        let join = matches!(self.body.element(id).node, Node::Join);
        self.put(id, vec![entry]);
        if join { Ok(()) } else { self.escapes(id) }
    }

    fn escape_numbers(&self, id: ElementId) -> Result<Vec<u32>> {
        let element = self.body.element(id);
        element
            .escapes
            .iter()
            .map(|&escape| self.number_of(self.body.first(escape), element.status.atomic))
            .collect()
    }

    fn escapes(&mut self, id: ElementId) -> Result<()> {
        for escape in self.body.element(id).escapes.clone() {
            self.sequence(escape)?;
        }
        Ok(())
    }

    fn put(&mut self, id: ElementId, mut entries: Vec<Entry>) {
        if let [Entry { kind: EntryKind::Head(head), .. }] = entries[..] {
            entries[0].kind = EntryKind::Blocked(head);
        }
        self.entries[self.body.element(id).number as usize] = entries;
    }

    fn number_of(&self, id: ElementId, atomic: bool) -> Result<u32> {
        Ok(self.body.element(self.resolve(id, atomic)?).number)
    }

    /// Follows jumps and joins to the element at which a process stops. Inside an atomic sequence,
    /// the search ends at the sequence's end.
    fn resolve(&self, from: ElementId, atomic: bool) -> Result<ElementId> {
        let mut current = from;
        for _ in 0..JUMP_LIMIT {
            let element = self.body.element(current);
            let next = match &element.node {
                Node::Goto(jump) => match self.body.destination(jump) {
                    Some(next) if next == current => {
                        return Err(FlowError {
                            span: element.span,
                            message: "this jump targets itself",
                        });
                    }
                    Some(next) => next,
                    None => {
                        let message = "the target label of this jump is not defined";
                        return Err(FlowError { span: element.span, message });
                    }
                },
                Node::Join | Node::LoopExit => match element.next {
                    Some(next) => next,
                    None => return Ok(current),
                },
                Node::Unless => self.resolve(self.body.first(element.parts[0]), atomic)?,
                _ => return Ok(current),
            };
            if atomic && !self.body.element(next).status.atomic {
                return Ok(current);
            }
            current = next;
        }
        let span = self.body.element(from).span;
        Err(FlowError { span, message: "these jumps form a cycle without a statement" })
    }

    /// The first element of an option that is neither a join nor an `unless`.
    fn start_of(&self, from: ElementId) -> Result<ElementId> {
        let mut current = from;
        for _ in 0..JUMP_LIMIT {
            let element = self.body.element(current);
            current = match (&element.node, element.next) {
                (Node::Join, Some(next)) => next,
                (Node::Unless, _) => self.body.first(element.parts[0]),
                _ => return Ok(current),
            };
        }
        let span = self.body.element(from).span;
        Err(FlowError { span, message: "these jumps form a cycle without a statement" })
    }

    /// A jump out of an atomic sequence ends it; a jump from its end into another one connects
    /// them.
    fn patch_jumps(&mut self, sequence: SequenceId) {
        let extent = self.body.sequence(sequence).extent;
        let mut current = self.body.sequence(sequence).first;
        while let Some(id) = current {
            let element = self.body.element(id);
            if let Node::Goto(jump) = &element.node {
                if let Some(target) = self.body.destination(jump) {
                    let there = self.body.element(target).status;
                    let inside = there.atomic || there.last_atomic;
                    let status = &mut self.body.elements[id.0].status;
                    if (status.atomic || status.last_atomic) && !inside {
                        status.atomic = false;
                        status.last_atomic = true;
                    }
                    if status.last_atomic && inside {
                        status.last_atomic = false;
                        status.atomic = true;
                    }
                }
            } else {
                for part in element.parts.clone() {
                    self.patch_jumps(part);
                }
            }
            if current == extent {
                break;
            }
            current = self.body.element(id).next;
        }
    }
}

fn plain(kind: EntryKind, target: u32, atomic: bool) -> Entry {
    Entry { kind, target, atomic, escape: 0, covered_by: Vec::new() }
}

impl Table {
    /// A location that is resolved to its target passes its labels on.
    fn inherit(&mut self, target: u32, from: u32) {
        self.marks[target as usize] = self.marks[target as usize].join(self.marks[from as usize]);
    }

    /// Replaces links to selections by links to the selections' options.
    fn flatten(&mut self) {
        loop {
            let mut changed = false;
            for location in 1..self.entries.len() {
                let is_compound = |entry: &Entry| self.entries[entry.target as usize].len() > 1;
                if self.entries[location].len() < 2
                    || !self.entries[location][1..].iter().any(is_compound)
                {
                    continue;
                }
                let old = std::mem::take(&mut self.entries[location]);
                let mut new = vec![old[0].clone()];
                for link in &old[1..] {
                    // A selection that contains itself can only be reached through a step, so `old`
                    // suffices.
                    let inner = self.entries[link.target as usize].clone();
                    if inner.len() < 2 {
                        new.push(link.clone());
                        continue;
                    }
                    for entry in &inner[1..] {
                        self.inherit(entry.target, link.target);
                        new.push(entry.clone());
                    }
                    changed = true;
                }
                self.entries[location] = new;
            }
            if !changed {
                return;
            }
        }
    }

    /// Replaces each link by the step at its target location.
    fn replace_links(&mut self) {
        for location in 1..self.entries.len() {
            if self.entries[location].len() < 2 {
                continue;
            }
            let links = std::mem::take(&mut self.entries[location]);
            let mut steps = Vec::with_capacity(links.len() - 1);
            for link in &links[1..] {
                if let Some(step) = self.entries[link.target as usize].first().cloned() {
                    self.inherit(step.target, link.target);
                    steps.push(step);
                }
            }
            self.entries[location] = steps;
        }
    }

    fn put_escapes_in_front(&mut self, body: &Body) {
        let id = |entry: &Entry| body.element(entry.kind.element()).global_number;
        for location in 1..self.entries.len() {
            for position in 0..self.entries[location].len() {
                // Escapes that were already prepended have shifted the original entries.
                let offset = self.entries[location].iter().filter(|entry| entry.escape > 0).count();
                let covered_by = self.entries[location][position + offset].covered_by.clone();
                for &escape in covered_by.iter().rev() {
                    for entry in self.entries[escape as usize].clone() {
                        if self.entries[location].iter().any(|other| id(other) == id(&entry)) {
                            continue;
                        }
                        self.entries[location].insert(0, Entry { escape, ..entry });
                    }
                }
            }
        }
    }

    /// An end label at a join applies to the join's target.
    fn move_end_marks(&mut self, body: &Body) {
        for location in 1..self.entries.len() {
            if let [only] = &self.entries[location][..]
                && matches!(body.element(only.kind.element()).node, Node::Join)
                && self.marks[location].end
            {
                self.marks[only.target as usize].end = true;
            }
        }
    }
}
