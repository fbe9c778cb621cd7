//! Random processes.

use super::Writer;
use crate::fuzz::words::CONDITIONS;

const EFFECTS: [&str; 11] = [
    "x = (x + 1) % 3",
    "y = (y + 1) % 3",
    "b = !b",
    "x = 0",
    "y = x",
    "b = (x == y)",
    "l = !l; b = l",
    "x = _pid % 3",
    "l = b",
    "w[b] = 1 - w[b]",
    "d_step { x = (x + 1) % 3; y = x; b = !b }",
];

const MESSAGES: [&str; 12] =
    ["r!1", "r?x", "r!x", "q!1", "q?y", "q!x", "q?1", "r?1", "q?<y>", "q!!x", "q??1", "q?eval(x)"];

/// Conditions that depend on the process or on other processes.
const WAITING: [&str; 4] = ["timeout", "(_pid == x)", "(l)", "(nempty(q))"];

impl Writer {
    /// Processes without properties.
    pub fn program(&mut self) -> String {
        // Priorities and `enabled` cannot be combined with rendezvous.
        let (priorities, asks) = (self.random.percent(8), self.random.percent(8));
        let buffer = u8::from(priorities || asks);
        // With priorities, SPIN omits bits of the state (`docs/spin-differences.md`), but no bytes.
        let kind = if priorities { "byte" } else { "bool" };
        let mut text = format!(
            "byte x, y, n, w[2]; bool b;\nchan r = [{buffer}] of {{ byte }};\nchan q = [1] of {{ byte }};\n"
        );
        let runs = self.random.percent(12);
        if runs {
            let body = self.sequence(1, false, 3);
            text += &format!("proctype D() {{ {kind} l; {body} }}\n");
        }
        let mut pid = 0;
        for number in 0..self.random.between(1, 3) {
            let instances = if self.random.percent(15) { 2 } else { 1 };
            let name = format!("P{number}");
            let label = *self.random.pick(&["", "", "", "accept_a: ", "progress_a: ", "end_a: "]);
            let body = self.sequence(2, false, 3);
            let place = format!("here{number}: skip");
            let more = self.sequence(1, false, 2);
            let body = match self.random.percent(60) {
                true => format!("do :: {label}{body} :: {place}; {more} od"),
                false => format!("{body}; {place}; {more}"),
            };
            let start = if runs && number == 0 { "run D(); " } else { "" };
            let mut clauses = String::new();
            if priorities {
                clauses += &format!(" priority {}", self.random.between(1, 3));
            }
            if self.random.percent(8) {
                clauses += &format!(" provided {}", self.random.pick(&CONDITIONS));
            }
            text += &format!(
                "active [{instances}] proctype {name}(){clauses} {{ {kind} l; {start}{body} }}\n"
            );
            self.remote.push(format!("({name}[{pid}]@here{number})"));
            if asks {
                self.remote.push(format!("(enabled({pid}))"));
            }
            // SPIN evaluates the number of a process differently if it may later belong to another
            // process type (`docs/spin-differences.md`).
            if !runs || number == 0 {
                self.remote.push(format!("({name}[{pid}]:l)"));
            }
            pid += instances;
        }
        if self.random.percent(35) {
            text += &self.counter();
        }
        text
    }

    /// A process that counts, so that there are many states and rare events.
    fn counter(&mut self) -> String {
        let condition = self.random.pick(&CONDITIONS);
        let end = *self.random.pick(&["n = 0", "break", "n = 0; b = !b"]);
        format!(
            "active proctype N() {{ do :: n < 5 && {condition} -> n++ :: n >= 5 -> {end} od }}\n"
        )
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
        match self.random.below(if depth == 0 { 75 } else { 100 }) {
            0..38 => (*self.random.pick(&EFFECTS)).to_owned(),
            38..54 => (*self.random.pick(&CONDITIONS)).to_owned(),
            54..59 => (*self.random.pick(&WAITING)).to_owned(),
            59..63 => "skip".to_owned(),
            63..75 => (*self.random.pick(&MESSAGES)).to_owned(),
            75..82 if !atomic => format!("atomic {{ {} }}", self.sequence(depth - 1, true, 3)),
            82..84 if !atomic => {
                let condition = self.random.pick(&CONDITIONS);
                format!(
                    "d_step {{ {condition} -> if :: (b) -> x = 1 :: else -> y = 0 fi; b = !b }}"
                )
            }
            84..87 if !atomic => {
                let inner = self.sequence(depth - 1, false, 2);
                format!("{{ {inner} }} unless {{ {}; x = 0 }}", self.random.pick(&CONDITIONS))
            }
            _ => self.selection(depth, atomic),
        }
    }

    fn selection(&mut self, depth: usize, atomic: bool) -> String {
        let count = self.random.between(1, 3);
        let options: Vec<String> =
            (0..count).map(|_| format!(":: {}", self.sequence(depth - 1, atomic, 2))).collect();
        let options = options.join(" ");
        // SPIN rejects `else` beside messages. A loop inside an atomic sequence might not
        // terminate.
        let silent = !options.contains(['!', '?']) && !options.contains("timeout");
        match (atomic, self.random.below(3)) {
            (false, 0) => format!("do {options} :: (b) -> break od"),
            (_, 1) if silent => format!("if {options} :: else fi"),
            _ => format!("if {options} fi"),
        }
    }
}
