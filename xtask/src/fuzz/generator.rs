//! The state of the generator, shared by the files that generate the parts of a program.

use super::random::Random;
use super::scope::{Features, Scope, Type};

/// The context of the statements being generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// Inside a d_step, only the first statement may block, and no jump may leave it.
    pub in_d_step: bool,
    pub in_atomic: bool,
    /// Inside a `do` or a `for` that `break` would leave.
    pub in_loop: bool,
    pub depth: usize,
}

impl Surroundings {
    pub fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

/// Labels of the body being generated.
#[derive(Debug, Default)]
pub struct Labels {
    /// Labels that have no statement yet.
    pub unplaced: Vec<String>,
    pub all: Vec<String>,
    pub used: Vec<String>,
}

#[derive(Debug)]
pub struct Generator {
    pub random: Random,
    pub scope: Scope,
    pub labels: Labels,
    next_number: usize,
    /// Names declared in blocks of this body that have ended.
    pub free_names: Vec<String>,
    /// Whether remote references are allowed: not in `init`, and not before pids are determined.
    pub remote_allowed: bool,
    /// Remaining number of statements in this body: keeps programs and state spaces small.
    pub budget: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let features = Features::draw(&mut random);
        let scope = Scope {
            features,
            places: Vec::new(),
            locals_from: 0,
            channels: Vec::new(),
            channel_variables: Vec::new(),
            mtypes: Vec::new(),
            proctypes: Vec::new(),
            inlines: Vec::new(),
            structures: Vec::new(),
            constants: Vec::new(),
            remote: Vec::new(),
            has_scratch: false,
        };
        Self {
            random,
            scope,
            labels: Labels::default(),
            next_number: 0,
            free_names: Vec::new(),
            remote_allowed: false,
            budget: 0,
        }
    }

    /// A new number, for fresh names.
    pub fn fresh(&mut self) -> usize {
        self.next_number += 1;
        self.next_number
    }

    pub fn scalar_type(&mut self) -> Type {
        let symbolic = if self.scope.mtypes.is_empty() { 0 } else { 8 };
        let set = if symbolic > 0 { self.random.below(self.scope.mtypes.len()) } else { 0 };
        let width = self.random.between(1, 5) as u8;
        let choices = [
            (12, Type::Bit),
            (16, Type::Bool),
            (40, Type::Byte),
            (12, Type::Short),
            (12, Type::Int),
            (10, Type::Unsigned(width)),
            (symbolic, Type::Mtype(set)),
        ];
        self.random.weighted(&choices).unwrap_or(Type::Byte)
    }

    /// The text of a scalar's declaration before and after the name.
    pub fn declarator(&self, kind: Type) -> (String, String) {
        let before = match kind {
            Type::Bit => "bit".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Byte => "byte".to_owned(),
            Type::Short => "short".to_owned(),
            Type::Int => "int".to_owned(),
            Type::Unsigned(width) => return ("unsigned".to_owned(), format!(" : {width}")),
            Type::Mtype(0) => "mtype".to_owned(),
            Type::Mtype(set) => format!("mtype:set{set}"),
        };
        (before, String::new())
    }
}
