//! Decision procedures for formulas: satisfiability, validity, equivalence and stutter invariance,
//! with witnesses.
//!
//! Reduces these questions to emptiness of automata. Witnesses are lassos of partial assignments;
//! an unassigned atom may have either value.

use crate::automaton::{Automaton, Edge, Marks, StateId, Tgba};
use crate::emptiness::accepting_run;
use crate::formula::{Formula, Formulas, Simplifier};
use crate::guard::{Cube, Guard};
use crate::product::Product;
use crate::translate::{Goal, Options, TranslateError, translate};
use crate::word::Lasso;
use std::fmt;
use std::sync::Arc;

/// A word: for each position the values of the atoms that matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// Names of the atoms.
    pub atoms: Vec<Arc<str>>,
    /// For each position the atoms that matter, with their values.
    pub word: Lasso<Cube>,
}

/// `p & !q; cycle{1}`, as Spot writes words.
impl fmt::Display for Witness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = self.word.map(|cube| {
            let mut text = String::new();
            for (i, (v, positive)) in cube.iter().enumerate() {
                text.push_str(if i > 0 { " & " } else { "" });
                text.push_str(if *positive { "" } else { "!" });
                let _ = crate::formula::write_atom(&self.atoms[*v as usize], &mut text);
            }
            if text.is_empty() { "1".to_string() } else { text }
        });
        write!(out, "{letters}")
    }
}

fn witness(automaton: &mut impl Automaton) -> Option<Witness> {
    let run = accepting_run(automaton)?;
    Some(Witness { atoms: automaton.atoms().to_vec(), word: run.word(automaton.guards()) })
}

/// A word that satisfies `f`; `None` if `f` is unsatisfiable.
///
/// # Errors
/// `f` is not LTL, or a limit was reached.
pub fn satisfiable(store: &mut Formulas, f: Formula) -> Result<Option<Witness>, TranslateError> {
    let options = Options { goal: Goal::Any, ..Options::default() };
    let mut automaton = translate(store, f, options)?;
    Ok(witness(&mut automaton))
}

/// A word that violates `f`; `None` if `f` is valid.
///
/// # Errors
/// `f` is not LTL, or a limit was reached.
pub fn counterexample(store: &mut Formulas, f: Formula) -> Result<Option<Witness>, TranslateError> {
    let negated = store.not(f);
    satisfiable(store, negated)
}

/// A word that satisfies exactly one of `f` and `g`; `None` if they are equivalent.
///
/// # Errors
/// One of them is not LTL, or a limit was reached.
pub fn difference(
    store: &mut Formulas,
    f: Formula,
    g: Formula,
) -> Result<Option<Witness>, TranslateError> {
    let options = Options { goal: Goal::Any, ..Options::default() };
    for (yes, no) in [(f, g), (g, f)] {
        let no = store.not(no);
        let mut left = translate(store, yes, options)?;
        let mut right = translate(store, no, options)?;
        if let Some(w) = witness(&mut Product::new(&mut left, &mut right)) {
            return Ok(Some(w));
        }
    }
    Ok(None)
}

/// Whether the language of `f` is closed under stuttering: repeating a letter, or removing a
/// repetition. Only then may a search omit steps that are invisible to the formula.
///
/// Follows Michaud and Duret-Lutz (2015): `f` is stutter-invariant exactly if `cl(f)` and `cl(!f)`
/// are disjoint, where `cl` closes a language under repetition of letters.
///
/// # Errors
/// `f` is not LTL, or a limit was reached.
pub fn is_stutter_invariant(store: &mut Formulas, f: Formula) -> Result<bool, TranslateError> {
    if store.is_branching(f) {
        return Err(TranslateError::Branching);
    }
    let simple = Simplifier::new().simplify(store, f);
    if store.is_next_free(f) || store.is_next_free(simple) {
        return Ok(true);
    }
    let options = Options { goal: Goal::Any, ..Options::default() };
    let negated = store.not(f);
    let left = translate(store, f, options)?;
    let right = translate(store, negated, options)?;
    let mut left = self_loopize(store, &left)?;
    let mut right = self_loopize(store, &right)?;
    Ok(accepting_run(&mut Product::new(&mut left, &mut right)).is_none())
}

/// The automaton for the words of `automaton` with letters repeated any finite number of times
/// (Spot's `sl`). A state records the letter that led to it and can read it again. Repetitions
/// carry no mark, so an accepting run does not repeat forever.
fn self_loopize(store: &Formulas, automaton: &Tgba) -> Result<Tgba, TranslateError> {
    let count = automaton.atoms.len() as u32;
    let mut result = Tgba { initial: Vec::new(), edges: Vec::new(), ..automaton.clone() };
    // Without marks a run that repeats forever would accept; one mark on all other edges prevents
    // it.
    let extra = if automaton.sets == 0 { Marks::one(0) } else { Marks::NONE };
    result.sets = automaton.sets.max(1);
    let mut index: rapidhash::RapidHashMap<(StateId, Option<Guard>), StateId> =
        rapidhash::RapidHashMap::default();
    let mut states: Vec<(StateId, Option<Guard>)> = Vec::new();
    let mut number = |key: (StateId, Option<Guard>), states: &mut Vec<_>| {
        *index.entry(key).or_insert_with(|| {
            states.push(key);
            StateId((states.len() - 1) as u32)
        })
    };
    for q in &automaton.initial {
        let s = number((*q, None), &mut states);
        result.initial.push(s);
    }
    let mut at = 0;
    while at < states.len() {
        let (q, last) = states[at];
        let mut edges = Vec::new();
        for e in &automaton.edges[q.index()] {
            if store.is_stopped() {
                return Err(TranslateError::Interrupted);
            }
            for letter in letters(&mut result, e.guard, count) {
                let target = number((e.target, Some(letter)), &mut states);
                edges.push(Edge { guard: letter, marks: e.marks.union(extra), target });
            }
        }
        if let Some(letter) = last {
            edges.push(Edge { guard: letter, marks: Marks::NONE, target: StateId(at as u32) });
        }
        result.edges.push(edges);
        at += 1;
    }
    Ok(result)
}

/// The letters (full assignments) that satisfy a guard.
fn letters(automaton: &mut Tgba, guard: Guard, count: u32) -> Vec<Guard> {
    let mut parts = vec![guard];
    for v in 0..count {
        let (no, yes) = (automaton.guards.literal(v, false), automaton.guards.literal(v, true));
        parts = parts
            .into_iter()
            .flat_map(|g| [automaton.guards.and(g, no), automaton.guards.and(g, yes)])
            .filter(|g| *g != Guard::FALSE)
            .collect();
    }
    parts
}
