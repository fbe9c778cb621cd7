//! Translates a property to the automaton that a search needs, and prepares the program in which
//! the automaton's conditions are evaluated.

use crate::property::{
    Assumption, Automaton, Meaning, ResolvedProperty, UnseenLabel, has_accept_labels, unseen_labels,
};
use lariat_ir::budget::{Budget, Exhausted, UNLIMITED};
use lariat_ir::expression::UnaryOp;
use lariat_ir::reduce::Observed;
use lariat_ir::{Expr, Program, RuntimeError};
use lariat_ltl::automaton::{Edge, Marks, Tgba};
use lariat_ltl::decide::is_stutter_invariant;
use lariat_ltl::degeneralize::{Degeneralization, degeneralize};
use lariat_ltl::formula::{Formula, Formulas};
use lariat_ltl::guard::Guard;
use lariat_ltl::translate::{Acceptance, Goal, Options, TranslateError, translate};
use lariat_promela::LtlFormula;
use lariat_promela::claim::{self, HasEffect};
use lariat_search::liveness::Algorithm;
use std::fmt;

/// The stack size of the thread that translates formulas.
const STACK_BYTES: usize = 64 << 20;

/// Why a property cannot be checked, or not with the requested options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// The formula cannot be translated.
    Translation(TranslateError),
    /// Why a branching-time formula cannot be decided.
    Branching(String),
    /// A statement of the claim has a side effect.
    Claim(HasEffect),
    /// The property and the assumptions together have more than 64 acceptance marks.
    TooManyMarks,
    /// Initialising the program is a run-time error, so there is no run.
    NoInitialState(RuntimeError),
    /// The search `deterministic` needs a formula.
    NotAFormula,
    /// The search `deterministic` does not support fairness.
    DeterministicFair,
    /// Only the search `magic` has a demon that can be stored with each state.
    NoDemon,
    /// The search `explore` has no hybrid storage.
    ExploreHybrid,
    /// The search `deterministic` needs a deterministic automaton.
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
                "{file}:{line}: `{text}` has a side effect, which is not allowed in a claim; encode it in the claim's control flow, or move it to a process"
            ),
            Unsuitable::TooManyMarks => out.write_str(
                "the property and the fairness automata together have more than 64 acceptance sets; use smaller automata",
            ),
            Unsuitable::NoInitialState(error) => write!(
                out,
                "there is no initial state: {error}; the check for errors (--property safety) reports it"
            ),
            Unsuitable::NotAFormula => {
                out.write_str("the search `deterministic` needs the property as a formula; use another search")
            }
            Unsuitable::DeterministicFair => {
                out.write_str("the search `deterministic` does not support fairness; use another search")
            }
            Unsuitable::NoDemon => out.write_str(
                "--hybrid none stores the demon of the search `magic` in every state: it needs --search magic and does not support fairness",
            ),
            Unsuitable::ExploreHybrid => out.write_str(
                "the search `explore` has no hybrid storage: it stores the product as --store says; omit --hybrid, or use another search",
            ),
            Unsuitable::Exhausted(limit, phase) => write!(out, "nothing was searched: {limit} {phase}"),
            Unsuitable::NotDeterministic => out.write_str(
                "no deterministic Büchi automaton was found for the formula; use another search than `deterministic`",
            ),
        }
    }
}

impl std::error::Error for Unsuitable {}

/// The acceptance condition that a search needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonForm {
    /// Forbidden runs; generalized acceptance with marks on edges.
    Generalized,
    /// Forbidden runs; accepting states.
    Buchi,
    /// Allowed runs; deterministic, complete, accepting states.
    Deterministic,
}

impl AutomatonForm {
    /// The form that a search needs; the default search supports generalized acceptance.
    pub fn of(algorithm: Option<Algorithm>) -> AutomatonForm {
        match algorithm {
            Some(Algorithm::Deterministic) => AutomatonForm::Deterministic,
            Some(algorithm) if !algorithm.is_generalized() => AutomatonForm::Buchi,
            _ => AutomatonForm::Generalized,
        }
    }
}

/// The program in which a property is checked, and facts about the property that do not depend on
/// the search.
#[derive(Clone, Debug)]
pub(super) struct PreparedProgram {
    /// The program with all variables revealed and the property's labels as progress labels.
    pub program: Program,
    /// What reductions must preserve.
    pub observed: Observed,
    /// A finite run is extended by repeating its last state.
    pub stutters: bool,
    /// Labels that the property depends on and that are passed unobserved.
    pub unseen: Vec<UnseenLabel>,
}

/// Prepares the program for checking the property.
pub(super) fn prepare(
    program: &Program,
    property: &ResolvedProperty,
    assumptions: &[Assumption],
    budget: &Budget,
) -> Result<PreparedProgram, Unsuitable> {
    let mut program = program.clone();
    // Identifying states that differ in hidden variables could create runs that do not exist.
    program.variables.reveal();
    program.process_types.iter_mut().for_each(|kind| kind.variables.reveal());
    let (mut conditions, steps, stutters) = match &property.meaning {
        Meaning::Branching(_) => return Err(branching()),
        Meaning::Formula(formula) => {
            let invariant =
                bounded(budget, &formula.formulas, formula.formula, is_stutter_invariant)?;
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
            // As in SPIN, a process that has ended at an accept label stays there forever.
            (vec![at_accept_label()], false, true)
        }
        Meaning::Progress => (vec![Expr::NonProgress], false, false),
    };
    let unseen = unseen_labels(&program, &conditions);
    conditions.extend(assumptions.iter().flat_map(|assumption| assumption.conditions.clone()));
    // An automaton can count steps.
    let steps = steps || !assumptions.is_empty();
    Ok(PreparedProgram { program, observed: Observed { conditions, steps }, stutters, unseen })
}

/// A branching-time formula has no automaton of forbidden runs.
fn branching() -> Unsuitable {
    Unsuitable::Branching("a branching-time formula is not a property of single runs".into())
}

/// Makes accept labels the progress labels, so that `Expr::NonProgress` observes them.
fn accept_as_progress(program: &mut Program) {
    for location in program.process_types.iter_mut().flat_map(|kind| &mut kind.locations) {
        location.progress = location.accept;
    }
}

fn at_accept_label() -> Expr {
    Expr::unary(UnaryOp::Not, Expr::NonProgress)
}

/// The automaton of forbidden runs, with accepting states, for display.
///
/// # Errors
/// The property has no such automaton.
pub fn forbidden_runs(program: &Program, property: &ResolvedProperty) -> Result<Tgba, Unsuitable> {
    let prepared = prepare(program, property, &[], &UNLIMITED)?;
    automaton(&prepared, property, &[], AutomatonForm::Buchi, &UNLIMITED)
        .map(|(automaton, _)| automaton)
}

/// The automaton of forbidden runs that a search works with, and the expression of each atom.
/// `None` stands for the default search.
///
/// # Errors
/// The property has no such automaton, or the search works with an automaton of allowed runs.
pub fn searched_automaton(
    program: &Program,
    property: &ResolvedProperty,
    algorithm: Option<Algorithm>,
) -> Result<(Tgba, Vec<Expr>), Unsuitable> {
    let form = AutomatonForm::of(algorithm);
    if form == AutomatonForm::Deterministic {
        return Err(Unsuitable::NotAFormula);
    }
    automaton(&prepare(program, property, &[], &UNLIMITED)?, property, &[], form, &UNLIMITED)
}

/// The automaton of the forbidden runs that satisfy the assumptions, in the given form.
pub(super) fn automaton(
    prepared: &PreparedProgram,
    property: &ResolvedProperty,
    assumptions: &[Assumption],
    form: AutomatonForm,
    budget: &Budget,
) -> Result<Automaton, Unsuitable> {
    if form == AutomatonForm::Deterministic && !assumptions.is_empty() {
        return Err(Unsuitable::DeterministicFair);
    }
    let mut found = forbidden(prepared, property, form, budget)?;
    for assumption in assumptions {
        found = assumption.restrict(found)?;
    }
    let (automaton, conditions) = found;
    if form == AutomatonForm::Buchi && (automaton.sets != 1 || !automaton.is_state_based()) {
        return Ok((degeneralize(&automaton, Degeneralization::SIMPLE), conditions));
    }
    Ok((automaton, conditions))
}

/// The automaton of all forbidden runs (all allowed runs for the deterministic form).
fn forbidden(
    prepared: &PreparedProgram,
    property: &ResolvedProperty,
    form: AutomatonForm,
    budget: &Budget,
) -> Result<Automaton, Unsuitable> {
    Ok(match &property.meaning {
        Meaning::Formula(formula) => return of_formula(formula, form, budget),
        Meaning::Branching(_) => return Err(branching()),
        _ if form == AutomatonForm::Deterministic => return Err(Unsuitable::NotAFormula),
        Meaning::Claim(claim) => {
            let mut automaton =
                claim::automaton(&prepared.program, claim).map_err(Unsuitable::Claim)?;
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
    let formula = formulas.parse(text).expect("the formula is a literal");
    let options = Options { acceptance: Acceptance::StateBuchi, ..Options::default() };
    translate(&mut formulas, formula, options).map_err(Unsuitable::Translation)
}

/// Makes every step of the claim accepting that is taken while a process is at an accept label.
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
            split.push(Edge {
                guard: automaton.guards.and(edge.guard, yes),
                marks: Marks::one(0),
                ..edge
            });
            split.push(Edge { guard: automaton.guards.and(edge.guard, no), ..edge });
        }
        *list = split;
    }
}

/// Runs a computation on a formula within a budget.
fn bounded<T: Send + 'static>(
    budget: &Budget,
    formulas: &Formulas,
    formula: Formula,
    compute: impl FnOnce(&mut Formulas, Formula) -> T + Send + 'static,
) -> Result<T, Unsuitable> {
    let mut formulas = formulas.clone();
    let result = budget.run(STACK_BYTES, move |stop| {
        formulas.stop_by(stop);
        compute(&mut formulas, formula)
    });
    result.map_err(|exhausted| Unsuitable::Exhausted(exhausted, "while the formula was translated"))
}

fn of_formula(
    formula: &LtlFormula,
    form: AutomatonForm,
    budget: &Budget,
) -> Result<Automaton, Unsuitable> {
    let mut formulas = formula.formulas.clone();
    let automaton = match form {
        AutomatonForm::Deterministic => {
            let options = Options {
                goal: Goal::Deterministic,
                acceptance: Acceptance::StateBuchi,
                ..Options::default()
            };
            let automaton =
                bounded(budget, &formulas, formula.formula, move |formulas, formula| {
                    translate(formulas, formula, options)
                })?
                .map_err(Unsuitable::Translation)?;
            if !automaton.is_deterministic() {
                return Err(Unsuitable::NotDeterministic);
            }
            complete(automaton)
        }
        AutomatonForm::Generalized | AutomatonForm::Buchi => {
            let forbidden = formulas.not(formula.formula);
            let acceptance = match form {
                AutomatonForm::Buchi => Acceptance::StateBuchi,
                _ => Acceptance::TransitionGeneralized,
            };
            let options = Options { acceptance, ..Options::default() };
            bounded(budget, &formulas, forbidden, move |formulas, f| {
                translate(formulas, f, options)
            })?
            .map_err(Unsuitable::Translation)?
        }
    };
    // Matched by name: the automaton may have fewer atoms than the formula, or another order.
    let conditions = automaton.atoms.iter().map(|name| {
        let number = formulas.atom_id(name);
        formula.atoms.get(number.0 as usize).cloned().unwrap_or(Expr::Const(0))
    });
    let conditions = conditions.collect();
    Ok((automaton, conditions))
}

/// Completes the automaton: every missing letter leads to a rejecting sink.
fn complete(mut automaton: Tgba) -> Tgba {
    if automaton.sets == 0 {
        automaton.sets = 1;
        automaton.edges.iter_mut().flatten().for_each(|edge| edge.marks = Marks::one(0));
    }
    let sink = automaton.add_state();
    for state in automaton.states().collect::<Vec<_>>() {
        let marks = automaton.state_marks(state);
        let list = &automaton.edges[state.index()];
        let covered =
            list.iter().fold(Guard::FALSE, |sum, edge| automaton.guards.or(sum, edge.guard));
        let rest = automaton.guards.not(covered);
        automaton.add_edge(state, rest, marks, sink);
    }
    if automaton.initial.is_empty() {
        automaton.initial.push(sink);
    }
    automaton
}
