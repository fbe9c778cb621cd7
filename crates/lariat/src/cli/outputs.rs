//! The flags of `check` that write its report into files.

use super::complain;
use anyhow::Context;
use clap::Args;
use lariat::load::{Define, Model};
use lariat::page::Page;
use lariat::replay::{FoundIn, SavedRun};
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use lariat::report::{Report, itf, junit, sarif};
use lariat::trail;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct Outputs {
    /// Write the verdicts here as JUnit's XML, for continuous integration
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write the errors here as SARIF, so that code hosts show them at their lines
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,

    /// Write the run that shows the first error here, as SPIN's `spin -t` replays it
    #[arg(long, value_name = "FILE")]
    trail: Option<PathBuf>,

    /// Write the run that shows the first error here, in the Informal Trace Format
    #[arg(long, value_name = "FILE")]
    itf: Option<PathBuf>,

    /// Write a page here that shows verdicts and runs in a browser; it needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Save the run that shows the first error here; `lariat replay` follows it again after the model was edited
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

impl Outputs {
    pub fn write(&self, model: &Model, defines: &[Define], report: &Report<'_>) -> anyhow::Result<()> {
        if let (Some(file), Some(text)) = (&self.trail, self.recorded(report)) {
            write(file, &text)?;
        }
        if let Some(file) = &self.save {
            self.save(file, model, defines, report)?;
        }
        if self.junit.is_none() && self.sarif.is_none() && self.itf.is_none() && self.html.is_none() {
            return Ok(());
        }
        let findings = findings(report);
        if let Some(file) = &self.junit {
            write(file, &junit::render(&model.name, &findings))?;
        }
        if let Some(file) = &self.sarif {
            write(file, &sarif::render(&findings))?;
        }
        let first = findings.iter().flat_map(|finding| finding.violations()).next();
        if let (Some(file), Some(first)) = (&self.itf, first) {
            write(file, &itf::render(&model.name, &first.trace))?;
        }
        if let Some(file) = &self.html {
            write(file, &Page::new(model, report.asked, findings, Some(ledger(report))).render())?;
        }
        Ok(())
    }

    /// The first run as a trail.
    fn recorded(&self, report: &Report<'_>) -> Option<String> {
        if let Some(first) = report.checked.counterexamples.first() {
            return Some(trail::write(report.program, &first.violation.run.steps));
        }
        let lasso = report.violated().find_map(|checked| checked.lasso.as_ref())?;
        Some(trail::write_lasso(report.program, &lasso.prefix, &lasso.cycle))
    }

    fn save(
        &self,
        file: &Path,
        model: &Model,
        defines: &[Define],
        report: &Report<'_>,
    ) -> anyhow::Result<()> {
        let origin = FoundIn { model: &model.name, defines, program: &model.program };
        if let Some(first) = report.checked.counterexamples.first() {
            return write(file, &SavedRun::of_error(&origin, first).write());
        }
        if let Some(saved) = report.violated().find_map(|checked| SavedRun::of_property(&origin, checked)) {
            return write(file, &saved.write());
        }
        if report.violated().next().is_some() {
            let shown = file.display();
            complain(&format!("warning: {shown} is not written: no single run shows what is violated\n"));
        }
        Ok(())
    }
}

pub fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
