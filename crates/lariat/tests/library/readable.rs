//! For every error of every model in the corpus and the examples: its run is shortened and still
//! replays, is saved and still fails when followed, and can be drawn in every format.

use lariat::chart::{mermaid, svg};
use lariat::check::safety::check_safety;
use lariat::page::Page;
use lariat::report::findings::{ShownRun, findings};
use lariat::report::{itf, junit, sarif};
use lariat::run::replay::Replayed;
use lariat::run::saved::{FoundIn, SavedRun};
use lariat::run::shorten::{simplified, switches};
use lariat::{Checker, Counterexample, Engine, Model, Property, Report, Settings};
use lariat_ir::Interpreter;
use lariat_search::{Limits, Options, Run, Verdict, Violation};
use std::path::{Path, PathBuf};

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["corpus/errors", "corpus/regress", "corpus/traps", "corpus/lang", "examples"];
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let entries =
            std::fs::read_dir(root.join(folder)).expect("a directory of models").flatten();
        found.extend(entries.map(|entry| entry.path()));
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    found.sort();
    found
}

/// A saved run can be read, and still fails when followed.
fn still_fails(model: &Model, saved: &SavedRun, name: &str) {
    let saved = SavedRun::read(&saved.write()).expect("it can be read");
    let judge =
        saved.judge(model, lariat_search::Limits::default()).expect("the property is there");
    let followed = saved.follow(&model.program, judge.as_deref()).expect("it starts");
    assert_eq!(followed.result, Replayed::StillFails, "{name}: {:?}", saved.shows);
}

fn can_be_drawn(shown: &ShownRun) {
    assert!(svg::render(&shown.trace).ends_with("</svg>\n"));
    let mermaid = mermaid::render(&shown.trace);
    let lines =
        |word: &str| mermaid.lines().filter(|line| line.trim_start().starts_with(word)).count();
    assert!(mermaid.starts_with("sequenceDiagram") && lines("loop") == lines("end"), "{mermaid}");
    assert!(itf::render("m", &shown.trace).contains("\"states\""));
}

#[test]
fn every_error_can_be_read() {
    let mut errors = 0;
    for path in models() {
        let Ok(model) = Model::from_file(&path) else { continue };
        let program = &model.program;
        let limits = Limits { states: Some(100_000), ..Limits::default() };
        let options = Options { all_errors: true, limits, ..Options::default() };
        let settings = Settings { engine: Engine::Native, ..Settings::default() };
        let mut checked = check_safety(program, &settings, &options).expect("it replays");
        for short in &mut checked.counterexamples {
            let long = short.clone();
            *short = simplified(&long, &lariat_ir::budget::UNLIMITED);
            errors += 1;
            let name = path.display();
            let error = short.error().expect("it ends with an error");
            assert_eq!(long.error(), Some(error), "{name}");
            assert!(short.prefix.len() <= long.prefix.len(), "{name}");
            if short.prefix.len() == long.prefix.len() {
                assert!(switches(&short.prefix) <= switches(&long.prefix), "{name}");
            }
            let run = Run { initial: short.initial, steps: short.prefix.clone() };
            let violation = Violation { error: error.clone(), run };
            let replayed = lariat_search::replay::replay(&Interpreter::new(program), &violation);
            assert!(replayed.is_ok(), "{name}: {replayed:?}");
            if short.states.is_empty() {
                continue;
            }
            let origin = FoundIn { model: "m", defines: &[], program };
            let saved = SavedRun::of_error(&origin, short).expect("it ends with an error");
            still_fails(&model, &saved, &name.to_string());
            let shown = ShownRun::new(short);
            can_be_drawn(&shown);
            assert_eq!(shown.deadlock.is_some(), error.kind() == "invalid end state", "{name}");
        }
        let list = findings(&Report::of_safety(&model, checked));
        assert!(junit::render("m", &list).contains("<testsuite"));
        assert!(sarif::render(&list).contains("2.1.0"));
        assert!(Page::new(&model, &model.stated, list, None).render().contains("</html>"));
    }
    assert!(errors > 20, "{errors}");
}

/// Likewise for the properties that models state, and for non-progress cycles.
#[test]
fn every_violated_property_can_be_read() {
    let mut violated = 0;
    for path in models() {
        let Ok(model) = Model::from_file(&path) else { continue };
        let name = path.display().to_string();
        let limits = Limits { states: Some(20_000), ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let stated = lariat::property::all_stated(&model).into_iter();
        let mut properties: Vec<Property> = stated.map(|property| property.request).collect();
        properties.push(Property::NonProgress);
        let check = |simplify| {
            let settings = Settings { simplify, ..Settings::default() };
            let checker = Checker::new(&model).properties(properties.clone()).settings(settings);
            checker.options(options.clone()).run().unwrap_or_else(|fault| panic!("{name}: {fault}"))
        };
        let (found, simplified) = (check(false), check(true));
        for (long, short) in found.properties.iter().zip(&simplified.properties) {
            assert_eq!(long.verdict, short.verdict, "{name}");
            if short.verdict != Verdict::Violated {
                continue;
            }
            violated += 1;
            if let (Some(long), Some(short)) = (&long.counterexample, &short.counterexample) {
                let size = |run: &Counterexample| (run.steps().len(), switches(&run.steps()));
                assert!(size(short) <= size(long), "{name}");
                can_be_drawn(&ShownRun::new(short));
            }
            let origin = FoundIn { model: "m", defines: &[], program: &model.program };
            for checked in [long, short] {
                let saved = SavedRun::of_property(&origin, checked).expect("a run shows it");
                still_fails(&model, &saved, &name);
            }
        }
        let list = findings(&simplified);
        assert!(Page::new(&model, &simplified.requested, list, None).render().contains("</html>"));
    }
    assert!(violated > 20, "{violated}");
}
