//! The table of Gerth, Peled, Vardi and Wolper (1995), section 6, and their on-demand tableau.

use lariat_ltl::automaton::Automaton;
use lariat_ltl::emptiness::accepting_run;
use lariat_ltl::formula::Formulas;
use lariat_ltl::gpvw::{Improvements, LazyTableau, gpvw};

/// A formula with its nodes, transitions and acceptance sets: as published, ours for figure 1, and
/// ours with all improvements of section 3.4.
type Row = (&'static str, [usize; 3], [usize; 3], [usize; 3]);

const TABLE: [Row; 7] = [
    ("p1 U p2", [3, 4, 1], [3, 4, 1], [3, 4, 1]),
    ("p1 U (p2 U p3)", [4, 6, 2], [6, 10, 2], [4, 7, 2]),
    ("!(p1 U (p2 U p3))", [7, 15, 0], [7, 15, 0], [7, 15, 0]),
    ("G F p1 -> G F p2", [9, 15, 2], [9, 15, 2], [4, 7, 2]),
    ("F p1 U G p2", [8, 15, 2], [8, 15, 2], [5, 11, 2]),
    ("G p1 U p2", [5, 6, 1], [5, 6, 1], [5, 6, 1]),
    ("!(F F p1 <-> F p1)", [22, 41, 2], [7, 9, 2], [1, 1, 2]),
];

/// Rows of the table that are not reproduced; `papers/gpvw95` explains why.
const DIFFERENT: [&str; 2] = ["p1 U (p2 U p3)", "!(F F p1 <-> F p1)"];

fn measure(text: &str, improvements: Improvements) -> [usize; 3] {
    let mut store = Formulas::new();
    let f = store.parse(text).expect("a formula");
    let lgba = gpvw(&mut store, f, improvements, 1000).expect("a small tableau");
    [lgba.nodes.len(), lgba.transition_count(), lgba.untils.len()]
}

#[test]
fn the_published_table_is_reproduced() {
    for (text, published, plain, improved) in TABLE {
        assert_eq!(measure(text, Improvements::NONE), plain, "{text}, figure 1");
        assert_eq!(measure(text, Improvements::ALL), improved, "{text}, section 3.4");
        assert_eq!(plain == published, !DIFFERENT.contains(&text), "{text}, published");
    }
}

#[test]
fn improvements_preserve_the_language() {
    use lariat_ltl::emptiness::is_empty;
    use lariat_ltl::gpvw::to_tgba;
    use lariat_ltl::product::Product;
    for (text, ..) in TABLE.into_iter().chain([("(a U true) & X b", [0; 3], [0; 3], [0; 3])]) {
        let mut store = Formulas::new();
        let f = store.parse(text).expect("a formula");
        let negation = store.not(f);
        for bits in 0..16u8 {
            let improvements = Improvements {
                skip_trivial_untils: bits & 1 != 0,
                early_contradictions: bits & 2 != 0,
                forget_processed: bits & 4 != 0,
                skip_needless_splits: bits & 8 != 0,
            };
            let lgba = gpvw(&mut store, f, improvements, 1000).expect("small");
            let mut a = to_tgba(&store, f, &lgba);
            let lgba = gpvw(&mut store, negation, improvements, 1000).expect("small");
            let mut b = to_tgba(&store, negation, &lgba);
            assert!(is_empty(&mut Product::new(&mut a, &mut b)), "{text}, {improvements:?}");
            // The union of both automata shares a word with every nonempty language below.
            let whole = lariat_ltl::product::union(&a, &b);
            for other in [f, negation] {
                let mut other =
                    lariat_ltl::translate::translate(&mut store, other, Default::default())
                        .unwrap();
                let mut whole = whole.clone();
                assert_eq!(
                    is_empty(&mut Product::new(&mut whole, &mut other)),
                    is_empty(&mut other),
                    "{text}, {improvements:?}"
                );
            }
        }
    }
}

#[test]
fn the_lazy_tableau_builds_only_visited_nodes() {
    let mut store = Formulas::new();
    let conjuncts: Vec<String> = (0..8).map(|i| format!("F p{i}")).collect();
    let f = store.parse(&format!("G q | ({})", conjuncts.join(" & "))).expect("a formula");
    let whole =
        gpvw(&mut store, f, Improvements::ALL, 100_000).expect("within the limit").nodes.len();
    let mut lazy = LazyTableau::new(&mut store, f, Improvements::ALL).expect("LTL");
    assert!(lazy.initial().len() < whole);
    assert!(accepting_run(&mut lazy).is_some());
    assert!(lazy.node_count() < whole, "{} of {whole}", lazy.node_count());
}
