//! Jard, Jéron: Bounded-memory algorithms for verification on-the-fly (1991), Figures 1 and 2:
//! insertions and time against memory, on random graphs and on protocols.

use super::chart::{Line, render};
use super::random_graph::Graph;
use crate::lariat::{Cached, Tool, workspace};
use lariat_search::store::Replacement;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Memory in percent of the memory for all states.
const MEMORY: [u64; 25] = [
    100, 95, 90, 85, 80, 75, 70, 65, 60, 55, 50, 45, 40, 35, 30, 25, 20, 15, 12, 10, 8, 6, 4, 2, 1,
];
/// A traversal is aborted when the average number of insertions per state reaches this limit.
const PATIENCE: u64 = 20;
const REPEAT: usize = 3;

/// Our own protocols.
const PROTOCOLS: [&str; 6] = [
    "corpus/protocols/stop_and_wait.pml",
    "corpus/protocols/test_and_set.pml",
    "corpus/protocols/elevator.pml",
    "corpus/protocols/producer_consumer.pml",
    "corpus/protocols/sleeping_barber.pml",
    "corpus/protocols/two_phase_commit.pml",
];

/// The replacement policy and other options of each chart.
const SETTINGS: [(&[&str], &str); 4] = [
    (&["--replace", "random", "--no-sleep-sets"], "protocols.svg"),
    (&["--replace", "layers", "--no-sleep-sets"], "protocols-layers.svg"),
    (&["--replace", "random"], "protocols-random-sleep.svg"),
    (&["--replace", "layers"], "protocols-sleep.svg"),
];

pub fn run(program: Option<PathBuf>, models: &[PathBuf]) -> Result<(), String> {
    let directory = workspace().join("papers/jard-jeron91");
    let write = |name: &str, text: String| {
        fs::write(directory.join(name), text)
            .map_err(|error| format!("cannot write {name}: {error}"))
    };
    let graphs = [("figure-1", 20_000, 6, 1), ("figure-2-right", 20_000, 16, 3)];
    for (name, nodes, degree, seed) in graphs {
        let graph = Graph::random(nodes, degree, seed);
        let (insertions, times) = curves(&graph, Replacement::Random);
        let title = format!(
            "Random graph, {} states, degree at most {degree}, longest stack {} %",
            graph.nodes(),
            graph.stack() * 100 / graph.nodes()
        );
        print(&title, &insertions, Some(&times));
        let lines = [
            Line { name: "insertions".into(), points: insertions },
            Line { name: "time".into(), points: times },
        ];
        write(&format!("{name}.svg"), chart(&title, &lines))?;
    }
    let graph = Graph::random(20_000, 6, 1);
    let policies = [
        ("random", Replacement::Random),
        ("between layers", Replacement::Layers),
        ("least recently used", Replacement::LeastRecentlyUsed),
        ("deepest", Replacement::Deepest),
    ];
    let lines: Vec<Line> = policies
        .iter()
        .map(|(name, policy)| Line { name: (*name).into(), points: curves(&graph, *policy).0 })
        .collect();
    lines.iter().for_each(|line| print(&line.name, &line.points, None));
    write("policies.svg", chart("Insertions by policy, the graph of figure 1", &lines))?;
    let tool = Tool::new(program, Duration::from_secs(10))?;
    for (policy, file) in SETTINGS {
        let mut lines = Vec::new();
        for model in PROTOCOLS {
            let points = protocol(&tool, &workspace().join(model), policy)?;
            let name = model.rsplit(['/', '.']).nth(1).unwrap_or(model).replace('_', " ");
            lines.push(Line { name, points });
        }
        for model in models {
            print(&model.display().to_string(), &protocol(&tool, model, policy)?, None);
        }
        let policy = policy.join(" ");
        println!("{policy}");
        lines.iter().for_each(|line| print(&line.name, &line.points, None));
        write(file, chart(&format!("Insertions, protocols, {policy}"), &lines))?;
    }
    Ok(())
}

fn chart(title: &str, lines: &[Line]) -> String {
    render(title, "memory, % of the states", "% of the exact search", 300.0, lines)
}

fn print(title: &str, insertions: &[(f64, f64)], times: Option<&[(f64, f64)]>) {
    println!("{title}");
    for (index, (memory, percent)) in insertions.iter().enumerate() {
        let time = times
            .and_then(|times| times.get(index))
            .map_or(String::new(), |time| format!(", time {:.0} %", time.1));
        println!("  memory {memory:3} %: insertions {percent:.1} %{time}");
    }
}

/// Insertions and time in percent of those with memory for all states, down to the memory in which
/// the stack does not fit.
#[allow(clippy::type_complexity)]
fn curves(graph: &Graph, replacement: Replacement) -> (Vec<(f64, f64)>, Vec<(f64, f64)>) {
    let nodes = graph.nodes();
    let mut whole = None;
    let (mut insertions, mut times) = (Vec::new(), Vec::new());
    for percent in MEMORY {
        let traverse =
            || graph.traverse((nodes * percent / 100).max(1), replacement, PATIENCE * nodes);
        let Some(mut traversal) = traverse() else { break };
        assert_eq!(traversal.missed, 0, "a traversal with replacement visits everything");
        for _ in 1..REPEAT {
            if let Some(again) = traverse() {
                traversal.time = traversal.time.min(again.time);
            }
        }
        let whole = *whole.get_or_insert(traversal.time);
        insertions.push((percent as f64, traversal.insertions as f64 * 100.0 / nodes as f64));
        times.push((percent as f64, traversal.time.as_secs_f64() * 100.0 / whole.as_secs_f64()));
    }
    (insertions, times)
}

/// The curve of insertions for a model. Times are omitted: for such short searches they are mostly
/// the start of the program.
fn protocol(tool: &Tool, model: &Path, policy: &[&str]) -> Result<Vec<(f64, f64)>, String> {
    let search = |states: Option<u64>| {
        tool.check_cached(model, states, policy).map_err(|error| error.to_string())
    };
    let Some(Cached { insertions: states, violated }) = search(None)? else {
        return Err(format!("{} cannot be searched", model.display()));
    };
    let mut points = Vec::new();
    for percent in MEMORY {
        let Some(cached) = search(Some((states * percent / 100).max(1)))? else { break };
        if cached.violated != violated {
            return Err(format!(
                "{}: another verdict with memory for {percent} % of the states",
                model.display()
            ));
        }
        if cached.insertions > PATIENCE * states {
            break;
        }
        points.push((percent as f64, cached.insertions as f64 * 100.0 / states as f64));
    }
    Ok(points)
}
