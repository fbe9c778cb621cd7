//! Control flow as SPIN sees it: a body becomes sequences of elements, an element becomes a location,
//! and jumps that cost nothing are looked through.
//!
//! Which statements are steps of their own decides the number of states, so the rules here follow SPIN's
//! to the letter, element numbers included: `.trail` files name them. [`build`] makes the elements in
//! the order in which SPIN's parser would, [`table`] turns them into each location's list of transitions.
//! It must not know what names mean, nor the model.

pub mod build;
pub mod table;

use crate::ast::Statement;
use crate::source::Span;
use crate::symbols::{Place, Scope};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ElementId(pub usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SequenceId(pub usize);

/// What an element does.
#[derive(Clone, Debug)]
pub enum Node {
    /// A statement that is one step.
    Basic(Rc<Statement>),
    /// A declaration without initialiser in the middle of a body: sets the variable to 0. Of a structure,
    /// nothing.
    Reset(Rc<Statement>),
    /// `skip`, or any other constant true condition.
    Skip,
    Else,
    Goto(Jump),
    /// Where the options of a selection meet again.
    Join,
    /// Where a loop ends up after `break`.
    LoopExit,
    If,
    Do,
    Unless,
    Atomic(SequenceId),
    DStep(SequenceId),
    Block(SequenceId),
    /// The closing brace of the body.
    Stop,
}

#[derive(Clone, Debug)]
pub enum Jump {
    Label { name: Rc<str>, scope: Scope },
    Break(usize),
}

/// Is control kept after the element?
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
    /// Within its body, from 1; the location's number.
    pub number: u32,
    /// In the whole program, from 0; the transition's number in trails.
    pub global_number: u32,
    pub node: Node,
    pub next: Option<ElementId>,
    /// The options of a selection; main part and escape of an `unless`.
    pub parts: Vec<SequenceId>,
    /// The escapes that cover it, the outermost first.
    pub escapes: Vec<SequenceId>,
    pub status: Status,
    pub span: Span,
    /// Where its names are looked up.
    pub place: Place,
}

#[derive(Clone, Debug, Default)]
pub struct Sequence {
    pub first: Option<ElementId>,
    pub last: Option<ElementId>,
    /// The last element that was written in the sequence itself.
    pub extent: Option<ElementId>,
}

#[derive(Clone, Debug)]
pub struct Label {
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

impl Label {
    fn starts_with(&self, prefix: &str) -> bool {
        matches!(&self.name, LabelName::Written(name) if name.starts_with(prefix))
    }
}

/// One body: a proctype's, init's, a claim's or a trace's.
#[derive(Clone, Debug)]
pub struct Body {
    pub elements: Vec<Element>,
    pub sequences: Vec<Sequence>,
    /// In order of definition.
    pub labels: Vec<Label>,
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

    /// The element a jump leads to. Of several labels with the name, one in the same block wins, then
    /// one in a block around it, then any.
    pub fn destination(&self, jump: &Jump) -> Option<ElementId> {
        match jump {
            Jump::Break(id) => self
                .labels
                .iter()
                .find(|label| label.name == LabelName::Break(*id))
                .map(|label| label.element),
            Jump::Label { name, scope } => {
                let named = || {
                    self.labels
                        .iter()
                        .filter(|label| matches!(&label.name, LabelName::Written(other) if other == name))
                };
                named()
                    .rfind(|label| label.scope == *scope)
                    .or_else(|| named().find(|label| label.scope.encloses(scope)))
                    .or_else(|| named().next_back())
                    .map(|label| label.element)
            }
        }
    }

    /// The element with this label, wherever in the body it stands.
    pub fn labelled(&self, name: &str) -> Option<ElementId> {
        self.destination(&Jump::Label { name: name.into(), scope: Scope::default() })
    }

    /// Has the element a label with one of these prefixes?
    fn has_special_label(&self, element: ElementId, prefixes: &[&str]) -> bool {
        self.labels
            .iter()
            .any(|label| label.element == element && prefixes.iter().any(|prefix| label.starts_with(prefix)))
    }

    fn is_labelled(&self, element: ElementId) -> bool {
        self.labels.iter().any(|label| label.element == element)
    }
}

impl Body {
    /// If the label stands at a jump, puts a skip in the jump's place and the jump behind it, as SPIN does
    /// for labels that other processes ask for. Says whether it did; the new element then has this number.
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
