//! No input causes a panic: randomly damaged models of the corpus are rejected with a message or
//! searched, and every translated program passes the verifier of the IR.

use lariat::Settings;
use lariat::check::safety::check_safety;
use lariat_promela::MemoryLoader;
use lariat_search::{Limits, Options, Order};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Damaged versions of each model.
const VERSIONS: u64 = 20;

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// Words, numbers and single characters, each with the white space before it.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut word = false;
    for character in text.chars() {
        let is_word = character.is_alphanumeric() || character == '_';
        match pieces.last_mut() {
            Some(last) if (word && is_word) || last.trim().is_empty() => last.push(character),
            _ => pieces.push(character.to_string()),
        }
        word = is_word;
    }
    pieces
}

fn damage(text: &str, random: &mut Random) -> String {
    let mut pieces = pieces(text);
    for _ in 0..1 + random.below(4) {
        if pieces.is_empty() {
            break;
        }
        let (here, there) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(6) {
            0 => drop(pieces.remove(here)),
            1 => pieces.insert(here, pieces[there].clone()),
            2 => pieces.swap(here, there),
            3 => pieces[here] = pieces[there].clone(),
            4 => {
                let numbers = ["0", "1", "-1", "255", "256", "70000", "2147483647", "99999999999"];
                pieces[here] = format!(" {} ", numbers[random.below(numbers.len())]);
            }
            _ => {
                let words = [
                    " else ",
                    " skip ",
                    " break ",
                    " timeout ",
                    " _pid ",
                    " ; ",
                    " { ",
                    " } ",
                    "[",
                    "]",
                    " run ",
                ];
                pieces[here] = words[random.below(words.len())].into();
            }
        }
    }
    pieces.concat()
}

fn try_out(text: &str) {
    let loader = MemoryLoader::new().with("model.pml", text);
    let compiled = lariat_promela::compile(&loader, "model.pml", &[]);
    let rendered =
        lariat_promela::diagnostic::render(&compiled.diagnostics, &compiled.sources, false);
    let Some(program) = compiled.program else {
        assert!(!rendered.is_empty(), "rejected without a word");
        return;
    };
    let program = std::sync::Arc::new(program);
    let violations = lariat_ir::verify::verify(&program);
    assert!(violations.is_empty(), "the program breaks the rules: {violations:?}");
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        let budget = lariat_ir::Budget::of(Duration::from_secs(2));
        let limits =
            Limits { states: Some(300), depth: Some(1000), budget: &budget, ..Limits::default() };
        let options = Options { order, all_errors: true, limits, ..Options::default() };
        let settings = Settings { raw: order == Order::DepthFirst, ..Settings::default() };
        let checked = check_safety(&program, &settings, &options);
        assert!(checked.is_ok(), "a counterexample does not replay: {:?}", checked.err());
    }
}

#[test]
fn damaged_models_do_not_panic() {
    for (number, path) in crate::support::corpus().iter().enumerate() {
        let text =
            String::from_utf8_lossy(&fs::read(path).expect("the model can be read")).into_owned();
        for version in 0..VERSIONS {
            let mut random = Random(number as u64 * 1000 + version);
            let damaged = damage(&text, &mut random);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| try_out(&damaged))) {
                let reason = panic.downcast_ref::<String>().cloned().unwrap_or_default();
                panic!("{} version {version}: {reason}\n{damaged}", path.display());
            }
        }
    }
}
