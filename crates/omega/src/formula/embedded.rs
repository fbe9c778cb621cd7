//! Formulas of branching time whose atoms are expressions of another language: `AG (x > 0 -> EF P[0]@done)`.
//!
//! Owns finding out where the atoms are, not what they mean. A stretch of text without a temporal operator or a quantifier is one atom, as large
//! as it can be. The rest is the grammar of [`Syntax::CTL_STAR`](super::Syntax): `->` and `<->` bind weakest, then `||`, `&&`, `U R W M`, and the prefix operators
//! strongest; but since no operator of the other language can stand between temporal formulas, `AF x == 1` is `AF (x == 1)`.
//! A word that is spelled like an operator is a name where no operator can stand (`R[0]@l`, `x == E`, `AG W > 1`: [`name_operands`]), and everywhere
//! in quotes: `"E" && x` has the atom `E && x`.

use super::{Formula, Formulas, SyntaxError};
use std::ops::Range;

/// Formulas nested deeper than this are refused.
const MAX_DEPTH: usize = 500;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Arrow,
    DoubleArrow,
    Or,
    And,
    /// `U`, `R`, `V`, `W` or `M`.
    Until(char),
    Not,
    /// `[]` or `<>`.
    Box,
    Diamond,
    /// A word of the letters `A E F G X`.
    Prefix,
    Open,
    Close,
    /// A part of an atom.
    Other,
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    span: Range<usize>,
}

/// An atom together with the atoms to its left that decide whether its value matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardedAtom {
    /// Its name in the formula.
    pub name: String,
    /// The name of the atom itself.
    pub atom: String,
    /// Where one of these atoms has the other value, that of the guarded one does not matter.
    pub guards: Vec<(String, bool)>,
}

impl Formulas {
    /// Parses a formula of CTL*. Its atoms are named by their text.
    ///
    /// # Errors
    /// The text is not a formula, whatever its atoms may be.
    pub fn parse_embedded(&mut self, text: &str) -> Result<Formula, SyntaxError> {
        self.parse_guarded(text, &|_| false).map(|(formula, _)| formula)
    }

    /// The same; but an atom that `may_fail`, which is to be evaluated only where its value matters, is replaced by
    /// one of its own if others guard it. In `p -> (q && EF r)` that is `(p) && (q)` instead of `q`.
    ///
    /// # Errors
    /// The text is not a formula, whatever its atoms may be.
    pub fn parse_guarded(
        &mut self,
        text: &str,
        may_fail: &dyn Fn(&str) -> bool,
    ) -> Result<(Formula, Vec<GuardedAtom>), SyntaxError> {
        let mut tokens = tokenize(text)?;
        let partners = partners(text, &tokens)?;
        name_operands(text, &mut tokens, &partners);
        let mut guarded = Vec::new();
        let mut reader =
            Reader { text, tokens: &tokens, partners: &partners, may_fail, guarded: &mut guarded };
        let formula = reader.formula(self, 0..tokens.len(), &[], 0)?;
        Ok((formula, guarded))
    }
}

fn error(span: Range<usize>, message: impl Into<String>, expected: &[&'static str]) -> SyntaxError {
    SyntaxError { span, message: message.into(), expected: expected.to_vec() }
}

fn tokenize(text: &str) -> Result<Vec<Token>, SyntaxError> {
    const FIXED: [(&str, Kind); 9] = [
        ("<->", Kind::DoubleArrow),
        ("->", Kind::Arrow),
        ("||", Kind::Or),
        ("&&", Kind::And),
        ("[]", Kind::Box),
        ("<>", Kind::Diamond),
        ("!=", Kind::Other),
        ("==", Kind::Other),
        ("!", Kind::Not),
    ];
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let fixed = FIXED.iter().find(|(spelling, _)| rest.starts_with(spelling));
        let (kind, length) = match c {
            _ if fixed.is_some() => {
                fixed.map_or((Kind::Other, 1), |(spelling, kind)| (*kind, spelling.len()))
            }
            '(' | '[' | '{' => (Kind::Open, 1),
            ')' | ']' | '}' => (Kind::Close, 1),
            '"' => match rest[1..].find('"') {
                Some(length) => (Kind::Other, length + 2),
                None => return Err(error(at..text.len(), "this quotation does not end", &["`\"`"])),
            },
            _ if c.is_alphanumeric() || c == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                // Behind these a name is a label or a field, whatever it looks like.
                let named = tokens.last().is_some_and(|last| {
                    last.span.end == at && matches!(&text[last.span.clone()], "@" | "." | ":")
                });
                (if named { Kind::Other } else { word(&rest[..length]) }, length)
            }
            _ => (Kind::Other, c.len_utf8()),
        };
        tokens.push(Token { kind, span: at..at + length });
        at += length;
    }
    Ok(tokens)
}

fn word(word: &str) -> Kind {
    match word {
        "U" | "R" | "V" | "W" | "M" => Kind::Until(word.chars().next().unwrap_or('U')),
        _ if word.chars().all(|c| "AEFGX".contains(c)) => Kind::Prefix,
        _ => Kind::Other,
    }
}

/// For each bracket, where its partner is.
fn partners(text: &str, tokens: &[Token]) -> Result<Vec<usize>, SyntaxError> {
    let mut partners = vec![0; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let shown = &text[token.span.clone()];
        match token.kind {
            Kind::Open => open.push(place),
            Kind::Close => {
                let Some(partner) = open.pop() else {
                    return Err(error(token.span.clone(), format!("this `{shown}` closes nothing"), &[]));
                };
                let opened = &text[tokens[partner].span.clone()];
                if !matches!((opened, shown), ("(", ")") | ("[", "]") | ("{", "}")) {
                    let message = format!("this `{shown}` does not close the `{opened}` before it");
                    return Err(error(token.span.clone(), message, &["the same kind of bracket"]));
                }
                (partners[place], partners[partner]) = (partner, place);
            }
            _ => {}
        }
    }
    match open.last() {
        Some(&place) => {
            let span = tokens[place].span.clone();
            let message = format!("this `{}` is never closed", &text[span.clone()]);
            Err(error(span, message, &[]))
        }
        None => Ok(partners),
    }
}

/// Finds the words that are spelled like operators but stand where only a name can.
fn name_operands(text: &str, tokens: &mut [Token], partners: &[usize]) {
    // Between two values; a minus or an exclamation mark could begin one.
    const INFIX: [&str; 11] = ["==", "!=", "<", ">", "=", "+", "*", "/", "%", "&", "|"];
    for at in 0..tokens.len() {
        let is_one_of = |place: Option<usize>, list: &[&str]| {
            place
                .and_then(|place| tokens.get(place))
                .is_some_and(|token| list.contains(&&text[token.span.clone()]))
        };
        let kind = |place: Option<usize>| place.and_then(|place| tokens.get(place)).map(|token| token.kind);
        let (before, behind) = (at.checked_sub(1), Some(at + 1));
        let goes_on = |place| is_one_of(place, &["@", ":", "."]) || is_one_of(place, &INFIX);
        let index = is_one_of(behind, &["["]).then(|| partners[at + 1]);
        let can_end = match kind(behind) {
            None | Some(Kind::Close | Kind::Arrow | Kind::DoubleArrow) => true,
            Some(Kind::Or | Kind::And | Kind::Until(_)) => true,
            Some(Kind::Open) => index.is_some(),
            Some(Kind::Other) => goes_on(behind) || is_one_of(behind, &["-", "^", ",", "?"]),
            Some(Kind::Not | Kind::Box | Kind::Diamond | Kind::Prefix) => false,
        };
        let named = match tokens[at].kind {
            // A binary operator has an operand before it, and one behind it.
            Kind::Until(_) => {
                let no_operand = !matches!(kind(before), Some(Kind::Close | Kind::Other));
                can_end && (no_operand || is_one_of(before, &INFIX))
            }
            // A quantifier may have brackets too, but no number alone in them and no operator of values behind them.
            Kind::Prefix => {
                let number = |close: usize| {
                    close == at + 3 && text[tokens[at + 2].span.clone()].chars().all(|c| c.is_ascii_digit())
                };
                can_end && is_one_of(before, &INFIX)
                    || goes_on(behind)
                    || index.is_some_and(|close| number(close) || goes_on(Some(close + 1)))
            }
            _ => false,
        };
        if named {
            tokens[at].kind = Kind::Other;
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    tokens: &'t [Token],
    partners: &'t [usize],
    may_fail: &'t dyn Fn(&str) -> bool,
    guarded: &'t mut Vec<GuardedAtom>,
}

/// A stretch without a temporal operator, and the value that it has wherever what it guards matters.
type Guard = (Range<usize>, bool);

impl Reader<'_> {
    fn too_deep(&self, at: usize) -> SyntaxError {
        let message = format!("the formula is nested deeper than {MAX_DEPTH} levels");
        error(self.tokens[at].span.clone(), message, &[])
    }

    fn formula(
        &mut self,
        store: &mut Formulas,
        range: Range<usize>,
        guards: &[Guard],
        depth: usize,
    ) -> Result<Formula, SyntaxError> {
        if range.is_empty() {
            let at = range.start.checked_sub(1).map_or(0, |before| self.tokens[before].span.end);
            return Err(error(at..at, "a formula is missing", &["a condition", "a temporal formula"]));
        }
        if depth > MAX_DEPTH {
            return Err(self.too_deep(range.start));
        }
        if self.is_condition(&range) {
            return Ok(self.atom(store, range, guards));
        }
        let Some(at) = self.operator(&range) else { return self.prefixed(store, range, guards, depth) };
        let (left, right) = (range.start..at, at + 1..range.end);
        let (before, behind) = match self.tokens[at].kind {
            Kind::Arrow | Kind::And => (guards, self.with_facts(guards, &left, true)),
            Kind::Or => (guards, self.with_facts(guards, &left, false)),
            Kind::DoubleArrow => (guards, guards.to_vec()),
            // The others speak of other states too.
            _ => (&[][..], Vec::new()),
        };
        let left = self.formula(store, left, before, depth + 1)?;
        let right = self.formula(store, right, &behind, depth + 1)?;
        Ok(match self.tokens[at].kind {
            Kind::Arrow => store.implies(left, right),
            Kind::DoubleArrow => store.iff(left, right),
            Kind::Or => store.or(left, right),
            Kind::And => store.and(left, right),
            Kind::Until('U') => store.until(left, right),
            Kind::Until('W') => store.weak_until(left, right),
            Kind::Until('M') => store.strong_release(left, right),
            _ => store.release(left, right),
        })
    }

    /// Is there no temporal operator in it?
    fn is_condition(&self, range: &Range<usize>) -> bool {
        let temporal = |kind| matches!(kind, Kind::Until(_) | Kind::Box | Kind::Diamond | Kind::Prefix);
        !self.tokens[range.clone()].iter().any(|token| temporal(token.kind))
    }

    /// Where the binary operator is that binds weakest, outside of brackets.
    fn operator(&self, range: &Range<usize>) -> Option<usize> {
        let first = |wanted: &dyn Fn(Kind) -> bool| {
            self.outside(range.clone()).find(|&at| wanted(self.tokens[at].kind))
        };
        let ranks: [&dyn Fn(Kind) -> bool; 4] = [
            &|kind| matches!(kind, Kind::Arrow | Kind::DoubleArrow),
            &|kind| kind == Kind::Or,
            &|kind| kind == Kind::And,
            &|kind| matches!(kind, Kind::Until(_)),
        ];
        ranks.into_iter().find_map(first)
    }

    /// The guards, and those that follow from a stretch having the value `truth`.
    fn with_facts(&self, guards: &[Guard], range: &Range<usize>, truth: bool) -> Vec<Guard> {
        let mut facts = guards.to_vec();
        self.add_facts(range.clone(), truth, &mut facts);
        facts
    }

    fn add_facts(&self, mut range: Range<usize>, mut truth: bool, facts: &mut Vec<Guard>) {
        while !range.is_empty() {
            if self.is_condition(&range) {
                return facts.push((range, truth));
            }
            let Some(at) = self.operator(&range) else {
                match self.tokens[range.start].kind {
                    Kind::Not => truth = !truth,
                    Kind::Open if self.partners[range.start] + 1 == range.end => range.end -= 1,
                    _ => return,
                }
                range.start += 1;
                continue;
            };
            let left = match (self.tokens[at].kind, truth) {
                (Kind::And, true) | (Kind::Arrow, false) => true,
                (Kind::Or, false) => false,
                _ => return,
            };
            self.add_facts(range.start..at, left, facts);
            range.start = at + 1;
        }
    }

    /// A formula without binary operators outside of brackets.
    fn prefixed(
        &mut self,
        store: &mut Formulas,
        range: Range<usize>,
        guards: &[Guard],
        depth: usize,
    ) -> Result<Formula, SyntaxError> {
        let token = &self.tokens[range.start];
        if token.kind == Kind::Open && self.partners[range.start] + 1 == range.end {
            return self.formula(store, range.start + 1..range.end - 1, guards, depth + 1);
        }
        let operand = range.start + 1..range.end;
        match token.kind {
            Kind::Not => self.formula(store, operand, guards, depth + 1).map(|f| store.not(f)),
            Kind::Box => self.formula(store, operand, &[], depth + 1).map(|f| store.globally(f)),
            Kind::Diamond => self.formula(store, operand, &[], depth + 1).map(|f| store.finally(f)),
            Kind::Prefix => {
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
                let expected =
                    ["a condition", "a temporal operator", "`&&`, `||`, `->` or `<->` between formulas"];
                Err(error(token.span.clone(), message, &expected))
            }
        }
    }

    /// The places outside of brackets.
    fn outside(&self, range: Range<usize>) -> impl Iterator<Item = usize> + '_ {
        let mut next = range.start;
        std::iter::from_fn(move || {
            let at = next;
            (at < range.end).then(|| {
                let skipped = if self.tokens[at].kind == Kind::Open { self.partners[at] } else { at };
                next = skipped + 1;
                at
            })
        })
    }

    /// The atom in this range, with its guards if it needs them.
    fn atom(&mut self, store: &mut Formulas, range: Range<usize>, guards: &[Guard]) -> Formula {
        let atom = match self.condition(range) {
            Condition::Constant(true) => return Formula::TRUE,
            Condition::Constant(false) => return Formula::FALSE,
            Condition::Atom(atom) => atom,
        };
        let named = guards.iter().filter_map(|(guard, truth)| match self.condition(guard.clone()) {
            Condition::Atom(guard) => Some((guard, *truth)),
            Condition::Constant(_) => None,
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

    /// The condition in this range, without brackets around all of it.
    fn condition(&self, mut range: Range<usize>) -> Condition {
        while range.len() > 2
            && self.tokens[range.start].kind == Kind::Open
            && self.partners[range.start] + 1 == range.end
        {
            range = range.start + 1..range.end - 1;
        }
        let span = self.tokens[range.start].span.start..self.tokens[range.end - 1].span.end;
        let text = self.text[span].replace('"', "");
        match text.trim() {
            "true" | "1" => Condition::Constant(true),
            "false" | "0" => Condition::Constant(false),
            name => Condition::Atom(name.to_string()),
        }
    }
}

enum Condition {
    Constant(bool),
    Atom(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::Spelling;

    fn read(text: &str) -> String {
        let mut store = Formulas::new();
        match store.parse_embedded(text) {
            Ok(f) => store.display(f, Spelling::Spot).to_string(),
            Err(error) => format!("{}..{}: {}", error.span.start, error.span.end, error.message),
        }
    }

    #[test]
    fn atoms_are_as_large_as_they_can_be() {
        assert_eq!(read("AG (x > 0 && y -> EF P[0]@done)"), "A G (\"x > 0 && y\" -> E F \"P[0]@done\")");
        assert_eq!(read("AF x == 1"), "A F \"x == 1\"");
        assert_eq!(read("EF(a[i] + (2)) == 3 || AG p"), "E F \"(a[i] + (2)) == 3\" | A G p");
        assert_eq!(read("p -> q"), "\"p -> q\"");
        assert_eq!(read("AGEF p"), "A G E F p");
        assert_eq!(read("A[p U q && !EX r] && E [] <> s"), "A (p U q & !E X r) & E G F s");
        assert_eq!(read("A G (P@G -> \"E\" == 1)"), "A G \"P@G -> E == 1\"");
        assert_eq!(read("EX true"), "E X true");
    }

    #[test]
    fn an_atom_that_may_fail_keeps_its_guards() {
        let read = |text: &str| {
            let mut store = Formulas::new();
            let (f, guarded) =
                store.parse_guarded(text, &|atom| atom.starts_with('q')).expect("it is a formula");
            (store.display(f, Spelling::Spot).to_string(), guarded)
        };
        let name = |text: &str| read(text).0;
        assert_eq!(name("AG (p -> (q && EF r))"), "A G (p -> \"(p) && (q)\" & E F r)");
        assert_eq!(name("p && q && EF r"), "p & \"(p) && (q)\" & E F r");
        assert_eq!(name("EF r || p || q"), "E F r | \"p || q\"");
        assert_eq!(name("(EF r || p) || q"), "E F r | p | \"!(p) && (q)\"");
        assert_eq!(name("!(p -> EF r) && q"), "!(p -> E F r) & \"(p) && (q)\"");
        // Nothing guards it: it stands first, beside another truth value, or speaks of other states.
        assert_eq!(name("q && EF r && p"), "q & E F r & p");
        assert_eq!(name("p <-> (q && EF r)"), "p <-> q & E F r");
        assert_eq!(name("p && EF q"), "p & E F q");
        assert_eq!(name("true && (q && EF r)"), "q & E F r");
        let guards = vec![("p".to_string(), true), ("s".to_string(), false)];
        let (_, guarded) = read("AG (p -> (s || EF r || q))");
        assert_eq!(guarded, [GuardedAtom { name: "(p) && !(s) && (q)".into(), atom: "q".into(), guards }]);
    }

    /// Types of processes are called like operators more often than not.
    #[test]
    fn where_no_operator_can_stand_a_word_is_a_name() {
        for letter in ["A", "E", "F", "G", "X", "U", "R", "V", "W", "M"] {
            for atom in [
                "_[0]@l",
                "_@l",
                "_:x",
                "_[1]:x == 2",
                "_ == 1",
                "1 == _",
                "_[x] > 1",
                "_.f",
                "x + _",
                "_ + 1",
                "x < _[0]",
            ] {
                let atom = atom.replace('_', letter);
                assert_eq!(read(&format!("A G {atom}")), format!("A G \"{atom}\""));
                assert_eq!(read(&format!("A[p U {atom}]")), format!("A (p U \"{atom}\")"));
                assert_eq!(read(&format!("A[{atom} U p]")), format!("A (\"{atom}\" U p)"));
            }
            let both = format!("x && {letter}[0]@l && {letter}[1]@l");
            assert_eq!(read(&format!("A G ({both})")), format!("A G \"{both}\""));
            assert_eq!(read(&format!("EX (_moved({letter}[1]))")), format!("E X \"_moved({letter}[1])\""));
        }
        assert_eq!(read("AG (R -> EF W)"), "A G (\"R\" -> E F \"W\")");
        assert_eq!(read("A[R R R]"), "A (\"R\" R \"R\")");
        assert_eq!(read("A[p U q] && E[1 U q]"), "A (p U q) & E (true U q)");
        assert_eq!(read("AG (p && U q)"), "8..8: a formula is missing");
    }

    #[test]
    fn operators_group_as_in_the_other_grammar() {
        assert_eq!(read("AG p -> EF q -> EX r"), "A G p -> (E F q -> E X r)");
        assert_eq!(read("!EF p && AG q || EX r"), "!E F p & A G q | E X r");
        assert_eq!(read("A(p U q U r)"), "A (p U (q U r))");
    }

    #[test]
    fn errors_point_at_the_culprit() {
        assert_eq!(read(""), "0..0: a formula is missing");
        assert_eq!(read("AG"), "2..2: a formula is missing");
        assert_eq!(read("AG (p"), "3..4: this `(` is never closed");
        assert_eq!(read("AG p)"), "4..5: this `)` closes nothing");
        assert_eq!(read("AG (p]"), "5..6: this `]` does not close the `(` before it");
        assert_eq!(read("1 + EF p"), "0..1: `1` cannot be applied to a temporal formula");
        assert_eq!(read("AG \"p"), "3..5: this quotation does not end");
        assert!(read(&"!".repeat(20_000)).contains('!'));
        assert!(read(&format!("{}EF p", "!".repeat(20_000))).contains("nested deeper"));
        assert!(read(&format!("{}EF p{}", "(".repeat(20_000), ")".repeat(20_000))).contains("nested deeper"));
        assert!(read(&"AG p -> ".repeat(20_000)).contains("nested deeper"));
        assert!(read(&format!("{} p", "A".repeat(20_000))).contains("nested deeper"));
    }
}
