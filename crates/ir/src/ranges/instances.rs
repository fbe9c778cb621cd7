//! Bounds on the number of processes of each type that are ever created. Bounded types have bounded
//! process numbers, and a variable that only a single process writes can be analysed like a local
//! variable of that process.

use crate::program::{Action, Operation, ProcessType, ProcessTypeId, Program};

/// Stands for any number: more than can exist at a time.
const MANY: u32 = 256;

pub(crate) struct Instances {
    /// By process type; [`MANY`] stands for any number.
    created: Vec<u32>,
    /// By process type: the lowest and highest number of its initial processes, if no others are
    /// created.
    fixed: Vec<Option<(u8, u8)>>,
    /// The number of channels that the program's prologue creates.
    global_channels: u32,
    /// The most channels that can exist at a time.
    channels: u32,
}

impl Instances {
    pub fn new(program: &Program) -> Instances {
        let count = program.process_types.len();
        let mut initial = vec![0; count];
        for instance in &program.initial_processes {
            initial[instance.process_type.index()] += 1;
        }
        let sites = sites(program);
        let mut created = initial.clone();
        // A chain of creations is at most as long as the number of types, unless types create each
        // other in a cycle.
        for round in 0..=2 * count {
            let mut next: Vec<u32> = initial.clone();
            for &(owner, kind, repeated) in &sites {
                let more = match created[owner] {
                    0 => 0,
                    _ if repeated => MANY,
                    number => number,
                };
                next[kind] = (next[kind] + more).min(MANY);
            }
            if round > count {
                for (next, now) in next.iter_mut().zip(&created) {
                    if *next != *now {
                        *next = MANY;
                    }
                }
            }
            created = next;
        }
        let fixed = (0..count)
            .map(|kind| {
                let mut numbers = (0u8..).zip(&program.initial_processes);
                let mut own =
                    numbers.by_ref().filter(|(_, each)| each.process_type.index() == kind);
                let first = own.next()?.0;
                let last = own.last().map_or(first, |(last, _)| last);
                (created[kind] == initial[kind]).then_some((first, last))
            })
            .collect();
        let new_channels = |actions: &[Action]| {
            actions.iter().filter(|action| matches!(action, Action::NewChannel { .. })).count()
                as u32
        };
        let global_channels = new_channels(&program.prologue);
        let channels = program
            .process_types
            .iter()
            .zip(&created)
            .fold(global_channels, |sum, (kind, &number)| {
                sum.saturating_add(new_channels(&kind.prologue).saturating_mul(number))
            })
            .min(255);
        Instances { created, fixed, global_channels, channels }
    }

    /// Whether at most one process of the type is ever created.
    pub fn is_single(&self, kind: ProcessTypeId) -> bool {
        self.created[kind.index()] <= 1
    }

    /// The most processes of the type that are ever created; `None` if unbounded.
    pub fn created(&self, kind: ProcessTypeId) -> Option<u32> {
        Some(self.created[kind.index()]).filter(|&created| created < MANY)
    }

    /// The most processes that can exist at a time.
    pub fn most_processes(&self) -> u32 {
        self.created.iter().sum::<u32>().min(255)
    }

    /// The most channels that can exist at a time.
    pub fn most_channels(&self) -> u32 {
        self.channels
    }

    /// The lowest and highest process number in the type.
    pub fn numbers(&self, kind: ProcessTypeId) -> (i64, i64) {
        match self.fixed[kind.index()] {
            Some((first, last)) => (first.into(), last.into()),
            None => (0, i64::from(self.most_processes().max(1)) - 1),
        }
    }

    /// The lowest and highest number of a channel that a process creates.
    pub fn own_channels(&self) -> (i64, i64) {
        (
            i64::from(self.global_channels) + 1,
            i64::from(self.channels.max(self.global_channels + 1)),
        )
    }
}

/// Every `run`: the type that executes it, the type it creates, and whether the same process can
/// execute it again.
fn sites(program: &Program) -> Vec<(usize, usize, bool)> {
    let mut sites = Vec::new();
    for (owner, kind) in program.process_types.iter().enumerate() {
        for (location, each) in kind.locations.iter().enumerate() {
            for transition in &each.transitions {
                let mut found = Vec::new();
                transition.operation.for_each_run(&mut |created| found.push(created.index()));
                if !found.is_empty() {
                    let in_body = matches!(transition.operation, Operation::Deterministic(_));
                    let repeated = in_body || reaches(kind, transition.target.index(), location);
                    sites.extend(found.into_iter().map(|created| (owner, created, repeated)));
                }
            }
        }
    }
    sites
}

fn reaches(kind: &ProcessType, from: usize, to: usize) -> bool {
    let mut seen = vec![false; kind.locations.len()];
    let mut waiting = vec![from];
    while let Some(location) = waiting.pop() {
        if location == to {
            return true;
        }
        if !std::mem::replace(&mut seen[location], true) {
            let out = kind.locations[location].transitions.iter();
            let goes = out.filter(|transition| transition.operation != Operation::End);
            waiting.extend(goes.map(|transition| transition.target.index()));
        }
    }
    false
}
