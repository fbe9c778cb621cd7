//! `lariat explore`: walk through a model in a browser.

use super::source::{Source, shortest};
use super::view::open;
use super::{Exit, values};
use anyhow::Context;
use clap::Args;
use lariat::explore::Explorer;
use lariat::explore::server::Server;
use lariat::page::{Live, Page};
use lariat::report::findings::findings;
use lariat::report::ledger::ledger;
use lariat::report::{Report, printable};
use std::io::{self, Write};
use std::sync::Mutex;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Explore {
    #[command(flatten)]
    source: Source,

    /// Look for errors first, but not longer than this
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "5s")]
    time: Duration,

    /// Make the same random choices for the same number
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,

    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
}

impl Explore {
    pub fn run(self) -> anyhow::Result<Exit> {
        let Some(model) = self.source.load(false) else { return Ok(Exit::BadInput) };
        let checked = shortest(&model, Some(self.time))?;
        let report = Report {
            model: &model.name,
            program: &model.program,
            properties: &model.properties,
            checked: &checked,
            safety: true,
            liveness: &[],
        };
        let page = Page::new(&model, findings(&report), Some(ledger(&report)));
        let explorer = Explorer::new(&model, &self.source.define, &checked.counterexamples, self.seed)
            .map_err(|error| anyhow::anyhow!(printable(&error.to_string())))
            .context("the model has no initial state")?;
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
