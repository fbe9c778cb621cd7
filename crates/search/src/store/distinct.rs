//! About how many different values were seen: HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007). A few kilobytes tell the
//! number within a percent or so, however large it is.

const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;

/// By the first bits of a hash value: the longest run of zeros that followed, and one.
#[derive(Clone, Debug)]
pub struct Distinct(Vec<u8>);

impl Default for Distinct {
    fn default() -> Distinct {
        Distinct(vec![0; REGISTERS])
    }
}

impl Distinct {
    /// Sees a value, by its hash.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        let register = &mut self.0[(hash >> (64 - INDEX_BITS)) as usize];
        let run = (hash << INDEX_BITS).leading_zeros().min(64 - INDEX_BITS) as u8 + 1;
        *register = (*register).max(run);
    }

    pub fn estimate(&self) -> u64 {
        let registers = REGISTERS as f64;
        let sum: f64 = self.0.iter().map(|run| 2f64.powi(-i32::from(*run))).sum();
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        let untouched = self.0.iter().filter(|run| **run == 0).count();
        // Few values leave registers untouched, and their number says more.
        let estimate = if raw < 2.5 * registers && untouched > 0 {
            registers * (registers / untouched as f64).ln()
        } else {
            raw
        };
        estimate.round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_near() {
        let mut random = super::super::testing::Random(5);
        for number in [0u64, 10, 1000, 30_000, 60_000, 1_000_000] {
            let mut distinct = Distinct::default();
            for _ in 0..number {
                let hash = random.next();
                distinct.add(hash);
                distinct.add(hash);
            }
            let error = (distinct.estimate() as f64 - number as f64).abs();
            assert!(error <= 0.04 * number as f64, "{number}: {}", distinct.estimate());
        }
    }
}
