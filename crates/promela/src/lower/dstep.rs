//! The body of a d_step becomes a graph of its own.

use super::Lowering;
use crate::ast::{ExprKind, StatementKind};
use crate::flow::{Body, Element, ElementId, Node, SequenceId};
use lariat_ir::program::{Body as ModelBody, Branch, BranchKind, Operation};
use std::collections::HashMap;

struct Nodes {
    ids: HashMap<ElementId, u32>,
    pending: Vec<ElementId>,
}

impl Nodes {
    /// The node of an element; a new element is queued for lowering.
    fn node(&mut self, element: ElementId) -> u32 {
        let next = self.ids.len() as u32;
        *self.ids.entry(element).or_insert_with(|| {
            self.pending.push(element);
            next
        })
    }
}

impl Lowering<'_> {
    pub(super) fn dstep(&mut self, body: &Body, sequence: SequenceId) -> Operation {
        let mut nodes = Nodes { ids: HashMap::new(), pending: Vec::new() };
        let mut built: HashMap<u32, Vec<Branch>> = HashMap::new();
        match inside(body, body.first(sequence)) {
            Some(first) => nodes.node(first),
            None => return Operation::SKIP,
        };
        while let Some(id) = nodes.pending.pop() {
            let branches = self.branches(body, id, &mut nodes);
            built.insert(nodes.ids[&id], branches);
        }
        let count = built.len() as u32;
        Operation::Deterministic(ModelBody {
            nodes: (0..count).map(|node| built.remove(&node).unwrap_or_default()).collect(),
        })
    }

    fn branches(&mut self, body: &Body, id: ElementId, nodes: &mut Nodes) -> Vec<Branch> {
        let element = body.element(id);
        if !matches!(element.node, Node::If | Node::Do) {
            return vec![self.branch(body, element, nodes)];
        }
        let mut branches = Vec::new();
        for &part in &element.parts {
            let first = body.first(part);
            let start = body.element(first);
            let leaf =
                matches!(start.node, Node::Basic(_) | Node::Reset(_) | Node::Skip | Node::Else);
            branches.push(if leaf {
                self.branch(body, start, nodes)
            } else {
                let origin =
                    self.origin(start.span, Self::element_text(start), start.global_number);
                Branch {
                    kind: BranchKind::Enter,
                    next: inside(body, first).map(|id| nodes.node(id)),
                    origin,
                }
            });
        }
        branches
    }

    fn branch(&mut self, body: &Body, element: &Element, nodes: &mut Nodes) -> Branch {
        self.check_dstep_statement(element);
        let operation = self.operation(element);
        let origin = self.origin(element.span, Self::element_text(element), element.global_number);
        let next = element.next.and_then(|next| inside(body, next)).map(|id| nodes.node(id));
        Branch { kind: BranchKind::Operation(operation), next, origin }
    }

    fn check_dstep_statement(&mut self, element: &Element) {
        let Node::Basic(statement) = &element.node else { return };
        let (StatementKind::Condition(expr)
        | StatementKind::Assert(expr)
        | StatementKind::Assign(_, expr)) = &statement.kind
        else {
            return;
        };
        let mut found = None;
        crate::ast_walk::in_expr(expr, &mut |inner| {
            if matches!(inner.kind, ExprKind::Run { .. }) {
                found = Some(inner.span);
            }
        });
        if let Some(span) = found {
            self.error(span, "`run` inside a d_step", "use `atomic` instead");
        }
    }
}

/// The next element inside the d_step to execute; `None` if execution leaves the d_step.
fn inside(body: &Body, from: ElementId) -> Option<ElementId> {
    let mut current = from;
    for _ in 0..body.elements.len() + 1 {
        let element = body.element(current);
        if !element.status.dstep {
            return None;
        }
        current = match &element.node {
            Node::Goto(jump) => body.destination(jump)?,
            Node::Join | Node::LoopExit => element.next?,
            Node::Block(inner) | Node::Atomic(inner) | Node::DStep(inner) => body.first(*inner),
            Node::Unless => body.first(element.parts[0]),
            _ => return Some(current),
        };
    }
    None
}
