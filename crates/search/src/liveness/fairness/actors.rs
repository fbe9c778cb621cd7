//! Sets of actors, that is, of numbers of processes or transitions, as bits. The first 64 actors
//! need no allocation, and most programs have no more.

/// A set of actors. It has no trailing zero words, so that equal sets compare equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ActorSet {
    low: u64,
    high: Vec<u64>,
}

impl ActorSet {
    /// The empty set.
    pub fn new() -> ActorSet {
        ActorSet::default()
    }

    /// Adds an actor.
    pub fn insert(&mut self, actor: u32) {
        match (actor / 64) as usize {
            0 => self.low |= 1 << actor,
            word => {
                if word > self.high.len() {
                    self.high.resize(word, 0);
                }
                self.high[word - 1] |= 1 << (actor % 64);
            }
        }
    }

    /// Is the actor in the set?
    pub fn contains(&self, actor: u32) -> bool {
        let word = match (actor / 64) as usize {
            0 => self.low,
            word => self.high.get(word - 1).copied().unwrap_or(0),
        };
        word >> (actor % 64) & 1 == 1
    }

    /// Removes all actors.
    pub fn clear(&mut self) {
        self.low = 0;
        self.high.clear();
    }

    /// Is the set empty?
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }

    /// Adds the members of another set.
    pub fn union(&mut self, other: &ActorSet) {
        self.low |= other.low;
        if other.high.len() > self.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        self.high.iter_mut().zip(&other.high).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Keeps only members of another set.
    pub fn intersect(&mut self, other: &ActorSet) {
        self.low &= other.low;
        self.high.truncate(other.high.len());
        self.high.iter_mut().zip(&other.high).for_each(|(mine, theirs)| *mine &= theirs);
        self.trim();
    }

    /// Removes the members of another set.
    pub fn subtract(&mut self, other: &ActorSet) {
        self.low &= !other.low;
        self.high.iter_mut().zip(&other.high).for_each(|(mine, theirs)| *mine &= !theirs);
        self.trim();
    }

    /// Are all members in the other set?
    pub fn is_subset(&self, other: &ActorSet) -> bool {
        let theirs = other.high.iter().copied().chain(std::iter::repeat(0));
        self.low & !other.low == 0
            && self.high.iter().zip(theirs).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Have the sets a common member?
    pub fn intersects(&self, other: &ActorSet) -> bool {
        self.low & other.low != 0
            || self.high.iter().zip(&other.high).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// The members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = std::iter::once(self.low).chain(self.high.iter().copied());
        words.enumerate().flat_map(|(index, word)| {
            let bits = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            bits.take_while(|&word| word != 0)
                .map(move |word| index as u32 * 64 + word.trailing_zeros())
        })
    }

    fn trim(&mut self) {
        while self.high.last() == Some(&0) {
            self.high.pop();
        }
    }
}

impl FromIterator<u32> for ActorSet {
    fn from_iter<I: IntoIterator<Item = u32>>(actors: I) -> ActorSet {
        let mut set = ActorSet::new();
        actors.into_iter().for_each(|actor| set.insert(actor));
        set
    }
}
