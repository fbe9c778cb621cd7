//! `lariat explore`: walk through a model in a browser.

use super::properties::Properties;
use super::source::{Source, Time};
use super::view::open;
use super::{Exit, values};
use anyhow::Context;
use clap::Args;
use lariat::explore::Explorer;
use lariat::explore::server::Server;
use lariat::page::{Live, Page};
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use lariat::report::printable;
use std::io::{self, Write};
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
        super::check::leave_when_interrupted();
        if !self.no_open {
            open(&server.url());
        }
        let path = server.path();
        let render = |explorer: &Explorer<'_>| {
            page.clone().with_live(Live { path: path.clone(), run: explorer.shown() }).render()
        };
        server.serve(&Mutex::new(explorer), &render, None);
        Ok(Exit::Holds)
    }
}
