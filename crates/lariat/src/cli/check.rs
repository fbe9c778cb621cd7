//! `lariat check`: look at every reachable state for errors, then check the properties of infinite runs.

use super::destination::{Destination, cannot_write};
use super::hybrid::HybridStorage;
use super::outputs::{Files, Outputs};
use super::progress::ProgressLine;
use super::properties::{Properties, Search};
use super::signals::{INTERRUPTED, stop_when_interrupted};
use super::storage::Storage;
use super::{Color, Exit, READING, Stopped, complain, say, values};
use anyhow::Context;
use clap::{Args, ValueEnum};
use lariat::answer::{Asked, answer};
use lariat::load::{Define, Model, Rejected, load_within};
use lariat::report::{growth, json, printable, text};
use lariat::{check, machine, property};
use model::Budget;
use search::unbounded::{Boundedness, unbounded, without_capacities};
use search::{Checkpoint, Limits, Options, Order, Saved, Verdict};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Check {
    /// The model, a Promela file or a transition system (`.lts`); `-` is standard input
    model: OsString,

    /// Define a macro, as if the model began with it
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    define: Vec<Define>,

    /// Use no reduction that changes states or transitions, so that their counts can be compared with other tools
    #[arg(long)]
    raw: bool,

    /// Go on after the first error and find all
    #[arg(long)]
    all_errors: bool,

    /// Instead of errors, look for channels that can grow without bound, with no limit to what they hold
    #[arg(long, conflicts_with_all = ["trail", "save", "junit", "sarif", "itf", "html", "checkpoint", "resume", "all_errors"])]
    unbounded: bool,

    /// In which order to visit states, or how to look for the cycles that violate properties
    #[arg(long, value_enum, default_value_t, value_name = "SEARCH")]
    search: Search,

    /// How many threads search [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// What computes the successors of a state
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,

    /// Do not go deeper than so many steps
    #[arg(long, value_name = "STEPS")]
    max_depth: Option<u64>,

    /// Do not store more than so many states
    #[arg(long, value_name = "STATES")]
    max_states: Option<u64>,

    /// Do not use more memory, such as 4G [default: four fifths of what is free]
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    memory: Option<u64>,

    /// End the whole command after so long, such as 90s or 2m
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,

    /// Give up a property after so long and go on with the next; safety is one of them
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time_per_property: Option<Duration>,

    /// Save the search for errors here when a limit or a signal (Ctrl-C, SIGTERM, SIGHUP) ends it, so that `--resume` can go on
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Save it also while it goes on, this often, such as 10m
    #[arg(long, value_name = "TIME", value_parser = values::duration, requires = "checkpoint")]
    checkpoint_every: Option<Duration>,

    /// Go on with a search saved by `--checkpoint`
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    #[command(flatten)]
    storage: Storage,

    #[command(flatten)]
    hybrid: HybridStorage,

    #[command(flatten)]
    properties: Properties,

    /// Report as one JSON object
    #[arg(long)]
    json: bool,

    /// Show runs as the search found them: not shortened, not put in order, and without a word on which fairness would help
    #[arg(long)]
    as_found: bool,

    #[command(flatten)]
    outputs: Outputs,

    /// Say the verdicts and nothing else, and show no progress
    #[arg(long, short)]
    quiet: bool,

    /// Colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Engine {
    /// The reference semantics if there are few states, machine code if there are more
    #[default]
    Auto,
    /// Machine code, made for the model in milliseconds
    Native,
    /// The reference semantics, step by step: slow, and what the other is tested against
    Interp,
}

impl From<Engine> for check::Engine {
    fn from(engine: Engine) -> check::Engine {
        match engine {
            Engine::Auto => check::Engine::Automatic,
            Engine::Native => check::Engine::Native,
            Engine::Interp => check::Engine::Interpreter,
        }
    }
}

/// How a check ended.
pub(super) struct Examined {
    pub exit: Exit,
    /// The page was written.
    pub has_page: bool,
}

impl Check {
    pub fn run(self) -> anyhow::Result<Exit> {
        Ok(self.examine()?.exit)
    }

    /// Checks, reports and writes all outputs.
    pub(super) fn examine(self) -> anyhow::Result<Examined> {
        self.refuse_unsupported()?;
        stop_when_interrupted();
        let budget = Budget::new(self.time, &INTERRUPTED);
        let mut files = self.outputs.open(&self.model)?;
        let exit = match self.loaded(&budget)? {
            Ok((model, asked)) => self.decide(&model, &asked, &mut files, &budget)?,
            Err(rejected) => {
                complain(&rejected.text);
                let name = self.model.to_string_lossy();
                files.reject(&name, &rejected.problems);
                if self.json {
                    say(&json::render_rejected(&name, &rejected.problems), Exit::BadInput);
                }
                Exit::BadInput
            }
        };
        Ok(Examined { exit: files.exit(exit), has_page: files.has_written("--html") })
    }

    /// Reads the model and the properties to check.
    ///
    /// # Errors
    /// A limit was reached before both were read. Within, why the model or the question is rejected.
    fn loaded(&self, budget: &Budget) -> anyhow::Result<Result<(Model, Asked), Rejected>> {
        let because = |error: anyhow::Error| Rejected::because(format!("{error:#}"));
        let (wanted, assumed, texts) = match self.properties.read(budget) {
            Ok(read) => read,
            Err(error) if error.is::<Stopped>() => return Err(error),
            Err(error) => return Ok(Err(because(error))),
        };
        let read = load_within(&self.model, &self.define, &texts, self.color.stderr(), budget);
        let model = match read.map_err(|why| Stopped { why, phase: READING })? {
            Ok(model) => model,
            Err(rejected) => return Ok(Err(rejected)),
        };
        if !self.quiet {
            complain(&model.warnings);
        }
        let asked = Asked::new(&model, &wanted, &assumed).map_err(Rejected::because);
        let asked = asked.and_then(|asked| {
            self.refuse_unsaved(&asked).map_err(because)?;
            Ok(asked)
        });
        Ok(asked.map(|asked| (model, asked)))
    }

    fn decide(
        &self,
        model: &Model,
        asked: &Asked,
        files: &mut Files,
        budget: &Budget,
    ) -> anyhow::Result<Exit> {
        if self.unbounded {
            return Ok(self.test_channels(model, budget));
        }
        let options = self.options(budget);
        let meter = ProgressLine::new(self.quiet, &options.limits);
        let show = |progress: &search::Progress| meter.show(progress);
        let mut options = Options { progress: meter.is_visible().then_some(&show), ..options };
        let fingerprint = || check::fingerprint(&model.program, self.raw);
        options.checkpoint = self.checkpoint.as_deref().map(|path| Checkpoint {
            path,
            every: self.checkpoint_every,
            fingerprint: fingerprint(),
        });
        let saved = match &self.resume {
            Some(file) => {
                let saved = Saved::open(file, fingerprint(), &options);
                Some(saved.with_context(|| format!("cannot resume {}", file.display()))?)
            }
            None => None,
        };
        options.resume = saved.as_ref();
        let choice = property::Choice {
            engine: self.engine.into(),
            raw: self.raw,
            algorithm: self.search.algorithm(),
            explore: self.search == Search::Explore,
            hybrid: self.hybrid.tail(),
            shortest: self.properties.shortest,
            fairness: self.properties.fairness(),
            assumptions: asked.assumptions.clone(),
            simplify: !self.as_found,
            time_per_property: self.time_per_property,
            remedy: !self.as_found && (!self.quiet || self.json || self.outputs.html.is_some()),
        };
        let answer = answer(&model.program, asked, &choice, &options);
        meter.clear();
        let answer = answer?;
        let outcome = &answer.checked.outcome;
        if let Some(failure) = &outcome.checkpoint_failure {
            if self.resume.is_some() && outcome.statistics.states == 0 {
                anyhow::bail!("{failure}");
            }
            complain(&format!("error: {}\n", printable(failure)));
            files.failed = true;
        }
        if let (Some(file), true, false) = (&self.checkpoint, outcome.saved, self.quiet) {
            let file = printable(&file.to_string_lossy());
            complain(&format!("the search is saved; go on with --resume {file}\n"));
        }
        let report = answer.report(model);
        files.write(model, &self.define, &report);
        let text = if self.json {
            json::render(&report)
        } else {
            text::render(&report, self.color.style(), self.quiet)
        };
        let exit = match report.verdict() {
            Verdict::Holds => Exit::Holds,
            Verdict::Violated => Exit::Violated,
            Verdict::Inconclusive => Exit::Inconclusive,
        };
        Ok(say(&text, exit))
    }

    /// `--checkpoint` and `--resume` where the store cannot save or resume a search.
    fn refuse_unsupported(&self) -> anyhow::Result<()> {
        let Some(flag) = self.saving() else { return Ok(()) };
        if let Some(store) = self.storage.not_saved() {
            anyhow::bail!(
                "{flag} does not work with --store {store}: the visited states cannot be saved; \
                 use --store auto, packed or interned"
            );
        }
        if self.storage.runs > 1 {
            anyhow::bail!("{flag} does not work with --runs: only a single search can be saved");
        }
        if let Some(file) = &self.checkpoint {
            // The search is first written to a file beside it, which must be possible when the search ends.
            let part = search::part_of_checkpoint(file);
            Destination::open(&part).map_err(|error| anyhow::anyhow!(cannot_write(file, &error)))?;
        }
        Ok(())
    }

    /// The same where properties are checked whose search cannot be saved.
    fn refuse_unsaved(&self, asked: &Asked) -> anyhow::Result<()> {
        let Some(flag) = self.saving() else { return Ok(()) };
        if let Some(property) = asked.properties.first() {
            anyhow::bail!(
                "{flag} works for the search for errors only, and {} {} is checked too: its search cannot be \
                 saved; --property safety asks for the search for errors alone",
                property.kind(),
                property.name
            );
        }
        Ok(())
    }

    /// The flag that asks for a search to be saved or resumed.
    fn saving(&self) -> Option<&'static str> {
        match (&self.checkpoint, &self.resume) {
            (Some(_), _) => Some("--checkpoint"),
            (None, Some(_)) => Some("--resume"),
            (None, None) => None,
        }
    }

    /// Where `--html` puts the page.
    pub(super) fn asked_page(&self) -> Option<&Path> {
        self.outputs.html.as_deref()
    }

    pub(super) fn model(&self) -> &OsStr {
        &self.model
    }

    /// Asks for a page, and for the verdicts alone on standard output.
    pub(super) fn show_page(&mut self, file: PathBuf) {
        self.quiet = true;
        self.outputs.html = Some(file);
    }

    /// Can a channel grow without bound?
    fn test_channels(&self, model: &Model, budget: &Budget) -> Exit {
        let program = without_capacities(&model.program);
        let found = unbounded(&program, &self.options(budget).limits);
        let text = if self.json {
            growth::render_json(&model.name, &program, &found)
        } else {
            growth::render(&program, &found, self.color.style(), self.quiet)
        };
        let exit = match found {
            Boundedness::Bounded { .. } => Exit::Holds,
            Boundedness::Unbounded(_) | Boundedness::Failed(_) => Exit::Violated,
            Boundedness::Undecided { .. } => Exit::Inconclusive,
        };
        say(&text, exit)
    }

    fn options<'b>(&self, budget: &'b Budget) -> Options<'b> {
        Options {
            order: match self.search {
                Search::Bfs => Order::BreadthFirst,
                _ if self.storage.is_breadth_first() => Order::BreadthFirst,
                _ => Order::DepthFirst,
            },
            all_errors: self.all_errors,
            limits: Limits {
                depth: self.max_depth,
                states: self.max_states,
                memory_bytes: self.memory.or_else(machine::default_memory_bytes),
                budget,
            },
            threads: self.threads,
            store: self.storage.kind(self.memory),
            runs: self.storage.runs,
            ..Options::default()
        }
    }
}
