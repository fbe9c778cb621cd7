//! A strict checker of HOA text, written from the specification without code of the library's
//! reader.
//!
//! Stricter than the format: all headers that the writer promises must exist, counts must match,
//! every state must be described exactly once, in order, with explicit edge labels, and acceptance
//! must be on states or on edges as the properties say.

fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut word = String::from(c);
        match c {
            '"' => loop {
                match chars.next().ok_or("unterminated string")? {
                    '"' => break word.push('"'),
                    '\\' => word.push(chars.next().ok_or("unterminated escape")?),
                    c => word.push(c),
                }
            },
            '[' | ']' | '{' | '}' | '&' | '|' | '!' | '(' | ')' => {}
            _ => {
                while let Some(c) =
                    chars.next_if(|c| !c.is_whitespace() && !"[]{}&|!()\"".contains(*c))
                {
                    word.push(c);
                }
            }
        }
        words.push(word);
    }
    Ok(words)
}

struct Words {
    list: Vec<String>,
    at: usize,
}

impl Words {
    fn peek(&self) -> &str {
        self.list.get(self.at).map_or("", String::as_str)
    }

    fn take(&mut self) -> String {
        self.at += 1;
        self.list.get(self.at - 1).cloned().unwrap_or_default()
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        let found = self.take();
        if found == word { Ok(()) } else { Err(format!("expected {word}, found {found}")) }
    }

    fn number(&mut self, below: usize) -> Result<usize, String> {
        let word = self.take();
        let n: usize = word.parse().map_err(|_| format!("expected a number, found {word}"))?;
        if n < below { Ok(n) } else { Err(format!("{n} is not below {below}")) }
    }

    /// A label: a sum of products of literals.
    fn label(&mut self, atoms: usize) -> Result<(), String> {
        loop {
            if self.peek() == "!" {
                self.take();
                self.number(atoms)?;
            } else if matches!(self.peek(), "t" | "f") {
                self.take();
            } else {
                self.number(atoms)?;
            }
            match self.peek() {
                "&" | "|" => self.take(),
                _ => return Ok(()),
            };
        }
    }

    /// An optional acceptance signature. Returns whether there was one.
    fn marks(&mut self, sets: usize) -> Result<bool, String> {
        if self.peek() != "{" {
            return Ok(false);
        }
        self.take();
        let mut last = None;
        while self.peek() != "}" {
            let n = self.number(sets)?;
            if last >= Some(n) {
                return Err("marks are not ascending".into());
            }
            last = Some(n);
        }
        self.take();
        Ok(true)
    }
}

/// Checks that `text` is exactly one well-formed automaton.
pub fn check(text: &str) -> Result<(), String> {
    let mut w = Words { list: words(text)?, at: 0 };
    w.expect("HOA:")?;
    w.expect("v1")?;
    let (mut states, mut atoms, mut sets, mut starts) = (None, None, None, Vec::new());
    let mut properties: Vec<String> = Vec::new();
    let mut acceptance_name = Vec::new();
    loop {
        match w.take().as_str() {
            "--BODY--" => break,
            "name:" => {
                if !w.take().starts_with('"') {
                    return Err("a name is a string".into());
                }
            }
            "tool:" => {
                w.take();
                w.take();
            }
            "States:" => states = Some(w.number(usize::MAX)?),
            "Start:" => starts.push(w.number(usize::MAX)?),
            "AP:" => {
                let n = w.number(usize::MAX)?;
                for _ in 0..n {
                    if !w.take().starts_with('"') {
                        return Err("an atom is a string".into());
                    }
                }
                atoms = Some(n);
            }
            "acc-name:" => {
                while !w.peek().ends_with(':') {
                    acceptance_name.push(w.take());
                }
            }
            "Acceptance:" => {
                let n = w.number(usize::MAX)?;
                if n == 0 {
                    w.expect("t")?;
                }
                for k in 0..n {
                    if k > 0 {
                        w.expect("&")?;
                    }
                    w.expect("Inf")?;
                    w.expect("(")?;
                    w.expect(&k.to_string())?;
                    w.expect(")")?;
                }
                sets = Some(n);
            }
            "properties:" => {
                while w.peek() != "--BODY--" && !w.peek().ends_with(':') {
                    properties.push(w.take());
                }
            }
            other => return Err(format!("unexpected {other}")),
        }
    }
    let states = states.ok_or("no States:")?;
    let atoms = atoms.ok_or("no AP:")?;
    let sets = sets.ok_or("no Acceptance:")?;
    let canonical = match sets {
        0 => vec!["all".to_string()],
        1 => vec!["Buchi".to_string()],
        n => vec!["generalized-Buchi".to_string(), n.to_string()],
    };
    if acceptance_name != canonical {
        return Err(format!("acc-name {acceptance_name:?} for {sets} sets"));
    }
    if starts.is_empty() || starts.iter().any(|q| *q >= states) {
        return Err("bad Start:".into());
    }
    let has = |p: &str| properties.iter().any(|q| q == p);
    if has("state-acc") == has("trans-acc") || !has("trans-labels") || !has("explicit-labels") {
        return Err(format!("contradictory properties {properties:?}"));
    }
    for q in 0..states {
        w.expect("State:")?;
        w.expect(&q.to_string())?;
        if w.marks(sets)? && !has("state-acc") {
            return Err("acceptance on a state".into());
        }
        while w.peek() == "[" {
            w.take();
            w.label(atoms)?;
            w.expect("]")?;
            w.number(states)?;
            if w.marks(sets)? && !has("trans-acc") {
                return Err("acceptance on an edge".into());
            }
        }
    }
    w.expect("--END--")?;
    if w.at == w.list.len() { Ok(()) } else { Err("text after --END--".into()) }
}
