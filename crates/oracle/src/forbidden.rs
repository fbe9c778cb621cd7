//! The runs that a property forbids, and the check that a counterexample is one of them.

use crate::graph::Graph;
use crate::product::Product;
use lariat_ir::program::ProcessType;
use lariat_ir::{Expr, Interpreter, Program, State};
use lariat_ltl::automaton::Tgba;
use lariat_ltl::emptiness::accepts;
use lariat_ltl::formula::evaluate;
use lariat_ltl::translate::{Algorithm, Options, translate};
use lariat_ltl::word::Lasso;
use lariat_promela::{LtlFormula, claim};

/// The automaton of forbidden runs, and the values of its conditions.
#[derive(Debug)]
pub struct Forbidden<'g> {
    pub(crate) graph: &'g Graph,
    automaton: Tgba,
    /// By state of the program, by atom of the automaton.
    letters: Vec<Vec<bool>>,
    /// The formula that forbids the runs, and by state the values of its atoms.
    pub(crate) formula: Option<(LtlFormula, Vec<Vec<bool>>)>,
}

/// The check of a counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    Violation,
    /// Not a violation: the steps are no run of the program, or the run is not forbidden. Contains
    /// the reason.
    Nothing(String),
}

impl<'g> Forbidden<'g> {
    /// The runs that violate a formula. `None` if a condition has no value in some state, or the
    /// formula is too large.
    pub fn by_formula(
        interpreter: &Interpreter<'_>,
        graph: &'g Graph,
        formula: &LtlFormula,
    ) -> Option<Forbidden<'g>> {
        let mut formulas = formula.formulas.clone();
        let negated = formulas.not(formula.formula);
        let options =
            Options { algorithm: Algorithm::Gpvw(Default::default()), ..Options::default() };
        let automaton = translate(&mut formulas, negated, options).ok()?;
        let mut condition = |name| formula.atoms.get(formulas.atom_id(name).0 as usize).cloned();
        let conditions: Option<Vec<Expr>> =
            automaton.atoms.iter().map(|name| condition(name)).collect();
        let letters = values(interpreter, graph, &conditions?)?;
        let own = values(interpreter, graph, &formula.atoms)?;
        Some(Forbidden { graph, automaton, letters, formula: Some((formula.clone(), own)) })
    }

    /// The runs that an automaton accepts. `None` if a condition has no value in some state.
    pub fn by_automaton(
        interpreter: &Interpreter<'_>,
        graph: &'g Graph,
        automaton: Tgba,
        conditions: &[Expr],
    ) -> Option<Forbidden<'g>> {
        let letters = values(interpreter, graph, conditions)?;
        Some(Forbidden { graph, automaton, letters, formula: None })
    }

    /// The runs that a claim accepts. `None` if a condition has no value in some state, or the
    /// claim changes the state.
    pub fn by_claim(
        program: &Program,
        interpreter: &Interpreter<'_>,
        graph: &'g Graph,
        claim: &ProcessType,
    ) -> Option<Forbidden<'g>> {
        let claim = claim::automaton(program, claim).ok()?;
        let letters = values(interpreter, graph, &claim.atoms)?;
        Some(Forbidden { graph, automaton: claim.automaton, letters, formula: None })
    }

    /// The product with the program; `None` if it has more than `most` nodes.
    pub fn product(&self, most: usize) -> Option<Product<'g>> {
        Product::new(self.graph, &self.letters, &self.automaton, most)
    }

    /// Checks a run given by its states, including those inside atomic sequences. The states from
    /// `cycle` on are repeated; the last one is the first of the cycle again. A run without a cycle
    /// is a violation if its continuation by the first step each time is.
    pub fn is_shown_by(
        &self,
        interpreter: &Interpreter<'_>,
        states: &[State],
        cycle: Option<usize>,
    ) -> Shown {
        match self.path(interpreter, states, cycle) {
            Ok(word) if self.forbids(&word) => Shown::Violation,
            Ok(word) => Shown::Nothing(format!("it is allowed: states {word:?}")),
            Err(reason) => Shown::Nothing(reason),
        }
    }

    /// The number of steps of a run, counted as in [`shorter`](Forbidden::shorter); `None` if it is
    /// not a run.
    pub fn length(
        &self,
        interpreter: &Interpreter<'_>,
        states: &[State],
        cycle: Option<usize>,
    ) -> Option<usize> {
        match cycle {
            Some(_) => Some(self.path(interpreter, states, cycle).ok()?.len()),
            None => {
                let seen = states.iter().filter(|state| !interpreter.is_transient(state)).count();
                seen.checked_sub(1)
            }
        }
    }

    /// The numbers of the states that the property observes.
    fn path(
        &self,
        interpreter: &Interpreter<'_>,
        states: &[State],
        cycle: Option<usize>,
    ) -> Result<Lasso<usize>, String> {
        let mut numbers = Vec::new();
        let mut start = None;
        for (position, state) in states.iter().enumerate() {
            if Some(position) == cycle {
                start = Some(numbers.len());
            }
            if interpreter.is_transient(state) {
                continue;
            }
            numbers
                .push(self.graph.find(state).ok_or(format!("state {position} is never reached"))?);
        }
        if numbers.first().is_none_or(|first| *first >= self.graph.initial) {
            return Err("it does not begin in an initial state".into());
        }
        for pair in numbers.windows(2) {
            if !self.graph.steps[pair[0]].iter().any(|step| step.target == pair[1]) {
                return Err(format!("there is no step from state {} to {}", pair[0], pair[1]));
            }
        }
        let Some(start) = start else { return self.continue_by_first_steps(numbers) };
        if start == numbers.len() {
            // The whole cycle is inside an atomic sequence.
            let last = *numbers.last().ok_or("no states")?;
            if !self.graph.diverges(last) {
                return Err(format!("no atomic sequence of state {last} runs forever"));
            }
            return Ok(Lasso::new(numbers, vec![last]));
        }
        let last = numbers.pop();
        if numbers.get(start).copied() != last {
            return Err("the cycle does not close".into());
        }
        let cycle = numbers.split_off(start);
        Ok(Lasso::new(numbers, cycle))
    }

    /// Continues a run by the first step each time, until a state repeats.
    fn continue_by_first_steps(&self, mut numbers: Vec<usize>) -> Result<Lasso<usize>, String> {
        let known = numbers.len() - 1;
        loop {
            let last = numbers.pop().ok_or("no states")?;
            if let Some(back) =
                numbers[known.min(numbers.len())..].iter().position(|&state| state == last)
            {
                let cycle = numbers.split_off(known + back);
                return Ok(Lasso::new(numbers, cycle));
            }
            let step = match self.graph.steps[last].first() {
                Some(step) => step,
                None if self.graph.diverges(last) => return Ok(Lasso::new(numbers, vec![last])),
                None => return Err("every continuation ends in an error".into()),
            };
            numbers.extend([last, step.target]);
        }
    }

    pub(crate) fn forbids(&self, word: &Lasso<usize>) -> bool {
        match &self.formula {
            Some((of, letters)) => !evaluate(&of.formulas, of.formula, word, |state, atom| {
                letters[*state][atom.0 as usize]
            }),
            None => {
                accepts(&self.automaton, word, |state, atom| self.letters[*state][atom as usize])
            }
        }
    }
}

/// By state, the values of conditions.
fn values(
    interpreter: &Interpreter<'_>,
    graph: &Graph,
    conditions: &[Expr],
) -> Option<Vec<Vec<bool>>> {
    let value = |state, condition| Some(interpreter.evaluate(state, condition).ok()? != 0);
    let letter = |state| conditions.iter().map(|condition| value(state, condition)).collect();
    graph.states.iter().map(letter).collect()
}
