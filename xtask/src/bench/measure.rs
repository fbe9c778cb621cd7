//! Running one program and measuring it: wall time, processor time, peak memory.
//!
//! The figures are the child's own, as the system hands them over when the child is waited for, so nothing
//! that runs beside it is counted (except that it makes the wall clock, and to a lesser degree the
//! processor, slower).

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// What one run cost, and what it printed.
#[derive(Debug)]
pub struct Measured {
    pub wall_seconds: f64,
    /// User and system time of all threads.
    pub processor_seconds: f64,
    /// The largest resident set the process ever had.
    pub peak_bytes: u64,
    pub status: ExitStatus,
    /// It was stopped because it took longer than the limit.
    pub out_of_time: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Measured {
    /// The last words of a program that failed.
    pub fn complaint(&self) -> String {
        let text = if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr };
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(2).collect();
        format!("{}: {}", self.status, lines.join(" | "))
    }
}

/// Runs `command` to its end, or kills it after `limit`.
pub fn run(command: &mut Command, limit: Duration) -> io::Result<Measured> {
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

/// Waiting blocks, so that the child is measured without being polled; a second thread keeps the time and
/// answers whether it had to kill. It ends when the sender it is given for is dropped.
fn watch(process: u32, limit: Duration) -> (mpsc::Sender<()>, JoinHandle<bool>) {
    let (sender, receiver) = mpsc::channel::<()>();
    let watchdog = thread::spawn(move || {
        let too_long = receiver.recv_timeout(limit) == Err(mpsc::RecvTimeoutError::Timeout);
        if too_long {
            // A failure means that the child ended at this very moment.
            let _ = Command::new("kill").args(["-KILL", &process.to_string()]).stderr(Stdio::null()).status();
        }
        too_long
    });
    (sender, watchdog)
}

fn reader<R: Read + Send + 'static>(source: Option<R>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut source) = source {
            // A read error ends the text; what was read until then is still of use.
            let _ = source.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_child() {
        let measured = run(Command::new("echo").arg("hello"), Duration::from_secs(10)).expect("echo runs");
        assert!(measured.status.success() && !measured.out_of_time);
        assert_eq!(measured.stdout, "hello\n");
        assert!(measured.peak_bytes > 100_000, "{}", measured.peak_bytes);
    }

    #[test]
    fn stopped_after_the_limit() {
        let measured = run(Command::new("sleep").arg("60"), Duration::from_millis(50)).expect("sleep runs");
        assert!(measured.out_of_time && !measured.status.success());
        assert!(measured.wall_seconds < 30.0);
    }
}
