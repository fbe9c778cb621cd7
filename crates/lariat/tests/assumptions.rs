//! Automata of fair runs: a property under an assumption is the implication, whichever search is used.

use lariat::load::{Model, load_with};
use lariat::property::{Assumption, Choice, Meaning, Property, Wanted, check};
use omega::formula::{Formulas, RandomFormula, Rng, Spelling};
use omega::translate::{Options as Translation, translate};
use promela::LtlFormula;
use search::liveness::Algorithm;
use search::liveness::fairness::Fairness;
use search::{Options, Verdict};

fn model(name: &str, text: &str, formulas: &[String]) -> Model {
    let path = std::env::temp_dir().join(format!("lariat-assumptions-{}-{name}.pml", std::process::id()));
    std::fs::write(&path, text).expect("a temporary file");
    let model =
        load_with(path.as_os_str(), &[], formulas, false).unwrap_or_else(|error| panic!("{}", error.text));
    let _ = std::fs::remove_file(&path);
    model
}

fn property(formula: &LtlFormula) -> Property {
    Property::new(Wanted::Ltl("formula".into()), Meaning::Formula(formula.clone()))
}

/// The automaton of a formula's runs.
fn assumption(formula: &LtlFormula) -> Assumption {
    let mut formulas = formula.formulas.clone();
    let automaton = translate(&mut formulas, formula.formula, Translation::default()).expect("it is small");
    let conditions =
        automaton.atoms.iter().map(|name| formula.atoms[formulas.atom_id(name).0 as usize].clone());
    let conditions = conditions.collect();
    let wanted = Wanted::Automaton { name: "fair.hoa".into(), hoa: String::new() };
    Assumption { wanted, automaton, conditions }
}

fn verdict(model: &Model, property: &Property, choice: &Choice) -> Option<Verdict> {
    let checked = check(&model.program, property, choice, &Options::default());
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
    for (number, text) in programs.into_iter().enumerate() {
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
        let model = model(&format!("random-{number}"), text, &texts);
        let mut violated = 0;
        for (three, (fair, goal)) in model.given.chunks_exact(3).zip(&pairs) {
            let expected = verdict(&model, &property(&three[2]), &Choice::default());
            violated += usize::from(expected == Some(Verdict::Violated));
            let assumptions = vec![assumption(&three[0])];
            let choices = Algorithm::ALL.into_iter().map(Some).chain([None]);
            for algorithm in choices.filter(|algorithm| *algorithm != Some(Algorithm::Deterministic)) {
                for raw in [false, true] {
                    let choice =
                        Choice { algorithm, raw, assumptions: assumptions.clone(), ..Choice::default() };
                    let found = verdict(&model, &property(&three[1]), &choice);
                    assert_eq!(found, expected, "{goal} under {fair} by {algorithm:?} in {text}");
                }
            }
            // Beside a notion of fairness.
            let fairness = Some(Fairness::ALL[0]);
            let together = Choice { fairness, assumptions, ..Choice::default() };
            let implied = Choice { fairness, ..Choice::default() };
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
fn a_name_may_stand_for_two_things() {
    let text = "byte x; active proctype P() { do :: x = (x + 1) % 3 od }";
    let model = model("names", text, &["[]<>(x == 1)".into(), "[]<>(x == 2)".into(), "[](x != 2)".into()]);
    // As if two files gave one name to different conditions.
    let mut fair = assumption(&model.given[1]);
    fair.automaton.atoms[0] = "p".into();
    let mut goal = model.given[2].clone();
    let atoms = std::mem::take(&mut goal.atoms);
    goal.formulas = Formulas::new();
    let p = goal.formulas.atom("p");
    goal.formula = goal.formulas.globally(p);
    goal.atoms = atoms;
    let choice = Choice { assumptions: vec![fair], ..Choice::default() };
    assert_eq!(verdict(&model, &property(&goal), &choice), Some(Verdict::Violated));
}

#[test]
fn some_things_cannot_be_assumed() {
    let model = model("refused", "byte x; active proctype P() { x = 1 }", &["[]<>(x == 1)".into()]);
    let assumptions = vec![assumption(&model.given[0])];
    let choice = Choice { algorithm: Some(Algorithm::Deterministic), assumptions, ..Choice::default() };
    assert_eq!(verdict(&model, &property(&model.given[0]), &choice), None);
}
