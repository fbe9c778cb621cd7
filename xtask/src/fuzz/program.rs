//! Random whole programs: macros, types, variables, channels, inlines, proctypes.

use super::generator::{Generator, Labels, Surroundings};
use super::scope::{Channel, Field, Parameter, Place, Proctype, Type};
use super::tree::{Node, Piece, Sort, list, text};

/// The program of a seed.
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

    fn macros(&mut self, parts: &mut Vec<Node>) {
        if !self.scope.features.macros {
            return;
        }
        let size = self.random.between(1, 3);
        parts.push(Node::part(format!("#define SIZE {size}")));
        parts.push(Node::part("#define TWICE(a) ((a) * 2)"));
        parts.push(Node::part("#define LARGER(a, b) ((a) > (b) -> (a) : (b))"));
        self.scope.constants.push("SIZE".to_owned());
        parts.push(match self.random.below(4) {
            0 => Node::part("#ifdef SIZE\n#define MORE SIZE+1\n#else\n#define MORE 7\n#endif"),
            1 => Node::part("#if SIZE > 1\n#define MORE 1 /* one\n line */\n#else\n#define MORE 2\n#endif"),
            2 => Node::part("#ifndef SIZE\n#define MORE none\n#elif defined(SIZE)\n#define MORE 3\n#endif"),
            _ => Node::part("#define MORE \\\n 2\n#undef NEVER_DEFINED"),
        });
        self.scope.constants.push("MORE".to_owned());
    }

    fn symbols(&mut self, parts: &mut Vec<Node>) {
        if self.random.percent(55) {
            return;
        }
        parts.push(Node::part("mtype = { red, green, blue }"));
        self.scope.mtypes.push(["red", "green", "blue"].map(str::to_owned).into());
        if self.random.percent(30) {
            parts.push(Node::part("mtype:set1 = { up, down }"));
            self.scope.mtypes.push(["up", "down"].map(str::to_owned).into());
        }
        if self.random.percent(20) {
            parts.push(Node::part("mtype = { grey }"));
            self.scope.mtypes[0].push("grey".to_owned());
        }
    }

    /// One declaration; the new place is visible afterwards.
    fn declaration(&mut self, name: &str, qualifiers: bool, local: bool) -> Node {
        let mut kind = self.scalar_type();
        let array = self.random.percent(22) && !matches!(kind, Type::Unsigned(_));
        if array && matches!(kind, Type::Mtype(_)) {
            kind = Type::Byte;
        }
        let number = self.fresh();
        let (before, after) = self.declarator(kind);
        let qualifier =
            if qualifiers && self.random.percent(8) { *self.random.pick(&["show ", "local "]) } else { "" };
        let mut pieces = vec![text(format!("{qualifier}{before} {name}{after}"))];
        let length = array.then(|| self.random.between(2, 3));
        if let Some(length) = length {
            pieces.push(text(format!("[{length}]")));
            if self.random.percent(20) {
                let values: Vec<_> = (0..length).map(|_| self.random.below(2).to_string()).collect();
                pieces.push(text(format!(" = {{ {} }}", values.join(", "))));
            } else if self.random.percent(25) {
                pieces.push(text(format!(" = {}", self.random.below(2))));
            }
        } else if matches!(kind, Type::Mtype(_)) {
            // Zero is no symbol: it can be compared with, but not be printed.
            if self.random.percent(80) {
                let value = self.value_for(kind, true);
                pieces.push(text(" = "));
                pieces.push(Piece::Node(value));
            }
        } else if self.random.percent(45) {
            pieces.push(text(" = "));
            if local && self.random.percent(40) {
                let value = self.value_for(kind, false);
                pieces.push(Piece::Node(value));
            } else {
                pieces.push(Piece::Node(Node::expression(self.random.below(2).to_string())));
            }
        }
        self.scope.places.push(Place { path: vec![(name.to_owned(), length)], kind, declaration: number });
        Node::new(Sort::Part, pieces)
    }

    fn globals(&mut self, parts: &mut Vec<Node>) {
        for index in 0..self.random.between(1, 4) {
            let declaration = self.declaration(&format!("g{index}"), true, false);
            parts.push(Node::new(Sort::Part, vec![Piece::Node(declaration), text(";")]));
        }
    }

    fn structures(&mut self, parts: &mut Vec<Node>) {
        if !self.scope.features.structures {
            return;
        }
        parts.push(Node::part("typedef Inner { byte a; bool b; short c[2] };"));
        parts.push(Node::part("typedef Outer { Inner one; Inner many[2]; unsigned u : 3 };"));
        parts.push(Node::part("typedef Message { byte kind; bool flag };"));
        parts.push(Node::part("Outer o;"));
        parts.push(Node::part("Message m;"));
        self.scope.structures.push("m".to_owned());
        let number = self.fresh();
        let mut add = |path: &[(&str, Option<usize>)], kind| {
            let path = path.iter().map(|(name, length)| ((*name).to_owned(), *length)).collect();
            self.scope.places.push(Place { path, kind, declaration: number });
        };
        for holder in [("one", None), ("many", Some(2))] {
            add(&[("o", None), holder, ("a", None)], Type::Byte);
            add(&[("o", None), holder, ("b", None)], Type::Bool);
            add(&[("o", None), holder, ("c", Some(2))], Type::Short);
        }
        add(&[("o", None), ("u", None)], Type::Unsigned(3));
        add(&[("m", None), ("kind", None)], Type::Byte);
        add(&[("m", None), ("flag", None)], Type::Bool);
    }

    /// The fields of a new channel.
    fn fields(&mut self) -> Vec<Field> {
        let features = self.scope.features;
        if features.passing && self.random.percent(35) {
            return vec![Field::Channel];
        }
        if features.structures && self.random.percent(25) {
            return vec![Field::Structure];
        }
        let count = self.random.between(1, 3);
        let mut fields = Vec::new();
        for _ in 0..count {
            let kind = match self.scalar_type() {
                Type::Unsigned(_) => Type::Byte,
                kind => kind,
            };
            fields.push(Field::Scalar(kind));
        }
        fields
    }

    fn channel_declaration(&mut self, channel: &Channel) -> String {
        let fields: Vec<_> = channel
            .fields
            .iter()
            .map(|field| match *field {
                Field::Scalar(kind) => self.declarator(kind).0,
                Field::Structure => "Message".to_owned(),
                Field::Channel => "chan".to_owned(),
            })
            .collect();
        let length = channel.length.map_or(String::new(), |length| format!("[{length}]"));
        let Channel { name, capacity, .. } = channel;
        format!("chan {name}{length} = [{capacity}] of {{ {} }}", fields.join(", "))
    }

    fn capacity(&mut self) -> usize {
        let features = self.scope.features;
        match (features.rendezvous, features.buffered) {
            (true, true) if self.random.percent(50) => 0,
            (true, false) => 0,
            _ => self.random.between(1, 2),
        }
    }

    fn channels_of_the_program(&mut self, parts: &mut Vec<Node>) {
        let features = self.scope.features;
        if !features.rendezvous && !features.buffered {
            return;
        }
        let byte = vec![Field::Scalar(Type::Byte)];
        let link = Channel {
            name: "link".to_owned(),
            length: None,
            capacity: self.capacity(),
            fields: byte,
            global: true,
        };
        self.scope.channels.push(link);
        for index in 0..self.random.below(3) {
            let channel = Channel {
                name: format!("q{index}"),
                length: self.random.percent(25).then_some(2),
                capacity: self.capacity(),
                fields: self.fields(),
                global: true,
            };
            self.scope.channels.push(channel);
        }
        for channel in self.scope.channels.clone() {
            parts.push(Node::part(format!("{};", self.channel_declaration(&channel))));
        }
    }

    fn inlines(&mut self, parts: &mut Vec<Node>) {
        if !self.scope.features.inlines {
            return;
        }
        parts.push(Node::part("inline advance(target, amount) {\ntarget = (target + amount) % 3\n}"));
        parts.push(Node::part(
            "inline settle(target) {\nbyte before = target;\nif\n:: before > 1 -> target = 0\n:: else -> advance(target, 1)\nfi\n}",
        ));
        self.scope.inlines.push(("advance".to_owned(), 2));
        self.scope.inlines.push(("settle".to_owned(), 1));
    }

    fn proctypes(&mut self, parts: &mut Vec<Node>) {
        let count = if self.random.percent(20) { 1 } else { self.random.between(2, 3) };
        let creation = self.scope.features.creation;
        let with_init = creation && self.random.percent(60);
        // The first is always there at the start when it is to be looked at by the others.
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
        // Processes started at the beginning can be run, too, and a proctype may run itself.
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
            if self.scope.features.passing && !self.scope.channels.is_empty() && self.random.percent(40) {
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
                    let capacity = self.scope.channels.first().map_or(0, |channel| channel.capacity);
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
        let head = format!("{word}proctype {}({}){priority}", signature.name, parameters.join("; "));
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

    /// With priorities SPIN leaves the last bytes of a process out of the state, unless its last
    /// variable is of a wide type.
    fn filler() -> Node {
        Node::statement("int filler")
    }

    /// Runs one or two processes, at once or one by one, then perhaps does something itself.
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
            vec![Node::new(Sort::Statement, vec![text("atomic { "), list(items, "; ", 1), text(" }")])]
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
            // SPIN reports an event for a rendezvous that is only attempted.
            channel.capacity > 0
                && channel.length.is_none()
                && channel
                    .fields
                    .iter()
                    .all(|field| matches!(field, Field::Scalar(kind) if !matches!(kind, Type::Mtype(_))))
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
