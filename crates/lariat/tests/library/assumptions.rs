//! Fairness automata: checking a property under an assumption equals checking the implication, in
//! every search.

use crate::support;
use lariat::check::check_property;
use lariat::property::{Assumption, Meaning, ResolvedProperty};
use lariat::{Model, Property, Settings};
use lariat_ltl::formula::{Formulas, RandomFormula, Rng, Spelling};
use lariat_ltl::translate::{Options as Translation, translate};
use lariat_promela::LtlFormula;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::Fairness;
use lariat_search::{Options, Verdict};

fn model(text: &str, formulas: &[String]) -> Model {
    let properties: Vec<Property> = formulas.iter().map(Property::ltl).collect();
    support::model(text, &properties)
}

fn formula<'m>(model: &'m Model, text: &str) -> &'m LtlFormula {
    model.formula(text).expect("the model was read with the formula")
}

fn property(formula: &LtlFormula) -> ResolvedProperty {
    ResolvedProperty::new(Property::Ltl("formula".into()), Meaning::Formula(formula.clone()))
}

/// The automaton of the runs that satisfy a formula.
fn assumption(formula: &LtlFormula) -> Assumption {
    let mut formulas = formula.formulas.clone();
    let automaton =
        translate(&mut formulas, formula.formula, Translation::default()).expect("it is small");
    let conditions =
        automaton.atoms.iter().map(|name| formula.atoms[formulas.atom_id(name).0 as usize].clone());
    let conditions = conditions.collect();
    let request = Property::Automaton { name: "fair.hoa".into(), hoa: String::new() };
    Assumption { request, automaton, conditions }
}

fn verdict(model: &Model, property: &ResolvedProperty, settings: &Settings) -> Option<Verdict> {
    let checked = check_property(&model.program, property, settings, &Options::default());
    let checked = checked.unwrap_or_else(|error| panic!("{}: {error}", property.name));
    checked.unsuitable.is_none().then_some(checked.verdict)
}

#[test]
fn an_assumption_is_an_implication() {
    let programs = [
        "byte x, y; active proctype P() { do :: x = (x + 1) % 3 :: y == 0 -> y = 1 od } active proctype Q() { do :: y == 1 -> y = 0 od }",
        "byte x, y; chan c = [1] of { byte }; active proctype P() { do :: c!1 :: c?x od } active proctype Q() { do :: c?y; y = 0 :: x > 0 -> x = 0 od }",
        "byte x, y; active proctype P() { x = 1; atomic { y = 1; x = 2 }; x = 0 } active proctype Q() { do :: y = 1 - y :: x > 0 -> break od }",
    ];
    let mut rng = Rng::new(11);
    for text in programs {
        let mut store = Formulas::new();
        let mut random = |size| {
            let f = RandomFormula { atoms: 3, size, next: true }.generate(&mut store, &mut rng);
            let shown = store.display(f, Spelling::Spin).to_string();
            shown.replace("p0", "(x == 0)").replace("p1", "(y == 0)").replace("p2", "(_last == 0)")
        };
        let pairs: Vec<(String, String)> = (0..15).map(|_| (random(5), random(6))).collect();
        let texts: Vec<String> = pairs
            .iter()
            .flat_map(|(fair, goal)| [fair.clone(), goal.clone(), format!("({fair}) -> ({goal})")])
            .collect();
        let model = model(text, &texts);
        let mut violated = 0;
        for (fair, goal) in &pairs {
            let three = [fair.clone(), goal.clone(), format!("({fair}) -> ({goal})")];
            let three = three.map(|text| formula(&model, &text).clone());
            let expected = verdict(&model, &property(&three[2]), &Settings::default());
            violated += usize::from(expected == Some(Verdict::Violated));
            let assumptions = vec![assumption(&three[0])];
            let choices = Algorithm::ALL.into_iter().map(Some).chain([None]);
            for algorithm in
                choices.filter(|algorithm| *algorithm != Some(Algorithm::Deterministic))
            {
                for raw in [false, true] {
                    let settings = Settings {
                        algorithm,
                        raw,
                        assumptions: assumptions.clone(),
                        ..Settings::default()
                    };
                    let found = verdict(&model, &property(&three[1]), &settings);
                    assert_eq!(found, expected, "{goal} under {fair} by {algorithm:?} in {text}");
                }
            }
            // Together with a notion of fairness.
            let fairness = Some(Fairness::ALL[0]);
            let together = Settings { fairness, assumptions, ..Settings::default() };
            let implied = Settings { fairness, ..Settings::default() };
            assert_eq!(
                verdict(&model, &property(&three[1]), &together),
                verdict(&model, &property(&three[2]), &implied),
                "{goal} under {fair} and weak fairness in {text}"
            );
        }
        assert!(violated > 0, "nothing is violated in {text}");
    }
}

#[test]
fn one_atom_name_can_have_two_conditions() {
    let text = "byte x; active proctype P() { do :: x = (x + 1) % 3 od }";
    let model = model(text, &["[]<>(x == 2)".into(), "[](x != 2)".into()]);
    // Two files can use one atom name for different conditions.
    let mut fair = assumption(formula(&model, "[]<>(x == 2)"));
    fair.automaton.atoms[0] = "p".into();
    let mut goal = formula(&model, "[](x != 2)").clone();
    let atoms = std::mem::take(&mut goal.atoms);
    goal.formulas = Formulas::new();
    let p = goal.formulas.atom("p");
    goal.formula = goal.formulas.globally(p);
    goal.atoms = atoms;
    let settings = Settings { assumptions: vec![fair], ..Settings::default() };
    assert_eq!(verdict(&model, &property(&goal), &settings), Some(Verdict::Violated));
}

#[test]
fn some_things_cannot_be_assumed() {
    let model = model("byte x; active proctype P() { x = 1 }", &["[]<>(x == 1)".into()]);
    let assumptions = vec![assumption(formula(&model, "[]<>(x == 1)"))];
    let settings =
        Settings { algorithm: Some(Algorithm::Deterministic), assumptions, ..Settings::default() };
    assert_eq!(verdict(&model, &property(formula(&model, "[]<>(x == 1)")), &settings), None);
}
