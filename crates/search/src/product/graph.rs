//! The product as a graph of numbered nodes, made as the searches for cycles ask for it.

use super::actors::ActorNumbers;
use super::system::Product;
use super::table::NodeTable;
use crate::atomic::{Broken, Visitor, Walk, Watch};
use crate::expansion::Expansion;
use crate::limits::{Limit, Limits, Meter};
use crate::liveness::{Edge, Graph, Node};
use crate::rounds::Progress;
use crate::tally::Tally;
use model::RuntimeError;
use model::observe::Observable;
use model::system::{Misfit, StepCode, Successors, System};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How often limits are looked at, in expansions; and how often somebody is told about progress.
const LOOK: u32 = 256;
const TELL: Duration = Duration::from_millis(200);

/// Why no more of the graph is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Limit(Limit),
    /// A condition has no value in this node.
    Failed(Node, RuntimeError),
    /// There is no initial state: making one is an error of the program.
    NoStart(RuntimeError),
}

/// See the module.
pub(crate) struct ProductGraph<'m, 'a, S: Observable> {
    pub(super) product: Product<'m, S>,
    pub(super) table: NodeTable,
    expansion: Expansion,
    pub tally: Tally,
    pub(super) state: Vec<u64>,
    hashes: Vec<u32>,
    limits: Limits<'a>,
    meter: Meter<'a>,
    progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    told: Instant,
    pub expansions: u64,
    ticks: u32,
    /// Who is told apart when fairness matters.
    pub(super) actors: ActorNumbers,
}

/// What somebody who cannot interrupt leaves as it is.
static NEVER: AtomicBool = AtomicBool::new(false);

impl<'m, 'a, S: Observable> ProductGraph<'m, 'a, S> {
    pub fn new(
        product: Product<'m, S>,
        limits: &Limits<'a>,
        progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    ) -> ProductGraph<'m, 'a, S> {
        let width = product.width();
        ProductGraph {
            table: NodeTable::new(width.identity),
            expansion: Expansion::new(width),
            tally: Tally::default(),
            state: Vec::new(),
            hashes: Vec::new(),
            limits: limits.clone(),
            meter: Meter::new(limits, Duration::ZERO),
            progress,
            told: Instant::now(),
            expansions: 0,
            ticks: 0,
            actors: ActorNumbers::default(),
            product,
        }
    }

    pub fn product(&self) -> &Product<'m, S> {
        &self.product
    }

    /// Is there memory left, besides what others take?
    pub fn check_memory(&self, others_bytes: u64) -> Result<(), Limit> {
        self.meter.check_memory(self.table.memory_bytes() + others_bytes)
    }

    pub fn elapsed(&self) -> Duration {
        self.meter.elapsed()
    }

    pub fn store_bytes(&self) -> u64 {
        self.table.memory_bytes()
    }

    pub(super) fn interrupt(&self) -> &'a AtomicBool {
        self.limits.interrupt.unwrap_or(&NEVER)
    }

    /// Whatever the program does from here on, the automaton stays where it is: the node stands for all that follow. With which
    /// marks?
    fn absorbed(&self, node: Node) -> Option<u64> {
        if !self.product.absorbs() {
            return None;
        }
        self.product.monitor().absorbing(self.product.automaton_state(self.table.words(node)))
    }

    /// Is everything that follows forbidden?
    pub fn is_universal(&self, node: Node) -> bool {
        self.product.monitor().is_universal(self.product.automaton_state(self.table.words(node)))
    }

    /// Puts all words of the node into `self.state`.
    pub(super) fn load(&mut self, node: Node) {
        self.state.clear();
        self.state.extend_from_slice(self.table.words(node));
        self.state.resize(self.product.width().all, 0);
    }

    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.expansions += 1;
        self.ticks = self.ticks.wrapping_add(1);
        if !self.ticks.is_multiple_of(LOOK) {
            return Ok(());
        }
        self.meter.check_time().map_err(Stop::Limit)?;
        if self.ticks.is_multiple_of(64 * LOOK) {
            self.meter.check_memory(self.table.memory_bytes()).map_err(Stop::Limit)?;
        }
        if let Some(progress) = self.progress
            && self.told.elapsed() >= TELL
        {
            self.told = Instant::now();
            progress(&Progress {
                states: self.table.len() as u64,
                transitions: self.tally.transitions,
                depth: 0,
                waiting: 0,
                memory_bytes: crate::limits::resident_bytes().unwrap_or_else(|| self.table.memory_bytes()),
                elapsed: self.meter.elapsed(),
            });
        }
        Ok(())
    }

    /// Makes room for what did not fit; nodes keep their numbers.
    pub(super) fn widen(&mut self, misfit: &Misfit) {
        let late = Misfit { late: misfit.late || self.table.len() > 100_000, ..misfit.clone() };
        let wide = self.product.widened(&late);
        let recoder = wide.recoder(&self.product);
        let all = self.product.width().all;
        let mut old = Vec::new();
        self.table.recode(wide.width().identity, |words, new| {
            old.clear();
            old.extend_from_slice(words);
            old.resize(all, 0);
            recoder.recode(&old, new);
        });
        self.expansion = Expansion::new(wide.width());
        self.product = wide;
    }

    pub(super) fn add(&mut self, words: &[u64], hash: u32) -> Result<Node, Stop> {
        let node = self.table.intern(words, hash).ok_or(Stop::Limit(Limit::States(u64::from(u32::MAX))))?;
        match self.limits.states {
            Some(limit) if self.table.len() as u64 > limit => Err(Stop::Limit(Limit::States(limit))),
            _ => Ok(node),
        }
    }

    /// The steps by which the program gets from one node to the next, if it does.
    pub fn passage(&mut self, source: Node, target: Node) -> Result<Option<Vec<StepCode>>, Stop> {
        if self.absorbed(source).is_some() {
            return Ok(Some(Vec::new()));
        }
        // Expanded once, so everything fits from here on.
        self.successors(source, &mut Vec::new())?;
        self.load(source);
        let width = self.product.width();
        let mut search = Sought { identity: self.table.words(target), found: None };
        let mut successors = Successors::new(width);
        let mut watch = Watch::default();
        let mut walk = Walk::new(width);
        if self.product.successors(&self.state, &mut successors).is_err() {
            return Ok(None);
        }
        for index in 0..successors.len() {
            let code = successors.code(index);
            if code.is_stopped() || code.is_refused() {
                continue;
            }
            let state = successors.state(index);
            if !code.is_transient() {
                search.arrival(state, &[code], 0);
            } else if walk
                .through(
                    &self.product,
                    state,
                    code,
                    &mut watch,
                    self.limits.interrupt.unwrap_or(&NEVER),
                    &mut search,
                )
                .is_err()
            {
                return Err(Stop::Limit(Limit::Interrupted));
            }
            if search.found.is_some() {
                break;
            }
        }
        Ok(search.found)
    }
}

/// Looks for an arrival at a state.
struct Sought<'t> {
    identity: &'t [u64],
    found: Option<Vec<StepCode>>,
}

impl Visitor for Sought<'_> {
    fn taken(&mut self, _: StepCode) {}

    fn atomic(&mut self) {}

    fn arrival(&mut self, state: &[u64], codes: &[StepCode], _: u64) {
        if self.found.is_none() && state.starts_with(self.identity) {
            self.found = Some(codes.to_vec());
        }
    }

    fn error(&mut self, _: &RuntimeError, _: &[StepCode]) {}

    fn endless(&mut self) {}

    fn is_done(&self) -> bool {
        self.found.is_some()
    }
}

impl<S: Observable> Graph for ProductGraph<'_, '_, S> {
    type Stop = Stop;

    fn initial(&mut self) -> Result<Vec<Node>, Stop> {
        let states = self.product.initial_states().map_err(Stop::NoStart)?;
        let identity = self.product.width().identity;
        let mut nodes = Vec::with_capacity(states.len());
        for state in states {
            let hash = self.table.prepare(&state[..identity]);
            nodes.push(self.add(&state[..identity], hash)?);
        }
        Ok(nodes)
    }

    /// All successors are made first, then looked up, so that the memory they need is fetched meanwhile.
    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop> {
        self.tick()?;
        if let Some(marks) = self.absorbed(node) {
            out.push(Edge { marks, target: node });
            return Ok(());
        }
        loop {
            self.load(node);
            let stop = self.interrupt();
            match self.expansion.expand(&self.product, &self.state, &mut self.tally, stop) {
                Ok(()) => break,
                Err(Broken::Misfit(misfit)) => self.widen(&misfit),
                Err(Broken::Stopped) => return Err(Stop::Limit(Limit::Interrupted)),
            }
        }
        if let Some((error, _)) = self.expansion.met.first() {
            return Err(Stop::Failed(node, error.clone()));
        }
        let (stride, identity) = (self.expansion.stride(), self.product.width().identity);
        self.hashes.clear();
        for arrival in self.expansion.arrivals().chunks_exact(stride) {
            self.hashes.push(self.table.prepare(&arrival[1..=identity]));
        }
        let limit = self.limits.states.unwrap_or(u64::MAX);
        for (arrival, hash) in self.expansion.arrivals().chunks_exact(stride).zip(&self.hashes) {
            let target = self.table.intern(&arrival[1..=identity], *hash);
            let target = target.ok_or(Stop::Limit(Limit::States(u64::from(u32::MAX))))?;
            out.push(Edge { marks: self.product.marks(&arrival[1..]), target });
        }
        if self.table.len() as u64 > limit {
            return Err(Stop::Limit(Limit::States(limit)));
        }
        Ok(())
    }

    fn all_marks(&self) -> u64 {
        self.product.monitor().all_marks()
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.product.monitor().is_accepting(self.product.automaton_state(self.table.words(node)))
    }

    fn len(&self) -> usize {
        self.table.len()
    }
}
