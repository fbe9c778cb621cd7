//! Exploring a model: one run that a user makes, step by step, with ways to go further at once. [`server`] puts it on a
//! loopback port for the [`page`](crate::page).

mod nearest;
pub mod server;

use crate::condition::Condition;
use crate::load::{Define, Model};
use crate::random::next_random;
use crate::report::findings::ShownRun;
use crate::simulation::{Choice, choices};
use crate::trace::{Cursor, Event, Lane, Recorder};
use crate::trail;
use model::{Interpreter, Program, RuntimeError, State, Step};
use search::Run;
use serde::Serialize;
use serde_json::{Value, json};

/// Random steps taken at once, at most.
const MAX_RUN: usize = 10_000;

#[derive(Debug)]
pub struct Explorer<'p> {
    model: &'p Model,
    defines: &'p [Define],
    interpreter: Interpreter<'p>,
    /// The run: its steps, the states before each and after the last (unless an error stopped that half way).
    steps: Vec<Step>,
    states: Vec<State>,
    recorder: Recorder<'p>,
    /// How the drawing stood before each step.
    cursors: Vec<Cursor>,
    /// Runs that were found before.
    found: Vec<Run>,
    random: u64,
}

/// What has become of the run, for the page.
#[derive(Debug, Serialize)]
pub struct News<'a> {
    /// The events before this one are as they were.
    from: usize,
    lanes: &'a [Lane],
    variables: &'a [String],
    events: &'a [Event],
    note: String,
}

impl<'p> Explorer<'p> {
    /// # Errors
    /// The program has no initial state.
    pub fn new(
        model: &'p Model,
        defines: &'p [Define],
        found: Vec<Run>,
        seed: u64,
    ) -> Result<Explorer<'p>, RuntimeError> {
        let program: &'p Program = &model.program;
        let interpreter = Interpreter::new(program);
        let mut states = interpreter.initial_states()?;
        states.truncate(1);
        let Some(first) = states.first() else { return Err(RuntimeError::InvalidEndState) };
        let recorder = Recorder::new(program, first);
        Ok(Explorer {
            model,
            defines,
            interpreter,
            steps: Vec::new(),
            states,
            recorder,
            cursors: Vec::new(),
            found,
            random: seed,
        })
    }

    /// The run so far, as a page shows runs.
    pub fn shown(&self) -> ShownRun {
        let trace = self.recorder.trace().clone();
        let run = Run { initial: 0, steps: self.steps.clone() };
        ShownRun { kind: "", error: "exploring".into(), trace, deadlock: None, run }
    }

    /// The run as SPIN's `.trail`.
    pub fn trail(&self) -> String {
        trail::write(&self.model.program, &self.steps)
    }

    /// The steps that can be taken after so many events.
    ///
    /// # Errors
    /// What is wrong with the question; so for all that follow.
    pub fn look(&self, at: usize) -> Result<Value, String> {
        if at == self.steps.len() && at == self.states.len() {
            return Ok(json!({ "choices": [], "end": "The error ends the run." }));
        }
        let mut state = self.state(at)?.clone();
        let (list, refusals) = choices(self.interpreter, &mut state);
        let shown: Vec<Value> = list.iter().map(shown_choice).collect();
        let errors: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        let end = match (list.is_empty(), state.processes.is_empty(), self.interpreter.is_valid_end(&state)) {
            (false, ..) => None,
            (true, true, _) => Some("All processes have ended.".to_string()),
            (true, _, true) => Some("The run ends: every process is where it may rest.".into()),
            (true, ..) => {
                Some(crate::explain::render(&crate::explain::deadlock(&self.model.program, &state)))
            }
        };
        let end = end.or_else(|| (!errors.is_empty()).then(|| errors.join(", ")));
        Ok(json!({ "choices": shown, "end": end }))
    }

    /// Takes one of the steps that can be taken after so many events; what came later is forgotten.
    pub fn take(&mut self, at: usize, choice: usize) -> Result<News<'_>, String> {
        self.rewind(at)?;
        let mut list = self.choices()?;
        if choice >= list.len() {
            return Err(format!("there are only {} steps to choose from", list.len()));
        }
        let taken = list.swap_remove(choice);
        let note = self.push(&taken);
        Ok(self.news(at, note))
    }

    /// Goes to the nearest state where the condition holds.
    pub fn until(&mut self, at: usize, text: &str) -> Result<News<'_>, String> {
        let condition = self.condition(text)?;
        let state = self.state(at)?.clone();
        let way = nearest::nearest(self.interpreter, &state, &condition)?;
        self.rewind(at)?;
        for step in way {
            self.follow(&step)?;
        }
        Ok(self.news(at, String::new()))
    }

    /// Takes random steps until a breakpoint holds, something goes wrong or nothing can move.
    pub fn run(&mut self, at: usize, breakpoints: &[String]) -> Result<News<'_>, String> {
        let conditions: Vec<Condition> =
            breakpoints.iter().map(|text| self.condition(text)).collect::<Result<_, _>>()?;
        self.rewind(at)?;
        let mut note = format!("{MAX_RUN} steps, and no breakpoint was met");
        for _ in 0..MAX_RUN {
            let mut list = self.choices()?;
            if list.is_empty() {
                note = "nothing can move".into();
                break;
            }
            let choice = (next_random(&mut self.random) % list.len() as u64) as usize;
            let problem = self.push(&list.swap_remove(choice));
            if !problem.is_empty() {
                note = problem;
                break;
            }
            let Some(state) = self.states.last() else { break };
            let met = conditions.iter().position(|condition| condition.holds(&self.interpreter, state));
            if let Some(met) = met.filter(|_| !self.interpreter.is_transient(state)) {
                note = format!("stopped where {}", breakpoints[met]);
                break;
            }
        }
        Ok(self.news(at, note))
    }

    /// Is this a condition?
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        self.condition(text).map(|_| json!({}))
    }

    /// The first events of a counterexample become the run.
    pub fn adopt(&mut self, number: usize, events: usize) -> Result<News<'_>, String> {
        let found = self.found.get(number).ok_or("there is no such run")?.clone();
        if found.initial != 0 {
            return Err("this run begins in another initial state".into());
        }
        self.rewind(0)?;
        let shown = |step: &&Step| !matches!(step, Step::Release(_) | Step::Refused(_));
        for step in found.steps.iter().filter(shown).take(events) {
            self.follow(step)?;
        }
        Ok(self.news(0, String::new()))
    }

    fn condition(&self, text: &str) -> Result<Condition, String> {
        Condition::new(self.model, self.defines, text)
    }

    fn state(&self, at: usize) -> Result<&State, String> {
        self.states.get(at).ok_or_else(|| "the run is not that long".into())
    }

    fn rewind(&mut self, at: usize) -> Result<(), String> {
        self.state(at)?;
        if let Some(cursor) = self.cursors.get(at).cloned() {
            self.recorder.rewind(at, cursor);
            self.cursors.truncate(at);
        }
        self.steps.truncate(at);
        self.states.truncate(at + 1);
        Ok(())
    }

    fn choices(&mut self) -> Result<Vec<Choice>, String> {
        if self.states.len() == self.steps.len() {
            return Ok(Vec::new());
        }
        let state = self.states.last_mut().ok_or("there is no state")?;
        Ok(choices(self.interpreter, state).0)
    }

    fn follow(&mut self, step: &Step) -> Result<(), String> {
        let list = self.choices()?;
        let found = list.iter().find(|choice| choice.step == *step);
        let taken = found.ok_or("internal error: a step that was found cannot be taken")?;
        self.push(taken);
        Ok(())
    }

    /// Returns what went wrong in the step, or nothing.
    fn push(&mut self, taken: &Choice) -> String {
        self.cursors.push(self.recorder.cursor());
        self.recorder.push(&taken.step, taken.next());
        self.steps.push(taken.step);
        self.states.extend(taken.next().cloned());
        let errors: Vec<String> = taken.errors.iter().map(ToString::to_string).collect();
        errors.join(", ")
    }

    fn news(&self, from: usize, note: String) -> News<'_> {
        let trace = self.recorder.trace();
        News { from, lanes: &trace.lanes, variables: &trace.variables, events: &trace.events[from..], note }
    }
}

fn shown_choice(choice: &Choice) -> Value {
    let movers = [Some(&choice.shown.mover), choice.shown.receiver.as_ref()];
    json!({
        "movers": movers.into_iter().flatten().collect::<Vec<_>>(),
        "changes": choice.shown.changes.iter().map(|change| (&change.name, &change.value)).collect::<Vec<_>>(),
        "errors": choice.errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests;
