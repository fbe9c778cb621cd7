//! `lariat explore`: execute a model step by step in a browser.

use super::properties::Properties;
use super::server::Server;
use super::source::{Source, Time};
use super::view::open;
use super::{Exit, complain, values};
use anyhow::Context;
use clap::Args;
use lariat::Report;
use lariat::explore::Explorer;
use lariat::page::{Live, Page};
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use lariat::report::printable;
use lariat_search::temporary::Temporary;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Explore {
    #[command(flatten)]
    source: Source,

    /// Time limit of reading the model, and of each property in the check before the exploration
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "5s")]
    time: Duration,

    /// Seed of the random choices
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
        let exit = self.source.check(&self.properties, time, true, |report, _| self.serve(&report));
        Ok(exit?.unwrap_or(Exit::BadInput))
    }

    fn serve(&self, report: &Report<'_>) -> anyhow::Result<Exit> {
        let model = &*report.model;
        let findings = findings(report);
        let runs = findings.iter().flat_map(|finding| &finding.runs).map(|shown| shown.run.clone());
        let explorer = Explorer::new(model, &self.source.define, runs.collect(), self.seed)
            .map_err(|error| anyhow::anyhow!(printable(&error.to_string())))
            .context("the model has no initial state")?;
        let page = Page::new(model, &report.requested, findings, Some(ledger(report)));
        let server = Server::new().context("cannot listen on a loopback port")?;
        let mut out = io::stdout();
        writeln!(out, "{}", server.url())?;
        writeln!(out, "Press Ctrl-C to stop.")?;
        out.flush()?;
        super::signals::leave_when_interrupted();
        // The address contains the secret token, and every user of the machine can see command
        // arguments. So the browser opens a private file that redirects to the address.
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

/// A private page that redirects to an address. Dropping this value removes it.
struct Redirect {
    file: PathBuf,
    _directory: Temporary,
}

impl Redirect {
    fn new(url: &str) -> anyhow::Result<Redirect> {
        let directory = Temporary::directory(&std::env::temp_dir())
            .context("cannot make a private directory")?;
        let file = directory.path().join("lariat-explore.html");
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // The address contains no characters that are special in HTML.
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
