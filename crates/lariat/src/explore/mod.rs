//! Interactive exploration of a model: one run that grows step by step, by random steps, or up to a
//! condition. The [`page`](crate::page) shows it.

mod nearest;

use crate::condition::Condition;
use crate::model::{Define, Model};
use crate::report::findings::ShownRun;
use crate::run::trace::{Cursor, Event, Lane, Recorder};
use crate::run::trail;
use crate::simulation::{EnabledStep, choices};
use lariat_ir::random::SplitMix64;
use lariat_ir::{Interpreter, Program, RuntimeError, State, Step};
use lariat_search::Run;
use serde::Serialize;
use serde_json::{Value, json};

/// The most random steps taken at once.
const MAX_RUN: usize = 10_000;

/// A run under exploration.
#[derive(Debug)]
pub struct Explorer<'p> {
    model: &'p Model,
    defines: &'p [Define],
    interpreter: Interpreter<'p>,
    /// The run: its steps, the states before each step and after the last (unless an error stopped
    /// the last step).
    steps: Vec<Step>,
    states: Vec<State>,
    recorder: Recorder<'p>,
    /// The recorder's state before each step.
    cursors: Vec<Cursor>,
    /// Counterexamples that the user can continue.
    found: Vec<Run>,
    random: SplitMix64,
}

/// A change of the run, for the page.
#[derive(Debug, Serialize)]
pub struct RunUpdate<'a> {
    /// The events before this one are unchanged.
    from: usize,
    lanes: &'a [Lane],
    variables: &'a [String],
    events: &'a [Event],
    note: String,
}

impl<'p> Explorer<'p> {
    /// Starts in the initial state; `found` are counterexamples, `seed` determines random steps.
    ///
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
            random: SplitMix64::new(seed),
        })
    }

    /// The run so far, in the form that the page shows.
    pub fn shown(&self) -> ShownRun {
        let trace = self.recorder.trace().clone();
        let run = Run { initial: 0, steps: self.steps.clone() };
        ShownRun { kind: "", error: "exploring".into(), trace, deadlock: None, run }
    }

    /// The run as SPIN's `.trail`.
    pub fn trail(&self) -> String {
        trail::write(&self.model.program, &self.steps, &[])
    }

    /// The enabled steps after `at` events.
    ///
    /// # Errors
    /// An invalid request; likewise for the other methods.
    pub fn enabled_steps(&self, at: usize) -> Result<Value, String> {
        if at == self.steps.len() && at == self.states.len() {
            return Ok(json!({ "choices": [], "end": "The error ends the run." }));
        }
        let mut state = self.state(at)?.clone();
        let (list, refusals) = choices(self.interpreter, &mut state);
        let shown: Vec<Value> = list.iter().map(shown_choice).collect();
        let errors: Vec<String> = refusals.iter().map(ToString::to_string).collect();
        let end = match (
            list.is_empty(),
            state.processes.is_empty(),
            self.interpreter.is_valid_end(&state),
        ) {
            (false, ..) => None,
            (true, true, _) => Some("All processes have ended.".to_string()),
            (true, _, true) => Some("The run ends: every process is in a valid end state.".into()),
            (true, ..) => {
                Some(crate::explain::render(&crate::explain::deadlock(&self.model.program, &state)))
            }
        };
        let end = end.or_else(|| (!errors.is_empty()).then(|| errors.join(", ")));
        Ok(json!({ "choices": shown, "end": end }))
    }

    /// Takes one of the enabled steps after `at` events. Later events are removed.
    ///
    /// # Errors
    /// An invalid request.
    pub fn take(&mut self, at: usize, choice: usize) -> Result<RunUpdate<'_>, String> {
        self.rewind(at)?;
        let mut list = self.choices()?;
        if choice >= list.len() {
            return Err(format!("there are only {} steps to choose from", list.len()));
        }
        let taken = list.swap_remove(choice);
        let note = self.push(&taken);
        Ok(self.update(at, note))
    }

    /// Extends the run by a shortest path to a state that satisfies the condition.
    ///
    /// # Errors
    /// An invalid request, or there is no such state.
    pub fn until(&mut self, at: usize, text: &str) -> Result<RunUpdate<'_>, String> {
        let condition = self.condition(text)?;
        let state = self.state(at)?.clone();
        let path = nearest::nearest(self.interpreter, &state, &condition)?;
        self.rewind(at)?;
        for step in path {
            self.follow(&step)?;
        }
        Ok(self.update(at, String::new()))
    }

    /// Takes random steps until a breakpoint holds, an error occurs or nothing can move.
    ///
    /// # Errors
    /// An invalid request.
    pub fn run(&mut self, at: usize, breakpoints: &[String]) -> Result<RunUpdate<'_>, String> {
        let conditions: Vec<Condition> =
            breakpoints.iter().map(|text| self.condition(text)).collect::<Result<_, _>>()?;
        self.rewind(at)?;
        let mut note = format!("{MAX_RUN} steps, and no breakpoint was reached");
        for _ in 0..MAX_RUN {
            let mut list = self.choices()?;
            if list.is_empty() {
                note = "nothing can move".into();
                break;
            }
            let choice = self.random.below(list.len());
            let problem = self.push(&list.swap_remove(choice));
            if !problem.is_empty() {
                note = problem;
                break;
            }
            let Some(state) = self.states.last() else { break };
            let reached =
                conditions.iter().position(|condition| condition.holds(&self.interpreter, state));
            if let Some(reached) = reached.filter(|_| !self.interpreter.is_transient(state)) {
                note = format!("stopped where {}", breakpoints[reached]);
                break;
            }
        }
        Ok(self.update(at, note))
    }

    /// Checks that the text is a condition.
    ///
    /// # Errors
    /// The text is not a condition.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        self.condition(text).map(|_| json!({}))
    }

    /// Replaces the run by the first events of a counterexample.
    ///
    /// # Errors
    /// An invalid request.
    pub fn adopt(&mut self, number: usize, events: usize) -> Result<RunUpdate<'_>, String> {
        let found = self.found.get(number).ok_or("there is no such run")?.clone();
        if found.initial != 0 {
            return Err("this run begins in another initial state".into());
        }
        self.rewind(0)?;
        let shown = |step: &&Step| !matches!(step, Step::Release(_) | Step::Refused(_));
        for step in found.steps.iter().filter(shown).take(events) {
            self.follow(step)?;
        }
        Ok(self.update(0, String::new()))
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

    fn choices(&mut self) -> Result<Vec<EnabledStep>, String> {
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

    /// Appends a step and returns its errors as text.
    fn push(&mut self, taken: &EnabledStep) -> String {
        self.cursors.push(self.recorder.cursor());
        self.recorder.push(&taken.step, taken.next());
        self.steps.push(taken.step);
        self.states.extend(taken.next().cloned());
        let errors: Vec<String> = taken.errors.iter().map(ToString::to_string).collect();
        errors.join(", ")
    }

    fn update(&self, from: usize, note: String) -> RunUpdate<'_> {
        let trace = self.recorder.trace();
        RunUpdate {
            from,
            lanes: &trace.lanes,
            variables: &trace.variables,
            events: &trace.events[from..],
            note,
        }
    }
}

fn shown_choice(choice: &EnabledStep) -> Value {
    let movers = [Some(&choice.shown.mover), choice.shown.receiver.as_ref()];
    json!({
        "movers": movers.into_iter().flatten().collect::<Vec<_>>(),
        "changes": choice.shown.changes.iter().map(|change| (&change.name, &change.value)).collect::<Vec<_>>(),
        "errors": choice.errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests;
