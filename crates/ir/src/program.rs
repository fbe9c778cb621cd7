//! The program IR: process types as control-flow graphs of guarded transitions, over typed
//! variables and channels.
//!
//! The order of a location's transitions matters: `Else` depends on the transitions before it, and
//! of the escapes of an `unless` the first group with an enabled transition is taken.

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
            /// The number, as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A variable, numbered within its scope: the program or a process type.
    VariableId,
    /// A process type.
    ProcessTypeId,
    /// A channel type.
    ChannelTypeId,
    /// A control location, numbered within its process type.
    LocationId,
    /// A statement of the source text.
    OriginId,
    /// A set of names for numbers (an `mtype`).
    NameSetId
}

/// A transition system: global variables, process types, initial states and properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The global variables.
    pub variables: Variables,
    /// The channel types, by id.
    pub channel_types: Vec<ChannelType>,
    /// The process types, by id.
    pub process_types: Vec<ProcessType>,
    /// Actions that make the initial values, in this order, before any process exists.
    pub prologue: Vec<Action>,
    /// If present, the initial states are all states that satisfy it; the values that the prologue
    /// assigned to the variables in it are ignored.
    pub initial_condition: Option<Expr>,
    /// The processes of the initial states, by process number.
    pub initial_processes: Vec<Instance>,
    /// Conditions that must hold in every stored state.
    pub invariants: Vec<Invariant>,
    /// A state without successors that satisfies this condition is a valid end state, even if its
    /// processes are not at end locations.
    pub end_condition: Option<Expr>,
    /// The `trace` or `notrace` automaton.
    pub event_trace: Option<EventTrace>,
    /// The statements of the source, for traces and reports.
    pub origins: Vec<Origin>,
    /// The sets of names, by id.
    pub name_sets: Vec<NameSet>,
    /// Some process has or sets a priority: only enabled processes of the highest priority move.
    pub has_priorities: bool,
    /// `Expr::Last` occurs, so the process that moved last is part of the state.
    pub remembers_last: bool,
    /// `Expr::Partner` occurs, so the other process of the last step is part of the state.
    pub remembers_partner: bool,
}

/// A process of the initial states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The type of the process.
    pub process_type: ProcessTypeId,
    /// Its initial priority; 1 is the default.
    pub priority: u8,
}

/// A condition on states that no process evaluates: it may refer to globals and, remotely, to
/// processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The name in reports.
    pub name: String,
    /// The condition that must not be 0.
    pub condition: Expr,
    /// The statement that declares it.
    pub origin: OriginId,
}

/// The variables of one scope. A variable takes consecutive slots of the state, one per element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    list: Vec<Variable>,
    slots: u32,
}

/// A variable, which is a scalar or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source; `[]` marks the position of an index (`a[].b[]`). Indices at the end
    /// may be omitted.
    pub name: String,
    /// The number of elements along each dimension; empty for a scalar.
    pub dimensions: Vec<u32>,
    /// The values that it can hold.
    pub domain: Domain,
    /// How reports show its values.
    pub meaning: Meaning,
    /// Whether the variable is excluded from the identity of a state.
    pub hidden: bool,
    first_slot: u32,
}

/// How a number is shown in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// As a number.
    Number,
    /// As `true` or `false`.
    Truth,
    /// As a name of this set.
    Name(NameSetId),
    /// As the number of a channel.
    Channel,
    /// As the number of a process.
    Process,
}

impl Variables {
    /// Adds a variable; its slots follow those of the previous variables.
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
        let variable =
            Variable { name: name.into(), dimensions, domain, meaning, hidden, first_slot };
        self.slots += variable.length();
        self.list.push(variable);
        id
    }

    /// The variable with this id.
    pub fn get(&self, id: VariableId) -> &Variable {
        &self.list[id.index()]
    }

    /// The variables in the order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Variable> + Clone {
        self.list.iter()
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Makes every variable part of the identity of a state.
    pub fn reveal(&mut self) {
        self.list.iter_mut().for_each(|variable| variable.hidden = false);
    }

    /// The number of slots of all variables.
    pub fn slot_count(&self) -> usize {
        self.slots as usize
    }
}

impl Variable {
    /// The number of elements: the product of the dimensions.
    pub fn length(&self) -> u32 {
        self.dimensions.iter().product()
    }

    /// The slot of the first element.
    pub fn first_slot(&self) -> usize {
        self.first_slot as usize
    }

    /// The slots of all elements.
    pub fn slots(&self) -> std::ops::Range<usize> {
        self.first_slot()..self.first_slot() + self.length() as usize
    }

    /// The name of an element, with its indices.
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

/// The capacity and the message format of channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelType {
    /// The declared name, for reports.
    pub name: String,
    /// The most messages; 0 for a rendezvous channel.
    pub capacity: u32,
    /// The fields of a message.
    pub fields: Vec<FieldType>,
}

/// The type of a field of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldType {
    /// The values that the field can hold.
    pub domain: Domain,
    /// How reports show its values.
    pub meaning: Meaning,
}

/// The behaviour of processes: a control-flow graph over local variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessType {
    /// The name in the source.
    pub name: String,
    /// The number of parameters: the first variables, which `run` initialises.
    pub parameters: u32,
    /// The local variables.
    pub variables: Variables,
    /// Actions that a new process performs, in this order, after its parameters are set.
    pub prologue: Vec<Action>,
    /// The location of a new process.
    pub initial_location: LocationId,
    /// The control-flow graph, by id.
    pub locations: Vec<Location>,
    /// Processes of this type can move only while this condition holds.
    pub provided: Option<Expr>,
    /// Whether two transitions enabled at once are an error.
    pub deterministic: bool,
    /// Channels that only this process may use while it exists.
    pub exclusive: Vec<Exclusive>,
}

/// The declaration `xr` (if `receive`) or `xs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusive {
    /// The channel.
    pub channel: Expr,
    /// Whether the right is to receive (`xr`) and not to send (`xs`).
    pub receive: bool,
}

/// A control location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The outgoing transitions, in the order in which they are tried.
    pub transitions: Vec<Transition>,
    /// Whether a process here is at a valid end.
    pub end: bool,
    /// Whether this is an accepting location of a `never` claim.
    pub accept: bool,
    /// Whether a process here makes progress.
    pub progress: bool,
    /// The labels written at this location.
    pub labels: Vec<String>,
    /// SPIN's number of the location, for `pc_value`.
    pub number: u32,
    /// Variables of the process that are written before they are read again. They are reset to
    /// their defaults when a process arrives or starts here.
    pub dead: Vec<VariableId>,
}

/// A guarded transition between two locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The guard and the effect.
    pub operation: Operation,
    /// The next location; meaningless for [`Operation::End`].
    pub target: LocationId,
    /// Whether only this process (for a rendezvous: the receiver) can move next, until it is
    /// blocked.
    pub keeps_control: bool,
    /// 0, or the group of `unless` escapes to which it belongs.
    pub escape: u32,
    /// The statement in the source.
    pub origin: OriginId,
}

/// The guard and the effect of a transition.
#[allow(missing_docs, reason = "the fields are named after the parts of the statements")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Enabled if the guard holds; performs the actions in order.
    Guarded { guard: Expr, actions: Vec<Action> },
    /// Enabled if no transition before it at its location is enabled.
    Else,
    /// Enabled if the channel is not full or, for a rendezvous, if a matching receive is enabled.
    Send { channel: Expr, arguments: Vec<Expr>, sorted: bool },
    /// Enabled if the first message (`random`: some message) matches.
    Receive {
        channel: Expr,
        patterns: Vec<Pattern>,
        random: bool,
        /// The message stays in the channel.
        keep: bool,
    },
    /// The process ceases to exist; enabled if no younger process exists.
    End,
    /// A `d_step`: runs to its end as one step and takes the first enabled branch at each node.
    Deterministic(Body),
}

impl Operation {
    /// Always enabled, without effect.
    pub const SKIP: Operation = Operation::Guarded { guard: Expr::TRUE, actions: Vec::new() };

    /// A guard without actions.
    pub fn when(guard: Expr) -> Operation {
        Operation::Guarded { guard, actions: Vec::new() }
    }

    /// Actions without a guard.
    pub fn act(actions: Vec<Action>) -> Operation {
        Operation::Guarded { guard: Expr::TRUE, actions }
    }
}

/// The graph of a `d_step`, entered at node 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The branches of each node, in the order in which they are tried.
    pub nodes: Vec<Vec<Branch>>,
}

/// An edge of the graph of a `d_step`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// The guard and the effect.
    pub kind: BranchKind,
    /// The next node; `None` leaves the body.
    pub next: Option<u32>,
    /// The statement in the source.
    pub origin: OriginId,
}

/// The guard and the effect of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// Not `End` and not `Deterministic`.
    Operation(Operation),
    /// Continues at `next` even if no branch is enabled there (a nested selection).
    Enter,
}

/// An effect of a transition.
#[allow(missing_docs, reason = "the fields are named after the parts of the statements")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Evaluates all right sides, then stores the values from left to right.
    Assign(Vec<(Place, Expr)>),
    /// Creates a channel and stores its number.
    NewChannel { place: Place, channel_type: ChannelTypeId },
    /// Creates a process, whose number is then [`Expr::Spawned`].
    Run { process_type: ProcessTypeId, arguments: Vec<Expr>, priority: u8 },
    /// Reports an error if the condition is 0; `text` is the condition in the source.
    Assert { condition: Expr, text: String },
    /// Prints a text.
    Print { format: Vec<PrintPart> },
    /// Sets the priority of a process.
    SetPriority { process: Expr, priority: Expr },
}

/// A part of a printed text: a constant, or a value and its format.
#[allow(missing_docs, reason = "the variants are the conversions of C's printf")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintPart {
    Text(String),
    Decimal(Expr),
    Unsigned(Expr),
    Hexadecimal(Expr),
    Octal(Expr),
    Character(Expr),
    /// The name of the value in the set; the number if there is none.
    Name(Expr, NameSetId),
}

/// The automaton of a `trace` or `notrace` block, which moves on sends and receives in its scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventTrace {
    /// Whether the block is a `notrace`: reaching its end is an error.
    pub negated: bool,
    /// Global channels (expressions for their numbers) whose sends are in its scope.
    pub send_scope: Vec<Expr>,
    /// Global channels whose receives are in its scope.
    pub receive_scope: Vec<Expr>,
    /// The initial location.
    pub initial: u32,
    /// The location of the closing brace.
    pub end: u32,
    /// The other locations in which the system may end.
    pub resting: Vec<u32>,
    /// The outgoing transitions of each location.
    pub locations: Vec<Vec<Event>>,
}

/// A transition of an event trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Whether the event is a send and not a receive.
    pub send: bool,
    /// The channel.
    pub channel: Expr,
    /// The required values of the fields; `None` for any value.
    pub fields: Vec<Option<Expr>>,
    /// The next location.
    pub target: u32,
}

/// A statement of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// The columns, and the last line of the statement, if known.
    pub extent: Option<Extent>,
    /// The statement as written.
    pub text: String,
    /// SPIN's number for the transition, used in `.trail` files.
    pub number: u32,
}

/// The range from a column of the first line of a statement to just before a column of its last
/// line. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Extent {
    /// The first column.
    pub column: u32,
    /// The last line.
    pub end_line: u32,
    /// The column behind the end.
    pub end_column: u32,
}

/// A set of names for numbers (an `mtype`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameSet {
    /// The name of the set.
    pub name: String,
    /// The name at index `i` stands for the value `i + 1`.
    pub names: Vec<String>,
}

impl NameSet {
    /// The name of a value, if it has one.
    pub fn name_of(&self, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        self.names.get(index).map(String::as_str)
    }
}

impl Program {
    /// The process type with this id.
    pub fn process_type(&self, id: ProcessTypeId) -> &ProcessType {
        &self.process_types[id.index()]
    }

    /// The channel type with this id.
    pub fn channel_type(&self, id: ChannelTypeId) -> &ChannelType {
        &self.channel_types[id.index()]
    }

    /// The statement with this id.
    pub fn origin(&self, id: OriginId) -> &Origin {
        &self.origins[id.index()]
    }

    /// A value as reports show it.
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
    /// The location with this id.
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.index()]
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{} {}", self.file, self.line, self.text)
    }
}
