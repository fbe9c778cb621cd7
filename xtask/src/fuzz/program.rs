//! Random complete programs: the order of their parts, proctypes, init, trace assertions.

use super::generator::{Generator, Labels, Surroundings};
use super::scope::{Channel, Field, Parameter, Place, Proctype, Type};
use super::tree::{Node, Piece, Sort, list, text};

/// The program generated from a seed.
pub fn program(seed: u64) -> Node {
    let mut generator = Generator::new(seed);
    generator.program()
}

impl Generator {
    fn program(&mut self) -> Node {
        let mut parts = Vec::new();
        self.macros(&mut parts);
        self.symbols(&mut parts);
        self.globals(&mut parts);
        self.structures(&mut parts);
        self.channels_of_the_program(&mut parts);
        self.inlines(&mut parts);
        self.scope.locals_from = self.scope.places.len();
        self.proctypes(&mut parts);
        self.event_trace(&mut parts);
        Node::new(Sort::Part, vec![list(parts, "\n", 1), text("\n")])
    }

    fn proctypes(&mut self, parts: &mut Vec<Node>) {
        let count = if self.random.percent(20) { 1 } else { self.random.between(2, 3) };
        let creation = self.scope.features.creation;
        let with_init = creation && self.random.percent(60);
        // The first process exists from the start if others refer to it.
        let mut started = usize::from(with_init);
        let mut bodies = Vec::new();
        let mut signatures = Vec::new();
        for index in 0..count {
            let name = format!("P{index}");
            let is_target = index == 0 && self.scope.features.remote;
            let room = 3usize.saturating_sub(started);
            let active = if is_target && room > 0 {
                1
            } else if (with_init && self.random.percent(60)) || room == 0 {
                0
            } else {
                self.random.between(1, room.min(2))
            };
            started += active;
            let parameters = if active > 0 { Vec::new() } else { self.parameters() };
            signatures.push(Proctype { name, parameters });
            bodies.push(active);
        }
        // Active proctypes can also be started with `run`, and a proctype may run itself.
        self.scope.proctypes = signatures.clone();
        for (index, (signature, active)) in signatures.iter().zip(bodies).enumerate() {
            self.remote_allowed = index > 0 && !with_init;
            parts.push(self.proctype(signature, active, index == 0 && !with_init));
        }
        if with_init {
            self.remote_allowed = false;
            parts.push(self.init(&signatures));
        }
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        for _ in 0..self.random.below(3) {
            if self.scope.features.passing
                && !self.scope.channels.is_empty()
                && self.random.percent(40)
            {
                parameters.push(Parameter::Channel);
            } else {
                let kind = match self.scalar_type() {
                    Type::Unsigned(_) => Type::Byte,
                    kind => kind,
                };
                parameters.push(Parameter::Scalar(kind));
            }
        }
        parameters
    }

    fn proctype(&mut self, signature: &Proctype, active: usize, is_target: bool) -> Node {
        let before = self.scope.clone();
        let mut parameters = Vec::new();
        for (index, parameter) in signature.parameters.iter().enumerate() {
            let name = format!("p{index}");
            match *parameter {
                Parameter::Scalar(kind) => {
                    let (word, _) = self.declarator(kind);
                    parameters.push(format!("{word} {name}"));
                    let number = self.fresh();
                    self.scope.places.push(Place::scalar(&name, kind, number));
                }
                Parameter::Channel => {
                    parameters.push(format!("chan {name}"));
                    let capacity =
                        self.scope.channels.first().map_or(0, |channel| channel.capacity);
                    self.scope.channels.push(Channel {
                        name,
                        length: None,
                        capacity,
                        fields: vec![Field::Scalar(Type::Byte)],
                        global: false,
                    });
                }
            }
        }
        let word = match active {
            0 => String::new(),
            1 => "active ".to_owned(),
            count => format!("active [{count}] "),
        };
        let priority = if self.scope.features.priority && active > 0 && self.random.percent(60) {
            format!(" priority {}", self.random.between(1, 4))
        } else {
            String::new()
        };
        let provided = self.provided();
        let head =
            format!("{word}proctype {}({}){priority}", signature.name, parameters.join("; "));
        let body = self.body(is_target.then_some(signature.name.as_str()), &before);
        let remote = std::mem::take(&mut self.scope.remote);
        self.scope = before;
        self.scope.remote = remote;
        let mut pieces = vec![text(head)];
        pieces.extend(provided);
        pieces.extend([text(" {\n"), body, text("\n}\n")]);
        Node::new(Sort::Part, pieces)
    }

    fn provided(&mut self) -> Option<Piece> {
        if !self.scope.features.provided || !self.random.percent(50) {
            return None;
        }
        let scalar = |place: &Place| {
            place.path.len() == 1
                && place.path[0].1.is_none()
                && place.path[0].0.starts_with('g')
                && !matches!(place.kind, Type::Mtype(_))
        };
        let places = self.scope.visible(scalar);
        places.first()?;
        let name = self.random.pick(&places).path[0].0.clone();
        let value = self.random.below(3);
        let operator = *self.random.pick(&["!=", "!=", "<=", "=="]);
        let clause = Node::part(format!(" provided ({name} {operator} {value})"));
        Some(list(vec![clause], " ", 0))
    }

    fn body(&mut self, target: Option<&str>, outer: &super::scope::Scope) -> Piece {
        let mut items = Vec::new();
        let first_local = self.scope.places.len();
        for index in 0..self.random.below(3) {
            items.push(self.declaration(&format!("l{index}"), false, true));
        }
        let features = self.scope.features;
        if (features.buffered || features.rendezvous) && self.random.percent(12) {
            let channel = Channel {
                name: "own".to_owned(),
                length: None,
                capacity: self.capacity(),
                fields: vec![Field::Scalar(Type::Byte)],
                global: false,
            };
            let declaration = self.channel_declaration(&channel);
            items.push(Node::part(declaration));
            self.scope.channels.push(channel);
        }
        if features.passing && !outer.channels.is_empty() {
            items.push(Node::part("chan other"));
            self.scope.channel_variables = vec!["other".to_owned()];
        }
        if features.structures && self.random.percent(30) {
            items.push(Node::part("Message mine"));
            self.scope.structures.push("mine".to_owned());
        }
        if features.priority {
            items.push(Self::filler());
        }
        let mut readable: Vec<_> = self.scope.places[first_local..]
            .iter()
            .filter(|place| place.path[0].1.is_none())
            .map(|place| place.path[0].0.clone())
            .collect();

        self.labels = Labels::default();
        self.free_names.clear();
        if features.jumps || target.is_some() {
            for prefix in ["L", "end", "progress", "accept"] {
                if self.random.percent(if prefix == "L" { 90 } else { 30 }) {
                    let label = format!("{prefix}{}", self.random.between(1, 9));
                    self.labels.unplaced.push(label);
                }
            }
            self.labels.all = self.labels.unplaced.clone();
        }
        self.budget = self.random.between(3, 12);
        items.extend(self.statements(Surroundings::default(), 7));
        for label in std::mem::take(&mut self.labels.unplaced) {
            if self.labels.used.contains(&label) {
                items.push(Node::statement(format!("{label}: skip")));
            } else {
                self.labels.all.retain(|other| *other != label);
            }
        }
        if let Some(name) = target {
            readable.truncate(2);
            self.scope.remote = readable.iter().map(|local| format!("{name}[0]:{local}")).collect();
            for label in &self.labels.all {
                self.scope.remote.push(format!("{name}[0]@{label}"));
            }
        }
        let separator = if self.random.percent(10) { "\n" } else { ";\n" };
        list(items, separator, 1)
    }

    /// With priorities, SPIN omits the last bytes of a process from the state vector, unless its
    /// last variable has a wide type.
    fn filler() -> Node {
        Node::statement("int filler")
    }

    /// Starts one or two processes, atomically or one by one, and possibly executes statements.
    fn init(&mut self, signatures: &[Proctype]) -> Node {
        let before = self.scope.clone();
        self.labels = Labels::default();
        self.free_names.clear();
        let mut items = Vec::new();
        for _ in 0..self.random.between(1, 2) {
            self.scope.proctypes = vec![self.random.pick(signatures).clone()];
            let call = self.run_expression();
            items.push(Node::new(Sort::Statement, vec![Piece::Node(call)]));
        }
        self.scope = before;
        let mut items = if self.random.percent(50) {
            vec![Node::new(
                Sort::Statement,
                vec![text("atomic { "), list(items, "; ", 1), text(" }")],
            )]
        } else {
            items
        };
        if self.random.percent(40) {
            self.budget = 3;
            items.extend(self.statements(Surroundings::default(), 2));
        }
        if self.scope.features.priority {
            items.insert(0, Self::filler());
        }
        Node::new(Sort::Part, vec![text("init {\n"), list(items, ";\n", 1), text("\n}\n")])
    }

    fn event_trace(&mut self, parts: &mut Vec<Node>) {
        let simple = |channel: &&Channel| {
            // SPIN also reports an event for a rendezvous that is only attempted.
            channel.capacity > 0
                && channel.length.is_none()
                && channel.fields.iter().all(
                    |field| matches!(field, Field::Scalar(kind) if !matches!(kind, Type::Mtype(_))),
                )
        };
        let channels: Vec<_> = self.scope.channels.iter().filter(simple).cloned().collect();
        if !self.scope.features.trace || channels.is_empty() {
            return;
        }
        let channel = self.random.pick(&channels).clone();
        let name = &channel.name;
        let any = vec!["_"; channel.fields.len()].join(", ");
        let mut one = vec!["_"; channel.fields.len()];
        one[0] = "1";
        let one = one.join(", ");
        let body = match self.random.below(6) {
            0 => format!("do\n:: {name}!{any}\n:: {name}?{any}\nod"),
            1 => format!("do\n:: {name}!{any}; {name}?{any}\nod"),
            2 => format!("{name}!{any}; {name}?{any}"),
            3 => format!("end: do\n:: {name}!{one}\nod"),
            4 => format!("{name}!{any};\nif\n:: {name}!{one}\n:: {name}?{any}; {name}!{any}\nfi"),
            _ => format!("do\n:: {name}?{any}\n:: {name}!{one} -> break\nod; {name}!{any}"),
        };
        let word = *self.random.pick(&["trace", "trace", "notrace"]);
        parts.push(Node::part(format!("{word} {{\n{body}\n}}")));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::print;
    use super::*;

    #[test]
    fn deterministic() {
        assert_eq!(print(&program(11)), print(&program(11)));
        assert_ne!(print(&program(11)), print(&program(12)));
    }

    #[test]
    fn braces_match() {
        for seed in 0..200 {
            let shown = print(&program(seed));
            assert_eq!(shown.matches('{').count(), shown.matches('}').count(), "seed {seed}");
        }
    }
}
