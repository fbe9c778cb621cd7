//! The property as a component of the product: an automaton that reads, in every stored state, the
//! values of the property's conditions.
//!
//! The automaton accepts the forbidden runs (only the search `deterministic` uses an automaton of
//! the property itself). Its transitions are tabulated by state and letter if the table is small.

use crate::tuning::product::AUTOMATON_TABLE_ENTRIES;
use lariat_ir::RuntimeError;
use lariat_ir::expression::Expr;
use lariat_ltl::automaton::{Marks, StateId, Tgba};
use lariat_ltl::guard::Guard;
use lariat_ltl::scc::Sccs;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A target of the automaton and the marks of the transition to it.
pub(crate) type AutomatonTarget = (u32, u64);

/// The shape of the automaton, which decides the kind of search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No run is forbidden.
    Empty,
    /// Every forbidden run has a bad prefix: once the automaton accepts, it accepts every
    /// continuation.
    Terminal,
    /// In each strong component of the automaton all cycles are accepting, or none.
    Weak,
    /// Any other automaton.
    General,
}

/// The automaton's transitions on a letter, except waiting.
#[derive(Clone, Copy, Debug)]
struct WaitingChoices {
    can_leave: bool,
    can_continue_elsewhere: bool,
}

/// An automaton whose letters are the values of conditions.
#[derive(Debug)]
pub struct Monitor {
    automaton: Tgba,
    conditions: Vec<Expr>,
    shape: Shape,
    weak: bool,
    /// By state: is it in no accepting component?
    rejecting: Vec<bool>,
    /// See [`waiting`](Self::waiting).
    waiting: Option<u32>,
    /// By state: do all edges have all marks?
    accepting: Vec<bool>,
    /// By state: is every word accepted from here?
    universal: Vec<bool>,
    /// By state: if all its edges lead back to it, their marks.
    absorbing: Vec<Option<u64>>,
    /// By state and letter: the end of its targets in `targets`; they start at the end before.
    ends: Option<Vec<u32>>,
    targets: Vec<AutomatonTarget>,
    /// By letter, if there is a table and the automaton has a waiting state.
    waiting_choices: Vec<WaitingChoices>,
    /// Does a run that ends stutter forever in its last state?
    stutters: bool,
    /// Errors of the program that searches found; the check for errors reports them.
    program_errors: Mutex<BTreeMap<&'static str, RuntimeError>>,
}

impl Monitor {
    /// Precondition: condition `i` is the meaning of the automaton's atom `i`.
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
                own.clone().any(|edge| {
                    edge.target == state && edge.guard == Guard::TRUE && edge.marks == all
                })
            })
            .collect();
        let absorbing = automaton.states().map(|state| match &automaton.edges[state.index()][..] {
            _ if universal[state.index()] => Some(all.0),
            [only] if only.target == state && only.guard == Guard::TRUE => Some(only.marks.0),
            _ => None,
        });
        let absorbing = absorbing.collect();
        let (shape, weak, rejecting) = shape(&automaton, &universal);
        let waiting = automaton.initial.first().filter(|initial| {
            let mut edges = automaton.edges[initial.index()].iter();
            rejecting[initial.index()]
                // A packet with a single tail has no flags, which companions need.
                && automaton.edges.len() > 1
                && edges.any(|edge| edge.target == **initial && edge.guard == Guard::TRUE)
        });
        let waiting = waiting.map(|initial| initial.0);
        let mut monitor = Monitor {
            automaton,
            conditions,
            shape,
            weak,
            rejecting,
            waiting,
            accepting,
            universal,
            absorbing,
            ends: None,
            targets: Vec::new(),
            waiting_choices: Vec::new(),
            stutters,
            program_errors: Mutex::default(),
        };
        monitor.build_table();
        monitor
    }

    fn build_table(&mut self) {
        let Some(letters) = 1usize.checked_shl(self.conditions.len() as u32) else { return };
        if self.conditions.len() > 16 || letters * self.states() > AUTOMATON_TABLE_ENTRIES {
            return;
        }
        let mut ends = Vec::with_capacity(letters * self.states());
        let mut targets = Vec::new();
        for state in 0..self.states() as u32 {
            for letter in 0..letters as u64 {
                self.compute_targets(state, &[letter], &mut targets);
                ends.push(targets.len() as u32);
            }
        }
        (self.ends, self.targets) = (Some(ends), targets);
        if let Some(waiting) = self.waiting {
            self.waiting_choices = (0..letters as u64)
                .map(|letter| self.compute_waiting_choices(waiting, &[letter]))
                .collect();
        }
    }

    /// The automaton.
    pub fn automaton(&self) -> &Tgba {
        &self.automaton
    }

    /// The conditions, by atom.
    #[inline]
    pub fn conditions(&self) -> &[Expr] {
        &self.conditions
    }

    /// The shape of the automaton.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// In each strong component that has an edge with all marks, do all edges have them?
    pub fn is_weak(&self) -> bool {
        self.weak
    }

    /// Does a run that ends stutter forever in its last state?
    #[inline]
    pub fn stutters(&self) -> bool {
        self.stutters
    }

    /// The number of states of the automaton.
    pub fn states(&self) -> usize {
        self.automaton.state_count()
    }

    /// The set of all marks.
    pub fn all_marks(&self) -> u64 {
        Marks::all(self.automaton.sets).0
    }

    pub(crate) fn initial(&self) -> Option<u32> {
        self.automaton.initial.first().map(|state| state.0)
    }

    pub(crate) fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// Is it known that no accepting cycle passes through the state?
    #[inline]
    pub(crate) fn is_rejecting(&self, state: u32) -> bool {
        self.rejecting[state as usize]
    }

    /// The initial state, if the automaton can stay there on every letter and accepts nothing
    /// before it leaves. Then the product has a node with this state for every reachable state of
    /// the program.
    #[inline]
    pub(crate) fn waiting(&self) -> Option<u32> {
        self.waiting
    }

    /// The waiting state, if the automaton never returns to it.
    pub(crate) fn stem(&self) -> Option<u32> {
        let waiting = StateId(self.waiting?);
        let mut others = self.automaton.states().filter(|state| *state != waiting);
        let comes_back = |state: StateId| {
            self.automaton.edges[state.index()].iter().any(|edge| edge.target == waiting)
        };
        (!others.any(comes_back)).then_some(waiting.0)
    }

    /// Can the automaton leave its waiting state on this letter?
    #[inline]
    pub(crate) fn can_leave(&self, letter: &[u64]) -> bool {
        self.waiting_choices_on(letter).can_leave
    }

    /// Has any other state than the waiting one a transition on this letter?
    #[inline]
    pub(crate) fn can_continue_elsewhere(&self, letter: &[u64]) -> bool {
        self.waiting_choices_on(letter).can_continue_elsewhere
    }

    #[inline]
    fn waiting_choices_on(&self, letter: &[u64]) -> WaitingChoices {
        let known = self.waiting_choices.get(letter.first().copied().unwrap_or(0) as usize);
        match (known, self.waiting) {
            (Some(known), _) => *known,
            (None, Some(waiting)) => self.compute_waiting_choices(waiting, letter),
            (None, None) => WaitingChoices { can_leave: false, can_continue_elsewhere: true },
        }
    }

    fn compute_waiting_choices(&self, waiting: u32, letter: &[u64]) -> WaitingChoices {
        let mut targets = Vec::new();
        self.targets(waiting, letter, &mut targets);
        let can_leave = targets.iter().any(|(target, _)| *target != waiting);
        targets.clear();
        let others = (0..self.states() as u32).filter(|other| *other != waiting);
        others.for_each(|other| self.targets(other, letter, &mut targets));
        WaitingChoices { can_leave, can_continue_elsewhere: !targets.is_empty() }
    }

    /// The states that have, on this letter, all targets that `left` has besides itself. Empty if
    /// there is no table.
    pub(crate) fn covering(&self, left: u32, letter: &[u64]) -> impl Iterator<Item = u32> {
        let ends = self.ends.as_deref();
        let targets = move |state| ends.map_or(&[][..], |ends| self.tabled(ends, state, letter));
        let states = if ends.is_some() { self.states() as u32 } else { 0 };
        let covers = move |state: &u32| {
            let led = |target: u32| targets(*state).iter().any(|(other, _)| *other == target);
            *state != left
                && targets(left).iter().all(|(target, _)| *target == left || led(*target))
        };
        (0..states).filter(covers)
    }

    #[inline]
    pub(crate) fn is_universal(&self, state: u32) -> bool {
        self.universal[state as usize]
    }

    /// If the automaton stays in the state on every letter: the marks it sees from then on.
    #[inline]
    pub(crate) fn absorbing(&self, state: u32) -> Option<u64> {
        self.absorbing[state as usize].filter(|_| self.stutters)
    }

    /// Appends the transitions from a state on a letter.
    #[inline]
    pub(crate) fn targets(&self, state: u32, letter: &[u64], out: &mut Vec<AutomatonTarget>) {
        match &self.ends {
            Some(ends) => out.extend_from_slice(self.tabled(ends, state, letter)),
            None => self.compute_targets(state, letter, out),
        }
    }

    #[inline]
    fn tabled(&self, ends: &[u32], state: u32, letter: &[u64]) -> &[AutomatonTarget] {
        let letter = letter.first().copied().unwrap_or(0) as usize;
        let index = ((state as usize) << self.conditions.len()) + letter;
        let start = index.checked_sub(1).map_or(0, |before| ends[before]);
        &self.targets[start as usize..ends[index] as usize]
    }

    fn compute_targets(&self, state: u32, letter: &[u64], out: &mut Vec<AutomatonTarget>) {
        let holds = |atom: u32| letter[atom as usize / 64] >> (atom % 64) & 1 == 1;
        for edge in &self.automaton.edges[StateId(state).index()] {
            if self.automaton.guards.holds(edge.guard, holds) {
                out.push((edge.target.0, edge.marks.0));
            }
        }
    }

    /// Does the automaton accept this letter repeated forever, from this state?
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
        !lariat_ltl::emptiness::is_empty(&mut reading)
    }

    /// The number of letters after which every continuation is accepted: a bad prefix.
    pub fn bad_prefix(&self, letters: impl IntoIterator<Item = Vec<bool>>) -> Option<usize> {
        self.prefix_to(letters, |state| self.is_universal(state))
    }

    /// For a deterministic automaton: the number of letters after which no continuation is
    /// accepted.
    pub fn dead_prefix(&self, letters: impl IntoIterator<Item = Vec<bool>>) -> Option<usize> {
        self.prefix_to(letters, |state| self.absorbing[state as usize] == Some(0))
    }

    /// The number of letters after which the automaton can be in such a state.
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

    /// Records an error of the program.
    pub(crate) fn note(&self, error: &RuntimeError) {
        let mut program_errors = self.program_errors.lock().unwrap_or_else(PoisonError::into_inner);
        program_errors.entry(error.kind()).or_insert_with(|| error.clone());
    }

    /// Errors of the program that searches found, one of each kind.
    pub fn program_errors(&self) -> Vec<RuntimeError> {
        self.program_errors
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }
}

/// The shape; whether the automaton is weak, which is possible with any shape; and, by state,
/// whether it is in no accepting component.
fn shape(automaton: &Tgba, universal: &[bool]) -> (Shape, bool, Vec<bool>) {
    let components = Sccs::of(automaton);
    let all = Marks::all(automaton.sets);
    let accepts = |state: StateId| {
        components.component[state.index()] != u32::MAX
            && components.accepting[components.of_state(state)]
    };
    let rejecting = automaton.states().map(|state| !accepts(state)).collect();
    if !components.accepting.contains(&true) {
        return (Shape::Empty, true, rejecting);
    }
    let accepting = || automaton.states().filter(|state| accepts(*state));
    let weak = accepting().all(|state| {
        let mut inner = automaton.edges[state.index()]
            .iter()
            .filter(|edge| components.is_inner(state, edge.target));
        inner.all(|edge| edge.marks == all)
    });
    let shape = if accepting().all(|state| universal[state.index()]) {
        Shape::Terminal
    } else if weak {
        Shape::Weak
    } else {
        Shape::General
    };
    (shape, weak, rejecting)
}
