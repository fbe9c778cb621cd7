//! Generated programs × generated formulas: every search, with and without reductions and fairness, gives the verdict of an oracle that is too
//! simple to be wrong (the crate `oracle`: the whole graph of the reference semantics, joined with the automaton of another translation), and
//! the oracle believes each run that is shown.

use lariat::check::Engine;
use lariat::load::{Model, load_with};
use lariat::property::remedy::ORDER;
use lariat::property::{Choice, Meaning, Property, Remedy, Wanted, check, remedy};
use lariat::replay::{FoundIn, Replayed, SavedRun};
use model::Interpreter;
use oracle::{Forbidden, Graph, Shown};
use proptest::prelude::*;
use search::liveness::Algorithm;
use search::liveness::fairness::Fairness;
use search::product::{Answer, Tail, has_cycles};
use search::{Options, StoreKind, Verdict};
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
    let atom =
        prop::sample::select(vec!["(x == 1)", "(b)", "(y == 0)", "(x == y)", "(len(q) == 1)", "(_moves(0))"])
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

/// Too many states of a program for an oracle of this kind, and too many nodes of a product.
const MOST: usize = 400;
const MOST_NODES: usize = 6000;

/// Searches for several threads with one, two and three, and twice where orders differ.
fn with_threads(algorithm: Option<Algorithm>) -> impl Iterator<Item = (Option<Algorithm>, usize)> {
    let counts: &[usize] = match algorithm {
        Some(algorithm) if algorithm.is_parallel() => &[1, 2, 2, 3, 3],
        _ => &[1],
    };
    counts.iter().map(move |threads| (algorithm, *threads))
}

proptest! {
    #![proptest_config(seeded::cases(100))]

    #[test]
    fn searches_agree_with_the_oracle(text in program(), formula in formula()) {
        let Some(model) = load(&text, &formula) else { return Ok(()) };
        let interpreter = Interpreter::new(&model.program);
        let Some(graph) = Graph::new(&interpreter, MOST) else { return Ok(()) };
        let forbidden = Forbidden::by_formula(&interpreter, &graph, &model.given[0]);
        let Some(forbidden) = forbidden else { return Ok(()) };
        let Some(product) = forbidden.product(MOST_NODES) else { return Ok(()) };
        let property = Property::new(Wanted::Ltl(formula.clone()), Meaning::Formula(model.given[0].clone()));
        let notions: Vec<Option<Fairness>> = [None].into_iter().chain(Fairness::ALL.map(Some)).collect();
        let violated: Vec<bool> = notions.iter().map(|fairness| product.has_run(*fairness)).collect();
        let algorithms = Algorithm::ALL.into_iter().map(Some).chain([None]);
        for (number, (algorithm, threads)) in algorithms.flat_map(with_threads).enumerate() {
            // Not all combinations each time; over all cases, all of them.
            for (turn, raw) in [false, true].into_iter().enumerate() {
                for (fairness, violated) in notions.iter().copied().zip(&violated) {
                    let engine = if (number + turn) % 4 == 0 { Engine::Native } else { Engine::Interpreter };
                    // Fairness sees no reductions, and several threads do not help with it.
                    if fairness.is_some() && (!raw || threads > 1 || engine == Engine::Native) {
                        continue;
                    }
                    let store = match (text.len() + turn) % 3 {
                        0 => StoreKind::compact(),
                        1 => StoreKind::Bitstate { functions: 3, bytes: Some(1 << 20), seed: 0 },
                        _ => StoreKind::Automatic,
                    };
                    // What some searches do in a store; who asks for more gets that instead.
                    let in_store = has_cycles(&store) && matches!(algorithm, None | Some(Algorithm::Nested));
                    let shortest = number % 3 == 1 && !in_store;
                    let hybrid = match Tail::ALL.get((number + turn) % (Tail::ALL.len() + 1)) {
                        Some(Tail::None) if algorithm != Some(Algorithm::Magic) || fairness.is_some() => {
                            Some(Tail::Property)
                        }
                        tail => tail.copied().filter(|_| !in_store),
                    };
                    let simplify = (number + turn) % 2 == 0;
                    let choice =
                        Choice { engine, raw, algorithm, shortest, simplify, hybrid, fairness, ..Choice::default() };
                    let options =
                        Options { threads: NonZeroUsize::new(threads), store, ..Options::default() };
                    let about = format!("{choice:?} {:?}\n{text}\n{formula}", options.store);
                    let checked = match check(&model.program, &property, &choice, &options) {
                        Ok(checked) => checked,
                        Err(fault) => return Err(TestCaseError::fail(format!("{fault} {about}"))),
                    };
                    if checked.unsuitable.is_some() {
                        continue;
                    }
                    let expected = match (*violated, checked.answer.may_omit) {
                        (true, _) => Verdict::Violated,
                        (false, true) => Verdict::Inconclusive,
                        (false, false) => Verdict::Holds,
                    };
                    prop_assert_eq!(checked.verdict, expected, "{}", about);
                    let Some(lasso) = checked.lasso.as_ref().filter(|_| *violated) else {
                        prop_assert!(checked.lasso.is_none(), "{}", about);
                        continue;
                    };
                    let cycle = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
                    let shown = forbidden.is_shown_by(&interpreter, &lasso.states, cycle);
                    prop_assert_eq!(shown, Shown::Violation, "{}", about);
                    // What is saved still shows it.
                    let origin = FoundIn { model: "m", defines: &[], program: &model.program };
                    let saved = SavedRun::of_property(&origin, &checked).expect("there is a run");
                    let judge = saved.judge(&model, search::Limits::default()).expect("the property is there");
                    let followed = saved.follow(&model.program, judge.as_deref()).expect("it starts");
                    prop_assert_eq!(followed.result, Replayed::StillFails, "{:?} {}", saved, about);
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
        let Some(graph) = Graph::new(&Interpreter::new(&model.program), MOST) else { return Ok(()) };
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
            None => Remedy::Violated { shown: true },
        });
        prop_assert_eq!(found.expect("it replays").map(|advice| advice.remedy), expected, "{}\n{}", text, formula);
    }
}
