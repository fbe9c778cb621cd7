//! The units of generated code: what a process does at one location. The code of a large program is
//! compiled unit by unit, and calls between units go through a table of addresses.

use crate::codegen::FunctionKey;
use crate::plan::Actor;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A function that has one unit for each location of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The steps of a process.
    Expand(Actor),
    /// The steps in which a process receives from the rendezvous channel with this index.
    Receive(Actor, usize),
    /// Whether a process can make a step.
    Enabled(Actor),
}

impl Part {
    /// The function that contains the units if the code is not split.
    pub fn function(self) -> FunctionKey {
        match self {
            Part::Expand(actor) => FunctionKey::Expand(actor),
            Part::Receive(actor, channel) => FunctionKey::Receive(actor, channel),
            Part::Enabled(actor) => FunctionKey::Enabled(actor.slot),
        }
    }

    pub fn actor(self) -> Actor {
        match self {
            Part::Expand(actor) | Part::Receive(actor, _) | Part::Enabled(actor) => actor,
        }
    }

    /// The same part of another process.
    pub fn of(self, actor: Actor) -> Part {
        match self {
            Part::Expand(_) => Part::Expand(actor),
            Part::Receive(_, channel) => Part::Receive(actor, channel),
            Part::Enabled(_) => Part::Enabled(actor),
        }
    }
}

/// A part at one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    pub part: Part,
    pub location: u32,
}

/// The addresses of all units, and their numbers. Generated code reads the entries directly, so
/// they stay where they are as long as the table exists.
#[derive(Debug, Default)]
pub struct UnitTable {
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    list: Vec<Row>,
    by_part: HashMap<Part, usize>,
}

/// The units of one part, by location.
#[derive(Debug)]
struct Row {
    part: Part,
    /// The number of the first unit.
    first: u32,
    /// Addresses; 0 for a unit that is not compiled.
    entries: Box<[AtomicUsize]>,
}

impl Rows {
    fn row(&mut self, part: Part, locations: usize) -> &Row {
        let Rows { list, by_part } = self;
        let index = *by_part.entry(part).or_insert_with(|| {
            let first = list.last().map_or(0, |row| row.first + row.entries.len() as u32);
            let entries = (0..locations).map(|_| AtomicUsize::new(0)).collect();
            list.push(Row { part, first, entries });
            list.len() - 1
        });
        &list[index]
    }
}

impl UnitTable {
    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of the first entry for a part, and the number of its first unit.
    pub fn entries(&self, part: Part, locations: usize) -> (usize, u32) {
        let mut rows = self.lock();
        let row = rows.row(part, locations);
        (row.entries.as_ptr() as usize, row.first)
    }

    /// The number of a unit.
    pub fn number(&self, unit: Unit, locations: usize) -> u32 {
        self.lock().row(unit.part, locations).first + unit.location
    }

    /// The unit with this number.
    pub fn unit(&self, number: u32) -> Option<Unit> {
        let rows = self.lock();
        let index = rows.list.partition_point(|row| row.first <= number).checked_sub(1)?;
        let row = &rows.list[index];
        Some(Unit { part: row.part, location: number - row.first })
    }

    /// Makes the code of a unit available to every thread.
    pub fn publish(&self, unit: Unit, address: usize) {
        let rows = self.lock();
        if let Some(&index) = rows.by_part.get(&unit.part) {
            rows.list[index].entries[unit.location as usize].store(address, Ordering::Release);
        }
    }
}
