//! Explores a program with compiled code of all three efforts, as a whole and location by location,
//! and compares every successor with the interpreter's.

use lariat_ir::Program;
use lariat_ir::budget::{Budget, UNLIMITED};
use lariat_ir::layout::Profile;
use lariat_ir::system::{Misfit, Repackable, Successors, TransitionSystem};
use lariat_jit::Engine;
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Statistics of an exploration.
#[derive(Debug, Default)]
pub struct ExplorationStats {
    pub states: usize,
    pub steps: usize,
    /// States for which the code bailed out although no error occurred.
    pub needless_fallbacks: usize,
    pub widened: usize,
}

/// The exploration stops instead of widening states of more words than this.
const MAX_WORDS: usize = 24;
/// The exploration stops when the widths of all compiled layouts add up to more words than this.
const MAX_COMPILED_WORDS: usize = 150;

/// How an engine gets its code.
#[derive(Clone, Copy, Debug)]
pub enum Variant {
    Whole,
    Least,
    Optimised,
    /// Each location is compiled when it is first reached.
    ByLocation,
    /// Locations are compiled in the background.
    Late,
}

/// Every variant: the first is the one whose fallbacks are counted.
#[allow(dead_code)]
pub const ALL: [Variant; 5] =
    [Variant::Whole, Variant::Least, Variant::Optimised, Variant::ByLocation, Variant::Late];

impl Variant {
    fn engine(self, program: &Program, profile: Profile) -> Engine<'_> {
        match self {
            Variant::Whole => Engine::with_profile(program, profile),
            Variant::Least => Engine::with_least_effort(program, profile),
            Variant::Optimised => Engine::with_profile(program, profile).optimised(),
            Variant::ByLocation => Engine::by_location(program, profile, &UNLIMITED),
            Variant::Late => {
                Engine::by_location(program, profile, &Budget::of(Duration::from_secs(600)))
            }
        }
    }

    fn widened<'a>(self, engine: &Engine<'a>, misfit: &Misfit) -> Engine<'a> {
        match self {
            Variant::Optimised => engine.widened(misfit).optimised(),
            _ => engine.widened(misfit),
        }
    }
}

/// Visits up to `limit` states breadth-first, widening the layout when necessary.
///
/// # Errors
/// The first difference between the engines.
pub fn lockstep(
    program: &Program,
    profile: Profile,
    variants: &[Variant],
    limit: usize,
) -> Result<ExplorationStats, String> {
    let mut engines: Vec<Engine<'_>> =
        variants.iter().map(|variant| variant.engine(program, profile.clone())).collect();
    if let Err(error) = engines[0].code_bytes() {
        return Err(error.to_string());
    }
    let Ok(initial) = engines[0].initial_states() else { return Ok(ExplorationStats::default()) };
    let mut stats = ExplorationStats::default();
    let mut compiled_words = 0;
    let mut known: HashSet<Vec<u64>> = initial.iter().cloned().collect();
    let mut queue: VecDeque<Vec<u64>> = initial.into();
    let mut compiled = Successors::new(engines[0].width());
    let mut interpreted = Successors::new(engines[0].width());
    while let Some(state) = queue.pop_front() {
        let system = &engines[0];
        interpreted.clear();
        let expected = system.packed().successors(&state, &mut interpreted);
        let fallbacks = system.fallbacks();
        // The first engine is the last one asked, so that its successors remain.
        for engine in engines.iter().rev() {
            compiled.clear();
            let found = engine.successors(&state, &mut compiled);
            if found.is_err() != expected.is_err() {
                return Err(format!(
                    "misfit in compiled code: {}, in the interpreter: {}: {:?}",
                    found.is_err(),
                    expected.is_err(),
                    system.decode(&state)
                ));
            }
            if found.is_ok() {
                compare(system, &state, &compiled, &interpreted)?;
            }
        }
        if let Err(misfit) = expected {
            if stats.widened > 200 {
                return Err("the layout was widened more than 200 times".into());
            }
            stats.widened += 1;
            // The program starts processes without end; each misfit compiles everything again.
            compiled_words += system.width().all;
            if system.width().all > MAX_WORDS || compiled_words > MAX_COMPILED_WORDS {
                return Ok(stats);
            }
            let wider: Vec<Engine<'_>> = variants
                .iter()
                .zip(&engines)
                .map(|(variant, engine)| variant.widened(engine, &misfit))
                .collect();
            let recoder = wider[0].recoder(system);
            let translate = |state: &Vec<u64>| {
                let mut words = Vec::new();
                recoder.recode(state, &mut words);
                words
            };
            known = known.iter().map(translate).collect();
            queue = queue.iter().map(translate).collect();
            queue.push_front(translate(&state));
            compiled = Successors::new(wider[0].width());
            interpreted = Successors::new(wider[0].width());
            engines = wider;
            continue;
        }
        stats.states += 1;
        stats.steps += compiled.len();
        stats.needless_fallbacks +=
            usize::from(system.fallbacks() > fallbacks && compiled.errors.is_empty());
        check_invariants(system, &state)?;
        for index in 0..compiled.len() {
            let next = compiled.state(index);
            if !compiled.code(index).is_stopped() && known.len() < limit && !known.contains(next) {
                known.insert(next.to_vec());
                queue.push_back(next.to_vec());
            }
        }
    }
    Ok(stats)
}

fn compare(
    system: &Engine<'_>,
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
                    format!(
                        "{:?} {:x?}",
                        system.decode(successors.state(index)),
                        successors.state(index)
                    )
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

fn check_invariants(system: &Engine<'_>, state: &[u64]) -> Result<(), String> {
    let (mut compiled, mut interpreted) = (Vec::new(), Vec::new());
    system.violated_invariants(state, &mut compiled);
    system.packed().violated_invariants(state, &mut interpreted);
    match compiled == interpreted {
        true => Ok(()),
        false => Err(format!(
            "invariants: {compiled:?}, but {interpreted:?} in {:?}",
            system.decode(state)
        )),
    }
}

/// The program of a Promela file, unless it has errors.
#[allow(dead_code)]
pub fn load(path: &Path) -> Option<Program> {
    let name = path.to_str()?;
    let compiled = lariat_promela::compile(&lariat_promela::DiskLoader, name, &[]);
    let failed = compiled.diagnostics.iter().any(lariat_promela::Diagnostic::is_error);
    compiled.program.filter(|_| !failed)
}

/// The models below a folder, sorted by path.
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
