//! The runs that a property forbids, and whether a run that was found is one of them.

use crate::graph::Graph;
use crate::product::Product;
use model::program::ProcessType;
use model::{Expr, Interpreter, Program, State};
use omega::automaton::Tgba;
use omega::emptiness::accepts;
use omega::formula::evaluate;
use omega::translate::{Algorithm, Options, translate};
use omega::word::Lasso;
use promela::{LtlFormula, claim};

/// The automaton of forbidden runs, and the values of its conditions.
#[derive(Debug)]
pub struct Forbidden<'g> {
    pub(crate) graph: &'g Graph,
    automaton: Tgba,
    /// By state of the program, by atom of the automaton.
    letters: Vec<Vec<bool>>,
    /// The formula that forbids them, and by state the values of its own atoms.
    pub(crate) formula: Option<(LtlFormula, Vec<Vec<bool>>)>,
}

/// What a run that was found shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    Violation,
    /// It is no run, or not a forbidden one; why.
    Nothing(String),
}

impl<'g> Forbidden<'g> {
    /// By a formula; nothing if a condition has no value somewhere, or the formula is too large.
    pub fn by_formula(
        interpreter: &Interpreter<'_>,
        graph: &'g Graph,
        formula: &LtlFormula,
    ) -> Option<Forbidden<'g>> {
        let mut formulas = formula.formulas.clone();
        let negated = formulas.not(formula.formula);
        let options = Options { algorithm: Algorithm::Gpvw(Default::default()), ..Options::default() };
        let automaton = translate(&mut formulas, negated, options).ok()?;
        let mut condition = |name| formula.atoms.get(formulas.atom_id(name).0 as usize).cloned();
        let conditions: Option<Vec<Expr>> = automaton.atoms.iter().map(|name| condition(name)).collect();
        let letters = values(interpreter, graph, &conditions?)?;
        let own = values(interpreter, graph, &formula.atoms)?;
        Some(Forbidden { graph, automaton, letters, formula: Some((formula.clone(), own)) })
    }

    /// By an automaton that others have made; nothing if a condition has no value somewhere.
    pub fn by_automaton(
        interpreter: &Interpreter<'_>,
        graph: &'g Graph,
        automaton: Tgba,
        conditions: &[Expr],
    ) -> Option<Forbidden<'g>> {
        let letters = values(interpreter, graph, conditions)?;
        Some(Forbidden { graph, automaton, letters, formula: None })
    }

    /// By a claim; nothing if a condition has no value somewhere, or the claim does more than look.
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

    /// Joined with the program; nothing if there are more than `most` nodes.
    pub fn product(&self, most: usize) -> Option<Product<'g>> {
        Product::new(self.graph, &self.letters, &self.automaton, most)
    }

    /// Follows a run: its states, inside of atomic sequences too, of which those from `cycle` on are repeated; the last one is the first of the cycle again. A run without a cycle
    /// shows a violation if any way to go on does.
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

    /// How many steps a run has, counted as in [`shorter`](Forbidden::shorter); nothing if it is no run.
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

    /// The numbers of the states where the property looks.
    fn path(
        &self,
        interpreter: &Interpreter<'_>,
        states: &[State],
        cycle: Option<usize>,
    ) -> Result<Lasso<usize>, String> {
        let mut numbers = Vec::new();
        let mut start = None;
        for (place, state) in states.iter().enumerate() {
            if Some(place) == cycle {
                start = Some(numbers.len());
            }
            if interpreter.is_transient(state) {
                continue;
            }
            numbers.push(self.graph.find(state).ok_or(format!("state {place} is never reached"))?);
        }
        if numbers.first().is_none_or(|first| *first >= self.graph.initial) {
            return Err("it does not begin in an initial state".into());
        }
        for pair in numbers.windows(2) {
            if !self.graph.steps[pair[0]].iter().any(|step| step.target == pair[1]) {
                return Err(format!("there is no step from state {} to {}", pair[0], pair[1]));
            }
        }
        let Some(start) = start else { return self.continued(numbers) };
        if start == numbers.len() {
            // The whole cycle is inside an atomic sequence.
            let last = *numbers.last().ok_or("no states")?;
            if !self.graph.diverges(last) {
                return Err(format!("no atomic sequence of state {last} goes on forever"));
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

    /// Goes on by the first step each time, until a state comes back.
    fn continued(&self, mut numbers: Vec<usize>) -> Result<Lasso<usize>, String> {
        let known = numbers.len() - 1;
        loop {
            let last = numbers.pop().ok_or("no states")?;
            if let Some(back) = numbers[known.min(numbers.len())..].iter().position(|&state| state == last) {
                let cycle = numbers.split_off(known + back);
                return Ok(Lasso::new(numbers, cycle));
            }
            let step = match self.graph.steps[last].first() {
                Some(step) => step,
                None if self.graph.diverges(last) => return Ok(Lasso::new(numbers, vec![last])),
                None => return Err("behind it there are only errors".into()),
            };
            numbers.extend([last, step.target]);
        }
    }

    pub(crate) fn forbids(&self, word: &Lasso<usize>) -> bool {
        match &self.formula {
            Some((of, letters)) => {
                !evaluate(&of.formulas, of.formula, word, |state, atom| letters[*state][atom.0 as usize])
            }
            None => accepts(&self.automaton, word, |state, atom| self.letters[*state][atom as usize]),
        }
    }
}

/// By state, the values of conditions.
fn values(interpreter: &Interpreter<'_>, graph: &Graph, conditions: &[Expr]) -> Option<Vec<Vec<bool>>> {
    let value = |state, condition| Some(interpreter.evaluate(state, condition).ok()? != 0);
    let letter = |state| conditions.iter().map(|condition| value(state, condition)).collect();
    graph.states.iter().map(letter).collect()
}
