//! Every error of every model in the corpus and the examples can be made readable: its run is shortened and still replays, is saved and still
//! fails when followed, and can be drawn in every form.

use lariat::answer::{Answer, Asked, answer};
use lariat::chart::{mermaid, svg};
use lariat::check::{Engine, check};
use lariat::load::{Model, load};
use lariat::page::Page;
use lariat::property::{self, Choice, Meaning, Property, Wanted};
use lariat::replay::{FoundIn, Replayed, SavedRun};
use lariat::report::findings::{ShownRun, findings};
use lariat::report::{itf, junit, sarif};
use lariat::shorten::switches;
use model::Interpreter;
use search::{Limits, Options, Verdict};
use std::path::{Path, PathBuf};

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["corpus/errors", "corpus/regress", "corpus/traps", "corpus/lang", "examples"];
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(root.join(folder)).expect("a directory of models").flatten();
        found.extend(entries.map(|entry| entry.path()));
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    found.sort();
    found
}

/// A run that was saved can be read, and shows the same when it is followed.
fn still_fails(model: &Model, saved: &SavedRun, name: &str) {
    let saved = SavedRun::read(&saved.write()).expect("it can be read");
    let judge = saved.judge(model, search::Limits::default()).expect("the property is there");
    let followed = saved.follow(&model.program, judge.as_deref()).expect("it starts");
    assert_eq!(followed.result, Replayed::StillFails, "{name}: {:?}", saved.shows);
}

fn can_be_drawn(shown: &ShownRun) {
    assert!(svg::render(&shown.trace).ends_with("</svg>\n"));
    let mermaid = mermaid::render(&shown.trace);
    let lines = |word: &str| mermaid.lines().filter(|line| line.trim_start().starts_with(word)).count();
    assert!(mermaid.starts_with("sequenceDiagram") && lines("loop") == lines("end"), "{mermaid}");
    assert!(itf::render("m", &shown.trace).contains("\"states\""));
}

#[test]
fn every_error_can_be_read() {
    let mut errors = 0;
    for path in models() {
        let Ok(model) = load(path.as_os_str(), &[], false) else { continue };
        let program = &model.program;
        let limits = Limits { states: Some(100_000), ..Limits::default() };
        let options = Options { all_errors: true, limits, ..Options::default() };
        let mut checked = check(program, Engine::Native, false, &options).expect("it replays");
        let found: Vec<_> = checked.counterexamples.iter().map(|found| found.violation.clone()).collect();
        checked.simplify(program, &model::budget::UNLIMITED);
        for (long, short) in found.iter().zip(&checked.counterexamples) {
            errors += 1;
            let name = path.display();
            assert_eq!(long.error, short.violation.error, "{name}");
            assert!(short.violation.run.steps.len() <= long.run.steps.len(), "{name}");
            if short.violation.run.steps.len() == long.run.steps.len() {
                assert!(switches(&short.violation.run.steps) <= switches(&long.run.steps), "{name}");
            }
            let replayed = search::replay::replay(&Interpreter::new(program), &short.violation);
            assert!(replayed.is_ok(), "{name}: {replayed:?}");
            if short.states.is_empty() {
                continue;
            }
            let origin = FoundIn { model: "m", defines: &[], program };
            still_fails(&model, &SavedRun::of_error(&origin, short), &name.to_string());
            let shown = ShownRun::new(program, short);
            can_be_drawn(&shown);
            assert_eq!(
                shown.deadlock.is_some(),
                short.violation.error.kind() == "invalid end state",
                "{name}"
            );
        }
        let answer = Answer { checked, safety: true, ..Answer::default() };
        let report = answer.report(&model);
        let list = findings(&report);
        assert!(junit::render("m", &list).contains("<testsuite"));
        assert!(sarif::render(&list).contains("2.1.0"));
        assert!(Page::new(&model, &model.stated, list, None).render().contains("</html>"));
    }
    assert!(errors > 20, "{errors}");
}

/// The same for the properties that models state, and for cycles without progress.
#[test]
fn every_violated_property_can_be_read() {
    let mut violated = 0;
    for path in models() {
        let Ok(model) = load(path.as_os_str(), &[], false) else { continue };
        let name = path.display().to_string();
        let limits = Limits { states: Some(20_000), ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        let mut asked = Asked::new(&model, &[], &[]).expect("nothing is missing");
        asked.safety = false;
        asked.properties.push(Property::new(Wanted::NonProgress, Meaning::Progress));
        let ask = |simplify| {
            let choice = Choice { simplify, ..Choice::default() };
            answer(&model.program, &asked, &choice, &options)
                .unwrap_or_else(|fault| panic!("{name}: {fault}"))
        };
        let (found, simplified) = (ask(false), ask(true));
        for (long, short) in found.liveness.iter().zip(&simplified.liveness) {
            assert_eq!(long.verdict, short.verdict, "{name}");
            if short.verdict != Verdict::Violated {
                continue;
            }
            violated += 1;
            if let (Some(long), Some(short)) = (&long.lasso, &short.lasso) {
                let size = |lasso: &property::Lasso| (lasso.steps().len(), switches(&lasso.steps()));
                assert!(size(short) <= size(long), "{name}");
                can_be_drawn(&ShownRun::of_lasso(&model.program, short, search::Verdict::Violated));
            }
            let origin = FoundIn { model: "m", defines: &[], program: &model.program };
            for checked in [long, short] {
                let saved = SavedRun::of_property(&origin, checked).expect("a run shows it");
                still_fails(&model, &saved, &name);
            }
        }
        let list = findings(&simplified.report(&model));
        assert!(Page::new(&model, &asked.properties, list, None).render().contains("</html>"));
    }
    assert!(violated > 20, "{violated}");
}
