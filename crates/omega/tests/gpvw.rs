//! The table of Gerth, Peled, Vardi and Wolper (1995), section 6, and the on-demand form of their tableau.

use omega::automaton::Automaton;
use omega::emptiness::accepting_run;
use omega::formula::Formulas;
use omega::gpvw::{Improvements, LazyTableau, gpvw};

/// Formula, published nodes, transitions and acceptance sets, and ours: as in figure 1, and with section 3.4.
type Row = (&'static str, [usize; 3], [usize; 3], [usize; 3]);

const TABLE: [Row; 7] = [
    ("p1 U p2", [3, 4, 1], [0, 0, 0], [0, 0, 0]),
    ("p1 U (p2 U p3)", [4, 6, 2], [0, 0, 0], [0, 0, 0]),
    ("!(p1 U (p2 U p3))", [7, 15, 0], [0, 0, 0], [0, 0, 0]),
    ("G F p1 -> G F p2", [9, 15, 2], [0, 0, 0], [0, 0, 0]),
    ("F p1 U G p2", [8, 15, 2], [0, 0, 0], [0, 0, 0]),
    ("G p1 U p2", [5, 6, 1], [0, 0, 0], [0, 0, 0]),
    ("!(F F p1 <-> F p1)", [22, 41, 2], [0, 0, 0], [0, 0, 0]),
];

fn measure(text: &str, improvements: Improvements) -> [usize; 3] {
    let mut store = Formulas::new();
    let f = store.parse(text).expect("a formula");
    let lgba = gpvw(&mut store, f, improvements, 1000).expect("a small tableau");
    [lgba.nodes.len(), lgba.transition_count(), lgba.untils.len()]
}

#[test]
fn table() {
    for (text, _, plain, improved) in TABLE {
        let found = (measure(text, Improvements::NONE), measure(text, Improvements::ALL));
        println!("{text}: {found:?}");
        assert_eq!(found, (plain, improved), "{text}");
    }
}

#[test]
fn on_demand_builds_only_what_is_asked_for() {
    let mut store = Formulas::new();
    let conjuncts: Vec<String> = (0..8).map(|i| format!("F p{i}")).collect();
    let f = store.parse(&conjuncts.join(" & ")).expect("a formula");
    let whole = gpvw(&mut store, f, Improvements::ALL, 100_000).expect("within the limit").nodes.len();
    let mut lazy = LazyTableau::new(&mut store, f, Improvements::ALL).expect("LTL");
    assert!(lazy.initial().len() < whole);
    assert!(accepting_run(&mut lazy).is_some());
    assert!(lazy.node_count() < whole, "{} of {whole}", lazy.node_count());
}
