//! The generated functions: their parameters, results, and the registry that numbers them.

use crate::plan::Actor;
use crate::units::{Part, Unit, UnitTable};
use cranelift_codegen::ir::{AbiParam, Signature, types};
use cranelift_codegen::isa::CallConv;
use std::collections::HashMap;
use std::sync::Arc;

/// A function to be generated. All parameters and results are 64-bit numbers. "Bailout" names the
/// result that sends the caller to the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKey {
    /// `(state, out, limit) -> out`: writes all successors of a state. Bailout: 0.
    Driver,
    /// `(state, out, context) -> out`: writes the successors by one process. Bailout: 0.
    Expand(Actor),
    /// `(half-step state, message, out, context, code of the send) -> out`: writes the successors
    /// in which one process receives from a rendezvous channel. Bailout: 0.
    Receive(Actor, usize),
    /// `(state, nesting, context) -> 0 or 1`: whether the process can make a step. Bailout: 2.
    Enabled(usize),
    /// `(state, arguments, priority) -> pid`: starts a process. Bailout: all ones.
    Run(usize),
    /// `(state, channel) -> length | capacity << 32`. Bailout, if the channel does not exist: all
    /// ones.
    ChannelSize,
    /// `(state, channel, position, buffer) -> number of fields`: unpacks a message. Bailout: all
    /// ones.
    Fetch,
    /// `(state, channel, buffer, sorted) -> 0`: adds a message to a channel that is not full.
    /// Bailout: all ones.
    Send,
    /// `(state, channel, position) -> 0`: removes a message. Bailout: all ones.
    Remove,
    /// `(state, result) -> 1`: writes the truth of a list of conditions as bits. Bailout: 0.
    Conditions,
    /// The part of a function for one location of its process. Parameters and results are those of
    /// the function.
    Unit(Unit),
}

impl FunctionKey {
    fn parameters(self) -> usize {
        match self {
            FunctionKey::Unit(unit) => unit.part.function().parameters(),
            FunctionKey::Receive(..) => 5,
            FunctionKey::Fetch | FunctionKey::Send => 4,
            FunctionKey::ChannelSize | FunctionKey::Conditions => 2,
            _ => 3,
        }
    }

    pub fn bailout_result(self) -> i64 {
        match self {
            FunctionKey::Driver
            | FunctionKey::Expand(_)
            | FunctionKey::Receive(..)
            | FunctionKey::Conditions => 0,
            FunctionKey::Enabled(_) => 2,
            FunctionKey::Unit(unit) => unit.part.function().bailout_result(),
            _ => -1,
        }
    }

    pub fn signature(self, convention: CallConv) -> Signature {
        let mut signature = Signature::new(convention);
        signature.params = vec![AbiParam::new(types::I64); self.parameters()];
        signature.returns = vec![AbiParam::new(types::I64)];
        signature
    }
}

/// The functions needed so far. A function's position in the list is its number in the module.
#[derive(Debug, Default)]
pub struct FunctionRegistry {
    pub list: Vec<FunctionKey>,
    numbers: HashMap<FunctionKey, u32>,
    /// Constant tables that the code reads; they must live as long as the code.
    pub tables: Vec<Box<[i32]>>,
    /// The addresses of functions that are linked already.
    pub linked: HashMap<FunctionKey, usize>,
    /// The units of a program whose code is [split](crate::plan::Plan::split).
    pub units: Arc<UnitTable>,
}

impl FunctionRegistry {
    /// A registry of a program whose code is split into these units.
    pub fn new(units: Arc<UnitTable>) -> FunctionRegistry {
        FunctionRegistry { units, ..FunctionRegistry::default() }
    }

    /// The address of the first entry for a part, and the number of its first unit.
    pub fn entries(&self, part: Part, locations: usize) -> (usize, u32) {
        self.units.entries(part, locations)
    }

    /// The functions that are not linked yet. The registry is ready for others afterwards.
    pub fn take_list(&mut self) -> Vec<FunctionKey> {
        self.numbers.clear();
        std::mem::take(&mut self.list)
    }

    /// The number of a function, which is added to the list on first use.
    pub fn number(&mut self, key: FunctionKey) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.list.push(key);
            self.list.len() as u32 - 1
        })
    }
}
