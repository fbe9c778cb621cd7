//! Diagrams as sums of cubes and as disjoint parts.

use super::{Cube, Guard, Guards};
use rapidhash::RapidHashMap;

impl Guards {
    /// An irredundant sum of prime cubes equal to `f` (Minato 1992).
    pub fn cubes(&mut self, f: Guard) -> Vec<Cube> {
        let mut memo = RapidHashMap::default();
        let (_, cubes) = self.isop(f, f, &mut memo);
        cubes
            .into_iter()
            .map(|mut c| {
                c.reverse();
                c
            })
            .collect()
    }

    /// Minato's recursion: a cover of at least `lower` and at most `upper`, as a function and as
    /// cubes with their literals in descending order.
    fn isop(
        &mut self,
        lower: Guard,
        upper: Guard,
        memo: &mut RapidHashMap<(Guard, Guard), (Guard, Vec<Cube>)>,
    ) -> (Guard, Vec<Cube>) {
        if lower == Guard::FALSE {
            return (Guard::FALSE, Vec::new());
        }
        if upper == Guard::TRUE {
            return (Guard::TRUE, vec![Vec::new()]);
        }
        if let Some(r) = memo.get(&(lower, upper)) {
            return r.clone();
        }
        let v = self.top(lower).min(self.top(upper));
        let ((l0, l1), (u0, u1)) = (self.cofactors(lower, v), self.cofactors(upper, v));
        let only0 = self.minus(l0, u1);
        let (f0, c0) = self.isop(only0, u0, memo);
        let only1 = self.minus(l1, u0);
        let (f1, c1) = self.isop(only1, u1, memo);
        let rest0 = self.minus(l0, f0);
        let rest1 = self.minus(l1, f1);
        let rest = self.or(rest0, rest1);
        let both = self.and(u0, u1);
        let (fb, cb) = self.isop(rest, both, memo);
        let (low, high) = (self.or(f0, fb), self.or(f1, fb));
        let cover = self.make(v, low, high);
        let mut cubes = Vec::with_capacity(c0.len() + c1.len() + cb.len());
        for (list, value) in [(c0, false), (c1, true)] {
            for mut cube in list {
                cube.push((v, value));
                cubes.push(cube);
            }
        }
        cubes.extend(cb);
        memo.insert((lower, upper), (cover, cubes.clone()));
        (cover, cubes)
    }

    /// The conjunction of literals.
    pub fn cube(&mut self, cube: &[(u32, bool)]) -> Guard {
        let mut literals = cube.to_vec();
        literals.sort_unstable();
        // Bottom-up, so that every step creates one node.
        literals.iter().rev().fold(Guard::TRUE, |g, (v, positive)| {
            let l = self.literal(*v, *positive);
            self.and(l, g)
        })
    }

    /// Splits `f` at variable `bound` into pairs of a function of the variables below the bound and
    /// the cofactor of `f` there, a function of the other variables. The first functions are
    /// disjoint; pairs whose cofactor is false are omitted. There may be as many pairs as letters;
    /// the split stops after about `limit` of them.
    pub fn split(&mut self, f: Guard, bound: u32, limit: usize) -> Vec<(Guard, Guard)> {
        let mut memo: RapidHashMap<Guard, Vec<(Guard, Guard)>> = RapidHashMap::default();
        self.split_memo(f, bound, limit, &mut memo)
    }

    fn split_memo(
        &mut self,
        f: Guard,
        bound: u32,
        limit: usize,
        memo: &mut RapidHashMap<Guard, Vec<(Guard, Guard)>>,
    ) -> Vec<(Guard, Guard)> {
        if f == Guard::FALSE {
            return Vec::new();
        }
        let n = self.nodes[f.index()];
        if n.variable >= bound {
            return vec![(Guard::TRUE, f)];
        }
        if let Some(parts) = memo.get(&f) {
            return parts.clone();
        }
        let low = self.split_memo(n.low, bound, limit, memo);
        let high = if low.len() > limit {
            Vec::new()
        } else {
            self.split_memo(n.high, bound, limit, memo)
        };
        let mut parts: Vec<(Guard, Guard)> =
            low.into_iter().map(|(g, r)| (self.make(n.variable, g, Guard::FALSE), r)).collect();
        let mut positions: RapidHashMap<Guard, usize> =
            parts.iter().enumerate().map(|(i, (_, r))| (*r, i)).collect();
        for (g, r) in high {
            let g = self.make(n.variable, Guard::FALSE, g);
            match positions.get(&r) {
                Some(&i) => parts[i].0 = self.or(parts[i].0, g),
                None => {
                    positions.insert(r, parts.len());
                    parts.push((g, r));
                }
            }
        }
        memo.insert(f, parts.clone());
        parts
    }
}
