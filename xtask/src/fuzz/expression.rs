//! Random expressions without undefined behaviour in C: divisors are constants, shift counts are
//! small, indices are in range.

use super::generator::Generator;
use super::scope::{Place, Type};
use super::tree::{Node, Piece, Sort, text};

impl Generator {
    /// An integer expression with at most `depth` nested operators.
    pub fn expression(&mut self, depth: usize) -> Node {
        if depth == 0 || self.random.percent(25) {
            return self.operand();
        }
        let depth = depth - 1;
        match self.random.below(20) {
            0..=5 => self.binary(&["+", "-", "+", "-", "*", "&", "|", "^"], depth),
            6..=9 => self.binary(&["==", "!=", "<", "<=", ">", ">="], depth),
            10 | 11 => self.binary(&["&&", "||"], depth),
            12 => {
                let operator = *self.random.pick(&["/", "%", "%"]);
                let divisor = *self.random.pick(&["2", "3", "4", "-2", "7"]);
                let dividend = self.expression(depth);
                Self::joined(vec![
                    text("("),
                    Piece::Node(dividend),
                    text(format!(" {operator} {divisor})")),
                ])
            }
            13 => {
                let operator = *self.random.pick(&["<<", ">>"]);
                let count = self.random.below(4);
                let shifted = self.expression(depth);
                Self::joined(vec![
                    text("("),
                    Piece::Node(shifted),
                    text(format!(" {operator} {count})")),
                ])
            }
            14 | 15 => {
                let operator = *self.random.pick(&["!", "!", "-", "~"]);
                let negated = self.expression(depth);
                Self::joined(vec![text(format!("{operator}(")), Piece::Node(negated), text(")")])
            }
            16 | 17 => {
                let condition = self.expression(depth);
                let (yes, no) = (self.expression(depth), self.expression(depth));
                Self::joined(vec![
                    text("("),
                    Piece::Node(condition),
                    text(" -> "),
                    Piece::Node(yes),
                    text(" : "),
                    Piece::Node(no),
                    text(")"),
                ])
            }
            // Without parentheses, to test precedence and associativity.
            18 => {
                let operators = ["+", "-", "*", "&", "|", "^", "==", "<", "&&", "||", "-"];
                let mut pieces = vec![Piece::Node(self.operand())];
                for _ in 0..self.random.between(1, 3) {
                    pieces.push(text(format!(" {} ", self.random.pick(&operators))));
                    pieces.push(Piece::Node(self.operand()));
                }
                pieces.insert(0, text("("));
                pieces.push(text(")"));
                Self::joined(pieces)
            }
            _ if self.scope.features.macros => {
                let name = *self.random.pick(&["LARGER", "TWICE"]);
                let mut pieces =
                    vec![text(format!("{name}(")), Piece::Node(self.expression(depth))];
                if name == "LARGER" {
                    pieces.push(text(", "));
                    pieces.push(Piece::Node(self.operand()));
                }
                pieces.push(text(")"));
                Self::joined(pieces)
            }
            _ => self.operand(),
        }
    }

    fn joined(pieces: Vec<Piece>) -> Node {
        Node::new(Sort::Expression, pieces)
    }

    fn binary(&mut self, operators: &[&str], depth: usize) -> Node {
        let operator = *self.random.pick(operators);
        let (left, right) = (self.expression(depth), self.expression(depth));
        Self::joined(vec![
            text("("),
            Piece::Node(left),
            text(format!(" {operator} ")),
            Piece::Node(right),
            text(")"),
        ])
    }

    fn operand(&mut self) -> Node {
        let features = self.scope.features;
        let places = self.scope.visible(|_| true);
        let buffered = self.scope.channels.iter().any(|channel| channel.capacity > 0);
        let remote = self.remote_allowed && features.remote && !self.scope.remote.is_empty();
        let choices = [
            (30, 'c'),
            (if places.is_empty() { 0 } else { 60 }, 'v'),
            (4, 'p'),
            (2, 'n'),
            (if buffered { 7 } else { 0 }, 'q'),
            (if remote { 25 } else { 0 }, 'r'),
            (if features.enabled && self.remote_allowed { 12 } else { 0 }, 'e'),
            (if features.priority { 5 } else { 0 }, 'g'),
        ];
        match self.random.weighted(&choices) {
            Some('v') => {
                let place = self.random.pick(&places).clone();
                self.reference(&place)
            }
            Some('p') => Node::expression("_pid"),
            Some('n') => Node::expression("_nr_pr"),
            Some('q') => self.channel_query(),
            Some('r') => Node::expression(self.random.pick(&self.scope.remote).clone()),
            Some('e') => {
                Node::expression(*self.random.pick(&["enabled(0)", "enabled(0)", "pc_value(0)"]))
            }
            Some('g') => Node::expression(*self.random.pick(&[
                "_priority",
                "get_priority(_pid)",
                "get_priority(0)",
            ])),
            _ => self.constant(),
        }
    }

    fn constant(&mut self) -> Node {
        if !self.scope.constants.is_empty() && self.random.percent(30) {
            return Node::expression(self.random.pick(&self.scope.constants).clone());
        }
        let word = match self.random.below(14) {
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 => "-1".to_owned(),
            3 if self.scope.features.wide => {
                self.random.pick(&["255", "256", "-129", "32768", "70000"]).to_string()
            }
            _ => self.random.below(4).to_string(),
        };
        Node::expression(word)
    }

    /// A variable with its indices filled in, to be read or written.
    pub fn reference(&mut self, place: &Place) -> Node {
        let mut pieces = Vec::new();
        for (position, (name, length)) in place.path.iter().enumerate() {
            pieces.push(text(if position > 0 { format!(".{name}") } else { name.clone() }));
            if let Some(length) = length {
                pieces.push(text("["));
                pieces.push(Piece::Node(self.index(*length)));
                pieces.push(text("]"));
            }
        }
        Self::joined(pieces)
    }

    /// An index below `length`: a constant, or a small unsigned value reduced modulo `length`.
    pub fn index(&mut self, length: usize) -> Node {
        let unsigned = |place: &Place| {
            matches!(place.kind, Type::Byte | Type::Bool | Type::Bit | Type::Unsigned(_))
                && place.path.len() == 1
                && place.path[0].1.is_none()
        };
        let places = self.scope.visible(unsigned);
        if places.is_empty() || self.random.percent(50) {
            return Node::expression(self.random.below(length).to_string());
        }
        let name = self.random.pick(&places).path[0].0.clone();
        Node::expression(if length == 2 && self.random.percent(50) {
            format!("({name} & 1)")
        } else {
            format!("({name} % {length})")
        })
    }

    /// A value for a variable, mostly from a small set, to keep state spaces small.
    pub fn value_for(&mut self, kind: Type, must_fit: bool) -> Node {
        if let Type::Mtype(set) = kind {
            return self.symbol(set);
        }
        let inner = self.expression(2);
        if must_fit && matches!(kind, Type::Bit | Type::Bool) {
            return Self::joined(vec![text("!(!("), Piece::Node(inner), text("))")]);
        }
        let largest = match kind {
            Type::Bit | Type::Bool | Type::Unsigned(1) => 2,
            Type::Unsigned(2) => 4,
            _ => 5,
        };
        if must_fit {
            let mask = if largest == 2 { 1 } else { 3 };
            return Self::joined(vec![
                text("(("),
                Piece::Node(inner),
                text(format!(") & {mask})")),
            ]);
        }
        match self.random.below(10) {
            0..=3 => Node::expression(self.random.below(largest).to_string()),
            4..=6 => {
                let modulus = self.random.between(2, 4);
                Self::joined(vec![text("(("), Piece::Node(inner), text(format!(") % {modulus})"))])
            }
            7 => Self::joined(vec![text("(("), Piece::Node(inner), text(") & 3)")]),
            8 => inner,
            _ => Node::expression(self.random.below(2).to_string()),
        }
    }

    /// A symbolic constant, or a variable of the same set.
    fn symbol(&mut self, set: usize) -> Node {
        let same = self.scope.visible(|place| place.kind == Type::Mtype(set));
        if !same.is_empty() && self.random.percent(20) {
            let place = self.random.pick(&same).clone();
            return self.reference(&place);
        }
        Node::expression(self.random.pick(&self.scope.mtypes[set]).clone())
    }

    /// A condition for a statement, `assert` or `provided`: an expression, or probes of channels,
    /// which SPIN allows only under `&&` and `||`.
    pub fn condition(&mut self) -> Node {
        let features = self.scope.features;
        let symbolic = self.scope.visible(|place| matches!(place.kind, Type::Mtype(_)));
        match self.random.below(12) {
            0 | 1 => {
                if let Some(probe) = self.probe() {
                    if self.random.percent(60) {
                        return probe;
                    }
                    let operator = *self.random.pick(&["&&", "||"]);
                    let other = self.expression(1);
                    return Self::joined(vec![
                        text("("),
                        Piece::Node(probe),
                        text(format!(" {operator} (")),
                        Piece::Node(other),
                        text("))"),
                    ]);
                }
            }
            5 => {
                if let Some(test) = self.channel_test() {
                    return test;
                }
            }
            2 if features.timeout && self.random.percent(40) => {
                let other = self.expression(1);
                return Self::joined(vec![text("(timeout && ("), Piece::Node(other), text("))")]);
            }
            3 | 4 if !symbolic.is_empty() => {
                let place = self.random.pick(&symbolic).clone();
                let Type::Mtype(set) = place.kind else { return self.expression(2) };
                let (left, right) = (self.reference(&place), self.symbol(set));
                let operator = *self.random.pick(&["==", "!=", "<"]);
                return Self::joined(vec![
                    text("("),
                    Piece::Node(left),
                    text(format!(" {operator} ")),
                    Piece::Node(right),
                    text(")"),
                ]);
            }
            // Likely to be true: a program that blocks at its first guard tests little.
            6..=9 => {
                let small = self.scope.visible(|place| !matches!(place.kind, Type::Mtype(_)));
                if !small.is_empty() {
                    let place = self.random.pick(&small).clone();
                    let reference = self.reference(&place);
                    let test =
                        *self.random.pick(&["< 2", "< 3", "!= 1", "!= 2", "<= 1", "== 0", "> -1"]);
                    return Self::joined(vec![
                        text("("),
                        Piece::Node(reference),
                        text(format!(" {test})")),
                    ]);
                }
            }
            _ => {}
        }
        let inner = self.expression(2);
        Self::joined(vec![text("("), Piece::Node(inner), text(")")])
    }
}
