//! From statements to elements.
//!
//! SPIN makes an element when its parser has finished the statement that contains it: the inside of
//! a selection before the selection, the escape of an `unless` before its main part. The same order
//! is kept here, so that element numbers agree.

use super::{Body, Element, ElementId, Jump, Label, LabelName, Node, Sequence, SequenceId, Status};
use crate::ast::{
    self, BinaryOp, Block, Declaration, Expr, ExprKind, ForRange, Ident, Initializer, Reference, Statement,
    StatementKind, Step,
};
use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::symbols::{Owner, Place, Scope};
use std::rc::Rc;

/// What the builder asks of whoever keeps the symbol table.
pub trait Declare {
    /// Takes note of a declaration; `initial` if it is at the very start of the body, so that its
    /// initialisers take effect when the process is created.
    fn declare(&mut self, declaration: &Declaration, owner: Owner, scope: &Scope, initial: bool);
    /// A counter for a loop over a channel, one per block.
    fn loop_counter(&mut self, channel: &Reference, owner: Owner, scope: &Scope) -> Ident;
    /// What a loop with this variable runs over: the messages of a channel, if the variable is a
    /// structure, else the indices of an array.
    fn loop_range(&mut self, variable: &Reference, range: &Reference, place: &Place) -> LoopRange;
    fn exclusive(&mut self, exclusive: &ast::Exclusive, place: Place);
    /// Is any channel declared for exclusive use?
    fn has_exclusive(&self) -> bool;
    /// How many variables are declared so far.
    fn declared(&self) -> usize;
    fn report(&mut self, diagnostic: Diagnostic);
    /// The next element number of the program.
    fn next_number(&mut self) -> u32;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopRange {
    Channel,
    Array(u32),
    Bad,
}

/// A statement whose inside is built and which has no element yet.
enum Pending {
    Leaf(Node, Span),
    If(Vec<SequenceId>, Span),
    Do(Vec<SequenceId>, Span),
    Unless(SequenceId, SequenceId, Span),
    Labelled(Ident, Box<Pending>),
}

pub struct Builder<'a> {
    declare: &'a mut dyn Declare,
    body: Body,
    owner: Owner,
    open: Vec<SequenceId>,
    breaks: Vec<usize>,
    break_count: usize,
    next_local: u32,
    scope: Scope,
    /// How many blocks were opened at each depth.
    scope_counts: Vec<u32>,
    /// Still before the first statement?
    initial: bool,
    is_claim: bool,
}

/// Builds the elements of a body. `None` if an error left nothing to build on.
pub fn build(declare: &mut dyn Declare, block: &Block, owner: Owner, is_claim: bool) -> Body {
    let body =
        Body { elements: Vec::new(), sequences: Vec::new(), labels: Vec::new(), top: SequenceId(0), size: 1 };
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
    fn place(&self) -> Place {
        Place { owner: self.owner, scope: self.scope.clone(), declared: self.declare.declared() }
    }

    fn open_sequence(&mut self) -> SequenceId {
        let id = SequenceId(self.body.sequences.len());
        self.body.sequences.push(Sequence::default());
        self.open.push(id);
        self.initial = false;
        id
    }

    fn close_sequence(&mut self) -> SequenceId {
        let id = self.open.pop().expect("every close has its open");
        if self.body.sequence(id).first.is_none() {
            // Nothing but declarations that need no step: keep the graph well formed.
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

    /// The steps of a block, in a scope of their own unless it is the body's.
    fn block(&mut self, block: &Block) -> SequenceId {
        let id = self.open_sequence();
        self.enter_scope();
        self.steps(block);
        self.leave_scope();
        self.close_sequence();
        self.check_first_label(id, "put the label in front of the whole block");
        id
    }

    /// The first statement of a block is no location of its own, so it cannot have a label.
    fn check_first_label(&mut self, sequence: SequenceId, help: &str) {
        let first = self.body.first(sequence);
        let written = |label: &&Label| label.element == first && matches!(label.name, LabelName::Written(_));
        if let Some(label) = self.body.labels.iter().find(written) {
            let diagnostic = Diagnostic::error("a label at the first statement of a block")
                .at(label.span, "nothing can jump to here")
                .help(help);
            self.declare.report(diagnostic);
        }
    }

    fn steps(&mut self, block: &Block) {
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

    fn declaration(&mut self, declaration: &Declaration) {
        if self.initial {
            self.declare.declare(declaration, self.owner, &self.scope, true);
            return;
        }
        // In the middle of a body each declared variable is an assignment, a step like any other.
        for variable in &declaration.variables {
            let single = Declaration { variables: vec![variable.clone()], ..declaration.clone() };
            self.declare.declare(&single, self.owner, &self.scope, false);
            let reference = reference_to(&variable.name);
            let node = match &variable.initializer {
                None => Node::Reset(assignment(reference, constant(0, variable.span), variable.span)),
                Some(Initializer::Expr(value)) => {
                    Node::Basic(assignment(reference, value.clone(), variable.span))
                }
                Some(Initializer::List(_)) => {
                    self.declare.report(
                        Diagnostic::error("an array cannot be initialised with a list here")
                            .at(variable.span, "not at the start of the proctype")
                            .help("move the declaration in front of the first statement, or assign the elements"),
                    );
                    continue;
                }
                Some(Initializer::Channel(_)) => {
                    self.declare.report(
                        Diagnostic::error(format!("channel `{}` is created too late", variable.name.text))
                            .at(variable.span, "not at the start of the proctype")
                            .help("move the declaration in front of the first statement of the proctype"),
                    );
                    continue;
                }
            };
            self.add(Pending::Leaf(node, variable.span));
        }
    }

    /// Builds the inside of a statement.
    fn statement(&mut self, statement: &Statement) -> Pending {
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
                        Diagnostic::error("`break` outside of a loop").at(span, "there is no loop to leave"),
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
            StatementKind::For { variable, range, body } => self.for_loop(variable, range, body, span),
            StatementKind::Select { variable, from, to, in_inline, literal } => {
                self.select(variable, from, to, *literal && !*in_inline, span)
            }
            _ => Pending::Leaf(Node::Basic(Rc::new(statement.clone())), span),
        }
    }

    fn options(&mut self, options: &[Block]) -> Vec<SequenceId> {
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

    /// SPIN leaves out a `skip` right behind another one (or behind a print) in an option.
    fn drop_repeated_skips(&mut self, sequence: SequenceId) {
        let (first, last) = (self.body.first(sequence), self.body.last(sequence));
        let mut run = 0;
        let mut previous: Option<ElementId> = None;
        let mut current = Some(first);
        while let Some(id) = current {
            let element = self.body.element(id);
            let next = element.next;
            let print = matches!(&element.node, Node::Basic(statement)
                if matches!(statement.kind, StatementKind::Print { .. } | StatementKind::PrintMtype(_)));
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

    fn move_else_last(&mut self, parts: &mut Vec<SequenceId>) {
        let elses: Vec<usize> = parts
            .iter()
            .enumerate()
            .filter(|(_, part)| matches!(self.body.element(self.body.first(**part)).node, Node::Else))
            .map(|(index, _)| index)
            .collect();
        if let [_, second, ..] = elses[..] {
            let span = self.body.element(self.body.first(parts[second])).span;
            self.declare.report(
                Diagnostic::error("a second `else` in one selection").at(span, "only one is allowed"),
            );
        }
        if let Some(&index) = elses.first() {
            let part = parts.remove(index);
            parts.push(part);
        }
    }

    fn unless(&mut self, main: &Statement, escape: &Statement) -> Pending {
        let span = main.span;
        let main_pending = self.statement(main);
        // A `break` in the escape leaves the loop around the `unless`, not the main loop.
        let own_break = matches!(main_pending, Pending::Do(..)).then(|| self.breaks.pop()).flatten();
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
                if matches!(*inner, Pending::Leaf(Node::Block(_) | Node::Atomic(_) | Node::DStep(_), _)) =>
            {
                // The label belongs to the whole.
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

    fn wrap(&mut self, pending: Pending) -> SequenceId {
        let id = self.open_sequence();
        self.add(pending);
        self.close_sequence();
        id
    }

    /// One of the two sides of an `unless`.
    fn wrap_unlabelled(&mut self, pending: Pending) -> SequenceId {
        let id = self.wrap(pending);
        self.check_first_label(id, "write `label: { … unless … }`");
        id
    }

    fn push_break(&mut self) {
        self.breaks.push(self.break_count);
        self.break_count += 1;
    }

    fn for_loop(&mut self, variable: &Reference, range: &ForRange, body: &Block, span: Span) -> Pending {
        self.push_break();
        let counter = match range {
            ForRange::Values(from, to) => {
                self.open_counting(variable, from, BinaryOp::LessEqual, to, span);
                variable.clone()
            }
            ForRange::In(over) => {
                let place = self.place();
                match self.declare.loop_range(variable, over, &place) {
                    LoopRange::Channel => {
                        let counter = self.declare.loop_counter(over, self.owner, &self.scope);
                        let counter = reference_to(&counter);
                        let length = Expr {
                            kind: ExprKind::Channel(ast::ChannelQuery::Len, over.clone()),
                            span: over.span,
                        };
                        self.open_counting(&counter, &constant(0, span), BinaryOp::Less, &length, span);
                        let arguments = vec![ast::ReceiveArgument::Reference(variable.clone())];
                        let receive = StatementKind::Receive {
                            channel: over.clone(),
                            random: false,
                            keep: false,
                            arguments,
                        };
                        self.leaf(receive, span);
                        let message = Expr { kind: ExprKind::Reference(variable.clone()), span };
                        let send = StatementKind::Send {
                            channel: over.clone(),
                            sorted: false,
                            arguments: vec![message],
                        };
                        self.leaf(send, span);
                        counter
                    }
                    LoopRange::Array(length) => {
                        let last = constant(length as i32 - 1, span);
                        self.open_counting(variable, &constant(0, span), BinaryOp::LessEqual, &last, span);
                        variable.clone()
                    }
                    LoopRange::Bad => {
                        self.breaks.pop();
                        return Pending::Leaf(Node::Skip, span);
                    }
                }
            }
        };
        self.enter_scope();
        self.steps(body);
        self.leave_scope();
        self.close_counting(&counter, true, span)
    }

    /// `variable = from`, then an open sequence that starts with `variable < to` (or `<=`).
    fn open_counting(&mut self, variable: &Reference, from: &Expr, op: BinaryOp, to: &Expr, span: Span) {
        self.add(Pending::Leaf(Node::Basic(assignment(variable.clone(), from.clone(), span)), span));
        self.open_sequence();
        let current = Expr { kind: ExprKind::Reference(variable.clone()), span: variable.span };
        let test = ExprKind::Binary(op, Box::new(current), Box::new(to.clone()));
        self.leaf(StatementKind::Condition(Expr { kind: test, span }), span);
    }

    /// The increment, and the option that leaves the loop.
    fn close_counting(&mut self, variable: &Reference, with_else: bool, span: Span) -> Pending {
        let current = Expr { kind: ExprKind::Reference(variable.clone()), span: variable.span };
        let sum = ExprKind::Binary(BinaryOp::Add, Box::new(current), Box::new(constant(1, span)));
        let increment = assignment(variable.clone(), Expr { kind: sum, span }, span);
        self.add(Pending::Leaf(Node::Basic(increment), span));
        let body = self.close_sequence();
        let leave = self.open_sequence();
        if with_else {
            self.add(Pending::Leaf(Node::Else, span));
        }
        let id = *self.breaks.last().expect("the loop pushed its break");
        self.add(Pending::Leaf(Node::Goto(Jump::Break(id)), span));
        self.close_sequence();
        let mut parts = vec![leave, body];
        self.move_else_last(&mut parts);
        Pending::Do(parts, span)
    }

    fn select(&mut self, variable: &Reference, from: &Expr, to: &Expr, literal: bool, span: Span) -> Pending {
        let number = |expr: &Expr| match expr.kind {
            ExprKind::Constant(value) => Some(value),
            _ => None,
        };
        // Small ranges between plain numbers are spread out: one step instead of a loop.
        let spread = match (number(from), number(to)) {
            (Some(low), Some(high)) if literal && low <= high => Some((low, high)),
            _ => None,
        };
        let step = |value| Node::Basic(assignment(variable.clone(), constant(value, span), span));
        match spread {
            Some((low, high)) if high.wrapping_sub(low) <= 32 => {
                let parts = (low..=high).map(|value| self.wrap(Pending::Leaf(step(value), span))).collect();
                Pending::If(parts, span)
            }
            Some((low, high)) => {
                self.add(Pending::Leaf(step(low), span));
                self.push_break();
                let count = self.open_sequence();
                let current = Expr { kind: ExprKind::Reference(variable.clone()), span };
                let test =
                    ExprKind::Binary(BinaryOp::Less, Box::new(current), Box::new(constant(high, span)));
                self.leaf(StatementKind::Condition(Expr { kind: test, span }), span);
                self.leaf(StatementKind::Increment(variable.clone()), span);
                self.close_sequence();
                let leave = self.open_sequence();
                let id = *self.breaks.last().expect("just pushed");
                self.add(Pending::Leaf(Node::Goto(Jump::Break(id)), span));
                self.close_sequence();
                Pending::Do(vec![count, leave], span)
            }
            None => {
                self.open_counting(variable, from, BinaryOp::Less, to, span);
                self.push_break();
                self.close_counting(variable, false, span)
            }
        }
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

    /// Makes the element of a finished statement and appends it to the open sequence.
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
            // A jump is no location, so its label moves to a skip in front of it.
            let span = self.body.element(element).span;
            let skip = self.new_element(Node::Skip, span);
            if let Some(label) = self.body.labels.iter_mut().rev().find(|label| label.element == element) {
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
            self.body.labels.push(Label {
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
            let with_channel = parts
                .iter()
                .find(|part| matches!(guard(part), Node::Basic(statement) if uses_channel(statement)));
            if let Some(part) = with_channel {
                let channel = self.body.element(self.body.first(*part)).span;
                let span = self.body.element(self.body.first(*last)).span;
                let severity =
                    if self.declare.has_exclusive() { Diagnostic::error } else { Diagnostic::warning };
                self.declare.report(
                    severity("dubious use of `else` combined with channel operations")
                        .at(span, "taken whenever no other option can proceed at this moment")
                        .also(channel, "whether this can proceed depends on other processes"),
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

    fn attach_escape(&mut self, sequence: SequenceId, escape: SequenceId) {
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

    fn escape_element(&mut self, id: ElementId, escape: SequenceId) {
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
            // Only before its first statement can a d_step be escaped from.
            Node::DStep(inner) => self.escape_element(self.body.first(inner), escape),
            Node::Atomic(inner) | Node::Block(inner) => self.attach_escape(inner, escape),
            _ => {}
        }
    }

    fn make_atomic(&mut self, sequence: SequenceId, dstep: bool) {
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

    fn walk_atomic(&mut self, first: ElementId, last: ElementId, dstep: bool) {
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

    /// No jump may leave a d_step.
    fn check_jumps(&mut self, first: usize) {
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
                Diagnostic::error("a jump out of a d_step")
                    .at(span, "its target is outside of the sequence")
                    .help("use `atomic`, or jump after the d_step"),
            );
        }
    }

    fn set_label(&mut self, label: &Ident, element: ElementId) {
        let clash =
            self.body.labels.iter().find(|other| {
                other.name == LabelName::Written(label.text.clone()) && other.scope == self.scope
            });
        if let Some(other) = clash {
            let diagnostic = Diagnostic::error(format!("label `{}` is defined twice", label.text))
                .at(label.span, "defined again here")
                .also(other.span, "first defined here");
            self.declare.report(diagnostic);
        }
        self.body.labels.push(Label {
            name: LabelName::Written(label.text.clone()),
            scope: self.scope.clone(),
            element,
            span: label.span,
        });
    }

    /// The last element of a block continues behind the block.
    fn tie_loose_ends(&mut self) {
        for index in (0..self.body.elements.len()).rev() {
            let element = &self.body.elements[index];
            let (Node::Atomic(inner) | Node::Block(inner) | Node::DStep(inner)) = element.node else {
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

/// Does whether the statement can proceed depend on a channel?
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
