//! Threads that search one graph together: they begin with the initial nodes, give nodes to those who have none, and end when the first has found
//! something or nobody has any work left.

use super::graph::{Lasso, Node, SharedGraph};
use super::sweep::MET;
use crate::pool::{Pool, Sign};
use crate::threads;

/// What one thread of a team came to.
#[derive(Debug)]
pub(super) enum Ending<S, F = Lasso> {
    /// It found what all look for.
    Found(F),
    /// Nobody has any work left.
    Nothing,
    /// Another thread has come to an end.
    Over,
    /// A limit, or an error.
    Stopped(S),
}

/// What the threads share.
#[derive(Debug)]
pub(super) struct Team {
    sign: Sign,
    pool: Pool,
}

impl Team {
    /// Has somebody come to an end?
    #[inline]
    pub fn is_over(&self) -> bool {
        self.sign.is_raised()
    }

    /// Does somebody wait for work?
    #[inline]
    pub fn is_hungry(&self) -> bool {
        self.pool.is_hungry()
    }

    /// Gives nodes to whoever waits.
    pub fn give(&self, nodes: impl Iterator<Item = Node>) {
        self.pool.give(nodes.map(u64::from).collect());
    }

    /// Nodes to go on with; `None` if there are none and never will be.
    pub fn wait<G: SharedGraph>(&self, graph: &mut G) -> Option<impl Iterator<Item = Node> + use<G>> {
        graph.suspend();
        let chunk = self.pool.wait(&self.sign);
        graph.resume();
        chunk.map(|nodes| nodes.into_iter().map(|node| node as Node))
    }
}

/// The part of a thread. When it ends, by a panic or otherwise, all others shall end, and nobody waits for it any more.
struct Part<'t>(&'t Team);

impl Drop for Part<'_> {
    fn drop(&mut self) {
        // In this order: who sees that nobody has any work also sees whether that is because of an end.
        self.0.sign.stop(None);
        self.0.pool.leave();
    }
}

/// Lets threads search, numbered from 0, each with a view of its own. What was found, if anything was; for the threads may come to several
/// ends at the same time. Initial nodes that are passing have been given the color of those that were met.
pub(super) fn search<G: SharedGraph, F: Send>(
    graph: &mut G,
    members: usize,
    work: impl Fn(&mut G, usize, &Team) -> Result<Ending<G::Stop, F>, G::Stop> + Sync,
) -> Result<Option<F>, G::Stop> {
    let members = members.clamp(1, graph.most_views());
    let mut initial = graph.initial()?;
    graph.fade()?;
    initial.retain(|node| !graph.is_passing(*node) || graph.mark(*node, MET));
    let team = Team { sign: Sign::default(), pool: Pool::new(members, Vec::new()) };
    team.give(initial.into_iter());
    let run = |view: &mut G, number: usize| {
        let _part = Part(&team);
        work(view, number, &team).unwrap_or_else(Ending::Stopped)
    };
    let views: Vec<G> = (1..members).map(|_| graph.view()).collect();
    let endings = std::thread::scope(|scope| {
        let spawn = |(number, mut view): (usize, G)| {
            let run = &run;
            let thread = move || {
                let ending = run(&mut view, number);
                (ending, view.leave())
            };
            let started = threads::start(scope, thread).ok();
            // Where no more threads can be had, fewer will do.
            if started.is_none() {
                team.pool.leave();
            }
            started
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

/// The order in which a thread takes the edges of each node, so that threads go different ways. It is asked for at every node, so it must be quick: to put all edges
/// in an order of their own takes longer, and is no better.
#[derive(Clone, Copy, Debug)]
pub(super) enum Order {
    /// As they come.
    Given,
    /// The last first: that keeps the second thread farthest from the first.
    Reversed,
    /// One at random first, then as they come. The number changes each time.
    Random(u64),
}

impl Order {
    /// Of the thread with this number.
    pub fn new(thread: usize) -> Order {
        match thread {
            0 => Order::Given,
            1 => Order::Reversed,
            _ => Order::Random((thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        }
    }

    #[inline]
    pub fn apply<T>(&mut self, list: &mut [T]) {
        match self {
            Order::Given => {}
            Order::Reversed => list.reverse(),
            Order::Random(_) if list.len() < 2 => {}
            Order::Random(number) => {
                *number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                list.swap(0, (((*number >> 32) * list.len() as u64) >> 32) as usize);
            }
        }
    }
}
