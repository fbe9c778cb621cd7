//! Generated programs × generated formulas: every search, with and without reductions, gives the verdict of an oracle that is too
//! simple to be wrong. The oracle makes the whole graph of the reference semantics, takes the automaton of another translation
//! (the tableau of 1995), joins both, and looks for a node that comes back to itself through every mark.

use lariat::check::Engine;
use lariat::load::{Model, load_with};
use lariat::property::remedy::ORDER;
use lariat::property::{Choice, Meaning, Property, Remedy, Wanted, check, remedy};
use lariat::replay::{FoundIn, Replayed, SavedRun};
use model::system::nothing_moves;
use model::{Interpreter, State};
use omega::automaton::Tgba;
use omega::translate::{Algorithm as Translation, Options as TranslationOptions, translate};
use promela::LtlFormula;
use proptest::prelude::*;
use search::liveness::Algorithm;
use search::liveness::fairness::Fairness;
use search::product::{Answer, Tail};
use search::{Options, Verdict};
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Statements over the globals x, y and b and the channels q and r.
fn statement() -> impl Strategy<Value = String> {
    let simple = prop::sample::select(vec![
        "x = (x + 1) % 3",
        "y = (y + 1) % 2",
        "b = !b",
        "x = 0",
        "b = (x == y)",
        "(x > 0)",
        "(y == 0)",
        "(b)",
        "(!b)",
        "skip",
        "q!x",
        "q?y",
        "r!1",
        "r?x",
        "l = 1 - l",
        "l = x; y = l % 2",
    ])
    .prop_map(String::from);
    simple.prop_recursive(2, 10, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3).prop_map(|list| list.join("; "));
        let options = prop::collection::vec(list.clone(), 1..3).prop_map(|list| list.join(" :: "));
        prop_oneof![
            3 => list.clone().prop_map(|list| format!("atomic {{ {list} }}")),
            1 => Just("d_step { x = (x + 1) % 3; b = !b }".to_string()),
            3 => options.clone().prop_map(|options| format!("if :: {options} fi")),
            2 => options.clone().prop_map(|options| format!("if :: {options} :: else fi")),
            2 => options.prop_map(|options| format!("do :: {options} :: (b) -> break od")),
        ]
    })
}

fn process() -> impl Strategy<Value = String> {
    let list = prop::collection::vec(statement(), 1..4).prop_map(|list| list.join("; "));
    (list, prop::bool::weighted(0.7)).prop_map(|(body, repeats)| {
        let body = if repeats { format!("do :: {body} od") } else { body };
        format!("active proctype {{}}() {{ byte l; {body} }}")
    })
}

fn program() -> impl Strategy<Value = String> {
    prop::collection::vec(process(), 1..4).prop_map(|list| {
        let mut text = "byte x, y; bool b; chan q = [1] of { byte }; chan r = [0] of { byte };\n".to_string();
        for (number, process) in list.iter().enumerate() {
            text += &process.replacen("{}", &format!("P{number}"), 1);
            text += "\n";
        }
        text
    })
}

fn formula() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec!["(x == 1)", "(b)", "(y == 0)", "(x == y)", "(len(q) == 1)"])
        .prop_map(String::from);
    atom.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            1 => inner.clone().prop_map(|f| format!("(!{f})")),
            2 => inner.clone().prop_map(|f| format!("([]{f})")),
            2 => inner.clone().prop_map(|f| format!("(<>{f})")),
            1 => inner.clone().prop_map(|f| format!("(X {f})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("({f} && {g})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("({f} || {g})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("({f} U {g})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("({f} V {g})")),
            1 => (inner.clone(), inner).prop_map(|(f, g)| format!("({f} -> {g})")),
        ]
    })
}

/// States where the property looks, and how they follow each other.
struct Explicit {
    states: Vec<State>,
    edges: Vec<Vec<usize>>,
}

/// Too many states for an oracle of this kind.
const MOST: usize = 400;

fn explicit(interpreter: &Interpreter<'_>) -> Option<Explicit> {
    let mut graph =
        Explicit { states: interpreter.initial_states().expect("initial states"), edges: Vec::new() };
    let mut numbers: HashMap<State, usize> = graph.states.iter().cloned().zip(0..).collect();
    while graph.edges.len() < graph.states.len() {
        let mut targets = Vec::new();
        // Through atomic sequences, each state once.
        let mut todo = vec![graph.states[graph.edges.len()].clone()];
        let mut passed: Vec<State> = Vec::new();
        while let Some(state) = todo.pop() {
            let mut successors = Vec::new();
            interpreter.successors(&state, &mut successors);
            if nothing_moves(&successors) {
                targets.push(state);
                continue;
            }
            for next in successors.into_iter().filter_map(|successor| successor.state) {
                if !interpreter.is_transient(&next) {
                    targets.push(next);
                } else if passed.contains(&next) {
                    // Perhaps a sequence that never ends: what a property sees of that is another question.
                    return None;
                } else {
                    passed.push(next.clone());
                    todo.push(next);
                }
            }
        }
        let list = targets.into_iter().map(|state| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                graph.states.push(state);
                graph.states.len() - 1
            })
        });
        let list = list.collect();
        graph.edges.push(list);
        if graph.states.len() > MOST {
            return None;
        }
    }
    Some(graph)
}

/// Is some run of the graph accepted by the automaton?
fn accepts(graph: &Explicit, letters: &[Vec<bool>], automaton: &Tgba) -> bool {
    let width = automaton.state_count();
    let node = |state: usize, at: usize| state * width + at;
    // Per node: marks and targets.
    let mut edges: Vec<Vec<(u64, usize)>> = vec![Vec::new(); graph.states.len() * width];
    for (state, letter) in letters.iter().enumerate() {
        for at in automaton.states() {
            for edge in &automaton.edges[at.index()] {
                if automaton.guards.holds(edge.guard, |atom| letter[atom as usize]) {
                    for &next in &graph.edges[state] {
                        edges[node(state, at.index())].push((edge.marks.0, node(next, edge.target.index())));
                    }
                }
            }
        }
    }
    let reach = |start: Vec<usize>| {
        let mut met = vec![false; edges.len()];
        let mut todo = start;
        while let Some(place) = todo.pop() {
            if !std::mem::replace(&mut met[place], true) {
                todo.extend(edges[place].iter().map(|(_, target)| *target));
            }
        }
        met
    };
    let all = omega::automaton::Marks::all(automaton.sets).0;
    let reachable = reach(automaton.initial.iter().map(|at| node(0, at.index())).collect());
    let candidates: Vec<usize> = (0..edges.len()).filter(|place| reachable[*place]).collect();
    let mut done = vec![false; edges.len()];
    for place in candidates {
        if done[place] {
            continue;
        }
        let after = reach(edges[place].iter().map(|(_, target)| *target).collect());
        if !after[place] {
            continue;
        }
        // Its component: what it reaches and what reaches it.
        let within: Vec<usize> =
            (0..edges.len()).filter(|other| after[*other] && reach(vec![*other])[place]).collect();
        let mut inside = vec![false; edges.len()];
        within.iter().for_each(|member| inside[*member] = true);
        within.iter().for_each(|member| done[*member] = true);
        let inner = within.iter().flat_map(|member| &edges[*member]).filter(|(_, target)| inside[*target]);
        if inner.fold(0, |marks, (more, _)| marks | more) == all {
            return true;
        }
    }
    false
}

/// The model; nothing where the generator wrote what Promela forbids, such as an `else` inside another's option.
fn load(text: &str, formula: &str) -> Option<Model> {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let directory = std::env::temp_dir().join(format!("lariat-oracle-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a temporary directory");
    let path = directory.join("m.pml");
    std::fs::write(&path, text).expect("a temporary file");
    let loaded = load_with(path.as_os_str(), &[], &[formula.to_string()], false);
    let _ = std::fs::remove_dir_all(&directory);
    loaded.ok()
}

fn oracle(model: &Model, formula: &LtlFormula) -> Option<bool> {
    let interpreter = Interpreter::new(&model.program);
    let graph = explicit(&interpreter)?;
    let mut formulas = formula.formulas.clone();
    let negated = formulas.not(formula.formula);
    let options = TranslationOptions {
        algorithm: Translation::Gpvw(Default::default()),
        ..TranslationOptions::default()
    };
    let automaton = translate(&mut formulas, negated, options).ok()?;
    if automaton.state_count() * graph.states.len() > 6000 {
        return None;
    }
    let conditions: Vec<_> =
        automaton.atoms.iter().map(|name| formula.atoms[formulas.atom_id(name).0 as usize].clone()).collect();
    let letters: Vec<Vec<bool>> = graph
        .states
        .iter()
        .map(|state| {
            let value = |condition| interpreter.evaluate(state, condition).expect("a value") != 0;
            conditions.iter().map(value).collect()
        })
        .collect();
    Some(accepts(&graph, &letters, &automaton))
}

/// Searches for several threads with one, two and three, and twice where orders differ.
fn with_threads(algorithm: Option<Algorithm>) -> impl Iterator<Item = (Option<Algorithm>, usize)> {
    let counts: &[usize] = match algorithm {
        Some(algorithm) if algorithm.is_parallel() => &[1, 2, 2, 3, 3],
        _ => &[1],
    };
    counts.iter().map(move |threads| (algorithm, *threads))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn searches_agree_with_the_oracle(text in program(), formula in formula()) {
        let Some(model) = load(&text, &formula) else { return Ok(()) };
        let Some(violated) = oracle(&model, &model.given[0]) else { return Ok(()) };
        let expected = if violated { Verdict::Violated } else { Verdict::Holds };
        let property = Property::new(Wanted::Ltl(formula.clone()), Meaning::Formula(model.given[0].clone()));
        let algorithms = Algorithm::ALL.into_iter().map(Some).chain([None]);
        for (number, (algorithm, threads)) in algorithms.flat_map(with_threads).enumerate() {
            // Not all combinations each time; over all cases, all of them.
            for raw in [false, true] {
                let engine = if (number + usize::from(raw)) % 4 == 0 { Engine::Native } else { Engine::Interpreter };
                let shortest = number % 3 == 1;
                let hybrid = match Tail::ALL.get((number + usize::from(raw)) % (Tail::ALL.len() + 1)) {
                    Some(Tail::None) if algorithm != Some(Algorithm::Magic) => Some(Tail::Property),
                    tail => tail.copied(),
                };
                let simplify = number % 2 == 0;
                let choice = Choice { engine, raw, algorithm, shortest, simplify, hybrid, ..Choice::default() };
                let options = Options { threads: NonZeroUsize::new(threads), ..Options::default() };
                let checked = check(&model.program, &property, &choice, &options);
                let checked = match checked {
                    Ok(checked) => checked,
                    Err(fault) => {
                        return Err(TestCaseError::fail(format!("{algorithm:?} raw {raw}: {fault}\n{text}")));
                    }
                };
                if checked.unsuitable.is_some() {
                    continue;
                }
                prop_assert_eq!(checked.verdict, expected, "{:?} raw {}\n{}\n{}", algorithm, raw, text, formula);
                prop_assert_eq!(checked.lasso.is_some(), violated);
                // What is saved still shows it.
                let origin = FoundIn { model: "m", defines: &[], program: &model.program };
                if let Some(saved) = SavedRun::of_property(&origin, &checked).filter(|_| violated) {
                    let judge = saved.judge(&model, search::Limits::default()).expect("the property is there");
                    let followed = saved.follow(&model.program, judge.as_deref()).expect("it starts");
                    prop_assert_eq!(followed.result, Replayed::StillFails, "{:?}\n{}\n{}", saved, text, formula);
                }
            }
        }
    }

    /// How a product is stored changes nothing that a search does: the same nodes and edges, under fairness too. Each state of the program
    /// is in one packet. (Which of several ways leads to a cycle depends on the numbers of nodes.)
    #[test]
    fn packets_hold_the_same_nodes(
        text in program(),
        formula in formula(),
        fairness in prop::option::of(prop::sample::select(Fairness::ALL.to_vec())),
    ) {
        let Some(model) = load(&text, &formula) else { return Ok(()) };
        let Some(graph) = explicit(&Interpreter::new(&model.program)) else { return Ok(()) };
        let property = Property::new(Wanted::Ltl(formula.clone()), Meaning::Formula(model.given[0].clone()));
        for (number, algorithm) in Algorithm::ALL.into_iter().enumerate() {
            let engine = if number % 4 == 0 { Engine::Native } else { Engine::Interpreter };
            let found = |tail| {
                let hybrid = Some(tail);
                let choice = Choice { engine, raw: true, algorithm: Some(algorithm), fairness, hybrid, ..Choice::default() };
                let options = Options { threads: NonZeroUsize::new(1), ..Options::default() };
                check(&model.program, &property, &choice, &options).expect("it replays")
            };
            let classical = found(Tail::Demon);
            prop_assert_eq!(classical.answer.packets, None);
            if algorithm == Algorithm::Magic && fairness.is_none() {
                // Everything is met with the demon in its first state, and some of it in the second.
                let twice = found(Tail::None);
                prop_assert_eq!(twice.verdict, classical.verdict);
                prop_assert_eq!(twice.answer.lasso.is_some(), classical.answer.lasso.is_some());
                if classical.answer.lasso.is_none() {
                    let (once, twice) = (&classical.answer.statistics, &twice.answer.statistics);
                    prop_assert_eq!(once.transitions, twice.transitions);
                    prop_assert!((once.states..=2 * once.states).contains(&twice.states), "{} {}", once.states, twice.states);
                }
            }
            for tail in [Tail::Property, Tail::Fairness] {
                let packed = found(tail);
                prop_assert_eq!(packed.verdict, classical.verdict, "{:?} {:?}\n{}\n{}", algorithm, tail, text, formula);
                if packed.unsuitable.is_some() {
                    continue;
                }
                let (one, two) = (&classical.answer, &packed.answer);
                prop_assert_eq!(one.lasso.is_some(), two.lasso.is_some(), "{:?} {:?}\n{}\n{}", algorithm, tail, text, formula);
                // The way to a cycle is looked for at the end, and that takes more nodes and steps or fewer.
                let figures = |answer: &Answer| {
                    let figures = (answer.statistics.states, answer.statistics.transitions);
                    answer.lasso.is_none().then_some(figures)
                };
                prop_assert_eq!(figures(one), figures(two), "{:?} {:?}\n{}\n{}", algorithm, tail, text, formula);
                let packets = two.packets.expect("there are packets");
                prop_assert_eq!(packets.tail, tail);
                prop_assert!(packets.packets <= graph.states.len() as u64);
                prop_assert!(packets.packets <= two.statistics.states && two.statistics.states <= packets.nodes);
                prop_assert!(packets.nodes <= packets.packets * packets.tails);
            }
        }
    }

    /// Which fairness would help is what searches under each notion say; a stronger notion never makes a property fail.
    #[test]
    fn the_remedy_is_the_weakest_fairness_that_helps(text in program(), formula in formula()) {
        let Some(model) = load(&text, &formula) else { return Ok(()) };
        let property = Property::new(Wanted::Ltl(formula.clone()), Meaning::Formula(model.given[0].clone()));
        let verdict = |fairness| {
            let choice = Choice { engine: Engine::Interpreter, fairness, ..Choice::default() };
            check(&model.program, &property, &choice, &Options::default()).expect("it replays")
        };
        let plain = verdict(None);
        let fair: Vec<Verdict> = ORDER.iter().map(|notion| verdict(Some(*notion)).verdict).collect();
        prop_assume!(!fair.contains(&Verdict::Inconclusive));
        let holds: Vec<bool> = fair.iter().map(|verdict| *verdict == Verdict::Holds).collect();
        let [weak_process, weak_transition, strong_process, strong_transition] = holds[..] else { unreachable!() };
        prop_assert!(plain.verdict != Verdict::Holds || holds.iter().all(|holds| *holds));
        prop_assert!(!weak_process || strong_process, "{}\n{}", text, formula);
        prop_assert!(!strong_process && !weak_transition || strong_transition, "{}\n{}", text, formula);
        let choice = Choice { engine: Engine::Interpreter, ..Choice::default() };
        let patience = Duration::from_secs(3600);
        let found = remedy(&model.program, &property, &plain, &choice, &Options::default(), patience);
        let infinite = plain.lasso.as_ref().is_some_and(|lasso| !lasso.cycle.is_empty());
        let expected = infinite.then(|| match holds.iter().position(|holds| *holds) {
            Some(first) => Remedy::Holds(ORDER[first]),
            None => Remedy::Violated,
        });
        prop_assert_eq!(found.expect("it replays"), expected, "{}\n{}", text, formula);
    }
}
