//! The product as a graph of numbered nodes, made as the searches for cycles ask for it.
//!
//! Threads share the product and the table of its nodes, and each has a [`ProductGraph`] of its own to look at them. What needs the table whole
//! (growing it, widening the product and with it the words of all nodes) is done by one of them while the others wait.

use super::actors::ActorNumbers;
use super::joint::{Joint, Within};
use super::lookup::Lookup;
use super::nodes::{Batch, Nodes};
use super::packets::{PacketFigures, TAKEN, Tail};
use super::system::Product;
use super::table::{MOST_THREADS, NoMemory, Numbers};
use crate::atomic::Broken;
use crate::expansion::Expansion;
use crate::limits::{Limit, Limits, Meter};
use crate::liveness::{Edge, Graph, Node, SharedGraph};
use crate::meeting::Member;
use crate::rounds::Progress;
use crate::tally::Tally;
use model::RuntimeError;
use model::observe::Observable;
use model::system::{Misfit, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
    /// There are more nodes than somebody wanted to deal with.
    Large,
    /// A state does not fit into a layout that others decide about.
    Outgrown,
}

/// See the module.
pub(crate) struct ProductGraph<'m, 'a, S: Observable> {
    pub(super) nodes: Member<Nodes<'m, S>>,
    /// Are there no other threads, and were there none before?
    pub(super) alone: bool,
    /// How often the product had been widened when `expansion` was made.
    widened: u64,
    pub(super) expansion: Expansion,
    /// That of the program's states, where these are the heads of packets.
    pub(super) program: Expansion,
    pub(super) joint: Option<Box<Joint>>,
    pub tally: Tally,
    /// Those of the tally that are counted in `nodes` too.
    announced: u64,
    pub(super) state: Vec<u64>,
    /// Nodes of a sweep whose edges are still to be made.
    left: Vec<Node>,
    batch: Batch,
    pub(super) lookup: Lookup,
    /// For nodes that this thread is the first to meet.
    pub(super) numbers: Numbers,
    limits: Limits<'a>,
    meter: Meter<'a>,
    progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    told: Instant,
    pub expansions: u64,
    ticks: u32,
    /// Not to be exceeded.
    pub(super) few_nodes: Option<u64>,
    /// The layout of states is that of somebody else, who must make room for what does not fit.
    pub(super) bound: bool,
    /// What did not fit.
    pub(super) outgrown: Option<Box<Misfit>>,
    /// What was looked for is found and only has to be shown: of all limits, that of the user's patience is left.
    pub(super) lifted: bool,
    /// Who is told apart when fairness matters.
    pub(super) actors: ActorNumbers,
}

/// What somebody who cannot interrupt leaves as it is.
pub(super) static NEVER: AtomicBool = AtomicBool::new(false);

impl<'m, 'a, S: Observable> ProductGraph<'m, 'a, S> {
    pub fn new(
        product: Product<'m, S>,
        tail: Tail,
        limits: &Limits<'a>,
        progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    ) -> ProductGraph<'m, 'a, S> {
        let nodes = Nodes::new(product, tail);
        ProductGraph::looking_at(Member::new(nodes), limits, Meter::new(limits, Duration::ZERO), progress)
    }

    fn looking_at(
        nodes: Member<Nodes<'m, S>>,
        limits: &Limits<'a>,
        meter: Meter<'a>,
        progress: Option<&'a (dyn Fn(&Progress) + Sync)>,
    ) -> ProductGraph<'m, 'a, S> {
        ProductGraph {
            widened: nodes.widened,
            expansion: Expansion::new(nodes.product.width()),
            program: Expansion::new(nodes.product.program_width()),
            joint: None,
            lookup: Lookup::new(nodes.table.words()),
            nodes,
            alone: true,
            tally: Tally::default(),
            announced: 0,
            state: Vec::new(),
            left: Vec::new(),
            batch: Batch::default(),
            numbers: Numbers::default(),
            limits: limits.clone(),
            meter,
            progress,
            told: Instant::now(),
            expansions: 0,
            ticks: 0,
            few_nodes: None,
            bound: false,
            outgrown: None,
            lifted: false,
            actors: ActorNumbers::default(),
        }
    }

    pub fn product(&self) -> &Product<'m, S> {
        &self.nodes.product
    }

    /// Is there memory left, besides what others take?
    pub fn check_memory(&self, others_bytes: u64) -> Result<(), Limit> {
        self.meter.check_memory(self.store_bytes() + others_bytes)
    }

    pub fn elapsed(&self) -> Duration {
        self.meter.elapsed()
    }

    pub fn store_bytes(&self) -> u64 {
        self.nodes.table.memory_bytes()
    }

    /// How the nodes are stored, if in packets.
    pub fn packets(&self) -> Option<PacketFigures> {
        let Nodes { table, tail, .. } = &*self.nodes;
        tail.has_property().then(|| PacketFigures {
            tail: *tail,
            packets: table.packets() as u64,
            tails: u64::from(table.tails()),
            nodes: table.len() as u64,
        })
    }

    pub(super) fn interrupt(&self) -> &'a AtomicBool {
        if self.lifted { &NEVER } else { self.limits.budget.flag() }
    }

    /// An expansion was ended by the flag that is [`interrupt`](Self::interrupt).
    pub(super) fn stopped(&self) -> Stop {
        Stop::Limit(self.meter.reason())
    }

    /// Whatever the program does from here on, the automaton stays where it is: the node stands for all that follow. With which
    /// marks?
    #[inline]
    pub(super) fn absorbed(&self, node: Node) -> Option<u64> {
        if !self.nodes.product.absorbs() {
            return None;
        }
        self.nodes.product.monitor().absorbing(self.automaton_state(node))
    }

    #[inline]
    pub(super) fn automaton_state(&self, node: Node) -> u32 {
        let Nodes { product, table, .. } = &*self.nodes;
        if self.nodes.is_split() {
            table.tail(node)
        } else {
            product.automaton_state_by(|word| table.word(node, word))
        }
    }

    /// Is everything that follows forbidden?
    pub fn is_universal(&self, node: Node) -> bool {
        self.nodes.product.monitor().is_universal(self.automaton_state(node))
    }

    /// The node with the demon in one of its states; the node itself if nodes have no demon.
    pub(super) fn with_demon(&mut self, node: Node, second: bool) -> Result<Node, Stop> {
        if self.nodes.tail != Tail::None {
            return Ok(node);
        }
        let (mut words, mut found) = (Vec::new(), node);
        loop {
            self.nodes.identity(node, &mut words);
            self.nodes.product.set_demon(&mut words, second);
            if self.add(std::iter::once(&words[..]), |number| found = number)? {
                return Ok(found);
            }
        }
    }

    /// Puts all words of the node into `self.state`.
    pub(super) fn load(&mut self, node: Node) {
        let mut state = std::mem::take(&mut self.state);
        self.nodes.identity(node, &mut state);
        self.state = state;
        self.state.resize(self.nodes.product.width().all, 0);
    }

    /// Puts the words of the program's state in the node into `self.state`. Precondition: it is the head of a packet.
    #[inline]
    pub(super) fn load_program(&mut self, node: Node) {
        self.state.clear();
        self.nodes.table.load(node, &mut self.state);
        self.state.resize(self.nodes.product.program_width().all, 0);
    }

    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        self.expansions += 1;
        self.attend();
        self.ticks = self.ticks.wrapping_add(1);
        let over = !self.lifted && self.meter.is_over();
        if !self.ticks.is_multiple_of(LOOK) && !over {
            return Ok(());
        }
        self.check_limits().map_err(Stop::Limit)?;
        let counted = self.tally.transitions;
        let all = self.nodes.transitions.fetch_add(counted - self.announced, Ordering::Relaxed) + counted
            - self.announced;
        self.announced = counted;
        if let Some(progress) = self.progress
            && self.told.elapsed() >= TELL
        {
            self.told = Instant::now();
            progress(&Progress {
                states: self.nodes.table.len() as u64,
                transitions: all,
                depth: self.tally.depth,
                waiting: 0,
                memory_bytes: crate::limits::resident_bytes().unwrap_or_else(|| self.store_bytes()),
                elapsed: self.meter.elapsed(),
                repetition: None,
            });
        }
        Ok(())
    }

    fn check_limits(&self) -> Result<(), Limit> {
        if self.lifted {
            return self.meter.check_grace();
        }
        self.meter.check_time()?;
        self.meter.check_memory(self.store_bytes())
    }

    /// Another search begins: what was counted so far will be counted again.
    pub(super) fn count_again(&mut self) {
        (self.tally.transitions, self.tally.atomic_steps, self.announced) = (0, 0, 0);
        (self.tally.depth, self.lifted) = (0, false);
        self.nodes.transitions.store(0, Ordering::Relaxed);
        self.nodes.change(|nodes| nodes.table.unmark());
    }

    /// If another thread wants to change something: lets it.
    #[inline]
    fn attend(&mut self) {
        if self.nodes.is_called() {
            self.nodes.attend();
        }
        self.adapt();
    }

    /// Makes what depends on the width of states anew if the product was widened.
    #[inline]
    fn adapt(&mut self) {
        if self.widened != self.nodes.widened {
            self.widened = self.nodes.widened;
            self.expansion = Expansion::new(self.nodes.product.width());
            self.program = Expansion::new(self.nodes.product.program_width());
            self.lookup = Lookup::new(self.nodes.table.words());
        }
    }

    /// Makes room for what did not fit, unless somebody else has; nodes keep their numbers.
    pub(super) fn widen(&mut self, misfit: &Misfit) -> Result<(), Stop> {
        let (before, room) = (self.widened, self.room());
        let widened = self.nodes.change(|nodes| match nodes.widened == before {
            true => nodes.widen(misfit, room),
            false => Ok(()),
        });
        self.adapt();
        widened.map_err(|NoMemory| self.out_of_memory())
    }

    /// How many bytes the table of nodes may take.
    fn room(&self) -> u64 {
        if self.lifted { u64::MAX } else { self.meter.store_limit(self.store_bytes()) }
    }

    fn out_of_memory(&self) -> Stop {
        Stop::Limit(self.meter.out_of_memory(self.store_bytes()))
    }

    /// Something does not fit, and others must make room for it.
    pub(super) fn outgrown_by(&mut self, misfit: Box<Misfit>) -> Stop {
        self.outgrown = Some(misfit);
        Stop::Outgrown
    }

    /// Takes over another layout of the program's states, a wider one; nodes keep their numbers.
    pub(super) fn follow_layout(&mut self, system: S, conditions: Arc<S::Conditions>) -> Result<(), Stop> {
        let room = self.room();
        let followed =
            self.nodes.change(|nodes| nodes.recode(nodes.product.with_system(system, conditions), room));
        self.adapt();
        followed.map_err(|NoMemory| self.out_of_memory())
    }

    /// Makes room for more nodes. In the meantime the product may have been widened.
    pub(super) fn grow(&mut self) -> Result<(), Stop> {
        // The others wait meanwhile.
        let (threads, room) = (self.nodes.members(), self.room());
        let grown = self.nodes.change(|nodes| match nodes.table.is_full() {
            true => nodes.table.grow(room, threads).map(|()| !nodes.table.is_full()),
            false => Ok(true),
        });
        self.adapt();
        match grown {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stop::Limit(Limit::States(self.nodes.table.most()))),
            Err(NoMemory) => Err(self.out_of_memory()),
        }
    }

    /// Adds nodes with these words, one after the other, and tells `met` their numbers; `false` if the product was widened before all were
    /// added, so that the words mean nothing any more.
    pub(super) fn add<'w>(
        &mut self,
        list: impl Iterator<Item = &'w [u64]> + Clone,
        mut met: impl FnMut(Node),
    ) -> Result<bool, Stop> {
        let mut batch = std::mem::take(&mut self.batch);
        let split = self.nodes.is_split();
        if split {
            batch.fill(&self.nodes, list.clone());
        }
        let added = match split {
            true => self.look_up(batch.heads(self.nodes.table.words()))?,
            false => self.look_up(list)?,
        };
        if added {
            let tails = batch.tails.iter().copied().chain(std::iter::repeat(0));
            let nodes = self.lookup.heads.iter().zip(tails);
            nodes.for_each(|(head, tail)| met(self.nodes.table.meet_one(*head, tail, self.alone)));
        }
        batch.clear();
        self.batch = batch;
        self.check_size().map(|()| added)
    }

    /// Looks up heads, or adds them: their numbers are those of `lookup` then. `false` if the product was widened meanwhile, so that the
    /// words mean nothing any more.
    pub(super) fn look_up<'w>(
        &mut self,
        list: impl Iterator<Item = &'w [u64]> + Clone,
    ) -> Result<bool, Stop> {
        let widened = self.widened;
        self.lookup.begin(&self.nodes.table, list.clone());
        for (index, head) in list.enumerate() {
            let Some(hash) = self.lookup.unknown(index) else { continue };
            let number = loop {
                match self.nodes.table.intern_head(head, hash, &mut self.numbers, self.alone) {
                    Some(number) => break number,
                    None => self.grow()?,
                }
                if self.widened != widened {
                    return Ok(false);
                }
            };
            self.lookup.found(index, head, number);
        }
        Ok(true)
    }

    /// Are there too many nodes?
    pub(super) fn check_size(&self) -> Result<(), Stop> {
        if self.lifted || self.limits.states.is_none() && self.few_nodes.is_none() {
            return Ok(());
        }
        let len = self.nodes.table.len() as u64;
        match (self.limits.states, self.few_nodes) {
            (Some(limit), _) if len > limit => Err(Stop::Limit(Limit::States(limit))),
            (_, Some(few)) if len > few => Err(Stop::Large),
            _ => Ok(()),
        }
    }

    /// Makes the successors of nodes, without looking them up; the edges of those that stand for all that follow go to `out`.
    fn expand(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<Result<(), Box<Misfit>>, Stop> {
        self.expansion.clear();
        for &node in nodes {
            if let Some(marks) = self.absorbed(node) {
                out.push(Edge { marks, target: node });
                continue;
            }
            self.load(node);
            let stop = self.interrupt();
            match self.expansion.expand_more(&self.nodes.product, &self.state, &mut self.tally, stop) {
                Ok(()) => {}
                Err(Broken::Misfit(misfit)) => return Ok(Err(misfit)),
                Err(Broken::Stopped | Broken::Unfinished(Limit::Interrupted)) => return Err(self.stopped()),
                Err(Broken::Unfinished(limit)) => return Err(Stop::Limit(limit)),
            }
            if let Some((error, _)) = self.expansion.met.first() {
                return Err(Stop::Failed(node, error.clone()));
            }
        }
        Ok(Ok(()))
    }

    /// Adds the nodes that the expansion leads to, and the edges to them; `false` if that must begin again.
    fn add_arrivals(&mut self, out: &mut Vec<Edge>) -> Result<bool, Stop> {
        let (stride, identity) = (self.expansion.stride(), self.nodes.product.width().identity);
        let arrivals = self.expansion.take_arrivals();
        let list = arrivals.chunks_exact(stride);
        // The product keeps the marks in its last word.
        let mut marks = list.clone().map(|arrival| arrival[stride - 1]);
        let added = self.add(list.map(|arrival| &arrival[1..=identity]), |target| {
            out.push(Edge { marks: marks.next().unwrap_or(0), target });
        });
        self.expansion.give_back(arrivals);
        added
    }
}

impl<S: Observable> Graph for ProductGraph<'_, '_, S> {
    type Stop = Stop;

    fn initial(&mut self) -> Result<Vec<Node>, Stop> {
        loop {
            self.attend();
            let states = self.nodes.product.initial_states().map_err(Stop::NoStart)?;
            let identity = self.nodes.product.width().identity;
            let mut nodes = Vec::with_capacity(states.len());
            if self.add(states.iter().map(|state| &state[..identity]), |node| nodes.push(node))? {
                return Ok(nodes);
            }
        }
    }

    fn successors(&mut self, node: Node, out: &mut Vec<Edge>) -> Result<(), Stop> {
        self.successors_of(&[node], out)
    }

    /// All successors are made first, then looked up, so that the memory they need is fetched meanwhile.
    fn successors_of(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<(), Stop> {
        if self.needs_arrivals() {
            return self.fair_successors_of(nodes, out);
        }
        if self.nodes.is_split() {
            return self.joint_successors(nodes, Within::All, out, &mut Vec::new());
        }
        nodes.iter().try_for_each(|_| self.tick())?;
        let start = out.len();
        loop {
            let counted = (self.tally.transitions, self.tally.atomic_steps);
            match self.expand(nodes, out)? {
                // An endless atomic sequence was met just now.
                Ok(()) if self.needs_arrivals() => {
                    out.truncate(start);
                    (self.tally.transitions, self.tally.atomic_steps) = counted;
                    return self.fair_successors_of(nodes, out);
                }
                Ok(()) if self.add_arrivals(out)? => return Ok(()),
                Ok(()) => {}
                Err(misfit) if self.bound => return Err(self.outgrown_by(misfit)),
                Err(misfit) => self.widen(&misfit)?,
            }
            // Once more, with another layout.
            (self.tally.transitions, self.tally.atomic_steps) = counted;
            out.truncate(start);
        }
    }

    fn successors_within(
        &mut self,
        node: Node,
        out: &mut Vec<Edge>,
        left: &mut Vec<Node>,
    ) -> Result<(), Stop> {
        if self.nodes.is_split() {
            let companion = self.take_companion(node);
            return self.joint_successors(&[node], Within::Component(companion), out, left);
        }
        let start = out.len();
        self.successors(node, out)?;
        left.extend(out.extract_if(start.., |edge| self.is_passing(edge.target)).map(|edge| edge.target));
        Ok(())
    }

    fn sweep(&mut self, nodes: &[Node], out: &mut Vec<Edge>) -> Result<(), Stop> {
        let Nodes { product, table, .. } = &*self.nodes;
        let Some(waiting) = product.monitor().waiting().filter(|_| self.nodes.is_split()) else {
            return self.successors_of(nodes, out);
        };
        let is_left =
            |node: &Node| table.tail(*node) != waiting || table.mark(table.head(*node), TAKEN, self.alone);
        let mut left = std::mem::take(&mut self.left);
        left.clear();
        left.extend(nodes.iter().copied().filter(is_left));
        let made = self.successors_of(&left, out);
        self.left = left;
        made
    }

    fn switched(&mut self, node: Node) -> Result<Node, Stop> {
        self.with_demon(node, true)
    }

    fn all_marks(&self) -> u64 {
        self.nodes.product.monitor().all_marks()
    }

    fn is_accepting(&self, node: Node) -> bool {
        self.nodes.product.monitor().is_accepting(self.automaton_state(node))
    }

    #[inline]
    fn is_passing(&self, node: Node) -> bool {
        self.nodes.product.monitor().is_passing(self.automaton_state(node))
    }

    fn is_weak(&self) -> bool {
        self.nodes.product.monitor().is_weak()
    }

    fn lift_limits(&mut self) {
        self.lifted = true;
    }

    fn went(&mut self, depth: usize) {
        self.tally.depth = self.tally.depth.max(depth as u64);
    }

    fn len(&self) -> usize {
        self.nodes.table.len()
    }

    fn numbers(&self) -> u64 {
        self.nodes.table.numbers()
    }
}

impl<S: Observable> SharedGraph for ProductGraph<'_, '_, S> {
    type Figures = Tally;

    fn view(&mut self) -> Self {
        self.alone = false;
        // One tells about progress, for all.
        let view = ProductGraph::looking_at(self.nodes.another(), &self.limits, self.meter.clone(), None);
        ProductGraph { alone: false, ..view }
    }

    fn most_views(&self) -> usize {
        MOST_THREADS
    }

    fn wait(&mut self) -> Result<(), Stop> {
        std::thread::yield_now();
        self.attend();
        self.meter.check_time().map_err(Stop::Limit)
    }

    fn suspend(&mut self) {
        self.nodes.let_go();
    }

    fn resume(&mut self) {
        self.nodes.take();
        self.adapt();
    }

    #[inline]
    fn has(&self, node: Node, color: u8) -> bool {
        self.nodes.table.has_color(node, color)
    }

    #[inline]
    fn mark(&self, node: Node, color: u8) -> bool {
        self.nodes.table.color(node, color, self.alone)
    }

    fn fade(&mut self) -> Result<(), Stop> {
        let faded = self.nodes.change(|nodes| nodes.table.fade());
        faded.map_err(|NoMemory| self.out_of_memory())
    }

    fn leave(self) -> Tally {
        self.tally
    }

    fn join(&mut self, figures: Tally) {
        self.tally.join(&figures);
    }
}
