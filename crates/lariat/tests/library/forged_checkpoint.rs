//! Forged checkpoints: files with a correct checksum and wrong content. Resuming one ends in an
//! error or in a search, never in a panic, an abort or an endless loop. Which verdict such a search
//! reports is not tested: it cannot be trusted.

use lariat::Engine;
use lariat::check::reduction::{Reduction, Version};
use lariat::check::safety::replay_all;
use lariat_ir::Program;
use lariat_ir::budget::{Budget, UNLIMITED};
use lariat_search::{
    Checkpoint, Limits, Options, Order, Outcome, SavedSearch, StoreKind, reachability,
};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const FINGERPRINT: u64 = 5;
/// Much longer than a resumed search of these models takes.
const LONG: Duration = Duration::from_secs(20);

/// Channels, several processes, values that sampling does not see, an error, and an array.
const MODEL: &str = "
mtype = { red, green };
chan c = [3] of { byte, mtype };
chan r = [0] of { short };
int n;
byte a[3];
active proctype Writer() {
    do
    :: c ! n % 5, green
    :: n < 300000 -> n = n + 701; a[n % 3]++
    :: r ! n
    od
}
active [2] proctype Reader() {
    byte x; mtype m; short y;
    do
    :: c ? x, m -> assert(x != 4)
    :: r ? y
    :: atomic { x > 0 -> x = 0; y = 1 }
    od
}
init { atomic { run Other(2) } }
proctype Other(byte k) { do :: k > 0 -> k-- :: else -> break od }
";

/// Values that outgrow every layout: the misfits are part of the file.
const COUNTER: &str = "
int n; byte a[3];
active proctype P() { do :: n++; a[n % 3] = n; assert(n != 1200) od }
";

/// The checksum of the format.
fn sum(words: &[u64]) -> u64 {
    words
        .iter()
        .fold(0u64, |sum, word| (sum.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// A checkpoint in parts that can be changed.
#[derive(Clone)]
struct Parts {
    figures: Value,
    lists: Vec<Vec<u64>>,
}

impl Parts {
    fn read(path: &Path) -> Parts {
        let bytes = std::fs::read(path).expect("the search was saved");
        let words: Vec<u64> = bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight")))
            .collect();
        assert_eq!(
            sum(&words[..words.len() - 1]),
            words[words.len() - 1],
            "the format of the checksum"
        );
        let mut at = 3 + words[2] as usize / 8;
        let figures = serde_json::from_slice(&bytes[24..8 * at]).expect("figures are JSON");
        let mut lists = Vec::new();
        for _ in 0..4 {
            let length = words[at] as usize;
            lists.push(words[at + 1..at + 1 + length].to_vec());
            at += 1 + length;
        }
        Parts { figures, lists }
    }

    fn words(&self) -> Vec<u64> {
        let mut text = serde_json::to_vec(&self.figures).expect("JSON can be written");
        text.resize(text.len().next_multiple_of(8), b' ');
        let mut words = vec![u64::from_le_bytes(*b"lariatcp"), 1, text.len() as u64];
        words.extend(
            text.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight"))),
        );
        for list in &self.lists {
            words.push(list.len() as u64);
            words.extend(list);
        }
        words
    }
}

/// Writes words and their checksum.
fn write(path: &Path, mut words: Vec<u64>) {
    words.push(sum(&words));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(path, bytes).expect("a temporary file can be written");
}

/// Reproducible random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end.max(1)
    }

    fn word(&mut self) -> u64 {
        const EDGES: [u64; 12] = [
            0,
            1,
            2,
            255,
            256,
            65_535,
            1 << 31,
            u32::MAX as u64,
            1 << 32,
            1 << 56,
            i64::MAX as u64,
            u64::MAX,
        ];
        match self.below(3) {
            0 => EDGES[self.below(EDGES.len())],
            1 => self.below(300) as u64,
            _ => (self.below(1 << 30) as u64) << 34 ^ self.below(1 << 30) as u64,
        }
    }
}

/// The number of nested values, including the value itself.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    }
}

/// The nested value with this number, in the order of `size`.
fn nth(value: &mut Value, number: usize) -> Option<&mut Value> {
    if number == 0 {
        return Some(value);
    }
    let mut left = number - 1;
    let children: Vec<&mut Value> = match value {
        Value::Array(list) => list.iter_mut().collect(),
        Value::Object(map) => map.values_mut().collect(),
        _ => Vec::new(),
    };
    for child in children {
        let within = size(child);
        if left < within {
            return nth(child, left);
        }
        left -= within;
    }
    None
}

/// Replaces a value by another of its kind, mostly.
fn forge(value: &mut Value, random: &mut Random) {
    match value {
        Value::Number(_) => {
            *value = match random.below(4) {
                0 => Value::from(-(random.below(1 << 31) as i64)),
                _ => Value::from(random.word()),
            }
        }
        Value::Array(list) => match random.below(5) {
            0 => list.clear(),
            1 => {
                list.pop();
            }
            2 => {
                let copy = list.clone();
                list.extend(copy);
            }
            3 => list.push(Value::from(random.word() as u32)),
            _ => list.reverse(),
        },
        Value::Bool(truth) => *truth = !*truth,
        Value::String(text) => text.push('x'),
        Value::Null => *value = Value::from(random.below(300)),
        Value::Object(map) => {
            let key = map.keys().nth(random.below(map.len())).cloned();
            key.map(|key| map.remove(&key));
        }
    }
}

fn compiled(source: &str) -> Program {
    let loader = lariat_promela::MemoryLoader::new().with("m.pml", source);
    lariat_promela::compile(&loader, "m.pml", &[]).program.expect("a model without errors")
}

struct Case<'a> {
    program: &'a Arc<Program>,
    reduction: Reduction<'a>,
    engine: Engine,
    order: Order,
    /// The search is saved after this many states.
    states: u64,
    file: PathBuf,
}

impl Case<'_> {
    fn options<'o>(&'o self, states: u64, budget: &'o Budget) -> Options<'o> {
        Options {
            order: self.order,
            all_errors: true,
            threads: NonZeroUsize::new(1),
            join_after: Some(0),
            store: StoreKind::Packed,
            limits: Limits {
                states: Some(states),
                budget,
                memory_bytes: Some(1 << 30),
                ..Limits::default()
            },
            checkpoint: Some(Checkpoint {
                path: &self.file,
                every: None,
                fingerprint: FINGERPRINT,
            }),
            ..Options::default()
        }
    }

    /// Searches up to the limit and returns the saved checkpoint.
    fn saved(&self) -> Parts {
        let system =
            self.engine.system(self.reduction.program(), &UNLIMITED).expect("an initial state");
        let outcome = reachability(&system, &self.options(self.states, &UNLIMITED));
        assert!(outcome.saved, "{:?} {:?}", outcome.limit, outcome.checkpoint_failure);
        Parts::read(&self.file)
    }

    /// Resumes the checkpoint in the file; `None` if it is rejected. Runs that were found, or are
    /// in the file, are replayed.
    fn resume(&self) -> Option<Outcome> {
        let budget = Budget::of(LONG / 2);
        let options = Options { checkpoint: None, ..self.options(self.states + 2000, &budget) };
        let begun = Instant::now();
        let saved = SavedSearch::open(&self.file, FINGERPRINT, &options).ok()?;
        let system =
            self.engine.system(self.reduction.program(), &UNLIMITED).expect("an initial state");
        let outcome = reachability(&system, &Options { resume: Some(&saved), ..options.clone() });
        let refused = outcome.checkpoint_failure.is_some();
        // A forged run that does not replay is reported as an error, which is correct.
        let replayed = replay_all(self.program, &self.reduction, outcome, &options.limits);
        assert!(begun.elapsed() < LONG, "a forged file must not make a search endless");
        replayed.ok().map(|checked| checked.outcome).filter(|_| !refused)
    }
}

fn forged(model: &str, engine: Engine, order: Order, seed: u64, cases: usize) {
    let program = Arc::new(compiled(model));
    let states = if model == COUNTER { 40_000 } else { 3000 };
    let name = format!("lariat-forged-{}-{seed}", std::process::id());
    let case = Case {
        program: &program,
        reduction: Reduction::new(&program, Version::Reduced, &UNLIMITED),
        engine,
        order,
        states,
        file: std::env::temp_dir().join(name),
    };
    let whole = case.saved();
    let has_misfits = !whole.figures["misfits"].as_array().expect("a list").is_empty();
    assert!(has_misfits || model != COUNTER, "the layout grew");
    write(&case.file, whole.words());
    let expected = case.resume().expect("nothing was changed");
    assert!(expected.errors > 0 || model != COUNTER, "an error was found");
    let mut random = Random(seed);
    let (mut refused, mut resumed) = (0, 0);
    let mut attempt = |words: Vec<u64>| {
        write(&case.file, words);
        match case.resume() {
            Some(_) => resumed += 1,
            None => refused += 1,
        }
    };
    for _ in 0..cases {
        let mut parts = whole.clone();
        match random.below(4) {
            // Figures, field by field and at random.
            0 | 1 => {
                let number = random.below(size(&parts.figures));
                nth(&mut parts.figures, number)
                    .into_iter()
                    .for_each(|value| forge(value, &mut random));
                attempt(parts.words());
            }
            // Words of the states.
            2 => {
                let list = random.below(4);
                let list = &mut parts.lists[list];
                for _ in 0..=random.below(3) {
                    let (place, word) = (random.below(list.len()), random.word());
                    match (list.get_mut(place), random.below(3)) {
                        (Some(old), 0) => *old = word,
                        (Some(old), 1) => *old ^= 1 << (word % 64),
                        (Some(_), _) => list.truncate(place),
                        (None, _) => list.extend([word, word, word]),
                    }
                }
                attempt(parts.words());
            }
            // Any word, including lengths; and truncated files.
            _ => {
                let mut words = parts.words();
                let place = random.below(words.len());
                match random.below(3) {
                    0 => words[place] = random.word(),
                    1 => words.truncate(place),
                    _ => words.insert(place, random.word()),
                }
                attempt(words);
            }
        }
    }
    let _ = std::fs::remove_file(&case.file);
    assert!(refused > 0 && resumed > 0, "{refused} refused, {resumed} resumed");
}

#[test]
fn forged_files_are_refused_or_resumed() {
    forged(MODEL, Engine::Interpreter, Order::DepthFirst, 1, 50);
    forged(MODEL, Engine::Interpreter, Order::BreadthFirst, 2, 50);
    forged(COUNTER, Engine::Interpreter, Order::DepthFirst, 3, 30);
}

#[test]
fn forged_files_with_machine_code() {
    forged(MODEL, Engine::Native, Order::DepthFirst, 4, 30);
    forged(COUNTER, Engine::Native, Order::DepthFirst, 5, 30);
}

/// A pipe has no end: it must not be read.
#[cfg(unix)]
#[test]
fn a_device_is_not_a_checkpoint() {
    for path in ["/dev/zero", "/dev/full"] {
        assert!(SavedSearch::open(Path::new(path), FINGERPRINT, &Options::default()).is_err());
    }
}
