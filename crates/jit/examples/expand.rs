//! Measures the cost of successors: explores models breadth-first with a plain hash set, then
//! expands all states again. `cargo run --release -p lariat-jit --example expand -- [--states N]
//! [--quick | --interpreted] MODEL...`. The second pass uses optimised code, with `--quick` the
//! code of the first pass, and with `--interpreted` the interpreter; the compile time printed is
//! always that of the quick code.

use lariat_ir::system::{Repackable, Successors, TransitionSystem};
use lariat_jit::{Engine, EngineKind};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// States per block. Each block is timed `PASSES` times and the fastest pass counts, which excludes
/// the influence of other processes.
const BLOCK: usize = 256;
const PASSES: usize = 7;

fn main() {
    let (mut limit, mut engine) = (200_000, EngineKind::Automatic);
    let mut arguments = std::env::args().skip(1);
    println!(
        "{:>28} {:>6} {:>9} {:>9} {:>8} {:>10} {:>8} {:>8} {:>6} {:>7}",
        "model",
        "words",
        "compile",
        "bytes",
        "states",
        "successors",
        "ns/succ",
        "ns/state",
        "fallb.",
        "widened"
    );
    while let Some(argument) = arguments.next() {
        if argument == "--states" {
            limit = arguments.next().and_then(|limit| limit.parse().ok()).unwrap_or(limit);
            continue;
        }
        match argument.as_str() {
            "--quick" => engine = EngineKind::Compiled,
            "--interpreted" => engine = EngineKind::Interpreted,
            model => measure(model, limit, engine),
        }
    }
}

fn measure(path: &str, limit: usize, engine: EngineKind) {
    let compiled = lariat_promela::compile(&lariat_promela::DiskLoader, path, &[]);
    let Some(program) = compiled.program else { return println!("{path}: rejected") };
    let made = match engine {
        EngineKind::Interpreted => Engine::interpreted(&program),
        _ => Engine::compiled(&program),
    };
    let mut system = match made {
        Ok(system) => system,
        Err(error) => return println!("{path}: {error}"),
    };
    let mut compile_time = system.compile_time();
    let Ok(initial) = system.initial_states() else { return };
    let mut known: HashSet<Vec<u64>, rapidhash::fast::RandomState> =
        initial.iter().cloned().collect();
    let mut states = initial;
    let mut out = Successors::new(system.width());
    let (mut next, mut widened) = (0, 0);
    while next < states.len() && states.len() < limit {
        out.clear();
        if let Err(misfit) = system.successors(&states[next], &mut out) {
            let wider = system.widened(&misfit);
            let recoder = wider.recoder(&system);
            for state in &mut states {
                let mut words = Vec::new();
                recoder.recode(state, &mut words);
                *state = words;
            }
            known = states.iter().cloned().collect();
            out = Successors::new(wider.width());
            system = wider;
            widened += 1;
            compile_time = compile_time.min(system.compile_time());
            continue;
        }
        next += 1;
        for index in 0..out.len() {
            let state = out.state(index);
            if !out.code(index).is_stopped() && !known.contains(state) {
                known.insert(state.to_vec());
                states.push(state.to_vec());
            }
        }
    }
    if engine == EngineKind::Automatic {
        system = system.optimised();
    }
    let flat: Vec<u64> = states.iter().flatten().copied().collect();
    let mut successors = 0;
    let mut time = Duration::ZERO;
    let fallbacks = system.fallbacks();
    for block in flat.chunks(BLOCK * system.width().all) {
        let fastest = (0..PASSES).map(|_| {
            out.clear();
            let start = Instant::now();
            for state in block.chunks(system.width().all) {
                // A misfit costs as much as successors.
                let _ = system.successors(state, &mut out);
            }
            start.elapsed()
        });
        time += fastest.min().unwrap_or_default();
        successors += out.len();
    }
    let name = std::path::Path::new(path)
        .file_name()
        .map_or(String::new(), |name| name.to_string_lossy().into_owned());
    println!(
        "{name:>28} {:>6} {:>7.1}ms {:>9} {:>8} {successors:>10} {:>8.1} {:>8.1} {:>6} \
         {widened:>7}",
        system.width().all,
        compile_time.as_secs_f64() * 1000.0,
        system.code_bytes().unwrap_or(0),
        states.len(),
        time.as_secs_f64() * 1e9 / successors.max(1) as f64,
        time.as_secs_f64() * 1e9 / states.len().max(1) as f64,
        (system.fallbacks() - fallbacks) / PASSES as u64,
    );
}
