//! The time limit of a command: one object that is passed to every phase, from reading a model to
//! showing a counterexample.
//!
//! A [`Budget`] has an absolute deadline and an interrupt flag (Ctrl-C). Hot loops read its
//! [`flag`](Budget::flag), a single atomic load: a watcher thread raises it at the deadline or on
//! an interrupt. Coarser loops call [`check`](Budget::check), which reads the clock and returns the
//! reason to stop. Work that cannot be made to stop (reading a pipe, an external compiler) is given
//! to [`run`](Budget::run), which stops waiting for it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// Interval at which a watcher polls the interrupts of its budget.
const WATCH: Duration = Duration::from_millis(20);
const WATCHER_STACK_BYTES: usize = 64 << 10;

/// The reason to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The time limit, as given.
    Time(Duration),
    /// An interrupt, such as Ctrl-C.
    Interrupted,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exhausted::Time(time) => {
                write!(out, "the time limit of {} s was reached", time.as_secs_f64())
            }
            Exhausted::Interrupted => out.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Exhausted {}

/// A time limit and interrupts. Clones share the deadline and the flag.
#[derive(Clone, Debug)]
pub struct Budget {
    end: Option<End>,
    /// Raised when the work has to stop.
    flag: Flag,
    /// Raised by interrupts.
    interrupts: Vec<Flag>,
}

/// A deadline, and the time limit from which it was computed.
#[derive(Clone, Copy, Debug)]
struct End {
    deadline: Instant,
    time: Duration,
}

#[derive(Clone, Debug)]
enum Flag {
    Never,
    Static(&'static AtomicBool),
    Shared(Arc<AtomicBool>),
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl Flag {
    fn get(&self) -> &AtomicBool {
        match self {
            Flag::Never => &NEVER,
            Flag::Static(flag) => flag,
            Flag::Shared(flag) => flag,
        }
    }

    fn is_raised(&self) -> bool {
        self.get().load(Ordering::Relaxed)
    }
}

/// A budget without limits.
pub static UNLIMITED: Budget = Budget { end: None, flag: Flag::Never, interrupts: Vec::new() };

impl Default for Budget {
    fn default() -> Budget {
        UNLIMITED.clone()
    }
}

impl Budget {
    /// A budget that starts now; `interrupt` ends it early.
    pub fn new(time: Option<Duration>, interrupt: &'static AtomicBool) -> Budget {
        Budget::until_any(vec![Flag::Static(interrupt)], None).part_of(time)
    }

    /// A budget that starts now and has only a time limit.
    pub fn of(time: Duration) -> Budget {
        UNLIMITED.part(time)
    }

    /// A budget without a time limit that `interrupt` ends.
    pub fn until(interrupt: Arc<AtomicBool>) -> Budget {
        UNLIMITED.part_until(interrupt)
    }

    /// A part of this budget that starts now and ends after `time` or with the whole.
    #[must_use]
    pub fn part(&self, time: Duration) -> Budget {
        // A deadline beyond the range of the clock never passes.
        let own = Instant::now().checked_add(time).map(|deadline| End { deadline, time });
        match (own, self.end) {
            (None, _) => self.clone(),
            (Some(own), Some(end)) if end.deadline <= own.deadline => self.clone(),
            (Some(_), _) => Budget::until_any(self.interrupts.clone(), own),
        }
    }

    /// As [`part`](Budget::part) if there is a time limit, otherwise a clone.
    #[must_use]
    pub fn part_of(&self, time: Option<Duration>) -> Budget {
        time.map_or_else(|| self.clone(), |time| self.part(time))
    }

    /// A part of this budget that also ends when `stop` is raised.
    #[must_use]
    pub fn part_until(&self, stop: Arc<AtomicBool>) -> Budget {
        let mut interrupts = self.interrupts.clone();
        interrupts.push(Flag::Shared(stop));
        Budget::until_any(interrupts, self.end)
    }

    fn until_any(interrupts: Vec<Flag>, end: Option<End>) -> Budget {
        // A single interrupt needs no watcher: its flag serves as the flag of the budget.
        if let (None, [interrupt]) = (end, interrupts.as_slice()) {
            return Budget { end, flag: interrupt.clone(), interrupts };
        }
        if end.is_none() && interrupts.is_empty() {
            return UNLIMITED.clone();
        }
        let flag = Arc::new(AtomicBool::new(false));
        let (watched, sources) = (Arc::downgrade(&flag), interrupts.clone());
        let deadline = end.map(|end| end.deadline);
        // Without a watcher, `check` still stops the work; only loops that read just the flag
        // continue.
        let _ = thread::Builder::new()
            .name("limits".into())
            .stack_size(WATCHER_STACK_BYTES)
            .spawn(move || watch(&watched, deadline, &sources));
        Budget { end, flag: Flag::Shared(flag), interrupts }
    }

    /// Whether there is neither a deadline nor an interrupt.
    pub fn is_unlimited(&self) -> bool {
        self.end.is_none() && self.interrupts.is_empty()
    }

    /// Whether work must stop: a single load, for hot loops. It may lag behind
    /// [`check`](Budget::check) by a few milliseconds.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.flag.is_raised()
    }

    /// The flag that [`is_over`](Budget::is_over) reads, for code that does not know budgets.
    #[inline]
    pub fn flag(&self) -> &AtomicBool {
        self.flag.get()
    }

    /// Whether work must stop, and why.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn check(&self) -> Result<(), Exhausted> {
        self.check_interrupt()?;
        match self.end {
            Some(end) if Instant::now() >= end.deadline => Err(Exhausted::Time(end.time)),
            _ => Ok(()),
        }
    }

    /// As [`check`](Budget::check), with time added to the limit, for work without which results
    /// would be lost.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn check_with(&self, grace: Duration) -> Result<(), Exhausted> {
        match self.check() {
            Err(Exhausted::Time(_)) if self.overdue() < grace => Ok(()),
            other => other,
        }
    }

    /// The time since the deadline.
    fn overdue(&self) -> Duration {
        self.end
            .map_or(Duration::ZERO, |end| Instant::now().saturating_duration_since(end.deadline))
    }

    /// A budget that starts now and ends `grace` after this one.
    #[must_use]
    pub fn extended(&self, grace: Duration) -> Budget {
        let later = |end: End| Some(End { deadline: end.deadline.checked_add(grace)?, ..end });
        Budget::until_any(self.interrupts.clone(), self.end.and_then(later))
    }

    /// As [`check`](Budget::check), for interrupts only; does not read the clock.
    ///
    /// # Errors
    /// The budget was interrupted.
    #[inline]
    pub fn check_interrupt(&self) -> Result<(), Exhausted> {
        if self.interrupts.iter().any(Flag::is_raised) {
            Err(Exhausted::Interrupted)
        } else {
            Ok(())
        }
    }

    /// The time limit that ends this budget, as it was given.
    pub fn time(&self) -> Option<Duration> {
        self.end.map(|end| end.time)
    }

    /// The time left; `None` if there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.end.map(|end| end.deadline.saturating_duration_since(Instant::now()))
    }

    /// Runs work that may not stop by itself on a separate thread. When the budget ends, this
    /// raises the flag that the work receives and stops waiting; the thread is then abandoned, and
    /// the exit of the process does not wait for it. If no thread can be created, the work runs on
    /// this one.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn run<T: Send + 'static>(
        &self,
        stack_bytes: usize,
        work: impl FnOnce(Arc<AtomicBool>) -> T + Send + 'static,
    ) -> Result<T, Exhausted> {
        self.check()?;
        let abandoned = Arc::new(AtomicBool::new(false));
        if self.is_unlimited() {
            return Ok(work(abandoned));
        }
        let stop = Arc::clone(&abandoned);
        let slot = Arc::new(std::sync::Mutex::new(Some(work)));
        let held = Arc::clone(&slot);
        let (sender, receiver) = mpsc::channel();
        let started = thread::Builder::new().stack_size(stack_bytes).spawn(move || {
            let work = held.lock().ok().and_then(|mut work| work.take());
            if let Some(work) = work {
                // The receiver no longer exists if the budget ended first.
                let _ = sender.send(work(stop));
            }
        });
        let thread = match started {
            Ok(thread) => thread,
            Err(_) => {
                let work = slot.lock().ok().and_then(|mut work| work.take());
                return Ok(work.expect("a thread that did not start took no work")(abandoned));
            }
        };
        loop {
            let pause = self.remaining().map_or(WATCH, |left| left.min(WATCH));
            match receiver.recv_timeout(pause) {
                Ok(done) => return Ok(done),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if let Err(exhausted) = self.check() {
                        abandoned.store(true, Ordering::Relaxed);
                        return Err(exhausted);
                    }
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => unreachable!("a thread that ends has sent its result"),
                },
            }
        }
    }
}

/// Raises the flag at the deadline or when an interrupt is raised; returns once the flag has no
/// other owner.
fn watch(flag: &Weak<AtomicBool>, deadline: Option<Instant>, interrupts: &[Flag]) {
    while let Some(flag) = flag.upgrade() {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) || interrupts.iter().any(Flag::is_raised) {
            flag.store(true, Ordering::Relaxed);
            return;
        }
        drop(flag);
        thread::sleep(left.map_or(WATCH, |left| left.min(WATCH)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(3600);

    fn wait_for(budget: &Budget) {
        let start = Instant::now();
        while !budget.is_over() {
            assert!(start.elapsed() < Duration::from_secs(20), "the flag is not raised");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn an_unlimited_budget_never_ends() {
        assert_eq!(UNLIMITED.check(), Ok(()));
        assert!(!UNLIMITED.is_over());
        assert_eq!(UNLIMITED.remaining(), None);
        assert_eq!(UNLIMITED.part(Duration::MAX).remaining(), None);
    }

    #[test]
    fn the_deadline_raises_the_flag() {
        let time = Duration::from_millis(5);
        let budget = Budget::of(time);
        wait_for(&budget);
        assert_eq!(budget.check(), Err(Exhausted::Time(time)));
        assert_eq!(budget.remaining(), Some(Duration::ZERO));
    }

    #[test]
    fn a_part_ends_first_or_with_the_whole() {
        let short = Duration::from_millis(5);
        let whole = Budget::of(LONG);
        let part = whole.part(short);
        wait_for(&part);
        assert_eq!(part.check(), Err(Exhausted::Time(short)));
        assert_eq!(whole.check(), Ok(()));
        let ended = Budget::of(short);
        wait_for(&ended);
        assert_eq!(ended.part(LONG).check(), Err(Exhausted::Time(short)));
    }

    #[test]
    fn an_interrupt_reaches_all_parts() {
        let (interrupt, stop) =
            (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let whole = Budget::until(Arc::clone(&interrupt));
        let part = whole.part(LONG);
        let stopped = part.part_until(Arc::clone(&stop));
        let inner = stopped.part(LONG);
        stop.store(true, Ordering::Relaxed);
        for budget in [&stopped, &inner] {
            wait_for(budget);
            assert_eq!(budget.check(), Err(Exhausted::Interrupted));
        }
        assert_eq!(part.check(), Ok(()));
        interrupt.store(true, Ordering::Relaxed);
        for budget in [&whole, &part] {
            wait_for(budget);
            assert_eq!(budget.check(), Err(Exhausted::Interrupted));
        }
    }

    #[test]
    fn run_waits_until_the_budget_ends() {
        assert_eq!(UNLIMITED.run(1 << 20, |_| 7), Ok(7));
        let time = Duration::from_millis(20);
        let start = Instant::now();
        let never = Budget::of(time).run(1 << 20, |_| thread::sleep(LONG));
        assert_eq!(never, Err(Exhausted::Time(time)));
        assert!(start.elapsed() < LONG / 2);
    }

    #[test]
    #[should_panic(expected = "of its own")]
    fn a_panic_is_propagated() {
        let _ = Budget::of(LONG).run(1 << 20, |_| panic!("of its own"));
    }
}
