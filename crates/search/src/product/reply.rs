//! What the automaton replies to what the program does in a state, for a node and, with it, its companion (see [`joint`](super::joint)).
//!
//! It depends on the automaton's state and on the letter alone, and there are few of both; so replies are remembered, prepared in the way in
//! which edges are made of them.

use super::monitor::{Monitor, Target};
use super::packets::{Bits, LEFT};
use rapidhash::RapidHashMap;

/// So many replies are remembered.
const MOST_REPLIES: usize = 1 << 12;
/// So many of them where they are found at once; a power of two.
const NEAR: usize = 64;

/// Edges that lead to nodes of the same packets.
#[derive(Debug, Default)]
pub(super) struct Fan {
    /// All nodes that they lead to, and the flag of packets whose companion is left.
    pub met: Bits,
    /// The node's own edges, in the order of the automaton;
    pub own: Vec<Target>,
    /// of them those to nodes that are not passing,
    pub inner: Vec<Target>,
    /// and those to passing ones.
    pub passing: Vec<Target>,
    /// Where the companion leads to that would not be looked at otherwise: to companions,
    pub companions: bool,
    /// and to others.
    pub left: Vec<u32>,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// To packets that the program comes to,
    pub moves: Fan,
    /// and to the same packet: it does not matter any more what the program does.
    pub stays: Fan,
    /// As often as this, each move of the program is a transition;
    pub branches: u64,
    /// and there are so many more.
    pub transitions: u64,
}

/// The automaton's state in the node, and in its companion if that is asked for; the letter. One number is quickly hashed.
fn key(own: u32, companion: Option<u32>, letter: u64) -> u128 {
    let companion = companion.map_or(0, |companion| companion + 1);
    u128::from(letter) << 64 | u128::from(own) << 32 | u128::from(companion)
}

/// Those that are remembered, by number.
#[derive(Debug)]
pub(super) struct Replies {
    /// Some of those below, each in the place of its key: most searches see few letters.
    near: [Option<(u128, usize)>; NEAR],
    known: RapidHashMap<u128, usize>,
    replies: Vec<Reply>,
}

impl Default for Replies {
    fn default() -> Replies {
        Replies { near: [None; NEAR], known: RapidHashMap::default(), replies: Vec::new() }
    }
}

impl Replies {
    /// Numbers given so far are not used any more.
    #[inline]
    pub fn begin(&mut self) {
        if self.replies.len() > MOST_REPLIES {
            *self = Replies::default();
        }
    }

    #[inline]
    pub fn get(&self, number: usize) -> &Reply {
        &self.replies[number]
    }

    /// The number of a reply. `absorbs`: nodes may stand for all that follow.
    #[inline]
    pub fn find(
        &mut self,
        monitor: &Monitor,
        absorbs: bool,
        own: u32,
        companion: Option<u32>,
        letter: &[u64],
    ) -> usize {
        // Letters of several words are seldom, and are not remembered.
        let key = (letter.len() <= 1).then(|| key(own, companion, letter.first().copied().unwrap_or(0)));
        let Some(key) = key else { return self.add(reply(monitor, absorbs, own, companion, letter)) };
        let letter_bits = (key >> 64) as usize;
        let place = ((own as usize) << 3 ^ letter_bits << 1 ^ usize::from(companion.is_some())) % NEAR;
        if let Some((near, number)) = self.near[place]
            && near == key
        {
            return number;
        }
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None => {
                let number = self.add(reply(monitor, absorbs, own, companion, letter));
                self.known.insert(key, number);
                number
            }
        };
        self.near[place] = Some((key, number));
        number
    }

    fn add(&mut self, reply: Reply) -> usize {
        self.replies.push(reply);
        self.replies.len() - 1
    }
}

/// What the automaton does in one of its states.
struct Choice {
    targets: Vec<Target>,
    /// Along with the program; otherwise it does not matter any more what the program does.
    moves: bool,
    /// How many transitions that is for each move of the program,
    branches: u64,
    /// and besides.
    transitions: u64,
}

fn choose(monitor: &Monitor, absorbs: bool, automaton: u32, letter: &[u64]) -> Choice {
    if let Some(marks) = monitor.absorbing(automaton).filter(|_| absorbs) {
        return Choice { targets: vec![(automaton, marks)], moves: false, branches: 0, transitions: 0 };
    }
    let mut targets = Vec::new();
    monitor.targets(automaton, letter, &mut targets);
    let universal = targets.iter().find(|(target, _)| monitor.is_universal(*target));
    if let Some(&universal) = universal.filter(|_| absorbs) {
        return Choice { targets: vec![universal], moves: false, branches: 0, transitions: 1 };
    }
    Choice { branches: targets.len() as u64, targets, moves: true, transitions: 0 }
}

fn reply(monitor: &Monitor, absorbs: bool, own: u32, companion: Option<u32>, letter: &[u64]) -> Reply {
    let own = choose(monitor, absorbs, own, letter);
    let other = companion.map(|automaton| choose(monitor, absorbs, automaton, letter));
    let mut reply = Reply {
        branches: own.branches + other.as_ref().map_or(0, |other| other.branches),
        transitions: own.transitions + other.as_ref().map_or(0, |other| other.transitions),
        ..Reply::default()
    };
    if let Some(other) = other {
        let is_silent = |target| other.moves && own.moves && is_silent(monitor, absorbs, &own, target);
        let fan = reply.fan(other.moves);
        let targets = other.targets.iter().map(|(target, _)| *target);
        targets.clone().for_each(|target| fan.met.insert(target));
        let left = targets.filter(|target| !is_silent(*target));
        let (companions, left): (Vec<u32>, _) = left.partition(|target| monitor.waiting() == Some(*target));
        if !companions.is_empty() {
            fan.companions = true;
            fan.met.insert_flags(LEFT);
        }
        fan.left = left;
    }
    let fan = reply.fan(own.moves);
    own.targets.iter().for_each(|(target, _)| fan.met.insert(*target));
    (fan.passing, fan.inner) = own.targets.iter().partition(|(target, _)| monitor.is_passing(*target));
    fan.own = own.targets;
    reply
}

/// Does nobody have to be told of this target of the companion? That is so of nodes that the node itself leads to, and of the companions of such nodes, whose edges are made along with
/// theirs.
fn is_silent(monitor: &Monitor, absorbs: bool, own: &Choice, target: u32) -> bool {
    let is_looked_at = |target: u32| !monitor.is_passing(target);
    let makes_companion =
        |target: u32| is_looked_at(target) && !(absorbs && monitor.absorbing(target).is_some());
    let mut met = own.targets.iter().map(|(target, _)| *target);
    met.clone().any(|own| own == target && is_looked_at(target))
        || monitor.waiting() == Some(target) && met.any(makes_companion)
}

impl Reply {
    fn fan(&mut self, moves: bool) -> &mut Fan {
        if moves { &mut self.moves } else { &mut self.stays }
    }
}
