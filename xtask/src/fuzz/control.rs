//! Random control structures: choices, loops, atomic and d_step, escapes, `for` and `select`.

use super::generator::{Generator, Surroundings};
use super::scope::{Channel, Field, Place, Type};
use super::tree::{Node, Piece, Sort, list, text};

impl Generator {
    pub fn option(&mut self, around: Surroundings, first: Option<Node>) -> Node {
        let places = self.scope.places.len();
        let mut items: Vec<Node> = first.into_iter().collect();
        if items.is_empty() || self.random.percent(80) {
            items.extend(self.statements(around.deeper(), 2));
        }
        // There are no braces: the names remain in use.
        self.scope.places.truncate(places);
        // SPIN accepts a label at the start of an option, with a warning.
        if items[0].to_string() != "else" && self.random.percent(10) {
            items[0] = self.labelled(items[0].clone(), around);
        }
        let separator = if self.random.percent(70) { " -> " } else { "; " };
        Node::new(Sort::Option, vec![text(":: "), list(items, separator, 1)])
    }

    /// The first statement of an option: one that can block, or `None` for any statement.
    pub fn option_head(&mut self, around: Surroundings) -> Option<Node> {
        if self.random.percent(45) {
            return Some(self.guard());
        }
        if self.random.percent(40) {
            return self.channel_statement(around);
        }
        None
    }

    pub fn options(&mut self, around: Surroundings, total: bool) -> Piece {
        let mut options = Vec::new();
        for _ in 0..self.random.between(1, 3) {
            // In a d_step, the first of several statements without a guard would always be
            // executed.
            let head = match self.option_head(around) {
                None if around.in_d_step => Some(self.guard()),
                head => head,
            };
            options.push(self.option(around, head));
        }
        if total || self.random.percent(35) {
            let other = self.option(around, Some(Node::statement("else")));
            let at = if self.random.percent(85) {
                options.len()
            } else {
                self.random.below(options.len() + 1)
            };
            options.insert(at, other);
        }
        list(options, "\n", 1)
    }

    pub fn selection(&mut self, around: Surroundings) -> Node {
        let options = self.options(around, around.in_d_step);
        Node::new(Sort::Statement, vec![text("if\n"), options, text("\nfi")])
    }

    pub fn repetition(&mut self, around: Surroundings) -> Node {
        let mut options = self.options(Surroundings { in_loop: true, ..around }, false);
        if self.random.percent(60) {
            let guard = self.guard();
            let items = vec![guard, Node::statement("break")];
            if let Piece::List { items: options, .. } = &mut options {
                options.push(Node::new(Sort::Option, vec![text(":: "), list(items, " -> ", 1)]));
            }
        }
        Node::new(Sort::Statement, vec![text("do\n"), options, text("\nod")])
    }

    /// Loops in a d_step must terminate.
    pub fn bounded_loop(&mut self) -> Option<Node> {
        let name = self.counter()?;
        let skip = Node::statement("skip");
        let body = if self.random.percent(50) { self.assignment_to_others(&name) } else { None };
        Some(Node::new(
            Sort::Statement,
            vec![
                text(format!("do\n:: {name} > 0 && {name} < 3 -> {name}++; ")),
                Piece::Node(body.unwrap_or(skip)),
                text(format!("\n:: {name} == 0 -> {name} = 2\n:: else -> break\nod")),
            ],
        ))
    }

    pub fn assignment_to_others(&mut self, name: &str) -> Option<Node> {
        let places = self.scope.visible(|place| place.path[0].0 != name && place.path.len() == 1);
        places.first()?;
        let place = self.random.pick(&places).clone();
        let target = self.reference(&place);
        let value = self.value_for(place.kind, true);
        Some(Node::new(Sort::Statement, vec![Piece::Node(target), text(" = "), Piece::Node(value)]))
    }

    pub fn atomic(&mut self, around: Surroundings) -> Node {
        self.braced("atomic ", Surroundings { in_atomic: true, ..around.deeper() }, 4)
    }

    /// The first statement may block; the others are generated so that they never block.
    pub fn d_step(&mut self, around: Surroundings) -> Node {
        let inside = Surroundings { in_d_step: true, in_loop: false, ..around.deeper() };
        let first = if self.random.percent(50) { self.option_head(inside) } else { None };
        let places = self.scope.places.len();
        let mut items: Vec<Node> = first.into_iter().collect();
        items.extend(self.statements(inside, 3));
        guard_d_step(&mut items);
        self.leave(places);
        Node::new(Sort::Statement, vec![text("d_step {\n"), list(items, ";\n", 1), text("\n}")])
    }

    pub fn unless(&mut self, around: Surroundings) -> Node {
        let word = *self.random.pick(&["", "", "", "atomic "]);
        let main = if self.scope.features.d_step && self.random.percent(20) {
            self.d_step(around)
        } else if self.random.percent(20) && self.scope.features.loops {
            self.repetition(around.deeper())
        } else {
            let inside =
                Surroundings { in_atomic: around.in_atomic || !word.is_empty(), ..around.deeper() };
            self.braced(word, inside, 3)
        };
        let head = self.option_head(around);
        let mut items: Vec<Node> = head.into_iter().collect();
        let places = self.scope.places.len();
        let deeper = Surroundings { depth: around.depth + 2, ..around };
        items.extend(self.statements(deeper, 2));
        self.leave(places);
        let word = *self.random.pick(&["", "", "atomic ", "d_step "]);
        let word = if word == "d_step " && !items.iter().all(is_simple) { "" } else { word };
        if word == "d_step " {
            guard_d_step(&mut items);
        }
        Node::new(
            Sort::Statement,
            vec![
                Piece::Node(main),
                text(format!(" unless {word}{{\n")),
                list(items, ";\n", 1),
                text("\n}"),
            ],
        )
    }

    pub fn counter(&mut self) -> Option<String> {
        let wide = |place: &Place| {
            place.path.len() == 1
                && place.path[0].1.is_none()
                && matches!(place.kind, Type::Byte | Type::Short | Type::Int)
        };
        let places = self.scope.visible(wide);
        places.first()?;
        Some(self.random.pick(&places).path[0].0.clone())
    }

    pub fn for_range(&mut self, around: Surroundings) -> Option<Node> {
        let name = self.counter()?;
        let last = self.random.below(3);
        Some(self.for_loop(format!("{name} : 0 .. {last}"), around))
    }

    pub fn for_in(&mut self, around: Surroundings) -> Option<Node> {
        let arrays = self.scope.visible(|place| {
            place.path.len() == 1 && place.path[0].1.is_some() && place.kind != Type::Bool
        });
        let structured = |channel: &&Channel| {
            channel.capacity > 0 && channel.length.is_none() && channel.fields == [Field::Structure]
        };
        let carrier =
            self.scope.channels.iter().find(structured).map(|channel| channel.name.clone());
        if let Some(carrier) = carrier
            && !around.in_d_step
            && self.random.percent(70)
        {
            let item = self.random.pick(&self.scope.structures).clone();
            return Some(self.for_loop(format!("{item} in {carrier}"), around));
        }
        let name = self.counter()?;
        arrays.first()?;
        let array = self.random.pick(&arrays).path[0].0.clone();
        Some(self.for_loop(format!("{name} in {array}"), around))
    }

    /// `for (header) { … }`. A body that changes the counter may not terminate, which is not
    /// allowed in a d_step.
    fn for_loop(&mut self, header: String, around: Surroundings) -> Node {
        let body = if around.in_d_step {
            list(vec![Node::statement("skip")], ";\n", 1)
        } else {
            self.sequence(Surroundings { in_loop: true, ..around.deeper() }, 2)
        };
        let head = text(format!("for ({header}) {{\n"));
        Node::new(Sort::Statement, vec![head, body, text("\n}")])
    }

    pub fn select(&mut self) -> Option<Node> {
        let name = self.counter()?;
        let low = self.random.below(2);
        let high = low + self.random.between(1, 2);
        Some(Node::statement(format!("select ({name} : {low} .. {high})")))
    }
}

/// SPIN executes a d_step that begins with a print or an assertion even between the two halves of
/// a rendezvous: such a d_step gets a condition as its first statement.
fn guard_d_step(items: &mut Vec<Node>) {
    let first = items[0].to_string();
    let first =
        first.trim_start_matches(|character: char| character == '{' || character.is_whitespace());
    if first.starts_with("print") || first.starts_with("assert") {
        items.insert(0, Node::statement("true"));
    }
}

/// Whether a d_step may contain the statement: no nesting, no jump.
fn is_simple(statement: &Node) -> bool {
    let shown = statement.to_string();
    statement.sort == Sort::Statement
        && !["{", "goto", "break", "do\n", "if\n", "timeout", "?", "!", ":", "select"]
            .iter()
            .any(|word| shown.contains(word))
}
