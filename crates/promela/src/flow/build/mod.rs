//! From statements to elements.
//!
//! SPIN creates an element when its parser has finished the enclosing statement: the options of a
//! selection before the selection, the escape of an `unless` before its main part. The builder
//! keeps this order, so that element numbers agree.

mod counting;
mod section;
mod statement;

use crate::ast::{
    self, Block, Declaration, Expr, ExprKind, Ident, Reference, Statement, StatementKind,
};
use crate::diagnostic::Diagnostic;
use crate::flow::{
    Body, BodyLabel, Element, ElementId, LabelName, Node, Sequence, SequenceId, Status,
};
use crate::source::Span;
use crate::symbols::{LookupPoint, Owner, Scope};
use std::rc::Rc;

/// The symbol table as the builder sees it.
pub trait DeclarationSink {
    /// Declares variables; `initial` if the declaration precedes every statement of the body, so
    /// that its initialisers take effect when the process is created.
    fn declare(&mut self, declaration: &Declaration, owner: Owner, scope: &Scope, initial: bool);
    /// A counter for a loop over a channel; loops of one block share it.
    fn loop_counter(&mut self, channel: &Reference, owner: Owner, scope: &Scope) -> Ident;
    /// The range of a loop with this variable: the messages of a channel if the variable is a
    /// structure, otherwise the indices of an array.
    fn loop_range(
        &mut self,
        variable: &Reference,
        range: &Reference,
        place: &LookupPoint,
    ) -> LoopRange;
    /// Records an `xr` or `xs` declaration.
    fn exclusive(&mut self, exclusive: &ast::Exclusive, place: LookupPoint);
    /// Whether any channel is declared for exclusive use.
    fn has_exclusive(&self) -> bool;
    /// The number of variables declared so far.
    fn declared(&self) -> usize;
    /// Reports a diagnostic.
    fn report(&mut self, diagnostic: Diagnostic);
    /// The next program-wide element number.
    fn next_number(&mut self) -> u32;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopRange {
    Channel,
    Array(u32),
    InvalidToken,
}

/// A statement whose parts are built but which has no element yet.
enum Pending {
    Leaf(Node, Span),
    If(Vec<SequenceId>, Span),
    Do(Vec<SequenceId>, Span),
    Unless(SequenceId, SequenceId, Span),
    Labelled(Ident, Box<Pending>),
}

pub struct Builder<'a> {
    declare: &'a mut dyn DeclarationSink,
    body: Body,
    owner: Owner,
    open: Vec<SequenceId>,
    breaks: Vec<usize>,
    break_count: usize,
    next_local: u32,
    scope: Scope,
    /// The number of blocks opened so far at each depth.
    scope_counts: Vec<u32>,
    /// Whether no statement has been built yet.
    initial: bool,
    is_claim: bool,
}

/// Builds the elements of a body.
pub fn build(
    declare: &mut dyn DeclarationSink,
    block: &Block,
    owner: Owner,
    is_claim: bool,
) -> Body {
    let body = Body {
        elements: Vec::new(),
        sequences: Vec::new(),
        labels: Vec::new(),
        top: SequenceId(0),
        size: 1,
    };
    let mut builder = Builder {
        declare,
        body,
        owner,
        open: Vec::new(),
        breaks: Vec::new(),
        break_count: 0,
        next_local: 1,
        scope: Scope::default(),
        scope_counts: vec![0],
        initial: true,
        is_claim,
    };
    let top = builder.open_sequence();
    builder.initial = true;
    builder.steps(block);
    builder.add(Pending::Leaf(Node::Stop, block.span.after()));
    builder.close_sequence();
    builder.body.top = top;
    builder.body.size = builder.next_local;
    builder.tie_loose_ends();
    builder.body
}

impl Builder<'_> {
    fn place(&self) -> LookupPoint {
        LookupPoint {
            owner: self.owner,
            scope: self.scope.clone(),
            declared: self.declare.declared(),
        }
    }

    fn open_sequence(&mut self) -> SequenceId {
        let id = SequenceId(self.body.sequences.len());
        self.body.sequences.push(Sequence::default());
        self.open.push(id);
        self.initial = false;
        id
    }

    fn close_sequence(&mut self) -> SequenceId {
        let id = self.open.pop().expect("every closed sequence was opened");
        if self.body.sequence(id).first.is_none() {
            // The sequence has only declarations that need no step: keep the graph well formed.
            self.open.push(id);
            self.add(Pending::Leaf(Node::Skip, Span::default()));
            self.open.pop();
        }
        self.body.sequences[id.0].extent = self.body.sequence(id).last;
        id
    }

    fn enter_scope(&mut self) {
        let depth = self.scope.0.len();
        self.scope_counts[depth] += 1;
        self.scope.0.push(self.scope_counts[depth]);
        self.scope_counts.push(0);
    }

    fn leave_scope(&mut self) {
        self.scope.0.pop();
        self.scope_counts.pop();
    }

    /// The steps of a block, in a new scope.
    fn block(&mut self, block: &Block) -> SequenceId {
        let id = self.open_sequence();
        self.enter_scope();
        self.steps(block);
        self.leave_scope();
        self.close_sequence();
        self.check_first_label(id, "put the label before the block");
        id
    }

    /// Reports a label at the first statement of a block, which is not a location of its own.
    fn check_first_label(&mut self, sequence: SequenceId, help: &str) {
        let first = self.body.first(sequence);
        let written = |label: &&BodyLabel| {
            label.element == first && matches!(label.name, LabelName::Written(_))
        };
        if let Some(label) = self.body.labels.iter().find(written) {
            let diagnostic =
                Diagnostic::error("the first statement of a block cannot have a label")
                    .at(label.span, "a `goto` cannot reach this statement")
                    .help(help);
            self.declare.report(diagnostic);
        }
    }

    fn wrap(&mut self, pending: Pending) -> SequenceId {
        let id = self.open_sequence();
        self.add(pending);
        self.close_sequence();
        id
    }

    fn push_break(&mut self) {
        self.breaks.push(self.break_count);
        self.break_count += 1;
    }

    fn leaf(&mut self, kind: StatementKind, span: Span) {
        self.add(Pending::Leaf(Node::Basic(Rc::new(Statement { kind, span })), span));
    }

    fn new_element(&mut self, node: Node, span: Span) -> ElementId {
        let id = ElementId(self.body.elements.len());
        let element = Element {
            number: self.next_local,
            global_number: self.declare.next_number(),
            node,
            next: None,
            parts: Vec::new(),
            escapes: Vec::new(),
            status: Status::default(),
            span,
            place: self.place(),
        };
        self.next_local += 1;
        self.body.elements.push(element);
        id
    }

    /// Creates the element of a finished statement and appends it to the open sequence.
    fn add(&mut self, pending: Pending) {
        let mut labels = Vec::new();
        let mut inner = pending;
        while let Pending::Labelled(label, statement) = inner {
            labels.push(label);
            inner = *statement;
        }
        let (element, appended) = match inner {
            Pending::Leaf(node, span) => (self.new_element(node, span), false),
            Pending::If(parts, span) => (self.selection(Node::If, parts, span), true),
            Pending::Do(parts, span) => (self.selection(Node::Do, parts, span), true),
            Pending::Unless(main, escape, span) => (self.unless_element(main, escape, span), true),
            Pending::Labelled(..) => unreachable!("labels are taken off"),
        };
        for label in labels.iter().rev() {
            self.set_label(label, element);
        }
        if !appended {
            self.append(element);
        }
    }

    fn append(&mut self, element: ElementId) {
        let sequence = *self.open.last().expect("a sequence is open");
        self.append_to(element, sequence);
    }

    fn append_to(&mut self, element: ElementId, sequence: SequenceId) {
        if matches!(self.body.element(element).node, Node::Goto(_))
            && self.body.has_special_label(element, &["accept", "end", "progress"])
        {
            // A jump is not a location, so its label moves to a skip before it.
            let span = self.body.element(element).span;
            let skip = self.new_element(Node::Skip, span);
            if let Some(label) =
                self.body.labels.iter_mut().rev().find(|label| label.element == element)
            {
                label.element = skip;
            }
            self.append_to(skip, sequence);
        }
        match self.body.sequences[sequence.0].last {
            Some(last) => self.body.elements[last.0].next = Some(element),
            None => self.body.sequences[sequence.0].first = Some(element),
        }
        self.body.sequences[sequence.0].last = Some(element);
    }

    fn selection(&mut self, node: Node, parts: Vec<SequenceId>, span: Span) -> ElementId {
        let is_loop = matches!(node, Node::Do);
        let element = self.new_element(node, span);
        let join = self.new_element(Node::Join, span);
        self.warn_else_with_channels(&parts);
        for &part in &parts {
            self.append_to(join, part);
        }
        self.body.elements[element.0].parts = parts;
        if is_loop {
            self.append(join);
            let exit = self.new_element(Node::LoopExit, span);
            let id = self.breaks.pop().expect("every loop pushed its break");
            self.body.labels.push(BodyLabel {
                name: LabelName::Break(id),
                scope: Scope::default(),
                element: exit,
                span,
            });
            self.append(element);
            self.append(exit);
        } else {
            self.append(element);
            self.append(join);
        }
        element
    }

    fn warn_else_with_channels(&mut self, parts: &[SequenceId]) {
        let guard = |part: &SequenceId| &self.body.element(self.body.first(*part)).node;
        let Some(last) = parts.last() else { return };
        if matches!(guard(last), Node::Else) {
            let with_channel = parts.iter().find(
                |part| matches!(guard(part), Node::Basic(statement) if uses_channel(statement)),
            );
            if let Some(part) = with_channel {
                let channel = self.body.element(self.body.first(*part)).span;
                let span = self.body.element(self.body.first(*last)).span;
                let severity = if self.declare.has_exclusive() {
                    Diagnostic::error
                } else {
                    Diagnostic::warning
                };
                self.declare.report(
                    severity("dubious use of `else` combined with channel operations")
                        .at(span, "taken whenever no other option is enabled")
                        .also(channel, "whether this is enabled depends on other processes"),
                );
            }
        }
    }

    fn unless_element(&mut self, main: SequenceId, escape: SequenceId, span: Span) -> ElementId {
        let element = self.new_element(Node::Unless, span);
        let join = self.new_element(Node::Join, span);
        self.body.elements[element.0].parts = vec![main, escape];
        self.append_to(join, main);
        self.append_to(join, escape);
        self.attach_escape(main, escape);
        self.append(element);
        self.append(join);
        element
    }

    fn set_label(&mut self, label: &Ident, element: ElementId) {
        let clash = self.body.labels.iter().find(|other| {
            other.name == LabelName::Written(label.text.clone()) && other.scope == self.scope
        });
        if let Some(other) = clash {
            let diagnostic = Diagnostic::error(format!("label `{}` is defined twice", label.text))
                .at(label.span, "defined again here")
                .also(other.span, "first defined here");
            self.declare.report(diagnostic);
        }
        self.body.labels.push(BodyLabel {
            name: LabelName::Written(label.text.clone()),
            scope: self.scope.clone(),
            element,
            span: label.span,
        });
    }

    /// Links the last element of each block to the element after the block.
    fn tie_loose_ends(&mut self) {
        for index in (0..self.body.elements.len()).rev() {
            let element = &self.body.elements[index];
            let (Node::Atomic(inner) | Node::Block(inner) | Node::DStep(inner)) = element.node
            else {
                continue;
            };
            let mut next = element.next;
            while let Some(id) = next
                && matches!(self.body.element(id).node, Node::Join)
            {
                next = self.body.element(id).next;
            }
            if element.next.is_none() {
                continue;
            }
            let last = self.body.last(inner);
            if self.body.element(last).next.is_none() {
                self.body.elements[last.0].next = next;
            }
        }
    }
}

fn reference_to(name: &Ident) -> Reference {
    Reference { parts: vec![ast::Part { name: name.clone(), index: None }], span: name.span }
}

fn constant(value: i32, span: Span) -> Expr {
    Expr { kind: ExprKind::Constant(value), span }
}

fn assignment(target: Reference, value: Expr, span: Span) -> Rc<Statement> {
    Rc::new(Statement { kind: StatementKind::Assign(target, value), span })
}

/// Whether the enabledness of the statement depends on a channel.
fn uses_channel(statement: &Statement) -> bool {
    fn in_expr(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Channel(query, _) => *query != ast::ChannelQuery::Len,
            ExprKind::Unary(_, operand) => in_expr(operand),
            ExprKind::Binary(_, left, right) => in_expr(left) || in_expr(right),
            _ => false,
        }
    }
    match &statement.kind {
        StatementKind::Send { .. } | StatementKind::Receive { .. } => true,
        StatementKind::Condition(expr) => in_expr(expr),
        _ => false,
    }
}
