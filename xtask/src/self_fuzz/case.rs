//! Compares everything about one program. The comparisons depend only on the seed, so that a
//! smaller program can be compared again.

use std::cell::Cell;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use lariat::property::ResolvedProperty;
use lariat::{Model, ModelReader, Property};
use lariat_ir::{Budget, Interpreter};
use lariat_search::Limits;
use oracle::Graph;

use super::report::Report;
use super::writer::{Sample, Subject};
use crate::fuzz::random::Random;
use crate::fuzz::tree::print;
use crate::spin::PrivateDirectory;

/// Limit of the oracle.
const MOST_STATES: usize = 1500;

/// Limits of the searches.
const STATES: u64 = 30_000;
const STATES_OF_LARGE: u64 = 1_000_000;

/// The time that a search may exceed its limit.
const GRACE: Duration = Duration::from_secs(1);

thread_local! {
    /// The message of the last panic of this thread.
    pub static PANIC: Cell<Option<String>> = const { Cell::new(None) };
}

/// The comparison of one program.
pub struct Case<'s> {
    pub sample: &'s Sample,
    pub directory: PrivateDirectory,
    pub random: Random,
    pub report: Report,
    limit: Duration,
}

impl<'s> Case<'s> {
    pub fn examine(sample: &'s Sample, limit: Duration) -> io::Result<Report> {
        let mut case = Case {
            sample,
            directory: PrivateDirectory::new()?,
            random: Random::new(!sample.seed),
            report: Report::default(),
            limit,
        };
        let Some((model, wanted)) = case.load()? else {
            case.report.refused = true;
            return Ok(case.report);
        };
        let graph = match sample.subject {
            Subject::Large => None,
            _ => case.guarded("oracle", String::new, || {
                Graph::new(&Interpreter::new(&model.program), MOST_STATES)
            }),
        };
        let graph = graph.flatten();
        case.report.judged_by_oracle = graph.is_some();
        case.safety(&model, graph.as_ref());
        case.temporal(&model, &wanted, graph.as_ref());
        Ok(case.report)
    }

    /// The model and its LTL and CTL formulas; `None` if the model is rejected.
    fn load(&mut self) -> io::Result<Option<(Model, Formulas)>> {
        let path = self.directory.path.join("m.pml");
        fs::write(&path, print(&self.sample.program))?;
        let properties = |texts: &[String], property: &dyn Fn(&String) -> Property| {
            texts.iter().map(property).collect::<Vec<_>>()
        };
        let (ltl, ctl) = (&self.sample.ltl, &self.sample.ctl);
        let groups = [
            properties(ltl, &|text| Property::ltl(text)),
            properties(ltl, &|text| Property::ctl(format!("A ({text})"))),
            properties(ctl, &|text| Property::ctl(text)),
            properties(ctl, &|text| Property::ctl(format!("!({text})"))),
        ];
        let reader = match ModelReader::default().properties(&groups.concat()) {
            Ok(reader) => reader,
            Err(error) => {
                self.report.differs("formula refused", error.to_string());
                return Ok(None);
            }
        };
        let Ok(model) = reader.read_file(&path) else { return Ok(None) };
        let resolve = |group: &Vec<Property>| {
            group.iter().map(|property| property.resolve(&model)).collect::<Result<Vec<_>, _>>()
        };
        let formulas = (|| {
            Ok::<_, String>(Formulas {
                linear: resolve(&groups[0])?,
                all_runs: resolve(&groups[1])?,
                branching: resolve(&groups[2])?,
                negated: resolve(&groups[3])?,
            })
        })();
        match formulas {
            Ok(formulas) => Ok(Some((model, formulas))),
            Err(problem) => {
                self.report.differs("formula refused", problem);
                Ok(None)
            }
        }
    }

    /// Runs a search. A panic or an exceeded time limit is reported as a difference.
    pub fn guarded<T>(
        &mut self,
        kind: &'static str,
        about: impl Fn() -> String,
        search: impl FnOnce() -> T,
    ) -> Option<T> {
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(search));
        let took = start.elapsed();
        if took > self.limit + GRACE {
            let late = format!("{kind}: {:.1} s {}", took.as_secs_f64(), about());
            self.report.late.push(late);
        }
        match result {
            Ok(result) => Some(result),
            Err(_) => {
                let message = PANIC.take().unwrap_or_else(|| "in another thread".to_owned());
                self.report.differs("panic", format!("{kind}: {message} {}", about()));
                None
            }
        }
    }

    /// The time budget of one search that starts now.
    pub fn budget(&self) -> Budget {
        Budget::of(self.limit)
    }

    /// The other limits.
    pub fn limits(&self) -> Limits<'static> {
        let states = if self.sample.subject == Subject::Large { STATES_OF_LARGE } else { STATES };
        Limits { states: Some(states), ..Limits::default() }
    }
}

/// The formulas of a sample, as properties of the model.
pub struct Formulas {
    pub linear: Vec<ResolvedProperty>,
    /// The linear formulas as `A (f)`.
    pub all_runs: Vec<ResolvedProperty>,
    pub branching: Vec<ResolvedProperty>,
    /// Their negations.
    pub negated: Vec<ResolvedProperty>,
}
