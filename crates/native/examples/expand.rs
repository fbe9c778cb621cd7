//! Explores models breadth-first with a plain hash set and tells what the machine code costs:
//! `cargo run --release -p native --example expand -- [--states N] MODEL...`

use model::system::{Successors, System};
use native::Native;
use std::collections::HashSet;
use std::time::{Duration, Instant};

fn main() {
    let mut limit = 1_000_000;
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
        "asked",
        "widened"
    );
    while let Some(argument) = arguments.next() {
        if argument == "--states" {
            limit = arguments.next().and_then(|limit| limit.parse().ok()).unwrap_or(limit);
            continue;
        }
        explore(&argument, limit);
    }
}

fn explore(path: &str, limit: usize) {
    let compiled = promela::compile(&promela::DiskLoader, path, &[]);
    let Some(program) = compiled.program else { return println!("{path}: rejected") };
    let mut system = match Native::new(&program) {
        Ok(system) => system,
        Err(error) => return println!("{path}: {error}"),
    };
    let first_compile = system.compile_time();
    let Ok(mut level) = system.initial_states() else { return };
    let mut known: HashSet<Vec<u64>, rapidhash::fast::RandomState> = level.iter().cloned().collect();
    let (mut states, mut successors, mut asked, mut widened) = (0, 0, 0, 0);
    let mut time = Duration::ZERO;
    let mut out = Successors::new(system.width());
    const BLOCK: usize = 64;
    'search: while !level.is_empty() && known.len() < limit {
        let mut next_level: Vec<Vec<u64>> = Vec::new();
        for block in level.chunks(BLOCK) {
            out.clear();
            let start = Instant::now();
            let result = block.iter().try_for_each(|state| system.successors(state, &mut out));
            time += start.elapsed();
            if let Err(misfit) = result {
                let wider = system.widened(&misfit);
                let recoder = wider.recoder(&system);
                let translate = |state: &Vec<u64>| {
                    let mut words = Vec::new();
                    recoder.recode(state, &mut words);
                    words
                };
                // States of the unfinished level are expanded again.
                let rest: Vec<Vec<u64>> = level.iter().map(translate).collect();
                known = known.iter().map(translate).collect();
                asked += system.asked();
                widened += 1;
                out = Successors::new(wider.width());
                system = wider;
                for state in &next_level {
                    let mut words = Vec::new();
                    recoder.recode(state, &mut words);
                    known.remove(&words);
                }
                level = rest;
                continue 'search;
            }
            states += block.len();
            successors += out.len();
            for index in 0..out.len() {
                if !out.code(index).is_stopped() && !known.contains(out.state(index)) {
                    known.insert(out.state(index).to_vec());
                    next_level.push(out.state(index).to_vec());
                }
            }
        }
        level = next_level;
    }
    asked += system.asked();
    let name = std::path::Path::new(path)
        .file_name()
        .map_or(String::new(), |name| name.to_string_lossy().into_owned());
    println!(
        "{name:>28} {:>6} {:>7.1}ms {:>9} {states:>8} {successors:>10} {:>8.1} {:>8.1} {asked:>6} {widened:>7}",
        system.width().all,
        first_compile.as_secs_f64() * 1000.0,
        system.code_bytes().unwrap_or(0),
        time.as_secs_f64() * 1e9 / successors.max(1) as f64,
        time.as_secs_f64() * 1e9 / states.max(1) as f64,
    );
}
