//! The product as a graph of numbered nodes, constructed on the fly.
//!
//! Threads share the product and its node table; each thread has its own [`ProductGraph`] for
//! access to them. `interning` changes the table, `progress` checks limits, `traits` implements the
//! graph for the searches for cycles.

mod interning;
mod progress;
mod traits;

use crate::limits::{Limit, Limits, Meter};
use crate::liveness::Node;
use crate::product::actors::ActorNumbers;
use crate::product::expand::packet::PacketExpansion;
use crate::product::nodes::lookup::HeadLookup;
use crate::product::nodes::table::NumberRange;
use crate::product::nodes::tail::{PacketFigures, Tail};
use crate::product::nodes::{HeadBatch, ProductNodes};
use crate::product::system::Product;
use crate::reach::expansion::Expansion;
use crate::reach::rounds::Progress;
use crate::reach::tally::Tally;
use crate::threads::stop_the_world::SharedHandle;
use lariat_ir::RuntimeError;
use lariat_ir::observe::Observable;
use lariat_ir::system::{Misfit, TransitionSystem};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Why the construction of the graph stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProductError {
    Limit(Limit),
    /// A condition of the property has no value in this node.
    NoValue(Node, RuntimeError),
    /// The construction of an initial state is a run-time error of the program.
    NoInitialState(RuntimeError),
    /// There are more nodes than the caller allowed for this attempt.
    TooManyNodes,
    /// A state does not fit into the layout, and this graph may not widen it.
    FixedLayout,
}

/// One thread's access to the product and its nodes.
pub(crate) struct ProductGraph<'m, 'a, S: Observable> {
    pub(in crate::product) nodes: SharedHandle<ProductNodes<'m, S>>,
    /// No other threads exist or have existed.
    pub(in crate::product) exclusive: bool,
    /// How often the product had been widened when `expansion` was created.
    widened: u64,
    pub(in crate::product) expansion: Expansion,
    /// The expansion of the program's states, used if these are the heads of packets.
    pub(in crate::product) program: Expansion,
    pub(in crate::product) packet_expansion: Option<Box<PacketExpansion>>,
    pub tally: Tally,
    /// The transitions in `tally` that are included in `nodes.transitions`.
    announced: u64,
    pub(in crate::product) state: Vec<u64>,
    /// A buffer: rejecting nodes that are not expanded yet.
    rejecting: Vec<Node>,
    batch: HeadBatch,
    pub(in crate::product) lookup: HeadLookup,
    /// Numbers for nodes that this thread adds.
    pub(in crate::product) numbers: NumberRange,
    limits: Limits<'a>,
    meter: Meter<'a>,
    progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    last_report: Instant,
    pub expansions: u64,
    ticks: u32,
    /// The construction stops when there are more nodes.
    pub(in crate::product) node_limit: Option<u64>,
    /// The layout of states belongs to another graph; a value that does not fit is an error.
    pub(in crate::product) fixed_layout: bool,
    /// The value that did not fit.
    pub(in crate::product) misfit: Option<Box<Misfit>>,
    /// The search has found a violation and only has to show it: no limit applies except the grace
    /// period for that.
    pub(in crate::product) limits_lifted: bool,
    /// The actors of the fairness notion.
    pub(in crate::product) actors: ActorNumbers,
}

/// A flag that is never set.
pub(in crate::product) static NEVER: AtomicBool = AtomicBool::new(false);

impl<'m, 'a, S: Observable> ProductGraph<'m, 'a, S> {
    pub fn new(
        product: Product<'m, S>,
        tail: Tail,
        limits: &Limits<'a>,
        progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    ) -> ProductGraph<'m, 'a, S> {
        let nodes = ProductNodes::new(product, tail);
        ProductGraph::with_nodes(
            SharedHandle::new(nodes),
            limits,
            Meter::new(limits, Duration::ZERO),
            progress,
        )
    }

    fn with_nodes(
        nodes: SharedHandle<ProductNodes<'m, S>>,
        limits: &Limits<'a>,
        meter: Meter<'a>,
        progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    ) -> ProductGraph<'m, 'a, S> {
        ProductGraph {
            widened: nodes.widened,
            expansion: Expansion::new(nodes.product.width()),
            program: Expansion::new(nodes.product.program_width()),
            packet_expansion: None,
            lookup: HeadLookup::new(nodes.table.words()),
            nodes,
            exclusive: true,
            tally: Tally::default(),
            announced: 0,
            state: Vec::new(),
            rejecting: Vec::new(),
            batch: HeadBatch::default(),
            numbers: NumberRange::default(),
            limits: limits.clone(),
            meter,
            progress,
            last_report: Instant::now(),
            expansions: 0,
            ticks: 0,
            node_limit: None,
            fixed_layout: false,
            misfit: None,
            limits_lifted: false,
            actors: ActorNumbers::default(),
        }
    }

    pub fn product(&self) -> &Product<'m, S> {
        &self.nodes.product
    }

    /// Checks the memory limit, with `others_bytes` used elsewhere.
    pub fn check_memory(&self, others_bytes: u64) -> Result<(), Limit> {
        self.meter.check_memory(self.store_bytes() + others_bytes)
    }

    pub fn elapsed(&self) -> Duration {
        self.meter.elapsed()
    }

    pub fn store_bytes(&self) -> u64 {
        self.nodes.table.memory_bytes()
    }

    /// Statistics of the packets, if nodes are stored in packets.
    pub fn packets(&self) -> Option<PacketFigures> {
        let ProductNodes { table, tail, .. } = &*self.nodes;
        tail.has_property().then(|| PacketFigures {
            tail: *tail,
            packets: table.packets() as u64,
            tails: u64::from(table.tails()),
            nodes: table.len() as u64,
        })
    }

    pub(in crate::product) fn interrupt(&self) -> &'a AtomicBool {
        if self.limits_lifted { &NEVER } else { self.limits.budget.flag() }
    }

    /// The error of an expansion that was ended by the flag [`interrupt`](Self::interrupt).
    pub(in crate::product) fn stopped(&self) -> ProductError {
        ProductError::Limit(self.meter.reason())
    }

    /// If the automaton stays in the node's automaton state whatever the program does, the marks
    /// that it sees from then on: the node represents all its successors.
    #[inline]
    pub(in crate::product) fn absorbed(&self, node: Node) -> Option<u64> {
        if !self.nodes.product.absorbs() {
            return None;
        }
        self.nodes.product.monitor().absorbing(self.automaton_state(node))
    }

    #[inline]
    pub(in crate::product) fn automaton_state(&self, node: Node) -> u32 {
        let ProductNodes { product, table, .. } = &*self.nodes;
        if self.nodes.is_split() {
            table.tail(node)
        } else {
            product.automaton_state_by(|word| table.word(node, word))
        }
    }

    /// Does a run end in this node, because every continuation is forbidden?
    pub fn is_end(&self, node: Node) -> bool {
        let product = &self.nodes.product;
        product.absorption().ends_in(product.monitor(), self.automaton_state(node))
    }

    /// The node with the demon in its first or second state; the node itself if nodes have no
    /// demon.
    pub(in crate::product) fn with_demon(
        &mut self,
        node: Node,
        second: bool,
    ) -> Result<Node, ProductError> {
        if self.nodes.tail != Tail::None {
            return Ok(node);
        }
        let (mut words, mut found) = (Vec::new(), node);
        loop {
            self.nodes.load_identity(node, &mut words);
            self.nodes.product.set_demon(&mut words, second);
            if self.add(std::iter::once(&words[..]), |number| found = number)? {
                return Ok(found);
            }
        }
    }

    /// Loads all words of the node into `self.state`.
    pub(in crate::product) fn load(&mut self, node: Node) {
        let mut state = std::mem::take(&mut self.state);
        self.nodes.load_identity(node, &mut state);
        self.state = state;
        self.state.resize(self.nodes.product.width().all, 0);
    }

    /// Loads the words of the node's program state into `self.state`. Precondition: that is the
    /// head of a packet.
    #[inline]
    pub(in crate::product) fn load_program(&mut self, node: Node) {
        self.state.clear();
        self.nodes.table.load(node, &mut self.state);
        self.state.resize(self.nodes.product.program_width().all, 0);
    }
}
