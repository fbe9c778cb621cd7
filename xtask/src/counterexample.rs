//! Checks a counterexample: it is saved, read, replayed, and judged by the oracle.

use lariat::run::replay::Replayed;
use lariat::run::saved::{FoundIn, SavedRun};
use lariat::{Model, PropertyResult};
use lariat_ir::Interpreter;
use lariat_search::{Limits, Verdict};
use oracle::{Forbidden, Shown};

/// The checks that a counterexample has passed.
#[derive(Debug, Default)]
pub struct Passed {
    /// A run read from its saved form still violates the property.
    pub replayed: bool,
    /// The oracle finds that the run is forbidden.
    pub shown: bool,
}

/// Checks the counterexample of a result, by the oracle only if `forbidden` is given; the reason if
/// it is wrong.
pub fn check(
    model: &Model,
    checked: &PropertyResult,
    forbidden: Option<&Forbidden<'_>>,
) -> Result<Passed, String> {
    let mut passed = Passed::default();
    let run = match (&checked.counterexample, checked.verdict) {
        (Some(run), Verdict::Violated) => run,
        (None, Verdict::Violated) => return Err("no counterexample".to_owned()),
        (Some(_), _) => return Err("a counterexample to a property that holds".to_owned()),
        (None, _) => return Ok(passed),
    };
    if run.error().is_some() {
        return Ok(passed);
    }
    let origin = FoundIn { model: "m", defines: &[], program: &model.program };
    let Some(saved) = SavedRun::of_property(&origin, checked) else { return Ok(passed) };
    let saved = SavedRun::read(&saved.write())?;
    let judge = saved.judge(model, Limits::default())?;
    match saved.follow(&model.program, judge.as_deref()) {
        Ok(followed) if followed.result == Replayed::StillFails => passed.replayed = true,
        other => return Err(format!("replay: {other:?}")),
    }
    if let Some(forbidden) = forbidden {
        let cycle = (!run.cycle.is_empty()).then_some(run.prefix.len());
        let interpreter = Interpreter::new(&model.program);
        match forbidden.is_shown_by(&interpreter, &run.states, cycle) {
            Shown::Violation => passed.shown = true,
            Shown::Nothing(reason) => return Err(reason),
        }
    }
    Ok(passed)
}
