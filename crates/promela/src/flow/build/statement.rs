//! Steps, statements, options and `unless`: the parts of a statement are built before the statement
//! itself.

use super::{Builder, Pending, assignment, constant, reference_to};
use crate::ast::{Block, Declaration, Expr, ExprKind, Initializer, Statement, StatementKind, Step};
use crate::diagnostic::Diagnostic;
use crate::flow::{ElementId, Jump, Node, SequenceId};
use std::rc::Rc;

impl Builder<'_> {
    pub(super) fn steps(&mut self, block: &Block) {
        for step in &block.steps {
            match step {
                Step::Declaration(declaration) => self.declaration(declaration),
                Step::Exclusive(exclusive) => {
                    let place = self.place();
                    self.declare.exclusive(exclusive, place);
                }
                Step::Statement(statement) => {
                    let pending = self.statement(statement);
                    self.initial = false;
                    self.add(pending);
                }
                Step::Unless(main, escape) => {
                    let pending = self.unless(main, escape);
                    self.initial = false;
                    self.add(pending);
                }
            }
        }
    }

    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        if self.initial {
            self.declare.declare(declaration, self.owner, &self.scope, true);
            return;
        }
        // In the middle of a body, each declared variable is an assignment and a step of its own.
        for variable in &declaration.variables {
            let single = Declaration { variables: vec![variable.clone()], ..declaration.clone() };
            self.declare.declare(&single, self.owner, &self.scope, false);
            let reference = reference_to(&variable.name);
            let node = match &variable.initializer {
                None => {
                    Node::Reset(assignment(reference, constant(0, variable.span), variable.span))
                }
                Some(Initializer::Expr(value)) => {
                    Node::Basic(assignment(reference, value.clone(), variable.span))
                }
                Some(Initializer::List(_)) => {
                    self.declare.report(
                        Diagnostic::error("an array cannot be initialised with a list here")
                            .at(variable.span, "not at the start of the proctype")
                            .help("move the declaration before the first statement, or assign the elements"),
                    );
                    continue;
                }
                Some(Initializer::Channel(_)) => {
                    self.declare.report(
                        Diagnostic::error(format!(
                            "channel `{}` is initialised after the first statement",
                            variable.name.text
                        ))
                        .at(variable.span, "not at the start of the proctype")
                        .help("move the declaration before the first statement of the proctype"),
                    );
                    continue;
                }
            };
            self.add(Pending::Leaf(node, variable.span));
        }
    }

    /// Builds the parts of a statement.
    pub(super) fn statement(&mut self, statement: &Statement) -> Pending {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Labelled(label, inner) => {
                let inner = self.statement(inner);
                Pending::Labelled(label.clone(), Box::new(inner))
            }
            StatementKind::If(options) => {
                let parts = self.options(options);
                Pending::If(parts, span)
            }
            StatementKind::Do(options) => {
                self.push_break();
                let parts = self.options(options);
                Pending::Do(parts, span)
            }
            StatementKind::Atomic(block) => {
                let sequence = self.block(block);
                self.make_atomic(sequence, false);
                Pending::Leaf(Node::Atomic(sequence), span)
            }
            StatementKind::DStep(block) => {
                let first = self.body.elements.len();
                let sequence = self.block(block);
                self.check_jumps(first);
                self.make_atomic(sequence, true);
                Pending::Leaf(Node::DStep(sequence), span)
            }
            StatementKind::Block(block) | StatementKind::Inline { body: block, .. } => {
                let sequence = self.block(block);
                Pending::Leaf(Node::Block(sequence), span)
            }
            StatementKind::Break => match self.breaks.last() {
                Some(&id) => Pending::Leaf(Node::Goto(Jump::Break(id)), span),
                None => {
                    self.declare.report(
                        Diagnostic::error("`break` outside a loop")
                            .at(span, "there is no loop to leave"),
                    );
                    Pending::Leaf(Node::Skip, span)
                }
            },
            StatementKind::Goto(label) => {
                let jump = Jump::Label { name: label.text.clone(), scope: self.scope.clone() };
                Pending::Leaf(Node::Goto(jump), span)
            }
            StatementKind::Else => Pending::Leaf(Node::Else, span),
            StatementKind::Condition(Expr { kind: ExprKind::Constant(1), .. }) => {
                Pending::Leaf(Node::Skip, span)
            }
            StatementKind::For { variable, range, body } => {
                self.for_loop(variable, range, body, span)
            }
            StatementKind::Select { variable, from, to, in_inline, literal } => {
                self.select(variable, from, to, *literal && !*in_inline, span)
            }
            _ => Pending::Leaf(Node::Basic(Rc::new(statement.clone())), span),
        }
    }

    pub(super) fn options(&mut self, options: &[Block]) -> Vec<SequenceId> {
        let mut parts: Vec<SequenceId> = options
            .iter()
            .map(|option| {
                let id = self.open_sequence();
                self.steps(option);
                self.close_sequence();
                id
            })
            .collect();
        if !self.is_claim {
            for &part in &parts {
                self.drop_repeated_skips(part);
            }
        }
        self.move_else_last(&mut parts);
        parts
    }

    /// In an option, SPIN drops a `skip` directly after another `skip` or a print.
    pub(super) fn drop_repeated_skips(&mut self, sequence: SequenceId) {
        let (first, last) = (self.body.first(sequence), self.body.last(sequence));
        let mut run = 0;
        let mut previous: Option<ElementId> = None;
        let mut current = Some(first);
        while let Some(id) = current {
            let element = self.body.element(id);
            let next = element.next;
            let print = match &element.node {
                Node::Basic(statement) => matches!(
                    statement.kind,
                    StatementKind::Print { .. } | StatementKind::PrintMtype(_)
                ),
                _ => false,
            };
            let skip = matches!(element.node, Node::Skip);
            if (print || skip) && !self.body.is_labelled(id) {
                run += 1;
                if run > 1
                    && skip
                    && id != first
                    && id != last
                    && let Some(previous) = previous
                {
                    self.body.elements[previous.0].next = next;
                    current = next;
                    continue;
                }
            } else {
                run = 0;
            }
            previous = Some(id);
            current = next;
        }
    }

    pub(super) fn move_else_last(&mut self, parts: &mut Vec<SequenceId>) {
        let elses: Vec<usize> = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| {
                matches!(self.body.element(self.body.first(**part)).node, Node::Else)
            })
            .map(|(index, _)| index)
            .collect();
        if let [_, second, ..] = elses[..] {
            let span = self.body.element(self.body.first(parts[second])).span;
            self.declare.report(
                Diagnostic::error("a second `else` in one selection")
                    .at(span, "only one is allowed"),
            );
        }
        if let Some(&index) = elses.first() {
            let part = parts.remove(index);
            parts.push(part);
        }
    }

    pub(super) fn unless(&mut self, main: &Statement, escape: &Statement) -> Pending {
        let span = main.span;
        let main_pending = self.statement(main);
        // A `break` in the escape leaves the loop around the `unless`, not a loop in the main part.
        let own_break =
            matches!(main_pending, Pending::Do(..)).then(|| self.breaks.pop()).flatten();
        let escape_pending = self.statement(escape);
        if let Some(id) = own_break {
            self.breaks.push(id);
        }
        let escape = match escape_pending {
            Pending::Leaf(Node::Block(sequence), _) => sequence,
            other => self.wrap_unlabelled(other),
        };
        match main_pending {
            Pending::Leaf(Node::Block(main), _) => Pending::Unless(main, escape, span),
            Pending::Labelled(label, inner)
                if matches!(
                    *inner,
                    Pending::Leaf(Node::Block(_) | Node::Atomic(_) | Node::DStep(_), _)
                ) =>
            {
                // The label belongs to the whole `unless`.
                let Pending::Leaf(node, _) = *inner else { unreachable!("just matched") };
                let (Node::Block(main) | Node::Atomic(main) | Node::DStep(main)) = node else {
                    unreachable!("just matched")
                };
                let whole = self.wrap(Pending::Unless(main, escape, span));
                let node = match node {
                    Node::Atomic(_) => Node::Atomic(whole),
                    Node::DStep(_) => Node::DStep(whole),
                    _ => Node::Block(whole),
                };
                Pending::Labelled(label, Box::new(Pending::Leaf(node, span)))
            }
            other => {
                let main = self.wrap_unlabelled(other);
                Pending::Unless(main, escape, span)
            }
        }
    }

    /// One of the two sides of an `unless`.
    pub(super) fn wrap_unlabelled(&mut self, pending: Pending) -> SequenceId {
        let id = self.wrap(pending);
        self.check_first_label(id, "write `label: { … unless … }`");
        id
    }
}
