//! Runs a program and measures its wall time, processor time and peak memory.
//!
//! The figures are the child's own resource usage, returned by the system call that waits for it,
//! so other processes are not counted. They still slow down the wall clock.

use crate::process::reader;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// The cost and output of one run.
#[derive(Debug)]
pub struct Measured {
    pub wall_seconds: f64,
    /// User and system time of all threads.
    pub processor_seconds: f64,
    /// The largest resident set of the process.
    pub peak_bytes: u64,
    pub status: ExitStatus,
    /// It was killed or interrupted because it exceeded the time limit.
    pub out_of_time: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Measured {
    /// The exit status and the first lines that a failed program printed.
    pub fn complaint(&self) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
        format!("{}: {}", self.status, lines.join(" | "))
    }
}

/// Time in which an interrupted program can print its figures before it is killed.
const FAREWELL: Duration = Duration::from_secs(20);

/// What happens to a run that exceeds its time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// It is killed.
    Kill(Duration),
    /// It is interrupted as by Ctrl-C, and killed if that does not end it.
    Interrupt(Duration),
}

/// Runs `command` to its end, or kills it after `limit`.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Measured> {
    run_limited(command, Limit::Kill(limit))
}

/// Runs `command` to its end, or to its limit.
pub fn run_limited(command: &mut Command, limit: Limit) -> io::Result<Measured> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("cannot run {program}: {error}")))?;
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let (ended, watchdog) = watch(child.id(), limit);
    let used = child.wait4()?;
    let wall_seconds = start.elapsed().as_secs_f64();
    drop(ended);
    let out_of_time = watchdog.join().unwrap_or(false);
    Ok(Measured {
        wall_seconds,
        processor_seconds: (used.rusage.utime + used.rusage.stime).as_secs_f64(),
        peak_bytes: used.rusage.maxrss,
        status: used.status,
        out_of_time,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    })
}

/// Waiting for the child blocks, so that polling does not disturb the measurement; a second thread
/// ends it after the limit and returns whether it did. The thread ends when the sender is dropped.
fn watch(process: u32, limit: Limit) -> (mpsc::Sender<()>, JoinHandle<bool>) {
    let (sender, receiver) = mpsc::channel::<()>();
    let watchdog = thread::spawn(move || {
        let runs_after = |time| receiver.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout);
        match limit {
            Limit::Kill(time) if runs_after(time) => signal(process, "-KILL"),
            Limit::Interrupt(time) if runs_after(time) => {
                signal(process, "-INT");
                if runs_after(FAREWELL) {
                    signal(process, "-KILL");
                }
            }
            Limit::Kill(_) | Limit::Interrupt(_) => return false,
        }
        true
    });
    (sender, watchdog)
}

/// Sends a signal, which fails if the child has just ended.
fn signal(process: u32, name: &str) {
    let _ = Command::new("kill").args([name, &process.to_string()]).stderr(Stdio::null()).status();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_child() {
        let measured =
            run(Command::new("echo").arg("hello"), Duration::from_secs(10)).expect("echo runs");
        assert!(measured.status.success() && !measured.out_of_time);
        assert_eq!(measured.stdout, "hello\n");
        assert!(measured.peak_bytes > 100_000, "{}", measured.peak_bytes);
    }

    #[test]
    fn stopped_after_the_limit() {
        let measured =
            run(Command::new("sleep").arg("60"), Duration::from_millis(50)).expect("sleep runs");
        assert!(measured.out_of_time && !measured.status.success());
        assert!(measured.wall_seconds < 30.0);
    }

    #[test]
    fn interrupted_after_the_limit() {
        let script = "trap 'echo figures; exit 0' INT; while :; do sleep 0.05; done";
        let limit = Limit::Interrupt(Duration::from_millis(300));
        let measured =
            run_limited(Command::new("sh").args(["-c", script]), limit).expect("a shell runs");
        assert!(measured.out_of_time && measured.status.success());
        assert_eq!(measured.stdout, "figures\n");
    }
}
