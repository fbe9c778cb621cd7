//! The program IR: process types as control-flow graphs of guarded transitions, over typed variables
//! and channels.
//!
//! The order of a location's transitions matters: `Else` looks at those before it, and of the
//! escapes of an `unless` the first group with an enabled transition wins.

use crate::domain::Domain;
use crate::expression::{Expr, Pattern, Place};
use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A variable, counted within its scope: the program's, or those of one process type.
    VariableId,
    ProcessTypeId,
    ChannelTypeId,
    /// A control location, counted within its process type.
    LocationId,
    /// A statement of the source text.
    OriginId,
    /// A set of names for numbers (an `mtype`).
    NameSetId
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    pub variables: Variables,
    pub channel_types: Vec<ChannelType>,
    pub process_types: Vec<ProcessType>,
    /// Run once, in this order, to make the initial state, before any process exists.
    pub prologue: Vec<Action>,
    /// If present, the initial states are all those that satisfy it, whatever the prologue left
    /// in the variables it mentions.
    pub initial_condition: Option<Expr>,
    /// The processes of the initial state, by number.
    pub initial_processes: Vec<Instance>,
    /// What must hold in every state that is stored.
    pub invariants: Vec<Invariant>,
    /// A state without successors that satisfies it is a valid end, wherever its processes are.
    pub end_condition: Option<Expr>,
    pub event_trace: Option<EventTrace>,
    /// Statements of the source, for traces and reports.
    pub origins: Vec<Origin>,
    pub name_sets: Vec<NameSet>,
    /// Some process has or sets a priority: only enabled processes of highest priority move.
    pub has_priorities: bool,
    /// `Expr::Last` occurs, so the last process to move is part of the state.
    pub remembers_last: bool,
    /// `Expr::Partner` occurs, so the other process of the last step is part of the state, beside the last.
    pub remembers_partner: bool,
}

/// A process that exists from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    pub process_type: ProcessTypeId,
    pub priority: u8,
}

/// A condition on single states, read by no process: only globals and remote references make sense in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    pub name: String,
    pub condition: Expr,
    pub origin: OriginId,
}

/// The variables of one scope. Each takes consecutive slots of the state, one per element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    list: Vec<Variable>,
    slots: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// As the user wrote it; `[]` stands where an index goes (`a[].b[]`), last ones may be left out.
    pub name: String,
    /// The number of elements along each dimension; empty for a scalar.
    pub dimensions: Vec<u32>,
    pub domain: Domain,
    pub meaning: Meaning,
    /// Not part of a state's identity.
    pub hidden: bool,
    first_slot: u32,
}

/// How a variable's number is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    Number,
    Truth,
    Name(NameSetId),
    Channel,
    Process,
}

impl Variables {
    /// Adds a variable; its slots follow those of the variables before it.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        dimensions: Vec<u32>,
        domain: Domain,
        meaning: Meaning,
        hidden: bool,
    ) -> VariableId {
        let id = VariableId(self.list.len() as u32);
        let first_slot = self.slots;
        let variable = Variable { name: name.into(), dimensions, domain, meaning, hidden, first_slot };
        self.slots += variable.length();
        self.list.push(variable);
        id
    }

    pub fn get(&self, id: VariableId) -> &Variable {
        &self.list[id.index()]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Variable> + Clone {
        self.list.iter()
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Makes every variable part of a state's identity.
    pub fn reveal(&mut self) {
        self.list.iter_mut().for_each(|variable| variable.hidden = false);
    }

    pub fn slot_count(&self) -> usize {
        self.slots as usize
    }
}

impl Variable {
    /// The number of elements, all dimensions multiplied.
    pub fn length(&self) -> u32 {
        self.dimensions.iter().product()
    }

    pub fn first_slot(&self) -> usize {
        self.first_slot as usize
    }

    pub fn slots(&self) -> std::ops::Range<usize> {
        self.first_slot()..self.first_slot() + self.length() as usize
    }

    /// The name of one element, indices filled in.
    pub fn element_name(&self, element: u32) -> String {
        let mut indices = Vec::with_capacity(self.dimensions.len());
        let mut rest = element;
        for &dimension in self.dimensions.iter().rev() {
            indices.push(rest % dimension);
            rest /= dimension;
        }
        indices.reverse();
        let mut indices = indices.into_iter();
        let mut name = String::new();
        for (position, part) in self.name.split("[]").enumerate() {
            if position > 0
                && let Some(index) = indices.next()
            {
                name += &format!("[{index}]");
            }
            name += part;
        }
        for index in indices {
            name += &format!("[{index}]");
        }
        name
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelType {
    /// The declared name, for reports.
    pub name: String,
    /// 0 for rendezvous.
    pub capacity: u32,
    pub fields: Vec<Field>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub domain: Domain,
    pub meaning: Meaning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessType {
    pub name: String,
    /// The first `parameters` variables are set by whoever starts the process.
    pub parameters: u32,
    pub variables: Variables,
    /// Run in this order when a process is created, after its parameters are set.
    pub prologue: Vec<Action>,
    pub initial_location: LocationId,
    pub locations: Vec<Location>,
    /// A process may move only while this holds.
    pub provided: Option<Expr>,
    /// Two enabled transitions at once are an error.
    pub deterministic: bool,
    /// Channels that only this process may use, as long as it lives.
    pub exclusive: Vec<Exclusive>,
}

/// `xr` (if `receive`) or `xs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusive {
    pub channel: Expr,
    pub receive: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// In the order in which they are tried.
    pub transitions: Vec<Transition>,
    /// A process may rest here forever.
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    /// The labels written at this location.
    pub labels: Vec<String>,
    /// The number SPIN gives the location, for `pc_value`.
    pub number: u32,
    /// Variables of the process that nobody will read before they are written again: a process that arrives here, or
    /// starts here, has them at their defaults from then on.
    pub dead: Vec<VariableId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub operation: Operation,
    /// Where the process goes; meaningless for [`Operation::End`].
    pub target: LocationId,
    /// Afterwards only this process (for a rendezvous: the receiver) may move, while it can.
    pub keeps_control: bool,
    /// 0, or the group of `unless` escapes it belongs to.
    pub escape: u32,
    pub origin: OriginId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Enabled when the guard holds; then the actions happen in order.
    Guarded { guard: Expr, actions: Vec<Action> },
    /// Enabled when no transition before it at its location is.
    Else,
    /// Enabled when the channel is not full; for a rendezvous, together with a matching receive.
    Send { channel: Expr, arguments: Vec<Expr>, sorted: bool },
    /// Enabled when the head (`random`: some) message matches.
    Receive {
        channel: Expr,
        patterns: Vec<Pattern>,
        random: bool,
        /// The message stays in the channel.
        keep: bool,
    },
    /// The process ceases to exist; enabled when no younger process exists.
    End,
    /// Runs to its end as one step, taking the first enabled branch at each node.
    Deterministic(Body),
}

impl Operation {
    /// Always enabled, no effect.
    pub const SKIP: Operation = Operation::Guarded { guard: Expr::TRUE, actions: Vec::new() };

    pub fn when(guard: Expr) -> Operation {
        Operation::Guarded { guard, actions: Vec::new() }
    }

    pub fn act(actions: Vec<Action>) -> Operation {
        Operation::Guarded { guard: Expr::TRUE, actions }
    }
}

/// The inside of a `d_step`: a graph of its own, entered at node 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    pub nodes: Vec<Vec<Branch>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    pub kind: BranchKind,
    /// `None` leaves the body.
    pub next: Option<u32>,
    pub origin: OriginId,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// Never `End` and never `Deterministic`.
    Operation(Operation),
    /// Goes to `next` without asking whether anything is enabled there (a nested selection).
    Enter,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// All right sides are evaluated first, then stored from left to right.
    Assign(Vec<(Place, Expr)>),
    /// Creates a channel and stores its number.
    NewChannel {
        place: Place,
        channel_type: ChannelTypeId,
    },
    /// Creates a process; [`Expr::Spawned`] is its number.
    Run {
        process_type: ProcessTypeId,
        arguments: Vec<Expr>,
        priority: u8,
    },
    /// `text` is the condition as written.
    Assert {
        condition: Expr,
        text: String,
    },
    Print {
        format: Vec<PrintPart>,
    },
    SetPriority {
        process: Expr,
        priority: Expr,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintPart {
    Text(String),
    Decimal(Expr),
    Unsigned(Expr),
    Hexadecimal(Expr),
    Octal(Expr),
    Character(Expr),
    /// As a name of the set; a number if it has none.
    Name(Expr, NameSetId),
}

/// The automaton of a `trace` or `notrace` block. It moves on sends and receives in its scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTrace {
    /// `notrace`: reaching the end is the error.
    pub negated: bool,
    /// Global channels (as expressions for their numbers) whose sends it watches.
    pub send_scope: Vec<Expr>,
    pub receive_scope: Vec<Expr>,
    pub initial: u32,
    /// The location of the closing brace.
    pub end: u32,
    /// Other locations where a run of the system may stop.
    pub resting: Vec<u32>,
    pub locations: Vec<Vec<Event>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub send: bool,
    pub channel: Expr,
    /// `None` where any value will do.
    pub fields: Vec<Option<Expr>>,
    pub target: u32,
}

/// A statement as the user wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub file: String,
    pub line: u32,
    /// What part of that line, and of lines that follow, if that is known.
    pub extent: Option<Extent>,
    pub text: String,
    /// SPIN's number for the transition, used in `.trail` files.
    pub number: u32,
}

/// From a column of the line in which a statement begins to just before a column of the line in which it ends. All count from 1,
/// columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extent {
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameSet {
    pub name: String,
    /// Name number `i` stands for the value `i + 1`.
    pub names: Vec<String>,
}

impl NameSet {
    pub fn name_of(&self, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        self.names.get(index).map(String::as_str)
    }
}

impl Program {
    pub fn process_type(&self, id: ProcessTypeId) -> &ProcessType {
        &self.process_types[id.index()]
    }

    pub fn channel_type(&self, id: ChannelTypeId) -> &ChannelType {
        &self.channel_types[id.index()]
    }

    pub fn origin(&self, id: OriginId) -> &Origin {
        &self.origins[id.index()]
    }

    /// A value as its variable's type suggests.
    pub fn show_value(&self, meaning: Meaning, value: i32) -> String {
        match meaning {
            Meaning::Truth if value == 0 => "false".into(),
            Meaning::Truth if value == 1 => "true".into(),
            Meaning::Name(set) => match self.name_sets[set.index()].name_of(value) {
                Some(name) => name.into(),
                None => value.to_string(),
            },
            _ => value.to_string(),
        }
    }
}

impl ProcessType {
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{} {}", self.file, self.line, self.text)
    }
}
