//! One program: it is read, and everything about it is compared. The same seed compares in the same way, so a smaller
//! program can be compared again.

use std::cell::Cell;
use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use lariat::load::{Model, load_with};
use lariat::property::{Property, Wanted};
use model::{Budget, Interpreter};
use oracle::Graph;
use search::Limits;

use super::report::Report;
use super::writer::{Sample, Subject};
use crate::fuzz::random::Random;
use crate::fuzz::tree::print;
use crate::spin::PrivateDirectory;

/// Larger graphs are not for the oracle.
const MOST_STATES: usize = 1500;

/// More states are not searched.
const STATES: u64 = 30_000;
const STATES_OF_LARGE: u64 = 1_000_000;

/// A search may take this much longer than its limit.
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

    /// The model, and every formula of linear and of branching time; nothing if it is refused.
    fn load(&mut self) -> io::Result<Option<(Model, Formulas)>> {
        let path = self.directory.path.join("m.pml");
        fs::write(&path, print(&self.sample.program))?;
        let linear: Vec<Wanted> = self.sample.ltl.iter().cloned().map(Wanted::Ltl).collect();
        let all_runs = self.sample.ltl.iter().map(|text| Wanted::Ctl(format!("A ({text})"))).collect();
        let branching: Vec<Wanted> = self.sample.ctl.iter().cloned().map(Wanted::Ctl).collect();
        let negated = self.sample.ctl.iter().map(|text| Wanted::Ctl(format!("!({text})"))).collect();
        let groups: [Vec<Wanted>; 4] = [linear, all_runs, branching, negated];
        let texts: Result<Vec<Vec<String>>, String> = groups.iter().flatten().map(Wanted::texts).collect();
        let texts = match texts {
            Ok(texts) => texts.concat(),
            Err(problem) => {
                self.report.differs("formula refused", problem);
                return Ok(None);
            }
        };
        let Ok(model) = load_with(path.as_os_str(), &[], &texts, false) else { return Ok(None) };
        let given = model.given.clone();
        let mut given = given.iter();
        let mut found = groups.into_iter().map(|group| {
            group.iter().map(|wanted| wanted.find(&model, &mut given)).collect::<Result<Vec<_>, _>>()
        });
        let mut next = || found.next().unwrap_or(Ok(Vec::new()));
        let formulas = (|| {
            Ok::<_, String>(Formulas {
                linear: next()?,
                all_runs: next()?,
                branching: next()?,
                negated: next()?,
            })
        })();
        drop(found);
        match formulas {
            Ok(formulas) => Ok(Some((model, formulas))),
            Err(problem) => {
                self.report.differs("formula refused", problem);
                Ok(None)
            }
        }
    }

    /// Runs a search. A panic is a difference, and so is one that takes too long.
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

    /// The time of one search, from now on.
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
    pub linear: Vec<Property>,
    /// The same in branching time.
    pub all_runs: Vec<Property>,
    pub branching: Vec<Property>,
    /// Their negations.
    pub negated: Vec<Property>,
}
