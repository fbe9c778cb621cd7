//! The streaming reader: one automaton after another from any source of bytes.
//!
//! Owns the grammar of headers and bodies and its side conditions: mandatory headers occur once,
//! aliases are defined before use, state and edge labels are not mixed. Automata that end with
//! `--ABORT--` are skipped.

use super::lexer::{HoaLexer, HoaToken};
use super::{AcceptanceCondition, HeaderValue, HoaAutomaton, HoaEdge, HoaError, HoaState, Label};
use rapidhash::RapidHashMap;
use std::io::BufRead;

/// Reads automata from a stream; an iterator over them.
#[allow(missing_debug_implementations)] // `R` need not implement `Debug`.
pub struct Reader<R> {
    lexer: HoaLexer<R>,
    pub(super) token: HoaToken,
    failed: bool,
    aborted: usize,
}

impl<R: BufRead> Reader<R> {
    /// A reader of `input`.
    pub fn new(input: R) -> Self {
        Reader { lexer: HoaLexer::new(input), token: HoaToken::End, failed: false, aborted: 0 }
    }

    /// The number of automata skipped because of `--ABORT--`.
    pub fn aborted(&self) -> usize {
        self.aborted
    }

    pub(super) fn advance(&mut self) -> Result<HoaToken, HoaError> {
        let next = self.lexer.token()?;
        Ok(std::mem::replace(&mut self.token, next))
    }

    pub(super) fn error<T>(&self, message: impl Into<String>) -> Result<T, HoaError> {
        Err(self.lexer.error(message))
    }

    pub(super) fn integer(&mut self, what: &str) -> Result<u32, HoaError> {
        match self.token {
            HoaToken::Integer(n) => {
                self.advance()?;
                Ok(n)
            }
            _ => self.error(format!("expected {what}, a number")),
        }
    }

    fn string(&mut self, what: &str) -> Result<String, HoaError> {
        match self.token.clone() {
            HoaToken::String(s) => {
                self.advance()?;
                Ok(s)
            }
            _ => self.error(format!("expected {what}, a string")),
        }
    }

    pub(super) fn is(&self, c: char) -> bool {
        self.token == HoaToken::Punctuation(c)
    }

    pub(super) fn expect(&mut self, c: char) -> Result<(), HoaError> {
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

    fn values(&mut self) -> Result<Vec<HeaderValue>, HoaError> {
        let mut values = Vec::new();
        loop {
            values.push(match self.token.clone() {
                HoaToken::Integer(n) => HeaderValue::Integer(n),
                HoaToken::String(s) => HeaderValue::String(s),
                HoaToken::Identifier(w) if w == "t" || w == "f" => HeaderValue::Boolean(w == "t"),
                HoaToken::Identifier(w) => HeaderValue::Identifier(w),
                _ => return Ok(values),
            });
            self.advance()?;
        }
    }

    /// Reads one automaton; the current token is its `HOA:`. `None` if it ends with `--ABORT--`.
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
            condition: AcceptanceCondition::Constant(true),
            acceptance_name: None,
            properties: Vec::new(),
            headers: Vec::new(),
            states: Vec::new(),
        };
        if self.token != HoaToken::Header("HOA".into()) {
            return self.error("an automaton starts with `HOA:`");
        }
        self.advance()?;
        match self.advance()? {
            HoaToken::Identifier(version) if version == "v1" || version.starts_with("v1-") => {
                result.version = version;
            }
            _ => return self.error("this reader supports only version `v1` of the format"),
        }
        loop {
            match self.token.clone() {
                HoaToken::Marker(m) if m == "--ABORT--" => return Ok(None),
                HoaToken::Marker(m) if m == "--BODY--" => break,
                HoaToken::Header(_) => {}
                _ => return self.error("expected a header line or `--BODY--`"),
            }
            let HoaToken::Header(header) = self.advance()? else { unreachable!("just matched") };
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
                    while let HoaToken::String(_) = self.token {
                        names.push(self.string("an atom")?);
                    }
                    if names.len() != count as usize {
                        return self
                            .error(format!("{count} atoms announced, {} named", names.len()));
                    }
                    atoms.replace(names).is_some()
                }
                "Alias" => {
                    let HoaToken::Alias(name) = self.advance()? else {
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
                    let HoaToken::Identifier(name) = self.advance()? else {
                        return self.error("expected the name of the acceptance condition");
                    };
                    let values = self.values()?;
                    result.acceptance_name.replace((name, values)).is_some()
                }
                "tool" => {
                    let tool = self.string("the name of the tool")?;
                    let version = if let HoaToken::String(_) = self.token {
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
                    while let HoaToken::Identifier(word) = self.token.clone() {
                        result.properties.push(word);
                        self.advance()?;
                    }
                    false
                }
                // A header with a capital letter may change the semantics, so it must not be
                // ignored.
                other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    return self.error(format!(
                        "unknown header `{other}:`, which may change the semantics"
                    ));
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

    /// Reads the body. Returns false if it ends with `--ABORT--`.
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
                HoaToken::Marker(m) if m == "--END--" => break,
                HoaToken::Marker(m) if m == "--ABORT--" => return Ok(false),
                HoaToken::Header(h) if h == "State" => {}
                HoaToken::End => {
                    return self.error("the automaton does not end: `--END--` is missing");
                }
                _ => return self.error("expected `State:` or `--END--`"),
            }
            self.advance()?;
            let label = self.bracketed_label(aliases)?;
            let number = self.integer("a state")?;
            let name = if let HoaToken::String(_) = self.token {
                Some(self.string("a name")?)
            } else {
                None
            };
            let marks = self.marks()?;
            let mut edges = Vec::new();
            while self.is('[') || matches!(self.token, HoaToken::Integer(_)) {
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
        // The announced number of states is untrusted: memory is allocated for described states.
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
            // The token after `--END--` is read only now: reading it earlier could block on a pipe.
            if let Err(e) = self.advance() {
                self.failed = true;
                return Some(Err(e));
            }
            if self.token == HoaToken::End {
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
