//! Creation and end of processes, their channels, and their priorities.

use crate::codegen::state_view::{Base, StateView};
use crate::codegen::value::{FULL, Value};
use crate::codegen::{FunctionKey, Generator};
use crate::plan::{Actor, Footprint, any_expression};
use cranelift_codegen::ir::{Block, InstBuilder, types};
use lariat_ir::expression::{BinaryOp, Expr, Place, Scope};
use lariat_ir::layout::Cells;
use lariat_ir::layout::Interval;
use lariat_ir::program::{Action, ChannelTypeId, Operation, ProcessTypeId, VariableId};

impl Generator<'_, '_> {
    /// Starts a process and records its number as the spawned one.
    pub fn run(
        &mut self,
        view: &mut StateView,
        process_type: ProcessTypeId,
        arguments: &[Expr],
        priority: u8,
    ) {
        let values: Vec<Value> =
            arguments.iter().map(|argument| self.value(view, argument)).collect();
        let buffer = self.message_buffer();
        for (index, value) in values.into_iter().enumerate() {
            self.store_in_buffer(buffer, index, value);
        }
        let address = self.address(view);
        let priority = self.word_constant(priority.into());
        let key = FunctionKey::Run(process_type.index());
        let pid = self.call(key, &[address, buffer, priority]);
        self.check_result(key, pid);
        if let Some(spawned) = view.spawned {
            let pid = self.builder.ins().ireduce(types::I32, pid);
            self.builder.def_var(spawned, pid);
        }
    }

    /// Generates [`FunctionKey::Run`] for a process type.
    pub fn run_function(&mut self, process_type: ProcessTypeId) {
        let plan = self.plan;
        let base = Base::Memory(self.parameters[0]);
        let count = self.process_count(&StateView::new(base, None));
        let arms: Vec<(Actor, i32, Block)> = plan
            .actors()
            .filter(|actor| plan.kind(*actor).process_type == process_type)
            .map(|actor| (actor, actor.slot as i32, self.block()))
            .collect();
        let cases: Vec<(i32, Block)> =
            arms.iter().map(|(_, slot, block)| (*slot, *block)).collect();
        self.switch(count, &cases, self.bailout);
        for (actor, slot, block) in arms {
            self.at(block);
            let mut view = StateView::new(base, Some(actor));
            self.new_process(&mut view, actor);
            let pid = self.word_constant(slot as u64);
            self.return_value(pid);
        }
    }

    fn new_process(&mut self, view: &mut StateView, actor: Actor) {
        let plan = self.plan;
        let slot = &plan.layout.processes[actor.slot];
        let process_type = plan.process_type(actor);
        let dead = &process_type.location(process_type.initial_location).dead;
        self.write_field(view, plan.layout.process_count, Value::constant(actor.slot as i32 + 1));
        self.write_field(view, slot.kind, Value::constant(actor.kind as i32));
        let priority = self.low_half(self.parameters[2], Interval { low: 0, high: 255 });
        self.write_field(view, slot.priority, priority);
        let location = plan.kind(actor).location;
        self.write_field(view, location, Value::constant(process_type.initial_location.0 as i32));
        for (number, variable) in process_type.variables.iter().enumerate() {
            let cells = &plan.kind(actor).variables[number];
            let default = variable.domain.default_value();
            if number < process_type.parameters as usize {
                let argument = self.load_from_buffer(self.parameters[1], number, FULL);
                let argument = self.convert_to_domain(argument, variable.domain);
                let id = VariableId(number as u32);
                let unused = dead.contains(&id) && !prologue_uses(&process_type.prologue, id);
                let argument = if unused { Value::constant(default) } else { argument };
                self.write_field(view, cells.field(0), argument);
                continue;
            }
            for element in 0..variable.length() {
                match cells {
                    Cells::Constant(_) => {
                        view.provisional.insert((number as u32, element), default);
                    }
                    // The bits are still 0, which encodes the default.
                    Cells::Row { low, .. } if *low == default => {}
                    Cells::Row { .. } => {
                        self.write_field(view, cells.field(element), Value::constant(default));
                    }
                }
            }
        }
        for action in &process_type.prologue {
            self.perform_action(view, action);
        }
        for &variable in dead {
            let known = process_type.variables.get(variable);
            match &plan.kind(actor).variables[variable.index()] {
                Cells::Row { .. } => self.reset(view, variable),
                Cells::Constant(_) => {
                    for element in 0..known.length() {
                        view.provisional
                            .insert((variable.0, element), known.domain.default_value());
                    }
                }
            }
        }
        // Variables that the layout declares constant must have that value now.
        for ((variable, element), value) in std::mem::take(&mut view.provisional) {
            if plan.kind(actor).variables[variable as usize].field(element).low != value {
                self.bail_out();
            }
        }
    }

    /// Creates a channel in a process's prologue. The state must be in memory.
    pub fn new_channel(
        &mut self,
        view: &mut StateView,
        place: &Place,
        channel_type: ChannelTypeId,
    ) {
        let plan = self.plan;
        let owner = match (place.scope, view.actor) {
            (Scope::Local, Some(actor)) => actor.slot as i32 + 1,
            _ => 0,
        };
        let count = self.channel_count(view);
        let after = self.block();
        let kind_of = |index: usize| {
            let slot = &plan.layout.channels[index];
            let fits = slot.owner.interval().contains(Interval::point(owner));
            slot.kinds.iter().position(|kind| fits && kind.channel_type == channel_type)
        };
        let arms: Vec<(usize, usize, Block)> = (0..plan.layout.channels.len())
            .filter_map(|index| Some((index, kind_of(index)?)))
            .map(|(index, kind)| (index, kind, self.block()))
            .collect();
        let cases: Vec<(i32, Block)> =
            arms.iter().map(|(index, _, block)| (*index as i32, *block)).collect();
        self.switch(count, &cases, self.bailout);
        for (index, kind, block) in arms {
            self.at(block);
            let slot = &plan.layout.channels[index];
            self.write_field(view, slot.kind, Value::constant(kind as i32));
            self.write_field(view, slot.owner, Value::constant(owner));
            self.write_field(view, slot.kinds[kind].length, Value::constant(0));
            let number = Value::constant(index as i32 + 1);
            self.write_field(view, plan.layout.channel_count, number);
            // The number is constant within this arm. All arms must leave the same provisional
            // values, so the arm's are discarded.
            let element = self.place_element(view, place);
            let provisional = std::mem::take(&mut view.provisional);
            self.store(view, place, element, number);
            view.provisional = provisional;
            self.go_to(after);
        }
        self.at(after);
        if place.scope == Scope::Local {
            view.provisional.retain(|(variable, _), _| {
                *variable != place.variable.0 || !place.indices.is_empty()
            });
            if !place.indices.is_empty() {
                let element = self.plan.variable(view.actor, place).and_then(|(variable, _)| {
                    self.plan.fold_element(view.actor, variable, &place.indices)
                });
                match element {
                    Some(element) => {
                        view.provisional.remove(&(place.variable.0, element));
                    }
                    None if view
                        .provisional
                        .keys()
                        .any(|(variable, _)| *variable == place.variable.0) =>
                    {
                        self.bail_out();
                    }
                    None => {}
                }
            }
        }
    }

    /// Removes the youngest process and its channels.
    pub fn end_process(&mut self, view: &mut StateView, slot: usize) {
        let plan = self.plan;
        let layout = plan.layout;
        for (word, bits) in Footprint::read_of_process(layout, slot).masks {
            let old = self.word(view, word);
            let new = self.and_mask(old, !bits);
            self.set_word(view, word, new);
        }
        self.write_field(view, layout.process_count, Value::constant(slot as i32));
        let owner = slot as i32 + 1;
        for index in (0..layout.channels.len()).rev() {
            let channel = &layout.channels[index];
            if !channel.owner.interval().contains(Interval::point(owner)) {
                continue;
            }
            let count = self.channel_count(view);
            let last = self.equals(count, index as i32 + 1);
            if last.known_truth() == Some(false) {
                continue;
            }
            let holder = self.read_field(view, channel.owner, Interval { low: 0, high: 255 });
            let owned = self.equals(holder, owner);
            let ends = self.both(last, owned);
            if ends.known_truth() == Some(false) {
                continue;
            }
            let truth = self.truth(ends);
            for (word, bits) in Footprint::of_channel(layout, index).masks {
                let old = self.word(view, word);
                let cleared = self.and_mask(old, !bits);
                let new = self.builder.ins().select(truth, cleared, old);
                self.set_word(view, word, new);
            }
            let fewer = self.number_constant(index as i32);
            let count_number = self.number(count);
            let count = self.builder.ins().select(truth, fewer, count_number);
            let range = Interval { low: 0, high: layout.channels.len() as i64 };
            self.write_field(view, layout.channel_count, Value::number(count, range));
        }
    }

    /// Sets the priority of the process whose number is given, if there is one.
    pub fn set_priority(&mut self, view: &mut StateView, process: &Expr, priority: &Expr) {
        let process = self.value(view, process);
        let priority = self.value(view, priority);
        let count = self.process_count(view);
        let exists = match process.range.low >= 0 {
            true => self.binary(BinaryOp::Less, process, count),
            false => {
                let natural = self.binary(BinaryOp::GreaterEqual, process, Value::constant(0));
                let below = self.binary(BinaryOp::Less, process, count);
                self.both(natural, below)
            }
        };
        // A priority out of range is an error only if the process exists.
        let low = self.binary(BinaryOp::Less, priority, Value::constant(1));
        let high = self.binary(BinaryOp::Greater, priority, Value::constant(255));
        let wrong = self.either(low, high);
        let wrong = self.both(exists, wrong);
        self.bail_out_if(wrong);
        for slot in 0..self.plan.layout.processes.len() {
            let is = self.equals(process, slot as i32);
            let is = self.both(is, exists);
            if is.known_truth() == Some(false) {
                continue;
            }
            let old = self.priority(view, slot);
            // Without a process the bits are 0 and stay 0.
            let range = old.range.join(priority.range);
            let (truth, new, old) = (self.truth(is), self.number(priority), self.number(old));
            let new = self.builder.ins().select(truth, new, old);
            let field = self.plan.layout.processes[slot].priority;
            self.write_field(view, field, Value::number(new, range));
        }
    }
}

/// Whether a prologue may read or write a variable of its process.
fn prologue_uses(prologue: &[Action], variable: VariableId) -> bool {
    let operation = Operation::Guarded { guard: Expr::TRUE, actions: prologue.to_vec() };
    any_expression(&operation, &|expr| {
        expr.any(&|part| match part {
            Expr::Read(place) => place.scope == Scope::Local && place.variable == variable,
            Expr::ReadRemote { .. } | Expr::Enabled(_) => true,
            _ => false,
        })
    })
}
