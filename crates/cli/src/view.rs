//! `lariat view`: check a model and show the report in a browser.

use super::check::Check;
use super::{Exit, say};
use anyhow::Context;
use clap::Args;
use lariat::report::printable;
use lariat_search::temporary::Temporary;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Args)]
pub struct View {
    #[command(flatten)]
    check: Check,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl View {
    /// Writes the page to the file given with `--html`, or to a new private directory.
    ///
    /// The directory is kept if it has a page, since the browser reads the page after the command
    /// has ended.
    pub fn run(mut self) -> anyhow::Result<Exit> {
        let (file, directory) = match self.check.requested_page() {
            Some(file) => (file.to_owned(), None),
            None => {
                let directory = Temporary::directory(&std::env::temp_dir()).context(
                    "cannot make a directory for the page; --html FILE names another place",
                )?;
                (directory.path().join(page_name(self.check.model())), Some(directory))
            }
        };
        self.check.show_page(file.clone());
        let examined = self.check.examine()?;
        if !examined.has_page {
            return Ok(examined.exit);
        }
        directory.map(Temporary::keep);
        let exit = say(&format!("{}\n", printable(&file.to_string_lossy())), examined.exit);
        if !self.no_open {
            open(&std::path::absolute(&file).context("the page has no absolute path")?);
        }
        Ok(exit)
    }
}

/// A file name derived from the model's name, in plain characters.
fn page_name(model: &OsStr) -> PathBuf {
    let stem =
        Path::new(model).file_stem().map_or_else(|| "model".into(), |stem| stem.to_string_lossy());
    let plain: String =
        stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    format!("lariat-{plain}.html").into()
}

/// Opens a file in the browser. Failures are ignored: the user can open the printed path.
pub fn open(file: &Path) {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(opener);
    let _ =
        command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
