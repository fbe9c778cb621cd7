//! The streaming reader: one automaton after the other from any source of bytes.
//!
//! Owns the grammar and the rules that go with it: headers that must be there once, aliases defined before use, no
//! mixture of state and edge labels. Automata broken off by `--ABORT--` are passed over.

use super::lexer::{Lexer, Token};
use super::{Condition, HoaAutomaton, HoaEdge, HoaError, HoaState, Label, Value};
use rapidhash::RapidHashMap;
use std::io::BufRead;

/// Expressions nested deeper than this are refused.
const MAX_DEPTH: usize = 1000;

/// Reads automata from a stream; an iterator over them.
#[allow(missing_debug_implementations)] // The source need not have one.
pub struct Reader<R> {
    lexer: Lexer<R>,
    token: Token,
    failed: bool,
    aborted: usize,
}

impl<R: BufRead> Reader<R> {
    /// A reader of `input`.
    pub fn new(input: R) -> Self {
        Reader { lexer: Lexer::new(input), token: Token::End, failed: false, aborted: 0 }
    }

    /// Number of automata passed over because they were broken off by `--ABORT--`.
    pub fn aborted(&self) -> usize {
        self.aborted
    }

    fn advance(&mut self) -> Result<Token, HoaError> {
        let next = self.lexer.token()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, HoaError> {
        Err(self.lexer.error(message))
    }

    fn integer(&mut self, what: &str) -> Result<u32, HoaError> {
        match self.token {
            Token::Integer(n) => {
                self.advance()?;
                Ok(n)
            }
            _ => self.error(format!("expected {what}, a number")),
        }
    }

    fn string(&mut self, what: &str) -> Result<String, HoaError> {
        match self.token.clone() {
            Token::String(s) => {
                self.advance()?;
                Ok(s)
            }
            _ => self.error(format!("expected {what}, a string")),
        }
    }

    fn is(&self, c: char) -> bool {
        self.token == Token::Punctuation(c)
    }

    fn expect(&mut self, c: char) -> Result<(), HoaError> {
        if !self.is(c) {
            return self.error(format!("expected `{c}`"));
        }
        self.advance()?;
        Ok(())
    }

    fn state_conjunction(&mut self) -> Result<Vec<u32>, HoaError> {
        let mut list = vec![self.integer("a state")?];
        while self.is('&') {
            self.advance()?;
            list.push(self.integer("a state")?);
        }
        Ok(list)
    }

    fn marks(&mut self) -> Result<Vec<u32>, HoaError> {
        let mut marks = Vec::new();
        if self.is('{') {
            self.advance()?;
            while !self.is('}') {
                marks.push(self.integer("an acceptance set")?);
            }
            self.advance()?;
        }
        Ok(marks)
    }

    fn label(&mut self, aliases: &RapidHashMap<String, Label>, depth: usize) -> Result<Label, HoaError> {
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

    fn label_atom(&mut self, aliases: &RapidHashMap<String, Label>, depth: usize) -> Result<Label, HoaError> {
        if depth > MAX_DEPTH {
            return self.error("this label is nested too deeply");
        }
        match self.token.clone() {
            Token::Punctuation('!') => {
                self.advance()?;
                Ok(Label::Not(self.label_atom(aliases, depth + 1)?.into()))
            }
            Token::Punctuation('(') => {
                self.advance()?;
                let inner = self.label(aliases, depth + 1)?;
                self.expect(')')?;
                Ok(inner)
            }
            Token::Integer(n) => {
                self.advance()?;
                Ok(Label::Atom(n))
            }
            Token::Identifier(word) if word == "t" || word == "f" => {
                self.advance()?;
                Ok(Label::Constant(word == "t"))
            }
            Token::Alias(name) => match aliases.get(&name) {
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

    fn bracketed_label(&mut self, aliases: &RapidHashMap<String, Label>) -> Result<Option<Label>, HoaError> {
        if !self.is('[') {
            return Ok(None);
        }
        self.advance()?;
        let label = self.label(aliases, 0)?;
        self.expect(']')?;
        Ok(Some(label))
    }

    fn condition(&mut self, depth: usize) -> Result<Condition, HoaError> {
        let mut left = self.condition_conjunction(depth)?;
        while self.is('|') {
            self.advance()?;
            let right = self.condition_conjunction(depth)?;
            left = Condition::Or(left.into(), right.into());
        }
        Ok(left)
    }

    fn condition_conjunction(&mut self, depth: usize) -> Result<Condition, HoaError> {
        let mut left = self.condition_atom(depth)?;
        while self.is('&') {
            self.advance()?;
            let right = self.condition_atom(depth)?;
            left = Condition::And(left.into(), right.into());
        }
        Ok(left)
    }

    fn condition_atom(&mut self, depth: usize) -> Result<Condition, HoaError> {
        if depth > MAX_DEPTH {
            return self.error("this acceptance condition is nested too deeply");
        }
        match self.token.clone() {
            Token::Punctuation('(') => {
                self.advance()?;
                let inner = self.condition(depth + 1)?;
                self.expect(')')?;
                Ok(inner)
            }
            Token::Identifier(word) if word == "t" || word == "f" => {
                self.advance()?;
                Ok(Condition::Constant(word == "t"))
            }
            Token::Identifier(word) if word == "Inf" || word == "Fin" => {
                self.advance()?;
                self.expect('(')?;
                let negated = self.is('!');
                if negated {
                    self.advance()?;
                }
                let set = self.integer("an acceptance set")?;
                self.expect(')')?;
                Ok(if word == "Inf" { Condition::Inf(set, negated) } else { Condition::Fin(set, negated) })
            }
            _ => self.error("expected `Inf(…)`, `Fin(…)`, `t`, `f` or `(`"),
        }
    }

    fn values(&mut self) -> Result<Vec<Value>, HoaError> {
        let mut values = Vec::new();
        loop {
            values.push(match self.token.clone() {
                Token::Integer(n) => Value::Integer(n),
                Token::String(s) => Value::String(s),
                Token::Identifier(w) if w == "t" || w == "f" => Value::Boolean(w == "t"),
                Token::Identifier(w) => Value::Identifier(w),
                _ => return Ok(values),
            });
            self.advance()?;
        }
    }

    /// Reads one automaton; the token at hand is its `HOA:`. Nothing if it was broken off.
    fn automaton(&mut self) -> Result<Option<HoaAutomaton>, HoaError> {
        let mut aliases: RapidHashMap<String, Label> = RapidHashMap::default();
        let mut state_count = None;
        let mut acceptance = None;
        let mut atoms: Option<Vec<String>> = None;
        let mut result = HoaAutomaton {
            version: String::new(),
            name: None,
            tool: None,
            atoms: Vec::new(),
            start: Vec::new(),
            acceptance_sets: 0,
            condition: Condition::Constant(true),
            acceptance_name: None,
            properties: Vec::new(),
            headers: Vec::new(),
            states: Vec::new(),
        };
        if self.token != Token::Header("HOA".into()) {
            return self.error("an automaton starts with `HOA:`");
        }
        self.advance()?;
        match self.advance()? {
            Token::Identifier(version) if version == "v1" || version.starts_with("v1-") => {
                result.version = version;
            }
            _ => return self.error("this reader knows version `v1` of the format only"),
        }
        loop {
            match self.token.clone() {
                Token::Marker(m) if m == "--ABORT--" => return Ok(None),
                Token::Marker(m) if m == "--BODY--" => break,
                Token::Header(_) => {}
                _ => return self.error("expected a header line or `--BODY--`"),
            }
            let Token::Header(header) = self.advance()? else { unreachable!("just matched") };
            let twice = match header.as_str() {
                "States" => state_count.replace(self.integer("the number of states")?).is_some(),
                "Start" => {
                    let conjunction = self.state_conjunction()?;
                    result.start.push(conjunction);
                    false
                }
                "AP" => {
                    let count = self.integer("the number of atoms")?;
                    let mut names = Vec::new();
                    while let Token::String(_) = self.token {
                        names.push(self.string("an atom")?);
                    }
                    if names.len() != count as usize {
                        return self.error(format!("{count} atoms announced, {} named", names.len()));
                    }
                    atoms.replace(names).is_some()
                }
                "Alias" => {
                    let Token::Alias(name) = self.advance()? else {
                        return self.error("expected the name of the alias, `@…`");
                    };
                    let label = self.label(&aliases, 0)?;
                    aliases.insert(name, label).is_some()
                }
                "Acceptance" => {
                    let sets = self.integer("the number of acceptance sets")?;
                    let condition = self.condition(0)?;
                    acceptance.replace((sets, condition)).is_some()
                }
                "acc-name" => {
                    let Token::Identifier(name) = self.advance()? else {
                        return self.error("expected the name of the acceptance condition");
                    };
                    let values = self.values()?;
                    result.acceptance_name.replace((name, values)).is_some()
                }
                "tool" => {
                    let tool = self.string("the name of the tool")?;
                    let version = if let Token::String(_) = self.token {
                        Some(self.string("a version")?)
                    } else {
                        None
                    };
                    result.tool.replace((tool, version)).is_some()
                }
                "name" => {
                    let name = self.string("the name of the automaton")?;
                    result.name.replace(name).is_some()
                }
                "properties" => {
                    while let Token::Identifier(word) = self.token.clone() {
                        result.properties.push(word);
                        self.advance()?;
                    }
                    false
                }
                // A capital announces something that changes the meaning; it must not be ignored.
                other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    return self.error(format!("unknown header `{other}:`, which may change the meaning"));
                }
                _ => {
                    let values = self.values()?;
                    result.headers.push((header.clone(), values));
                    false
                }
            };
            if twice {
                return self.error(format!("`{header}:` is given twice"));
            }
        }
        let Some((sets, condition)) = acceptance else {
            return self.error("the header lacks `Acceptance:`");
        };
        result.acceptance_sets = sets;
        result.condition = condition;
        result.atoms = atoms.unwrap_or_default();
        self.advance()?;
        if !self.body(&mut result, &aliases, state_count)? {
            return Ok(None);
        }
        Ok(Some(result))
    }

    /// Reads the body; false if it was broken off.
    fn body(
        &mut self,
        result: &mut HoaAutomaton,
        aliases: &RapidHashMap<String, Label>,
        state_count: Option<u32>,
    ) -> Result<bool, HoaError> {
        let mut states: RapidHashMap<u32, HoaState> = RapidHashMap::default();
        let mut highest = result.start.iter().flatten().copied().max();
        loop {
            match self.token.clone() {
                Token::Marker(m) if m == "--END--" => break,
                Token::Marker(m) if m == "--ABORT--" => return Ok(false),
                Token::Header(h) if h == "State" => {}
                Token::End => return self.error("the automaton does not end: `--END--` is missing"),
                _ => return self.error("expected `State:` or `--END--`"),
            }
            self.advance()?;
            let label = self.bracketed_label(aliases)?;
            let number = self.integer("a state")?;
            let name = if let Token::String(_) = self.token { Some(self.string("a name")?) } else { None };
            let marks = self.marks()?;
            let mut edges = Vec::new();
            while self.is('[') || matches!(self.token, Token::Integer(_)) {
                let label = self.bracketed_label(aliases)?;
                let targets = self.state_conjunction()?;
                highest = highest.max(targets.iter().copied().max());
                let marks = self.marks()?;
                edges.push(HoaEdge { label, targets, marks });
            }
            if label.is_some() && edges.iter().any(|e| e.label.is_some()) {
                return self.error(format!("state {number} and its edges both have labels"));
            }
            let labelled = edges.iter().filter(|e| e.label.is_some()).count();
            if labelled != 0 && labelled != edges.len() {
                return self.error(format!("state {number} has edges with and without labels"));
            }
            highest = highest.max(Some(number));
            let state = HoaState { label, name, marks, edges };
            if states.insert(number, state).is_some() {
                return self.error(format!("state {number} is described twice"));
            }
        }
        let count = match (state_count, highest) {
            (Some(n), Some(h)) if h >= n => {
                return self.error(format!("there is no state {h}: `States:` says {n}"));
            }
            (Some(n), _) => n,
            (None, h) => h.map_or(0, |h| h + 1),
        };
        // The number of states is a claim of the text; only described ones may cost memory.
        if count as usize > states.len().saturating_mul(4) + 4096 {
            return self.error(format!("{count} states announced, {} described", states.len()));
        }
        result.states = (0..count).map(|q| states.remove(&q).unwrap_or_default()).collect();
        Ok(true)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<HoaAutomaton, HoaError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.failed {
                return None;
            }
            // After `--END--` the next token is not fetched before it is asked for: a pipe may still be silent.
            if let Err(e) = self.advance() {
                self.failed = true;
                return Some(Err(e));
            }
            if self.token == Token::End {
                return None;
            }
            match self.automaton() {
                Ok(Some(automaton)) => return Some(Ok(automaton)),
                Ok(None) => self.aborted += 1,
                Err(e) => {
                    self.failed = true;
                    return Some(Err(e));
                }
            }
        }
    }
}
