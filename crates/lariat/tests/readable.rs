//! Every error of every model in the corpus and the examples can be made readable: its run is shortened and still replays, is saved and still
//! fails when followed, and can be drawn in every form.

use lariat::chart::{mermaid, svg};
use lariat::check::{Engine, check};
use lariat::load::load;
use lariat::page::Page;
use lariat::replay::{Replayed, SavedRun};
use lariat::report::Report;
use lariat::report::findings::{ShownRun, findings};
use lariat::report::{itf, junit, sarif};
use lariat::shorten::switches;
use model::Interpreter;
use search::{Limits, Options};
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
        checked.simplify(program);
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
            let saved =
                SavedRun::read(&SavedRun::new("m", &[], program, short).write()).expect("it can be read");
            let followed = saved.follow(program).expect("it starts");
            assert_eq!(followed.result, Replayed::StillFails, "{name}: {}", short.violation.error);
            let shown = ShownRun::new(program, short);
            assert!(svg::render(&shown.trace).ends_with("</svg>\n"));
            assert!(mermaid::render(&shown.trace).starts_with("sequenceDiagram"));
            assert!(itf::render("m", &shown.trace).contains("\"states\""));
            assert_eq!(
                shown.deadlock.is_some(),
                short.violation.error.kind() == "invalid end state",
                "{name}"
            );
        }
        let report = Report {
            model: &model.name,
            program,
            properties: &model.properties,
            checked: &checked,
            safety: true,
            liveness: &[],
        };
        let list = findings(&report);
        assert!(junit::render("m", &list).contains("<testsuite"));
        assert!(sarif::render(&list).contains("2.1.0"));
        assert!(Page::new(&model, list, None).render().contains("</html>"));
    }
    assert!(errors > 20, "{errors}");
}
