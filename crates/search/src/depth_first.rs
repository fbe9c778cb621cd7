//! Depth-first reachability, in the order in which the system gives successors (which is SPIN's).
//!
//! A state is consumed by its expansion: what remains on the path are its successors not yet visited, all in
//! one queue. On a deep path even these go: the path is cut into segments, a segment keeps the
//! state it starts with, and when the search comes back to it its frames are computed again. So a frame far from
//! the top costs a few bytes, and each frame is computed at most once more for every
//! segment's length of steps made above it.

use crate::Options;
use crate::arrival::{Arrival, Explorer, Stop, weight};
use crate::atomic::{Chain, Watch};
use crate::outcome::{Outcome, Run};
use model::{Step, Successor, System};
use std::collections::VecDeque;

/// Frames in a segment.
const SEGMENT: usize = 1024;
/// Frames that always keep their successors; at least two segments, lest the search thrash.
const WINDOW: usize = 4 * SEGMENT;
/// Successors that may be waiting before lower segments are forgotten.
const MAX_PENDING: usize = 16 * SEGMENT;

pub(crate) fn search<S: System>(system: &S, options: &Options<'_>) -> Outcome {
    let mut explorer = Explorer::new(system, options);
    let result = run(&mut explorer);
    explorer.finish(result)
}

fn run<S: System>(explorer: &mut Explorer<'_, S>) -> Result<(), Stop> {
    let mut path = Path::new(explorer.system);
    for (number, state) in explorer.initial_states()?.into_iter().enumerate() {
        path.initial = number;
        path.depth = 0;
        if let Arrival::New(_, state) = explorer.start(number, state)? {
            path.enter(explorer, state, Chain::default(), 0)?;
            while !path.frames.is_empty() {
                path.advance(explorer)?;
            }
        }
    }
    Ok(())
}

/// A state on the path, expanded.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Successors already visited, the one on the path included.
    taken: u32,
    /// Successors still to visit.
    remaining: u32,
    chain: Chain,
    /// The moves of the step that led here.
    weight: u8,
}

struct Path<'a, S: System> {
    system: &'a S,
    /// Which initial state the path starts from.
    initial: usize,
    frames: Vec<Frame>,
    /// Moves on the path.
    depth: u64,
    /// The successors to visit of the frames from `live` on, the next one last.
    pending: VecDeque<Successor<S::State>>,
    /// The first frame whose successors are in `pending`.
    live: usize,
    /// The state of the first frame of each segment.
    checkpoints: Vec<S::State>,
    /// For stored states on the path, by frame, behind which an endless atomic sequence was found.
    endless: Vec<(usize, Watch<S::State>)>,
    scratch: Vec<Successor<S::State>>,
}

impl<'a, S: System> Path<'a, S> {
    fn new(system: &'a S) -> Path<'a, S> {
        Path {
            system,
            initial: 0,
            frames: Vec::new(),
            depth: 0,
            pending: VecDeque::new(),
            live: 0,
            checkpoints: Vec::new(),
            endless: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Takes the next step of the top frame, or leaves it.
    fn advance(&mut self, explorer: &mut Explorer<'_, S>) -> Result<(), Stop> {
        let top = self.frames.last_mut().expect("the path is not empty");
        if top.remaining == 0 {
            self.leave();
            return Ok(());
        }
        top.taken += 1;
        top.remaining -= 1;
        let chain = top.chain;
        let successor = self.pending.pop_back().expect("a live frame has its successors");
        let weight = weight(&successor.step);
        match explorer.arrive(successor, |_| self.to_here())? {
            Arrival::Known => Ok(()),
            Arrival::New(_, state) => self.enter(explorer, state, Chain::default(), weight),
            Arrival::Transient(state) => match self.follow(chain, &state) {
                Some(chain) => self.enter(explorer, state, chain, weight),
                None => {
                    explorer.outcome.endless_atomic = true;
                    Ok(())
                }
            },
        }
    }

    fn follow(&mut self, chain: Chain, state: &S::State) -> Option<Chain> {
        let root = self.frames.len() - 1 - chain.position as usize;
        if let Some((frame, watch)) = self.endless.last_mut()
            && *frame == root
        {
            return watch.follow(chain, state);
        }
        let mut watch = Watch::default();
        let next = watch.follow(chain, state);
        if watch.is_endless() {
            self.endless.push((root, watch));
        }
        next
    }

    /// Expands a state and makes it the top of the path.
    fn enter(
        &mut self,
        explorer: &mut Explorer<'_, S>,
        state: S::State,
        chain: Chain,
        weight: u64,
    ) -> Result<(), Stop> {
        self.depth += weight;
        explorer.outcome.statistics.depth = explorer.outcome.statistics.depth.max(self.depth);
        if !explorer.within_depth(self.depth) {
            self.depth -= weight;
            return Ok(());
        }
        self.system.successors(&state, &mut self.scratch);
        if model::system::nothing_moves(&self.scratch) {
            explorer.stuck(&state, |_| self.to_here())?;
        }
        if self.frames.len().is_multiple_of(SEGMENT) {
            self.checkpoints.push(state);
        }
        let remaining = self.scratch.len() as u32;
        self.frames.push(Frame { taken: 0, remaining, chain, weight: weight as u8 });
        self.pending.extend(self.scratch.drain(..).rev());
        if self.pending.len() > MAX_PENDING && self.frames.len() - self.live > WINDOW {
            self.forget_segment();
        }
        Ok(())
    }

    fn leave(&mut self) {
        let frame = self.frames.pop().expect("the path is not empty");
        self.depth -= u64::from(frame.weight);
        let depth = self.frames.len();
        if self.endless.last().is_some_and(|(root, _)| *root == depth) {
            self.endless.pop();
        }
        if depth.is_multiple_of(SEGMENT) {
            self.checkpoints.pop();
        }
        if depth == self.live && depth > 0 {
            self.restore_segment();
        }
    }

    /// Drops the successors of the lowest live segment.
    fn forget_segment(&mut self) {
        let segment = &self.frames[self.live..self.live + SEGMENT];
        let count: usize = segment.iter().map(|frame| frame.remaining as usize).sum();
        self.pending.drain(..count);
        self.live += SEGMENT;
    }

    /// Computes the topmost segment's successors again. Precondition: no frame is live.
    fn restore_segment(&mut self) {
        self.live -= SEGMENT;
        let mut state = self.checkpoints[self.live / SEGMENT].clone();
        for frame in &self.frames[self.live..] {
            self.system.successors(&state, &mut self.scratch);
            self.pending.extend(self.scratch.drain(frame.taken as usize..).rev());
            let chosen = self.scratch.pop().and_then(|successor| successor.state);
            self.scratch.clear();
            state = chosen.expect("the path went through this state");
        }
    }

    /// The run along the path, computed anew from the initial state.
    fn to_here(&self) -> Run {
        let mut steps: Vec<Step> = Vec::with_capacity(self.frames.len());
        let mut states = self.system.initial_states().unwrap_or_default();
        let mut state = (self.initial < states.len()).then(|| states.swap_remove(self.initial));
        let mut successors = Vec::new();
        for frame in &self.frames {
            let Some(from) = &state else { break };
            successors.clear();
            self.system.successors(from, &mut successors);
            let chosen = successors.swap_remove(frame.taken as usize - 1);
            steps.push(chosen.step);
            state = chosen.state;
        }
        Run { initial: self.initial, steps }
    }
}
