//! Random claims.

use super::{PROPERTIES, Writer};
use crate::fuzz::words::CONDITIONS;

impl Writer {
    /// Claims with conditions and assertions.
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
            true => {
                format!("{{ {first} }} unless {{ {} }}; {label}{second}", self.claim_condition())
            }
            false => format!("{first}; {label}{second}"),
        }
    }

    fn claim_condition(&mut self) -> String {
        match self.random.below(12) {
            0 => "(1)".to_owned(),
            1 => {
                format!("({} && {})", self.random.pick(&CONDITIONS), self.random.pick(&CONDITIONS))
            }
            2 => "(len(q) == 1)".to_owned(),
            3 => "q?[1]".to_owned(),
            4 | 5 if !self.remote.is_empty() => self.random.pick(&self.remote).clone(),
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
