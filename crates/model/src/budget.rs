//! How long a command may run: one object that is handed to every phase, from reading a model to showing a run.
//!
//! A [`Budget`] has an absolute deadline and an interrupt flag (Ctrl-C). Hot loops read its [`flag`](Budget::flag), a single
//! atomic load: a watcher thread raises it when the deadline has passed or the interrupt came. Coarser loops call
//! [`check`](Budget::check), which reads the clock and says why to stop. Work that cannot be asked to stop (reading a
//! pipe, a compiler that is not ours) is given to [`run`](Budget::run), which stops waiting for it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// How often a watcher looks whether the budget above its own was interrupted.
const WATCH: Duration = Duration::from_millis(20);
const WATCHER_STACK_BYTES: usize = 64 << 10;

/// Why work has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// The time limit, as it was given.
    Time(Duration),
    Interrupted,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exhausted::Time(time) => write!(out, "the time limit of {} s was reached", time.as_secs_f64()),
            Exhausted::Interrupted => out.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Exhausted {}

/// What work may use. Clones share the deadline and the flag.
#[derive(Clone, Debug)]
pub struct Budget {
    end: Option<End>,
    /// Raised when all work has to stop.
    flag: Flag,
    /// Raised from outside.
    interrupts: Vec<Flag>,
}

/// A deadline, and the time limit that it came from.
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

/// No limit at all.
pub static UNLIMITED: Budget = Budget { end: None, flag: Flag::Never, interrupts: Vec::new() };

impl Default for Budget {
    fn default() -> Budget {
        UNLIMITED.clone()
    }
}

impl Budget {
    /// Begins now; `interrupt` ends it early.
    pub fn new(time: Option<Duration>, interrupt: &'static AtomicBool) -> Budget {
        Budget::until_any(vec![Flag::Static(interrupt)], None).part_of(time)
    }

    /// Begins now and has only a time limit.
    pub fn of(time: Duration) -> Budget {
        UNLIMITED.part(time)
    }

    /// No time limit, but a flag that ends it.
    pub fn until(interrupt: Arc<AtomicBool>) -> Budget {
        UNLIMITED.part_until(interrupt)
    }

    /// A part of this budget that begins now and ends with it, or earlier: after `time`.
    #[must_use]
    pub fn part(&self, time: Duration) -> Budget {
        // A deadline that the clock cannot express never comes.
        let own = Instant::now().checked_add(time).map(|deadline| End { deadline, time });
        match (own, self.end) {
            (None, _) => self.clone(),
            (Some(own), Some(end)) if end.deadline <= own.deadline => self.clone(),
            (Some(_), _) => Budget::until_any(self.interrupts.clone(), own),
        }
    }

    /// The same, if there is a limit.
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
        // A single interrupt needs no watcher: its flag is that of the budget.
        if let (None, [interrupt]) = (end, interrupts.as_slice()) {
            return Budget { end, flag: interrupt.clone(), interrupts };
        }
        if end.is_none() && interrupts.is_empty() {
            return UNLIMITED.clone();
        }
        let flag = Arc::new(AtomicBool::new(false));
        let (watched, sources) = (Arc::downgrade(&flag), interrupts.clone());
        let deadline = end.map(|end| end.deadline);
        // Without a watcher `check` still ends the work, only loops that read nothing but the flag do not.
        let _ = thread::Builder::new()
            .name("limits".into())
            .stack_size(WATCHER_STACK_BYTES)
            .spawn(move || watch(&watched, deadline, &sources));
        Budget { end, flag: Flag::Shared(flag), interrupts }
    }

    /// Is there neither a deadline nor anything that could interrupt?
    pub fn is_unlimited(&self) -> bool {
        self.end.is_none() && self.interrupts.is_empty()
    }

    /// Must work stop? A single load, for hot loops; `true` up to a few milliseconds later than [`check`](Budget::check).
    #[inline]
    pub fn is_over(&self) -> bool {
        self.flag.is_raised()
    }

    /// The flag that [`is_over`](Budget::is_over) reads, for code that knows nothing of budgets.
    #[inline]
    pub fn flag(&self) -> &AtomicBool {
        self.flag.get()
    }

    /// Must work stop, and why?
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

    /// The same, with some time more than the limit, for work without which what was found would be lost.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn check_with(&self, grace: Duration) -> Result<(), Exhausted> {
        match self.check() {
            Err(Exhausted::Time(_)) if self.overdue() < grace => Ok(()),
            other => other,
        }
    }

    /// How long ago the deadline was.
    fn overdue(&self) -> Duration {
        self.end.map_or(Duration::ZERO, |end| Instant::now().saturating_duration_since(end.deadline))
    }

    /// A budget that begins now and ends so much later than this one.
    #[must_use]
    pub fn extended(&self, grace: Duration) -> Budget {
        let later = |end: End| Some(End { deadline: end.deadline.checked_add(grace)?, ..end });
        Budget::until_any(self.interrupts.clone(), self.end.and_then(later))
    }

    /// Only whether it was interrupted, without looking at the clock.
    ///
    /// # Errors
    /// It was.
    #[inline]
    pub fn check_interrupt(&self) -> Result<(), Exhausted> {
        if self.interrupts.iter().any(Flag::is_raised) { Err(Exhausted::Interrupted) } else { Ok(()) }
    }

    /// The time limit that ends this budget, as it was given.
    pub fn time(&self) -> Option<Duration> {
        self.end.map(|end| end.time)
    }

    /// How much time is left; `None` if there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.end.map(|end| end.deadline.saturating_duration_since(Instant::now()))
    }

    /// Does work that cannot be relied on to stop on a thread of its own, and stops waiting for it when the budget ends: the
    /// flag that the work gets is raised then. The thread is
    /// then left alone; the end of the process does not wait for it. If no thread can be
    /// had, the work is done here.
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
        let told = Arc::clone(&abandoned);
        let slot = Arc::new(std::sync::Mutex::new(Some(work)));
        let held = Arc::clone(&slot);
        let (sender, receiver) = mpsc::channel();
        let started = thread::Builder::new().stack_size(stack_bytes).spawn(move || {
            let work = held.lock().ok().and_then(|mut work| work.take());
            if let Some(work) = work {
                // The receiver is gone if the budget ended first.
                let _ = sender.send(work(told));
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

/// Raises the flag at the deadline, or when one of the others is raised; ends early once the flag has no other owner.
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
    fn without_limits_it_never_ends() {
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
        let (interrupt, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
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
    fn work_is_waited_for_until_the_end() {
        assert_eq!(UNLIMITED.run(1 << 20, |_| 7), Ok(7));
        let time = Duration::from_millis(20);
        let start = Instant::now();
        let never = Budget::of(time).run(1 << 20, |_| thread::sleep(LONG));
        assert_eq!(never, Err(Exhausted::Time(time)));
        assert!(start.elapsed() < LONG / 2);
    }

    #[test]
    #[should_panic(expected = "of its own")]
    fn a_panic_comes_through() {
        let _ = Budget::of(LONG).run(1 << 20, |_| panic!("of its own"));
    }
}
