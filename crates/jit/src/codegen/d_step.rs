//! Bodies of d_steps: a graph that is executed to its end as one step, taking the first enabled
//! branch at each node.
//!
//! A body whose paths never join is generated as a tree, with the state's words in registers.
//! Otherwise the state is moved to memory at the body's start, and each node is a block.

use crate::codegen::Generator;
use crate::codegen::channel::ChannelTarget;
use crate::codegen::operation::Readiness;
use crate::codegen::state_view::StateView;
use crate::codegen::transition::Attempt;
use crate::codegen::value::Value;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::Variable;
use lariat_ir::program::{Body, BranchKind, Operation};

/// Steps, some tenths of a second of work, after which the code bails out. The interpreter executes
/// the body again; it detects repeated states and can be interrupted.
const MAX_BODY_STEPS: i32 = 1 << 27;

/// The most nodes of a body that is generated as a tree.
const MAX_TREE_NODES: usize = 64;

/// A body generated with one block for each node.
struct BodyGraph<'b> {
    body: &'b Body,
    blocks: Vec<Block>,
    /// Counts steps, if the body has a cycle.
    steps: Option<Variable>,
    /// The block after the body.
    exit: Block,
}

impl Generator<'_, '_> {
    /// Generates the steps of a d_step; then goes to `done`.
    pub fn expand_body(&mut self, view: StateView, body: &Body, attempt: &Attempt<'_>) {
        if view.handshake.is_some() {
            // In a rendezvous the body must begin with a receive; test this first, as the
            // interpreter does.
            self.require_node_enabled(&view, body, 0, attempt.done);
        }
        let memory = self.plan.needs_memory(view.actor, &attempt.transition.operation);
        if is_tree(body) && !memory {
            return self.tree_node(&view, body, 0, attempt);
        }
        let blocks = body.nodes.iter().map(|_| self.block()).collect();
        let exit = self.block();
        let steps = has_cycle(body).then(|| {
            let steps = self.builder.declare_var(types::I32);
            let zero = self.number_constant(0);
            self.builder.def_var(steps, zero);
            steps
        });
        let graph = BodyGraph { body, blocks, steps, exit };
        let mut inside = None;
        // The first node differs: if none of its branches is enabled, neither is the step.
        for branch in &body.nodes[0] {
            let otherwise = self.block();
            let mut view = view.clone();
            self.take_branch(&mut view, body, &branch.kind, branch.next, otherwise);
            self.materialize(&mut view);
            let next = branch.next.map_or(exit, |next| graph.blocks[next as usize]);
            self.go_to(next);
            inside = Some(view);
            self.at(otherwise);
        }
        self.blocked(&view, attempt.done);
        // All paths arrive with the state in memory and no other differences.
        let mut view = inside.unwrap_or_else(|| view.clone());
        view.handshake = None;
        view.occupied = None;
        for node in 0..body.nodes.len() {
            self.at(graph.blocks[node]);
            self.graph_node(&view, &graph, node);
        }
        self.at(exit);
        self.finish_step(view, attempt);
    }

    /// No branch of the first node is enabled, so the step is not. In a rendezvous this cannot
    /// happen after the initial test, so the code bails out.
    fn blocked(&mut self, view: &StateView, done: Block) {
        match view.handshake {
            Some(_) => self.go_to(self.bailout),
            None => self.go_to(done),
        }
    }

    fn graph_node(&mut self, view: &StateView, graph: &BodyGraph<'_>, node: usize) {
        if let Some(steps) = graph.steps {
            let count = self.builder.use_var(steps);
            let one = self.number_constant(1);
            let more = self.builder.ins().iadd(count, one);
            self.builder.def_var(steps, more);
            let long = self.compare(IntCC::SignedGreaterThan, more, MAX_BODY_STEPS);
            self.bail_out_if(Value::truth(long));
        }
        for branch in &graph.body.nodes[node] {
            let otherwise = self.block();
            let mut view = view.clone();
            self.take_branch(&mut view, graph.body, &branch.kind, branch.next, otherwise);
            self.go_to(branch.next.map_or(graph.exit, |next| graph.blocks[next as usize]));
            self.at(otherwise);
        }
        self.go_to(self.bailout);
    }

    fn tree_node(&mut self, view: &StateView, body: &Body, node: u32, attempt: &Attempt<'_>) {
        for branch in &body.nodes[node as usize] {
            let otherwise = self.block();
            let mut view = view.clone();
            self.take_branch(&mut view, body, &branch.kind, branch.next, otherwise);
            match branch.next {
                Some(next) => self.tree_node(&view, body, next, attempt),
                None => self.finish_step(view, attempt),
            }
            self.at(otherwise);
        }
        match node {
            0 => self.blocked(view, attempt.done),
            _ => self.go_to(self.bailout),
        }
    }

    /// Takes a branch if it is enabled; otherwise goes to `otherwise`.
    fn take_branch(
        &mut self,
        view: &mut StateView,
        body: &Body,
        kind: &BranchKind,
        next: Option<u32>,
        otherwise: Block,
    ) {
        match kind {
            BranchKind::Enter => {
                if let Some(next) = next {
                    self.require_node_enabled(view, body, next, otherwise);
                }
                if view.handshake.is_some() {
                    // The first operation must complete the rendezvous.
                    self.bail_out();
                }
            }
            BranchKind::Operation(operation) => {
                let ready = self.require_enabled(view, operation, otherwise);
                if let (Operation::Send { .. }, Readiness::Message(target, _)) = (operation, ready)
                {
                    self.bail_out_if_rendezvous(view, target);
                }
                self.perform_operation(view, operation, ready);
            }
        }
    }

    /// Bails out if the channel is a rendezvous channel: a d_step cannot start a rendezvous.
    fn bail_out_if_rendezvous(&mut self, view: &StateView, target: ChannelTarget) {
        match target {
            ChannelTarget::Direct(index) if self.plan.may_be_rendezvous(index) => self.bail_out(),
            ChannelTarget::Direct(_) => {}
            ChannelTarget::Number(number) => self.require_buffered(view, number),
        }
    }

    /// Goes to `otherwise` unless a branch of the node is enabled.
    pub fn require_node_enabled(
        &mut self,
        view: &StateView,
        body: &Body,
        node: u32,
        otherwise: Block,
    ) {
        let yes = self.block();
        self.branch_on_node(view, body, node, yes, otherwise);
        self.at(yes);
    }

    /// Goes to `yes` if a branch of the node is enabled, otherwise to `otherwise`.
    fn branch_on_node(
        &mut self,
        view: &StateView,
        body: &Body,
        node: u32,
        yes: Block,
        otherwise: Block,
    ) {
        for branch in &body.nodes[node as usize] {
            let next = self.block();
            match (&branch.kind, branch.next) {
                (BranchKind::Operation(operation), _) => {
                    self.require_enabled(view, operation, next);
                    self.go_to(yes);
                }
                (BranchKind::Enter, Some(entered)) => {
                    self.branch_on_node(view, body, entered, yes, next)
                }
                (BranchKind::Enter, None) => match view.handshake {
                    Some(_) => self.go_to(next),
                    None => self.go_to(yes),
                },
            }
            self.at(next);
        }
        self.go_to(otherwise);
    }
}

/// Whether the body is small and no node has two predecessors.
fn is_tree(body: &Body) -> bool {
    let mut reached = vec![false; body.nodes.len()];
    reached[0] = true;
    let mut next = body.nodes.iter().flatten().filter_map(|branch| branch.next);
    body.nodes.len() <= MAX_TREE_NODES
        && next.all(|next| !std::mem::replace(&mut reached[next as usize], true))
}

/// Whether the body has a cycle.
fn has_cycle(body: &Body) -> bool {
    // Repeatedly remove nodes without predecessors: nodes remain only on cycles or after them.
    let mut predecessors = vec![0usize; body.nodes.len()];
    for branch in body.nodes.iter().flatten() {
        if let Some(next) = branch.next {
            predecessors[next as usize] += 1;
        }
    }
    let mut free: Vec<usize> =
        (0..body.nodes.len()).filter(|node| predecessors[*node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = free.pop() {
        removed += 1;
        for next in body.nodes[node].iter().filter_map(|branch| branch.next) {
            predecessors[next as usize] -= 1;
            if predecessors[next as usize] == 0 {
                free.push(next as usize);
            }
        }
    }
    removed < body.nodes.len()
}
