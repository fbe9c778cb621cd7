//! An estimate of the number of distinct values: HyperLogLog (Flajolet, Fusy, Gandouet, Meunier
//! 2007). 16 KB give a standard error of about 1 %, for any number.

const INDEX_BITS: u32 = 14;
const REGISTERS: usize = 1 << INDEX_BITS;

/// For each value of a hash's first bits: one more than the longest run of zeros that followed.
#[derive(Clone, Debug)]
pub struct DistinctEstimate(Vec<u8>);

impl Default for DistinctEstimate {
    fn default() -> DistinctEstimate {
        DistinctEstimate(vec![0; REGISTERS])
    }
}

impl DistinctEstimate {
    /// Adds a value, given by its hash.
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
        // Linear counting is more accurate for few values, which leave registers untouched.
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
    #[cfg_attr(miri, ignore = "statistics need many states")]
    fn the_error_is_small() {
        let mut random = lariat_ir::random::SplitMix64::new(5);
        for number in [0u64, 10, 1000, 30_000, 60_000, 1_000_000] {
            let mut distinct = DistinctEstimate::default();
            for _ in 0..number {
                let hash = random.next_u64();
                distinct.add(hash);
                distinct.add(hash);
            }
            let error = (distinct.estimate() as f64 - number as f64).abs();
            assert!(error <= 0.04 * number as f64, "{number}: {}", distinct.estimate());
        }
    }
}
