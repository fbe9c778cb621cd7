//! Generated programs and formulas: every search, with and without reductions and fairness, agrees
//! with an independent oracle (the crate `oracle`: the complete graph of the reference semantics,
//! multiplied with the automaton of another translation), which also confirms each counterexample.

use lariat::check::remedy::{ORDER, add_remedy};
use lariat::check::{Engine, Remedy, check_property};
use lariat::property::ResolvedProperty;
use lariat::run::replay::Replayed;
use lariat::run::saved::{FoundIn, SavedRun};
use lariat::{Model, ModelReader, Property, PropertyResult, Settings};
use lariat_ir::Interpreter;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::product::{Tail, has_cycles};
use lariat_search::{Options, StoreKind, Verdict};
use oracle::{Forbidden, Graph, Shown};
use proptest::prelude::*;
use std::num::NonZeroUsize;
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
        let mut text =
            "byte x, y; bool b; chan q = [1] of { byte }; chan r = [0] of { byte };\n".to_string();
        for (number, process) in list.iter().enumerate() {
            text += &process.replacen("{}", &format!("P{number}"), 1);
            text += "\n";
        }
        text
    })
}

fn formula() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "(x == 1)",
        "(b)",
        "(y == 0)",
        "(x == y)",
        "(len(q) == 1)",
        "(_moves(0))",
    ])
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

/// The model; `None` if the generated text is not valid Promela, such as nested `else` options.
fn load(text: &str, formula: &str) -> Option<Model> {
    let reader = ModelReader::default().properties(&[Property::ltl(formula)]);
    reader.and_then(|reader| reader.read_source("m.pml", text)).ok()
}

fn resolved(model: &Model, formula: &str) -> ResolvedProperty {
    Property::ltl(formula).resolve(model).expect("the model was read with the formula")
}

/// The most states of a program, and nodes of a product, that the oracle handles.
const MOST: usize = 400;
const MOST_NODES: usize = 6000;

/// Parallel searches run with one, two and three threads, repeatedly because their order varies.
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
        let ltl = model.formula(&formula).expect("it was read");
        let forbidden = Forbidden::by_formula(&interpreter, &graph, ltl);
        let Some(forbidden) = forbidden else { return Ok(()) };
        let Some(product) = forbidden.product(MOST_NODES) else { return Ok(()) };
        let property = resolved(&model, &formula);
        let notions: Vec<Option<Fairness>> =
            [None].into_iter().chain(Fairness::ALL.map(Some)).collect();
        let violated: Vec<bool> =
            notions.iter().map(|fairness| product.has_run(*fairness)).collect();
        let algorithms = Algorithm::ALL.into_iter().map(Some).chain([None]);
        for (number, (algorithm, threads)) in algorithms.flat_map(with_threads).enumerate() {
            // Each case tries some combinations; all cases together try all of them.
            for (variant, raw) in [false, true].into_iter().enumerate() {
                for (fairness, violated) in notions.iter().copied().zip(&violated) {
                    let is_native = (number + variant) % 4 == 0;
                    let engine = if is_native { Engine::Native } else { Engine::Interpreter };
                    // Fairness excludes reductions and uses one thread.
                    if fairness.is_some() && (!raw || threads > 1 || is_native) {
                        continue;
                    }
                    let store = match (text.len() + variant) % 3 {
                        0 => StoreKind::compact(),
                        1 => StoreKind::Bitstate { functions: 3, bytes: Some(1 << 20), seed: 0 },
                        _ => StoreKind::Automatic,
                    };
                    // Searches in a store support neither shortest runs nor hybrid storage.
                    let in_store = has_cycles(&store)
                        && matches!(algorithm, None | Some(Algorithm::Nested));
                    let shortest = number % 3 == 1 && !in_store;
                    let is_plain_magic = algorithm == Some(Algorithm::Magic) && fairness.is_none();
                    let hybrid = match Tail::ALL.get((number + variant) % (Tail::ALL.len() + 1)) {
                        Some(Tail::None) if !is_plain_magic => Some(Tail::Property),
                        tail => tail.copied().filter(|_| !in_store),
                    };
                    let simplify = (number + variant) % 2 == 0;
                    let settings = Settings {
                        engine,
                        raw,
                        algorithm,
                        shortest,
                        simplify,
                        hybrid,
                        fairness,
                        ..Settings::default()
                    };
                    let threads = NonZeroUsize::new(threads);
                    let options = Options { threads, store, ..Options::default() };
                    let about = format!("{settings:?} {:?}\n{text}\n{formula}", options.store);
                    let checked = check_property(&model.program, &property, &settings, &options)
                        .map_err(|fault| TestCaseError::fail(format!("{fault} {about}")))?;
                    if checked.unsuitable.is_some() {
                        continue;
                    }
                    let expected = match (*violated, checked.answer.may_omit) {
                        (true, _) => Verdict::Violated,
                        (false, true) => Verdict::Inconclusive,
                        (false, false) => Verdict::Holds,
                    };
                    prop_assert_eq!(checked.verdict, expected, "{}", about);
                    let Some(lasso) = checked.counterexample.as_ref().filter(|_| *violated) else {
                        prop_assert!(checked.counterexample.is_none(), "{}", about);
                        continue;
                    };
                    let cycle = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
                    let shown = forbidden.is_shown_by(&interpreter, &lasso.states, cycle);
                    prop_assert_eq!(shown, Shown::Violation, "{}", about);
                    // The saved run still shows the violation.
                    let origin = FoundIn { model: "m", defines: &[], program: &model.program };
                    let saved = SavedRun::of_property(&origin, &checked).expect("there is a run");
                    let judge = saved.judge(&model, lariat_search::Limits::default());
                    let judge = judge.expect("the property is there");
                    let followed = saved.follow(&model.program, judge.as_deref()).expect("it starts");
                    prop_assert_eq!(followed.result, Replayed::StillFails, "{:?} {}", saved, about);
                }
            }
        }
    }

    /// The storage of the product does not change the nodes and edges that a search visits, also
    /// under fairness. Each state of the program is in one packet. (The choice between several
    /// prefixes depends on the numbers of nodes.)
    #[test]
    fn packets_hold_the_same_nodes(
        text in program(),
        formula in formula(),
        fairness in prop::option::of(prop::sample::select(Fairness::ALL.to_vec())),
    ) {
        let Some(model) = load(&text, &formula) else { return Ok(()) };
        let graph = Graph::new(&Interpreter::new(&model.program), MOST);
        let Some(graph) = graph else { return Ok(()) };
        let property = resolved(&model, &formula);
        for (number, algorithm) in Algorithm::ALL.into_iter().enumerate() {
            let engine = if number % 4 == 0 { Engine::Native } else { Engine::Interpreter };
            let found = |tail| {
                let settings = Settings {
                    engine,
                    raw: true,
                    algorithm: Some(algorithm),
                    fairness,
                    hybrid: Some(tail),
                    ..Settings::default()
                };
                let options = Options { threads: NonZeroUsize::new(1), ..Options::default() };
                check_property(&model.program, &property, &settings, &options).expect("it replays")
            };
            let classical = found(Tail::Demon);
            prop_assert_eq!(classical.answer.packets, None);
            if algorithm == Algorithm::Magic && fairness.is_none() {
                // Every node is visited with the demon in its first state, some also in its second.
                let twice = found(Tail::None);
                prop_assert_eq!(twice.verdict, classical.verdict);
                prop_assert_eq!(twice.counterexample.is_some(), classical.counterexample.is_some());
                if classical.counterexample.is_none() {
                    let (once, twice) = (&classical.answer.statistics, &twice.answer.statistics);
                    prop_assert_eq!(once.transitions, twice.transitions);
                    let bounds = once.states..=2 * once.states;
                    prop_assert!(bounds.contains(&twice.states), "{:?} {}", bounds, twice.states);
                }
            }
            for tail in [Tail::Property, Tail::Fairness] {
                let about = format!("{algorithm:?} {tail:?}\n{text}\n{formula}");
                let packed = found(tail);
                prop_assert_eq!(packed.verdict, classical.verdict, "{}", about);
                if packed.unsuitable.is_some() {
                    continue;
                }
                let (one, two) = (&classical, &packed);
                let are_shown = (one.counterexample.is_some(), two.counterexample.is_some());
                prop_assert_eq!(are_shown.0, are_shown.1, "{}", about);
                // Reconstructing the prefix of a cycle changes the numbers of nodes and steps.
                let figures = |result: &PropertyResult| {
                    let statistics = &result.answer.statistics;
                    let figures = (statistics.states, statistics.transitions);
                    result.counterexample.is_none().then_some(figures)
                };
                prop_assert_eq!(figures(one), figures(two), "{}", about);
                let two = &two.answer;
                let packets = two.packets.expect("there are packets");
                prop_assert_eq!(packets.tail, tail);
                prop_assert!(packets.packets <= graph.states.len() as u64);
                let states = two.statistics.states;
                prop_assert!((packets.packets..=packets.nodes).contains(&states));
                prop_assert!(packets.nodes <= packets.packets * packets.tails);
            }
        }
    }

    /// The remedy agrees with searches under each notion of fairness, and a property that holds
    /// under a notion holds under every stronger one.
    #[test]
    fn the_remedy_is_the_weakest_fairness_that_helps(text in program(), formula in formula()) {
        let Some(model) = load(&text, &formula) else { return Ok(()) };
        let property = resolved(&model, &formula);
        let verdict = |fairness| {
            let settings =
                Settings { engine: Engine::Interpreter, fairness, ..Settings::default() };
            let found = check_property(&model.program, &property, &settings, &Options::default());
            found.expect("it replays")
        };
        let mut plain = verdict(None);
        let fair = ORDER.map(|notion| verdict(Some(notion)).verdict);
        prop_assume!(!fair.contains(&Verdict::Inconclusive));
        let holds = fair.map(|verdict| verdict == Verdict::Holds);
        let [weak_process, weak_transition, strong_process, strong_transition] = holds;
        prop_assert!(plain.verdict != Verdict::Holds || holds.iter().all(|holds| *holds));
        prop_assert!(!weak_process || strong_process, "{}\n{}", text, formula);
        prop_assert!(!strong_process && !weak_transition || strong_transition, "{}\n{}", text, formula);
        let settings = Settings { engine: Engine::Interpreter, ..Settings::default() };
        let patience = Duration::from_secs(3600);
        let infinite = plain.counterexample.as_ref().is_some_and(|lasso| !lasso.cycle.is_empty());
        let expected = infinite.then(|| match holds.iter().position(|holds| *holds) {
            Some(first) => Remedy::Holds(ORDER[first]),
            None => Remedy::Violated { shown: true },
        });
        let options = Options::default();
        add_remedy(&model.program, &property, &mut plain, &settings, &options, patience)
            .expect("it replays");
        prop_assert_eq!(plain.remedy, expected, "{}\n{}", text, formula);
    }
}
