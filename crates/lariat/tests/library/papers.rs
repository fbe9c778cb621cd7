//! Numbers from the papers in `papers/` for small models.

use lariat::check::check_property;
use lariat::property::ResolvedProperty;
use lariat::{Model, ModelReader, Property, Settings};
use lariat_ir::{Interpreter, State};
use lariat_ltl::product::{generalized_product, k_copy_product};
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::product::Tail;
use lariat_search::{Options, Verdict};
use std::path::{Path, PathBuf};

fn paper(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers").join(file)
}

fn model(file: &str, defines: &[(String, Option<String>)], formulas: &[&str]) -> Model {
    let properties: Vec<Property> = formulas.iter().copied().map(Property::ltl).collect();
    let reader = ModelReader::default().defines(defines).properties(&properties);
    let model = reader.and_then(|reader| reader.read_file(paper(file)));
    model.unwrap_or_else(|error| panic!("{error}"))
}

fn holds(model: &Model, property: &ResolvedProperty, settings: &Settings) -> bool {
    let checked = check_property(&model.program, property, settings, &Options::default());
    let checked = checked.unwrap_or_else(|error| panic!("{}: {error}", property.name));
    assert_ne!(checked.verdict, Verdict::Inconclusive, "{}", property.name);
    checked.verdict == Verdict::Holds
}

/// Properties of a model that was read with them.
fn resolved<const N: usize>(model: &Model, formulas: [&str; N]) -> [ResolvedProperty; N] {
    formulas.map(|text| Property::ltl(text).resolve(model).expect("it was read with the model"))
}

/// The states in breadth-first order, and the successors of each.
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
/// A process that wants to enter eventually does.
const ENTRY: &str = "[](P1[0]@l1 -> <>P1[0]@l7)";

/// Examples 2.4 and 2.7 of Godefroid and Holzmann: P1 can starve, but not if both processes move
/// infinitely often.
#[test]
fn dekker_is_live_if_it_is_fair() {
    let under = format!("([]<>_moves(P1[0]) && []<>_moves(P2[1])) -> {ENTRY}");
    let model = model(DEKKER, &[], &[ENTRY, &under]);
    let [entry, under] = resolved(&model, [ENTRY, &under]);
    for algorithm in [None, Some(Algorithm::Magic)] {
        let settings = Settings { algorithm, ..Settings::default() };
        assert!(!holds(&model, &entry, &settings));
        assert!(holds(&model, &under, &settings));
        let fair = Settings { fairness: Some(Fairness::ALL[0]), ..settings };
        assert!(holds(&model, &entry, &fair));
    }
}

/// The state graph of Dekker's algorithm, and its product with the automaton of Figure 2: row 2 of
/// Table 1.
#[test]
fn dekker_has_the_sizes_of_table_1_but_for_one_state() {
    let labels = ["P1[0]@l1", "P1[0]@l7"];
    let model = model(DEKKER, &[], &labels);
    let (states, edges) = state_graph(&model);
    assert_eq!((states.len(), edges.iter().map(Vec::len).sum::<usize>()), (100, 200));
    let interpreter = Interpreter::new(&model.program);
    let at: Vec<[bool; 2]> = states
        .iter()
        .map(|state| {
            labels.map(|label| {
                let formula = model.formula(label).expect("it was read with the model");
                interpreter.evaluate(state, &formula.atoms[0]) == Ok(1)
            })
        })
        .collect();
    // The states that are paired with the accepting state of the automaton.
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
    // At l7 the automaton has no transition, so the second search visits nothing there.
    let stuck = accepting.iter().filter(|&&state| at[state][1]).count();
    assert_eq!((accepting.len(), stuck), (74, 6));
    assert_eq!(states.len() + accepting.len() + (accepting.len() - stuck), 243 - 1);
}

/// Table 1 with our automata: nodes stored with and without the demon, and packets. Row 2 is
/// searched exhaustively under fairness, because without fairness a violation ends the search.
#[test]
fn packets_of_dekker_are_states_of_the_program() {
    let under = format!("([]<>_moves(P1[0]) && []<>_moves(P2[1])) -> {ENTRY}");
    let stored = |formula: &str, fairness, tail| {
        let hybrid = Some(tail);
        // One formula each: `_moves` makes the last mover part of the state.
        let model = model(DEKKER, &[], &[formula]);
        let [property] = resolved(&model, [formula]);
        let algorithm = Some(Algorithm::Magic);
        let settings = Settings { raw: true, algorithm, fairness, hybrid, ..Settings::default() };
        let checked = check_property(&model.program, &property, &settings, &Options::default())
            .expect("it replays");
        assert_eq!(checked.verdict, Verdict::Holds);
        let packets =
            checked.answer.packets.map(|packets| (packets.packets, packets.nodes, packets.tails));
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

/// Peled's mutual exclusion with busy and with blocking waiting.
#[test]
fn waiting_may_be_busy() {
    for (busy, edges, live) in [(false, 18, true), (true, 24, false)] {
        let defines = if busy { vec![("BUSY".to_string(), None)] } else { Vec::new() };
        let model = model("peled-survey/wait.pml", &defines, &[]);
        let (states, targets) = state_graph(&model);
        assert_eq!((states.len(), targets.iter().map(Vec::len).sum::<usize>()), (12, edges));
        let enters = &model.stated[0];
        assert_eq!(holds(&model, enters, &Settings::default()), live);
        for fairness in Fairness::ALL.map(Some) {
            assert!(
                holds(&model, enters, &Settings { fairness, ..Settings::default() }),
                "{fairness:?}"
            );
        }
    }
}

/// Figures 3 to 5 of the survey: two automata, their product, and the product with alternating
/// copies.
#[test]
fn products_alternate_between_copies() {
    let read = |name: &str| {
        let text = std::fs::read(paper("peled-survey").join(name)).expect("the file can be read");
        let mut reader = lariat_ltl::hoa::Reader::new(&text[..]);
        let automaton =
            reader.next().expect("an automaton").unwrap_or_else(|error| panic!("{name}: {error}"));
        automaton.to_tgba().unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let factors = [read("infinitely-many-a.hoa"), read("alternating.hoa")];
    let product = generalized_product(&factors);
    assert_eq!((product.state_count(), product.sets), (2, 2));
    let copies = k_copy_product(&factors);
    assert_eq!((copies.state_count(), copies.sets), (3, 1));
    assert!(!lariat_ltl::emptiness::is_empty(&mut copies.clone()));
    let never = [read("infinitely-many-a.hoa"), read("finitely-many-a.hoa")];
    assert!(lariat_ltl::emptiness::is_empty(&mut k_copy_product(&never)));
}
