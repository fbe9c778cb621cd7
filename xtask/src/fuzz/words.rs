//! Conditions and formulas over the variables `x`, `y`, `b` and the channel `q`, which the programs
//! of several fuzzers declare.

use super::random::Random;

pub const CONDITIONS: [&str; 6] = ["(x == 1)", "(y > 0)", "(b)", "(!b)", "(x != y)", "(y == 0)"];

/// Atoms of formulas.
pub const ATOMS: [&str; 8] = [
    "(x == 1)",
    "(b)",
    "(y == 0)",
    "(x == y)",
    "(x > 0 && b)",
    "(len(q) == 1)",
    "(x < 2)",
    "(x + y < 4)",
];

/// A random LTL formula with operators nested up to `depth`. `next`: it may use `X`.
pub fn formula(
    random: &mut Random,
    depth: usize,
    next: bool,
    atom: &impl Fn(&mut Random) -> String,
) -> String {
    if depth == 0 || random.percent(15) {
        return atom(random);
    }
    let left = formula(random, depth - 1, next, atom);
    match random.below(12) {
        0 => format!("(!{left})"),
        1 | 2 => format!("([] {left})"),
        3 | 4 => format!("(<> {left})"),
        5 if next => format!("(X {left})"),
        number => {
            let operator = ["&&", "||", "->", "<->", "U", "V", "W"][number % 7];
            format!("({left} {operator} {})", formula(random, depth - 1, next, atom))
        }
    }
}
