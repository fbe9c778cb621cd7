//! Branching time: formulas of CTL and CTL* about a model.
//!
//! The skeleton of a formula is read by `omega`, its atoms as expressions of the model, and the program is searched without reductions, for those
//! keep the runs apart but not where they branch. A run that shows why is replayed like any other.

use super::check::{Checked, Choice, Failure};
use super::lasso::{Lasso, LassoError, follow, letters};
use super::monitor::Unsuitable;
use super::unseen::unseen_labels;
use super::{Judges, Wanted, condition, fair};
use model::expression::{BinaryOp, UnaryOp};
use model::{Expr, Program};
use omega::formula::{AtomId, Formula, Formulas, GuardedAtom, Spelling};
use promela::LtlFormula;
use search::branching::{self, BranchingAnswer, LabellingError, Method, Question, is_state_formula};
use search::liveness::fairness::Fairness;
use search::product::{Answer, LassoRun};
use search::{Options, Run, Verdict, Violation};
use std::collections::HashMap;

/// A formula whose atoms are still texts.
#[derive(Clone, Debug)]
pub struct Skeleton {
    text: String,
    formulas: Formulas,
}

impl Skeleton {
    /// Reads a formula.
    ///
    /// # Errors
    /// It is none; the message says where and why.
    pub fn read(text: &str) -> Result<Skeleton, String> {
        let mut formulas = Formulas::new();
        let spelled = spell_moves(text);
        let formula = formulas.parse_embedded(&spelled).map_err(|error| {
            let shown = spelled.get(error.span.clone()).filter(|part| !part.is_empty());
            let place = match shown {
                Some(part) => format!(" at `{part}` (character {})", error.span.start + 1),
                None => format!(" (character {})", error.span.start + 1),
            };
            format!("the formula `{text}` cannot be read{place}: {error}")
        })?;
        if let Some(part) = unquantified(&formulas, formula) {
            let shown = formulas.display(part, Spelling::Spot);
            return Err(format!(
                "in the formula `{text}` no quantifier stands before `{shown}`: write `A` (on all runs) or `E` (on some run) there, or use --ltl"
            ));
        }
        Ok(Skeleton { text: text.to_string(), formulas })
    }

    /// What must be read as if it stood in the model.
    pub fn texts(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.formulas.atom_count() as u32).map(|atom| {
            let name = self.formulas.atom_name(AtomId(atom));
            let bare = name.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(name);
            match bare.strip_prefix(MOVED) {
                Some(process) => format!("({MOVES}{process})"),
                None => format!("({name})"),
            }
        })
    }

    /// The formula, given its atoms in order.
    ///
    /// # Errors
    /// An atom is no condition on states.
    pub fn with_atoms<'f>(
        self,
        given: &mut impl Iterator<Item = &'f LtlFormula>,
    ) -> Result<BranchingFormula, String> {
        let mut conditions = Vec::new();
        for text in self.texts() {
            match given.next().and_then(|formula| condition(&behind_the_step(formula))) {
                Some(condition) => conditions.push(condition),
                None => {
                    return Err(format!("in `{}` the atom `{text}` is not a condition on states", self.text));
                }
            }
        }
        self.guarded(conditions)
    }

    /// The formula in which conditions that can be without a value are evaluated only where they matter.
    fn guarded(self, conditions: Vec<Expr>) -> Result<BranchingFormula, String> {
        let Skeleton { text, formulas, .. } = &self;
        let numbers = (0..formulas.atom_count() as u32).map(AtomId);
        let known: HashMap<&str, &Expr> =
            numbers.map(|atom| &**formulas.atom_name(atom)).zip(&conditions).collect();
        let may_fail = |atom: &str| known.get(atom).is_some_and(|condition| condition.may_fail());
        let mut formulas = Formulas::new();
        let (formula, guarded) = formulas
            .parse_guarded(&spell_moves(text), &may_fail)
            .map_err(|error| format!("the formula `{text}` cannot be read: {error}"))?;
        let condition = |name: &str| {
            let composed = |part: &GuardedAtom| {
                let mut whole = (*known.get(&*part.atom)?).clone();
                for (guard, truth) in part.guards.iter().rev() {
                    let guard = (*known.get(&**guard)?).clone();
                    let guard = if *truth { guard } else { Expr::unary(UnaryOp::Not, guard) };
                    whole = Expr::binary(BinaryOp::And, guard, whole);
                }
                Some(whole)
            };
            match guarded.iter().find(|part| part.name == name) {
                Some(part) => composed(part),
                None => known.get(name).map(|condition| (*condition).clone()),
            }
        };
        let numbers = (0..formulas.atom_count() as u32).map(AtomId);
        let conditions: Option<Vec<Expr>> = numbers.map(|atom| condition(formulas.atom_name(atom))).collect();
        let conditions =
            conditions.ok_or_else(|| format!("in `{text}` the guard of an atom is not a condition"))?;
        Ok(BranchingFormula { name: self.text, formulas, formula, conditions })
    }
}

/// Who makes the next step, and who has made the last one: that is the condition, and it is one behind the step.
const MOVES: &str = "_moves";
const MOVED: &str = "_moves_before";

/// `_moves(P[1])` as what it stands for, a condition behind the next step. The model's own parser knows what a process is, so it is asked
/// about `_moves(P[1])` and its answer taken apart by [`behind_the_step`].
fn spell_moves(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(MOVES) {
        let behind = rest[at + MOVES.len()..].trim_start();
        let inner = behind.strip_prefix('(').and_then(|inner| Some((inner, closing(inner)?)));
        let part_of_a_name = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let (Some((inner, end)), false) = (inner, part_of_a_name) else {
            result += &rest[..at + MOVES.len()];
            rest = &rest[at + MOVES.len()..];
            continue;
        };
        result += &format!("{}X ({MOVED}({}))", &rest[..at], &inner[..end]);
        rest = &inner[end + 1..];
    }
    result + rest
}

/// Of `X f` the formula `f`, any other as it is.
fn behind_the_step(formula: &LtlFormula) -> LtlFormula {
    match formula.formulas.node(formula.formula) {
        omega::formula::Node::Next(inner) => LtlFormula { formula: *inner, ..formula.clone() },
        _ => formula.clone(),
    }
}

/// Where the parenthesis that is open at the beginning is closed.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(at)
    })
}

/// The first part that speaks of a path though it stands where a state is meant.
fn unquantified(formulas: &Formulas, f: Formula) -> Option<Formula> {
    use omega::formula::Node;
    if is_state_formula(formulas, f) {
        return None;
    }
    match formulas.node(f) {
        node @ (Node::Not(_)
        | Node::And(_)
        | Node::Or(_)
        | Node::Implies(..)
        | Node::Iff(..)
        | Node::Xor(..)) => {
            let mut found = None;
            node.for_each_child(|child| found = found.or_else(|| unquantified(formulas, child)));
            found
        }
        _ => Some(f),
    }
}

/// A formula of CTL* about a program.
#[derive(Clone, Debug)]
pub struct BranchingFormula {
    pub name: String,
    formulas: Formulas,
    formula: Formula,
    /// By number of atom.
    conditions: Vec<Expr>,
}

/// Says whether a run still goes with a formula that does not hold. One run seldom is all there is to see, so that is decided anew.
#[derive(Debug)]
pub struct BranchingJudge {
    program: Program,
    formula: BranchingFormula,
    fairness: Option<Fairness>,
    holds: bool,
}

impl BranchingJudge {
    /// Of a formula in a program, within the limits; of what `choice` says only how to search and what runs count matters.
    ///
    /// # Errors
    /// Why there is no verdict.
    pub fn new(
        program: &Program,
        formula: &BranchingFormula,
        choice: &Choice,
        options: &Options<'_>,
    ) -> Result<BranchingJudge, String> {
        let found = check(program, formula, choice, options).map_err(|fault| fault.to_string())?;
        let checked = found.map_err(|reason| reason.to_string())?;
        let holds = match (checked.verdict, checked.answer.limit) {
            (Verdict::Holds, _) => true,
            (Verdict::Violated, _) => false,
            (Verdict::Inconclusive, Some(limit)) => {
                return Err(format!("not everything was visited: {limit}"));
            }
            (Verdict::Inconclusive, None) => return Err("the search is inconclusive".into()),
        };
        let fairness = choice.fairness;
        Ok(BranchingJudge { program: revealed(program), formula: formula.clone(), fairness, holds })
    }
}

impl Judges for BranchingJudge {
    fn program(&self) -> &Program {
        &self.program
    }

    fn judge(&self, run: &LassoRun) -> Result<Lasso, LassoError> {
        let lasso = replay(&self.program, &self.formula, run)?;
        if self.holds {
            return Err(LassoError::Allowed);
        }
        match self.fairness {
            Some(fairness) if !fair::is_fair(&self.program, &lasso, fairness) => Err(LassoError::Unfair),
            _ => Ok(lasso),
        }
    }
}

/// All of a state is looked at, as formulas may ask about anything.
fn revealed(program: &Program) -> Program {
    let mut program = program.clone();
    program.variables.reveal();
    program.process_types.iter_mut().for_each(|kind| kind.variables.reveal());
    program
}

/// Decides the formula.
///
/// # Errors
/// A fault of ours: the run that shows why is none. Within, why the formula cannot be decided.
pub(super) fn check(
    program: &Program,
    formula: &BranchingFormula,
    choice: &Choice,
    options: &Options<'_>,
) -> Result<Result<Checked, Unsuitable>, Failure> {
    let program = revealed(program);
    let mut formulas = formula.formulas.clone();
    let question = Question {
        conditions: formula.conditions.clone(),
        formula: formula.formula,
        fairness: choice.fairness,
        limits: options.limits.clone(),
        progress: options.progress,
    };
    let system = choice.engine.system(&program, options.limits.budget);
    let patience = options.limits.patience();
    let found =
        system.map(|system| branching::check(system.with_patience(patience), &mut formulas, question));
    let BranchingAnswer { verdict, method, error, answer } = found.unwrap_or_else(|error| {
        let failure = Some(Violation { error, run: Run::default() });
        let answer = Answer { failure, ..Answer::default() };
        BranchingAnswer { verdict: Verdict::Violated, method: Method::Labelling, error: None, answer }
    });
    match error {
        Some(LabellingError::Translate(error)) => return Ok(Err(Unsuitable::Translation(error))),
        Some(other) => return Ok(Err(Unsuitable::Branching(other.to_string()))),
        None => {}
    }
    let lasso = match &answer.lasso {
        Some(run) => Some(replay(&program, formula, run).map_err(Failure::Lasso)?),
        None => None,
    };
    if let (Some(lasso), Some(fairness)) = (&lasso, choice.fairness)
        && !fair::is_fair(&program, lasso, fairness)
    {
        return Err(Failure::Lasso(LassoError::Unfair));
    }
    let failure = match &answer.failure {
        Some(failure) => {
            let states = follow(&program, failure.run.initial, &failure.run.steps).map_err(Failure::Lasso)?;
            Some(crate::check::Counterexample { violation: failure.clone(), states })
        }
        None => None,
    };
    Ok(Ok(Checked {
        name: formula.name.clone(),
        wanted: Wanted::Ctl(formula.name.clone()),
        kind: "ctl",
        verdict,
        search: method.name(),
        because: match method {
            Method::Reachability => "one state decides",
            Method::Home => "states from which the goal cannot be reached decide",
            Method::Labelling => "the graph is stored and labelled",
        },
        automaton_states: 0,
        fairness: choice.fairness,
        assumed: Vec::new(),
        store_unused: false,
        remedy: None,
        lasso,
        failure,
        unsuitable: None,
        unseen: unseen_labels(&program, &formula.conditions),
        answer,
    }))
}

/// The run with its states and the values of the atoms along it.
fn replay(program: &Program, formula: &BranchingFormula, run: &LassoRun) -> Result<Lasso, LassoError> {
    let steps: Vec<_> = run.prefix.iter().chain(&run.cycle).copied().collect();
    let states = follow(program, run.initial, &steps)?;
    let differs = !run.cycle.is_empty() && states[run.prefix.len()] != states[states.len() - 1];
    if differs {
        return Err(LassoError::DoesNotClose);
    }
    let values = letters(program, &formula.conditions, &states)?;
    let name = |atom| formula.formulas.atom_name(omega::formula::AtomId(atom)).to_string();
    Ok(Lasso {
        initial: run.initial,
        prefix: run.prefix.clone(),
        cycle: run.cycle.clone(),
        states,
        atoms: (0..formula.conditions.len() as u32).map(name).collect(),
        values,
        differs,
        reported: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_spelled_out() {
        assert_eq!(spell_moves("A(GF _moves(P[1]) -> F p)"), "A(GF X (_moves_before(P[1])) -> F p)");
        assert_eq!(spell_moves("E X_moves (f(x + 1))"), "E X_moves (f(x + 1))");
        assert_eq!(
            spell_moves("_moves(len(q) + 1) && _moves(2"),
            "X (_moves_before(len(q) + 1)) && _moves(2"
        );
    }
}
