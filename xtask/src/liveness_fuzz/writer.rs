//! Random programs with formulas and claims.

use crate::fuzz::random::Random;

/// Properties for each program: SPIN's compilation is what takes time.
pub const PROPERTIES: usize = 6;

pub struct Writer {
    random: Random,
    labels: usize,
}

const CONDITIONS: [&str; 6] = ["(x == 1)", "(y > 0)", "(b)", "(!b)", "(x != y)", "(y == 0)"];

impl Writer {
    pub fn new(seed: u64) -> Writer {
        Writer { random: Random::new(seed), labels: 0 }
    }

    /// Processes without properties.
    pub fn program(&mut self) -> String {
        let mut text =
            "byte x, y; bool b;\nchan r = [0] of { byte };\nchan q = [1] of { byte };\n".to_owned();
        for number in 0..self.random.between(1, 3) {
            let body = self.sequence(2, false, 3);
            let label = *self.random.pick(&["", "", "", "accept_a: ", "progress_a: ", "end_a: "]);
            let body = match self.random.percent(60) {
                true => format!("do :: {label}{body} :: {} od", self.sequence(1, false, 2)),
                false => body,
            };
            text += &format!("active proctype P{number}() {{ bool l; {body} }}\n");
        }
        text
    }

    pub fn formulas(&mut self) -> String {
        (0..PROPERTIES).map(|number| format!("ltl p{number} {{ {} }}\n", self.formula(3))).collect()
    }

    fn sequence(&mut self, depth: usize, atomic: bool, most: usize) -> String {
        let count = self.random.between(1, most);
        let mut list: Vec<String> = (0..count).map(|_| self.statement(depth, atomic)).collect();
        if atomic && self.random.percent(15) {
            let place = self.random.below(list.len());
            list[place] = format!("{}{}", self.label(&["accept", "progress"]), list[place]);
        }
        list.join("; ")
    }

    fn statement(&mut self, depth: usize, atomic: bool) -> String {
        let choice = self.random.below(if depth == 0 { 75 } else { 100 });
        let effects = [
            "x = (x + 1) % 3",
            "y = (y + 1) % 3",
            "b = !b",
            "x = 0",
            "y = x",
            "b = (x == y)",
            "l = !l; b = l",
        ];
        let messages = ["r!1", "r?x", "r!x", "q!1", "q?y", "q!x", "q?1"];
        match choice {
            0..40 => (*self.random.pick(&effects)).to_owned(),
            40..58 => (*self.random.pick(&CONDITIONS)).to_owned(),
            58..63 => "skip".to_owned(),
            63..75 => (*self.random.pick(&messages)).to_owned(),
            75..82 if !atomic => format!("atomic {{ {} }}", self.sequence(depth - 1, true, 3)),
            82..85 if !atomic => "d_step { x = (x + 1) % 3; y = x; b = !b }".to_owned(),
            _ => {
                let count = self.random.between(1, 3);
                let options: Vec<String> =
                    (0..count).map(|_| format!(":: {}", self.sequence(depth - 1, atomic, 2))).collect();
                let options = options.join(" ");
                // A loop inside an atomic sequence might never end.
                match (atomic, self.random.below(3)) {
                    (false, 0) => format!("do {options} :: (b) -> break od"),
                    (_, 1) if !options.contains('!') && !options.contains('?') => {
                        format!("if {options} :: else fi")
                    }
                    _ => format!("if {options} fi"),
                }
            }
        }
    }

    fn formula(&mut self, depth: usize) -> String {
        let atoms = ["(x == 1)", "(b)", "(y == 0)", "(x == y)", "(x > 0 && b)", "(len(q) == 1)"];
        if depth == 0 || self.random.percent(15) {
            return (*self.random.pick(&atoms)).to_owned();
        }
        let left = self.formula(depth - 1);
        match self.random.below(10) {
            0 => format!("(!{left})"),
            1 | 2 => format!("([] {left})"),
            3 | 4 => format!("(<> {left})"),
            5 => format!("(X {left})"),
            number => {
                let operator = ["&&", "||", "->", "U", "V"][number % 5];
                format!("({left} {operator} {})", self.formula(depth - 1))
            }
        }
    }

    /// Claims that look at the program and assert.
    pub fn claims(&mut self) -> String {
        (0..PROPERTIES).map(|number| format!("never p{number} {{ {} }}\n", self.claim())).collect()
    }

    fn claim(&mut self) -> String {
        let first = self.claim_loop(2);
        let second = match self.random.below(4) {
            0 => self.claim_loop(1),
            1 => self.claim_sequence(1),
            2 => "do :: (1) od".to_owned(),
            _ => "skip".to_owned(),
        };
        let label = self.label(&["", "accept", "accept", "T"]);
        match self.random.percent(10) {
            true => format!("{{ {first} }} unless {{ {} }}; {label}{second}", self.claim_condition()),
            false => format!("{first}; {label}{second}"),
        }
    }

    /// A label of its own beginning with one of these words, if any.
    fn label(&mut self, words: &[&str]) -> String {
        self.labels += 1;
        match *self.random.pick(words) {
            "" => String::new(),
            word => format!("{word}_{}: ", self.labels),
        }
    }

    fn claim_condition(&mut self) -> String {
        match self.random.below(10) {
            0 => "(1)".to_owned(),
            1 => format!("({} && {})", self.random.pick(&CONDITIONS), self.random.pick(&CONDITIONS)),
            2 => "(len(q) == 1)".to_owned(),
            3 => "q?[1]".to_owned(),
            _ => (*self.random.pick(&CONDITIONS)).to_owned(),
        }
    }

    fn claim_loop(&mut self, depth: usize) -> String {
        let label = self.label(&["", "", "accept", "T", "T"]);
        let mut options: Vec<String> =
            (0..self.random.between(1, 3)).map(|_| self.claim_option(depth)).collect();
        options.push(match self.random.below(4) {
            0 => "(1)".to_owned(),
            1 => format!("else -> assert({})", self.claim_condition()),
            2 => "else".to_owned(),
            _ => format!("{} -> break", self.claim_condition()),
        });
        format!("{label}do :: {} od", options.join(" :: "))
    }

    fn claim_option(&mut self, depth: usize) -> String {
        let condition = self.claim_condition();
        match self.random.below(8) {
            0 => format!("{condition} -> break"),
            1 => format!("{condition} -> {}", self.claim_sequence(depth - 1)),
            2 => format!("atomic {{ {condition} -> assert(!{condition}) }}"),
            3 => format!("atomic {{ {condition} -> {} }}", self.claim_sequence(depth - 1)),
            4 => format!("d_step {{ {condition} -> assert({}) }}", self.claim_condition()),
            5 => format!("assert({condition})"),
            6 => format!(
                "d_step {{ {condition} -> if :: {} -> skip :: else -> assert({}) fi }}",
                self.claim_condition(),
                self.claim_condition()
            ),
            _ => condition,
        }
    }

    fn claim_sequence(&mut self, depth: usize) -> String {
        let mut list = Vec::new();
        for _ in 0..self.random.between(1, 2) {
            list.push(match self.random.below(if depth == 0 { 5 } else { 7 }) {
                0 => format!("assert({})", self.claim_condition()),
                1 => "printf(\"here\\n\")".to_owned(),
                2 => "skip".to_owned(),
                5 => format!("if :: {} :: else -> skip fi", self.claim_option(depth)),
                6 => format!("if :: {} :: {} fi", self.claim_condition(), self.claim_option(depth)),
                _ => self.claim_condition(),
            });
        }
        list.join("; ")
    }
}
