//! Random operations on channels.

use super::generator::{Generator, Surroundings};
use super::scope::{Channel, Field, Place, Type};
use super::tree::{Node, Piece, Sort, list, text};

impl Generator {
    fn channels(&self, wanted: impl Fn(&Channel) -> bool) -> Vec<Channel> {
        self.scope.channels.iter().filter(|channel| wanted(channel)).cloned().collect()
    }

    /// A reference to the channel, or to an element of the array.
    fn channel_reference(&mut self, channel: &Channel) -> Vec<Piece> {
        match channel.length {
            None => vec![text(channel.name.clone())],
            Some(length) => {
                vec![text(format!("{}[", channel.name)), Piece::Node(self.index(length)), text("]")]
            }
        }
    }

    /// Any send or receive as a statement. In a d_step, only the first statement may block.
    pub fn channel_statement(&mut self, around: Surroundings) -> Option<Node> {
        let channels = self.channels(|channel| channel.capacity > 0 || !around.in_d_step);
        if channels.is_empty() {
            return None;
        }
        let channel = self.random.pick(&channels).clone();
        Some(if self.random.percent(50) { self.send(&channel) } else { self.receive(&channel) })
    }

    pub fn send(&mut self, channel: &Channel) -> Node {
        let sorted = channel.capacity > 0 && self.random.percent(15);
        let mut values = Vec::new();
        for field in &channel.fields {
            values.push(match *field {
                Field::Scalar(kind) => {
                    // A sorted send compares the value before it is truncated to the field's width.
                    let must_fit = sorted || matches!(kind, Type::Bit | Type::Bool);
                    self.value_for(kind, must_fit)
                }
                Field::Structure => {
                    Node::expression(self.random.pick(&self.scope.structures).clone())
                }
                Field::Channel => self.byte_channel(),
            });
        }
        let mut pieces = self.channel_reference(channel);
        pieces.push(text(if sorted { "!!" } else { "!" }));
        pieces.extend(self.arguments(values));
        Node::new(Sort::Statement, pieces)
    }

    /// `a, b, c` or, in the alternative notation of SPIN's manual, `a(b, c)`.
    fn arguments(&mut self, mut values: Vec<Node>) -> Vec<Piece> {
        if values.len() > 1 && self.random.percent(20) {
            let rest = values.split_off(1);
            let mut pieces: Vec<_> = values.into_iter().map(Piece::Node).collect();
            pieces.push(text("("));
            pieces.push(list(rest.clone(), ", ", rest.len()));
            pieces.push(text(")"));
            return pieces;
        }
        let count = values.len();
        vec![list(values, ", ", count)]
    }

    /// A channel of single bytes, to send in a message or pass to a process.
    pub fn byte_channel(&mut self) -> Node {
        let channels = self.channels(|channel| {
            channel.global
                && channel.length.is_none()
                && channel.fields == [Field::Scalar(Type::Byte)]
        });
        // Programs with channel fields or parameters always have such a channel.
        let name = channels.first().map_or("link", |channel| channel.name.as_str()).to_owned();
        Node::expression(if channels.len() > 1 {
            self.random.pick(&channels).name.clone()
        } else {
            name
        })
    }

    pub fn receive(&mut self, channel: &Channel) -> Node {
        let operator = if channel.capacity == 0 {
            "?"
        } else {
            self.random.weighted(&[(60, "?"), (14, "??"), (10, "?<"), (8, "??<")]).unwrap_or("?")
        };
        let mut pieces = self.channel_reference(channel);
        let matches = self.patterns(channel, self.named_in(&pieces), false);
        pieces.push(text(operator));
        pieces.extend(self.arguments(matches));
        if operator.ends_with('<') {
            pieces.push(text(">"));
        }
        Node::new(Sort::Statement, pieces)
    }

    /// Variables in the index of a channel, which the same statement must not receive into.
    fn named_in(&self, pieces: &[Piece]) -> Vec<String> {
        let shown = Node::new(Sort::Part, pieces.to_vec()).to_string();
        let names = self.scope.visible(|_| true).into_iter().map(|place| place.path[0].0.clone());
        names.filter(|name| shown.contains(&format!("({name} "))).collect()
    }

    /// The pattern for each field of a receive. No variable is received into twice, and no index
    /// depends on a received variable, because the result would depend on SPIN's evaluation order.
    fn patterns(&mut self, channel: &Channel, mut taken: Vec<String>, polling: bool) -> Vec<Node> {
        let mut patterns = Vec::new();
        for field in &channel.fields {
            let pattern = match *field {
                Field::Scalar(kind) => self.scalar_pattern(kind, &mut taken, polling),
                Field::Structure => {
                    let free: Vec<_> = self
                        .scope
                        .structures
                        .iter()
                        .filter(|name| !taken.contains(name))
                        .cloned()
                        .collect();
                    match free.first() {
                        Some(_) => {
                            let name = self.random.pick(&free).clone();
                            taken.push(name.clone());
                            Node::expression(name)
                        }
                        None => Node::expression("_"),
                    }
                }
                Field::Channel => match self.scope.channel_variables.first() {
                    Some(name) if !polling && !taken.contains(name) => {
                        taken.push(name.clone());
                        Node::expression(name.clone())
                    }
                    _ => Node::expression("_"),
                },
            };
            patterns.push(pattern);
        }
        patterns
    }

    fn scalar_pattern(&mut self, kind: Type, taken: &mut Vec<String>, polling: bool) -> Node {
        // SPIN undoes a receive with the value that the variable holds, so a value truncated by the
        // receive would be put back changed: variables are as wide as the field, and not an index.
        let fits = |place: &Place| holds(place.kind, kind) && !place.is_array_element();
        let places: Vec<_> = self
            .scope
            .visible(fits)
            .into_iter()
            .filter(|place| !taken.contains(&place.path[0].0))
            .collect();
        match self.random.below(10) {
            0..=5 if !places.is_empty() && !polling => {
                let place = self.random.pick(&places).clone();
                taken.push(place.path[0].0.clone());
                self.reference(&place)
            }
            6 | 7 => match kind {
                Type::Mtype(set) => {
                    Node::expression(self.random.pick(&self.scope.mtypes[set]).clone())
                }
                _ => Node::expression(self.random.below(3).to_string()),
            },
            // Not a variable received into by the same statement: SPIN would undo the receive with
            // the new value.
            8 if !places.is_empty() && !matches!(kind, Type::Mtype(_)) => {
                let place = self.random.pick(&places).clone();
                taken.push(place.path[0].0.clone());
                let inner = self.reference(&place);
                let more = *self.random.pick(&["", "", " + 1", " * 2"]);
                Node::new(
                    Sort::Expression,
                    vec![text("eval("), Piece::Node(inner), text(format!("{more})"))],
                )
            }
            _ => Node::expression("_"),
        }
    }

    /// `len(q)`, or a test for a message used as a number.
    pub fn channel_query(&mut self) -> Node {
        if self.random.percent(50) {
            // SPIN does not parenthesise a test in the generated C, so `0 >= q?[1]` has another
            // meaning there: a condition is safe.
            return match self.channel_test() {
                Some(test) => Node::new(
                    Sort::Expression,
                    vec![text("("), Piece::Node(test), text(" -> 1 : 0)")],
                ),
                None => Node::expression("0"),
            };
        }
        let channels = self.channels(|channel| channel.capacity > 0);
        let Some(_) = channels.first() else { return Node::expression("0") };
        let channel = self.random.pick(&channels).clone();
        let mut pieces = vec![text("len(")];
        pieces.extend(self.channel_reference(&channel));
        pieces.push(text(")"));
        Node::new(Sort::Expression, pieces)
    }

    /// `q?[...]` and `q??[...]` on a buffered channel.
    pub fn channel_test(&mut self) -> Option<Node> {
        let channels = self.channels(|channel| channel.capacity > 0);
        channels.first()?;
        let channel = self.random.pick(&channels).clone();
        // In parentheses, because commas could end the argument of a macro.
        let patterns = self.patterns(&channel, Vec::new(), true);
        let mut pieces = vec![text("(")];
        pieces.extend(self.channel_reference(&channel));
        pieces.push(text(*self.random.pick(&["?[", "??["])));
        let count = patterns.len();
        pieces.push(list(patterns, ", ", count));
        pieces.push(text("])"));
        Some(Node::new(Sort::Expression, pieces))
    }

    /// `full`, `empty` and their opposites.
    pub fn probe(&mut self) -> Option<Node> {
        let channels = self.channels(|channel| channel.capacity > 0);
        channels.first()?;
        let channel = self.random.pick(&channels).clone();
        let probe = *self.random.pick(&["full", "empty", "nfull", "nempty"]);
        let mut pieces = vec![text(format!("{probe}("))];
        pieces.extend(self.channel_reference(&channel));
        pieces.push(text(")"));
        Some(Node::new(Sort::Expression, pieces))
    }

    /// Receives a channel from a message, or copies one, and uses it immediately.
    pub fn use_of_passed_channel(&mut self) -> Option<Node> {
        let variable = self.scope.channel_variables.first()?.clone();
        let carriers = self.channels(|channel| channel.fields.contains(&Field::Channel));
        let first = match carriers.first() {
            Some(_) if self.random.percent(60) => {
                let carrier = self.random.pick(&carriers).clone();
                self.receive(&carrier)
            }
            _ => {
                let source = self.byte_channel();
                Node::new(
                    Sort::Statement,
                    vec![text(format!("{variable} = ")), Piece::Node(source)],
                )
            }
        };
        let value = self.value_for(Type::Byte, false);
        let second = if self.random.percent(60) {
            Node::new(Sort::Statement, vec![text(format!("{variable}!")), Piece::Node(value)])
        } else {
            Node::statement(format!("{variable}?_"))
        };
        Some(Node::new(
            Sort::Statement,
            vec![text("{ "), list(vec![first, second], "; ", 1), text(" }")],
        ))
    }
}

/// Whether a variable of type `variable` can hold every value of a field of type `field`.
fn holds(variable: Type, field: Type) -> bool {
    match (field, variable) {
        (Type::Mtype(left), Type::Mtype(right)) => left == right,
        (Type::Mtype(_), _) | (_, Type::Mtype(_)) => false,
        (Type::Bit | Type::Bool, _) => true,
        (Type::Byte | Type::Unsigned(_), _) => {
            matches!(variable, Type::Byte | Type::Short | Type::Int)
        }
        (Type::Short, _) => matches!(variable, Type::Short | Type::Int),
        (Type::Int, _) => variable == Type::Int,
    }
}
