//! What the papers in `papers/` say about small models, as far as it can be counted.

use lariat::load::{Model, load_with};
use lariat::property::{Choice, Meaning, Property, Wanted, check};
use model::{Interpreter, State};
use omega::product::{generalized_product, k_copy_product};
use search::liveness::Algorithm;
use search::liveness::fairness::Fairness;
use search::product::Tail;
use search::{Options, Verdict};
use std::path::{Path, PathBuf};

fn paper(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers").join(file)
}

fn model(file: &str, defines: &[(String, Option<String>)], formulas: &[&str]) -> Model {
    let formulas: Vec<String> = formulas.iter().map(|text| text.to_string()).collect();
    load_with(paper(file).as_os_str(), defines, &formulas, false)
        .unwrap_or_else(|error| panic!("{}", error.text))
}

fn holds(model: &Model, property: &Property, choice: &Choice) -> bool {
    let checked = check(&model.program, property, choice, &Options::default());
    let checked = checked.unwrap_or_else(|error| panic!("{}: {error}", property.name));
    assert_ne!(checked.verdict, Verdict::Inconclusive, "{}", property.name);
    checked.verdict == Verdict::Holds
}

/// The formulas given with the model.
fn given(model: &Model) -> Vec<Property> {
    let property = |formula: &promela::LtlFormula| {
        Property::new(Wanted::Ltl("given".into()), Meaning::Formula(formula.clone()))
    };
    model.given.iter().map(property).collect()
}

/// States in the order in which they are met, and where each leads.
fn state_graph(model: &Model) -> (Vec<State>, Vec<Vec<usize>>) {
    let interpreter = Interpreter::new(&model.program);
    let mut states = interpreter.initial_states().expect("there is an initial state");
    let mut edges: Vec<Vec<usize>> = Vec::new();
    while let Some(state) = states.get(edges.len()).cloned() {
        let mut successors = Vec::new();
        interpreter.successors(&state, &mut successors);
        let mut targets = Vec::new();
        for next in successors.into_iter().filter_map(|successor| successor.state) {
            let known = states.iter().position(|state| *state == next);
            targets.push(known.unwrap_or(states.len()));
            if known.is_none() {
                states.push(next);
            }
        }
        edges.push(targets);
    }
    (states, edges)
}

const DEKKER: &str = "godefroid-holzmann93/dekker.pml";
/// Whoever wants to enter does so.
const ENTRY: &str = "[](P1[0]@l1 -> <>P1[0]@l7)";

/// Examples 2.4 and 2.7 of Godefroid and Holzmann: P1 may starve, but not if both processes move on.
#[test]
fn dekker_is_live_if_it_is_fair() {
    let under = format!("([]<>_moves(P1[0]) && []<>_moves(P2[1])) -> {ENTRY}");
    let model = model(DEKKER, &[], &[ENTRY, &under]);
    let [entry, under] = given(&model).try_into().expect("two formulas");
    for algorithm in [None, Some(Algorithm::Magic)] {
        let choice = Choice { algorithm, ..Choice::default() };
        assert!(!holds(&model, &entry, &choice));
        assert!(holds(&model, &under, &choice));
        let fair = Choice { fairness: Some(Fairness::ALL[0]), ..choice };
        assert!(holds(&model, &entry, &fair));
    }
}

/// The state graph of Dekker's algorithm, and its product with the automaton of Figure 2: row 2 of Table 1.
#[test]
fn dekker_has_the_sizes_of_table_1_but_for_one_state() {
    let model = model(DEKKER, &[], &["P1[0]@l1", "P1[0]@l7"]);
    let (states, edges) = state_graph(&model);
    assert_eq!((states.len(), edges.iter().map(Vec::len).sum::<usize>()), (100, 200));
    let interpreter = Interpreter::new(&model.program);
    let at: Vec<[bool; 2]> = states
        .iter()
        .map(|state| [0, 1].map(|atom| interpreter.evaluate(state, &model.given[atom].atoms[0]) == Ok(1)))
        .collect();
    // The states that the automaton's accepting state is met with.
    let mut accepting: Vec<usize> =
        (0..states.len()).filter(|&s| at[s][0]).flat_map(|s| edges[s].clone()).collect();
    accepting.sort_unstable();
    accepting.dedup();
    let mut next = 0;
    while let Some(&state) = accepting.get(next) {
        next += 1;
        for &target in edges[state].iter().filter(|_| !at[state][1]) {
            if !accepting.contains(&target) {
                accepting.push(target);
            }
        }
    }
    // At l7 the automaton cannot go on, so there the second search has nothing to visit.
    let stuck = accepting.iter().filter(|&&state| at[state][1]).count();
    assert_eq!((accepting.len(), stuck), (74, 6));
    assert_eq!(states.len() + accepting.len() + (accepting.len() - stuck), 243 - 1);
}

/// Table 1 with our automata: what is stored whole, with the demon or without, and what in packets. That of row 2 is searched to the end under
/// fairness, for without there is a violation to stop at.
#[test]
fn packets_of_dekker_are_states_of_the_program() {
    let under = format!("([]<>_moves(P1[0]) && []<>_moves(P2[1])) -> {ENTRY}");
    let stored = |formula: &str, fairness, tail| {
        let hybrid = Some(tail);
        // One formula each: with `_moves`, who moved last is part of the program's state.
        let model = model(DEKKER, &[], &[formula]);
        let [property] = given(&model).try_into().expect("one formula");
        let algorithm = Some(Algorithm::Magic);
        let choice = Choice { raw: true, algorithm, fairness, hybrid, ..Choice::default() };
        let checked = check(&model.program, &property, &choice, &Options::default()).expect("it replays");
        assert_eq!(checked.verdict, Verdict::Holds);
        let packets = checked.answer.packets.map(|packets| (packets.packets, packets.nodes, packets.tails));
        (checked.answer.statistics.states, packets)
    };
    let fair = Some(Fairness::ALL[0]);
    assert_eq!(stored(ENTRY, fair, Tail::Demon), (174, None));
    assert_eq!(stored(ENTRY, fair, Tail::Property), (174, Some((100, 174, 2))));
    assert_eq!(stored(ENTRY, fair, Tail::Fairness), (174, Some((100, 268, 12))));
    assert_eq!(stored(&under, None, Tail::None), (637, None));
    assert_eq!(stored(&under, None, Tail::Demon), (395, None));
    assert_eq!(stored(&under, None, Tail::Property), (395, Some((153, 395, 4))));
}

/// Peled's mutual exclusion: both ways to wait.
#[test]
fn waiting_may_be_busy() {
    for (busy, edges, live) in [(false, 18, true), (true, 24, false)] {
        let defines = if busy { vec![("BUSY".to_string(), None)] } else { Vec::new() };
        let model = model("peled-survey/wait.pml", &defines, &[]);
        let (states, targets) = state_graph(&model);
        assert_eq!((states.len(), targets.iter().map(Vec::len).sum::<usize>()), (12, edges));
        let enters = &model.stated[0];
        assert_eq!(holds(&model, enters, &Choice::default()), live);
        for fairness in Fairness::ALL.map(Some) {
            assert!(holds(&model, enters, &Choice { fairness, ..Choice::default() }), "{fairness:?}");
        }
    }
}

/// Figures 3 to 5 of the survey: two automata, their product, and the product with alternating copies.
#[test]
fn products_alternate_between_copies() {
    let read = |name: &str| {
        let text = std::fs::read(paper("peled-survey").join(name)).expect("the file can be read");
        let mut reader = omega::hoa::Reader::new(&text[..]);
        let automaton =
            reader.next().expect("an automaton").unwrap_or_else(|error| panic!("{name}: {error}"));
        automaton.to_tgba().unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let factors = [read("infinitely-many-a.hoa"), read("alternating.hoa")];
    let product = generalized_product(&factors);
    assert_eq!((product.state_count(), product.sets), (2, 2));
    let copies = k_copy_product(&factors);
    assert_eq!((copies.state_count(), copies.sets), (3, 1));
    assert!(!omega::emptiness::is_empty(&mut copies.clone()));
    let never = [read("infinitely-many-a.hoa"), read("finitely-many-a.hoa")];
    assert!(omega::emptiness::is_empty(&mut k_copy_product(&never)));
}
