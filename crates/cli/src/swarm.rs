//! `lariat swarm`: many small, different searches.

use super::signals::{INTERRUPTED, stop_when_interrupted};
use super::source::Source;
use super::writing::Writing;
use super::{Color, Exit, complain, detail, say, values};
use clap::Args;
use lariat::check::reduction::{Reduction, Version};
use lariat::check::safety::replay_all;
use lariat::initial::ensure_initial_states;
use lariat::swarm::{Share, swarm};
use lariat::{Error, Report, machine};
use lariat_ir::Budget;
use lariat_ir::interp::Patience;
use lariat_jit::{Engine, EngineKind};
use lariat_search::{Limits, Verdict};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Swarm {
    #[command(flatten)]
    source: Source,

    /// Duration of the swarm, such as 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "60s")]
    time: Duration,

    /// Number of concurrent searches [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Maximum number of searches
    #[arg(long, value_name = "N")]
    members: Option<u64>,

    /// Memory of all searches together, such as 4G [default: 1G, or half of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    memory: Option<u64>,

    /// Print only the verdict
    #[arg(long, short)]
    quiet: bool,

    /// Colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

impl Swarm {
    pub fn run(self) -> anyhow::Result<Exit> {
        stop_when_interrupted();
        let budget = Budget::new(Some(self.time), &INTERRUPTED);
        let Some(model) = self.source.read(&[], self.color.stderr(), &budget)? else {
            return Ok(Exit::BadInput);
        };
        if !self.quiet {
            complain(&model.warnings);
        }
        ensure_initial_states(&model.program, &budget)?;
        let threads = || std::thread::available_parallelism().map_or(1, usize::from);
        let free = machine::default_memory_bytes().unwrap_or(u64::MAX);
        let share = Share {
            threads: self.threads.map_or_else(threads, usize::from),
            budget: &budget,
            memory_bytes: self.memory.unwrap_or((1 << 30).min(free / 2)),
            members: self.members,
        };
        let reduction = Reduction::new(&model.program, Version::Reduced, &budget);
        let patience = Patience::until(budget.flag());
        let system = || {
            let system = Engine::with_budget(reduction.program(), EngineKind::Automatic, &budget)?;
            Ok(system.with_patience(patience))
        };
        let found = match system() {
            Err(error) => lariat::swarm::Swarm {
                outcome: lariat_search::Outcome::without_start(error),
                members: 0,
                visits: 0,
            },
            Ok(_) => swarm(|| system().expect("the first one could be made"), &share),
        };
        let (members, visits) = (found.members, found.visits);
        let limits =
            Limits { memory_bytes: Some(share.memory_bytes), budget: &budget, ..Limits::default() };
        let safety = replay_all(&model.program, &reduction, found.outcome, &limits);
        let safety = safety.map_err(|error| {
            Error::Internal(format!("a counterexample cannot be replayed: {error}"))
        })?;
        let report = Arc::new(Report::of_safety(&model, safety).into_owned());
        let time = Writing::within(&budget);
        let mut text = time.text(&report, self.color.style(), detail(self.quiet));
        if !self.quiet {
            text += &format!("  swarm: {members} completed searches, {visits} state visits\n");
        }
        let exit = match report.verdict() {
            Verdict::Violated => Exit::Violated,
            Verdict::Holds | Verdict::Inconclusive => Exit::Inconclusive,
        };
        Ok(say(&text, exit))
    }
}
