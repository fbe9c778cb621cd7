//! Running real SPIN on one model: generate the verifier, compile it, search.
//!
//! Every run has a temporary directory of its own, because `spin` writes files with fixed names
//! into its working directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::pan::{self, Figures};
use crate::process;

/// The version of SPIN that produced every recorded figure.
pub const VERSION: &str = "6.5.2";

/// Signal number of an arithmetic exception, with which `pan` ends after a division by zero.
const ARITHMETIC_EXCEPTION: i32 = 8;

/// The result of SPIN on a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Searched(Figures),
    /// SPIN does not accept the model; holds its messages.
    Rejected(String),
    /// SPIN accepts the model, but its own C code does not compile.
    NotCompiled(String),
    /// The search did not end within the time limit.
    OutOfTime,
    /// The verifier ended without figures; holds the reason.
    Crashed(String),
}

/// Options for building and running the verifier.
#[derive(Debug, Clone)]
pub struct Options {
    pub compiler: String,
    pub compiler_arguments: Vec<String>,
    pub search_arguments: Vec<String>,
    /// A search for cycles never compresses states, although it may then find too many cycles
    /// ([`crate::spin_property`]).
    pub whole_states: bool,
    pub limit: Duration,
}

impl Options {
    /// As for recorded figures. Corpus models are small: a search stack for millions of steps would
    /// take more time than the search, and a truncated search is detected.
    pub fn reference(limit: Duration) -> Self {
        Self {
            compiler: "cc".to_owned(),
            compiler_arguments: vec!["-O0".to_owned()],
            search_arguments: strings(&["-c0", "-m200000", "-w18"]),
            whole_states: false,
            limit,
        }
    }

    /// For thousands of small models: the fastest available compiler, little memory.
    pub fn quick(limit: Duration) -> Self {
        static TCC: OnceLock<bool> = OnceLock::new();
        let (compiler, level) =
            if *TCC.get_or_init(|| installed("tcc")) { ("tcc", "-w") } else { ("cc", "-O0") };
        Self {
            compiler: compiler.to_owned(),
            compiler_arguments: strings(&[level, "-DMEMLIM=64"]),
            search_arguments: strings(&["-n", "-c0", "-m100000", "-w16"]),
            whole_states: false,
            limit,
        }
    }

    /// For properties of infinite runs, whose verifier determines its own depth.
    pub fn property(self) -> Self {
        Self { search_arguments: strings(&["-w16"]), ..self }
    }

    /// The same small searches with the system's compiler, to confirm results of the fast one.
    pub fn confirming(limit: Duration) -> Self {
        Self { compiler: "cc".to_owned(), ..Self::quick(limit) }
    }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

fn installed(program: &str) -> bool {
    process::run(Command::new(program).arg("-v"), Duration::from_secs(20)).is_ok()
}

/// Ensures that SPIN can be run; installs Debian's package if it is missing.
pub fn ensure_installed() -> Result<(), String> {
    if !installed("spin") {
        eprintln!("spin is not installed; trying `apt-get install spin`");
        for arguments in [["update", "-q", "-y"], ["install", "-y", "spin"]] {
            let command = &mut Command::new("apt-get");
            command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
            let finished = process::run(command, Duration::from_secs(600))
                .map_err(|error| format!("SPIN is needed and cannot be installed here: {error}"))?;
            // A failing `update` may leave a usable older index.
            if arguments[0] == "install" && !finished.succeeded() {
                return Err(format!(
                    "SPIN is needed and cannot be installed (`apt-get install spin` as root): {}",
                    finished.stderr.trim()
                ));
            }
        }
    }
    if !installed("cc") {
        return Err("a C compiler is needed as `cc` to build SPIN's verifiers".to_owned());
    }
    let version = process::run(Command::new("spin").arg("-V"), Duration::from_secs(20))
        .map_err(|error| error.to_string())?;
    if !version.stdout.contains(VERSION) {
        return Err(format!("SPIN {VERSION} is needed, found {}", version.stdout.trim()));
    }
    Ok(())
}

/// Runs SPIN on a model given as text.
pub fn check_text(model: &str, options: &Options) -> io::Result<Outcome> {
    let directory = PrivateDirectory::new()?;
    fs::write(directory.path.join("model.pml"), model)?;
    check(&directory.path, options)
}

fn check(directory: &Path, options: &Options) -> io::Result<Outcome> {
    let generate = process::run(
        Command::new("spin").args(["-o1", "-o2", "-o3", "-a", "model.pml"]).current_dir(directory),
        options.limit,
    )?;
    // The word "Error" in the messages is not decisive: SPIN also uses it for warnings, such as a
    // dubious `else`, and then exits with 0.
    if !generate.succeeded() || !directory.join("pan.c").exists() {
        return Ok(Outcome::Rejected(format!("{}{}", generate.stdout, generate.stderr)));
    }
    let compile = process::run(
        Command::new(&options.compiler)
            .args(&options.compiler_arguments)
            .args(["-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192"])
            .args(["-o", "pan", "pan.c"])
            .current_dir(directory),
        Duration::from_secs(120),
    )?;
    if !compile.succeeded() {
        return Ok(Outcome::NotCompiled(compile.stderr));
    }
    let search = process::run(
        Command::new(directory.join("pan")).args(&options.search_arguments).current_dir(directory),
        options.limit,
    )?;
    if search.status.is_none() {
        return Ok(Outcome::OutOfTime);
    }
    if search.signal() == Some(ARITHMETIC_EXCEPTION) {
        let mut figures = pan::parse(&search.stdout).unwrap_or_default();
        figures.fatal = true;
        figures.error_kinds.insert("division by zero".to_owned());
        return Ok(Outcome::Searched(figures));
    }
    Ok(pan::parse(&search.stdout).map_or_else(
        || Outcome::Crashed(format!("{:?}\n{}{}", search.status, search.stdout, search.stderr)),
        Outcome::Searched,
    ))
}

/// A unique directory, removed when dropped.
#[derive(Debug)]
pub struct PrivateDirectory {
    pub path: PathBuf,
}

impl PrivateDirectory {
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("lariat-xtask-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path)?;
        Ok(Self { path })
    }
}

impl Drop for PrivateDirectory {
    fn drop(&mut self) {
        // Files that cannot be removed remain in the system's temporary directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}
