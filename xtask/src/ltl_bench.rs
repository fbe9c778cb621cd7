//! `cargo xtask ltl-bench FILE [--all]`: compares the sizes of our automata with a reference.
//!
//! Reads a table of formulas with reference sizes (a header line, then set, index, formula, states
//! and edges of the reference's state-based Büchi automaton, of its generalized one, …, processor
//! seconds last), translates every formula, checks the automaton against one of the negation, and
//! prints totals for each set. The exit code is 1 if a target is missed: the total number of states
//! of a set exceeds the reference, one automaton has more than 2 states above it, or a translation
//! takes more than 10 times its processor time. `--all` prints every formula with a difference.

use lariat_ltl::automaton::Tgba;
use lariat_ltl::emptiness::is_empty;
use lariat_ltl::formula::Formulas;
use lariat_ltl::product::Product;
use lariat_ltl::translate::{Acceptance, Goal, Options, translate};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

#[derive(Default)]
struct Totals {
    formulas: usize,
    compared: usize,
    states: [usize; 2],
    edges: [usize; 2],
    generalized: [usize; 2],
    smaller: usize,
    larger: usize,
    worst: i64,
    seconds: [f64; 2],
    slowest: f64,
    unanswered: usize,
}

/// Processor seconds of this thread, or wall-clock seconds where the system does not provide them.
fn clock(start: Instant) -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

/// Runs the benchmark on the table named by the first argument.
pub fn run(args: &[String]) -> ExitCode {
    let Some(path) = args.iter().find(|a| !a.starts_with("--")) else {
        eprintln!("usage: cargo xtask ltl-bench FILE [--all]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let all = args.iter().any(|a| a == "--all");
    let start = Instant::now();
    let mut sets: BTreeMap<String, Totals> = BTreeMap::new();
    let mut failures = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        if fields.len() < 11 {
            eprintln!("{path}:{}: expected 11 fields, found {}", number + 1, fields.len());
            return ExitCode::from(2);
        }
        let place = format!("{} {}", fields[0], fields[1]);
        let totals = sets.entry(fields[0].to_string()).or_default();
        if let Err(why) = one(&place, &fields, totals, &mut failures, all, start) {
            failures.push(format!("{place}: {why}"));
        }
    }
    report(&sets, &mut failures);
    for failure in &failures {
        println!("FAILED {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn one(
    place: &str,
    fields: &[&str],
    totals: &mut Totals,
    failures: &mut Vec<String>,
    all: bool,
    start: Instant,
) -> Result<(), String> {
    let options = |acceptance, goal| Options { acceptance, goal, ..Options::default() };
    let before = clock(start);
    let mut store = Formulas::new();
    let f = store.parse(fields[2]).map_err(|e| e.to_string())?;
    let ba: Tgba = translate(&mut store, f, options(Acceptance::StateBuchi, Goal::Small))
        .map_err(|e| e.to_string())?;
    let seconds = clock(start) - before;
    let tgba = translate(&mut store, f, options(Acceptance::TransitionGeneralized, Goal::Small))
        .map_err(|e| e.to_string())?;
    totals.formulas += 1;
    totals.seconds[1] += seconds;
    if !(ba.sets == 1 && ba.is_state_based()) {
        failures.push(format!("{place}: not a state-based Büchi automaton"));
    }
    // The automaton is disjoint from one of the negation. Missing words are found on the line of
    // the negated formula.
    let negation = store.not(f);
    let mut other =
        translate(&mut store, negation, options(Acceptance::TransitionGeneralized, Goal::Any))
            .map_err(|e| e.to_string())?;
    for automaton in [&ba, &tgba] {
        if !is_empty(&mut Product::new(&mut automaton.clone(), &mut other)) {
            failures.push(format!("{place}: accepts a word of the negation"));
        }
    }
    let reference = |i: usize| fields[i].parse::<usize>().ok();
    let allowed = fields[10].parse::<f64>().ok();
    if let Some(allowed) = allowed {
        totals.seconds[0] += allowed;
        totals.slowest = totals.slowest.max(seconds / allowed);
        if seconds > 10.0 * allowed {
            failures.push(format!("{place}: {seconds:.3} s, more than ten times {allowed:.3} s"));
        }
    }
    let (Some(states), Some(edges), Some(generalized)) = (reference(3), reference(4), reference(5))
    else {
        totals.unanswered += 1;
        println!(
            "{place}: no reference; ours {} states, {} generalized, {seconds:.3} s",
            ba.state_count(),
            tgba.state_count()
        );
        return Ok(());
    };
    totals.compared += 1;
    let difference = ba.state_count() as i64 - states as i64;
    totals.states[0] += states;
    totals.states[1] += ba.state_count();
    totals.edges[0] += edges;
    totals.edges[1] += ba.edge_count();
    totals.generalized[0] += generalized;
    totals.generalized[1] += tgba.state_count();
    totals.worst = totals.worst.max(difference);
    totals.smaller += usize::from(difference < 0);
    totals.larger += usize::from(difference > 0);
    if difference > 2 {
        failures.push(format!("{place}: {} states, the reference has {states}", ba.state_count()));
    }
    if difference > 0 || (all && difference != 0) {
        println!("{place}: reference {states}, ours {} states: {}", ba.state_count(), fields[2]);
    }
    Ok(())
}

fn report(sets: &BTreeMap<String, Totals>, failures: &mut Vec<String>) {
    println!(
        "{:<14}{:>9}{:>8}{:>7}{:>9}{:>8}{:>9}{:>7}{:>9}{:>8}{:>7}{:>10}{:>9}{:>9}",
        "set",
        "formulas",
        "states",
        "ours",
        "edges",
        "ours",
        "general.",
        "ours",
        "smaller",
        "larger",
        "worst",
        "seconds",
        "ours",
        "slowest"
    );
    for (name, t) in sets {
        println!(
            "{:<14}{:>9}{:>8}{:>7}{:>9}{:>8}{:>9}{:>7}{:>9}{:>8}{:>7}{:>10.3}{:>9.3}{:>8.2}x",
            name,
            t.formulas,
            t.states[0],
            t.states[1],
            t.edges[0],
            t.edges[1],
            t.generalized[0],
            t.generalized[1],
            t.smaller,
            t.larger,
            t.worst,
            t.seconds[0],
            t.seconds[1],
            t.slowest
        );
        if t.states[1] > t.states[0] {
            failures.push(format!(
                "{name}: {} states in total, the reference has {}",
                t.states[1], t.states[0]
            ));
        }
    }
    let sum = |of: fn(&Totals) -> usize| sets.values().map(of).sum::<usize>();
    println!(
        "total: {} formulas, {} compared; states {} against {}; smaller {}, larger {}",
        sum(|t| t.formulas),
        sum(|t| t.compared),
        sum(|t| t.states[1]),
        sum(|t| t.states[0]),
        sum(|t| t.smaller),
        sum(|t| t.larger)
    );
}
