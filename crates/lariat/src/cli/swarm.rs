//! `lariat swarm`: many small, different searches.

use super::signals::{INTERRUPTED, stop_when_interrupted};
use super::source::Source;
use super::{Color, Exit, complain, say, values};
use clap::Args;
use lariat::answer::{Answer, Fault};
use lariat::reduction::{Reduction, Version};
use lariat::report::text;
use lariat::swarm::{Share, swarm};
use lariat::{check, machine};
use model::Budget;
use model::interp::Patience;
use native::{Native, Wanted};
use search::{Limits, Verdict};
use std::num::NonZeroUsize;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Swarm {
    #[command(flatten)]
    source: Source,

    /// Search so long, such as 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "60s")]
    time: Duration,

    /// How many searches at once [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// End after so many searches
    #[arg(long, value_name = "N")]
    members: Option<u64>,

    /// Memory for all searches together, such as 4G [default: 1G, or half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    memory: Option<u64>,

    /// Say the verdicts and nothing else
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
        let Some(model) = self.source.read_within(&[], self.color.stderr(), &budget)? else {
            return Ok(Exit::BadInput);
        };
        if !self.quiet {
            complain(&model.warnings);
        }
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
            let system = Native::within(reduction.program(), Wanted::Automatic, &budget)?;
            Ok(system.with_patience(patience))
        };
        let found = match system() {
            Err(error) => {
                lariat::swarm::Swarm { outcome: search::Outcome::without_start(error), members: 0, visits: 0 }
            }
            Ok(_) => swarm(|| system().expect("it could be made before"), &share),
        };
        let (members, visits) = (found.members, found.visits);
        let limits = Limits { memory_bytes: Some(share.memory_bytes), budget: &budget, ..Limits::default() };
        let checked = check::checked(&reduction, found.outcome, &limits)
            .map_err(|error| Fault(format!("a counterexample cannot be replayed: {error}")))?;
        let answer = Answer { checked, safety: true, ..Answer::default() };
        let report = answer.report(&model);
        let mut text = text::render(&report, self.color.style(), self.quiet);
        if !self.quiet {
            text += &format!("  the swarm: {members} searches to their end, {visits} visits of states\n");
        }
        let exit = match report.verdict() {
            Verdict::Violated => Exit::Violated,
            Verdict::Holds | Verdict::Inconclusive => Exit::Inconclusive,
        };
        Ok(say(&text, exit))
    }
}
