//! Formula to text, in Spot's or in SPIN's spelling.
//!
//! Prints as few parentheses as Spot's grammar needs, and all of them for SPIN, whose precedence is
//! unusual. The output parses back to the same formula.

use super::{Formula, Formulas, Node};
use std::fmt;

/// How operators are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Spelling {
    /// `G F p & (q U r)`.
    #[default]
    Spot,
    /// `([](<>(p))) && (q U r)`; `W` and `M` are expanded, because SPIN's `-f` has neither.
    Spin,
}

/// Prints a formula; see [`Formulas::display`].
#[derive(Debug)]
pub struct DisplayFormula<'a> {
    store: &'a Formulas,
    formula: Formula,
    spelling: Spelling,
}

impl Formulas {
    /// Prints `formula` in the given spelling.
    pub fn display(&self, formula: Formula, spelling: Spelling) -> DisplayFormula<'_> {
        DisplayFormula { store: self, formula, spelling }
    }
}

impl fmt::Display for DisplayFormula<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.spelling {
            Spelling::Spot => spot(self.store, self.formula, 0, out),
            Spelling::Spin => spin(self.store, self.formula, out),
        }
    }
}

/// Writes the name of an atom, quoted unless it is a single word.
pub(crate) fn write_atom(name: &str, out: &mut impl fmt::Write) -> fmt::Result {
    let mut chars = name.chars();
    let first = chars.next();
    let plain = first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(
            name,
            "true" | "false" | "xor" | "U" | "V" | "W" | "R" | "M" | "A" | "E" | "X" | "F" | "G"
        )
        && (!name.starts_with(['F', 'G', 'X'])
            || name[1..].starts_with(|c: char| c.is_ascii_digit()))
        && !name.chars().all(|c| "AEFGX".contains(c));
    if plain {
        return out.write_str(name);
    }
    out.write_char('"')?;
    for c in name.chars() {
        if c == '"' || c == '\\' {
            out.write_char('\\')?;
        }
        out.write_char(c)?;
    }
    out.write_char('"')
}

/// Writes `f` as the operand of an operator of rank `outer` (0: no operator, 6: a prefix operator).
fn spot(store: &Formulas, f: Formula, outer: u32, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let prefix = |name: &str, g: &Formula, out: &mut fmt::Formatter<'_>| {
        write!(out, "{name} ")?;
        spot(store, *g, 6, out)
    };
    let (rank, name, f, g) = match store.node(f) {
        Node::True => return out.write_str("true"),
        Node::False => return out.write_str("false"),
        Node::Atom(atom) => return write_atom(store.atom_name(*atom), out),
        Node::Not(g) => {
            out.write_str("!")?;
            return spot(store, *g, 6, out);
        }
        Node::Next(g) => return prefix("X", g, out),
        Node::Finally(g) => return prefix("F", g, out),
        Node::Globally(g) => return prefix("G", g, out),
        Node::ForAllPaths(g) => return prefix("A", g, out),
        Node::ExistsPath(g) => return prefix("E", g, out),
        Node::And(list) | Node::Or(list) => {
            let (rank, name) =
                if matches!(store.node(f), Node::And(_)) { (4, " & ") } else { (3, " | ") };
            let parentheses = outer >= rank;
            if parentheses {
                out.write_str("(")?;
            }
            for (i, g) in list.iter().enumerate() {
                if i > 0 {
                    out.write_str(name)?;
                }
                spot(store, *g, rank, out)?;
            }
            return if parentheses { out.write_str(")") } else { Ok(()) };
        }
        Node::Implies(f, g) => (1, "->", f, g),
        Node::Iff(f, g) => (1, "<->", f, g),
        Node::Xor(f, g) => (2, "xor", f, g),
        Node::Until(f, g) => (5, "U", f, g),
        Node::Release(f, g) => (5, "R", f, g),
        Node::WeakUntil(f, g) => (5, "W", f, g),
        Node::StrongRelease(f, g) => (5, "M", f, g),
    };
    // Operands of equal rank are always parenthesised, because associativity is easy to misread.
    let parentheses = outer >= rank;
    if parentheses {
        out.write_str("(")?;
    }
    spot(store, *f, rank, out)?;
    write!(out, " {name} ")?;
    spot(store, *g, rank, out)?;
    if parentheses { out.write_str(")") } else { Ok(()) }
}

fn spin(store: &Formulas, f: Formula, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let operand = |g: Formula, out: &mut fmt::Formatter<'_>| {
        out.write_str("(")?;
        spin(store, g, out)?;
        out.write_str(")")
    };
    let infix = |f: &Formula, name: &str, g: &Formula, out: &mut fmt::Formatter<'_>| {
        operand(*f, out)?;
        write!(out, " {name} ")?;
        operand(*g, out)
    };
    match store.node(f) {
        Node::True => out.write_str("true"),
        Node::False => out.write_str("false"),
        Node::Atom(atom) => write_atom(store.atom_name(*atom), out),
        Node::Not(g) => {
            out.write_str("!")?;
            operand(*g, out)
        }
        Node::Next(g) => {
            out.write_str("X")?;
            operand(*g, out)
        }
        Node::Finally(g) => {
            out.write_str("<>")?;
            operand(*g, out)
        }
        Node::Globally(g) => {
            out.write_str("[]")?;
            operand(*g, out)
        }
        Node::ForAllPaths(g) => {
            out.write_str("A ")?;
            operand(*g, out)
        }
        Node::ExistsPath(g) => {
            out.write_str("E ")?;
            operand(*g, out)
        }
        Node::And(list) | Node::Or(list) => {
            let name = if matches!(store.node(f), Node::And(_)) { " && " } else { " || " };
            for (i, g) in list.iter().enumerate() {
                if i > 0 {
                    out.write_str(name)?;
                }
                operand(*g, out)?;
            }
            Ok(())
        }
        Node::Implies(f, g) => infix(f, "->", g, out),
        Node::Iff(f, g) => infix(f, "<->", g, out),
        Node::Xor(f, g) => {
            out.write_str("!(")?;
            infix(f, "<->", g, out)?;
            out.write_str(")")
        }
        Node::Until(f, g) => infix(f, "U", g, out),
        Node::Release(f, g) => infix(f, "V", g, out),
        Node::WeakUntil(f, g) => {
            // f W g = g R (f | g)
            operand(*g, out)?;
            out.write_str(" V (")?;
            infix(f, "||", g, out)?;
            out.write_str(")")
        }
        Node::StrongRelease(f, g) => {
            // f M g = g U (f & g)
            operand(*g, out)?;
            out.write_str(" U (")?;
            infix(f, "&&", g, out)?;
            out.write_str(")")
        }
    }
}
