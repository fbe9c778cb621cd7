//! `lariat replay`: is a counterexample that was saved still one, after the model was edited?

use super::signals::{INTERRUPTED, stop_when_interrupted};
use super::{Color, Exit, READING, Stopped, complain, say, values};
use anyhow::Context;
use clap::Args;
use lariat::load::{Define, load_within};
use lariat::machine;
use lariat::property::Wanted;
use lariat::replay::{Again, Followed, Replayed, SavedRun, SavedStep, Shows, fingerprint};
use lariat::report::columns::table;
use lariat::report::lasso::infinite_run;
use lariat::report::printable;
use lariat::report::text::Style;
use lariat::run::show_run;
use model::Budget;
use model::trace::Change;
use search::{Limits, Options};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Replay {
    /// A counterexample saved with `lariat check --save`
    file: PathBuf,

    /// The model [default: the one it was found in]
    model: Option<OsString>,

    /// Define a macro [default: as when it was found]
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    define: Vec<Define>,

    /// If it cannot be followed any more, look at all other runs for so long
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = values::duration)]
    time: Duration,

    /// Say what became of it and nothing else
    #[arg(long, short)]
    quiet: bool,

    /// Colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

impl Replay {
    pub fn run(self) -> anyhow::Result<Exit> {
        stop_when_interrupted();
        let budget = Budget::new(None, &INTERRUPTED);
        let text =
            std::fs::read(&self.file).with_context(|| format!("cannot read {}", self.file.display()))?;
        let saved = SavedRun::read(&String::from_utf8_lossy(&text))
            .map_err(anyhow::Error::msg)
            .with_context(|| self.file.display().to_string())?;
        let path = self.model.clone().unwrap_or_else(|| saved.model.clone().into());
        let defines = if self.define.is_empty() { &saved.defines } else { &self.define };
        let texts = saved.texts().map_err(anyhow::Error::msg)?;
        let read = load_within(&path, defines, &texts, self.color.stderr(), &budget);
        let model = match read.map_err(|why| Stopped { why, phase: READING })? {
            Ok(model) => model,
            Err(rejected) => {
                complain(&rejected.text);
                return Ok(Exit::BadInput);
            }
        };
        let memory_bytes = machine::default_memory_bytes();
        let limits = Limits { memory_bytes, budget: &budget, ..Limits::default() };
        let judge = saved.judge(&model, limits.clone()).map_err(anyhow::Error::msg)?;
        let followed = saved
            .follow(&model.program, judge.as_deref())
            .map_err(|error| anyhow::anyhow!(printable(&error.to_string())))
            .context("the model has no initial state")?;
        let style = self.color.style();
        let same = fingerprint(&model.program) == saved.fingerprint;
        let again = match followed.result {
            Replayed::Diverges { .. } | Replayed::DoesNotClose { .. } => {
                let part = budget.part(self.time);
                let limits = Limits { budget: &part, ..limits };
                saved.check_again(&model, &Options { limits, ..Options::default() })?
            }
            _ => Again::Undecided,
        };
        let (line, exit) = verdict(&saved, &followed, same, style);
        let (line, exit) = match &again {
            Again::Holds => {
                (format!("{}: no run fails any more; this one {line}", style.good("fixed")), Exit::Holds)
            }
            Again::Violated(_) => (line + ", but another run fails", Exit::Violated),
            Again::Undecided => (line, exit),
        };
        let mut text = line + "\n";
        if !self.quiet {
            text += &match (&followed.result, &followed.lasso) {
                (_, Some(lasso)) => infinite_run(&model.program, lasso, ending(&saved), style),
                (Replayed::Diverges { .. }, _) => alternatives(&followed) + &others(&again),
                (Replayed::DoesNotClose { differs }, _) => differences(differs) + &others(&again),
                (Replayed::Fixed | Replayed::Unfair, _) => {
                    "  other runs may fail: lariat check looks at all\n".to_string()
                }
                _ => table(&show_run(&model.program, &followed.steps, &followed.states), style),
            };
        }
        Ok(say(&style.fitted(text), exit))
    }
}

/// What became of the run, in one line.
fn verdict(saved: &SavedRun, followed: &Followed, same: bool, style: Style) -> (String, Exit) {
    let since = if same { "the model has not changed" } else { "the model has changed since" };
    match &followed.result {
        Replayed::StillFails => {
            (format!("{}: {}; {since}", style.bad("still fails"), shown(saved)), Exit::Violated)
        }
        Replayed::FailsOtherwise { step, error } if error.is_limit() => {
            let error = printable(&error.to_string());
            (format!("{}: at step {}: {error}", style.unsure("inconclusive"), step + 1), Exit::Inconclusive)
        }
        Replayed::FailsOtherwise { step, error } => {
            let error = printable(&error.to_string());
            let line = format!("{}: at step {}: {error}", style.bad("fails otherwise"), step + 1);
            (line, Exit::Violated)
        }
        Replayed::Fixed => {
            let right = match saved.shows {
                Shows::Error(_) => "nothing is wrong with it",
                Shows::Property { wanted: Wanted::Ctl(_), .. } => "the formula holds now",
                Shows::Property { .. } => "the property is true of it",
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
            let line = format!("{head}: the cycle does not come back to where it starts, at step {start}");
            (line, Exit::Inconclusive)
        }
    }
}

/// What the last state of a run without a cycle shows.
fn ending(saved: &SavedRun) -> &'static str {
    match saved.shows {
        Shows::Property { wanted: Wanted::Ctl(_), .. } => "this state shows that the formula does not hold",
        _ => "whatever follows, the property is violated",
    }
}

/// What the run was saved for.
fn shown(saved: &SavedRun) -> String {
    match &saved.shows {
        Shows::Error(error) => printable(&error.to_string()),
        Shows::Property { wanted, fairness, assumed, no_value } => {
            let notion = fairness.as_ref().map(|name| format!("{name} fairness"));
            let automata = assumed.iter().map(|each| printable(each.name()).to_string());
            let all: Vec<String> = notion.into_iter().chain(automata).collect();
            let under = if all.is_empty() { String::new() } else { format!(" under {}", all.join(", ")) };
            let name = printable(wanted.name());
            match no_value {
                Some(error) => format!("{name}: a condition has no value: {}", printable(&error.to_string())),
                None => format!("{name} is violated{under}"),
            }
        }
    }
}

/// Where the run diverges: what can be done there now.
fn alternatives(followed: &Followed) -> String {
    let mut text = String::new();
    for (number, other) in followed.instead.iter().enumerate() {
        let lead = if number == 0 { "there is now" } else { "         or" };
        text += &format!("  {lead} {}\n", step_text(other));
    }
    text
}

fn differences(differs: &[Change]) -> String {
    let each: Vec<String> =
        differs.iter().map(|change| format!("{} = {}", printable(&change.name), change.value)).collect();
    match each.is_empty() {
        true => "  the values come back, but not the steps\n".to_string(),
        false => format!("  after a round {}\n", each.join(", ")),
    }
}

/// What is known of all other runs.
fn others(again: &Again) -> String {
    match again {
        Again::Holds => String::new(),
        Again::Violated(Some(error)) => {
            format!("  another run: {}; lariat check shows it\n", printable(&error.to_string()))
        }
        Again::Violated(None) => "  lariat check shows the other run\n".to_string(),
        Again::Undecided => {
            "  whether other runs fail was not found out in time: lariat check looks at all\n".to_string()
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
