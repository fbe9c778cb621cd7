//! Random statements and sequences of them.

use super::generator::{Generator, Surroundings};
use super::scope::{Parameter, Place, Type};
use super::tree::{Node, Piece, Sort, list, text};

#[derive(Clone, Copy)]
enum Kind {
    Assign,
    Step,
    Guard,
    Assert,
    Print,
    Skip,
    Channel,
    If,
    Do,
    Atomic,
    DStep,
    Unless,
    ForRange,
    ForIn,
    Select,
    Goto,
    Run,
    Inline,
    Block,
    Declare,
    Priority,
    Break,
    Passed,
    Timeout,
}

impl Generator {
    /// A sequence with its own scope.
    pub fn sequence(&mut self, around: Surroundings, longest: usize) -> Piece {
        let places = self.scope.places.len();
        let items = self.statements(around, longest);
        self.leave(places);
        let separator = match self.random.below(20) {
            0 => " ->\n",
            1 => "\n;\n",
            2 => " ;; ",
            _ => ";\n",
        };
        list(items, separator, 1)
    }

    pub fn statements(&mut self, around: Surroundings, longest: usize) -> Vec<Node> {
        let count = self.random.between(1, longest.max(1));
        let mut items = Vec::new();
        for position in 0..count {
            if self.budget == 0 && position > 0 {
                break;
            }
            self.budget = self.budget.saturating_sub(1);
            let may_block = !around.in_d_step;
            let statement = self.statement(around, may_block);
            // SPIN requires a label before a block, never before its first statement.
            let first = items.iter().all(is_declaration) && around.depth > 0;
            items.push(if first { statement } else { self.labelled(statement, around) });
        }
        // A sequence must contain more than declarations.
        if items.iter().all(is_declaration) {
            items.push(Node::statement("skip"));
        }
        items
    }

    /// Puts an unplaced label before the statement. Jumps into a d_step are not allowed.
    pub fn labelled(&mut self, statement: Node, around: Surroundings) -> Node {
        if around.in_d_step
            || is_declaration(&statement)
            || self.labels.unplaced.is_empty()
            || !self.random.percent(25)
        {
            return statement;
        }
        let Some(label) = self.labels.unplaced.pop() else { return statement };
        Node::new(Sort::Statement, vec![text(format!("{label}: ")), Piece::Node(statement)])
    }

    pub fn statement(&mut self, around: Surroundings, may_block: bool) -> Node {
        let features = self.scope.features;
        let nest = around.depth < 3 && self.budget > 0;
        let weigh = |allowed: bool, weight: usize| if allowed { weight } else { 0 };
        let outside = !around.in_d_step;
        let choices = [
            (20, Kind::Assign),
            (6, Kind::Step),
            (weigh(may_block, 9), Kind::Guard),
            (3, Kind::Assert),
            (2, Kind::Print),
            (2, Kind::Skip),
            (weigh(may_block && (features.buffered || features.rendezvous), 26), Kind::Channel),
            (weigh(nest, 10), Kind::If),
            (weigh(nest && features.loops, if outside { 9 } else { 3 }), Kind::Do),
            (weigh(nest && outside && features.atomic, 8), Kind::Atomic),
            (weigh(nest && outside && features.d_step, 9), Kind::DStep),
            (weigh(nest && outside && features.unless, 10), Kind::Unless),
            (weigh(nest, 3), Kind::ForRange),
            (weigh(nest, 2), Kind::ForIn),
            (weigh(outside, 3), Kind::Select),
            (weigh(outside && features.jumps && !self.labels.all.is_empty(), 6), Kind::Goto),
            (weigh(outside && features.creation && !self.scope.proctypes.is_empty(), 4), Kind::Run),
            (weigh(features.inlines && !self.scope.inlines.is_empty(), 6), Kind::Inline),
            (weigh(nest, 3), Kind::Block),
            (weigh(features.late_declarations && outside, 6), Kind::Declare),
            (weigh(features.priority && outside, 6), Kind::Priority),
            (weigh(around.in_loop && outside, 4), Kind::Break),
            (weigh(features.passing && outside, 7), Kind::Passed),
            (weigh(features.timeout && may_block, 3), Kind::Timeout),
        ];
        let kind = self.random.weighted(&choices).unwrap_or(Kind::Skip);
        self.statement_of(kind, around).unwrap_or_else(|| Node::statement("skip"))
    }

    fn statement_of(&mut self, kind: Kind, around: Surroundings) -> Option<Node> {
        Some(match kind {
            Kind::Assign => return self.assignment(),
            Kind::Step => return self.step(),
            Kind::Guard => self.guard(),
            Kind::Assert => {
                let condition = self.condition();
                Node::new(Sort::Statement, vec![text("assert("), Piece::Node(condition), text(")")])
            }
            Kind::Print => self.print_statement(),
            Kind::Skip => Node::statement(*self.random.pick(&["skip", "true", "1"])),
            Kind::Channel => return self.channel_statement(around),
            Kind::If => self.selection(around),
            Kind::Do if around.in_d_step => return self.bounded_loop(),
            Kind::Do => self.repetition(around),
            Kind::Atomic => self.atomic(around),
            Kind::DStep => self.d_step(around),
            Kind::Unless => self.unless(around),
            Kind::ForRange => return self.for_range(around),
            Kind::ForIn => return self.for_in(around),
            Kind::Select => return self.select(),
            Kind::Goto => {
                let label = self.random.pick(&self.labels.all).clone();
                self.labels.used.push(label.clone());
                Node::statement(format!("goto {label}"))
            }
            Kind::Run => self.run(),
            Kind::Inline => return self.inline_call(),
            Kind::Block => self.braced("", around.deeper(), 3),
            Kind::Declare => self.late_declaration(),
            Kind::Priority => {
                let value = self.random.between(1, 3);
                let who = *self.random.pick(&["_pid", "_pid", "0"]);
                Node::statement(format!("set_priority({who}, {value})"))
            }
            Kind::Break => Node::statement("break"),
            Kind::Passed => return self.use_of_passed_channel(),
            Kind::Timeout => Node::statement("timeout"),
        })
    }

    pub fn guard(&mut self) -> Node {
        let condition = self.condition();
        Node::new(Sort::Statement, vec![Piece::Node(condition)])
    }

    pub fn assignment(&mut self) -> Option<Node> {
        let places = self.scope.visible(|_| true);
        if places.is_empty() {
            return None;
        }
        if self.random.percent(if self.scope.has_scratch { 12 } else { 2 }) {
            let value = self.expression(2);
            let target = if self.scope.has_scratch { "scratch = " } else { "_ = " };
            return Some(Node::new(Sort::Statement, vec![text(target), Piece::Node(value)]));
        }
        let place = self.random.pick(&places).clone();
        let target = self.reference(&place);
        let value = self.value_for(place.kind, place.needs_fitting_values());
        Some(Node::new(Sort::Statement, vec![Piece::Node(target), text(" = "), Piece::Node(value)]))
    }

    /// `x++` and `x--`: unguarded for narrow types, guarded for wide ones.
    pub fn step(&mut self) -> Option<Node> {
        let places = self.scope.visible(|place| {
            !matches!(place.kind, Type::Mtype(_))
                && !place.needs_fitting_values()
                && !place.is_array_element()
        });
        if places.is_empty() {
            return None;
        }
        let place = self.random.pick(&places).clone();
        let target = self.reference(&place);
        let narrow = matches!(place.kind, Type::Bit | Type::Bool | Type::Unsigned(1..=3));
        if narrow || self.random.percent(25) {
            let operator = *self.random.pick(&["++", "--"]);
            return Some(Node::new(Sort::Statement, vec![Piece::Node(target), text(operator)]));
        }
        Some(Node::statement(format!(
            "if :: {target} < 3 -> {target}++ :: else -> {target} = 0 fi"
        )))
    }

    pub fn print_statement(&mut self) -> Node {
        if self.random.percent(20) && !self.scope.mtypes.is_empty() {
            return Node::statement(format!("printm({})", self.scope.mtypes[0][0]));
        }
        let value = self.expression(1);
        Node::new(
            Sort::Statement,
            vec![text("printf(\"x %d\\n\", "), Piece::Node(value), text(")")],
        )
    }

    pub fn braced(&mut self, word: &str, around: Surroundings, longest: usize) -> Node {
        let body = self.sequence(around, longest);
        Node::new(Sort::Statement, vec![text(format!("{word}{{\n")), body, text("\n}")])
    }

    /// Process creation is bounded by the number of processes alive.
    pub fn run(&mut self) -> Node {
        let limit = self.random.between(2, 4);
        let call = self.run_expression();
        let places =
            self.scope.visible(|place| place.kind == Type::Byte && !place.is_array_element());
        if !places.is_empty() && self.random.percent(25) {
            let place = self.random.pick(&places).clone();
            let target = self.reference(&place);
            return Node::new(
                Sort::Statement,
                vec![
                    text(format!("atomic {{ _nr_pr < {limit} -> ")),
                    Piece::Node(target),
                    text(" = "),
                    Piece::Node(call),
                    text(" }"),
                ],
            );
        }
        let word = *self.random.pick(&["atomic ", "atomic ", ""]);
        Node::new(
            Sort::Statement,
            vec![text(format!("{word}{{ _nr_pr < {limit} -> ")), Piece::Node(call), text(" }")],
        )
    }

    pub fn run_expression(&mut self) -> Node {
        let target = self.random.pick(&self.scope.proctypes).clone();
        let mut values = Vec::new();
        for parameter in &target.parameters {
            values.push(match *parameter {
                Parameter::Scalar(kind) => {
                    self.value_for(kind, matches!(kind, Type::Bit | Type::Bool))
                }
                Parameter::Channel => self.byte_channel(),
            });
        }
        let count = values.len();
        let priority = if self.scope.features.priority && self.random.percent(50) {
            format!(" priority {}", self.random.between(1, 3))
        } else {
            String::new()
        };
        Node::new(
            Sort::Expression,
            vec![
                text(format!("run {}(", target.name)),
                list(values, ", ", count),
                text(format!("){priority}")),
            ],
        )
    }

    pub fn inline_call(&mut self) -> Option<Node> {
        let (name, arguments) = self.random.pick(&self.scope.inlines).clone();
        let wide = |place: &Place| {
            !place.is_array_element() && matches!(place.kind, Type::Byte | Type::Short | Type::Int)
        };
        let places = self.scope.visible(wide);
        places.first()?;
        let mut values = Vec::new();
        for position in 0..arguments {
            let place = self.random.pick(&places).clone();
            let reference = self.reference(&place);
            // SPIN substitutes text and mishandles conditional expressions in it.
            values.push(match self.random.below(3) {
                _ if position == 0 => reference,
                0 => reference,
                1 => Node::expression(self.random.below(3).to_string()),
                _ => Node::new(
                    Sort::Expression,
                    vec![text("("), Piece::Node(reference), text(" + 1)")],
                ),
            });
        }
        Some(Node::new(
            Sort::Statement,
            vec![text(format!("{name}(")), list(values, ", ", arguments), text(")")],
        ))
    }

    /// Ends a block: its variables are no longer visible, and their names are free.
    pub fn leave(&mut self, places: usize) {
        for place in self.scope.places.drain(places..) {
            self.free_names.push(place.path[0].0.clone());
        }
    }

    /// A declaration between statements. It may reuse a name from a block that has ended; hiding a
    /// visible name is an error in SPIN.
    pub fn late_declaration(&mut self) -> Node {
        let kind = self.scalar_type();
        let number = self.fresh();
        let name = match self.free_names.pop() {
            Some(name) if self.random.percent(50) => name,
            _ => format!("v{number}"),
        };
        let (before, after) = self.declarator(kind);
        let mut pieces = vec![text(format!("{before} {name}{after}"))];
        if self.random.percent(70) || matches!(kind, Type::Mtype(_)) {
            let value = self.value_for(kind, false);
            pieces.push(text(" = "));
            pieces.push(Piece::Node(value));
        }
        self.scope.places.push(Place::scalar(&name, kind, number));
        Node::new(Sort::Part, pieces)
    }
}

fn is_declaration(statement: &Node) -> bool {
    statement.sort == Sort::Part
}
