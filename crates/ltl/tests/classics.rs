//! Well-known formulas: their automata are correct and, per set, no larger than the reference.

use lariat_ltl::automaton::{Edge, StateId, Tgba};
use lariat_ltl::emptiness::{accepting_run, accepting_run_within, accepts, is_empty};
use lariat_ltl::formula::Formulas;
use lariat_ltl::gpvw::{Improvements, gpvw, to_tgba};
use lariat_ltl::product::Product;
use lariat_ltl::translate::{Acceptance, Goal, Options, translate};
use lariat_ltl::word::Lasso;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// The atoms that are true in some letter of the edge.
fn letter(a: &Tgba, e: &Edge) -> Vec<Arc<str>> {
    let cube = a.guards.some_cube(e.guard).expect("satisfiable");
    cube.into_iter().filter(|l| l.1).map(|l| a.atoms[l.0 as usize].clone()).collect()
}

/// A path from an initial state.
fn path_to(a: &Tgba, goal: StateId) -> Option<Vec<Edge>> {
    let mut paths: Vec<Option<Vec<Edge>>> = vec![None; a.state_count()];
    let mut queue: VecDeque<StateId> = a.initial.iter().copied().collect();
    for q in &a.initial {
        paths[q.index()] = Some(Vec::new());
    }
    while let Some(q) = queue.pop_front() {
        for e in &a.edges[q.index()] {
            if paths[e.target.index()].is_none() {
                let mut path = paths[q.index()].clone().expect("queued states are reached");
                path.push(*e);
                paths[e.target.index()] = Some(path);
                queue.push_back(e.target);
            }
        }
    }
    paths[goal.index()].clone()
}

#[test]
fn automata_are_correct_and_small() {
    let table = include_str!("data/formulas.tsv");
    let mut totals: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let context = format!("{} {}: {}", fields[0], fields[1], fields[2]);
        let mut store = Formulas::new();
        let f = store.parse(fields[2]).unwrap_or_else(|e| panic!("{context}: {e}"));
        let negation = store.not(f);
        let small = Options { acceptance: Acceptance::StateBuchi, ..Options::default() };
        let any = Options { goal: Goal::Any, ..Options::default() };
        let ba = translate(&mut store, f, small).unwrap();
        let mut plain = translate(&mut store, f, any).unwrap();
        let mut negated = translate(&mut store, negation, any).unwrap();
        // No word too many: disjoint from the negation. No word too few: accepts sampled words of
        // another automaton.
        assert!(is_empty(&mut Product::new(&mut ba.clone(), &mut negated)), "{context}");
        assert!(is_empty(&mut Product::new(&mut plain, &mut negated)), "{context}");
        for start in plain.states() {
            let (mut prefix, mut from) = (Vec::new(), plain.clone());
            let Some(path) = path_to(&plain, start) else { continue };
            prefix.extend(path.iter().map(|e| letter(&plain, e)));
            from.initial = vec![start];
            let Some(run) = accepting_run(&mut from) else { continue };
            let rest = run.edges.map(|(_, e)| letter(&plain, e));
            prefix.extend(rest.prefix);
            let word = Lasso::new(prefix, rest.cycle);
            let holds = |letter: &Vec<Arc<str>>, v: u32| letter.contains(&ba.atoms[v as usize]);
            assert!(accepts(&ba, &word, holds), "{context} on {word:?}");
        }
        let negated_ba = translate(&mut store, negation, small).unwrap();
        // A third translation, where the tableau of 1995 is not too large.
        if let Ok(lgba) = gpvw(&mut store, f, Improvements::ALL, 150) {
            let mut tableau = to_tgba(&store, f, &lgba);
            for other in [&negated, &negated_ba] {
                let mut other = other.clone();
                let product = &mut Product::new(&mut tableau, &mut other);
                assert!(!matches!(accepting_run_within(product, 20_000), Ok(Some(_))), "{context}");
            }
        }
        let Ok(reference) = fields[3].parse::<usize>() else { continue };
        assert!(ba.state_count() <= reference + 2, "{context}: {} states", ba.state_count());
        let total = totals.entry(fields[0]).or_default();
        total.0 += reference;
        total.1 += ba.state_count();
    }
    for (set, (reference, ours)) in totals {
        assert!(ours <= reference, "{set}: {ours} states, the reference has {reference}");
    }
}
