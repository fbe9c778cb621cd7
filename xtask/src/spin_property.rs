//! Real SPIN's verdict about properties of infinite runs: `pan -a` and `pan -l`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process;
use crate::spin::{Options, PrivateDirectory};

/// A compiled verifier in a directory of its own.
#[derive(Debug)]
pub struct Verifier {
    directory: PrivateDirectory,
    search_arguments: Vec<String>,
    limit: Duration,
}

/// The output of one search of `pan`.
#[derive(Debug, Default)]
struct Said {
    errors: u64,
    /// A cycle, or the end of a claim.
    infinite: bool,
    /// Failed assertions and undefined conditions, of the claim or of the program, which `pan` does
    /// not distinguish.
    others: BTreeSet<String>,
}

impl Verifier {
    /// Builds a verifier of a model; `None` if SPIN or the compiler rejects it.
    pub fn build(model: &Path, options: &Options) -> io::Result<Option<Verifier>> {
        let directory = PrivateDirectory::new()?;
        fs::copy(model, directory.path.join("model.pml"))?;
        let mut command = Command::new("spin");
        command.args(["-o1", "-o2", "-o3", "-a", "model.pml"]);
        let generated = process::run(command.current_dir(&directory.path), options.limit)?;
        if !generated.succeeded() || !directory.path.join("pan.c").exists() {
            return Ok(None);
        }
        let mut command = Command::new(&options.compiler);
        command.args(["-w", "-DNOREDUCE"]).args(&options.compiler_arguments);
        command.args(plain_nested_search(model, options)?).args(["-o", "pan", "pan.c"]);
        let compiled =
            process::run(command.current_dir(&directory.path), options.limit.max(COMPILING))?;
        let search_arguments = options.search_arguments.clone();
        Ok(compiled.succeeded().then_some(Verifier {
            directory,
            search_arguments,
            limit: options.limit,
        }))
    }

    fn run(&self, arguments: &[&str]) -> io::Result<Option<Said>> {
        // A larger stack only where necessary, because `pan` allocates it at the start.
        for depth in [20_000, 200_000, 10_000_000] {
            let mut command = Command::new(self.directory.path.join("pan"));
            command.args(arguments).args(&self.search_arguments).args([
                "-E",
                "-n",
                &format!("-m{depth}"),
            ]);
            command.current_dir(&self.directory.path);
            let said = parse(&process::run(&mut command, self.limit)?.stdout, depth);
            if said.is_some() {
                return Ok(said);
            }
        }
        Ok(None)
    }

    /// Whether there is a forbidden run; `None` if the verifier did not finish or is unreliable.
    /// `without` builds a verifier of the program alone, if the program may have errors of its own.
    pub fn violated(
        &self,
        arguments: &[&str],
        without: impl FnOnce() -> io::Result<Option<Verifier>>,
    ) -> io::Result<Option<bool>> {
        let Some(first) = self.run(arguments)? else { return Ok(None) };
        if first.errors == 0 || first.infinite {
            return Ok(Some(first.infinite));
        }
        let Some(without) = without()? else { return Ok(Some(!first.others.is_empty())) };
        // The first error may be the program's own: consider all errors.
        let all = [arguments, &["-c0"]].concat();
        let Some(said) = self.run(&all)? else { return Ok(None) };
        let own = match without.run(&["-c0"])? {
            Some(own) => own.others,
            None => return Ok(None),
        };
        Ok(Some(said.infinite || !said.others.is_subset(&own)))
    }
}

/// `pan` checks labels where it stores states; when it returns to a state on its stack it also
/// checks the step before, which may be inside an atomic sequence (`docs/spin-differences.md`). It
/// does not with compressed states, which however may collide.
fn plain_nested_search(model: &Path, options: &Options) -> io::Result<Option<&'static str>> {
    let text = fs::read(model)?;
    let text = String::from_utf8_lossy(&text);
    let confused = text.contains("accept") && text.contains("atomic");
    Ok((confused && !options.whole_states).then_some("-DHC4"))
}

/// The messages of `pan` for a forbidden run, or for an error of a claim other than an assertion.
const INFINITE: [&str; 5] = [
    "acceptance cycle",
    "accept stutter",
    "non-progress cycle",
    "end state in claim",
    "block in d_step",
];

/// Compilers are slow when several run in parallel.
const COMPILING: Duration = Duration::from_secs(120);

/// Parses the output of a search with this depth limit.
fn parse(text: &str, depth: u64) -> Option<Said> {
    let (_, errors) = text.split_once("errors: ")?;
    let digits = errors.find(|c: char| !c.is_ascii_digit()).unwrap_or(errors.len());
    let errors = errors[..digits].parse().ok()?;
    // If one of several claims cannot start, SPIN cannot search it and reports meaningless figures.
    let nonsense = !text.contains("states, stored") || text.contains("e+07 seconds");
    let mut said = Said { errors, ..Said::default() };
    for line in text.lines() {
        // `pan:1: what it is (at depth 3)`; other lines have no number.
        let error = line.strip_prefix("pan:").and_then(|rest| rest.split_once(": "));
        let Some((_, what)) = error.filter(|(number, _)| number.parse::<u64>().is_ok()) else {
            continue;
        };
        if INFINITE.iter().any(|kind| what.contains(kind)) {
            said.infinite = true;
        } else {
            let end = what.rfind("(at depth").unwrap_or(what.len());
            said.others.insert(what[..end].trim().to_owned());
        }
    }
    // A truncated search may have missed an error. If a claim with atomic sequences continues after
    // the program has ended, only the depth shows it.
    let reached: Option<u64> = text
        .split_once("depth reached ")
        .and_then(|(_, rest)| rest.split(',').next()?.parse().ok());
    let cut = text.contains("max search depth too small")
        || text.contains("out of memory")
        || text.contains("Search not completed")
        || reached.is_some_and(|reached| reached + 1 >= depth);
    if nonsense || (cut && errors == 0) { None } else { Some(said) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pan_reports_are_parsed() {
        let report = |errors: &str, count: u32| {
            format!(
                "{errors}State-vector 28 byte, depth reached 3, errors: {count}\n        4 states, stored\n"
            )
        };
        let parse = |text: &str| parse(text, 20_000);
        let cycle = parse(&report("pan:1: acceptance cycle (at depth 2)\n", 1)).expect("a report");
        assert!(cycle.infinite && cycle.others.is_empty() && cycle.errors == 1);
        let failed = parse(&report("pan:1: assertion violated  !((x==1)) (at depth 3)\n", 1))
            .expect("a report");
        assert!(!failed.infinite && failed.others.contains("assertion violated  !((x==1))"));
        let no_value = report(
            "pan:1: ref to uninitialized chan name (len) (at depth 0)\npan: wrote m.trail\n",
            1,
        );
        let no_value = parse(&no_value).expect("a report");
        assert!(!no_value.infinite && no_value.others.len() == 1);
        assert!(parse(&report("error: max search depth too small\n", 0)).is_none());
        assert!(
            parse(&report("pan: reached -DMEMLIM bound\nWarning: Search not completed\n", 0))
                .is_none()
        );
        assert!(parse("Segmentation fault").is_none());
        let deep = report("", 0).replace("reached 3", "reached 19999");
        assert!(parse(&report("", 0)).is_some() && parse(&deep).is_none());
    }
}
