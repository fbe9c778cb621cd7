//! Walking a program with the machine code, quickly made, even more quickly made and optimised, and with the interpreter, side by side.

use model::Program;
use model::layout::Profile;
use model::system::{Successors, System};
use native::Native;
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// What a walk saw.
#[derive(Debug, Default)]
pub struct Walked {
    pub states: usize,
    pub steps: usize,
    /// States about which the interpreter was asked, and that it found nothing wrong with.
    pub needlessly_asked: usize,
    pub widened: usize,
}

/// States of more words than this are not made still wider.
const WIDE: usize = 24;
/// When the states that code was made for have had as many words in all, it is not made again.
const MUCH: usize = 150;

/// Visits up to `limit` states breadth-first, widening the layout when it must; says where the engines differ.
pub fn lockstep(program: &Program, profile: Profile, limit: usize) -> Result<Walked, String> {
    let mut optimised = Native::with_profile(program, profile.clone()).optimised();
    let mut simplest = Native::simplest(program, profile.clone());
    let mut system = Native::with_profile(program, profile);
    if let Err(failure) = system.code_bytes() {
        return Err(failure.to_string());
    }
    let Ok(initial) = system.initial_states() else { return Ok(Walked::default()) };
    let mut walked = Walked::default();
    let mut compiled_words = 0;
    let mut known: HashSet<Vec<u64>> = initial.iter().cloned().collect();
    let mut queue: VecDeque<Vec<u64>> = initial.into();
    let mut compiled = Successors::new(system.width());
    let mut better = Successors::new(system.width());
    let mut worse = Successors::new(system.width());
    let mut interpreted = Successors::new(system.width());
    while let Some(state) = queue.pop_front() {
        compiled.clear();
        better.clear();
        worse.clear();
        interpreted.clear();
        let asked = system.asked();
        let found = system.successors(&state, &mut compiled);
        for (other, out) in [(&optimised, &mut better), (&simplest, &mut worse)] {
            if other.successors(&state, out).is_ok() != found.is_ok() {
                return Err(format!("only one code fits: {:?}", system.decode(&state)));
            }
        }
        let expected = system.packed().successors(&state, &mut interpreted);
        match (found, expected) {
            (Ok(()), Ok(())) => {}
            (Err(misfit), Err(_)) => {
                if walked.widened > 200 {
                    return Err("the layout is widened again and again".into());
                }
                walked.widened += 1;
                // Processes are started without end, and each time all is compiled anew.
                compiled_words += system.width().all;
                if system.width().all > WIDE || compiled_words > MUCH {
                    return Ok(walked);
                }
                let wider = system.widened(&misfit);
                let recoder = wider.recoder(&system);
                let translate = |state: &Vec<u64>| {
                    let mut words = Vec::new();
                    recoder.recode(state, &mut words);
                    words
                };
                known = known.iter().map(translate).collect();
                queue = queue.iter().map(translate).collect();
                queue.push_front(translate(&state));
                compiled = Successors::new(wider.width());
                better = Successors::new(wider.width());
                worse = Successors::new(wider.width());
                interpreted = Successors::new(wider.width());
                optimised = optimised.widened(&misfit).optimised();
                simplest = simplest.widened(&misfit);
                system = wider;
                continue;
            }
            (found, expected) => {
                return Err(format!(
                    "{}fits for the code, {}fits for the interpreter: {:?}",
                    if found.is_err() { "mis" } else { "" },
                    if expected.is_err() { "mis" } else { "" },
                    system.decode(&state)
                ));
            }
        }
        compare(&system, &state, &compiled, &interpreted)?;
        compare(&system, &state, &better, &interpreted)?;
        compare(&system, &state, &worse, &interpreted)?;
        walked.states += 1;
        walked.steps += compiled.len();
        walked.needlessly_asked += usize::from(system.asked() > asked && compiled.errors.is_empty());
        check_invariants(&system, &state)?;
        for index in 0..compiled.len() {
            let next = compiled.state(index);
            if !compiled.code(index).is_stopped() && known.len() < limit && !known.contains(next) {
                known.insert(next.to_vec());
                queue.push_back(next.to_vec());
            }
        }
    }
    Ok(walked)
}

fn compare(
    system: &Native<'_>,
    state: &[u64],
    compiled: &Successors,
    interpreted: &Successors,
) -> Result<(), String> {
    let show = |successors: &Successors| {
        let mut text = String::new();
        for index in 0..successors.len() {
            let code = successors.code(index);
            let next = match code.is_stopped() {
                true => "stopped".into(),
                false => {
                    format!("{:?} {:x?}", system.decode(successors.state(index)), successors.state(index))
                }
            };
            text += &format!("    {:?} {:x}: {next}\n", system.step(code), code.0);
        }
        format!("{text}    {:?}\n", successors.errors)
    };
    let same = compiled.len() == interpreted.len()
        && compiled.errors == interpreted.errors
        && (0..compiled.len()).all(|index| {
            compiled.code(index) == interpreted.code(index)
                && compiled.state(index) == interpreted.state(index)
        });
    if same {
        return Ok(());
    }
    Err(format!(
        "different successors of {:?} {state:x?}\n  compiled:\n{}  interpreted:\n{}",
        system.decode(state),
        show(compiled),
        show(interpreted)
    ))
}

fn check_invariants(system: &Native<'_>, state: &[u64]) -> Result<(), String> {
    let (mut compiled, mut interpreted) = (Vec::new(), Vec::new());
    system.violated_invariants(state, &mut compiled);
    system.packed().violated_invariants(state, &mut interpreted);
    match compiled == interpreted {
        true => Ok(()),
        false => Err(format!("invariants: {compiled:?}, but {interpreted:?} in {:?}", system.decode(state))),
    }
}

/// The program of a Promela file, if it is accepted.
#[allow(dead_code)]
pub fn load(path: &Path) -> Option<Program> {
    let name = path.to_str()?;
    let compiled = promela::compile(&promela::DiskLoader, name, &[]);
    let failed = compiled.diagnostics.iter().any(promela::Diagnostic::is_error);
    compiled.program.filter(|_| !failed)
}

/// The models below a folder, in order of their paths.
#[allow(dead_code)]
pub fn models(folder: &Path) -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "pml") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(folder, &mut found);
    found.sort();
    found
}
