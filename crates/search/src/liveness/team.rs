//! A team of threads that search one graph together: they start from the initial nodes, give nodes
//! to idle threads, and end when one has found something or all are idle.

use crate::liveness::graph::{Lasso, Node, SharedGraph};
use crate::liveness::sweep::VISITED;
use crate::reach::work_pool::{StopSignal, WorkPool};
use crate::threads;
use lariat_ir::random::Lcg;

/// The result of one thread.
#[derive(Debug)]
pub(super) enum WorkerEnding<S, F = Lasso> {
    /// The thread found the goal of the search.
    Found(F),
    /// All threads are idle.
    Nothing,
    /// Another thread has ended the search.
    Over,
    /// A limit or an error.
    Stopped(S),
}

/// The data that the threads share.
#[derive(Debug)]
pub(super) struct Team {
    signal: StopSignal,
    pool: WorkPool<Vec<u64>>,
}

impl Team {
    /// Has a thread ended the search?
    #[inline]
    pub fn is_over(&self) -> bool {
        self.signal.is_raised()
    }

    /// Is a thread idle?
    #[inline]
    pub fn is_hungry(&self) -> bool {
        self.pool.has_idle_threads()
    }

    /// Gives nodes to idle threads.
    pub fn give(&self, nodes: impl Iterator<Item = Node>) {
        self.pool.donate(nodes.map(u64::from).collect());
    }

    /// Nodes to continue with; `None` if all threads are idle.
    pub fn wait<G: SharedGraph>(
        &self,
        graph: &mut G,
    ) -> Option<impl Iterator<Item = Node> + use<G>> {
        graph.suspend();
        let chunk = self.pool.take_or_wait(&self.signal);
        graph.resume();
        chunk.map(|nodes| nodes.into_iter().map(|node| node as Node))
    }
}

/// The membership of a thread. When it ends, even by a panic, the other threads end as well and do
/// not wait for it.
struct Membership<'t>(&'t Team);

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        // In this order: a thread that sees that all are idle also sees whether the search was
        // ended.
        self.0.signal.end_search(None);
        self.0.pool.leave();
    }
}

/// Runs `work` in threads numbered from 0, each with its own view, and returns what one of them
/// found. Rejecting initial nodes are colored as visited before.
pub(super) fn search<G: SharedGraph, F: Send>(
    graph: &mut G,
    members: usize,
    work: impl Fn(&mut G, usize, &Team) -> Result<WorkerEnding<G::Error, F>, G::Error> + Sync,
) -> Result<Option<F>, G::Error> {
    let members = members.clamp(1, graph.max_views());
    let mut initial = graph.initial()?;
    graph.clear_colors()?;
    initial.retain(|node| !graph.is_rejecting(*node) || graph.insert_color(*node, VISITED));
    let team = Team { signal: StopSignal::default(), pool: WorkPool::new(members, Vec::new()) };
    team.give(initial.into_iter());
    let run = |view: &mut G, number: usize| {
        let _part = Membership(&team);
        work(view, number, &team).unwrap_or_else(WorkerEnding::Stopped)
    };
    let views: Vec<G> = (1..members).map(|_| graph.view()).collect();
    let endings = std::thread::scope(|scope| {
        let spawn = |(number, mut view): (usize, G)| {
            let run = &run;
            let thread = move || {
                let ending = run(&mut view, number);
                (ending, view.into_counts())
            };
            let started = threads::start(scope, thread).ok();
            // If no more threads can be started, fewer do the work.
            if started.is_none() {
                team.pool.leave();
            }
            started
        };
        let others: Vec<_> = (1..).zip(views).filter_map(spawn).collect();
        let mut endings = vec![run(graph, 0)];
        // Other threads may still have to change the shared table.
        graph.suspend();
        let results: Vec<_> = others.into_iter().map(|thread| thread.join()).collect();
        graph.resume();
        for result in results {
            let (ending, counts) = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            graph.add_counts(counts);
            endings.push(ending);
        }
        endings
    });
    summary(endings)
}

fn summary<S, F>(endings: Vec<WorkerEnding<S, F>>) -> Result<Option<F>, S> {
    let (mut complete, mut stopped) = (false, None);
    for ending in endings {
        match ending {
            WorkerEnding::Found(found) => return Ok(Some(found)),
            WorkerEnding::Nothing => complete = true,
            WorkerEnding::Over => {}
            WorkerEnding::Stopped(stop) => stopped = stopped.or(Some(stop)),
        }
    }
    match stopped {
        Some(stop) if !complete => Err(stop),
        _ => Ok(None),
    }
}

/// The order in which a thread explores the edges of each node, so that threads take different
/// paths. It is applied at every node, so it must be fast: a complete shuffle takes longer and is
/// no better.
#[derive(Clone, Copy, Debug)]
pub(super) enum EdgeOrder {
    /// The order of the graph.
    Given,
    /// The reverse order, which keeps the second thread farthest from the first.
    Reversed,
    /// A random edge first, then the order of the graph.
    Random(Lcg),
}

impl EdgeOrder {
    pub fn new(thread: usize) -> EdgeOrder {
        match thread {
            0 => EdgeOrder::Given,
            1 => EdgeOrder::Reversed,
            _ => EdgeOrder::Random(Lcg::new((thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))),
        }
    }

    #[inline]
    pub fn apply<T>(&mut self, list: &mut [T]) {
        match self {
            EdgeOrder::Given => {}
            EdgeOrder::Reversed => list.reverse(),
            EdgeOrder::Random(_) if list.len() < 2 => {}
            EdgeOrder::Random(random) => list.swap(0, random.below(list.len() as u64) as usize),
        }
    }
}
