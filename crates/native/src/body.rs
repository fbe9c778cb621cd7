//! The inside of a d_step: a graph run to its end as one step, taking the first enabled branch at each node.
//!
//! A body whose paths never meet again is written as a tree, and its words stay in registers. Otherwise the state is
//! moved to memory when the body is entered, and each node is a block.

use crate::channel::Target;
use crate::function::Generator;
use crate::state_access::Scene;
use crate::transition::{Attempt, Ready};
use crate::value::Value;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use cranelift_frontend::Variable;
use model::program::{Body, BranchKind, Operation};

/// After this many steps, some tenths of a second of work, the interpreter takes over: it runs the body again and finds out
/// whether its state repeats, and can be stopped.
const STEPS: i32 = 1 << 27;

/// How many nodes a body may have for its paths to be written as a tree.
const TREE_NODES: usize = 64;

/// A body written with one block for each node.
struct Graph<'b> {
    body: &'b Body,
    blocks: Vec<Block>,
    /// Counts steps, if the body has a circle.
    steps: Option<Variable>,
    /// Where a path that leaves the body goes.
    exit: Block,
}

impl Generator<'_, '_> {
    pub fn body(&mut self, scene: Scene, body: &Body, attempt: &Attempt<'_>) {
        if scene.handshake.is_some() {
            // Entered by a receive: first the question whether there is one, as the interpreter asks it.
            self.node_enabled(&scene, body, 0, attempt.done);
        }
        let memory = self.needs_memory(scene.actor, &attempt.transition.operation);
        if is_tree(body) && !memory {
            return self.tree_node(&scene, body, 0, attempt);
        }
        let blocks = body.nodes.iter().map(|_| self.block()).collect();
        let exit = self.block();
        let steps = has_circle(body).then(|| {
            let steps = self.builder.declare_var(types::I32);
            let zero = self.number_constant(0);
            self.builder.def_var(steps, zero);
            steps
        });
        let graph = Graph { body, blocks, steps, exit };
        let mut inside = None;
        // The first node is written apart: if nothing is enabled there, the step is not.
        for branch in &body.nodes[0] {
            let otherwise = self.block();
            let mut scene = scene.clone();
            self.branch_taken(&mut scene, body, &branch.kind, branch.next, otherwise);
            self.materialize(&mut scene);
            let next = branch.next.map_or(exit, |next| graph.blocks[next as usize]);
            self.go_to(next);
            inside = Some(scene);
            self.at(otherwise);
        }
        self.blocked(&scene, attempt.done);
        // All paths come in with the state in memory and nothing else that differs.
        let mut scene = inside.unwrap_or_else(|| scene.clone());
        scene.handshake = None;
        scene.occupied = None;
        for node in 0..body.nodes.len() {
            self.at(graph.blocks[node]);
            self.graph_node(&scene, &graph, node);
        }
        self.at(exit);
        self.complete(scene, attempt);
    }

    /// Nothing is enabled at the first node: the step is not enabled, unless a receive was to be there.
    fn blocked(&mut self, scene: &Scene, done: Block) {
        match scene.handshake {
            Some(_) => self.go_to(self.abnormal),
            None => self.go_to(done),
        }
    }

    fn graph_node(&mut self, scene: &Scene, graph: &Graph<'_>, node: usize) {
        if let Some(steps) = graph.steps {
            let count = self.builder.use_var(steps);
            let one = self.number_constant(1);
            let more = self.builder.ins().iadd(count, one);
            self.builder.def_var(steps, more);
            let long = self.compare(IntCC::SignedGreaterThan, more, STEPS);
            self.refuse(Value::truth(long));
        }
        for branch in &graph.body.nodes[node] {
            let otherwise = self.block();
            let mut scene = scene.clone();
            self.branch_taken(&mut scene, graph.body, &branch.kind, branch.next, otherwise);
            self.go_to(branch.next.map_or(graph.exit, |next| graph.blocks[next as usize]));
            self.at(otherwise);
        }
        self.go_to(self.abnormal);
    }

    fn tree_node(&mut self, scene: &Scene, body: &Body, node: u32, attempt: &Attempt<'_>) {
        for branch in &body.nodes[node as usize] {
            let otherwise = self.block();
            let mut scene = scene.clone();
            self.branch_taken(&mut scene, body, &branch.kind, branch.next, otherwise);
            match branch.next {
                Some(next) => self.tree_node(&scene, body, next, attempt),
                None => self.complete(scene, attempt),
            }
            self.at(otherwise);
        }
        match node {
            0 => self.blocked(scene, attempt.done),
            _ => self.go_to(self.abnormal),
        }
    }

    /// Takes a branch if it can be taken; otherwise goes to `otherwise`.
    fn branch_taken(
        &mut self,
        scene: &mut Scene,
        body: &Body,
        kind: &BranchKind,
        next: Option<u32>,
        otherwise: Block,
    ) {
        match kind {
            BranchKind::Enter => {
                if let Some(next) = next {
                    self.node_enabled(scene, body, next, otherwise);
                }
                if scene.handshake.is_some() {
                    // The rendezvous is not complete, and must be by now.
                    self.give_up();
                }
            }
            BranchKind::Operation(operation) => {
                let ready = self.enabled(scene, operation, otherwise);
                if let (Operation::Send { .. }, Ready::Message(target, _)) = (operation, ready) {
                    self.refuse_rendezvous(scene, target);
                }
                self.perform(scene, operation, ready);
            }
        }
    }

    /// A rendezvous cannot begin inside a d_step.
    fn refuse_rendezvous(&mut self, scene: &Scene, target: Target) {
        match target {
            Target::Direct(index) if self.plan.may_be_rendezvous(index) => self.give_up(),
            Target::Direct(_) => {}
            Target::Number(number) => self.require_buffered(scene, number),
        }
    }

    /// Goes to `otherwise` unless a node has a branch that can be taken.
    pub fn node_enabled(&mut self, scene: &Scene, body: &Body, node: u32, otherwise: Block) {
        let yes = self.block();
        self.ask_node(scene, body, node, yes, otherwise);
        self.at(yes);
    }

    fn ask_node(&mut self, scene: &Scene, body: &Body, node: u32, yes: Block, otherwise: Block) {
        for branch in &body.nodes[node as usize] {
            let next = self.block();
            match (&branch.kind, branch.next) {
                (BranchKind::Operation(operation), _) => {
                    self.enabled(scene, operation, next);
                    self.go_to(yes);
                }
                (BranchKind::Enter, Some(entered)) => self.ask_node(scene, body, entered, yes, next),
                (BranchKind::Enter, None) => match scene.handshake {
                    Some(_) => self.go_to(next),
                    None => self.go_to(yes),
                },
            }
            self.at(next);
        }
        self.go_to(otherwise);
    }
}

/// Is no node reached in two ways?
fn is_tree(body: &Body) -> bool {
    let mut reached = vec![false; body.nodes.len()];
    reached[0] = true;
    let mut next = body.nodes.iter().flatten().filter_map(|branch| branch.next);
    body.nodes.len() <= TREE_NODES && next.all(|next| !std::mem::replace(&mut reached[next as usize], true))
}

/// Can a node be reached from itself?
fn has_circle(body: &Body) -> bool {
    // Nodes are taken away as long as some have no predecessor left; what remains is in circles or behind them.
    let mut predecessors = vec![0usize; body.nodes.len()];
    for branch in body.nodes.iter().flatten() {
        if let Some(next) = branch.next {
            predecessors[next as usize] += 1;
        }
    }
    let mut free: Vec<usize> = (0..body.nodes.len()).filter(|node| predecessors[*node] == 0).collect();
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
