//! Translation of states from one layout to a wider one of the same program: a list of bit moves,
//! computed once and applied to every known state.
//!
//! Components that do not exist have all bits 0 in both layouts, so values of a process or channel
//! are moved only if it exists, and values of a message only if the channel is long enough.

use super::{Cells, Field, Layout};

/// A translation; see the [module](self).
#[derive(Clone, Debug)]
pub struct Recoder {
    words: usize,
    /// Shifts of values that always exist.
    always: Vec<Shift>,
    groups: Vec<Group>,
    /// The number of words before the state in the old and in the new vector.
    offsets: (usize, usize),
    /// An additional field, whose positions are relative to the whole vectors.
    kept: Option<Shift>,
}

/// Shifts that apply only if the condition holds in the old state.
#[derive(Clone, Debug)]
struct Group {
    condition: Condition,
    shifts: Vec<Shift>,
    /// Nested groups.
    groups: Vec<Group>,
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
}

/// Copies bits from one position to another and adds `add`.
#[derive(Clone, Copy, Debug)]
struct Shift {
    from: Field,
    to: Field,
    add: u64,
}

impl Shift {
    /// `None` if nothing has to be done.
    fn new(from: Field, to: Field) -> Option<Shift> {
        let add = (i64::from(from.low) - i64::from(to.low)) as u64;
        (to.width > 0).then_some(Shift { from, to, add })
    }

    fn apply(&self, old: &[u64], new: &mut [u64]) {
        let bits = old[self.from.word as usize] >> self.from.shift & ((1 << self.from.width) - 1);
        new[self.to.word as usize] |= bits.wrapping_add(self.add) << self.to.shift;
    }
}

impl Recoder {
    /// Precondition: every state that fits `old` fits `new`.
    pub fn new(old: &Layout, new: &Layout) -> Recoder {
        let mut always = Vec::new();
        let numbers = [
            (old.process_count, new.process_count),
            (old.channel_count, new.channel_count),
            (old.last, new.last),
            (old.partner, new.partner),
            (old.event, new.event),
            (old.control, new.control),
        ];
        always.extend(numbers.into_iter().filter_map(|(from, to)| Shift::new(from, to)));
        cells(&old.globals, &new.globals, &mut always);
        let mut groups = Vec::new();
        for (pid, (from, to)) in old.processes.iter().zip(&new.processes).enumerate() {
            let mut shifts = Vec::new();
            shifts.extend(Shift::new(from.priority, to.priority));
            let kinds = from.kinds.iter().enumerate().map(|(number, kind)| {
                let place = to.kinds.iter().position(|wide| wide.process_type == kind.process_type);
                let place = place.expect("a wider layout has every kind of process");
                let mut shifts = Vec::new();
                shifts.extend(constant(to.kind, place as i32));
                shifts.extend(Shift::new(kind.location, to.kinds[place].location));
                cells(&kind.variables, &to.kinds[place].variables, &mut shifts);
                Group {
                    condition: Condition::Equal(from.kind, number as i32),
                    shifts,
                    groups: Vec::new(),
                }
            });
            let kinds = kinds.collect();
            let condition = Condition::MoreThan(old.process_count, pid as i32);
            groups.push(Group { condition, shifts, groups: kinds });
        }
        for (index, (from, to)) in old.channels.iter().zip(&new.channels).enumerate() {
            let mut shifts = Vec::new();
            shifts.extend(Shift::new(from.owner, to.owner));
            let kinds = from.kinds.iter().enumerate().map(|(number, kind)| {
                let place = to.kinds.iter().position(|wide| wide.channel_type == kind.channel_type);
                let place = place.expect("a wider layout has every kind of channel");
                let wide = &to.kinds[place];
                let mut shifts = Vec::new();
                shifts.extend(constant(to.kind, place as i32));
                shifts.extend(Shift::new(kind.length, wide.length));
                let messages = (0..kind.slots).map(|position| {
                    let fields = (0..kind.fields.len()).filter_map(|field| {
                        Shift::new(kind.field(position, field), wide.field(position, field))
                    });
                    let condition = Condition::MoreThan(kind.length, position as i32);
                    Group { condition, shifts: fields.collect(), groups: Vec::new() }
                });
                let condition = Condition::Equal(from.kind, number as i32);
                Group { condition, shifts, groups: messages.collect() }
            });
            let kinds = kinds.collect();
            let condition = Condition::MoreThan(old.channel_count, index as i32);
            groups.push(Group { condition, shifts, groups: kinds });
        }
        Recoder { words: new.width.all, always, groups, offsets: (0, 0), kept: None }
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
        self.kept = Shift::new(from, to);
        self.offsets = offsets;
        self.words = words;
        self
    }

    /// Replaces `new` by the translation of `old`.
    pub fn recode(&self, old: &[u64], new: &mut Vec<u64>) {
        new.clear();
        new.resize(self.words, 0);
        if let Some(shift) = &self.kept {
            shift.apply(old, new);
        }
        let (old, new) = (&old[self.offsets.0..], &mut new[self.offsets.1..]);
        for shift in &self.always {
            shift.apply(old, new);
        }
        for group in &self.groups {
            group.apply(old, new);
        }
    }
}

impl Group {
    fn apply(&self, old: &[u64], new: &mut [u64]) {
        if !self.condition.holds(old) {
            return;
        }
        for shift in &self.shifts {
            shift.apply(old, new);
        }
        for group in &self.groups {
            group.apply(old, new);
        }
    }
}

/// Writes a value that the old state does not have.
fn constant(to: Field, value: i32) -> Option<Shift> {
    Shift::new(Field { low: value, ..Field::default() }, to)
}

fn cells(old: &[Cells], new: &[Cells], shifts: &mut Vec<Shift>) {
    for (old, new) in old.iter().zip(new) {
        let count = match (old, new) {
            (_, Cells::Constant(_)) => continue,
            (Cells::Constant(values), _) => values.len() as u32,
            (Cells::Row { count, .. }, _) => *count,
        };
        shifts.extend(
            (0..count).filter_map(|element| Shift::new(old.field(element), new.field(element))),
        );
    }
}
