//! The verdicts of the examples match their headers: `expect: holds`, `expect -D NAME: violated
//! (KIND)`.

use lariat::check::safety::check_safety;
use lariat::model::{Define, ModelReader};
use lariat::{Engine, Settings};
use lariat_search::{Options, Verdict};
use std::path::Path;

#[test]
fn examples_match_their_headers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut models = 0;
    for entry in std::fs::read_dir(folder).expect("the examples").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "pml") {
            continue;
        }
        models += 1;
        let text = std::fs::read_to_string(&path).expect("a model");
        let expectations = text
            .lines()
            .filter_map(|line| line.trim_start_matches([' ', '*']).strip_prefix("expect"));
        let mut count = 0;
        for line in expectations {
            let (flags, expected) = line.split_once(": ").expect("a colon");
            let define: Vec<Define> = flags
                .trim()
                .strip_prefix("-D ")
                .map(|text| match text.split_once('=') {
                    Some((name, value)) => (name.to_string(), Some(value.to_string())),
                    None => (text.to_string(), None),
                })
                .into_iter()
                .collect();
            let model = ModelReader::default().defines(&define).read_file(&path);
            let model = model.unwrap_or_else(|error| panic!("{error}"));
            let settings = Settings { engine: Engine::Native, ..Settings::default() };
            let checked = check_safety(&model.program, &settings, &Options::default());
            let checked = checked.expect("it replays");
            let found = match checked.outcome.verdict() {
                Verdict::Holds => "holds".to_string(),
                Verdict::Inconclusive => "inconclusive".into(),
                Verdict::Violated => {
                    let error = checked.counterexamples[0].error().expect("it ends with an error");
                    format!("violated ({})", error.kind())
                }
            };
            assert_eq!(found, expected, "{} {define:?}", path.display());
            count += 1;
        }
        assert!(count > 0, "{} says nothing", path.display());
    }
    assert!(models >= 12);
}
