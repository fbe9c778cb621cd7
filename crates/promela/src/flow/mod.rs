//! Control flow as in SPIN: a body becomes sequences of elements, an element becomes a location,
//! and jumps without cost are resolved to their targets.
//!
//! The number of states depends on which statements are separate steps, so these rules follow SPIN
//! exactly, including element numbers, which `.trail` files contain. [`build`] creates elements in
//! the order of SPIN's parser; [`table`] computes the transitions of each location. This module
//! must not know the meaning of names or the program IR.

pub mod build;
pub mod table;

use crate::ast::Statement;
use crate::source::Span;
use crate::symbols::{LookupPoint, Scope};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SequenceId(pub usize);

/// The action of an element.
#[derive(Clone, Debug)]
pub enum Node {
    /// A statement that is one step.
    Basic(Rc<Statement>),
    /// A declaration without initialiser in the middle of a body: sets the variable to 0, or does
    /// nothing for a structure.
    Reset(Rc<Statement>),
    /// `skip`, or any other constant true condition.
    Skip,
    Else,
    Goto(Jump),
    /// The point where the options of a selection join.
    Join,
    /// The exit of a loop, reached by `break`.
    LoopExit,
    If,
    Do,
    Unless,
    Atomic(SequenceId),
    DStep(SequenceId),
    Block(SequenceId),
    /// The end of the body.
    Stop,
}

#[derive(Clone, Debug)]
pub enum Jump {
    Label { name: Rc<str>, scope: Scope },
    Break(usize),
}

/// Whether the process keeps control after the element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Inside an atomic sequence, not at its end.
    pub atomic: bool,
    /// At the end of an atomic sequence.
    pub last_atomic: bool,
    /// Inside a d_step.
    pub dstep: bool,
}

#[derive(Clone, Debug)]
pub struct Element {
    /// Number within its body, from 1; also the location's number.
    pub number: u32,
    /// Number within the program, from 0; the transition's number in trails.
    pub global_number: u32,
    pub node: Node,
    pub next: Option<ElementId>,
    /// The options of a selection, or the main part and the escape of an `unless`.
    pub parts: Vec<SequenceId>,
    /// The escapes that cover the element, outermost first.
    pub escapes: Vec<SequenceId>,
    pub status: Status,
    pub span: Span,
    /// The point at which its names are looked up.
    pub place: LookupPoint,
}

#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element that was written in the sequence itself.
    pub extent: Option<ElementId>,
}

#[derive(Clone, Debug)]
pub struct BodyLabel {
    pub name: LabelName,
    pub scope: Scope,
    pub element: ElementId,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LabelName {
    Written(Rc<str>),
    Break(usize),
}

impl BodyLabel {
    fn starts_with(&self, prefix: &str) -> bool {
        matches!(&self.name, LabelName::Written(name) if name.starts_with(prefix))
    }
}

/// A body: of a proctype, `init`, a claim or a trace.
#[derive(Clone, Debug)]
pub struct Body {
    pub elements: Vec<Element>,
    pub sequences: Vec<Sequence>,
    /// In order of definition.
    pub labels: Vec<BodyLabel>,
    pub top: SequenceId,
    /// One more than the largest element number.
    pub size: u32,
}

impl Body {
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.0]
    }

    pub fn sequence(&self, id: SequenceId) -> &Sequence {
        &self.sequences[id.0]
    }

    pub fn first(&self, id: SequenceId) -> ElementId {
        self.sequence(id).first.expect("a closed sequence is not empty")
    }

    pub fn last(&self, id: SequenceId) -> ElementId {
        self.sequence(id).last.expect("a closed sequence is not empty")
    }

    /// The target of a jump. If several labels have the name, one in the same block has precedence,
    /// then one in an enclosing block, then any.
    pub fn destination(&self, jump: &Jump) -> Option<ElementId> {
        match jump {
            Jump::Break(id) => self
                .labels
                .iter()
                .find(|label| label.name == LabelName::Break(*id))
                .map(|label| label.element),
            Jump::Label { name, scope } => {
                let named = || {
                    self.labels.iter().filter(
                        |label| matches!(&label.name, LabelName::Written(other) if other == name),
                    )
                };
                named()
                    .rfind(|label| label.scope == *scope)
                    .or_else(|| named().find(|label| label.scope.encloses(scope)))
                    .or_else(|| named().next_back())
                    .map(|label| label.element)
            }
        }
    }

    /// The first element in the body with this label.
    pub fn labelled(&self, name: &str) -> Option<ElementId> {
        self.destination(&Jump::Label { name: name.into(), scope: Scope::default() })
    }

    /// Whether the element has a label with one of these prefixes.
    fn has_special_label(&self, element: ElementId, prefixes: &[&str]) -> bool {
        self.labels.iter().any(|label| {
            label.element == element && prefixes.iter().any(|prefix| label.starts_with(prefix))
        })
    }

    fn is_labelled(&self, element: ElementId) -> bool {
        self.labels.iter().any(|label| label.element == element)
    }
}

impl Body {
    /// If the label is at a jump, replaces the jump by a skip followed by the jump, as SPIN does
    /// for labels that other processes refer to. Returns whether it did; the new element then has
    /// number `global_number`.
    pub fn keep_jump(&mut self, label: &str, global_number: u32) -> bool {
        let Some(id) = self.labelled(label) else { return false };
        if !matches!(self.element(id).node, Node::Goto(_)) {
            return false;
        }
        let jump = Element { number: self.size, global_number, ..self.element(id).clone() };
        self.size += 1;
        let new = ElementId(self.elements.len());
        self.elements.push(jump);
        let element = &mut self.elements[id.0];
        element.node = Node::Skip;
        element.next = Some(new);
        true
    }
}
