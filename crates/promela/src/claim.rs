//! The Büchi automaton of a `never` claim.
//!
//! A location becomes a state, a condition an edge, and `accept` labels become acceptance marks.
//! An `end` label and the end of the body accept every continuation, since the claim has then found
//! an error. A failing `assert` leads to an accepting sink of its own. The claim executes `atomic`
//! and `d_step` sequences on one state of the program, so such a sequence is one edge. Conditions
//! are split at `&&`, `||` and `!`; the remaining parts are the atoms, expressions of the program.

use lariat_ir::expression::{BinaryOp, UnaryOp};
use lariat_ir::program::{
    Action, Body, Branch, BranchKind, Location, LocationId, Operation, OriginId, ProcessType,
    Transition,
};
use lariat_ir::{Expr, Program};
use lariat_ltl::automaton::{Marks, StateId, Tgba};
use lariat_ltl::guard::Guard;
use std::collections::HashMap;
use std::fmt;

/// An automaton whose atoms are expressions of a program.
#[derive(Clone, Debug)]
pub struct ClaimAutomaton {
    /// State-based, with one acceptance set.
    pub automaton: Tgba,
    /// The expression of each atom.
    pub atoms: Vec<Expr>,
    /// The sinks that are reached when the claim itself fails.
    pub failures: Vec<ClaimFailure>,
}

/// An error in the claim itself, such as a failing assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimFailure {
    /// Description of the error.
    pub what: String,
    /// File of the statement.
    pub file: String,
    /// Line of the statement.
    pub line: u32,
    state: StateId,
}

impl fmt::Display for ClaimFailure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({}:{})", self.what, self.file, self.line)
    }
}

/// A statement that is not allowed in a claim because it has a side effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HasEffect {
    /// The text of the statement.
    pub text: String,
    /// File of the statement.
    pub file: String,
    /// Line of the statement.
    pub line: u32,
}

/// Translates a claim to an automaton.
///
/// # Errors
/// A statement of the claim has a side effect.
pub fn automaton(program: &Program, claim: &ProcessType) -> Result<ClaimAutomaton, HasEffect> {
    let mut automaton = Tgba { sets: 1, ..Tgba::default() };
    for _ in &claim.locations {
        automaton.add_state();
    }
    automaton.initial = vec![StateId(claim.initial_location.0)];
    let result = ClaimAutomaton { automaton, atoms: Vec::new(), failures: Vec::new() };
    let mut translation = Translation { program, claim, result };
    for number in 0..claim.locations.len() as u32 {
        translation.location(LocationId(number))?;
    }
    Ok(translation.result)
}

impl ClaimAutomaton {
    /// The first failure that the claim reports while it reads these letters.
    pub fn failure<'l>(
        &self,
        letters: impl IntoIterator<Item = &'l Vec<bool>>,
    ) -> Option<&ClaimFailure> {
        let mut states = self.automaton.initial.clone();
        for letter in letters {
            let mut next = Vec::new();
            for edge in states.iter().flat_map(|state| &self.automaton.edges[state.index()]) {
                if self.automaton.guards.holds(edge.guard, |atom| letter[atom as usize]) {
                    next.push(edge.target);
                }
            }
            next.sort_unstable();
            next.dedup();
            let failed = self.failures.iter().find(|failure| next.contains(&failure.state));
            if failed.is_some() {
                return failed;
            }
            states = next;
        }
        None
    }

    fn guard(&mut self, program: &Program, condition: &Expr) -> Guard {
        match condition {
            Expr::Const(0) => Guard::FALSE,
            Expr::Const(_) => Guard::TRUE,
            Expr::Unary(UnaryOp::Not, operand) => {
                let operand = self.guard(program, operand);
                self.automaton.guards.not(operand)
            }
            // The right operand may be defined only if the left operand guards it.
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if !right.may_fail() => {
                let left = self.guard(program, left);
                let right = self.guard(program, right);
                match op {
                    BinaryOp::And => self.automaton.guards.and(left, right),
                    _ => self.automaton.guards.or(left, right),
                }
            }
            atom => {
                let index =
                    self.atoms.iter().position(|known| known == atom).unwrap_or_else(|| {
                        let name = lariat_ir::text::print_expression(program, None, atom);
                        self.automaton.atoms.push(name.into());
                        self.atoms.push(atom.clone());
                        self.atoms.len() - 1
                    });
                self.automaton.guards.variable(index as u32)
            }
        }
    }
}

struct Translation<'p> {
    program: &'p Program,
    claim: &'p ProcessType,
    result: ClaimAutomaton,
}

impl Translation<'_> {
    /// Adds the edges that leave a location.
    fn location(&mut self, from: LocationId) -> Result<(), HasEffect> {
        let source = StateId(from.0);
        if is_end(self.claim.location(from)) {
            self.result.automaton.add_edge(source, Guard::TRUE, Marks::one(0), source);
            return Ok(());
        }
        let marks = if self.claim.location(from).accept { Marks::one(0) } else { Marks::NONE };
        let mut sequence = LetterWorklist::new(from.0, Guard::TRUE);
        while let Some((number, letters)) = sequence.next(&mut self.result) {
            let here = self.claim.location(LocationId(number));
            if is_end(here) {
                self.result.automaton.add_edge(source, letters, marks, StateId(number));
                continue;
            }
            for (index, transition) in here.transitions.iter().enumerate() {
                let enabled = self.enabled(&here.transitions[..=index])?;
                let letters = self.and(letters, enabled);
                let passed = self.perform(source, marks, transition, letters)?;
                if transition.keeps_control {
                    sequence.enter(transition.target.0, passed);
                } else {
                    self.result.automaton.add_edge(
                        source,
                        passed,
                        marks,
                        StateId(transition.target.0),
                    );
                }
            }
        }
        Ok(())
    }

    /// The letters on which the last of these transitions is enabled.
    fn enabled(&mut self, so_far: &[Transition]) -> Result<Guard, HasEffect> {
        let Some((last, before)) = so_far.split_last() else { return Ok(Guard::FALSE) };
        let mut enabled = self.condition(&last.operation, last.origin)?;
        for earlier in before {
            let escapes = earlier.escape > 0 && earlier.escape != last.escape;
            if escapes || last.operation == Operation::Else {
                let taken = self.condition(&earlier.operation, earlier.origin)?;
                enabled = self.result.automaton.guards.minus(enabled, taken);
            }
        }
        Ok(enabled)
    }

    /// The letters on which an operation is enabled, ignoring `else`.
    fn condition(&mut self, operation: &Operation, origin: OriginId) -> Result<Guard, HasEffect> {
        match operation {
            Operation::Else => Ok(Guard::TRUE),
            Operation::Guarded { guard, .. } => Ok(self.result.guard(self.program, guard)),
            Operation::Deterministic(body) => self.node_condition(body, 0, origin),
            _ => Err(self.effect(origin)),
        }
    }

    /// The letters on which a node of a d_step can be left.
    fn node_condition(
        &mut self,
        body: &Body,
        node: u32,
        origin: OriginId,
    ) -> Result<Guard, HasEffect> {
        let mut sum = Guard::FALSE;
        for branch in &body.nodes[node as usize] {
            let possible = self.branch_condition(body, branch, origin)?;
            sum = self.result.automaton.guards.or(sum, possible);
        }
        Ok(sum)
    }

    fn branch_condition(
        &mut self,
        body: &Body,
        branch: &Branch,
        origin: OriginId,
    ) -> Result<Guard, HasEffect> {
        match (&branch.kind, branch.next) {
            (BranchKind::Enter, Some(next)) => self.node_condition(body, next, origin),
            (BranchKind::Enter, None) => Ok(Guard::TRUE),
            (BranchKind::Operation(operation), _) => self.condition(operation, branch.origin),
        }
    }

    /// Executes a step on these letters; returns the letters on which the claim continues.
    fn perform(
        &mut self,
        source: StateId,
        marks: Marks,
        transition: &Transition,
        letters: Guard,
    ) -> Result<Guard, HasEffect> {
        match &transition.operation {
            Operation::Deterministic(body) => {
                self.body(source, marks, body, letters, transition.origin)
            }
            operation => self.actions(source, marks, operation, letters, transition.origin),
        }
    }

    fn actions(
        &mut self,
        source: StateId,
        marks: Marks,
        operation: &Operation,
        mut letters: Guard,
        origin: OriginId,
    ) -> Result<Guard, HasEffect> {
        let actions = match operation {
            Operation::Guarded { actions, .. } => &actions[..],
            Operation::Else => &[],
            _ => return Err(self.effect(origin)),
        };
        for action in actions {
            match action {
                Action::Print { .. } => {}
                Action::Assert { condition, text } => {
                    let holds = self.result.guard(self.program, condition);
                    let fails = self.result.automaton.guards.minus(letters, holds);
                    let what = format!("the claim's assertion `{text}` fails");
                    self.fail(source, marks, fails, &what, origin);
                    letters = self.and(letters, holds);
                }
                _ => return Err(self.effect(origin)),
            }
        }
        Ok(letters)
    }

    /// Executes a d_step: at each node, the first enabled branch.
    fn body(
        &mut self,
        source: StateId,
        marks: Marks,
        body: &Body,
        letters: Guard,
        origin: OriginId,
    ) -> Result<Guard, HasEffect> {
        let mut passed = Guard::FALSE;
        let mut sequence = LetterWorklist::new(0, letters);
        while let Some((node, mut letters)) = sequence.next(&mut self.result) {
            for branch in &body.nodes[node as usize] {
                let possible = self.branch_condition(body, branch, origin)?;
                let mut taken = self.and(letters, possible);
                letters = self.result.automaton.guards.minus(letters, possible);
                if let BranchKind::Operation(operation) = &branch.kind {
                    taken = self.actions(source, marks, operation, taken, branch.origin)?;
                }
                match branch.next {
                    Some(next) => sequence.enter(next, taken),
                    None => passed = self.result.automaton.guards.or(passed, taken),
                }
            }
            self.fail(source, marks, letters, "the claim's d_step blocks", origin);
        }
        Ok(passed)
    }

    /// Adds edges to the sink of this error on these letters.
    fn fail(
        &mut self,
        source: StateId,
        marks: Marks,
        letters: Guard,
        what: &str,
        origin: OriginId,
    ) {
        if letters == Guard::FALSE {
            return;
        }
        let place = self.program.origin(origin);
        let same = |known: &&ClaimFailure| {
            known.what == what && known.file == place.file && known.line == place.line
        };
        let known = self.result.failures.iter().find(same).map(|known| known.state);
        let state = known.unwrap_or_else(|| {
            let state = self.result.automaton.add_state();
            self.result.automaton.add_edge(state, Guard::TRUE, Marks::one(0), state);
            let (file, line) = (place.file.clone(), place.line);
            self.result.failures.push(ClaimFailure { what: what.to_owned(), file, line, state });
            state
        });
        self.result.automaton.add_edge(source, letters, marks, state);
    }

    fn and(&mut self, left: Guard, right: Guard) -> Guard {
        self.result.automaton.guards.and(left, right)
    }

    fn effect(&self, origin: OriginId) -> HasEffect {
        let origin = self.program.origin(origin);
        HasEffect { text: origin.text.clone(), file: origin.file.clone(), line: origin.line }
    }
}

/// Whether a claim that reaches this location has found an error.
fn is_end(location: &Location) -> bool {
    location.end
        || location.transitions.iter().any(|transition| transition.operation == Operation::End)
}

/// Worklist over places that a sequence reaches in one state of the program, with the letters on
/// which each is reached. A place that is reached again with a known letter is an infinite loop
/// and adds nothing.
struct LetterWorklist {
    pending: Vec<(u32, Guard)>,
    seen: HashMap<u32, Guard>,
}

impl LetterWorklist {
    fn new(start: u32, letters: Guard) -> LetterWorklist {
        LetterWorklist { pending: vec![(start, letters)], seen: HashMap::new() }
    }

    fn enter(&mut self, place: u32, letters: Guard) {
        self.pending.push((place, letters));
    }

    /// The next place and the letters that are new there.
    fn next(&mut self, result: &mut ClaimAutomaton) -> Option<(u32, Guard)> {
        while let Some((place, letters)) = self.pending.pop() {
            let guards = &mut result.automaton.guards;
            let seen = self.seen.entry(place).or_insert(Guard::FALSE);
            let new = guards.minus(letters, *seen);
            *seen = guards.or(*seen, new);
            if new != Guard::FALSE {
                return Some((place, new));
            }
        }
        None
    }
}
