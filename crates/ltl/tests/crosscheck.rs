//! The cross-checker: compares all translators with each other and with direct evaluation, on
//! random formulas.
//!
//! As ltlcross: every automaton for a formula must be disjoint from every automaton for its
//! negation, and agree with the formula on random lassos. A failing formula is shrunk before it is
//! reported.

use lariat_ltl::automaton::{Edge, Tgba};
use lariat_ltl::emptiness::{accepting_run, accepts, is_empty};
use lariat_ltl::formula::{
    Formula, Formulas, Node, RandomFormula, Rng, Simplifier, Spelling, evaluate,
};
use lariat_ltl::gpvw::Improvements;
use lariat_ltl::product::Product;
use lariat_ltl::translate::{Acceptance, Algorithm, Goal, Options, translate};
use lariat_ltl::word::Lasso;

const ATOMS: usize = 3;

/// The automata of all translators, with their names.
fn translators(store: &mut Formulas, f: Formula, thorough: bool) -> Vec<(&'static str, Tgba)> {
    let mut list = Vec::new();
    let options = |goal, acceptance| Options { goal, acceptance, ..Options::default() };
    for (name, goal, acceptance) in [
        ("small", Goal::Small, Acceptance::TransitionGeneralized),
        ("small ba", Goal::Small, Acceptance::StateBuchi),
        ("deterministic", Goal::Deterministic, Acceptance::TransitionGeneralized),
        ("any", Goal::Any, Acceptance::TransitionGeneralized),
        ("any ba", Goal::Any, Acceptance::StateBuchi),
    ] {
        if thorough || matches!(name, "small ba" | "any ba") {
            let automaton = translate(store, f, options(goal, acceptance)).expect(name);
            if acceptance == Acceptance::StateBuchi {
                assert!(
                    automaton.sets == 1 && automaton.is_state_based(),
                    "{name} is not state-based"
                );
            }
            list.push((name, automaton));
        }
    }
    for (name, improvements, acceptance) in [
        ("gpvw", Improvements::NONE, Acceptance::TransitionGeneralized),
        ("gpvw+ ba", Improvements::ALL, Acceptance::StateBuchi),
    ] {
        let algorithm = Algorithm::Gpvw(improvements);
        let options = Options { algorithm, acceptance, state_limit: 400, ..Options::default() };
        if (thorough || improvements == Improvements::ALL)
            && let Ok(automaton) = translate(store, f, options)
        {
            assert!(acceptance != Acceptance::StateBuchi || automaton.is_state_based(), "{name}");
            list.push((name, automaton));
        }
    }
    list
}

/// Whether the automaton accepts a word. Bit `i` of a letter is the value of atom `pi`.
fn accepted(automaton: &Tgba, word: &Lasso<u32>) -> bool {
    accepts(automaton, word, |letter, v| letter >> number(&automaton.atoms[v as usize]) & 1 == 1)
}

/// A word of the automaton that begins with a random walk; atoms that an edge does not constrain
/// are random.
fn random_word(automaton: &Tgba, rng: &mut Rng) -> Option<Lasso<u32>> {
    let mut walked = automaton.clone();
    let mut letter = |a: &Tgba, e: &Edge| {
        let mut bits = rng.bits() as u32;
        for (v, positive) in a.guards.some_cube(e.guard).expect("satisfiable") {
            let bit = 1 << number(&a.atoms[v as usize]);
            bits = if positive { bits | bit } else { bits & !bit };
        }
        (bits, rng.bits() as usize)
    };
    let mut prefix = Vec::new();
    let mut at = *automaton.initial.first()?;
    for step in 0..4 {
        let edges = &automaton.edges[at.index()];
        if edges.is_empty() {
            return None;
        }
        let e = edges[letter(automaton, &edges[0]).1 % edges.len()];
        if step == 3 && e.target.0.is_multiple_of(2) {
            break;
        }
        prefix.push(letter(automaton, &e).0);
        at = e.target;
    }
    walked.initial = vec![at];
    let run = accepting_run(&mut walked)?;
    let rest = run.edges.map(|(_, e)| letter(automaton, e).0);
    prefix.extend(rest.prefix);
    Some(Lasso::new(prefix, rest.cycle))
}

fn number(atom: &str) -> u32 {
    atom[1..].parse().expect("p0, p1, …")
}

fn random_lasso(rng: &mut Rng) -> Lasso<u32> {
    let letters = |rng: &mut Rng, n: usize| (0..n).map(|_| rng.below(1 << ATOMS) as u32).collect();
    let (prefix, cycle) = (rng.below(4), 1 + rng.below(4));
    Lasso::new(letters(rng, prefix), letters(rng, cycle))
}

fn value(store: &Formulas, f: Formula, word: &Lasso<u32>) -> bool {
    evaluate(store, f, word, |letter, atom| letter >> number(store.atom_name(atom)) & 1 == 1)
}

/// The first disagreement between the translations of `f`.
fn disagreement(store: &mut Formulas, f: Formula, seed: u64, thorough: bool) -> Option<String> {
    let negated = store.not(f);
    let simple = Simplifier::new().simplify(store, f);
    let positive = translators(store, f, thorough);
    let negative = translators(store, negated, thorough);
    let mut rng = Rng::new(seed);
    let mut words: Vec<Lasso<u32>> =
        (0..if thorough { 12 } else { 4 }).map(|_| random_lasso(&mut rng)).collect();
    for (_, automaton) in positive.iter().chain(&negative) {
        words.extend(random_word(automaton, &mut rng));
    }
    for word in words {
        let expected = value(store, f, &word);
        if value(store, simple, &word) != expected {
            return Some(format!(
                "simplifier on {word}: {}",
                store.display(simple, Spelling::Spot)
            ));
        }
        for (side, list) in [(true, &positive), (false, &negative)] {
            for (name, automaton) in list {
                if accepted(automaton, &word) != (expected == side) {
                    return Some(format!("{name} ({side}) on {word}"));
                }
            }
        }
    }
    for (name, a) in &positive {
        for (other, b) in &negative {
            if !is_empty(&mut Product::new(&mut a.clone(), &mut b.clone())) {
                return Some(format!("{name} and the negation by {other} share a word"));
            }
        }
    }
    None
}

/// Candidates for shrinking: smaller formulas that might still fail.
fn shrunk_formulas(store: &mut Formulas, f: Formula) -> Vec<Formula> {
    let mut list = Vec::new();
    store.node(f).for_each_child(|g| list.push(g));
    let children = list.clone();
    for g in children {
        for smaller in shrunk_formulas(store, g).into_iter().chain([Formula::TRUE, Formula::FALSE])
        {
            let replace = |h: Formula| if h == g { smaller } else { h };
            let r = match store.node(f).clone() {
                Node::Not(a) => {
                    let a = replace(a);
                    store.not(a)
                }
                Node::And(l) => store.and_all(l.iter().map(|h| replace(*h)).collect::<Vec<_>>()),
                Node::Or(l) => store.or_all(l.iter().map(|h| replace(*h)).collect::<Vec<_>>()),
                Node::Implies(a, b) => store.implies(replace(a), replace(b)),
                Node::Iff(a, b) => store.iff(replace(a), replace(b)),
                Node::Xor(a, b) => store.xor(replace(a), replace(b)),
                Node::Next(a) => store.next(replace(a)),
                Node::Finally(a) => store.finally(replace(a)),
                Node::Globally(a) => store.globally(replace(a)),
                Node::Until(a, b) => store.until(replace(a), replace(b)),
                Node::Release(a, b) => store.release(replace(a), replace(b)),
                Node::WeakUntil(a, b) => store.weak_until(replace(a), replace(b)),
                Node::StrongRelease(a, b) => store.strong_release(replace(a), replace(b)),
                _ => continue,
            };
            list.push(r);
        }
    }
    list
}

fn check(store: &mut Formulas, f: Formula, seed: u64, thorough: bool) {
    let Some(mut reason) = disagreement(store, f, seed, thorough) else { return };
    let mut f = f;
    'shrinking: loop {
        let size = store.size(f);
        for g in shrunk_formulas(store, f) {
            if store.size(g) < size
                && let Some(smaller_reason) = disagreement(store, g, seed, thorough)
            {
                (f, reason) = (g, smaller_reason);
                continue 'shrinking;
            }
        }
        break;
    }
    panic!("{}: {reason} (seed {seed})", store.display(f, Spelling::Spot));
}

fn check_random_formulas(count: u64, first: u64, size: usize, thorough: bool) {
    for seed in first..first + count {
        let mut store = Formulas::new();
        let mut rng = Rng::new(seed);
        let shape = RandomFormula { atoms: ATOMS, size: 3 + rng.below(size), next: true };
        let f = shape.generate(&mut store, &mut rng);
        check(&mut store, f, seed, thorough);
    }
}

#[test]
fn small_formulas_with_all_translators() {
    check_random_formulas(2_000, 0, 8, true);
}

#[test]
fn larger_formulas_with_main_translators() {
    check_random_formulas(8_000, 100_000, 10, false);
}
