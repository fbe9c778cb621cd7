//! What expressions read about processes: existence, location, priority, remote variables.

use crate::codegen::Generator;
use crate::codegen::state_view::StateView;
use crate::codegen::value::Value;
use crate::plan::Actor;
use cranelift_codegen::ir::{Block, types};
use lariat_ir::expression::{BinaryOp, Expr, Remote};
use lariat_ir::layout::Interval;
use lariat_ir::program::ProcessTypeId;

impl Generator<'_, '_> {
    pub fn process_count(&mut self, view: &StateView) -> Value {
        let range = self.plan.process_count_range();
        self.read_field(view, self.plan.layout.process_count, range)
    }

    /// Whether a process with this number exists.
    pub fn process_exists(&mut self, view: &StateView, slot: usize) -> Value {
        let count = self.process_count(view);
        self.binary(BinaryOp::Greater, count, Value::constant(slot as i32))
    }

    /// Whether the process, which must exist, is of this kind.
    pub fn has_kind(&mut self, view: &StateView, actor: Actor) -> Value {
        let slot = &self.plan.layout.processes[actor.slot];
        if slot.kinds.len() == 1 {
            return Value::constant(1);
        }
        let last = slot.kinds.len() as i64 - 1;
        let kind = self.read_field(view, slot.kind, Interval { low: 0, high: last });
        self.equals(kind, actor.kind as i32)
    }

    pub fn location(&mut self, view: &StateView, actor: Actor) -> Value {
        if view.actor == Some(actor)
            && let Some(location) = view.location
        {
            return Value::constant(location as i32);
        }
        let last = self.plan.process_type(actor).locations.len() as i64 - 1;
        self.read_field(view, self.plan.kind(actor).location, Interval { low: 0, high: last })
    }

    pub fn location_number(&mut self, view: &StateView, actor: Actor) -> Value {
        let location = self.location(view, actor);
        let locations = &self.plan.process_type(actor).locations;
        let numbers = locations.iter().map(|location| location.number as i32).collect();
        self.table_entry(numbers, location)
    }

    pub fn priority(&mut self, view: &StateView, slot: usize) -> Value {
        let field = self.plan.layout.processes[slot].priority;
        self.read_field(view, field, Interval { low: 0, high: 255 })
    }

    pub fn non_progress(&mut self, view: &StateView) -> Value {
        let plan = self.plan;
        let mut progress = Value::constant(0);
        for actor in plan.actors() {
            let locations = &plan.process_type(actor).locations;
            if !locations.iter().any(|location| location.progress) {
                continue;
            }
            let location = self.location(view, actor);
            let at = self.is_member(location, &|at| {
                locations.get(at as usize).is_some_and(|location| location.progress)
            });
            let exists = self.process_exists(view, actor.slot);
            let kind = self.has_kind(view, actor);
            let here = self.both(exists, kind);
            let here = self.both(here, at);
            progress = self.either(progress, here);
        }
        self.negation(progress)
    }

    /// Reads from the process whose number an expression yields; 0 if there is no such process.
    pub fn read_of_process(
        &mut self,
        view: &StateView,
        pid: &Expr,
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let pid = self.value(view, pid);
        let slots = self.plan.layout.processes.len();
        if let Some(constant) = pid.as_constant() {
            return match usize::try_from(constant) {
                Ok(slot) if slot < slots => self.read_of_slot(view, slot, read),
                _ => Value::constant(0),
            };
        }
        let after = self.block();
        let result = self.builder.append_block_param(after, types::I32);
        let otherwise = self.block();
        let arms: Vec<(i32, Block)> = (0..slots as i32)
            .filter(|slot| pid.range.contains(Interval::point(*slot)))
            .map(|slot| (slot, self.block()))
            .collect();
        self.switch(pid, &arms, otherwise);
        let mut range = Interval::point(0);
        for (slot, block) in arms {
            self.at(block);
            let value = self.read_of_slot(view, slot as usize, read);
            range = range.join(value.range);
            let number = self.number(value);
            self.jump_with(after, number);
        }
        self.at(otherwise);
        let zero = self.number_constant(0);
        self.jump_with(after, zero);
        self.at(after);
        Value::number(result, range)
    }

    fn read_of_slot(
        &mut self,
        view: &StateView,
        slot: usize,
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let exists = self.process_exists(view, slot);
        let kinds = self.plan.layout.processes[slot].kinds.len();
        self.choose(
            exists,
            |generator| generator.read_of_kind(view, slot, (0, kinds), read),
            |_| Value::constant(0),
        )
    }

    fn read_of_kind(
        &mut self,
        view: &StateView,
        slot: usize,
        (kind, kinds): (usize, usize),
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let actor = Actor { slot, kind };
        if kind + 1 >= kinds {
            return read(self, actor);
        }
        let is = self.has_kind(view, actor);
        let (yes, no, after) = (self.block(), self.block(), self.block());
        let result = self.builder.append_block_param(after, types::I32);
        self.branch(is, yes, no);
        self.at(yes);
        let first = read(self, actor);
        let number = self.number(first);
        self.jump_with(after, number);
        self.at(no);
        let second = self.read_of_kind(view, slot, (kind + 1, kinds), read);
        let number = self.number(second);
        self.jump_with(after, number);
        self.at(after);
        Value::number(result, first.range.join(second.range))
    }

    pub fn remote(
        &mut self,
        view: &StateView,
        process_type: ProcessTypeId,
        process: &Remote,
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        match process {
            Remote::Pid(pid) => self.read_of_process(view, pid, read),
            Remote::Only => {
                let plan = self.plan;
                let candidates: Vec<Actor> = plan
                    .actors()
                    .filter(|actor| plan.kind(*actor).process_type == process_type)
                    .collect();
                self.read_of_first(view, &candidates, read)
            }
        }
    }

    /// Reads from the first of these processes that exists; 0 if none does.
    fn read_of_first(
        &mut self,
        view: &StateView,
        candidates: &[Actor],
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let Some((&actor, others)) = candidates.split_first() else { return Value::constant(0) };
        let exists = self.process_exists(view, actor.slot);
        let kind = self.has_kind(view, actor);
        let here = self.both(exists, kind);
        match here.known_truth() {
            Some(true) => read(self, actor),
            Some(false) => self.read_of_first(view, others, read),
            None => {
                let (yes, no, after) = (self.block(), self.block(), self.block());
                let result = self.builder.append_block_param(after, types::I32);
                self.branch(here, yes, no);
                self.at(yes);
                let first = read(self, actor);
                let number = self.number(first);
                self.jump_with(after, number);
                self.at(no);
                let second = self.read_of_first(view, others, read);
                let number = self.number(second);
                self.jump_with(after, number);
                self.at(after);
                Value::number(result, first.range.join(second.range))
            }
        }
    }
}
