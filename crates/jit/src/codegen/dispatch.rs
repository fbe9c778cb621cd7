//! Calls of the code for the location of a process, in a program whose code is split into
//! [units](crate::units). The address of a unit is an entry of a table, indexed by the location; as
//! long as the entry is 0, the call records the number of the unit and bails out.

use crate::codegen::state_view::StateView;
use crate::codegen::{FunctionKey, Generator, LIMIT_OFFSET, trusted};
use crate::plan::Actor;
use crate::units::{Part, Unit};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};

impl Generator<'_, '_> {
    /// Calls the unit for the location of the process. Bails out if it does or is missing.
    pub fn call_unit(
        &mut self,
        view: &StateView,
        actor: Actor,
        part: Part,
        arguments: &[ir::Value],
    ) -> ir::Value {
        let locations = self.plan.process_type(actor).locations.len();
        let (entries, first) = self.registry.entries(part, locations);
        let location = self.location(view, actor);
        let location = self.wide(location);
        let entries = self.word_constant(entries as u64);
        let offset = self.shift_left(location, 3);
        let entry = self.builder.ins().iadd(entries, offset);
        // Another thread may have written the entry, so that it is not trusted to be constant.
        let flags = MemFlagsData::new().with_notrap().with_aligned();
        let address = self.builder.ins().load(types::I64, flags, entry, 0);
        let (present, missing) = (self.block(), self.block());
        self.builder.set_cold_block(missing);
        self.builder.ins().brif(address, present, &[], missing, &[]);
        self.at(missing);
        if let Some(context) = self.context {
            let first = self.word_constant(u64::from(first) + 1);
            let number = self.builder.ins().iadd(location, first);
            let limit = self.builder.ins().load(types::I64, trusted(), context, LIMIT_OFFSET);
            self.builder.ins().store(trusted(), number, limit, 0);
        }
        self.go_to(self.bailout);
        self.at(present);
        let key = part.function();
        let result = self.call_address(key, address, arguments);
        self.check_result(key, result);
        result
    }

    /// Generates [`FunctionKey::Unit`].
    pub fn unit_function(&mut self, unit: Unit) {
        let location = unit.location;
        match unit.part {
            Part::Expand(actor) => self.expand_unit(actor, location),
            Part::Receive(actor, channel) => self.receive_unit(actor, channel, location),
            Part::Enabled(actor) => self.enabled_unit(actor, location),
        }
    }

    pub fn call_address(
        &mut self,
        key: FunctionKey,
        address: ir::Value,
        arguments: &[ir::Value],
    ) -> ir::Value {
        let signature = self.builder.import_signature(key.signature(self.convention));
        let call = self.builder.ins().call_indirect(signature, address, arguments);
        self.builder.inst_results(call)[0]
    }
}

impl StateView {
    /// This state, with the actor at a known location.
    pub fn at(&self, location: u32) -> StateView {
        StateView { location: Some(location), ..self.clone() }
    }
}
