//! Never claims that `omega` writes are read back with the same meaning.

use omega::automaton::Tgba;
use omega::formula::Formulas;
use omega::product::Product;
use omega::translate::{Acceptance, Algorithm, Options, translate};
use omega::word::Lasso;
use promela::{MemoryLoader, PropertyKind};

fn read(claim: &str) -> Tgba {
    let model = format!("bool p, q, r;\nactive proctype P() {{ p = true }}\n{claim}");
    let loader = MemoryLoader::new().with("claim.pml", model.as_str());
    let compiled = promela::compile(&loader, "claim.pml", &[]);
    let program = compiled.program.unwrap_or_else(|| {
        panic!("{}\n{model}", promela::diagnostic::render(&compiled.diagnostics, &compiled.sources, false))
    });
    let [property] = &compiled.properties[..] else { panic!("one claim in {model}") };
    let PropertyKind::Never(claim) = &property.kind else { panic!("a claim in {model}") };
    promela::claim::automaton(&program, claim).expect("only conditions").automaton
}

/// Nothing is accepted by both.
fn disjoint(left: &mut Tgba, right: &mut Tgba) -> bool {
    omega::emptiness::is_empty(&mut Product::new(left, right))
}

/// A letter says of each of p, q and r whether it holds, in the bits of a number.
fn random_word(seed: u64) -> Lasso<u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let (prefix, cycle) = (next(4), 1 + next(3));
    let prefix = (0..prefix).map(|_| next(8)).collect();
    Lasso::new(prefix, (0..cycle).map(|_| next(8)).collect())
}

fn accepts(automaton: &Tgba, word: &Lasso<u64>) -> bool {
    omega::emptiness::accepts(automaton, word, |letter, atom| {
        let name = &*automaton.atoms[atom as usize];
        let bit = ["p", "q", "r"].iter().position(|known| *known == name).expect("a declared variable");
        letter >> bit & 1 == 1
    })
}

#[test]
fn written_claims_read_back() {
    let formulas = [
        "p U q",
        "G F p",
        "F G p",
        "G (p -> F q)",
        "p",
        "X p",
        "!(G F p -> G F q)",
        "p W q",
        "F (p & X (q U r))",
        "G p | G q",
        "(p U q) U r",
        "0",
        "1",
        "G (p & X !p -> F r)",
        "F p & F q & G r",
    ];
    for text in formulas {
        for algorithm in [Algorithm::Modern, Algorithm::Gpvw(omega::gpvw::Improvements::ALL)] {
            let mut store = Formulas::new();
            let f = store.parse(text).expect("a formula");
            let not_f = store.not(f);
            let options = Options { algorithm, acceptance: Acceptance::StateBuchi, ..Options::default() };
            let mut write = |f| {
                let automaton = translate(&mut store, f, options).expect("it is small").with_single_initial();
                let mut claim = String::new();
                omega::never::write(&automaton, None, &mut claim).expect("to a string");
                (automaton, read(&claim))
            };
            let (mut yes, mut yes_read) = write(f);
            let (mut no, mut no_read) = write(not_f);
            assert!(disjoint(&mut yes_read, &mut no), "{text}: the claim accepts too much");
            assert!(disjoint(&mut no_read, &mut yes), "!({text}): the claim accepts too much");
            for seed in 0..200 {
                let word = random_word(seed);
                assert_eq!(accepts(&yes, &word), accepts(&yes_read, &word), "{text}: {word:?}");
                assert_eq!(accepts(&no, &word), accepts(&no_read, &word), "!({text}): {word:?}");
            }
        }
    }
}

#[test]
fn else_and_the_closing_brace() {
    // Accepts what does not stay in p forever: the claim reaches its end.
    let mut claim = read("never { do :: p :: else -> break od }");
    let mut store = Formulas::new();
    let always = store.parse("G p").expect("a formula");
    let sometime = store.not(always);
    let mut always = translate(&mut store, always, Options::default()).expect("it is small");
    let mut sometime = translate(&mut store, sometime, Options::default()).expect("it is small");
    assert!(disjoint(&mut claim, &mut always));
    assert!(!disjoint(&mut claim, &mut sometime));
}
