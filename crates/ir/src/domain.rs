//! Finite domains: the values that a variable can hold, and the effect of a store.

/// The values of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// `bits` wide; a stored value is truncated to the width (and sign-extended if `signed`).
    #[allow(missing_docs, reason = "the line above explains the fields")]
    Bits { bits: u8, signed: bool },
    /// The values `low..=high`; storing another value is an error.
    #[allow(missing_docs, reason = "the line above explains the fields")]
    Range { low: i32, high: i32 },
}

impl Domain {
    /// Promela's `bit`.
    pub const BIT: Domain = Domain::unsigned(1);
    /// Promela's `byte`.
    pub const BYTE: Domain = Domain::unsigned(8);
    /// Promela's `short`.
    pub const SHORT: Domain = Domain::Bits { bits: 16, signed: true };
    /// Promela's `int`.
    pub const INT: Domain = Domain::Bits { bits: 32, signed: true };

    /// Unsigned numbers of this width.
    pub const fn unsigned(bits: u8) -> Domain {
        Domain::Bits { bits, signed: false }
    }

    /// The value that results from storing `value`; `None` if a range does not contain it.
    #[inline]
    pub fn store(self, value: i32) -> Option<i32> {
        match self {
            Domain::Bits { bits: 32.., .. } => Some(value),
            Domain::Bits { bits, signed: false } => {
                Some(value & (u32::MAX >> (32 - u32::from(bits))) as i32)
            }
            Domain::Bits { bits, signed: true } => {
                let unused = 32 - u32::from(bits);
                Some((value << unused) >> unused)
            }
            Domain::Range { low, high } => (low..=high).contains(&value).then_some(value),
        }
    }

    /// The number of bits that distinguish the values of the domain.
    pub fn width(self) -> u32 {
        match self {
            Domain::Bits { bits, .. } => u32::from(bits.min(32)),
            Domain::Range { low, high } => {
                u32::BITS - (high.wrapping_sub(low) as u32).leading_zeros()
            }
        }
    }

    /// The value as a number of [`width`](Self::width) bits.
    #[inline]
    pub fn to_bits(self, value: i32) -> u32 {
        match self {
            Domain::Bits { bits: 32.., .. } => value as u32,
            Domain::Bits { bits, .. } => value as u32 & ((1u32 << bits) - 1),
            Domain::Range { low, .. } => value.wrapping_sub(low) as u32,
        }
    }

    /// The inverse of [`to_bits`](Self::to_bits).
    #[inline]
    pub fn from_bits(self, bits: u32) -> i32 {
        match self {
            Domain::Bits { .. } => self.store(bits as i32).expect("bits always fit"),
            Domain::Range { low, .. } => low.wrapping_add(bits as i32),
        }
    }

    /// The initial value of variables: 0, or the lowest value if 0 is not in the domain.
    pub fn default_value(self) -> i32 {
        match self {
            Domain::Range { low, high } if !(low..=high).contains(&0) => low,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_truncate_to_the_width() {
        assert_eq!(Domain::BYTE.store(300), Some(44));
        assert_eq!(Domain::BYTE.store(-1), Some(255));
        assert_eq!(Domain::BIT.store(2), Some(0));
        assert_eq!(Domain::SHORT.store(40_000), Some(40_000 - 65_536));
        assert_eq!(Domain::INT.store(i32::MIN), Some(i32::MIN));
        assert_eq!(Domain::unsigned(3).store(9), Some(1));
        assert_eq!(Domain::Range { low: 1, high: 3 }.store(4), None);
    }

    #[test]
    fn bits_round_trip() {
        for domain in [
            Domain::BIT,
            Domain::BYTE,
            Domain::SHORT,
            Domain::INT,
            Domain::unsigned(31),
            Domain::Range { low: -5, high: 9 },
            Domain::Range { low: i32::MIN, high: i32::MAX },
        ] {
            for value in [-5, -1, 0, 1, 2, 9, 255, 256, 32_767, -32_768, i32::MAX, i32::MIN] {
                if let Some(stored) = domain.store(value) {
                    let bits = domain.to_bits(stored);
                    assert!(domain.width() == 32 || bits < 1 << domain.width());
                    assert_eq!(domain.from_bits(bits), stored);
                }
            }
        }
        assert_eq!(Domain::Range { low: 7, high: 7 }.width(), 0);
    }
}
