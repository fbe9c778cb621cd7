//! Reads the two expression languages of the format: labels and acceptance conditions.

use super::lexer::HoaToken;
use super::reader::Reader;
use super::{AcceptanceCondition, HoaError, Label};
use rapidhash::RapidHashMap;
use std::io::BufRead;

/// The reader rejects deeper nesting, so that recursion cannot exhaust the stack.
const MAX_DEPTH: usize = 1000;

impl<R: BufRead> Reader<R> {
    pub(super) fn label(
        &mut self,
        aliases: &RapidHashMap<String, Label>,
        depth: usize,
    ) -> Result<Label, HoaError> {
        let mut left = self.label_conjunction(aliases, depth)?;
        while self.is('|') {
            self.advance()?;
            let right = self.label_conjunction(aliases, depth)?;
            left = Label::Or(left.into(), right.into());
        }
        Ok(left)
    }

    fn label_conjunction(
        &mut self,
        aliases: &RapidHashMap<String, Label>,
        depth: usize,
    ) -> Result<Label, HoaError> {
        let mut left = self.label_atom(aliases, depth)?;
        while self.is('&') {
            self.advance()?;
            let right = self.label_atom(aliases, depth)?;
            left = Label::And(left.into(), right.into());
        }
        Ok(left)
    }

    fn label_atom(
        &mut self,
        aliases: &RapidHashMap<String, Label>,
        depth: usize,
    ) -> Result<Label, HoaError> {
        if depth > MAX_DEPTH {
            return self.error("this label is nested too deeply");
        }
        match self.token.clone() {
            HoaToken::Punctuation('!') => {
                self.advance()?;
                Ok(Label::Not(self.label_atom(aliases, depth + 1)?.into()))
            }
            HoaToken::Punctuation('(') => {
                self.advance()?;
                let inner = self.label(aliases, depth + 1)?;
                self.expect(')')?;
                Ok(inner)
            }
            HoaToken::Integer(n) => {
                self.advance()?;
                Ok(Label::Atom(n))
            }
            HoaToken::Identifier(word) if word == "t" || word == "f" => {
                self.advance()?;
                Ok(Label::Constant(word == "t"))
            }
            HoaToken::Alias(name) => match aliases.get(&name) {
                Some(label) => {
                    let label = label.clone();
                    self.advance()?;
                    Ok(label)
                }
                None => self.error(format!("alias `@{name}` is used before it is defined")),
            },
            _ => self.error("expected a label: an atom's number, an alias, `t`, `f`, `!` or `(`"),
        }
    }

    pub(super) fn bracketed_label(
        &mut self,
        aliases: &RapidHashMap<String, Label>,
    ) -> Result<Option<Label>, HoaError> {
        if !self.is('[') {
            return Ok(None);
        }
        self.advance()?;
        let label = self.label(aliases, 0)?;
        self.expect(']')?;
        Ok(Some(label))
    }

    pub(super) fn condition(&mut self, depth: usize) -> Result<AcceptanceCondition, HoaError> {
        let mut left = self.condition_conjunction(depth)?;
        while self.is('|') {
            self.advance()?;
            let right = self.condition_conjunction(depth)?;
            left = AcceptanceCondition::Or(left.into(), right.into());
        }
        Ok(left)
    }

    fn condition_conjunction(&mut self, depth: usize) -> Result<AcceptanceCondition, HoaError> {
        let mut left = self.condition_atom(depth)?;
        while self.is('&') {
            self.advance()?;
            let right = self.condition_atom(depth)?;
            left = AcceptanceCondition::And(left.into(), right.into());
        }
        Ok(left)
    }

    fn condition_atom(&mut self, depth: usize) -> Result<AcceptanceCondition, HoaError> {
        if depth > MAX_DEPTH {
            return self.error("this acceptance condition is nested too deeply");
        }
        match self.token.clone() {
            HoaToken::Punctuation('(') => {
                self.advance()?;
                let inner = self.condition(depth + 1)?;
                self.expect(')')?;
                Ok(inner)
            }
            HoaToken::Identifier(word) if word == "t" || word == "f" => {
                self.advance()?;
                Ok(AcceptanceCondition::Constant(word == "t"))
            }
            HoaToken::Identifier(word) if word == "Inf" || word == "Fin" => {
                self.advance()?;
                self.expect('(')?;
                let negated = self.is('!');
                if negated {
                    self.advance()?;
                }
                let set = self.integer("an acceptance set")?;
                self.expect(')')?;
                Ok(if word == "Inf" {
                    AcceptanceCondition::Inf(set, negated)
                } else {
                    AcceptanceCondition::Fin(set, negated)
                })
            }
            _ => self.error("expected `Inf(…)`, `Fin(…)`, `t`, `f` or `(`"),
        }
    }
}
