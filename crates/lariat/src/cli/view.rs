//! `lariat view`: check a model, and show the answer in a browser.

use super::Exit;
use super::check::Check;
use anyhow::Context;
use clap::Args;
use std::ffi::OsStr;
use std::io::{self, Write};
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
    /// The page goes to where `--html` says, or into a file for temporary things.
    pub fn run(mut self) -> anyhow::Result<Exit> {
        let file = self.check.page(temporary);
        // A page of an earlier run must not be taken for this one's.
        if file.exists() {
            std::fs::remove_file(&file).with_context(|| format!("cannot replace {}", file.display()))?;
        }
        let exit = self.check.run()?;
        if !file.exists() {
            return Ok(exit);
        }
        writeln!(io::stdout(), "{}", file.display())?;
        if !self.no_open {
            let absolute = std::path::absolute(&file).context("the page has no absolute path")?;
            open(&absolute.to_string_lossy());
        }
        Ok(exit)
    }
}

/// A file of this process's own, so that nobody's page is overwritten.
fn temporary(model: &OsStr) -> PathBuf {
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
