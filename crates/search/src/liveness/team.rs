//! Threads that search one graph together.

use super::graph::{Lasso, SharedGraph};
use crate::pool::STACK_BYTES;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;

/// What one thread of a team came to.
#[derive(Debug)]
pub(super) enum Ending<S, F = Lasso> {
    /// It found what all look for.
    Found(F),
    /// There is nothing to be found, whatever the others do.
    Nothing,
    /// Another thread has come to an end.
    Over,
    /// A limit, or an error.
    Stopped(S),
}

/// The sign that somebody has come to an end.
#[derive(Debug, Default)]
pub(super) struct Over(AtomicBool);

impl Over {
    #[inline]
    pub fn is_given(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn give(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Lets threads search, numbered from 0, each with a view of its own, until the first comes to an end. What was found, if anything
/// was; for the threads may come to several ends at the same time.
pub(super) fn search<G: SharedGraph, F: Send>(
    graph: &mut G,
    threads: usize,
    work: impl Fn(&mut G, usize, &Over) -> Result<Ending<G::Stop, F>, G::Stop> + Sync,
) -> Result<Option<F>, G::Stop> {
    let over = Over::default();
    let threads = threads.clamp(1, graph.most_views());
    let run = |view: &mut G, number: usize| {
        let ending = work(view, number, &over).unwrap_or_else(Ending::Stopped);
        over.give();
        ending
    };
    let views: Vec<G> = (1..threads).map(|_| graph.view()).collect();
    let endings = std::thread::scope(|scope| {
        let spawn = |(number, mut view): (usize, G)| {
            let run = &run;
            let thread = move || {
                let ending = run(&mut view, number);
                (ending, view.leave())
            };
            // Where no more threads can be had, fewer will do.
            Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, thread).ok()
        };
        let others: Vec<_> = (1..).zip(views).filter_map(spawn).collect();
        let mut endings = vec![run(graph, 0)];
        // Others may still have to change what is shared.
        graph.suspend();
        let results: Vec<_> = others.into_iter().map(|thread| thread.join()).collect();
        graph.resume();
        for result in results {
            let (ending, figures) = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            graph.join(figures);
            endings.push(ending);
        }
        endings
    });
    summary(endings)
}

fn summary<S, F>(endings: Vec<Ending<S, F>>) -> Result<Option<F>, S> {
    let (mut complete, mut stopped) = (false, None);
    for ending in endings {
        match ending {
            Ending::Found(found) => return Ok(Some(found)),
            Ending::Nothing => complete = true,
            Ending::Over => {}
            Ending::Stopped(stop) => stopped = stopped.or(Some(stop)),
        }
    }
    match stopped {
        Some(stop) if !complete => Err(stop),
        _ => Ok(None),
    }
}

/// Changes the order of a list, in another way each time.
#[derive(Debug)]
pub(super) struct Shuffle(u64);

impl Shuffle {
    /// The first thread takes everything in the order in which it comes.
    pub fn new(thread: usize) -> Shuffle {
        Shuffle((thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn apply<T>(&mut self, list: &mut [T]) {
        if self.0 == 0 {
            return;
        }
        for last in (1..list.len()).rev() {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            list.swap(last, ((self.0 >> 33) % (last as u64 + 1)) as usize);
        }
    }
}
