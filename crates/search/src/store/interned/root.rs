//! The numbers of a state's parts as a root: bit-packed, the base bits through a permutation of
//! exactly their number, the extra bits beside them.

use crate::store::packed::permutation::Permutation;

/// A part's number in the root: its low bits are base bits, the others extra bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub part: usize,
    pub base_bits: u32,
    pub extra_bits: u32,
}

impl Field {
    pub fn bits(&self) -> u32 {
        self.base_bits + self.extra_bits
    }
}

#[inline]
pub(super) fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

pub(super) fn bits_of(value: u64) -> u32 {
    64 - value.leading_zeros()
}

/// A state as a key of the table of roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateRoot {
    pub(super) home: u64,
    pub(super) extra: u64,
}

/// The encoding of part numbers as roots.
#[derive(Clone, Debug)]
pub(super) struct Packing {
    pub fields: Vec<Field>,
    /// Permutes the base bits of all fields.
    permutation: Permutation,
    pub base_bits: u32,
}

impl Packing {
    pub fn new(fields: Vec<Field>) -> Packing {
        let base_bits = fields.iter().map(|field| field.base_bits).sum::<u32>().max(1);
        Packing { fields, permutation: Permutation::new(base_bits), base_bits }
    }

    pub fn extra_bits(&self) -> u32 {
        self.fields.iter().map(|field| field.extra_bits).sum()
    }

    /// `None` if a number has too many bits.
    #[inline]
    pub fn root(&self, numbers: &[(u64, u64)]) -> Option<StateRoot> {
        let (mut base, mut extra, mut scatter) = (0, 0, 0);
        let (mut base_shift, mut extra_shift) = (0, 0);
        for (position, field) in self.fields.iter().enumerate() {
            let number = numbers[field.part].1;
            base |= shifted_up(number & mask(field.base_bits), base_shift);
            let above = shifted_down(number, field.base_bits);
            if above != 0 {
                if bits_of(above) > field.extra_bits {
                    return None;
                }
                extra |= shifted_up(above, extra_shift);
                scatter ^= self.scatter(position, above);
            }
            base_shift += field.base_bits;
            extra_shift += field.extra_bits;
        }
        Some(StateRoot { home: self.permutation.apply(base) ^ scatter, extra })
    }

    /// Mixes the extra bits of a field into the home number; 0 if they are 0.
    fn scatter(&self, position: usize, above: u64) -> u64 {
        let mixed = above.wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(position as u32 * 11);
        self.permutation.apply((mixed ^ mixed >> 32) & mask(self.base_bits))
    }

    /// The inverse of [`root`](Self::root): the numbers of the fields, in order.
    pub fn numbers(&self, root: StateRoot, numbers: &mut Vec<u64>) {
        numbers.clear();
        let (mut scatter, mut shift) = (0, 0);
        for (position, field) in self.fields.iter().enumerate() {
            let above = shifted_down(root.extra, shift) & mask(field.extra_bits);
            if above != 0 {
                scatter ^= self.scatter(position, above);
            }
            numbers.push(shifted_up(above, field.base_bits));
            shift += field.extra_bits;
        }
        let mut base = self.permutation.invert(root.home ^ scatter);
        for (number, field) in numbers.iter_mut().zip(&self.fields) {
            *number |= base & mask(field.base_bits);
            base = shifted_down(base, field.base_bits);
        }
    }

    /// The extra bits of the same numbers in `wider`, whose fields may have more extra bits.
    pub fn widen(&self, wider: &Packing, extra: u64) -> u64 {
        let mut widened = 0;
        let (mut from, mut to) = (0, 0);
        for (old, new) in self.fields.iter().zip(&wider.fields) {
            widened |= shifted_up(shifted_down(extra, from) & mask(old.extra_bits), to);
            from += old.extra_bits;
            to += new.extra_bits;
        }
        widened
    }
}

/// Shifts to the left; 0 if by 64 bits or more.
#[inline]
fn shifted_up(value: u64, by: u32) -> u64 {
    value.checked_shl(by).unwrap_or(0)
}

/// Shifts to the right; 0 if by 64 bits or more.
#[inline]
fn shifted_down(value: u64, by: u32) -> u64 {
    value.checked_shr(by).unwrap_or(0)
}
