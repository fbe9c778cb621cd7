//! Satisfiability, validity, equivalence and stutter invariance of formulas with known answers.

use lariat_ltl::decide::{counterexample, difference, is_stutter_invariant, satisfiable};
use lariat_ltl::formula::{Formulas, Simplifier};
use lariat_ltl::inclusion::{complement, counterexample_to_inclusion};
use lariat_ltl::product::Product;
use lariat_ltl::translate::{Goal, Options, translate};

#[test]
fn validity_and_satisfiability() {
    let mut s = Formulas::new();
    for text in
        ["p | !p", "F F p <-> F p", "G(p -> q) -> (G p -> G q)", "(p U q) -> F q", "G F p | F G !p"]
    {
        let f = s.parse(text).unwrap();
        assert_eq!(counterexample(&mut s, f).unwrap(), None, "{text} is valid");
        let n = s.not(f);
        assert_eq!(satisfiable(&mut s, n).unwrap(), None, "{text} is valid");
    }
    let f = s.parse("p & X !p & X X G p").unwrap();
    let word = satisfiable(&mut s, f).unwrap().expect("satisfiable");
    assert_eq!(word.to_string(), "p; !p; cycle{p}");
    let (f, g) = (s.parse("p U q").unwrap(), s.parse("p W q").unwrap());
    assert!(difference(&mut s, f, g).unwrap().is_some());
    let (f, g) = (s.parse("p M q").unwrap(), s.parse("q U (p & q)").unwrap());
    assert_eq!(difference(&mut s, f, g).unwrap(), None);
}

#[test]
fn stutter_invariance() {
    let mut s = Formulas::new();
    for text in ["G(p -> F q)", "F(p & X !p)", "(p & X p) | (p & X !p)", "X G F p", "true"] {
        let f = s.parse(text).unwrap();
        assert!(is_stutter_invariant(&mut s, f).unwrap(), "{text}");
    }
    for text in ["X p", "X F p", "G(p -> X q)", "F(p & X p)", "p & X !p"] {
        let f = s.parse(text).unwrap();
        assert!(!is_stutter_invariant(&mut s, f).unwrap(), "{text}");
    }
}

#[test]
fn complements_of_deterministic_automata() {
    let mut s = Formulas::new();
    let options = Options { goal: Goal::Deterministic, ..Options::default() };
    for text in ["G(p -> F q)", "p U q", "G p", "G F p & G F q", "(G F p) & (a U b)", "F p & F q"] {
        let f = s.parse(text).unwrap();
        let n = s.not(f);
        let mut a = translate(&mut s, f, options).unwrap();
        assert!(a.is_deterministic(), "{text}");
        let mut c = complement(&a).unwrap();
        let mut negation = translate(&mut s, n, Options::default()).unwrap();
        assert!(lariat_ltl::emptiness::is_empty(&mut Product::new(&mut a, &mut c)), "{text}");
        assert!(counterexample_to_inclusion(&negation, &a).unwrap().is_some(), "{text}");
        let mut again = translate(&mut s, f, Options::default()).unwrap();
        assert!(lariat_ltl::emptiness::is_empty(&mut Product::new(&mut again, &mut c)), "{text}");
        // The union of the automaton and its complement shares a word with the negation.
        let mut union = lariat_ltl::product::union(&c, &a);
        assert!(
            !lariat_ltl::emptiness::is_empty(&mut Product::new(&mut union, &mut negation)),
            "{text}"
        );
    }
}

#[test]
fn the_simplifier_applies_well_known_equivalences() {
    let mut s = Formulas::new();
    for (text, expected) in [
        ("F F p", "F p"),
        ("G G p", "G p"),
        ("G F G F p", "G F p"),
        ("p U (p U q)", "p U q"),
        ("true U p", "F p"),
        ("false R p", "G p"),
        ("X p & X q", "X(p & q)"),
        ("G p & G q", "G(p & q)"),
        ("G F p | G F q", "G F (p | q)"),
        ("p & (p | q)", "p"),
        ("(p U q) | F q", "F q"),
        ("G p & F !p", "false"),
        ("X G F p", "G F p"),
        ("p U F q", "F q"),
        ("G(p & X F(q & X F r))", "G p & G F q & G F r"),
    ] {
        let f = s.parse(text).unwrap();
        let g = s.parse(expected).unwrap();
        assert_eq!(Simplifier::new().simplify(&mut s, f), g, "{text}");
    }
}
