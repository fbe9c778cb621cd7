//! Never claims written by `lariat-ltl` are parsed back with the same language.

use lariat_ltl::automaton::Tgba;
use lariat_ltl::formula::Formulas;
use lariat_ltl::product::Product;
use lariat_ltl::translate::{Acceptance, Algorithm, Options, translate};
use lariat_ltl::word::Lasso;
use lariat_promela::{MemoryLoader, PropertyKind};

fn read(claim: &str) -> Tgba {
    let model = format!("bool p, q, r;\nactive proctype P() {{ p = true }}\n{claim}");
    let loader = MemoryLoader::new().with("claim.pml", model.as_str());
    let compiled = lariat_promela::compile(&loader, "claim.pml", &[]);
    let program = compiled.program.unwrap_or_else(|| {
        panic!(
            "{}\n{model}",
            lariat_promela::diagnostic::render(&compiled.diagnostics, &compiled.sources, false)
        )
    });
    let [property] = &compiled.properties[..] else { panic!("one claim in {model}") };
    let PropertyKind::Never(claim) = &property.kind else { panic!("a claim in {model}") };
    lariat_promela::claim::automaton(&program, claim).expect("only conditions").automaton
}

/// Whether no word is accepted by both automata.
fn disjoint(left: &mut Tgba, right: &mut Tgba) -> bool {
    lariat_ltl::emptiness::is_empty(&mut Product::new(left, right))
}

/// Each letter is a bit set: the truth values of p, q and r.
fn random_word(seed: u64) -> Lasso<u64> {
    let mut random = lariat_ir::random::SplitMix64::new(seed);
    let mut next = |bound: usize| random.below(bound) as u64;
    let (prefix, cycle) = (next(4), 1 + next(3));
    let prefix = (0..prefix).map(|_| next(8)).collect();
    Lasso::new(prefix, (0..cycle).map(|_| next(8)).collect())
}

fn accepts(automaton: &Tgba, word: &Lasso<u64>) -> bool {
    lariat_ltl::emptiness::accepts(automaton, word, |letter, atom| {
        let name = &*automaton.atoms[atom as usize];
        let bit =
            ["p", "q", "r"].iter().position(|known| *known == name).expect("a declared variable");
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
        for algorithm in [Algorithm::Modern, Algorithm::Gpvw(lariat_ltl::gpvw::Improvements::ALL)] {
            let mut store = Formulas::new();
            let f = store.parse(text).expect("a formula");
            let not_f = store.not(f);
            let options =
                Options { algorithm, acceptance: Acceptance::StateBuchi, ..Options::default() };
            let mut write = |f| {
                let automaton =
                    translate(&mut store, f, options).expect("it is small").with_single_initial();
                let mut claim = String::new();
                lariat_ltl::never::write(&automaton, None, &mut claim).expect("to a string");
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
    // Accepts the words that leave p at some point: the claim reaches its end.
    let mut claim = read("never { do :: p :: else -> break od }");
    let mut store = Formulas::new();
    let always = store.parse("G p").expect("a formula");
    let sometime = store.not(always);
    let mut always = translate(&mut store, always, Options::default()).expect("it is small");
    let mut sometime = translate(&mut store, sometime, Options::default()).expect("it is small");
    assert!(disjoint(&mut claim, &mut always));
    assert!(!disjoint(&mut claim, &mut sometime));
}
