//! `lariat replay`: does a saved counterexample still fail after the model was edited?

use super::signals::{INTERRUPTED, stop_when_interrupted};
use super::source::read_text;
use super::{Color, Exit, STACK_BYTES, say, values};
use anyhow::Context;
use clap::Args;
use lariat::model::{Define, ModelReader};
use lariat::recheck::{Recheck, recheck};
use lariat::report::columns::table;
use lariat::report::text::Style;
use lariat::report::{counterexample, printable};
use lariat::run::replay::{Followed, Replayed};
use lariat::run::saved::{SavedEvidence, SavedRun, SavedStep, fingerprint};
use lariat::run::steps::show_run;
use lariat::{Error, Property, machine};
use lariat_ir::Budget;
use lariat_ir::trace::Change;
use lariat_search::{Limits, Options};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The time to check the property again, unless the command has a time limit.
const RECHECK: Duration = Duration::from_secs(10);

#[derive(Debug, Args)]
pub struct Replay {
    /// A counterexample saved with `lariat check --save`
    file: PathBuf,

    /// The model [default: the one the counterexample was found in]
    model: Option<OsString>,

    /// Define a macro [default: the definitions of the original check]
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    define: Vec<Define>,

    /// Time limit of the whole command. If the run is no longer possible, the property is checked
    /// again for at most half of the remaining time, and for at most 10s without a limit
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,

    /// Print only the verdict
    #[arg(long, short)]
    quiet: bool,

    /// Colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

impl Replay {
    pub fn run(self) -> anyhow::Result<Exit> {
        stop_when_interrupted();
        let budget = Budget::new(self.time, &INTERRUPTED);
        let part = budget.clone();
        let replayed = budget.run(STACK_BYTES, move |_| self.replay(&part));
        let phase = "while the run was replayed";
        let (text, exit) = replayed.map_err(|limit| Error::Exhausted { limit, phase })??;
        Ok(say(&text, exit))
    }

    /// The report and its exit code.
    fn replay(&self, budget: &Budget) -> anyhow::Result<(String, Exit)> {
        let saved = SavedRun::read(&read_text(&self.file)?)
            .map_err(anyhow::Error::msg)
            .with_context(|| self.file.display().to_string())?;
        let path = self.model.clone().unwrap_or_else(|| saved.model.clone().into());
        let defines = if self.define.is_empty() { &saved.defines } else { &self.define };
        let reader = ModelReader::default().defines(defines).color(self.color.stderr());
        let model = reader.properties(&saved.properties())?.read_within(&path, budget)?;
        let memory_bytes = machine::default_memory_bytes();
        let limits = Limits { memory_bytes, budget, ..Limits::default() };
        let judge = saved.judge(&model, limits.clone()).map_err(anyhow::Error::msg)?;
        let followed = saved
            .follow(&model.program, judge.as_deref())
            .map_err(|error| anyhow::anyhow!(printable(&error.to_string())))
            .context("the model has no initial state")?;
        let style = self.color.style();
        let same = fingerprint(&model.program) == saved.fingerprint;
        let again = match followed.result {
            Replayed::Diverges { .. } | Replayed::DoesNotClose { .. } => {
                let part = budget.part(budget.remaining().map_or(RECHECK, |left| left / 2));
                let limits = Limits { budget: &part, ..limits };
                recheck(&saved, &model, Options { limits, ..Options::default() })?
            }
            _ => Recheck::Undecided,
        };
        let (line, exit) = verdict(&saved, &followed, same, style);
        let (line, exit) = match &again {
            Recheck::Holds => (
                format!("{}: no run fails any more; this one {line}", style.good("fixed")),
                Exit::Holds,
            ),
            Recheck::Violated(_) => (line + ", but another run fails", Exit::Violated),
            Recheck::Undecided => (line, exit),
        };
        let mut text = line + "\n";
        if !self.quiet {
            text += &match (&followed.result, &followed.counterexample) {
                (_, Some(found)) => counterexample::render(found, style),
                (Replayed::Diverges { .. }, _) => alternatives(&followed) + &others(&again),
                (Replayed::DoesNotClose { differs }, _) => differences(differs) + &others(&again),
                (Replayed::Fixed | Replayed::Unfair, _) => {
                    "  other runs may fail; lariat check searches all runs\n".to_string()
                }
                _ => {
                    let path = &followed.path;
                    table(&show_run(&model.program, &path.steps, &path.states), style)
                }
            };
        }
        Ok((style.fitted(text), exit))
    }
}

/// The verdict on the run, in one line.
fn verdict(saved: &SavedRun, followed: &Followed, same: bool, style: Style) -> (String, Exit) {
    let since = if same { "the model has not changed" } else { "the model has changed since" };
    match &followed.result {
        Replayed::StillFails => {
            (format!("{}: {}; {since}", style.bad("still fails"), shown(saved)), Exit::Violated)
        }
        Replayed::FailsOtherwise { step, error } if error.is_limit() => {
            let error = printable(&error.to_string());
            (
                format!("{}: at step {}: {error}", style.unsure("inconclusive"), step + 1),
                Exit::Inconclusive,
            )
        }
        Replayed::FailsOtherwise { step, error } => {
            let error = printable(&error.to_string());
            let line = format!("{}: at step {}: {error}", style.bad("fails otherwise"), step + 1);
            (line, Exit::Violated)
        }
        Replayed::Fixed => {
            let right = match saved.shows {
                SavedEvidence::Error(_) => "the error does not occur",
                SavedEvidence::Property { request: Property::Ctl(_), .. } => {
                    "the formula holds now"
                }
                SavedEvidence::Property { .. } => "it satisfies the property",
            };
            let line = format!("{}: the run is still possible, but {right}", style.good("fixed"));
            (line, Exit::Holds)
        }
        Replayed::Unfair => {
            let line = "the run is still possible, but it is not fair any more";
            (format!("{}: {line}", style.good("fixed")), Exit::Holds)
        }
        Replayed::Diverges { step } => {
            let wanted = saved.steps.get(*step).map_or_else(
                || "the run does not end here any more".to_string(),
                |step| format!("{} is not possible any more", step_text(step)),
            );
            let head = style.unsure(&format!("diverges at step {}", step + 1));
            (format!("{head}: {wanted}"), Exit::Inconclusive)
        }
        Replayed::DoesNotClose { .. } => {
            let head = style.unsure(&format!("diverges at step {}", saved.steps.len() + 1));
            let start = saved.cycle.map_or(0, |cycle| cycle + 1);
            let line =
                format!("{head}: the cycle does not return to its first state, at step {start}");
            (line, Exit::Inconclusive)
        }
    }
}

/// The violation that the run was saved for.
fn shown(saved: &SavedRun) -> String {
    match &saved.shows {
        SavedEvidence::Error(error) => printable(&error.to_string()),
        SavedEvidence::Property { request, fairness, assumed, no_value } => {
            let notion = fairness.as_ref().map(|name| format!("{name} fairness"));
            let automata = assumed.iter().map(|each| printable(each.name()).to_string());
            let all: Vec<String> = notion.into_iter().chain(automata).collect();
            let under =
                if all.is_empty() { String::new() } else { format!(" under {}", all.join(", ")) };
            let name = printable(request.name());
            match no_value {
                Some(error) => {
                    format!("{name}: a condition has no value: {}", printable(&error.to_string()))
                }
                None => format!("{name} is violated{under}"),
            }
        }
    }
}

/// The steps that are possible where the run diverges.
fn alternatives(followed: &Followed) -> String {
    let mut text = String::new();
    for (number, other) in followed.instead.iter().enumerate() {
        let lead = if number == 0 { "there is now" } else { "         or" };
        text += &format!("  {lead} {}\n", step_text(other));
    }
    text
}

fn differences(differs: &[Change]) -> String {
    let each: Vec<String> = differs
        .iter()
        .map(|change| format!("{} = {}", printable(&change.name), change.value))
        .collect();
    match each.is_empty() {
        true => {
            "  the variables return to their values, but not the processes to their locations\n"
                .to_string()
        }
        false => format!("  after one iteration {}\n", each.join(", ")),
    }
}

/// The result of checking the property again.
fn others(again: &Recheck) -> String {
    match again {
        Recheck::Holds => String::new(),
        Recheck::Violated(Some(error)) => {
            format!("  another run: {}; lariat check shows it\n", printable(&error.to_string()))
        }
        Recheck::Violated(None) => "  lariat check shows the other run\n".to_string(),
        Recheck::Undecided => {
            "  the time limit was reached before all runs were checked; use lariat check\n"
                .to_string()
        }
    }
}

fn step_text(step: &SavedStep) -> String {
    let each = step.moves.iter().map(|taken| {
        format!(
            "{} {}:{} `{}`",
            taken.process,
            printable(&taken.file),
            taken.line,
            printable(&taken.statement)
        )
    });
    each.collect::<Vec<_>>().join(" with ")
}
