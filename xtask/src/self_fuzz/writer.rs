//! Random programs with features that comparisons with SPIN must avoid, and their formulas.
//!
//! Programs are syntax trees, so that they can be shrunk. Everything is small: three processes over
//! a few variables. Some programs of [`Subject::Large`] have products of more than 20,000 nodes.

use crate::fuzz::random::Random;
use crate::fuzz::tree::{Node, Piece, Sort, list, text};
use crate::fuzz::words::{ATOMS, CONDITIONS, formula};

/// The feature that a program tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Subject {
    Plain,
    /// Atomic sequences that can run forever
    EndlessAtomic,
    /// Run-time errors: division, array indices, assertions, blocking d_step sequences
    Errors,
    /// Priorities of processes, changed while they run
    Priorities,
    /// Formulas about the process that makes the next step
    Moves,
    /// Products above 20,000 nodes
    Large,
}

impl Subject {
    pub const ALL: [Subject; 6] = [
        Subject::Plain,
        Subject::EndlessAtomic,
        Subject::Errors,
        Subject::Priorities,
        Subject::Moves,
        Subject::Large,
    ];

    fn weight(self) -> usize {
        match self {
            Subject::Plain => 19,
            Subject::EndlessAtomic | Subject::Errors => 25,
            Subject::Priorities | Subject::Moves => 15,
            Subject::Large => 1,
        }
    }
}

/// A program and formulas about it.
#[derive(Clone, Debug)]
pub struct Sample {
    pub seed: u64,
    pub subject: Subject,
    pub program: Node,
    /// LTL formulas; `A (f)` is the equivalent in CTL*.
    pub ltl: Vec<String>,
    /// CTL formulas.
    pub ctl: Vec<String>,
}

impl Sample {
    pub fn new(seed: u64, subjects: &[Subject]) -> Sample {
        let mut random = Random::new(seed);
        let weights: Vec<(usize, Subject)> =
            subjects.iter().map(|subject| (subject.weight(), *subject)).collect();
        let subject = random.weighted(&weights).unwrap_or(Subject::Plain);
        let mut writer = Writer { random, subject };
        let program = if subject == Subject::Large { writer.large() } else { writer.program() };
        let count = if subject == Subject::Large { 1 } else { 2 };
        let ltl = (0..count).map(|_| writer.linear()).collect();
        let ctl = (0..count).map(|_| writer.branching()).collect();
        Sample { seed, subject, program, ltl, ctl }
    }
}

const EFFECTS: [&str; 10] = [
    "x = (x + 1) % 3",
    "y = (y + 1) % 3",
    "b = !b",
    "x = 0",
    "y = x",
    "b = (x == y)",
    "l = 1 - l",
    "x = l",
    "a[l] = x % 2",
    "d_step { x = (x + 1) % 3; y = x; b = !b }",
];

const MESSAGES: [&str; 8] = ["r!1", "r?x", "r!x", "q!1", "q?y", "q!x", "q?1", "r?1"];

/// Each fails only in some states.
const FAILING: [&str; 7] = [
    "x = 3 / x",
    "y = 5 % y",
    "a[x] = 1",
    "a[x + y] = 0",
    "assert(x != 2)",
    "assert(b || y == 0)",
    "d_step { skip; (x == 1); y = 0 }",
];

const PRIORITIES: [&str; 5] = [
    "set_priority(_pid, 1)",
    "set_priority(_pid, 3)",
    "set_priority(0, 2)",
    "(_priority == 2)",
    "_priority = 1 + x",
];

/// `P` and `Q` are conditions on states.
const BRANCHING: [&str; 14] = [
    "AG EF P",
    "EF AG P",
    "AG (P -> EF Q)",
    "AG (P -> AF Q)",
    "EG P",
    "AF P",
    "E (P U Q)",
    "A (P W Q)",
    "AF AG P",
    "EG EF P",
    "AX (P || EX Q)",
    "E (G F P && G F Q)",
    "A (G F P -> G F Q)",
    "AG (P -> A (Q R P))",
];

struct Writer {
    random: Random,
    subject: Subject,
}

impl Writer {
    fn program(&mut self) -> Node {
        let priorities = self.subject == Subject::Priorities;
        // Rendezvous and priorities cannot be combined.
        let buffer = u8::from(priorities);
        let declarations = format!(
            "byte x, y; bool b; bit a[3];\nchan r = [{buffer}] of {{ byte }};\nchan q = [1] of {{ byte }};\n"
        );
        let count = self.random.between(1, 3);
        let processes = (0..count)
            .map(|number| {
                let clause = if priorities {
                    format!(" priority {}", self.random.between(1, 3))
                } else {
                    String::new()
                };
                let body = self.sequence(2, false, 3);
                let repeats = self.random.percent(60);
                let (before, after) = if repeats { ("do\n:: ", "\nod") } else { ("", "") };
                let head = format!("active proctype P{number}(){clause} {{\nbyte l;\n{before}");
                Node::new(Sort::Part, vec![text(head), body, text(format!("{after}\n}}"))])
            })
            .collect();
        Node::new(Sort::Part, vec![text(declarations), list(processes, "\n", 1), text("\n")])
    }

    /// Independent counters, and variables that rarely change.
    fn large(&mut self) -> Node {
        let (first, second, third) =
            (self.random.between(20, 30), self.random.between(15, 25), self.random.between(10, 15));
        let most = [first, second, third];
        let change = *self.random.pick(&["b = !b", "x = (x + 1) % 3", "y = 1 - y % 2"]);
        let effects = [change, "skip", "x = 1"];
        let processes = most.iter().zip(effects).enumerate().map(|(number, (most, effect))| {
            let end = *self.random.pick(&["l = 0", "l = 0", "l = 1", "break"]);
            Node::part(format!(
                "active proctype P{number}() {{ byte l; do :: l < {most} -> l++ :: l >= {most} -> {effect}; {end} od }}"
            ))
        });
        let processes = processes.collect();
        let declarations = "byte x, y; bool b; bit a[3]; chan q = [1] of { byte };\n";
        Node::new(Sort::Part, vec![text(declarations), list(processes, "\n", 1), text("\n")])
    }

    fn sequence(&mut self, depth: usize, atomic: bool, most: usize) -> Piece {
        let count = self.random.between(1, most);
        list((0..count).map(|_| self.statement(depth, atomic)).collect(), ";\n", 1)
    }

    fn statement(&mut self, depth: usize, atomic: bool) -> Node {
        if self.random.percent(18) {
            match self.subject {
                Subject::Errors => return Node::statement(*self.random.pick(&FAILING)),
                Subject::Priorities => return Node::statement(*self.random.pick(&PRIORITIES)),
                Subject::EndlessAtomic if depth > 0 => return self.endless(atomic),
                _ => {}
            }
        }
        match self.random.below(if depth == 0 { 70 } else { 100 }) {
            0..36 => Node::statement(*self.random.pick(&EFFECTS)),
            36..54 => Node::statement(*self.random.pick(&CONDITIONS)),
            54..58 => Node::statement("skip"),
            58..70 => Node::statement(*self.random.pick(&MESSAGES)),
            70..80 if !atomic => {
                let body = self.sequence(depth - 1, true, 3);
                Node::new(Sort::Statement, vec![text("atomic {\n"), body, text("\n}")])
            }
            80..84 if !atomic => {
                let body = self.sequence(depth - 1, false, 2);
                let condition = self.random.pick(&CONDITIONS);
                let end = format!("\n}} unless {{ {condition}; x = 0 }}");
                Node::new(Sort::Statement, vec![text("{\n"), body, text(end)])
            }
            _ => self.selection(depth, atomic),
        }
    }

    /// An atomic sequence with a loop; some can be left, some block.
    fn endless(&mut self, atomic: bool) -> Node {
        let mut options: Vec<Node> =
            (0..self.random.between(1, 2)).map(|_| self.option(0, true)).collect();
        match self.random.below(4) {
            0 => options.push(leaf_option("break")),
            1 => {
                let condition = *self.random.pick(&CONDITIONS);
                options.push(leaf_option(&format!("{condition} -> break")));
            }
            2 => options.push(leaf_option("else -> skip")),
            _ => {}
        }
        let messages = options.iter().any(|option| option.to_string().contains(['!', '?']));
        if messages {
            options.retain(|option| !option.to_string().contains("else"));
        }
        let before = if atomic { "do\n" } else { "atomic {\ndo\n" };
        let after = if atomic { "\nod" } else { "\nod\n}" };
        Node::new(Sort::Statement, vec![text(before), list(options, "\n", 1), text(after)])
    }

    fn option(&mut self, depth: usize, atomic: bool) -> Node {
        let body = self.sequence(depth, atomic, 2);
        Node::new(Sort::Option, vec![text(":: "), body])
    }

    fn selection(&mut self, depth: usize, atomic: bool) -> Node {
        let count = self.random.between(1, 3);
        let mut options: Vec<Node> = (0..count).map(|_| self.option(depth - 1, atomic)).collect();
        let silent = !options.iter().any(|option| option.to_string().contains(['!', '?']));
        let (before, after) = match (atomic, self.random.below(3)) {
            (false, 0) => {
                options.push(leaf_option("(b) -> break"));
                ("do\n", "\nod")
            }
            (_, 1) if silent => {
                options.push(leaf_option("else -> skip"));
                ("if\n", "\nfi")
            }
            _ => ("if\n", "\nfi"),
        };
        Node::new(Sort::Statement, vec![text(before), list(options, "\n", 1), text(after)])
    }

    fn linear(&mut self) -> String {
        let subject = self.subject;
        let atom = |random: &mut Random| {
            if subject == Subject::Moves && random.percent(50) {
                return format!("(_moves({}))", random.below(2));
            }
            if subject == Subject::Large && random.percent(40) {
                return "(x == 2 && b)".to_owned();
            }
            self::atom(random).to_owned()
        };
        formula(&mut self.random, 3, subject != Subject::Large, &atom)
    }

    fn branching(&mut self) -> String {
        let (first, second) = (atom(&mut self.random), atom(&mut self.random));
        self.random.pick(&BRANCHING).replace('P', first).replace('Q', second)
    }
}

fn atom(random: &mut Random) -> &'static str {
    // The array is declared only in these programs.
    if random.percent(12) { "(a[0] == 1)" } else { random.pick::<&str>(&ATOMS) }
}

fn leaf_option(statement: &str) -> Node {
    Node::new(Sort::Option, vec![text(format!(":: {statement}"))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_is_written() {
        let mut met: Vec<Subject> =
            (0..300).map(|seed| Sample::new(seed, &Subject::ALL).subject).collect();
        met.sort_unstable();
        met.dedup();
        assert_eq!(met, Subject::ALL);
    }

    #[test]
    fn a_seed_means_one_sample() {
        for seed in 0..50 {
            let one = Sample::new(seed, &Subject::ALL);
            let two = Sample::new(seed, &Subject::ALL);
            assert_eq!((one.program, one.ltl, one.ctl), (two.program, two.ltl, two.ctl));
        }
    }
}
