//! The names that a random program may refer to at a point: features, types, variables, channels.

use super::random::Random;

/// The scalar types of Promela.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    /// The width in bits.
    Unsigned(u8),
    /// A symbolic value of the set with this number.
    Mtype(usize),
}

/// A scalar variable, or a scalar inside a structure or an array: the path of names, each with its
/// length if it is an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: Vec<(String, Option<usize>)>,
    pub kind: Type,
    /// Number of the declaration: the scalars of one structure share it, and a later declaration
    /// of the same name hides an earlier one.
    pub declaration: usize,
}

impl Place {
    pub fn scalar(name: &str, kind: Type, declaration: usize) -> Self {
        Self { path: vec![(name.to_owned(), None)], kind, declaration }
    }

    pub fn is_array_element(&self) -> bool {
        self.path.iter().any(|(_, length)| length.is_some())
    }

    /// SPIN keeps these in a byte and lets them exceed their width; Lariat does not, so generated
    /// programs store only 0 and 1 in them.
    pub fn needs_fitting_values(&self) -> bool {
        matches!(self.kind, Type::Bit | Type::Bool) && self.is_array_element()
    }
}

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Scalar(Type),
    /// A whole structure of the program's typedef.
    Structure,
    /// A channel whose messages are a single byte.
    Channel,
}

/// A channel or an array of channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub name: String,
    pub length: Option<usize>,
    pub capacity: usize,
    pub fields: Vec<Field>,
    pub global: bool,
}

/// The interface of a proctype.
#[derive(Debug, Clone)]
pub struct Proctype {
    pub name: String,
    pub parameters: Vec<Parameter>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    Scalar(Type),
    /// A channel of single bytes.
    Channel,
}

/// The language features that a program uses. Each program draws a few, which makes rare
/// combinations likely.
#[derive(Debug, Clone, Copy)]
pub struct Features {
    pub rendezvous: bool,
    pub buffered: bool,
    pub passing: bool,
    pub priority: bool,
    pub trace: bool,
    pub provided: bool,
    pub unless: bool,
    pub atomic: bool,
    pub d_step: bool,
    pub jumps: bool,
    pub remote: bool,
    pub enabled: bool,
    pub structures: bool,
    pub inlines: bool,
    pub macros: bool,
    pub creation: bool,
    pub loops: bool,
    pub timeout: bool,
    pub late_declarations: bool,
    pub wide: bool,
}

impl Features {
    pub fn draw(random: &mut Random) -> Self {
        let priority = random.percent(7);
        let enabled = random.percent(9);
        Self {
            rendezvous: random.percent(45) && !priority && !enabled,
            buffered: random.percent(60),
            passing: random.percent(28),
            priority,
            trace: random.percent(8),
            provided: random.percent(12),
            unless: random.percent(30),
            atomic: random.percent(55),
            d_step: random.percent(35),
            jumps: random.percent(45),
            remote: random.percent(30),
            enabled,
            structures: random.percent(25),
            inlines: random.percent(25),
            macros: random.percent(25),
            creation: random.percent(40),
            loops: random.percent(75),
            timeout: random.percent(30),
            late_declarations: random.percent(35) && !priority,
            wide: random.percent(30),
        }
    }
}

/// The names visible while a body is generated.
#[derive(Debug, Clone)]
pub struct Scope {
    pub features: Features,
    pub places: Vec<Place>,
    /// Index of the first local variable.
    pub locals_from: usize,
    pub channels: Vec<Channel>,
    /// Local `chan` variables without a channel of their own, for single bytes.
    pub channel_variables: Vec<String>,
    pub mtypes: Vec<Vec<String>>,
    pub proctypes: Vec<Proctype>,
    /// Names of inlines that change only their first argument and cannot block.
    pub inlines: Vec<(String, usize)>,
    /// Structures of the program's typedef, for messages that contain a structure.
    pub structures: Vec<String>,
    /// Integer constants defined by macros.
    pub constants: Vec<String>,
    /// References to scalars and labels of the process with pid 0, for other processes.
    pub remote: Vec<String>,
    /// Whether there is a hidden variable that may be written.
    pub has_scratch: bool,
}

impl Scope {
    /// Variables not hidden by a later one of the same name.
    pub fn visible(&self, wanted: impl Fn(&Place) -> bool) -> Vec<Place> {
        let hidden = |index: usize| {
            let place = &self.places[index];
            self.places[index + 1..].iter().any(|later| {
                later.path[0].0 == place.path[0].0 && later.declaration != place.declaration
            })
        };
        (0..self.places.len())
            .filter(|&index| !hidden(index) && wanted(&self.places[index]))
            .map(|index| self.places[index].clone())
            .collect()
    }
}
