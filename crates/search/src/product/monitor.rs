//! The property as a component of the product: an automaton that reads, at every stored state, which conditions hold there.
//!
//! The automaton accepts the runs that are forbidden (only the search `deterministic` looks at the property itself). What a
//! letter makes possible is looked up in a table where that is small.

use model::RuntimeError;
use model::expression::Expr;
use omega::automaton::{Marks, StateId, Tgba};
use omega::guard::Guard;
use omega::scc::Sccs;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Tables may have so many entries.
const MOST_ENTRIES: usize = 1 << 16;

/// Where a letter leads, and with which marks.
pub(crate) type Target = (u32, u64);

/// What kind of search the automaton's shape asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No run is forbidden.
    Empty,
    /// A forbidden run shows in finite time: once the automaton accepts, it accepts whatever follows.
    Terminal,
    /// In each strong component of the automaton all cycles are accepting, or none.
    Weak,
    General,
}

/// What the automaton can do besides waiting.
#[derive(Clone, Copy, Debug)]
struct Departure {
    leaves: bool,
    goes_on: bool,
}

/// An automaton whose letters are the values of conditions.
#[derive(Debug)]
pub struct Monitor {
    automaton: Tgba,
    conditions: Vec<Expr>,
    shape: Shape,
    weak: bool,
    /// By state: is it in no component that accepts?
    passing: Vec<bool>,
    /// See [`waiting`](Self::waiting).
    waiting: Option<u32>,
    /// By state: do all edges have all marks?
    accepting: Vec<bool>,
    /// By state: is everything accepted from here?
    universal: Vec<bool>,
    /// By state: if no other is ever reached, with which marks.
    absorbing: Vec<Option<u64>>,
    /// By state and letter: where its targets end in `targets`; they start where those before end.
    ends: Option<Vec<u32>>,
    targets: Vec<Target>,
    /// By letter, if there is a table and the automaton can wait.
    departures: Vec<Departure>,
    /// Do runs that come to an end go on forever in their last state?
    stutters: bool,
    /// Errors of the program that were met; they are not the property's business.
    met: Mutex<BTreeMap<&'static str, RuntimeError>>,
}

impl Monitor {
    /// Precondition: condition `i` is what atom `i` of the automaton stands for.
    pub fn new(automaton: Tgba, conditions: Vec<Expr>, stutters: bool) -> Monitor {
        let mut automaton = automaton.with_single_initial();
        automaton.merge_edges();
        let all = Marks::all(automaton.sets);
        let accepting: Vec<bool> =
            automaton.edges.iter().map(|list| list.iter().all(|edge| edge.marks == all)).collect();
        let universal: Vec<bool> = automaton
            .states()
            .map(|state| {
                let own = automaton.edges[state.index()].iter();
                own.clone().any(|edge| edge.target == state && edge.guard == Guard::TRUE && edge.marks == all)
            })
            .collect();
        let absorbing = automaton.states().map(|state| match &automaton.edges[state.index()][..] {
            _ if universal[state.index()] => Some(all.0),
            [only] if only.target == state && only.guard == Guard::TRUE => Some(only.marks.0),
            _ => None,
        });
        let absorbing = absorbing.collect();
        let (shape, weak, passing) = shape(&automaton, &universal);
        let waiting = automaton.initial.first().filter(|initial| {
            let mut edges = automaton.edges[initial.index()].iter();
            passing[initial.index()]
                // Otherwise there is nothing to wait for, and a packet has no bits for who waits.
                && automaton.edges.len() > 1
                && edges.any(|edge| edge.target == **initial && edge.guard == Guard::TRUE)
        });
        let waiting = waiting.map(|initial| initial.0);
        let mut monitor = Monitor {
            automaton,
            conditions,
            shape,
            weak,
            passing,
            waiting,
            accepting,
            universal,
            absorbing,
            ends: None,
            targets: Vec::new(),
            departures: Vec::new(),
            stutters,
            met: Mutex::default(),
        };
        monitor.tabulate();
        monitor
    }

    fn tabulate(&mut self) {
        let Some(letters) = 1usize.checked_shl(self.conditions.len() as u32) else { return };
        if self.conditions.len() > 16 || letters * self.states() > MOST_ENTRIES {
            return;
        }
        let mut ends = Vec::with_capacity(letters * self.states());
        let mut targets = Vec::new();
        for state in 0..self.states() as u32 {
            for letter in 0..letters as u64 {
                self.compute(state, &[letter], &mut targets);
                ends.push(targets.len() as u32);
            }
        }
        (self.ends, self.targets) = (Some(ends), targets);
        if let Some(waiting) = self.waiting {
            self.departures = (0..letters as u64).map(|letter| self.departure(waiting, &[letter])).collect();
        }
    }

    pub fn automaton(&self) -> &Tgba {
        &self.automaton
    }

    #[inline]
    pub fn conditions(&self) -> &[Expr] {
        &self.conditions
    }

    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// In a strong component with an edge that has all marks, do all edges have them?
    pub fn is_weak(&self) -> bool {
        self.weak
    }

    #[inline]
    pub fn stutters(&self) -> bool {
        self.stutters
    }

    pub fn states(&self) -> usize {
        self.automaton.state_count()
    }

    pub fn all_marks(&self) -> u64 {
        Marks::all(self.automaton.sets).0
    }

    pub(crate) fn initial(&self) -> Option<u32> {
        self.automaton.initial.first().map(|state| state.0)
    }

    pub(crate) fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// Is it known that no accepting cycle leads through the state?
    #[inline]
    pub(crate) fn is_passing(&self, state: u32) -> bool {
        self.passing[state as usize]
    }

    /// The initial state, if the automaton can stay there whatever it reads and nothing is accepted before it leaves for another: of every state that the
    /// program comes to, there is a node with it.
    #[inline]
    pub(crate) fn waiting(&self) -> Option<u32> {
        self.waiting
    }

    /// The same, if the automaton does not come back there once it has left.
    pub(crate) fn stem(&self) -> Option<u32> {
        let waiting = StateId(self.waiting?);
        let mut others = self.automaton.states().filter(|state| *state != waiting);
        let comes_back =
            |state: StateId| self.automaton.edges[state.index()].iter().any(|edge| edge.target == waiting);
        (!others.any(comes_back)).then_some(waiting.0)
    }

    /// Can the automaton go to another state from the one that it waits in?
    #[inline]
    pub(crate) fn leaves(&self, letter: &[u64]) -> bool {
        self.departing(letter).leaves
    }

    /// Can the automaton go on from another state than the one that it waits in?
    #[inline]
    pub(crate) fn goes_on_elsewhere(&self, letter: &[u64]) -> bool {
        self.departing(letter).goes_on
    }

    #[inline]
    fn departing(&self, letter: &[u64]) -> Departure {
        let known = self.departures.get(letter.first().copied().unwrap_or(0) as usize);
        match (known, self.waiting) {
            (Some(known), _) => *known,
            (None, Some(waiting)) => self.departure(waiting, letter),
            (None, None) => Departure { leaves: false, goes_on: true },
        }
    }

    /// What else the automaton can do if it waits in this state, or is in another one.
    fn departure(&self, waiting: u32, letter: &[u64]) -> Departure {
        let mut targets = Vec::new();
        self.targets(waiting, letter, &mut targets);
        let leaves = targets.iter().any(|(target, _)| *target != waiting);
        targets.clear();
        let others = (0..self.states() as u32).filter(|other| *other != waiting);
        others.for_each(|other| self.targets(other, letter, &mut targets));
        Departure { leaves, goes_on: !targets.is_empty() }
    }

    /// Those that lead wherever this one does if it is left. None, where there is no table.
    pub(crate) fn covering(&self, left: u32, letter: &[u64]) -> impl Iterator<Item = u32> {
        let ends = self.ends.as_deref();
        let targets = move |state| ends.map_or(&[][..], |ends| self.tabled(ends, state, letter));
        let states = if ends.is_some() { self.states() as u32 } else { 0 };
        let covers = move |state: &u32| {
            let led = |target: u32| targets(*state).iter().any(|(other, _)| *other == target);
            *state != left && targets(left).iter().all(|(target, _)| *target == left || led(*target))
        };
        (0..states).filter(covers)
    }

    #[inline]
    pub(crate) fn is_universal(&self, state: u32) -> bool {
        self.universal[state as usize]
    }

    /// If the automaton stays in the state whatever follows: the marks it sees from then on.
    #[inline]
    pub(crate) fn absorbing(&self, state: u32) -> Option<u64> {
        self.absorbing[state as usize].filter(|_| self.stutters)
    }

    /// Appends what the letter makes possible.
    #[inline]
    pub(crate) fn targets(&self, state: u32, letter: &[u64], out: &mut Vec<Target>) {
        match &self.ends {
            Some(ends) => out.extend_from_slice(self.tabled(ends, state, letter)),
            None => self.compute(state, letter, out),
        }
    }

    /// What the table says.
    #[inline]
    fn tabled(&self, ends: &[u32], state: u32, letter: &[u64]) -> &[Target] {
        let letter = letter.first().copied().unwrap_or(0) as usize;
        let index = ((state as usize) << self.conditions.len()) + letter;
        let start = index.checked_sub(1).map_or(0, |before| ends[before]);
        &self.targets[start as usize..ends[index] as usize]
    }

    fn compute(&self, state: u32, letter: &[u64], out: &mut Vec<Target>) {
        let holds = |atom: u32| letter[atom as usize / 64] >> (atom % 64) & 1 == 1;
        for edge in &self.automaton.edges[StateId(state).index()] {
            if self.automaton.guards.holds(edge.guard, holds) {
                out.push((edge.target.0, edge.marks.0));
            }
        }
    }

    /// Does the automaton accept this letter repeated forever, from this state on?
    pub(crate) fn accepts_forever(&self, state: u32, letter: &[u64]) -> bool {
        let mut reading = Tgba::empty(Vec::new());
        reading.sets = self.automaton.sets;
        self.automaton.states().for_each(|_| {
            reading.add_state();
        });
        let mut targets = Vec::new();
        for source in self.automaton.states() {
            targets.clear();
            self.targets(source.0, letter, &mut targets);
            for &(target, marks) in &targets {
                reading.add_edge(source, Guard::TRUE, Marks(marks), StateId(target));
            }
        }
        reading.initial.push(StateId(state));
        !omega::emptiness::is_empty(&mut reading)
    }

    /// After how many of these letters is everything that follows accepted?
    pub fn bad_prefix(&self, letters: impl IntoIterator<Item = Vec<bool>>) -> Option<usize> {
        self.prefix_to(letters, |state| self.is_universal(state))
    }

    /// Of a deterministic automaton: after how many of these letters is nothing accepted, whatever follows?
    pub fn dead_prefix(&self, letters: impl IntoIterator<Item = Vec<bool>>) -> Option<usize> {
        self.prefix_to(letters, |state| self.absorbing[state as usize] == Some(0))
    }

    /// After how many of these letters can the automaton be in such a state?
    fn prefix_to(
        &self,
        letters: impl IntoIterator<Item = Vec<bool>>,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Option<usize> {
        let mut states: Vec<u32> = self.initial().into_iter().collect();
        let mut targets = Vec::new();
        for (count, letter) in (1..).zip(letters) {
            let mut words = vec![0u64; letter.len().div_ceil(64)];
            for (atom, _) in letter.iter().enumerate().filter(|(_, holds)| **holds) {
                words[atom / 64] |= 1 << (atom % 64);
            }
            let mut next = Vec::new();
            for state in states {
                targets.clear();
                self.targets(state, &words, &mut targets);
                next.extend(targets.iter().map(|(target, _)| *target));
            }
            next.sort_unstable();
            next.dedup();
            if next.iter().any(|state| is_wanted(*state)) {
                return Some(count);
            }
            states = next;
        }
        None
    }

    /// Can a condition be without a value in some state?
    pub(crate) fn may_fail(&self) -> bool {
        self.conditions.iter().any(Expr::may_fail)
    }

    /// An error of the program was met.
    pub(crate) fn note(&self, error: &RuntimeError) {
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        met.entry(error.kind()).or_insert_with(|| error.clone());
    }

    /// Errors of the program met on the way, one of each kind.
    pub fn met(&self) -> Vec<RuntimeError> {
        self.met.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

/// The shape; whether the automaton is weak, as one of any shape may be; and by state whether it is in no component that accepts.
fn shape(automaton: &Tgba, universal: &[bool]) -> (Shape, bool, Vec<bool>) {
    let components = Sccs::of(automaton);
    let all = Marks::all(automaton.sets);
    let accepts = |state: StateId| {
        components.component[state.index()] != u32::MAX && components.accepting[components.of_state(state)]
    };
    let passing = automaton.states().map(|state| !accepts(state)).collect();
    if !components.accepting.contains(&true) {
        return (Shape::Empty, true, passing);
    }
    let accepting = || automaton.states().filter(|state| accepts(*state));
    let weak = accepting().all(|state| {
        let mut inner =
            automaton.edges[state.index()].iter().filter(|edge| components.is_inner(state, edge.target));
        inner.all(|edge| edge.marks == all)
    });
    let shape = if accepting().all(|state| universal[state.index()]) {
        Shape::Terminal
    } else if weak {
        Shape::Weak
    } else {
        Shape::General
    };
    (shape, weak, passing)
}
