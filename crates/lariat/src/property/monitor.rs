//! From a property to the automaton that a search needs.

use super::unseen::{UnseenLabel, unseen_labels};
use super::{Assumption, Meaning, Property, has_accept_labels};
use model::budget::{Budget, Exhausted, UNLIMITED};
use model::expression::UnaryOp;
use model::reduce::Observed;
use model::{Expr, Program};
use omega::automaton::{Edge, Marks, Tgba};
use omega::decide::is_stutter_invariant;
use omega::degeneralize::{Degeneralization, degeneralize};
use omega::formula::{Formula, Formulas};
use omega::guard::Guard;
use omega::translate::{Acceptance, Goal, Options, TranslateError, translate};
use promela::LtlFormula;
use promela::claim::{self, HasEffect};
use search::liveness::Algorithm;
use std::fmt;

/// For the thread on which formulas are translated.
const STACK_BYTES: usize = 64 << 20;

/// Why a property cannot be checked, or not by this search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    Translation(TranslateError),
    /// A formula of branching time cannot be decided, and why.
    Branching(String),
    Claim(HasEffect),
    /// The property and what is assumed have more acceptance marks together than there can be.
    TooManyMarks,
    /// `deterministic` needs a formula.
    NotAFormula,
    /// `deterministic` does not know who moves.
    DeterministicFair,
    /// Only `magic` has a demon that can be stored with each state.
    NoDemon,
    /// `explore` stores nothing in packets.
    ExploreHybrid,
    /// `deterministic` needs a deterministic automaton.
    NotDeterministic,
    /// A limit was reached before the search, in this phase.
    Exhausted(Exhausted, &'static str),
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsuitable::Translation(error) => write!(out, "{error}"),
            Unsuitable::Branching(reason) => out.write_str(reason),
            Unsuitable::Claim(HasEffect { text, file, line }) => write!(
                out,
                "{file}:{line}: `{text}` does more than look at the program, which a claim may not; let another place in the claim remember what happened, or a process do it"
            ),
            Unsuitable::TooManyMarks => out.write_str(
                "the property and the automata of fair runs have more than 64 acceptance sets together; use smaller automata",
            ),
            Unsuitable::NotAFormula => {
                out.write_str("the search `deterministic` needs the property itself, as a formula; use another search")
            }
            Unsuitable::DeterministicFair => {
                out.write_str("the search `deterministic` cannot assume fairness; use another search")
            }
            Unsuitable::NoDemon => out.write_str(
                "with --hybrid none the demon of the search `magic` is part of every state; it needs --search magic, and knows no notion of fairness",
            ),
            Unsuitable::ExploreHybrid => out.write_str(
                "the search `explore` has no packets: it stores the product as --store says; leave out --hybrid, or use another search",
            ),
            Unsuitable::Exhausted(limit, phase) => write!(out, "nothing was searched: {limit} {phase}"),
            Unsuitable::NotDeterministic => out.write_str(
                "no deterministic Büchi automaton is known for the formula; use another search than `deterministic`",
            ),
        }
    }
}

impl std::error::Error for Unsuitable {}

/// Which automaton a search works with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Of forbidden runs, with marks on edges.
    Generalized,
    /// Of forbidden runs, with accepting states.
    Buchi,
    /// Of the runs that are allowed: deterministic, complete, with accepting states.
    Deterministic,
}

impl Form {
    /// What a search needs; the one that is taken if nobody says which knows what to do with any marks.
    pub fn of(algorithm: Option<Algorithm>) -> Form {
        match algorithm {
            Some(Algorithm::Deterministic) => Form::Deterministic,
            Some(algorithm) if !algorithm.is_generalized() => Form::Buchi,
            _ => Form::Generalized,
        }
    }
}

/// What is known of a property before a search is chosen.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    /// The program as the property's conditions mean it.
    pub program: Program,
    pub observed: Observed,
    pub stutters: bool,
    /// Labels the property asks for that are passed where it does not look.
    pub unseen: Vec<UnseenLabel>,
}

/// The automaton and what its atoms stand for.
pub(super) type Automaton = (Tgba, Vec<Expr>);

/// The program in which the property is checked, and what reductions must keep.
pub(super) fn prepare(
    program: &Program,
    property: &Property,
    assumptions: &[Assumption],
    budget: &Budget,
) -> Result<Prepared, Unsuitable> {
    let mut program = program.clone();
    // What is hidden could make two runs look like one that is none.
    program.variables.reveal();
    program.process_types.iter_mut().for_each(|kind| kind.variables.reveal());
    let (mut conditions, steps, stutters) = match &property.meaning {
        Meaning::Branching(_) => return Err(branching()),
        Meaning::Formula(formula) => {
            let invariant = bounded(budget, &formula.formulas, formula.formula, is_stutter_invariant)?;
            (formula.atoms.clone(), !invariant.unwrap_or(false), true)
        }
        Meaning::Claim(claim) => {
            let claim = claim::automaton(&program, claim).map_err(Unsuitable::Claim)?;
            let mut conditions = claim.atoms;
            if has_accept_labels(&program) {
                accept_as_progress(&mut program);
                conditions.push(at_accept_label());
            }
            (conditions, true, true)
        }
        Meaning::Automaton(_, conditions) => (conditions.clone(), true, true),
        Meaning::AcceptLabels => {
            accept_as_progress(&mut program);
            // As in SPIN: whoever has come to an end at an accept label stays there forever.
            (vec![at_accept_label()], false, true)
        }
        Meaning::Progress => (vec![Expr::NonProgress], false, false),
    };
    let unseen = unseen_labels(&program, &conditions);
    conditions.extend(assumptions.iter().flat_map(|assumption| assumption.conditions.clone()));
    // What an automaton says may depend on the number of steps.
    let steps = steps || !assumptions.is_empty();
    Ok(Prepared { program, observed: Observed { conditions, steps }, stutters, unseen })
}

/// Does it matter to the condition whether somebody is at a label that counts?
pub(super) fn asks_for_labels(condition: &Expr) -> bool {
    condition.any(&|part| matches!(part, Expr::NonProgress))
}

/// A formula of branching time has no automaton of forbidden runs.
fn branching() -> Unsuitable {
    Unsuitable::Branching("a formula of branching time says nothing about single runs".into())
}

/// Accept labels take the place of progress labels, about which there is a condition.
fn accept_as_progress(program: &mut Program) {
    for location in program.process_types.iter_mut().flat_map(|kind| &mut kind.locations) {
        location.progress = location.accept;
    }
}

fn at_accept_label() -> Expr {
    Expr::unary(UnaryOp::Not, Expr::NonProgress)
}

/// The automaton of forbidden runs, with accepting states, for whoever wants to look at it.
///
/// # Errors
/// There is none.
pub fn forbidden_runs(program: &Program, property: &Property) -> Result<Tgba, Unsuitable> {
    let prepared = prepare(program, property, &[], &UNLIMITED)?;
    automaton(&prepared, property, &[], Form::Buchi, &UNLIMITED).map(|(automaton, _)| automaton)
}

/// The automaton of forbidden runs that a search works with, and what its atoms stand for: that of the search with this name, or of the one that is taken if nobody says which.
///
/// # Errors
/// There is none, or the search works with one of the runs that are allowed.
pub fn searched_automaton(
    program: &Program,
    property: &Property,
    algorithm: Option<Algorithm>,
) -> Result<(Tgba, Vec<Expr>), Unsuitable> {
    let form = Form::of(algorithm);
    if form == Form::Deterministic {
        return Err(Unsuitable::NotAFormula);
    }
    automaton(&prepare(program, property, &[], &UNLIMITED)?, property, &[], form, &UNLIMITED)
}

/// The automaton in the form that a search needs: of runs that are forbidden and count.
pub(super) fn automaton(
    prepared: &Prepared,
    property: &Property,
    assumptions: &[Assumption],
    form: Form,
    budget: &Budget,
) -> Result<Automaton, Unsuitable> {
    if form == Form::Deterministic && !assumptions.is_empty() {
        return Err(Unsuitable::DeterministicFair);
    }
    let mut found = forbidden(prepared, property, form, budget)?;
    for assumption in assumptions {
        found = assumption.restrict(found)?;
    }
    let (automaton, conditions) = found;
    if form == Form::Buchi && (automaton.sets != 1 || !automaton.is_state_based()) {
        return Ok((degeneralize(&automaton, Degeneralization::SIMPLE), conditions));
    }
    Ok((automaton, conditions))
}

/// The automaton of all forbidden runs.
fn forbidden(
    prepared: &Prepared,
    property: &Property,
    form: Form,
    budget: &Budget,
) -> Result<Automaton, Unsuitable> {
    Ok(match &property.meaning {
        Meaning::Formula(formula) => return of_formula(formula, form, budget),
        Meaning::Branching(_) => return Err(branching()),
        _ if form == Form::Deterministic => return Err(Unsuitable::NotAFormula),
        Meaning::Claim(claim) => {
            let mut automaton = claim::automaton(&prepared.program, claim).map_err(Unsuitable::Claim)?;
            if has_accept_labels(&prepared.program) {
                mark_accept_labels(&mut automaton.automaton);
                automaton.atoms.push(at_accept_label());
            }
            (automaton.automaton, automaton.atoms)
        }
        Meaning::Automaton(automaton, conditions) => ((**automaton).clone(), conditions.clone()),
        Meaning::AcceptLabels => (of_text("G F labelled")?, vec![at_accept_label()]),
        Meaning::Progress => (of_text("F G nonprogress")?, vec![Expr::NonProgress]),
    })
}

fn of_text(text: &str) -> Result<Tgba, Unsuitable> {
    let mut formulas = Formulas::new();
    let formula = formulas.parse(text).expect("a formula of ours");
    let options = Options { acceptance: Acceptance::StateBuchi, ..Options::default() };
    translate(&mut formulas, formula, options).map_err(Unsuitable::Translation)
}

/// Where a process is at an accept label, the claim's step is accepting too.
fn mark_accept_labels(automaton: &mut Tgba) {
    let atom = automaton.atoms.len() as u32;
    automaton.atoms.push("accept".into());
    let (yes, no) = (automaton.guards.literal(atom, true), automaton.guards.literal(atom, false));
    for list in &mut automaton.edges {
        let mut split = Vec::new();
        for edge in list.drain(..) {
            if edge.marks == Marks::one(0) {
                split.push(edge);
                continue;
            }
            split.push(Edge { guard: automaton.guards.and(edge.guard, yes), marks: Marks::one(0), ..edge });
            split.push(Edge { guard: automaton.guards.and(edge.guard, no), ..edge });
        }
        *list = split;
    }
}

/// Asks `omega` about a formula within a budget.
fn bounded<T: Send + 'static>(
    budget: &Budget,
    formulas: &Formulas,
    formula: Formula,
    ask: impl FnOnce(&mut Formulas, Formula) -> T + Send + 'static,
) -> Result<T, Unsuitable> {
    let mut formulas = formulas.clone();
    let asked = budget.run(STACK_BYTES, move |stop| {
        formulas.stop_by(stop);
        ask(&mut formulas, formula)
    });
    asked.map_err(|exhausted| Unsuitable::Exhausted(exhausted, "while the formula was translated"))
}

fn of_formula(formula: &LtlFormula, form: Form, budget: &Budget) -> Result<Automaton, Unsuitable> {
    let mut formulas = formula.formulas.clone();
    let automaton = match form {
        Form::Deterministic => {
            let options = Options {
                goal: Goal::Deterministic,
                acceptance: Acceptance::StateBuchi,
                ..Options::default()
            };
            let automaton = bounded(budget, &formulas, formula.formula, move |formulas, formula| {
                translate(formulas, formula, options)
            })?
            .map_err(Unsuitable::Translation)?;
            if !automaton.is_deterministic() {
                return Err(Unsuitable::NotDeterministic);
            }
            complete(automaton)
        }
        Form::Generalized | Form::Buchi => {
            let forbidden = formulas.not(formula.formula);
            let acceptance = match form {
                Form::Buchi => Acceptance::StateBuchi,
                _ => Acceptance::TransitionGeneralized,
            };
            let options = Options { acceptance, ..Options::default() };
            bounded(budget, &formulas, forbidden, move |formulas, f| translate(formulas, f, options))?
                .map_err(Unsuitable::Translation)?
        }
    };
    // By name, for the automaton may have fewer atoms than the formula, or in another order.
    let conditions = automaton.atoms.iter().map(|name| {
        let number = formulas.atom_id(name);
        formula.atoms.get(number.0 as usize).cloned().unwrap_or(Expr::Const(0))
    });
    let conditions = conditions.collect();
    Ok((automaton, conditions))
}

/// The same automaton with a way to go on for every letter: what it does not allow leads to a state that accepts nothing.
fn complete(mut automaton: Tgba) -> Tgba {
    if automaton.sets == 0 {
        automaton.sets = 1;
        automaton.edges.iter_mut().flatten().for_each(|edge| edge.marks = Marks::one(0));
    }
    let sink = automaton.add_state();
    for state in automaton.states().collect::<Vec<_>>() {
        let marks = automaton.state_marks(state);
        let list = &automaton.edges[state.index()];
        let covered = list.iter().fold(Guard::FALSE, |sum, edge| automaton.guards.or(sum, edge.guard));
        let rest = automaton.guards.not(covered);
        automaton.add_edge(state, rest, marks, sink);
    }
    if automaton.initial.is_empty() {
        automaton.initial.push(sink);
    }
    automaton
}
