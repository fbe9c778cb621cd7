//! The flags of `check` that write its report into files. The verdict never depends on whether they can be
//! written.

use super::destination::{Destination, cannot_write};
use super::{Exit, complain};
use clap::Args;
use lariat::load::{Define, Model, Problem};
use lariat::page::Page;
use lariat::replay::{FoundIn, SavedRun};
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use lariat::report::{Report, itf, junit, sarif};
use lariat::trail;
use std::cell::LazyCell;
use std::ffi::OsStr;
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
    /// Every file that was asked for, with its flag.
    fn asked(&self) -> impl Iterator<Item = (&'static str, &Path)> {
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

    /// Opens all files, before the search. One that cannot be opened is reported now, and the
    /// check goes on without it.
    ///
    /// # Errors
    /// Two outputs would overwrite each other, or the model.
    pub fn open(&self, model: &OsStr) -> anyhow::Result<Files> {
        let mut files = Files { open: Vec::new(), written: Vec::new(), failed: false };
        let mut known: Vec<(&str, PathBuf)> = Vec::new();
        if let Ok(path) = Path::new(model).canonicalize() {
            known.push(("the model", path));
        }
        for (flag, path) in self.asked() {
            match Destination::open(path) {
                Ok(destination) => {
                    if let Some(identity) = destination.identity(path) {
                        if let Some((other, _)) = known.iter().find(|(_, known)| *known == identity) {
                            anyhow::bail!("{flag} and {other} are the same file, {}", path.display());
                        }
                        known.push((flag, identity));
                    }
                    files.open.push((flag, path.to_owned(), destination));
                }
                Err(error) => {
                    let problem = cannot_write(path, &error);
                    complain(&format!("error: {flag}: {problem}; the check goes on without it\n"));
                    files.failed = true;
                }
            }
        }
        Ok(files)
    }
}

/// The outputs of one check, opened.
#[derive(Debug)]
pub struct Files {
    open: Vec<(&'static str, PathBuf, Destination)>,
    written: Vec<&'static str>,
    /// A file could not be opened or written, which was reported.
    pub failed: bool,
}

impl Files {
    /// Writes everything there is to write. Failures are reported, and do not keep other files from being written.
    pub fn write(&mut self, model: &Model, defines: &[Define], report: &Report<'_>) {
        self.put("--trail", || recorded(report));
        self.put("--save", || saved(model, defines, report));
        let findings = LazyCell::new(|| findings(report));
        self.put("--junit", || Some(junit::render(&model.name, &findings)));
        self.put("--sarif", || Some(sarif::render(&findings)));
        self.put("--itf", || {
            let first = findings.iter().flat_map(|finding| finding.violations()).next()?;
            Some(itf::render(&model.name, &first.trace))
        });
        self.put("--html", || {
            Some(Page::new(model, report.asked, findings.clone(), Some(ledger(report))).render())
        });
    }

    /// The model was rejected: says so where machines look for it.
    pub fn reject(&mut self, model: &str, problems: &[Problem]) {
        self.put("--junit", || Some(junit::render_rejected(model, problems)));
        self.put("--sarif", || Some(sarif::render_rejected(problems)));
    }

    /// Was this output written?
    pub fn has_written(&self, flag: &str) -> bool {
        self.written.contains(&flag)
    }

    /// The exit code of a check that ended like this: that nothing is wrong is not the whole answer if an
    /// output is missing.
    pub fn exit(&self, exit: Exit) -> Exit {
        if self.failed && exit == Exit::Holds { Exit::BadInput } else { exit }
    }

    fn put(&mut self, flag: &'static str, text: impl FnOnce() -> Option<String>) {
        let Some(place) = self.open.iter().position(|(asked, ..)| *asked == flag) else { return };
        let Some(text) = text() else { return };
        let (_, path, destination) = self.open.swap_remove(place);
        match destination.write(&text) {
            Ok(()) => self.written.push(flag),
            Err(error) => {
                complain(&format!("error: {flag}: {}\n", cannot_write(&path, &error)));
                self.failed = true;
            }
        }
    }
}

/// The first run as a trail.
fn recorded(report: &Report<'_>) -> Option<String> {
    if let Some(first) = report.checked.counterexamples.first() {
        return Some(trail::write(report.program, &first.violation.run.steps));
    }
    let lasso = report.violated().find_map(|checked| checked.lasso.as_ref())?;
    Some(trail::write_lasso(report.program, &lasso.prefix, &lasso.cycle))
}

/// The first run, to be followed again.
fn saved(model: &Model, defines: &[Define], report: &Report<'_>) -> Option<String> {
    let origin = FoundIn { model: &model.name, defines, program: &model.program };
    if let Some(first) = report.checked.counterexamples.first() {
        return Some(SavedRun::of_error(&origin, first).write());
    }
    let saved = report.violated().find_map(|checked| SavedRun::of_property(&origin, checked));
    if saved.is_none() && report.violated().next().is_some() {
        complain("warning: --save: nothing is written: no single run shows what is violated\n");
    }
    saved.map(|saved| saved.write())
}
