//! The steps by which a state can be reached, guessed from the steps that were seen.
//!
//! A graph is known forwards only; but how often a state will be met tells whether it is worth remembering ([`crate::narrow`]). Now a step of a program changes a few bits, and does
//! so wherever its guard holds. So it is noted what the states behind all steps of one name have in common, in the bits that no step of that name changes; and in the others, what those have
//! in common behind the steps of that name that turn the same bits to the same values. A state that has both is taken for one behind such a step, and before it is the state in which the
//! changed bits are as they were.
//!
//! That is a guess: it finds too few while little was seen, and too many where a guard is more than a conjunction of bits, or where no run comes to the
//! state before. So it may say in which order states are visited and which are remembered, never which are visited.

use rapidhash::fast::GlobalState;
use std::collections::HashMap;

/// More kinds of steps than this are too many to be tried for each state.
const MOST: usize = 1 << 10;
/// One step in so many may be a surprise.
const FEW: u64 = 8;
/// Of the last so many steps, or up to twice as many: the first of a kind always are.
const LAST: u64 = 1 << 8;
/// In so many bits may a state differ from what states behind a step have in common, to be nearly one of them.
const NEARLY: u32 = 1;

/// Bits that are the same in some states, and what they are.
#[derive(Debug)]
struct Common {
    bits: Box<[u64]>,
    values: Box<[u64]>,
}

impl Common {
    fn of(state: &[u64]) -> Common {
        Common { bits: vec![u64::MAX; state.len()].into(), values: state.into() }
    }

    /// One more state: are there fewer such bits, of those `among` which it matters?
    fn and(&mut self, state: &[u64], among: impl Fn(usize) -> u64) -> bool {
        let mut fewer = false;
        for (number, word) in state.iter().enumerate() {
            let different = (self.values[number] ^ word) & self.bits[number];
            fewer |= different & among(number) != 0;
            self.bits[number] &= !different;
        }
        fewer
    }

    /// In how many of them is this state different, `among` these?
    fn differs(&self, state: &[u64], among: impl Fn(usize) -> u64) -> u32 {
        let differs =
            |number: usize| (state[number] ^ self.values[number]) & self.bits[number] & among(number);
        (0..state.len()).map(|number| differs(number).count_ones()).sum()
    }
}

/// All steps of one name.
#[derive(Debug)]
struct Name {
    /// Bits that such a step changes.
    varying: Box<[u64]>,
    common: Common,
    /// So many were seen since one told something new.
    calm: u32,
}

/// Steps of one name that turn the same bits to the same values.
#[derive(Debug)]
struct Kind {
    name: usize,
    changed: Box<[u64]>,
    common: Common,
}

#[derive(Debug, Default)]
pub(crate) struct WaysIn {
    names: Vec<Name>,
    kinds: Vec<Kind>,
    name_numbers: HashMap<u64, usize, GlobalState>,
    /// By name, changed bits, and what they become.
    numbers: HashMap<Box<[u64]>, usize, GlobalState>,
    key: Vec<u64>,
    /// How many steps were seen of late, and how many of them told something new.
    steps: u64,
    surprises: u64,
    too_many: bool,
}

impl WaysIn {
    /// Sees a step. Precondition: all states have as many words.
    pub fn see(&mut self, name: u64, from: &[u64], to: &[u64]) {
        if self.too_many || from == to {
            return;
        }
        let change = || from.iter().zip(to).map(|(from, to)| from ^ to);
        let name_number = *self.name_numbers.entry(name).or_insert_with(|| {
            self.names.push(Name { varying: change().collect(), common: Common::of(to), calm: 0 });
            self.names.len() - 1
        });
        let Name { varying, common, calm } = &mut self.names[name_number];
        varying.iter_mut().zip(change()).for_each(|(varying, changed)| *varying |= changed);
        let mut is_new = common.and(to, |word| !varying[word]);
        self.key.clear();
        self.key.push(name);
        self.key.extend(change());
        self.key.extend(change().zip(to).map(|(changed, to)| changed & to));
        match self.numbers.get(&self.key[..]) {
            Some(kind) => is_new |= self.kinds[*kind].common.and(to, |word| varying[word]),
            None => {
                is_new = true;
                self.too_many = self.kinds.len() == MOST;
                self.numbers.insert(self.key.as_slice().into(), self.kinds.len());
                self.kinds.push(Kind {
                    name: name_number,
                    changed: change().collect(),
                    common: Common::of(to),
                });
            }
        }
        *calm = if is_new { 0 } else { calm.saturating_add(1) };
        if self.steps == 2 * LAST {
            self.steps /= 2;
            self.surprises /= 2;
        }
        self.steps += 1;
        self.surprises += u64::from(is_new);
    }

    /// About so much memory it takes.
    pub fn memory_bytes(&self) -> u64 {
        // A kind has a key of a name and two states, and three states; a name has three.
        let words = self.key.len() / 2;
        let kind = size_of::<Kind>() + 8 * (5 * words + 1);
        let name = size_of::<Name>() + 8 * 3 * words;
        let numbers = self.numbers.capacity() * size_of::<(Box<[u64]>, usize)>()
            + self.name_numbers.capacity() * size_of::<(u64, usize)>();
        (self.kinds.len() * kind + self.names.len() * name + numbers) as u64
    }

    /// Is a step seldom a surprise by now?
    pub fn are_known(&self) -> bool {
        !self.too_many && self.surprises <= self.steps / FEW
    }

    /// Kinds of steps from whose ends this state differs in at most so many bits: in how many, and what such a step is called and changes.
    fn kinds(&self, state: &[u64], most: u32) -> impl Iterator<Item = (u32, &Name, &[u64])> {
        self.kinds.iter().filter_map(move |Kind { name, changed, common }| {
            let name = &self.names[*name];
            let differs = common.differs(state, |word| name.varying[word])
                + name.common.differs(state, |word| !name.varying[word]);
            let is_one =
                differs <= most && (differs == 0 || common.differs(state, |word| changed[word]) == 0);
            is_one.then_some((differs, name, &changed[..]))
        })
    }

    /// Bits in which the states before this one differ from it, each time others.
    fn changes(&self, state: &[u64]) -> Vec<&[u64]> {
        let mut changes: Vec<&[u64]> = Vec::new();
        for (.., changed) in self.kinds(state, 0) {
            if !changes.contains(&changed) {
                changes.push(changed);
            }
        }
        changes
    }

    /// How many states are there before this one?
    pub fn count(&self, state: &[u64]) -> u32 {
        self.changes(state).len() as u32
    }

    /// How many might there be, if little is still to be learned? And how doubtful is it that there are not: the more, the more recently something
    /// new was learned about such a step.
    pub fn nearly(&self, state: &[u64]) -> (u32, u32) {
        let mut ways: Vec<(&[u64], u32)> = Vec::new();
        for (differs, name, changed) in self.kinds(state, NEARLY) {
            let calm = if differs == 0 { u32::MAX } else { name.calm };
            match ways.iter_mut().find(|way| way.0 == changed) {
                Some(way) => way.1 = way.1.max(calm),
                None => ways.push((changed, calm)),
            }
        }
        let least = ways.iter().map(|way| way.1).min().unwrap_or(u32::MAX);
        (ways.len() as u32, least.leading_zeros())
    }

    /// The states before this one.
    pub fn before(&self, state: &[u64]) -> impl Iterator<Item = Vec<u64>> {
        let changes = self.changes(state);
        changes
            .into_iter()
            .map(|changed| state.iter().zip(changed).map(|(word, changed)| word ^ changed).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two counters of two bits each, in one word; the first counts while the second is 1, the second always.
    fn steps(state: u64) -> Vec<(u64, u64)> {
        let (one, other) = (state & 3, state >> 2);
        let mut steps = Vec::new();
        steps.extend((other == 1 && one < 3).then(|| (7, (one + 1) | (other << 2))));
        steps.extend((other < 3).then(|| (8, one | ((other + 1) << 2))));
        steps
    }

    #[test]
    fn guesses_what_was_seen() {
        let mut ways = WaysIn::default();
        for state in 0..16 {
            for (name, to) in steps(state) {
                ways.see(name, &[state], &[to]);
            }
        }
        for state in 0..16 {
            let mut before: Vec<u64> = ways.before(&[state]).map(|words| words[0]).collect();
            before.sort_unstable();
            let leads_here = |from: &u64| steps(*from).iter().any(|(_, to)| *to == state);
            assert_eq!(before, (0..16).filter(leads_here).collect::<Vec<_>>(), "{state}");
            assert_eq!(ways.count(&[state]), before.len() as u32);
        }
    }

    /// What was seen once tells about one state; what was seen in two, about all that have in common what they have.
    #[test]
    fn takes_for_common_what_is() {
        let mut ways = WaysIn::default();
        ways.see(1, &[0b0000, 5], &[0b0001, 5]);
        assert_eq!(ways.count(&[0b0001, 5]), 1);
        assert_eq!(ways.count(&[0b0101, 5]), 0);
        ways.see(1, &[0b0110, 5], &[0b0111, 5]);
        assert_eq!(ways.before(&[0b0101, 5]).collect::<Vec<_>>(), [vec![0b0100, 5]]);
        assert_eq!(ways.count(&[0b0101, 4]) + ways.count(&[0b1101, 5]) + ways.count(&[0b0100, 5]), 0);
    }

    #[test]
    fn what_was_often_seen_is_known() {
        let mut ways = WaysIn::default();
        ways.see(1, &[0], &[1]);
        assert!(!ways.are_known());
        (1..FEW).for_each(|_| ways.see(1, &[0], &[1]));
        assert!(ways.are_known());
    }

    /// However much was a surprise in the beginning.
    #[test]
    fn what_was_seen_of_late_counts() {
        let mut ways = WaysIn::default();
        (0..MOST as u64).for_each(|name| ways.see(name, &[0], &[1]));
        assert!(!ways.are_known());
        (0..8 * LAST).for_each(|_| ways.see(1, &[0], &[1]));
        assert!(ways.are_known());
    }

    /// A state that one bit keeps from being behind a step may be behind it, less and less as nothing new is learned of that step.
    #[test]
    fn what_is_nearly_a_way_in() {
        let mut ways = WaysIn::default();
        ways.see(1, &[0b0000], &[0b0001]);
        let (perhaps, at_first) = ways.nearly(&[0b0011]);
        assert_eq!((ways.count(&[0b0011]), perhaps), (0, 1));
        assert_eq!(ways.nearly(&[0b0111]).0, 0, "two bits");
        assert_eq!(ways.nearly(&[0b0000]).0, 0, "the step turns that bit to 1");
        (0..100).for_each(|_| ways.see(1, &[0b0000], &[0b0001]));
        let (perhaps, later) = ways.nearly(&[0b0011]);
        assert!(perhaps == 1 && later < at_first, "{later} {at_first}");
        assert_eq!(ways.nearly(&[0b0001]), (1, 0), "it is one");
    }

    #[test]
    fn too_many_to_learn_from() {
        let mut ways = WaysIn::default();
        (0..=MOST as u64).for_each(|name| ways.see(name, &[0], &[1]));
        (0..MOST as u64 * FEW).for_each(|_| ways.see(0, &[0], &[1]));
        assert!(!ways.are_known());
        assert_eq!(ways.count(&[1]), 1);
        let mut ways = WaysIn::default();
        ways.see(0, &[1], &[1]);
        assert_eq!(ways.count(&[1]), 0);
    }
}
