//! The flags of `check` that write its report into files.

use anyhow::Context;
use clap::Args;
use lariat::load::{Define, Model};
use lariat::page::Page;
use lariat::replay::SavedRun;
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use lariat::report::{Report, itf, junit, sarif};
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
        if let (Some(file), Some(first)) = (&self.save, report.checked.counterexamples.first()) {
            write(file, &SavedRun::new(&model.name, defines, &model.program, first).write())?;
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
        let first = findings.iter().flat_map(|finding| &finding.runs).next();
        if let (Some(file), Some(first)) = (&self.itf, first) {
            write(file, &itf::render(&model.name, &first.trace))?;
        }
        if let Some(file) = &self.html {
            write(file, &Page::new(model, findings, Some(ledger(report))).render())?;
        }
        Ok(())
    }
}

pub fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}
