//! Translation of states from one layout to a wider one of the same program, computed once and
//! applied to every known state.
//!
//! All values that move from one word to another by the same distance move together, by one mask
//! and one rotation. If the lowest value of a field changes, its bits are increased by a constant;
//! all constants of a word are added together, because each sum fits its field.
//!
//! Components that do not exist have all bits 0 in both layouts. Moving these bits does no harm, so
//! only constants, and alternatives that share their place, depend on the existence of a component.

use super::{Cells, Field, Layout};

/// A translation; see the [module](self).
#[derive(Clone, Debug)]
pub struct Recoder {
    words: usize,
    changes: Changes,
    /// The number of words before the state in the old and in the new vector.
    offsets: (usize, usize),
    /// Additional changes, whose positions are relative to the whole vectors.
    kept: Changes,
}

/// Changes, some of which depend on conditions.
#[derive(Clone, Debug, Default)]
struct Changes {
    moves: Vec<BitMove>,
    /// Words and what is added to them.
    additions: Vec<(u32, u64)>,
    groups: Vec<Group>,
}

/// Changes that apply only if the condition holds in the old state.
#[derive(Clone, Debug)]
struct Group {
    condition: Condition,
    changes: Changes,
}

/// Copies the bits of the mask to another word and rotates them.
#[derive(Clone, Copy, Debug)]
struct BitMove {
    from: u32,
    to: u32,
    rotation: u32,
    mask: u64,
}

#[derive(Clone, Debug)]
enum Condition {
    MoreThan(Field, i32),
    Equal(Field, i32),
}

impl Condition {
    fn holds(&self, words: &[u64]) -> bool {
        match self {
            Condition::MoreThan(field, value) => field.read(words) > *value,
            Condition::Equal(field, value) => field.read(words) == *value,
        }
    }

    /// Whether the condition holds in every state, or in none.
    fn is_decided(&self) -> Option<bool> {
        let (Condition::MoreThan(field, _) | Condition::Equal(field, _)) = self;
        (field.width == 0).then(|| self.holds(&[]))
    }
}

impl Changes {
    /// Moves a value, whose lowest value may change.
    fn add(&mut self, from: Field, to: Field) {
        if to.width == 0 {
            return;
        }
        if from.width > 0 {
            let rotation = u32::from(to.shift.wrapping_sub(from.shift) & 63);
            let mask = ((1 << from.width) - 1) << from.shift;
            let same = |other: &&mut BitMove| {
                (other.from, other.to, other.rotation) == (from.word, to.word, rotation)
            };
            match self.moves.iter_mut().find(same) {
                Some(known) => known.mask |= mask,
                None => self.moves.push(BitMove { from: from.word, to: to.word, rotation, mask }),
            }
        }
        // Negative only for a message field that had no value yet: its placeholder fits no state.
        let more = i64::from(from.low) - i64::from(to.low);
        debug_assert!(more >= 0 || from.width == 0, "a lower bound: {from:?}, {to:?}");
        if more > 0 {
            let more = (more as u64) << to.shift;
            match self.additions.iter_mut().find(|(word, _)| *word == to.word) {
                Some((_, known)) => *known += more,
                None => self.additions.push((to.word, more)),
            }
        }
    }

    /// Writes a value that the old state does not have.
    fn add_constant(&mut self, to: Field, value: i32) {
        self.add(Field { low: value, ..Field::default() }, to);
    }

    fn add_cells(&mut self, old: &[Cells], new: &[Cells]) {
        for (old, new) in old.iter().zip(new) {
            let count = match (old, new) {
                (_, Cells::Constant(_)) => continue,
                (Cells::Constant(values), _) => values.len() as u32,
                (Cells::Row { count, .. }, _) => *count,
            };
            (0..count).for_each(|element| self.add(old.field(element), new.field(element)));
        }
    }

    /// Adds changes that apply only if the condition holds.
    fn add_if(&mut self, condition: Condition, changes: Changes) {
        match condition.is_decided() {
            Some(true) => self.include(changes),
            Some(false) => {}
            None if changes.is_empty() => {}
            None => self.groups.push(Group { condition, changes }),
        }
    }

    /// Adds the changes of a component that exists only if the condition holds.
    fn add_existing(&mut self, condition: Condition, mut changes: Changes) {
        let moves = std::mem::take(&mut changes.moves);
        self.include(Changes { moves, ..Changes::default() });
        self.add_if(condition, changes);
    }

    fn include(&mut self, other: Changes) {
        for new in other.moves {
            let same = |known: &&mut BitMove| {
                (known.from, known.to, known.rotation) == (new.from, new.to, new.rotation)
            };
            match self.moves.iter_mut().find(same) {
                Some(known) => known.mask |= new.mask,
                None => self.moves.push(new),
            }
        }
        for (word, more) in other.additions {
            match self.additions.iter_mut().find(|(known, _)| *known == word) {
                Some((_, known)) => *known += more,
                None => self.additions.push((word, more)),
            }
        }
        self.groups.extend(other.groups);
    }

    fn is_empty(&self) -> bool {
        self.moves.is_empty() && self.additions.is_empty() && self.groups.is_empty()
    }

    fn apply(&self, old: &[u64], new: &mut [u64]) {
        for &BitMove { from, to, rotation, mask } in &self.moves {
            new[to as usize] |= (old[from as usize] & mask).rotate_left(rotation);
        }
        for group in &self.groups {
            if group.condition.holds(old) {
                group.changes.apply(old, new);
            }
        }
        for &(word, more) in &self.additions {
            new[word as usize] = new[word as usize].wrapping_add(more);
        }
    }
}

impl Recoder {
    /// Precondition: every state that fits `old` fits `new`.
    pub fn new(old: &Layout, new: &Layout) -> Recoder {
        let mut changes = Changes::default();
        let numbers = [
            (old.process_count, new.process_count),
            (old.channel_count, new.channel_count),
            (old.last, new.last),
            (old.partner, new.partner),
            (old.event, new.event),
            (old.control, new.control),
        ];
        numbers.into_iter().for_each(|(from, to)| changes.add(from, to));
        changes.add_cells(&old.globals, &new.globals);
        for (pid, (from, to)) in old.processes.iter().zip(&new.processes).enumerate() {
            let mut process = Changes::default();
            process.add(from.priority, to.priority);
            for (number, kind) in from.kinds.iter().enumerate() {
                let place = to.kinds.iter().position(|wide| wide.process_type == kind.process_type);
                let place = place.expect("a wider layout has every kind of process");
                let mut own = Changes::default();
                own.add_constant(to.kind, place as i32);
                own.add(kind.location, to.kinds[place].location);
                own.add_cells(&kind.variables, &to.kinds[place].variables);
                process.add_if(Condition::Equal(from.kind, number as i32), own);
            }
            let exists = Condition::MoreThan(old.process_count, pid as i32);
            changes.add_existing(exists, process);
        }
        for (index, (from, to)) in old.channels.iter().zip(&new.channels).enumerate() {
            let mut channel = Changes::default();
            channel.add(from.owner, to.owner);
            for (number, kind) in from.kinds.iter().enumerate() {
                let place = to.kinds.iter().position(|wide| wide.channel_type == kind.channel_type);
                let place = place.expect("a wider layout has every kind of channel");
                let wide = &to.kinds[place];
                let mut own = Changes::default();
                own.add_constant(to.kind, place as i32);
                own.add(kind.length, wide.length);
                for position in 0..kind.slots {
                    let mut message = Changes::default();
                    for field in 0..kind.fields.len() {
                        message.add(kind.field(position, field), wide.field(position, field));
                    }
                    let exists = Condition::MoreThan(kind.length, position as i32);
                    own.add_existing(exists, message);
                }
                channel.add_if(Condition::Equal(from.kind, number as i32), own);
            }
            let exists = Condition::MoreThan(old.channel_count, index as i32);
            changes.add_existing(exists, channel);
        }
        Recoder { words: new.width.all, changes, offsets: (0, 0), kept: Changes::default() }
    }

    /// Extends the translation to vectors that contain a state: `offsets` words precede it in the
    /// old and in the new vector, the new vector has `words` words, and the field `from` becomes
    /// `to`.
    pub fn embedded(
        mut self,
        offsets: (usize, usize),
        words: usize,
        from: Field,
        to: Field,
    ) -> Recoder {
        self.kept.add(from, to);
        self.offsets = offsets;
        self.words = words;
        self
    }

    /// Replaces `new` by the translation of `old`.
    pub fn recode(&self, old: &[u64], new: &mut Vec<u64>) {
        new.clear();
        new.resize(self.words, 0);
        self.kept.apply(old, new);
        self.changes.apply(&old[self.offsets.0..], &mut new[self.offsets.1..]);
    }
}
