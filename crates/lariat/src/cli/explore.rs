//! `lariat explore`: walk through a model in a browser.

use super::properties::Properties;
use super::source::{Source, Time};
use super::view::open;
use super::{Exit, complain, values};
use anyhow::Context;
use clap::Args;
use lariat::explore::Explorer;
use lariat::explore::server::Server;
use lariat::page::{Live, Page};
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use lariat::report::printable;
use search::scratch::Temporary;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Explore {
    #[command(flatten)]
    source: Source,

    /// Check the model first, but not longer than this for each property
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "5s")]
    time: Duration,

    /// Make the same random choices for the same number
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,

    #[command(flatten)]
    properties: Properties,
}

impl Explore {
    pub fn run(self) -> anyhow::Result<Exit> {
        let time = Time::PerProperty(self.time);
        let Some((model, answer)) = self.source.answer(&self.properties, time, true)? else {
            return Ok(Exit::BadInput);
        };
        let report = answer.report(&model);
        let findings = findings(&report);
        let runs = findings.iter().flat_map(|finding| &finding.runs).map(|shown| shown.run.clone());
        let explorer = Explorer::new(&model, &self.source.define, runs.collect(), self.seed)
            .map_err(|error| anyhow::anyhow!(printable(&error.to_string())))
            .context("the model has no initial state")?;
        let page = Page::new(&model, report.asked, findings, Some(ledger(&report)));
        let server = Server::new().context("cannot listen on a loopback port")?;
        let mut out = io::stdout();
        writeln!(out, "{}", server.url())?;
        writeln!(out, "Ctrl-C ends it.")?;
        out.flush()?;
        super::signals::leave_when_interrupted();
        // The browser is given a file that only this user can read: the address holds the secret token, and the arguments of a
        // command can be seen by every user of the machine.
        let redirect = (!self.no_open).then(|| Redirect::new(&server.url())).transpose();
        let _redirect = match redirect {
            Ok(redirect) => {
                redirect.iter().for_each(|redirect| open(&redirect.file));
                redirect
            }
            Err(error) => {
                complain(&format!("warning: no browser is opened: {error:#}\n"));
                None
            }
        };
        let path = server.path();
        let render = |explorer: &Explorer<'_>| {
            page.clone().with_live(Live { path: path.clone(), run: explorer.shown() }).render()
        };
        server.serve(&Mutex::new(explorer), &render, None);
        Ok(Exit::Holds)
    }
}

/// A page that leads to another address. It is removed when this is dropped.
struct Redirect {
    file: PathBuf,
    _directory: Temporary,
}

impl Redirect {
    fn new(url: &str) -> anyhow::Result<Redirect> {
        let directory =
            Temporary::directory(&std::env::temp_dir()).context("cannot make a private directory")?;
        let file = directory.path().join("lariat-explore.html");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // The address has no characters that mean something in HTML.
        let page = format!(
            "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta http-equiv=\"refresh\" content=\"0; url={url}\">\n<title>lariat</title>\n\
             <a href=\"{url}\">Explore the model</a>\n"
        );
        let written = options.open(&file).and_then(|mut opened| opened.write_all(page.as_bytes()));
        written.with_context(|| format!("cannot write {}", file.display()))?;
        Ok(Redirect { file, _directory: directory })
    }
}
