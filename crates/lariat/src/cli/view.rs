//! `lariat view`: check a model, and show the answer in a browser.

use super::source::{Source, shortest};
use super::{Exit, values};
use anyhow::Context;
use clap::Args;
use lariat::page::Page;
use lariat::report::Report;
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use search::Verdict;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct View {
    #[command(flatten)]
    source: Source,

    /// Where to write the page [default: a file for temporary things]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Do not search longer, such as 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl View {
    pub fn run(self) -> anyhow::Result<Exit> {
        let Some(model) = self.source.load(false) else { return Ok(Exit::BadInput) };
        let checked = shortest(&model, self.time)?;
        let report = Report {
            model: &model.name,
            program: &model.program,
            properties: &model.properties,
            checked: &checked,
            safety: true,
            liveness: &[],
        };
        let page = Page::new(&model, findings(&report), Some(ledger(&report)));
        let file = self.output.unwrap_or_else(|| temporary(&model.name));
        super::outputs::write(&file, &page.render())?;
        writeln!(io::stdout(), "{}", file.display())?;
        if !self.no_open {
            let absolute = std::path::absolute(&file).context("the page has no absolute path")?;
            open(&absolute.to_string_lossy());
        }
        Ok(match checked.outcome.verdict() {
            Verdict::Holds => Exit::Holds,
            Verdict::Violated => Exit::Violated,
            Verdict::Inconclusive => Exit::Inconclusive,
        })
    }
}

/// A file of this process's own, so that nobody's page is overwritten.
fn temporary(model: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
    let plain: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    std::env::temp_dir().join(format!("lariat-{plain}-{}.html", std::process::id()))
}

/// Asks the system to show something; where it cannot, the user has the address.
pub fn open(what: &str) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(opener);
    let _ = command.arg(what).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
