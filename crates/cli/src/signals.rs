//! Handling of Ctrl-C (SIGINT), SIGTERM, and SIGHUP unless it is ignored, as under `nohup`.
//!
//! The first signal ends the search; checkpoints and reports are written. The second ends the
//! program immediately; temporary files are still removed. While the program prints, the first
//! signal ends it soon, because a reader that waits (such as a pager) can block it forever.

use super::Exit;
use lariat_search::temporary;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

/// Set by the first signal; ends all searches.
pub static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The program serves requests and has no search to end.
static SERVING: AtomicBool = AtomicBool::new(false);

/// The exit code of a program that prints, or [`NOT_PRINTING`].
static PRINTING: AtomicI32 = AtomicI32::new(NOT_PRINTING);
const NOT_PRINTING: i32 = -1;

/// Time after a signal in which a program that prints can end by itself.
const LAST_LINES: Duration = Duration::from_millis(500);

/// Installs the handlers: the first signal ends the search, the second ends the program.
pub fn stop_when_interrupted() {
    // If no handler can be installed, a signal ends the program immediately, which is acceptable.
    let _ = platform::handle(received);
}

/// Lets every signal end the program, including one that has already arrived.
pub fn leave_when_interrupted() {
    SERVING.store(true, Ordering::SeqCst);
    if INTERRUPTED.load(Ordering::SeqCst) {
        leave(Exit::Inconclusive as i32);
    }
}

/// Prints with `print`; a signal ends the program with this exit code, even if the reader of
/// standard output waits.
pub fn leave_while_printing<T>(exit: Exit, print: impl FnOnce() -> T) -> T {
    PRINTING.store(exit as i32, Ordering::SeqCst);
    let printed = print();
    PRINTING.store(NOT_PRINTING, Ordering::SeqCst);
    printed
}

fn received() {
    if SERVING.load(Ordering::SeqCst) {
        leave(Exit::Holds as i32);
    }
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        leave(Exit::Inconclusive as i32);
    }
    if PRINTING.load(Ordering::SeqCst) != NOT_PRINTING {
        std::thread::sleep(LAST_LINES);
    }
    let exit = PRINTING.load(Ordering::SeqCst);
    if exit != NOT_PRINTING {
        super::complain("interrupted while the output was printed\n");
        leave(exit);
    }
}

fn leave(code: i32) -> ! {
    temporary::remove_all();
    // Standard output may be locked by a thread that is blocked; nothing waits for it.
    std::process::exit(code)
}

#[cfg(unix)]
mod platform {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use std::io;
    use std::sync::mpsc;

    /// Calls `received` for each signal on a dedicated thread. The handler is installed when this
    /// function returns.
    pub fn handle(received: fn()) -> io::Result<()> {
        let mut signals = vec![SIGINT, SIGTERM];
        signals.extend((!is_ignored(SIGHUP)).then_some(SIGHUP));
        let (ready, installed) = mpsc::channel();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            let handler = Signals::new(signals);
            let _ = ready.send(());
            if let Ok(mut handler) = handler {
                handler.forever().for_each(|_| received());
            }
        })?;
        let _ = installed.recv();
        Ok(())
    }

    /// Whether the program was started with this signal ignored. Known on Linux only.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        mask >> (signal - 1) & 1 == 1
    }
}

#[cfg(not(unix))]
mod platform {
    pub fn handle(received: fn()) -> Result<(), ctrlc::Error> {
        ctrlc::set_handler(received)
    }
}
