//! Random declarations: macros, symbolic names, variables, structures, channels, inlines.

use super::generator::Generator;
use super::scope::{Channel, Field, Place, Type};
use super::tree::{Node, Piece, Sort, text};

impl Generator {
    pub fn macros(&mut self, parts: &mut Vec<Node>) {
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
            1 => Node::part(
                "#if SIZE > 1\n#define MORE 1 /* one\n line */\n#else\n#define MORE 2\n#endif",
            ),
            2 => Node::part(
                "#ifndef SIZE\n#define MORE none\n#elif defined(SIZE)\n#define MORE 3\n#endif",
            ),
            _ => Node::part("#define MORE \\\n 2\n#undef NEVER_DEFINED"),
        });
        self.scope.constants.push("MORE".to_owned());
    }

    pub fn symbols(&mut self, parts: &mut Vec<Node>) {
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

    /// One declaration; the new variable is visible afterwards.
    pub fn declaration(&mut self, name: &str, qualifiers: bool, local: bool) -> Node {
        let mut kind = self.scalar_type();
        let array = self.random.percent(22) && !matches!(kind, Type::Unsigned(_));
        if array && matches!(kind, Type::Mtype(_)) {
            kind = Type::Byte;
        }
        let number = self.fresh();
        let (before, after) = self.declarator(kind);
        let qualifier = if qualifiers && self.random.percent(8) {
            *self.random.pick(&["show ", "local "])
        } else {
            ""
        };
        let mut pieces = vec![text(format!("{qualifier}{before} {name}{after}"))];
        let length = array.then(|| self.random.between(2, 3));
        if let Some(length) = length {
            pieces.push(text(format!("[{length}]")));
            if self.random.percent(20) {
                let values: Vec<_> =
                    (0..length).map(|_| self.random.below(2).to_string()).collect();
                pieces.push(text(format!(" = {{ {} }}", values.join(", "))));
            } else if self.random.percent(25) {
                pieces.push(text(format!(" = {}", self.random.below(2))));
            }
        } else if matches!(kind, Type::Mtype(_)) {
            // Zero is not a symbol: it can be compared, but not printed.
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
        self.scope.places.push(Place {
            path: vec![(name.to_owned(), length)],
            kind,
            declaration: number,
        });
        Node::new(Sort::Part, pieces)
    }

    pub fn globals(&mut self, parts: &mut Vec<Node>) {
        // Reading a hidden variable would carry values from one branch of the search to another:
        // it is only written.
        if self.random.percent(6) {
            parts.push(Node::part("hidden byte scratch;"));
            self.scope.has_scratch = true;
        }
        for index in 0..self.random.between(1, 4) {
            let declaration = self.declaration(&format!("g{index}"), true, false);
            parts.push(Node::new(Sort::Part, vec![Piece::Node(declaration), text(";")]));
        }
    }

    pub fn structures(&mut self, parts: &mut Vec<Node>) {
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
    pub fn fields(&mut self) -> Vec<Field> {
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

    pub fn channel_declaration(&mut self, channel: &Channel) -> String {
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

    pub fn capacity(&mut self) -> usize {
        let features = self.scope.features;
        match (features.rendezvous, features.buffered) {
            (true, true) if self.random.percent(50) => 0,
            (true, false) => 0,
            _ => self.random.between(1, 2),
        }
    }

    pub fn channels_of_the_program(&mut self, parts: &mut Vec<Node>) {
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

    pub fn inlines(&mut self, parts: &mut Vec<Node>) {
        if !self.scope.features.inlines {
            return;
        }
        parts.push(Node::part(
            "inline advance(target, amount) {\ntarget = (target + amount) % 3\n}",
        ));
        parts.push(Node::part(
            "inline settle(target) {\nbyte before = target;\nif\n:: before > 1 -> target = 0\n:: else -> advance(target, 1)\nfi\n}",
        ));
        self.scope.inlines.push(("advance".to_owned(), 2));
        self.scope.inlines.push(("settle".to_owned(), 1));
    }
}
