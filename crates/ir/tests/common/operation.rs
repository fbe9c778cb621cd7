//! Random operations, actions and expressions that the process type being built may use.

use super::{Builder, Kind};
use lariat_ir::expression::*;
use lariat_ir::program::*;

const UNARY: [UnaryOp; 3] = [UnaryOp::Not, UnaryOp::Negate, UnaryOp::Complement];

const BINARY: [BinaryOp; 18] = [
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
];

const QUERIES: [ChannelQuery; 5] = [
    ChannelQuery::Len,
    ChannelQuery::Full,
    ChannelQuery::Empty,
    ChannelQuery::NotFull,
    ChannelQuery::NotEmpty,
];

impl Builder {
    pub fn operation(&mut self) -> Operation {
        match self.choices.below(14) {
            0..=3 => {
                let guard = if self.choices.below(2) == 0 { Expr::TRUE } else { self.expr() };
                Operation::Guarded { guard, actions: self.actions() }
            }
            4 => Operation::when(self.expr()),
            5 => Operation::Else,
            6 => Operation::End,
            7 => self.body(),
            8..=10 => self.send(),
            _ => self.receive(),
        }
    }

    fn send(&mut self) -> Operation {
        let channel = self.channel();
        let arguments = (0..self.message_length()).map(|_| self.expr()).collect();
        Operation::Send { channel, arguments, sorted: self.choices.rarely(4) }
    }

    fn receive(&mut self) -> Operation {
        let channel = self.channel();
        let patterns = self.patterns();
        Operation::Receive {
            channel,
            patterns,
            random: self.choices.rarely(4),
            keep: self.choices.rarely(4),
        }
    }

    /// Usually the length of the messages of a channel.
    fn message_length(&mut self) -> usize {
        match self.program.channel_types.len() {
            0 => 1,
            count => self.program.channel_types[self.choices.below(count)].fields.len(),
        }
    }

    fn patterns(&mut self) -> Vec<Pattern> {
        (0..self.message_length())
            .map(|_| match self.choices.below(4) {
                0 => Pattern::Ignore,
                1 => Pattern::Match(Expr::Const(self.choices.below(3) as i32)),
                2 => Pattern::Match(self.expr()),
                _ => self.place().map_or(Pattern::Ignore, Pattern::Bind),
            })
            .collect()
    }

    fn body(&mut self) -> Operation {
        let count = 1 + self.choices.below(3);
        let nodes = (0..count)
            .map(|node| {
                let mut branches: Vec<Branch> =
                    (0..self.choices.below(3)).map(|_| self.branch(node, count)).collect();
                let is_else =
                    |branch: &Branch| matches!(branch.kind, BranchKind::Operation(Operation::Else));
                branches.sort_by_key(is_else);
                branches.dedup_by(|later, earlier| is_else(later) && is_else(earlier));
                branches
            })
            .collect();
        Operation::Deterministic(Body { nodes })
    }

    /// Leads to later nodes only, so that every d_step ends.
    fn branch(&mut self, node: usize, count: usize) -> Branch {
        let later = count - node - 1;
        let next = match self.choices.below(later + 1) {
            0 => None,
            further => Some((node + further) as u32),
        };
        let kind = match self.choices.below(6) {
            0 => BranchKind::Enter,
            1 => BranchKind::Operation(self.send()),
            2 => BranchKind::Operation(self.receive()),
            3 => BranchKind::Operation(Operation::Else),
            4 => BranchKind::Operation(Operation::when(self.expr())),
            _ => BranchKind::Operation(Operation::act(self.actions())),
        };
        Branch { kind, next, origin: self.origin() }
    }

    fn actions(&mut self) -> Vec<Action> {
        self.spawned = false;
        let actions = (0..self.choices.below(3)).filter_map(|_| self.action()).collect();
        self.spawned = false;
        actions
    }

    fn action(&mut self) -> Option<Action> {
        Some(match self.choices.below(9) {
            0..=3 => {
                let assignments = (0..1 + self.choices.below(2))
                    .filter_map(|_| Some((self.place()?, self.expr())));
                Action::Assign(assignments.collect())
            }
            4 | 5 => {
                let process_type =
                    ProcessTypeId(self.choices.below(self.program.process_types.len()) as u32);
                let parameters = self.program.process_type(process_type).parameters;
                let arguments = (0..parameters).map(|_| self.expr()).collect();
                let priority = self.priority();
                self.spawned = true;
                Action::Run { process_type, arguments, priority }
            }
            6 => Action::Assert { condition: self.expr(), text: self.name() },
            7 => Action::Print { format: self.print_format() },
            _ if self.program.has_priorities => {
                Action::SetPriority { process: self.expr(), priority: self.expr() }
            }
            _ => return None,
        })
    }

    fn print_format(&mut self) -> Vec<PrintPart> {
        (0..self.choices.below(3))
            .map(|_| match self.choices.below(7) {
                1 => PrintPart::Decimal(self.expr()),
                2 => PrintPart::Unsigned(self.expr()),
                3 => PrintPart::Hexadecimal(self.expr()),
                4 => PrintPart::Octal(self.expr()),
                5 => PrintPart::Character(self.expr()),
                6 if !self.program.name_sets.is_empty() => {
                    let set = NameSetId(self.choices.below(self.program.name_sets.len()) as u32);
                    PrintPart::Name(self.expr(), set)
                }
                _ => PrintPart::Text(self.name()),
            })
            .collect()
    }

    /// A random place, if there are variables.
    pub fn place(&mut self) -> Option<Place> {
        let scope = if self.reader.is_some() && self.choices.below(2) == 1 {
            Scope::Local
        } else {
            Scope::Global
        };
        let count = self.variables_of(scope).len();
        if count == 0 {
            return None;
        }
        let variable = VariableId(self.choices.below(count) as u32);
        let dimensions = self.variables_of(scope).get(variable).dimensions.len();
        Some(Place { scope, variable, indices: self.indices(dimensions) })
    }

    fn indices(&mut self, dimensions: usize) -> Vec<Expr> {
        let one = |builder: &mut Builder| match builder.choices.below(4) {
            3 => builder.expr(),
            constant => Expr::Const(i32::from(constant == 1)),
        };
        (0..dimensions).map(|_| one(self)).collect()
    }

    /// Usually a variable that holds a channel.
    pub fn channel(&mut self) -> Expr {
        for scope in [Scope::Local, Scope::Global] {
            if scope == Scope::Local && (self.reader.is_none() || self.choices.below(2) == 0) {
                continue;
            }
            let variables = self.variables_of(scope);
            let holders: Vec<(u32, usize)> = (0u32..)
                .zip(variables.iter())
                .filter(|(_, known)| known.meaning == Meaning::Channel)
                .map(|(id, known)| (id, known.dimensions.len()))
                .collect();
            if let Some(&(id, dimensions)) = holders.get(self.choices.below(holders.len())) {
                let indices = self.indices(dimensions);
                return Expr::Read(Place { scope, variable: VariableId(id), indices });
            }
        }
        Expr::Const(self.choices.below(3) as i32)
    }

    pub fn expr(&mut self) -> Expr {
        if self.depth > 2 {
            return Expr::Const(self.choices.below(4) as i32);
        }
        self.depth += 1;
        let expr = self.shallow_expr();
        self.depth -= 1;
        expr
    }

    fn shallow_expr(&mut self) -> Expr {
        match self.choices.below(20) {
            1..=6 => self.place().map_or(Expr::Const(-3), Expr::Read),
            7 => Expr::unary(*self.choices.one(&UNARY), self.expr()),
            8..=11 => Expr::binary(*self.choices.one(&BINARY), self.expr(), self.expr()),
            12 => {
                let (condition, yes, no) = (self.expr(), self.expr(), self.expr());
                Expr::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
            }
            13 => Expr::Channel(*self.choices.one(&QUERIES), Box::new(self.channel())),
            14 => {
                let (channel, patterns) = (Box::new(self.channel()), self.patterns());
                Expr::Poll { channel, patterns, random: self.choices.below(2) == 1 }
            }
            15 if self.spawned => Expr::Spawned,
            15 if self.program.remembers_partner && self.choices.below(2) == 1 => Expr::Partner,
            15 if self.program.remembers_last => Expr::Last,
            15 => Expr::ProcessCount,
            16 if self.reader.is_some() => match self.choices.below(3) {
                1 => Expr::Timeout,
                2 if self.kind == Kind::Anything => Expr::Enabled(Box::new(self.expr())),
                _ => Expr::Pid,
            },
            17 => match self.choices.below(3) {
                1 => Expr::PcValue(Box::new(self.expr())),
                2 => Expr::Priority(Box::new(self.expr())),
                _ => Expr::NonProgress,
            },
            18 | 19 => self.remote(),
            _ => Expr::Const(*self.choices.one(&[0, 1, 2, 3, -1, 255, i32::MAX, i32::MIN])),
        }
    }

    fn remote(&mut self) -> Expr {
        let process_type =
            ProcessTypeId(self.choices.below(self.program.process_types.len()) as u32);
        let process = if self.choices.below(2) == 0 {
            Remote::Only
        } else {
            Remote::Pid(Box::new(self.expr()))
        };
        let kind = self.program.process_type(process_type);
        let (variables, locations) = (kind.variables.len(), kind.locations.len());
        if variables > 0 && self.choices.below(2) == 0 {
            let variable = VariableId(self.choices.below(variables) as u32);
            let dimensions =
                self.program.process_type(process_type).variables.get(variable).dimensions.len();
            let indices = self.indices(dimensions);
            return Expr::ReadRemote { process_type, process, variable, indices };
        }
        Expr::At {
            process_type,
            process,
            location: LocationId(self.choices.below(locations) as u32),
        }
    }
}
