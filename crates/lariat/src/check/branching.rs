//! Decides branching-time formulas. The program is searched without reductions, because reductions
//! preserve runs but not the branching structure.

use super::automaton::Unsuitable;
use super::judge::Judges;
use super::verdict::PropertyResult;
use super::{Programs, ReplayFailure, Settings, Systems, fair};
use crate::property::{BranchingFormula, ResolvedProperty, unseen_labels};
use crate::run::lasso::letters;
use crate::run::{Counterexample, Evidence, LassoError, finite};
use lariat_ir::Program;
use lariat_search::branching::{self, BranchingAnswer, LabellingError, Method, Question};
use lariat_search::liveness::fairness::Fairness;
use lariat_search::product::LassoRun;
use lariat_search::{Options, Verdict, Violation};
use std::sync::Arc;

/// Judges runs by a branching-time formula. A single run rarely proves that the formula is
/// violated, so the formula is decided once on the whole program.
#[derive(Debug)]
pub struct BranchingJudge {
    model: Arc<Program>,
    /// The program with all variables revealed.
    program: Program,
    formula: BranchingFormula,
    fairness: Option<Fairness>,
    holds: bool,
}

impl BranchingJudge {
    /// Decides the property within the limits.
    ///
    /// # Errors
    /// Why there is no verdict.
    pub fn new(
        program: &Arc<Program>,
        property: &ResolvedProperty,
        formula: &BranchingFormula,
        settings: &Settings,
        options: &Options<'_>,
    ) -> Result<BranchingJudge, String> {
        let programs = Programs::default();
        let systems = Systems::new(&programs);
        let found = check(&systems, program, property, formula, settings, options);
        let found = found.map_err(|failure| failure.to_string())?;
        let result = found.map_err(|reason| reason.to_string())?;
        let holds = match (result.verdict, result.answer.limit) {
            (Verdict::Holds, _) => true,
            (Verdict::Violated, _) => false,
            (Verdict::Inconclusive, Some(limit)) => {
                return Err(format!("the search was not exhaustive: {limit}"));
            }
            (Verdict::Inconclusive, None) => return Err("the search is inconclusive".into()),
        };
        Ok(BranchingJudge {
            model: Arc::clone(program),
            program: revealed(program),
            formula: formula.clone(),
            fairness: settings.fairness,
            holds,
        })
    }
}

impl Judges for BranchingJudge {
    fn program(&self) -> &Program {
        &self.program
    }

    fn judge(&self, run: &LassoRun) -> Result<Counterexample, LassoError> {
        let shows = Evidence::StateFormula { holds: false };
        let lasso = replay(&self.model, &self.program, &self.formula, run, shows)?;
        if self.holds {
            return Err(LassoError::Allowed);
        }
        match self.fairness {
            Some(fairness) if !fair::is_fair(&self.program, &lasso, fairness) => {
                Err(LassoError::Unfair)
            }
            _ => Ok(lasso),
        }
    }
}

/// The program with all variables part of the state, because a formula can refer to any of them.
fn revealed(program: &Program) -> Program {
    let mut program = program.clone();
    program.variables.reveal();
    program.process_types.iter_mut().for_each(|kind| kind.variables.reveal());
    program
}

/// Decides a branching-time formula.
///
/// # Errors
/// The run that shows the verdict cannot be replayed: a bug in Lariat. The inner error is the
/// reason why the formula cannot be decided.
pub(super) fn check(
    systems: &Systems<'_>,
    program: &Arc<Program>,
    property: &ResolvedProperty,
    formula: &BranchingFormula,
    settings: &Settings,
    options: &Options<'_>,
) -> Result<Result<PropertyResult, Unsuitable>, ReplayFailure> {
    if let Some(reason) = unsupported(settings) {
        return Ok(Err(Unsuitable::Branching(reason.into())));
    }
    let revealed = revealed(program);
    let mut formulas = formula.formulas.clone();
    let question = Question {
        conditions: formula.conditions.clone(),
        formula: formula.formula,
        fairness: settings.fairness,
        limits: options.limits.clone(),
        progress: options.progress,
    };
    let system = match systems.of(&revealed, settings.engine, options.limits.budget) {
        Ok(system) => system.with_patience(options.limits.patience()),
        Err(error) => return Ok(Err(Unsuitable::NoInitialState(error))),
    };
    let BranchingAnswer { verdict, method, error, mut answer } =
        branching::check(system, &mut formulas, question);
    match error {
        Some(LabellingError::Translate(error)) => return Ok(Err(Unsuitable::Translation(error))),
        Some(other) => return Ok(Err(Unsuitable::Branching(other.to_string()))),
        None => {}
    }
    let mut counterexample = None;
    if let Some(run) = answer.lasso.take() {
        let shows = Evidence::StateFormula { holds: verdict == Verdict::Holds };
        let lasso = replay(program, &revealed, formula, &run, shows);
        let lasso = lasso.map_err(ReplayFailure::Lasso)?;
        if settings.fairness.is_some_and(|fairness| !fair::is_fair(&revealed, &lasso, fairness)) {
            return Err(ReplayFailure::Lasso(LassoError::Unfair));
        }
        counterexample = Some(lasso);
    }
    if let Some(Violation { error, run }) = answer.failure.take() {
        let states = finite::follow(&revealed, run.initial, &run.steps);
        let states = states.map_err(ReplayFailure::Lasso)?;
        counterexample =
            Some(Counterexample::finite(program, Evidence::NoValue(error), run, states));
    }
    Ok(Ok(PropertyResult {
        verdict,
        search: method.name(),
        because: match method {
            Method::Reachability => "a single state decides the formula",
            Method::Home => "states from which the goal is unreachable decide the formula",
            Method::Labelling => "the state graph is stored and labelled",
        },
        fairness: settings.fairness,
        unseen: unseen_labels(&revealed, &formula.conditions),
        counterexample,
        answer,
        ..PropertyResult::new(property)
    }))
}

/// The setting that branching-time formulas do not support.
fn unsupported(settings: &Settings) -> Option<&'static str> {
    if !settings.assumptions.is_empty() {
        return Some(
            "fairness automata do not apply to branching-time formulas; state the assumption in the formula",
        );
    }
    settings.is_hybrid().then_some(
        "hybrid storage is for properties of single runs, not for branching-time formulas",
    )
}

/// The run with its states and the values of the atoms along it.
fn replay(
    model: &Arc<Program>,
    program: &Program,
    formula: &BranchingFormula,
    run: &LassoRun,
    shows: Evidence,
) -> Result<Counterexample, LassoError> {
    let steps: Vec<_> = run.prefix.iter().chain(&run.cycle).copied().collect();
    let states = finite::follow(program, run.initial, &steps)?;
    if !run.cycle.is_empty() && states[run.prefix.len()] != states[states.len() - 1] {
        return Err(LassoError::DoesNotClose);
    }
    let values = letters(program, &formula.conditions, &states)?;
    let name = |atom| formula.formulas.atom_name(lariat_ltl::formula::AtomId(atom)).to_string();
    Ok(Counterexample {
        program: Arc::clone(model),
        shows,
        initial: run.initial,
        prefix: run.prefix.clone(),
        cycle: run.cycle.clone(),
        states,
        atoms: (0..formula.conditions.len() as u32).map(name).collect(),
        values,
        differs: false,
    })
}
