//! Sections of a body: the elements that an escape covers, and the elements inside an atomic
//! sequence or a d_step.

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::flow::{ElementId, Node, SequenceId};
use crate::source::Span;

impl Builder<'_> {
    pub(super) fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
        let extent = self.body.sequence(sequence).extent;
        let mut current = self.body.sequence(sequence).first;
        while let Some(id) = current {
            self.escape_element(id, escape);
            if current == extent {
                break;
            }
            current = self.body.element(id).next;
        }
    }

    pub(super) fn escape_element(&mut self, id: ElementId, escape: SequenceId) {
        if self.body.element(id).escapes.contains(&escape) {
            return;
        }
        for inner in self.body.element(id).escapes.clone() {
            self.attach_escape(inner, escape);
        }
        self.body.elements[id.0].escapes.insert(0, escape);
        let element = self.body.element(id);
        match element.node {
            Node::Unless => self.attach_escape(element.parts[0], escape),
            Node::If | Node::Do => {
                for part in element.parts.clone() {
                    self.attach_escape(part, escape);
                }
            }
            // An escape from a d_step is only possible before its first statement.
            Node::DStep(inner) => self.escape_element(self.body.first(inner), escape),
            Node::Atomic(inner) | Node::Block(inner) => self.attach_escape(inner, escape),
            _ => {}
        }
    }

    pub(super) fn make_atomic(&mut self, sequence: SequenceId, dstep: bool) {
        let (first, last) = (self.body.first(sequence), self.body.last(sequence));
        self.walk_atomic(first, last, dstep);
        let element = self.body.element(last);
        match element.node {
            Node::Block(inner) | Node::Atomic(inner) => self.make_atomic(inner, dstep),
            Node::Unless => self.make_atomic(element.parts[0], dstep),
            _ => {
                let status = &mut self.body.elements[last.0].status;
                status.atomic = false;
                status.last_atomic = true;
            }
        }
    }

    pub(super) fn walk_atomic(&mut self, first: ElementId, last: ElementId, dstep: bool) {
        let mut current = Some(first);
        while let Some(id) = current {
            let element = &mut self.body.elements[id.0];
            element.status.atomic = true;
            element.status.dstep |= dstep;
            let parts = element.parts.clone();
            let inner = match element.node {
                Node::Atomic(inner) | Node::Block(inner) => Some(inner),
                Node::DStep(inner) if dstep => Some(inner),
                _ => None,
            };
            if let Some(inner) = inner {
                element.node = Node::Block(inner);
                let (first, last) = (self.body.first(inner), self.body.last(inner));
                self.walk_atomic(first, last, dstep);
            }
            if dstep && matches!(self.body.element(id).node, Node::Unless) {
                let span = self.body.element(id).span;
                self.declare.report(
                    Diagnostic::warning("`unless` inside a d_step has no effect")
                        .at(span, "its escape is never tried"),
                );
            }
            for part in parts {
                let (first, last) = (self.body.first(part), self.body.last(part));
                self.walk_atomic(first, last, dstep);
            }
            if id == last {
                break;
            }
            current = self.body.element(id).next;
        }
    }

    /// Reports jumps that leave a d_step.
    pub(super) fn check_jumps(&mut self, first: usize) {
        let bad: Vec<Span> = self.body.elements[first..]
            .iter()
            .filter_map(|element| match &element.node {
                Node::Goto(jump) if self.body.destination(jump).is_none_or(|id| id.0 < first) => {
                    Some(element.span)
                }
                _ => None,
            })
            .collect();
        for span in bad {
            self.declare.report(
                Diagnostic::error("jump out of a d_step")
                    .at(span, "its target is outside the d_step")
                    .help("use `atomic`, or jump after the d_step"),
            );
        }
    }
}
