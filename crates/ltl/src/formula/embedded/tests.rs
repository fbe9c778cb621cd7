//! Tests of formulas whose atoms are expressions of a host language.

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
fn atoms_are_maximal() {
    assert_eq!(
        read("AG (x > 0 && y -> EF P[0]@done)"),
        "A G (\"x > 0 && y\" -> E F \"P[0]@done\")"
    );
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
        let (f, guarded) = store
            .parse_guarded(text, &|atom| atom.starts_with('q'))
            .expect("a well-formed formula");
        (store.display(f, Spelling::Spot).to_string(), guarded)
    };
    let name = |text: &str| read(text).0;
    assert_eq!(name("AG (p -> (q && EF r))"), "A G (p -> \"(p) && (q)\" & E F r)");
    assert_eq!(name("p && q && EF r"), "p & \"(p) && (q)\" & E F r");
    assert_eq!(name("EF r || p || q"), "E F r | \"p || q\"");
    assert_eq!(name("(EF r || p) || q"), "E F r | p | \"!(p) && (q)\"");
    assert_eq!(name("!(p -> EF r) && q"), "!(p -> E F r) & \"(p) && (q)\"");
    // Unguarded: the atom comes first, is an operand of `<->`, or refers to other states.
    assert_eq!(name("q && EF r && p"), "q & E F r & p");
    assert_eq!(name("p <-> (q && EF r)"), "p <-> q & E F r");
    assert_eq!(name("p && EF q"), "p & E F q");
    assert_eq!(name("true && (q && EF r)"), "q & E F r");
    let guards = vec![("p".to_string(), true), ("s".to_string(), false)];
    let (_, guarded) = read("AG (p -> (s || EF r || q))");
    assert_eq!(
        guarded,
        [GuardedAtom { name: "(p) && !(s) && (q)".into(), atom: "q".into(), guards }]
    );
}

/// Process types are often named like operators.
#[test]
fn words_are_names_where_no_operator_can_stand() {
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
        assert_eq!(
            read(&format!("EX (_moved({letter}[1]))")),
            format!("E X \"_moved({letter}[1])\"")
        );
    }
    assert_eq!(read("AG (R -> EF W)"), "A G (\"R\" -> E F \"W\")");
    assert_eq!(read("A[R R R]"), "A (\"R\" R \"R\")");
    assert_eq!(read("A[p U q] && E[1 U q]"), "A (p U q) & E (true U q)");
    assert_eq!(read("AG (p && U q)"), "8..8: a formula is missing");
}

#[test]
fn operators_associate_as_in_the_formula_grammar() {
    assert_eq!(read("AG p -> EF q -> EX r"), "A G p -> (E F q -> E X r)");
    assert_eq!(read("!EF p && AG q || EX r"), "!E F p & A G q | E X r");
    assert_eq!(read("A(p U q U r)"), "A (p U (q U r))");
}

#[test]
fn errors_have_the_span_of_their_cause() {
    assert_eq!(read(""), "0..0: a formula is missing");
    assert_eq!(read("AG"), "2..2: a formula is missing");
    assert_eq!(read("AG (p"), "3..4: this `(` is never closed");
    assert_eq!(read("AG p)"), "4..5: this `)` closes nothing");
    assert_eq!(read("AG (p]"), "5..6: this `]` does not close the `(` before it");
    assert_eq!(read("1 + EF p"), "0..1: `1` cannot be applied to a temporal formula");
    assert_eq!(read("AG \"p"), "3..5: this quoted name has no closing quote");
    assert!(read(&"!".repeat(20_000)).contains('!'));
    assert!(read(&format!("{}EF p", "!".repeat(20_000))).contains("nested deeper"));
    assert!(
        read(&format!("{}EF p{}", "(".repeat(20_000), ")".repeat(20_000)))
            .contains("nested deeper")
    );
    assert!(read(&"AG p -> ".repeat(20_000)).contains("nested deeper"));
    assert!(read(&format!("{} p", "A".repeat(20_000))).contains("nested deeper"));
}
