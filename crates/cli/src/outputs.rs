//! The flags of `check` that write the report to files. A write error does not change the verdict.

use super::destination::{Destination, cannot_write};
use super::writing::{Writing, advice};
use super::{Exit, complain};
use clap::Args;
use lariat::model::{Define, Problem};
use lariat::page::Page;
use lariat::report::findings::{Finding, findings};
use lariat::report::ledger::ledger;
use lariat::report::{Report, itf, junit, printable, sarif};
use lariat::run::saved::{FoundIn, SavedRun};
use lariat::run::trail;
use lariat_ir::Exhausted;
use std::cell::LazyCell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Files")]
pub struct Outputs {
    /// Write the verdicts as JUnit XML, for continuous integration
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write the errors as SARIF, which code hosts show at their lines
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,

    /// Write the first counterexample as a SPIN trail, for `spin -t`
    #[arg(long, value_name = "FILE")]
    trail: Option<PathBuf>,

    /// Write the first counterexample in the Informal Trace Format
    #[arg(long, value_name = "FILE")]
    itf: Option<PathBuf>,

    /// Write a self-contained HTML page that shows verdicts and runs
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Save the first counterexample, so that `lariat replay` can follow it after the model was
    /// edited
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

impl Outputs {
    /// Every requested file with its flag.
    fn requested(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let all = [
            ("--trail", &self.trail),
            ("--save", &self.save),
            ("--junit", &self.junit),
            ("--sarif", &self.sarif),
            ("--itf", &self.itf),
            ("--html", &self.html),
        ];
        all.into_iter().filter_map(|(flag, path)| Some((flag, path.as_deref()?)))
    }

    /// Opens all files before the search. A file that cannot be opened is reported, and the check
    /// continues without it.
    ///
    /// # Errors
    /// Two outputs would overwrite each other, or the model.
    pub fn open(&self, model: &OsStr) -> anyhow::Result<Files> {
        let mut files = Files { open: Vec::new(), written: Vec::new(), failed: false };
        let mut known: Vec<(&str, PathBuf)> = Vec::new();
        if let Ok(path) = Path::new(model).canonicalize() {
            known.push(("the model", path));
        }
        for (flag, path) in self.requested() {
            match Destination::open(path) {
                Ok(destination) => {
                    if let Some(identity) = destination.identity(path) {
                        if let Some((other, _)) = known.iter().find(|(_, known)| *known == identity)
                        {
                            anyhow::bail!(
                                "{flag} and {other} are the same file, {}",
                                path.display()
                            );
                        }
                        known.push((flag, identity));
                    }
                    files.open.push((flag, path.to_owned(), destination));
                }
                Err(error) => {
                    let problem = cannot_write(path, &error);
                    complain(&format!(
                        "error: {flag}: {problem}; the check continues without it\n"
                    ));
                    files.failed = true;
                }
            }
        }
        Ok(files)
    }
}

/// The open output files of one check.
#[derive(Debug)]
pub struct Files {
    open: Vec<(&'static str, PathBuf, Destination)>,
    written: Vec<&'static str>,
    /// A file could not be opened or written; the error was reported.
    pub failed: bool,
}

impl Files {
    /// Writes all outputs. A write error is reported and does not affect the other files; so is a
    /// limit that is reached.
    pub fn write(&mut self, defines: &[Define], report: &Arc<Report<'static>>, time: &Writing) {
        let (report, defines) = (|| Arc::clone(report), defines.to_vec());
        let it = report();
        self.put("--trail", time, || time.run(move || recorded(&it)));
        let it = report();
        self.put("--save", time, || time.run(move || saved(&defines, &it)));
        let it = report();
        let all = LazyCell::new(move || time.run(move || Arc::new(findings(&it))));
        let rendered = |render: fn(&Report<'_>, &[Finding]) -> Option<String>| {
            let (report, findings) = (report(), Arc::clone(all.as_ref().map_err(|limit| *limit)?));
            time.run(move || render(&report, &findings))
        };
        self.put("--junit", time, || {
            rendered(|report, findings| Some(junit::render(&report.model.name, findings)))
        });
        self.put("--sarif", time, || rendered(|_, findings| Some(sarif::render(findings))));
        self.put("--itf", time, || {
            rendered(|report, findings| {
                let first = findings.iter().flat_map(|finding| finding.violations()).next()?;
                Some(itf::render(&report.model.name, &first.trace))
            })
        });
        self.put("--html", time, || {
            rendered(|report, findings| {
                let ledger = Some(ledger(report));
                let page = Page::new(&report.model, &report.requested, findings.to_vec(), ledger);
                Some(page.render())
            })
        });
    }

    /// Writes the errors of a rejected model to the machine-readable outputs.
    pub fn reject(&mut self, model: &str, problems: &[Problem], time: &Writing) {
        self.put("--junit", time, || Ok(Some(junit::render_rejected(model, problems))));
        self.put("--sarif", time, || Ok(Some(sarif::render_rejected(problems))));
    }

    /// Whether this output was written.
    pub fn has_written(&self, flag: &str) -> bool {
        self.written.contains(&flag)
    }

    /// The exit code of the check: `holds` becomes an error if an output is missing.
    pub fn exit(&self, exit: Exit) -> Exit {
        if self.failed && exit == Exit::Holds { Exit::BadInput } else { exit }
    }

    fn put(
        &mut self,
        flag: &'static str,
        time: &Writing,
        text: impl FnOnce() -> Result<Option<String>, Exhausted>,
    ) {
        let Some(place) = self.open.iter().position(|(requested, ..)| *requested == flag) else {
            return;
        };
        let text = match text() {
            Ok(Some(text)) => Ok(text),
            Ok(None) => return,
            Err(limit) => Err(limit),
        };
        let (_, path, destination) = self.open.swap_remove(place);
        let problem = match text.and_then(|text| destination.write(text, time)) {
            Ok(Ok(())) => {
                self.written.push(flag);
                return;
            }
            Ok(Err(error)) => cannot_write(&path, &error),
            Err(limit) => {
                let path = printable(&path.to_string_lossy());
                format!("{path} is not written: {limit}{}", advice(limit))
            }
        };
        complain(&format!("error: {flag}: {problem}\n"));
        self.failed = true;
    }
}

/// The first counterexample as a trail.
fn recorded(report: &Report<'_>) -> Option<String> {
    let first = report.counterexamples().next()?;
    Some(trail::write(report.program(), &first.prefix, &first.cycle))
}

/// The first counterexample in the format of `lariat replay`.
fn saved(defines: &[Define], report: &Report<'_>) -> Option<String> {
    let program = report.program();
    let origin = FoundIn { model: &report.model.name, defines, program };
    let errors = report.safety.iter().flat_map(|safety| &safety.counterexamples);
    let mut errors = errors.filter_map(|found| SavedRun::of_error(&origin, found));
    let mut properties =
        report.violated().filter_map(|result| SavedRun::of_property(&origin, result));
    let saved = errors.next().or_else(|| properties.next());
    if saved.is_none() && report.violated().next().is_some() {
        complain(
            "warning: --save: nothing is written, because no single run shows the violation\n",
        );
    }
    saved.map(|saved| saved.write())
}
