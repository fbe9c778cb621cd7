//! How fast the search is when successors cost nothing: counters that go up independently, in one word or spread over
//! several.
//!
//!     cargo run --release -p search --example speed -- COUNTERS TOP WORDS THREADS dfs|bfs

use model::RuntimeError;
use model::layout::Recoder;
use model::system::{Misfit, Step, StepCode, Successors, System, Width};
use search::{Options, Order, reachability};
use std::num::NonZeroUsize;

/// `counters` counters from 0 to `top`, some in each of `words` words.
struct Grid {
    counters: usize,
    top: u64,
    words: usize,
    bits: usize,
}

impl Grid {
    fn place(&self, counter: usize) -> (usize, usize) {
        (counter % self.words, counter / self.words * self.bits)
    }
}

impl System for Grid {
    fn width(&self) -> Width {
        Width { identity: self.words, all: self.words }
    }

    fn identity_bits(&self) -> Vec<u32> {
        vec![(self.counters.div_ceil(self.words) * self.bits) as u32; self.words]
    }

    fn initial_states(&self) -> Result<Vec<Vec<u64>>, RuntimeError> {
        Ok(vec![vec![0; self.words]])
    }

    fn successors(&self, state: &[u64], out: &mut Successors) -> Result<(), Box<Misfit>> {
        for counter in 0..self.counters {
            let (word, shift) = self.place(counter);
            let value = state[word] >> shift & ((1 << self.bits) - 1);
            // One up, or from the top back to the bottom, so that states have many predecessors.
            let next = if value == self.top { 0 } else { value + 1 };
            let buffer = out.raw();
            buffer.push((counter as u64) << 8);
            buffer.extend_from_slice(state);
            let place = buffer.len() - self.words + word;
            buffer[place] = state[word] ^ (value ^ next) << shift;
        }
        Ok(())
    }

    fn is_valid_end(&self, _: &[u64]) -> bool {
        true
    }

    fn violated_invariants(&self, _: &[u64], _: &mut Vec<RuntimeError>) {}

    fn has_invariants(&self) -> bool {
        false
    }

    fn step(&self, _: StepCode) -> Step {
        Step::Release(0)
    }

    fn transition_count(&self) -> usize {
        self.counters
    }

    fn widened(&self, _: &Misfit) -> Grid {
        unreachable!("every state fits")
    }

    fn recoder(&self, _: &Grid) -> Recoder {
        unreachable!("every state fits")
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number =
        |index: usize, default: usize| arguments.get(index).map_or(default, |text| text.parse().unwrap());
    let top = number(2, 9) as u64;
    let bits = (64 - top.leading_zeros()) as usize;
    let grid = Grid { counters: number(1, 7), top, words: number(3, 1), bits };
    let order = match arguments.get(5).map(String::as_str) {
        Some("bfs") => Order::BreadthFirst,
        _ => Order::DepthFirst,
    };
    let options = Options { order, threads: NonZeroUsize::new(number(4, 1)), ..Options::default() };
    let figures = reachability(&grid, &options).statistics;
    let states = figures.states as f64;
    println!(
        "{} states, {} transitions, depth {}: {:.3} s, {:.1} ns/state, {:.1} ns/transition, store {:.2} B/state, all {:.2} B/state",
        figures.states,
        figures.transitions,
        figures.depth,
        figures.time.as_secs_f64(),
        figures.time.as_nanos() as f64 / states,
        figures.time.as_nanos() as f64 / figures.transitions as f64,
        figures.store_bytes as f64 / states,
        figures.memory_bytes as f64 / states,
    );
}
