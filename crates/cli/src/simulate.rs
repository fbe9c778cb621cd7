//! `lariat simulate`: execute the model at random, interactively, or along a recorded run.

use super::signals::{INTERRUPTED, leave_while_printing, stop_when_interrupted};
use super::source::{Source, read_text};
use super::writing::advice;
use super::{Color, Exit, STACK_BYTES, is_closed_pipe, say, values};
use anyhow::Context;
use clap::Args;
use lariat::report::columns::Columns;
use lariat::report::text::{Style, blocked};
use lariat::report::{printable, printable_lines};
use lariat::run::{steps, trail};
use lariat::simulation::{EnabledStep, End, Simulation};
use lariat::{Error, Model};
use lariat_ir::random::SplitMix64;
use lariat_ir::trace::changes;
use lariat_ir::{Budget, Exhausted, State, Step};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Debug, Args)]
pub struct Simulate {
    #[command(flatten)]
    source: Source,

    /// Choose each step interactively
    #[arg(short, long, conflicts_with_all = ["trail", "seed"])]
    interactive: bool,

    /// Follow the run recorded in a `.trail` file
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    trail: Option<PathBuf>,

    /// Seed of the random choices
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,

    /// Maximum number of steps
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    steps: u64,

    /// Time limit of the whole command, such as 90s or 2m. Waiting for the reader of the output,
    /// such as a pager, is not limited
    #[arg(long, value_name = "TIME", value_parser = values::duration, conflicts_with = "interactive")]
    time: Option<Duration>,

    /// Show only the model's own output and the end of the run. In the output, newlines and tabs
    /// are kept; other control characters are shown as escapes such as `\u{1b}`
    #[arg(long, short)]
    quiet: bool,

    /// Colour the output
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

impl Simulate {
    pub fn run(self) -> anyhow::Result<Exit> {
        // While the program waits for the user, a signal ends it immediately.
        if !self.interactive {
            stop_when_interrupted();
        }
        let budget = Budget::new(self.time, &INTERRUPTED);
        let Some(model) = self.source.load(self.color.stderr(), &budget)? else {
            return Ok(Exit::BadInput);
        };
        let style = self.color.style();
        let mut screen = Screen {
            out: io::stdout().lock(),
            columns: Columns::of(&model.program),
            style,
            quiet: self.quiet,
            number: 0,
            failed: false,
            unfinished: false,
        };
        let simulation = match Simulation::within(&model.program, &budget)? {
            Ok(simulation) => simulation,
            Err(error) => {
                let line = format!("{}\n", style.bad(&printable(&error.to_string())));
                drop(screen);
                return Ok(say(&line, Exit::Violated));
            }
        };
        let done = if self.interactive {
            interactive(simulation, &mut screen)
        } else {
            leave_while_printing(Exit::Inconclusive, || match &self.trail {
                Some(file) => follow(&model, simulation, file, &mut screen, &budget),
                None => {
                    let seed = self.seed.unwrap_or_else(any_seed);
                    random(simulation, seed, self.steps, &mut screen, &budget)
                }
            })
        };
        // A closed pipe ends the run; the exit code reflects the steps so far.
        done.or_else(|error| if is_closed_pipe(&error) { Ok(()) } else { Err(error) })?;
        Ok(match screen {
            Screen { failed: true, .. } => Exit::Violated,
            Screen { unfinished: true, .. } => Exit::Inconclusive,
            _ => Exit::Holds,
        })
    }
}

/// The output of a simulation.
struct Screen<Out> {
    out: Out,
    columns: Columns,
    style: Style,
    quiet: bool,
    number: u64,
    failed: bool,
    /// A step exceeded a limit.
    unfinished: bool,
}

impl<Out: Write> Screen<Out> {
    fn step(&mut self, choice: &EnabledStep) -> io::Result<()> {
        self.number += 1;
        if !self.quiet {
            let line = format!("{:>6}  {}", self.number, self.columns.line(&choice.shown));
            writeln!(self.out, "{}", self.style.fitted(line))?;
        }
        if !choice.output.is_empty() {
            let indent = if self.quiet { "" } else { "        > " };
            for line in choice.output.lines() {
                writeln!(self.out, "{indent}{}", printable_lines(line))?;
            }
        }
        for error in &choice.errors {
            let text = printable(&error.to_string());
            let text =
                if error.is_limit() { self.style.unsure(&text) } else { self.style.bad(&text) };
            *(if error.is_limit() { &mut self.unfinished } else { &mut self.failed }) = true;
            writeln!(self.out, "        {text}")?;
        }
        Ok(())
    }

    /// Prints the errors of transitions that are not enabled in this state.
    fn refusals(&mut self, simulation: &Simulation<'_>) -> io::Result<()> {
        for error in simulation.refusals() {
            self.failed = true;
            writeln!(self.out, "        {}", self.style.bad(&printable(&error.to_string())))?;
        }
        Ok(())
    }

    /// Prints why the last step has no next state.
    fn cut_short(&mut self, simulation: &Simulation<'_>, budget: &Budget) -> anyhow::Result<()> {
        match budget.check() {
            Err(limit) if self.unfinished => self.stop(limit)?,
            _ => self.end(simulation, true)?,
        }
        Ok(())
    }

    /// Prints the limit that ended the run.
    fn stop(&mut self, limit: Exhausted) -> io::Result<()> {
        self.unfinished = true;
        let steps = self.number;
        let text = format!("Stopped after {steps} steps: {limit}{}.", advice(limit));
        writeln!(self.out, "{}", self.style.unsure(&text))
    }

    /// Prints why the run ended.
    fn end(&mut self, simulation: &Simulation<'_>, stopped: bool) -> io::Result<()> {
        match simulation.end() {
            _ if stopped && !self.failed => {
                writeln!(self.out, "The run cannot be followed further.")
            }
            _ if stopped => writeln!(self.out, "The error ends the run."),
            End::AllEnded => writeln!(self.out, "All processes have ended."),
            End::Valid => writeln!(self.out, "The run ends in a valid end state."),
            End::Stopped => writeln!(self.out, "There is no initial state."),
            End::Invalid => {
                self.failed = true;
                writeln!(self.out, "{}", self.style.bad("invalid end state"))?;
                let state = simulation.state();
                let text =
                    state.map_or_else(String::new, |state| blocked(simulation.program(), state));
                self.out.write_all(self.style.fitted(text).as_bytes())
            }
        }
    }
}

fn random(
    mut simulation: Simulation<'_>,
    seed: u64,
    steps: u64,
    screen: &mut Screen<impl Write>,
    budget: &Budget,
) -> anyhow::Result<()> {
    if !screen.quiet {
        writeln!(screen.out, "A random run; --seed {seed} repeats it.")?;
    }
    let mut random = SplitMix64::new(seed);
    for _ in 0..steps {
        if let Err(limit) = budget.check() {
            return Ok(screen.stop(limit)?);
        }
        screen.refusals(&simulation)?;
        let count = simulation.choices().len();
        if count == 0 {
            screen.end(&simulation, false)?;
            return Ok(());
        }
        let (choice, goes_on) = simulation.take(random.below(count));
        screen.step(&choice)?;
        if !goes_on {
            return screen.cut_short(&simulation, budget);
        }
    }
    if simulation.choices().is_empty() {
        screen.end(&simulation, false)?;
    } else {
        writeln!(screen.out, "Stopped after {steps} steps; --steps allows more.")?;
    }
    Ok(())
}

fn any_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| u64::from(now.subsec_nanos())) % 1_000_000
}

fn follow(
    model: &Model,
    mut simulation: Simulation<'_>,
    file: &Path,
    screen: &mut Screen<impl Write>,
    budget: &Budget,
) -> anyhow::Result<()> {
    let (program, path) = (Arc::clone(&model.program), file.to_owned());
    let followed = budget.run(STACK_BYTES, move |_| -> anyhow::Result<trail::FollowedTrail> {
        let trail = trail::read(&read_text(&path)?)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("{} is not a trail", path.display()))?;
        Ok(trail::follow(&program, &trail))
    });
    let followed = followed
        .map_err(|limit| Error::Exhausted { limit, phase: "while the trail was followed" })?;
    let trail::FollowedTrail { steps, cycle, lost } = followed?;
    for (number, step) in steps.iter().enumerate() {
        if let Err(limit) = budget.check() {
            return Ok(screen.stop(limit)?);
        }
        if cycle == Some(number) && !screen.quiet {
            writeln!(screen.out, "        {}", screen.style.bold("the cycle starts here:"))?;
        }
        if matches!(step, Step::Release(_) | Step::Refused(_)) {
            continue;
        }
        let position = simulation.choices().iter().position(|choice| choice.step == *step);
        let Some(position) = position else { anyhow::bail!("the recorded run cannot be replayed") };
        let (choice, goes_on) = simulation.take(position);
        screen.step(&choice)?;
        if !goes_on {
            return screen.cut_short(&simulation, budget);
        }
    }
    if let Some(lost) = lost {
        anyhow::bail!(
            "{}: move {} (process {}, statement {}) is not possible here; the trail may belong to another model",
            file.display(),
            lost.number,
            lost.recorded.pid,
            lost.recorded.statement
        );
    }
    screen.refusals(&simulation)?;
    if simulation.choices().is_empty() {
        screen.end(&simulation, false)?;
    } else if cycle.is_some() {
        writeln!(screen.out, "The cycle repeats forever.")?;
    } else {
        writeln!(screen.out, "The trail ends here.")?;
    }
    Ok(())
}

fn interactive(
    mut simulation: Simulation<'_>,
    screen: &mut Screen<impl Write>,
) -> anyhow::Result<()> {
    let mut input = io::stdin().lock();
    writeln!(screen.out, "Choose a step by its number; b steps back, s shows the state, q quits.")?;
    loop {
        screen.refusals(&simulation)?;
        let count = simulation.choices().len();
        if count == 0 {
            screen.end(&simulation, false)?;
            screen.failed = false;
        }
        for (index, choice) in simulation.choices().iter().enumerate() {
            let line = format!("{:>4}: {}", index + 1, screen.columns.line(&choice.shown));
            writeln!(screen.out, "{}", screen.style.fitted(line))?;
        }
        write!(screen.out, "{} ", screen.style.bold(">"))?;
        screen.out.flush()?;
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            writeln!(screen.out)?;
            return Ok(());
        }
        match String::from_utf8_lossy(&line).trim() {
            "q" => return Ok(()),
            "b" if simulation.back() => screen.number = screen.number.saturating_sub(1),
            "b" => writeln!(screen.out, "This is the initial state.")?,
            "s" => show_state(&simulation, &mut screen.out)?,
            "" if count != 1 => {}
            answer => {
                let number = if answer.is_empty() { Ok(1) } else { answer.parse::<usize>() };
                match number {
                    Ok(number) if (1..=count).contains(&number) => {
                        let (choice, goes_on) = simulation.take(number - 1);
                        screen.step(&choice)?;
                        if !goes_on {
                            screen.end(&simulation, true)?;
                            return Ok(());
                        }
                    }
                    _ => writeln!(screen.out, "Enter a number from the list, b, s or q.")?,
                }
            }
        }
    }
}

/// Prints the location of each process and the variables that differ from their default.
fn show_state(simulation: &Simulation<'_>, out: &mut impl Write) -> io::Result<()> {
    let Some(state) = simulation.state() else { return Ok(()) };
    let values = changes(simulation.program(), &State::empty(simulation.program()), state);
    for standing in steps::standings(simulation.program(), state) {
        let at = standing.waits_for.first();
        let place = at.map_or_else(String::new, |at| {
            format!("{}:{}  {}", printable(&at.file), at.line, printable(&at.statement))
        });
        writeln!(out, "      {}  at {place}", standing.process)?;
    }
    for change in values {
        writeln!(out, "      {} = {}", printable(&change.name), change.value)?;
    }
    Ok(())
}
