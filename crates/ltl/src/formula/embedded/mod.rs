//! Branching-time formulas whose atoms are expressions of another language: `AG (x > 0 -> EF
//! P[0]@done)`.
//!
//! Owns where atoms begin and end, not what they mean. An atom is a maximal part of the text
//! without temporal operators and quantifiers. The rest is the grammar of
//! [`Syntax::CTL_STAR`](super::Syntax): `->` and `<->` bind weakest, then `||`, `&&`, `U R W M`,
//! and the prefix operators strongest; but since no operator of the other language can stand
//! between temporal formulas, `AF x == 1` is `AF (x == 1)`. A word that is spelled like an operator
//! is a name where no operator can stand (`R[0]@l`, `x == E`, `AG W > 1`: [`name_operands`]), and
//! everywhere in quotes: `"E" && x` has the atom `E && x`.

mod token;

use super::{Formula, Formulas, SyntaxError};
use std::ops::Range;
use token::{EmbeddedToken, TokenKind, name_operands, partners, tokenize};

/// The parser rejects deeper nesting, so that recursion cannot exhaust the stack.
const MAX_DEPTH: usize = 500;

/// An atom with the atoms to its left that decide whether its value matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardedAtom {
    /// The name of the guarded atom in the formula.
    pub name: String,
    /// The text of the atom itself.
    pub atom: String,
    /// The guards with their expected values. Where a guard has the other value, the value of the
    /// atom does not matter.
    pub guards: Vec<(String, bool)>,
}

impl Formulas {
    /// Parses a formula of CTL*. Each atom is named by its text.
    ///
    /// # Errors
    /// The text is not a formula, whatever its atoms mean.
    pub fn parse_embedded(&mut self, text: &str) -> Result<Formula, SyntaxError> {
        self.parse_guarded(text, &|_| false).map(|(formula, _)| formula)
    }

    /// As [`parse_embedded`](Formulas::parse_embedded), for atoms whose evaluation `may_fail`. Such
    /// an atom must be evaluated only where its value matters, so it is replaced by its conjunction
    /// with the atoms that guard it: in `p -> (q && EF r)`, `q` becomes `(p) && (q)`.
    ///
    /// # Errors
    /// The text is not a formula, whatever its atoms mean.
    pub fn parse_guarded(
        &mut self,
        text: &str,
        may_fail: &dyn Fn(&str) -> bool,
    ) -> Result<(Formula, Vec<GuardedAtom>), SyntaxError> {
        let mut tokens = tokenize(text)?;
        let partners = partners(text, &tokens)?;
        name_operands(text, &mut tokens, &partners);
        let mut guarded = Vec::new();
        let mut parser = EmbeddedParser {
            text,
            tokens: &tokens,
            partners: &partners,
            may_fail,
            guarded: &mut guarded,
        };
        let formula = parser.formula(self, 0..tokens.len(), &[], 0)?;
        Ok((formula, guarded))
    }
}

fn error(span: Range<usize>, message: impl Into<String>, expected: &[&'static str]) -> SyntaxError {
    SyntaxError { span, message: message.into(), expected: expected.to_vec() }
}

struct EmbeddedParser<'t> {
    text: &'t str,
    tokens: &'t [EmbeddedToken],
    partners: &'t [usize],
    may_fail: &'t dyn Fn(&str) -> bool,
    guarded: &'t mut Vec<GuardedAtom>,
}

/// A range of tokens without temporal operators, and the value that it has wherever the value of
/// the guarded formula matters.
type GuardSpan = (Range<usize>, bool);

impl EmbeddedParser<'_> {
    fn too_deep(&self, at: usize) -> SyntaxError {
        let message = format!("the formula is nested deeper than {MAX_DEPTH} levels");
        error(self.tokens[at].span.clone(), message, &[])
    }

    fn formula(
        &mut self,
        store: &mut Formulas,
        range: Range<usize>,
        guards: &[GuardSpan],
        depth: usize,
    ) -> Result<Formula, SyntaxError> {
        if range.is_empty() {
            let at = range.start.checked_sub(1).map_or(0, |before| self.tokens[before].span.end);
            return Err(error(
                at..at,
                "a formula is missing",
                &["a condition", "a temporal formula"],
            ));
        }
        if depth > MAX_DEPTH {
            return Err(self.too_deep(range.start));
        }
        if self.is_condition(&range) {
            return Ok(self.atom(store, range, guards));
        }
        let Some(at) = self.operator(&range) else {
            return self.prefixed(store, range, guards, depth);
        };
        let (left, right) = (range.start..at, at + 1..range.end);
        let (before, behind) = match self.tokens[at].kind {
            TokenKind::Arrow | TokenKind::And => (guards, self.with_facts(guards, &left, true)),
            TokenKind::Or => (guards, self.with_facts(guards, &left, false)),
            TokenKind::DoubleArrow => (guards, guards.to_vec()),
            // Temporal operators also refer to other states.
            _ => (&[][..], Vec::new()),
        };
        let left = self.formula(store, left, before, depth + 1)?;
        let right = self.formula(store, right, &behind, depth + 1)?;
        Ok(match self.tokens[at].kind {
            TokenKind::Arrow => store.implies(left, right),
            TokenKind::DoubleArrow => store.iff(left, right),
            TokenKind::Or => store.or(left, right),
            TokenKind::And => store.and(left, right),
            TokenKind::Until('U') => store.until(left, right),
            TokenKind::Until('W') => store.weak_until(left, right),
            TokenKind::Until('M') => store.strong_release(left, right),
            _ => store.release(left, right),
        })
    }

    /// Whether the range has no temporal operator.
    fn is_condition(&self, range: &Range<usize>) -> bool {
        let temporal = |kind| {
            matches!(
                kind,
                TokenKind::Until(_) | TokenKind::Box | TokenKind::Diamond | TokenKind::Prefix
            )
        };
        !self.tokens[range.clone()].iter().any(|token| temporal(token.kind))
    }

    /// The index of the binary operator outside brackets that binds weakest.
    fn operator(&self, range: &Range<usize>) -> Option<usize> {
        let first = |of_rank: &dyn Fn(TokenKind) -> bool| {
            self.outside(range.clone()).find(|&at| of_rank(self.tokens[at].kind))
        };
        let ranks: [&dyn Fn(TokenKind) -> bool; 4] = [
            &|kind| matches!(kind, TokenKind::Arrow | TokenKind::DoubleArrow),
            &|kind| kind == TokenKind::Or,
            &|kind| kind == TokenKind::And,
            &|kind| matches!(kind, TokenKind::Until(_)),
        ];
        ranks.into_iter().find_map(first)
    }

    /// The guards, and those that hold if a range has the value `truth`.
    fn with_facts(
        &self,
        guards: &[GuardSpan],
        range: &Range<usize>,
        truth: bool,
    ) -> Vec<GuardSpan> {
        let mut facts = guards.to_vec();
        self.add_facts(range.clone(), truth, &mut facts);
        facts
    }

    fn add_facts(&self, mut range: Range<usize>, mut truth: bool, facts: &mut Vec<GuardSpan>) {
        while !range.is_empty() {
            if self.is_condition(&range) {
                return facts.push((range, truth));
            }
            let Some(at) = self.operator(&range) else {
                match self.tokens[range.start].kind {
                    TokenKind::Not => truth = !truth,
                    TokenKind::Open if self.partners[range.start] + 1 == range.end => {
                        range.end -= 1
                    }
                    _ => return,
                }
                range.start += 1;
                continue;
            };
            let left = match (self.tokens[at].kind, truth) {
                (TokenKind::And, true) | (TokenKind::Arrow, false) => true,
                (TokenKind::Or, false) => false,
                _ => return,
            };
            self.add_facts(range.start..at, left, facts);
            range.start = at + 1;
        }
    }

    /// Parses a formula without binary operators outside brackets.
    fn prefixed(
        &mut self,
        store: &mut Formulas,
        range: Range<usize>,
        guards: &[GuardSpan],
        depth: usize,
    ) -> Result<Formula, SyntaxError> {
        let token = &self.tokens[range.start];
        if token.kind == TokenKind::Open && self.partners[range.start] + 1 == range.end {
            return self.formula(store, range.start + 1..range.end - 1, guards, depth + 1);
        }
        let operand = range.start + 1..range.end;
        match token.kind {
            TokenKind::Not => self.formula(store, operand, guards, depth + 1).map(|f| store.not(f)),
            TokenKind::Box => {
                self.formula(store, operand, &[], depth + 1).map(|f| store.globally(f))
            }
            TokenKind::Diamond => {
                self.formula(store, operand, &[], depth + 1).map(|f| store.finally(f))
            }
            TokenKind::Prefix => {
                let mut f = self.formula(store, operand, &[], depth + 1)?;
                let letters = &self.text[token.span.clone()];
                if letters.len() + depth > MAX_DEPTH {
                    return Err(self.too_deep(range.start));
                }
                for letter in letters.chars().rev() {
                    f = match letter {
                        'A' => store.for_all_paths(f),
                        'E' => store.exists_path(f),
                        'F' => store.finally(f),
                        'G' => store.globally(f),
                        _ => store.next(f),
                    };
                }
                Ok(f)
            }
            _ => {
                let shown = &self.text[token.span.clone()];
                let message = format!("`{shown}` cannot be applied to a temporal formula");
                let expected = [
                    "a condition",
                    "a temporal operator",
                    "`&&`, `||`, `->` or `<->` between formulas",
                ];
                Err(error(token.span.clone(), message, &expected))
            }
        }
    }

    /// The indices of the tokens outside brackets.
    fn outside(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let mut next = range.start;
        std::iter::from_fn(move || {
            let at = next;
            (at < range.end).then(|| {
                let skipped =
                    if self.tokens[at].kind == TokenKind::Open { self.partners[at] } else { at };
                next = skipped + 1;
                at
            })
        })
    }

    /// The atom in this range, with its guards if its evaluation may fail.
    fn atom(&mut self, store: &mut Formulas, range: Range<usize>, guards: &[GuardSpan]) -> Formula {
        let atom = match self.atom_text(range) {
            AtomText::Constant(true) => return Formula::TRUE,
            AtomText::Constant(false) => return Formula::FALSE,
            AtomText::Atom(atom) => atom,
        };
        let named =
            guards.iter().filter_map(|(guard, truth)| match self.atom_text(guard.clone()) {
                AtomText::Atom(guard) => Some((guard, *truth)),
                AtomText::Constant(_) => None,
            });
        let guards: Vec<(String, bool)> = named.collect();
        if guards.is_empty() || !(self.may_fail)(&atom) {
            return store.atom(&atom);
        }
        let before: String = guards
            .iter()
            .map(|(guard, truth)| format!("{}({guard}) && ", if *truth { "" } else { "!" }))
            .collect();
        let name = format!("{before}({atom})");
        let formula = store.atom(&name);
        self.guarded.push(GuardedAtom { name, atom, guards });
        formula
    }

    /// The text of the atom in this range, without brackets around all of it.
    fn atom_text(&self, mut range: Range<usize>) -> AtomText {
        while range.len() > 2
            && self.tokens[range.start].kind == TokenKind::Open
            && self.partners[range.start] + 1 == range.end
        {
            range = range.start + 1..range.end - 1;
        }
        let span = self.tokens[range.start].span.start..self.tokens[range.end - 1].span.end;
        let text = self.text[span].replace('"', "");
        match text.trim() {
            "true" | "1" => AtomText::Constant(true),
            "false" | "0" => AtomText::Constant(false),
            name => AtomText::Atom(name.to_string()),
        }
    }
}

/// The text of an atom, or a constant.
enum AtomText {
    Constant(bool),
    Atom(String),
}

#[cfg(test)]
mod tests;
