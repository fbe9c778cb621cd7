//! The HOA format: a strict checker accepts the written text, and the reader reads the examples of
//! the specification.

mod strict;

use lariat_ltl::emptiness::is_empty;
use lariat_ltl::formula::{Formulas, RandomFormula, Rng};
use lariat_ltl::hoa::{self, AcceptanceCondition, Reader};
use lariat_ltl::product::Product;
use lariat_ltl::translate::{Acceptance, Options, translate};

/// Automata like those of the specification's section "Examples", in its order.
const EXAMPLES: &str = r#"
HOA: v1
States: 2
Start: 0
acc-name: Rabin 1
Acceptance: 2 (Fin(0) & Inf(1))
AP: 2 "a" "b"
--BODY--
State: 0 "a U b"   /* a named state */
  [0 & !1] 0 {0}
  [1] 1 {0}
State: 1
  [t] 1 {1}
--END--
HOA: v1
States: 3
Start: 0
acc-name: Rabin 1
Acceptance: 2 (Fin(0) & Inf(1))
AP: 2 "a" "b"
--BODY--
State: 0 "a U b" { 0 }
  2 /* !a & !b */ 0 /* a & !b */ 1 /* !a & b */ 1 /* a & b */
State: 1 { 1 }
  1 1 1 1       /* all on one line */
State: 2 "sink state" { 0 }
  2 2 2 2
--END--
HOA: v1 name: "GFa & GFb" States: 1 Start: 0 acc-name: generalized-Buchi 2
Acceptance: 2 (Inf(0) & Inf(1)) AP: 2 "a" "b"
--BODY-- State: 0 0 /*{}*/ 0 {0} 0 {1} 0 {0 1} --END--
HOA: v1
name: "GFa & GF(b & c)"
States: 1
Start: 0
acc-name: generalized-Buchi 2
Acceptance: 2 (Inf(0) & Inf(1))
AP: 3 "a" "b" "c"
Alias: @a 0
Alias: @bc 1 & 2
--BODY--
State: 0
[!@a & !@bc] 0
[@a & !@bc]  0 {0}
[!@a & @bc]  0 {1}
[@a & @bc]   0 {0 1}
--END--
HOA: v1
name: "GFa"
States: 2
Start: 0
Start: 1
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 1 "a"
--BODY--
State: [0] 0 {0} 0 1
State: [!0] 1 0 1
--END--
HOA: v1
name: "GFa | G(b <-> Xa)"
Start: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
AP: 2 "a" "b"
properties: explicit-labels trans-labels
--BODY--
State: 0
 [t] 1
 [1] 2
 [!1] 3
State: 1 "GFa"
 [0] 1 {0}
 [!0] 1
State: 2 "a & G(b <-> Xa)" {0}
 [0&1] 2
 [0&!1] 3
State: 3 "!a & G(b <-> Xa)" {0}
 [!0&1] 2
 [!0&!1] 3
--END--
HOA: v1
name: "(Fa & G(b&Xc)) | c"
States: 4
Start: 0&2
Start: 3
acc-name: co-Buchi
Acceptance: 1 Fin(0)
AP: 3 "a" "b" "c"
--BODY--
State: 0 "Fa"
[t] 0 {0}
[0] 1
State: 1 "true"
[t] 1
State: 2 "G(b&Xc)"
[1] 2&3
State: 3 "c"
[2] 1
--END--
"#;

#[test]
fn reads_the_examples_of_the_specification() {
    let automata: Vec<_> =
        Reader::new(EXAMPLES.as_bytes()).map(|a| a.expect("well-formed")).collect();
    assert_eq!(automata.len(), 7);
    assert_eq!(
        automata[0].condition,
        AcceptanceCondition::And(
            AcceptanceCondition::Fin(0, false).into(),
            AcceptanceCondition::Inf(1, false).into()
        )
    );
    assert!(automata[0].to_tgba().is_err(), "Rabin is not generalized Büchi");
    assert!(automata[6].to_tgba().is_err(), "alternating");
    assert_eq!(automata[6].start, vec![vec![0, 2], vec![3]]);
    assert_eq!(automata[1].states[2].name.as_deref(), Some("sink state"));
    // The names of these generalized Büchi automata are formulas for their languages.
    for i in [2, 3, 4, 5] {
        let a = automata[i].to_tgba().expect("generalized Büchi");
        let mut store = Formulas::new();
        let f = store.parse(automata[i].name.as_deref().expect("a formula")).expect("LTL");
        let negation = store.not(f);
        let mut not_f = translate(&mut store, negation, Options::default()).unwrap();
        assert!(is_empty(&mut Product::new(&mut a.clone(), &mut not_f)), "{i}");
        let mut f = translate(&mut store, f, Options::default()).unwrap();
        assert!(!is_empty(&mut Product::new(&mut a.clone(), &mut f)), "{i}");
    }
}

#[test]
fn reads_streams_with_aborts_comments_and_unknown_headers() {
    let text = "HOA: v1 /* one /* nested */ */ Acceptance: 0 t States: 5 --ABORT--\n\
                HOA: v1 tool: \"x\" \"1\" Acceptance: 2 Inf(!1) | (Fin(0) & f) \
                custom-line: t 3 \"s\" word\n\
                AP: 1 \"a \\\"b\\\"\" Start: 0 --BODY-- State: 0 [!0 | f] 0 {1 0} --END-- HOA: v1";
    let mut reader = Reader::new(text.as_bytes());
    let a = reader.next().expect("an automaton").expect("well-formed");
    assert_eq!(reader.aborted(), 1);
    assert_eq!(a.headers.len(), 1);
    assert_eq!(a.atoms, ["a \"b\""]);
    assert_eq!(a.states.len(), 1);
    assert!(reader.next().expect("an error").is_err());
    assert!(reader.next().is_none());
}

#[test]
fn errors_have_a_position() {
    for (text, line, column) in [
        ("HOA: v1\nStates: x", 2, 9),
        ("HOA: v2\n", 2, 1),
        ("HOA: v1\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 [0] 1 [@a] 2\n--END--", 4, 17),
        ("HOA: v1\nUnknown: 3", 2, 10),
        ("HOA: v1\nAcceptance: 0 t States: 1\n--BODY--\nState: 0 0\nState: 0\n--END--", 6, 1),
        ("HOA: v1 \u{7}", 1, 9),
    ] {
        let e = Reader::new(text.as_bytes()).next().expect("an error").expect_err(text);
        assert_eq!((e.line, e.column), (line, column), "{text}: {e}");
    }
}

#[test]
fn written_automata_are_well_formed_and_read_back() {
    let mut rng = Rng::new(7);
    for round in 0..400 {
        let mut store = Formulas::new();
        let shape = RandomFormula { atoms: 3, size: 2 + rng.below(9), next: true };
        let f = shape.generate(&mut store, &mut rng);
        let acceptance = [Acceptance::TransitionGeneralized, Acceptance::StateBuchi][round % 2];
        let a = translate(&mut store, f, Options { acceptance, ..Options::default() }).unwrap();
        let mut text = String::new();
        hoa::write(&a, Some("a \"name\" with \\"), &mut text).unwrap();
        strict::check(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let read = Reader::new(text.as_bytes()).next().expect("an automaton").expect("well-formed");
        assert_eq!(read.name.as_deref(), Some("a \"name\" with \\"));
        let mut again = read.to_tgba().expect("generalized Büchi");
        assert_eq!(again.stats(), a.stats());
        let negation = store.not(f);
        let mut not_f = translate(&mut store, negation, Options::default()).unwrap();
        assert!(is_empty(&mut Product::new(&mut again, &mut not_f)));
    }
}

#[test]
fn writes_never_claims_and_graphviz() {
    let mut store = Formulas::new();
    let f = store.parse("!G(p -> F q)").unwrap();
    let a = translate(
        &mut store,
        f,
        Options { acceptance: Acceptance::StateBuchi, ..Options::default() },
    )
    .unwrap();
    let mut text = String::new();
    lariat_ltl::never::write(&a, Some("!G(p -> F q)"), &mut text).unwrap();
    assert!(text.starts_with("never { /* !G(p -> F q) */\nT0_init:\n\tif\n"), "{text}");
    assert!(text.contains("(p && !q) -> goto accept_S1"), "{text}");
    let mut text = String::new();
    lariat_ltl::dot::write(&a, None, &mut text).unwrap();
    assert!(text.contains("0 -> 1 [label=\"p & !q\"]"), "{text}");
}
