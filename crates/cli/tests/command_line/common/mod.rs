//! Runs the command in a temporary directory, for tests of the command line.

#![allow(dead_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A temporary directory for one test.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new() -> Place {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lariat-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary directory");
        Place(path)
    }

    /// A directory with the model `m.pml`.
    pub fn of(model: &str) -> Place {
        Place::new().with("m.pml", model)
    }

    pub fn with(self, name: &str, text: &str) -> Place {
        std::fs::write(self.0.join(name), text).expect("a temporary file");
        self
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        command.args(arguments).current_dir(&self.0).env_remove("NO_COLOR").stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().expect("the command starts"))
    }

    /// Standard output of a command that succeeds.
    pub fn out(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.out
    }

    /// The text of a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("the file was written")
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        // The command may end before it has read its whole input.
        let _ = child.stdin.take().expect("it has an input").write_all(input.as_bytes());
        Ran::from(child.wait_with_output().expect("the command ends"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            code: output.status.code(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Ran {
    /// The output with figures that vary between runs replaced.
    pub fn steady(&self) -> String {
        let steady = |line: &str| match line.split_once("depth ") {
            Some((before, after)) => {
                format!("{before}depth {}, …", after.split(',').next().unwrap_or_default())
            }
            None => line.to_string(),
        };
        self.out.lines().map(steady).collect::<Vec<_>>().join("\n") + "\n"
    }
}
