//! `lariat check`: search every reachable state for errors, then check temporal properties.

use super::destination::{Destination, cannot_write};
use super::hybrid::HybridStorage;
use super::outputs::{Files, Outputs};
use super::progress::ProgressLine;
use super::properties::{Properties, Search};
use super::signals::{INTERRUPTED, stop_when_interrupted};
use super::storage::Storage;
use super::writing::Writing;
use super::{Color, Exit, STACK_BYTES, complain, detail, say, values};
use anyhow::Context;
use clap::{Args, ValueEnum};
use lariat::checker::Requested;
use lariat::model::{Define, Model, ModelReader, Rejected};
use lariat::report::{growth, json, printable};
use lariat::{Checker, Error, Property, Settings, check, machine};
use lariat_ir::Budget;
use lariat_search::unbounded::{Boundedness, unbounded, without_capacities};
use lariat_search::{Checkpoint, Limits, Options, Order, SavedSearch, Verdict};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Check {
    /// The model, a Promela file or a transition system (`.lts`); `-` is standard input
    model: OsString,

    /// Define a macro, as if by a `#define` at the start of the model
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = values::define)]
    define: Vec<Define>,

    /// Disable reductions that change states or transitions, so that counts can be compared with
    /// other tools
    #[arg(long)]
    raw: bool,

    /// Continue after the first error and report all errors
    #[arg(long)]
    all_errors: bool,

    /// Instead of errors, search for channels that grow without bound if their capacity is
    /// unlimited
    #[arg(long, conflicts_with_all = ["trail", "save", "junit", "sarif", "itf", "html", "checkpoint", "resume", "all_errors"])]
    unbounded: bool,

    /// Order in which states are visited, or the algorithm that finds accepting cycles
    #[arg(long, value_enum, default_value_t, value_name = "SEARCH")]
    search: Search,

    /// Number of threads [default: one per processor]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// How successors of a state are computed
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,

    /// Do not search deeper than this number of steps
    #[arg(long, value_name = "STEPS")]
    max_depth: Option<u64>,

    /// Do not store more than this number of states; `--store cache` counts a state again when it
    /// stores it again
    #[arg(long, value_name = "STATES")]
    max_states: Option<u64>,

    /// Memory limit, such as 4G [default: four fifths of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    memory: Option<u64>,

    /// Time limit of the whole command, such as 90s or 2m. Waiting for the reader of the report,
    /// such as a pager, is not limited
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time: Option<Duration>,

    /// Time limit of each property (safety is one of them); the check then continues with the next
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    time_per_property: Option<Duration>,

    /// Save the safety search to this file when a limit or a signal (Ctrl-C, SIGTERM, SIGHUP) ends
    /// it, so that `--resume` can continue it
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// Also save the search periodically while it runs, such as every 10m
    #[arg(long, value_name = "TIME", value_parser = values::duration, requires = "checkpoint")]
    checkpoint_every: Option<Duration>,

    /// Continue a search saved by `--checkpoint`
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    #[command(flatten)]
    storage: Storage,

    #[command(flatten)]
    hybrid: HybridStorage,

    #[command(flatten)]
    properties: Properties,

    /// Print the report as one JSON object
    #[arg(long)]
    json: bool,

    /// Show counterexamples as the search found them: not shortened or reordered, and without the
    /// fairness assumption that would help
    #[arg(long)]
    as_found: bool,

    #[command(flatten)]
    outputs: Outputs,

    /// Print only the verdicts, and no progress
    #[arg(long, short)]
    quiet: bool,

    /// Colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Engine {
    /// The interpreter for few states, machine code for more
    #[default]
    Auto,
    /// Machine code, compiled from the model
    Native,
    /// The interpreter that defines the reference semantics: slow
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

/// The properties to check and the automata to assume.
struct Request {
    properties: Vec<Property>,
    assumed: Vec<Property>,
}

/// The result of a check.
pub(super) struct Examined {
    pub exit: Exit,
    /// The page was written.
    pub has_page: bool,
}

impl Check {
    pub fn run(self) -> anyhow::Result<Exit> {
        Ok(self.examine()?.exit)
    }

    /// Checks the model, prints the report and writes all output files.
    pub(super) fn examine(self) -> anyhow::Result<Examined> {
        self.refuse_unsupported()?;
        stop_when_interrupted();
        let budget = Budget::new(self.time, &INTERRUPTED);
        let (outputs, model) = (self.outputs.clone(), self.model.clone());
        // Opening a pipe waits for its reader.
        let files = budget.run(STACK_BYTES, move |_| outputs.open(&model));
        let phase = "while the output files were opened";
        let mut files = files.map_err(|limit| Error::Exhausted { limit, phase })??;
        let exit = match self.load(&budget)? {
            Ok((model, request)) => self.decide(&model, request, &mut files, &budget)?,
            Err(rejected) => {
                complain(&rejected.text);
                let name = self.model.to_string_lossy();
                files.reject(&name, &rejected.problems, &Writing::within(&budget));
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
    /// A limit was reached. The inner error is the reason why the model or a property is rejected.
    fn load(&self, budget: &Budget) -> anyhow::Result<Result<(Model, Request), Rejected>> {
        let because = |error: anyhow::Error| Rejected::because(format!("{error:#}"));
        let (properties, assumed) = match self.properties.read(budget) {
            Ok(read) => read,
            Err(error) if error.is::<Error>() => return Err(error),
            Err(error) => return Ok(Err(because(error))),
        };
        let all = [&properties[..], &assumed].concat();
        let reader = ModelReader::default().defines(&self.define).color(self.color.stderr());
        let model = match reader.properties(&all)?.read_within(&self.model, budget) {
            Ok(model) => model,
            Err(Error::Rejected(rejected)) => return Ok(Err(rejected)),
            Err(error) => return Err(error.into()),
        };
        if !self.quiet {
            complain(&model.warnings);
        }
        let requested = Requested::resolve(&model, &properties, &assumed);
        let requested = requested.map_err(anyhow::Error::from);
        if let Err(error) = requested.and_then(|requested| self.refuse_unsaved(&requested)) {
            return Ok(Err(because(error)));
        }
        Ok(Ok((model, Request { properties, assumed })))
    }

    fn decide(
        &self,
        model: &Model,
        request: Request,
        files: &mut Files,
        budget: &Budget,
    ) -> anyhow::Result<Exit> {
        if self.unbounded {
            return Ok(self.test_channels(model, budget));
        }
        let options = self.options(budget);
        let meter = ProgressLine::new(self.quiet, &options.limits);
        let show = |progress: &lariat_search::Progress| meter.show(progress);
        let mut options = Options { progress: meter.is_visible().then_some(&show), ..options };
        let fingerprint = || check::fingerprint(&model.program, self.raw);
        options.checkpoint = self.checkpoint.as_deref().map(|path| Checkpoint {
            path,
            every: self.checkpoint_every,
            fingerprint: fingerprint(),
        });
        let saved = match &self.resume {
            Some(file) => {
                let saved = SavedSearch::open(file, fingerprint(), &options);
                Some(saved.with_context(|| format!("cannot resume {}", file.display()))?)
            }
            None => None,
        };
        options.resume = saved.as_ref();
        let settings = Settings {
            engine: self.engine.into(),
            raw: self.raw,
            algorithm: self.search.algorithm(),
            explore: self.search == Search::Explore,
            hybrid: self.hybrid.tail(),
            shortest: self.properties.shortest,
            fairness: self.properties.fairness(),
            simplify: !self.as_found,
            time_per_property: self.time_per_property,
            remedy: !self.as_found && (!self.quiet || self.json || self.outputs.html.is_some()),
            ..Settings::default()
        };
        let checker = Checker::new(model).properties(request.properties).settings(settings);
        let checker = request.assumed.into_iter().fold(checker, Checker::assume);
        let report = checker.options(options).run();
        meter.clear();
        let report = report?;
        if let Some(outcome) = report.safety.as_ref().map(|safety| &safety.outcome) {
            if let Some(failure) = &outcome.checkpoint_failure {
                if self.resume.is_some() && outcome.statistics.states == 0 {
                    anyhow::bail!("{failure}");
                }
                complain(&format!("error: {}\n", printable(failure)));
                files.failed = true;
            }
            if let (Some(file), true, false) = (&self.checkpoint, outcome.saved, self.quiet) {
                let file = printable(&file.to_string_lossy());
                complain(&format!("the search is saved; continue it with --resume {file}\n"));
            }
        }
        let (report, time) = (Arc::new(report.into_owned()), Writing::within(budget));
        let text = match self.json {
            true => time.json(&report),
            false => time.text(&report, self.color.style(), detail(self.quiet)),
        };
        files.write(&self.define, &report, &time);
        let exit = match report.verdict() {
            Verdict::Holds => Exit::Holds,
            Verdict::Violated => Exit::Violated,
            Verdict::Inconclusive => Exit::Inconclusive,
        };
        Ok(say(&text, exit))
    }

    /// Rejects `--checkpoint` and `--resume` with a store that cannot be saved.
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
            // The checkpoint is first written to a temporary file beside it, which must be
            // writable.
            let part = lariat_search::partial_checkpoint_path(file);
            Destination::open(&part)
                .map_err(|error| anyhow::anyhow!(cannot_write(file, &error)))?;
        }
        Ok(())
    }

    /// Rejects `--checkpoint` and `--resume` with temporal properties, whose searches cannot be
    /// saved.
    fn refuse_unsaved(&self, requested: &Requested) -> anyhow::Result<()> {
        let Some(flag) = self.saving() else { return Ok(()) };
        if let Some(property) = requested.properties.first() {
            anyhow::bail!(
                "{flag} works for the safety search only, but {} {} is checked too, and its search cannot be \
                 saved; add --property safety to check safety only",
                property.kind(),
                property.name
            );
        }
        Ok(())
    }

    /// The given flag that saves or resumes a search.
    fn saving(&self) -> Option<&'static str> {
        match (&self.checkpoint, &self.resume) {
            (Some(_), _) => Some("--checkpoint"),
            (None, Some(_)) => Some("--resume"),
            (None, None) => None,
        }
    }

    /// The file given with `--html`.
    pub(super) fn requested_page(&self) -> Option<&Path> {
        self.outputs.html.as_deref()
    }

    pub(super) fn model(&self) -> &OsStr {
        &self.model
    }

    /// Requests a page, and only the verdicts on standard output.
    pub(super) fn show_page(&mut self, file: PathBuf) {
        self.quiet = true;
        self.outputs.html = Some(file);
    }

    /// Tests whether a channel can grow without bound.
    fn test_channels(&self, model: &Model, budget: &Budget) -> Exit {
        let program = without_capacities(&model.program);
        let found = unbounded(&program, &self.options(budget).limits);
        let text = if self.json {
            growth::render_json(&model.name, &program, &found)
        } else {
            growth::render(&program, &found, self.color.style(), detail(self.quiet))
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
