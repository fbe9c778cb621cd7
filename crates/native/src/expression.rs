//! Expressions as machine code. Whatever has no value, or would note an error, is abnormal.

use crate::function::{FunctionKey, Generator};
use crate::plan::Actor;
use crate::state_access::{Index, Scene};
use crate::value::{BIT, Code, FULL, Value, binary_range, decided};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, types};
use model::domain::Domain;
use model::expression::{BinaryOp, Expr, Place, Remote, Scope, UnaryOp};
use model::layout::{Cells, Interval};
use model::program::{ProcessTypeId, Variable};

/// How deep questions whether processes are enabled may be nested before the interpreter is asked.
const NESTING: i32 = 16;

impl Generator<'_, '_> {
    pub fn value(&mut self, scene: &Scene, expr: &Expr) -> Value {
        match expr {
            Expr::Const(value) => Value::constant(*value),
            Expr::Read(place) => self.read_place(scene, place),
            Expr::Unary(op, operand) => {
                let value = self.value(scene, operand);
                self.unary(*op, value)
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                self.connective(scene, *op, left, right)
            }
            Expr::Binary(op, left, right) => {
                let left = self.value(scene, left);
                let right = self.value(scene, right);
                self.binary(*op, left, right)
            }
            Expr::Conditional(condition, yes, no) => {
                let condition = self.value(scene, condition);
                self.choose(
                    condition,
                    |generator| generator.value(scene, yes),
                    |generator| generator.value(scene, no),
                )
            }
            Expr::Channel(query, channel) => self.channel_query(scene, *query, channel),
            Expr::Poll { channel, patterns, random } => self.poll(scene, channel, patterns, *random),
            // Whether anybody can move at all, as a property sees it, only the interpreter knows.
            Expr::Timeout | Expr::Enabled(_) if scene.actor.is_none() => {
                self.give_up();
                Value::constant(0)
            }
            Expr::Timeout => self.timeout(),
            Expr::Pid => Value::constant(scene.actor.map_or(0, |actor| actor.slot as i32)),
            Expr::ProcessCount => self.process_count(scene),
            Expr::Last => self.read_field(scene, self.plan.layout.last, FULL),
            Expr::Partner => self.read_field(scene, self.plan.layout.partner, FULL),
            Expr::Spawned => match scene.spawned {
                Some(variable) => {
                    let number = self.builder.use_var(variable);
                    Value::number(number, Interval { low: 0, high: 255 })
                }
                None => Value::constant(0),
            },
            Expr::Enabled(pid) => self.enabled_query(scene, pid),
            Expr::PcValue(pid) => {
                self.of_process(scene, pid, &mut |generator, actor| generator.location_number(scene, actor))
            }
            Expr::Priority(pid) => {
                self.of_process(scene, pid, &mut |generator, actor| generator.priority(scene, actor.slot))
            }
            Expr::NonProgress => self.non_progress(scene),
            Expr::At { process_type, process, location } => {
                let plan = self.plan;
                let wanted = plan.program.process_type(*process_type).location(*location).number;
                self.remote(scene, *process_type, process, &mut |generator, actor| {
                    let location = generator.location(scene, actor);
                    let locations = &plan.process_type(actor).locations;
                    generator.is_member(location, &|at| {
                        locations.get(at as usize).is_some_and(|location| location.number == wanted)
                    })
                })
            }
            Expr::ReadRemote { process_type, process, variable, indices } => {
                let plan = self.plan;
                if !scene.settling.is_empty() {
                    self.give_up();
                }
                self.remote(scene, *process_type, process, &mut |generator, actor| {
                    if plan.kind(actor).process_type != *process_type {
                        return Value::constant(0);
                    }
                    let cells = &plan.kind(actor).variables[variable.index()];
                    let variable = plan.process_type(actor).variables.get(*variable);
                    // The indices are those of the process that asks.
                    let index = generator.element(scene, variable, indices);
                    generator.read_cells(scene, cells, index, variable.domain)
                })
            }
        }
    }

    /// Leaves the current block, by the truth of an expression.
    pub fn branch_on(&mut self, scene: &Scene, expr: &Expr, yes: Block, no: Block) {
        match expr {
            Expr::Binary(BinaryOp::And, left, right) => {
                let middle = self.block();
                self.branch_on(scene, left, middle, no);
                self.at(middle);
                self.branch_on(scene, right, yes, no);
            }
            Expr::Binary(BinaryOp::Or, left, right) => {
                let middle = self.block();
                self.branch_on(scene, left, yes, middle);
                self.at(middle);
                self.branch_on(scene, right, yes, no);
            }
            Expr::Unary(UnaryOp::Not, operand) => self.branch_on(scene, operand, no, yes),
            _ => {
                let value = self.value(scene, expr);
                self.branch(value, yes, no);
            }
        }
    }

    fn connective(&mut self, scene: &Scene, op: BinaryOp, left: &Expr, right: &Expr) -> Value {
        let left = self.value(scene, left);
        let conjunction = op == BinaryOp::And;
        if let Some(known) = left.known_truth() {
            if known != conjunction {
                return Value::constant(i32::from(known));
            }
            let right = self.value(scene, right);
            return self.as_truth(right);
        }
        if self.is_simple(scene, right) {
            let right = self.value(scene, right);
            return if conjunction { self.both(left, right) } else { self.either(left, right) };
        }
        let truth = |generator: &mut Self| {
            let right = generator.value(scene, right);
            generator.as_truth(right)
        };
        match conjunction {
            true => self.choose(left, truth, |_| Value::constant(0)),
            false => self.choose(left, |_| Value::constant(1), truth),
        }
    }

    /// Cheap, and never abnormal?
    fn is_simple(&self, scene: &Scene, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Pid | Expr::Timeout | Expr::ProcessCount => true,
            Expr::Last | Expr::Partner => true,
            Expr::Read(place) => self.plan.variable(scene.actor, place).is_some_and(|(variable, _)| {
                self.plan.fold_element(scene.actor, variable, &place.indices).is_some()
            }),
            Expr::Unary(_, operand) => self.is_simple(scene, operand),
            Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => false,
            Expr::Binary(_, left, right) => self.is_simple(scene, left) && self.is_simple(scene, right),
            _ => false,
        }
    }

    fn unary(&mut self, op: UnaryOp, value: Value) -> Value {
        if let Some(constant) = value.as_constant() {
            return Value::constant(match op {
                UnaryOp::Not => i32::from(constant == 0),
                UnaryOp::Negate => constant.wrapping_neg(),
                UnaryOp::Complement => !constant,
            });
        }
        match op {
            UnaryOp::Not => self.negation(value),
            UnaryOp::Negate => {
                let range = binary_range(BinaryOp::Subtract, Interval::point(0), value.range);
                let number = self.number(value);
                Value::number(self.builder.ins().ineg(number), range)
            }
            UnaryOp::Complement => {
                let range = Interval { low: -1 - value.range.high, high: -1 - value.range.low };
                let number = self.number(value);
                Value::number(self.builder.ins().bnot(number), range)
            }
        }
    }

    pub fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        if let (Some(left), Some(right)) = (left.as_constant(), right.as_constant()) {
            return match model::interp::binary(op, left, right) {
                Ok(value) => Value::constant(value),
                Err(_) => {
                    self.give_up();
                    Value::constant(0)
                }
            };
        }
        if let Some(known) = decided(op, left.range, right.range) {
            return Value::constant(i32::from(known));
        }
        let range = binary_range(op, left.range, right.range);
        let comparison = match op {
            BinaryOp::Equal => Some(IntCC::Equal),
            BinaryOp::NotEqual => Some(IntCC::NotEqual),
            BinaryOp::Less => Some(IntCC::SignedLessThan),
            BinaryOp::LessEqual => Some(IntCC::SignedLessThanOrEqual),
            BinaryOp::Greater => Some(IntCC::SignedGreaterThan),
            BinaryOp::GreaterEqual => Some(IntCC::SignedGreaterThanOrEqual),
            _ => None,
        };
        if let Some(truth) = self.truth_of_equality(op, left, right) {
            return truth;
        }
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            return self.divide(op, left, right, range);
        }
        let (a, b) = (self.number(left), self.number(right));
        if let Some(comparison) = comparison {
            return Value::truth(self.builder.ins().icmp(comparison, a, b));
        }
        let code = self.builder.ins();
        let number = match op {
            BinaryOp::Add => code.iadd(a, b),
            BinaryOp::Subtract => code.isub(a, b),
            BinaryOp::Multiply => code.imul(a, b),
            BinaryOp::BitAnd => code.band(a, b),
            BinaryOp::BitOr => code.bor(a, b),
            BinaryOp::BitXor => code.bxor(a, b),
            // Like those of the IR, Cranelift's shifts look at the low bits of the count only.
            BinaryOp::ShiftLeft => code.ishl(a, b),
            _ => code.sshr(a, b),
        };
        Value::number(number, range)
    }

    /// A truth value compared with 0 or 1 is itself or its negation.
    fn truth_of_equality(&mut self, op: BinaryOp, left: Value, right: Value) -> Option<Value> {
        let same = match op {
            BinaryOp::Equal => true,
            BinaryOp::NotEqual => false,
            _ => return None,
        };
        let (value, constant) = match (left.as_constant(), right.as_constant()) {
            (None, Some(constant)) => (left, constant),
            (Some(constant), None) => (right, constant),
            _ => return None,
        };
        if !BIT.contains(value.range) {
            return None;
        }
        Some(match (constant == 1) == same {
            true => self.as_truth(value),
            false => self.negation(value),
        })
    }

    fn divide(&mut self, op: BinaryOp, left: Value, right: Value, range: Interval) -> Value {
        let b = self.number(right);
        let a = self.number(left);
        if right.range.low <= 0 && right.range.high >= 0 {
            let zero = self.compare(IntCC::Equal, b, 0);
            self.refuse(Value::truth(zero));
        }
        let wraps = right.range.low <= -1 && right.range.high >= -1 && left.range.low == i64::from(i32::MIN);
        let number = if wraps {
            // The only quotient that is too large for 32 bits; 64 have room for it.
            let (a, b) =
                (self.builder.ins().sextend(types::I64, a), self.builder.ins().sextend(types::I64, b));
            let wide = match op {
                BinaryOp::Divide => self.builder.ins().sdiv(a, b),
                _ => self.builder.ins().srem(a, b),
            };
            self.builder.ins().ireduce(types::I32, wide)
        } else if left.range.low >= 0 && right.range.low >= 0 {
            match op {
                BinaryOp::Divide => self.builder.ins().udiv(a, b),
                _ => self.builder.ins().urem(a, b),
            }
        } else {
            match op {
                BinaryOp::Divide => self.builder.ins().sdiv(a, b),
                _ => self.builder.ins().srem(a, b),
            }
        };
        Value::number(number, range)
    }

    // Places.

    /// Which element indices mean; abnormal if one is out of range.
    pub fn element(&mut self, scene: &Scene, variable: &Variable, indices: &[Expr]) -> Index {
        let mut element = Value::constant(0);
        for (index, &dimension) in indices.iter().zip(&variable.dimensions) {
            let index = self.value(scene, index);
            let last = i64::from(dimension) - 1;
            let index = if index.is_within(0, last) {
                index
            } else if index.range.high < 0 || index.range.low > last {
                self.give_up();
                Value::constant(0)
            } else {
                let number = self.number(index);
                let inside = self.compare(IntCC::UnsignedLessThanOrEqual, number, last as i32);
                self.require(Value::truth(inside));
                Value { code: Code::Number(number), range: index.range.meet(Interval { low: 0, high: last }) }
            };
            if element.as_constant() == Some(0) {
                element = index;
            } else {
                let row = self.binary(BinaryOp::Multiply, element, Value::constant(dimension as i32));
                element = self.binary(BinaryOp::Add, row, index);
            }
        }
        Index::of(element)
    }

    fn read_place(&mut self, scene: &Scene, place: &Place) -> Value {
        let Some((variable, cells)) = self.plan.variable(scene.actor, place) else {
            self.give_up();
            return Value::constant(0);
        };
        if let Some(shadow) = scene.shadow(place) {
            let number = self.builder.use_var(shadow.register);
            return Value::number(number, shadow.range);
        }
        let index = self.element(scene, variable, &place.indices);
        if place.scope == Scope::Local
            && let Cells::Constant(_) = cells
            && !scene.settling.is_empty()
        {
            match index {
                Index::Fixed(element) => {
                    if let Some(value) = scene.settling.get(&(place.variable.0, element)) {
                        return Value::constant(*value);
                    }
                }
                Index::Variable(_) => self.give_up(),
            }
        }
        self.read_cells(scene, cells, index, variable.domain)
    }

    fn read_cells(&mut self, scene: &Scene, cells: &Cells, index: Index, domain: Domain) -> Value {
        let allowed = Interval::of_domain(domain);
        match (cells, index) {
            (_, Index::Fixed(element)) => self.read_field(scene, cells.field(element), allowed),
            (Cells::Constant(values), Index::Variable(index)) => self.table_entry(values.clone(), index),
            (Cells::Row { row, low, count }, Index::Variable(_)) => {
                let cell = self.read_cell(scene, row, index, *count);
                let high = i64::from(*low) + crate::plan::mask(row.width) as i64;
                let range = Interval { low: i64::from(*low), high }.meet(allowed);
                self.number_in_cell(cell, 0, row.width, *low, range)
            }
        }
    }

    /// The value that results from storing into the domain.
    pub fn cut(&mut self, value: Value, domain: Domain) -> Value {
        let allowed = Interval::of_domain(domain);
        if allowed.contains(value.range) {
            return value;
        }
        if let Some(constant) = value.as_constant() {
            return match domain.store(constant) {
                Some(stored) => Value::constant(stored),
                None => {
                    self.give_up();
                    Value::constant(domain.default_value())
                }
            };
        }
        let number = self.number(value);
        match domain {
            Domain::Bits { bits, signed: false } => {
                let ones = self.number_constant(crate::plan::mask(bits) as i32);
                Value::number(self.builder.ins().band(number, ones), allowed)
            }
            Domain::Bits { bits, signed: true } => {
                let unused = self.number_constant(32 - i32::from(bits));
                let up = self.builder.ins().ishl(number, unused);
                Value::number(self.builder.ins().sshr(up, unused), allowed)
            }
            Domain::Range { low, high } => {
                let low_number = self.number_constant(low);
                let distance = self.builder.ins().isub(number, low_number);
                let inside = self.compare(IntCC::UnsignedLessThanOrEqual, distance, high.wrapping_sub(low));
                self.require(Value::truth(inside));
                let range = value.range.meet(allowed);
                if range.low > range.high {
                    return Value::constant(low);
                }
                Value::number(number, range)
            }
        }
    }

    /// Stores a value, cut to the variable's domain.
    pub fn store(&mut self, scene: &mut Scene, place: &Place, index: Index, value: Value) {
        let Some((variable, cells)) = self.plan.variable(scene.actor, place) else {
            return self.give_up();
        };
        let value = self.cut(value, variable.domain);
        if let Some(shadow) = scene.shadow(place) {
            let number = self.number(value);
            return self.builder.def_var(shadow.register, number);
        }
        if place.scope == Scope::Local
            && let Cells::Constant(_) = cells
            && !scene.settling.is_empty()
        {
            match (index, value.as_constant()) {
                (Index::Fixed(element), Some(constant)) => {
                    scene.settling.insert((place.variable.0, element), constant);
                    return;
                }
                // Checked below to be what the layout says.
                (Index::Fixed(element), None) => {
                    scene.settling.remove(&(place.variable.0, element));
                }
                (Index::Variable(_), _) => return self.give_up(),
            }
        }
        match (cells, index) {
            (_, Index::Fixed(element)) => self.write_field(scene, cells.field(element), value),
            (Cells::Constant(values), Index::Variable(index)) => {
                let constant = self.table_entry(values.clone(), index);
                let same = self.binary(BinaryOp::Equal, constant, value);
                self.require(same);
            }
            (Cells::Row { row, low, count }, Index::Variable(_)) => {
                let bits = match self.bits_of(value, *low, row.width) {
                    Ok(bits) => self.word_constant(bits),
                    Err(bits) => bits,
                };
                self.write_cell(scene, row, index, *count, bits);
            }
        }
    }

    /// The element that a place means.
    pub fn place_element(&mut self, scene: &Scene, place: &Place) -> Index {
        match self.plan.variable(scene.actor, place) {
            Some((variable, _)) => self.element(scene, variable, &place.indices),
            None => Index::Fixed(0),
        }
    }

    // Processes.

    pub fn process_count(&mut self, scene: &Scene) -> Value {
        let range = self.plan.process_count_range();
        self.read_field(scene, self.plan.layout.process_count, range)
    }

    /// Does a process with this number exist?
    pub fn exists(&mut self, scene: &Scene, slot: usize) -> Value {
        let count = self.process_count(scene);
        self.binary(BinaryOp::Greater, count, Value::constant(slot as i32))
    }

    /// Is the process, which exists, of this kind?
    pub fn has_kind(&mut self, scene: &Scene, actor: Actor) -> Value {
        let slot = &self.plan.layout.processes[actor.slot];
        if slot.kinds.len() == 1 {
            return Value::constant(1);
        }
        let last = slot.kinds.len() as i64 - 1;
        let kind = self.read_field(scene, slot.kind, Interval { low: 0, high: last });
        self.equals(kind, actor.kind as i32)
    }

    pub fn location(&mut self, scene: &Scene, actor: Actor) -> Value {
        if scene.actor == Some(actor)
            && let Some(location) = scene.location
        {
            return Value::constant(location as i32);
        }
        let last = self.plan.process_type(actor).locations.len() as i64 - 1;
        self.read_field(scene, self.plan.kind(actor).location, Interval { low: 0, high: last })
    }

    fn location_number(&mut self, scene: &Scene, actor: Actor) -> Value {
        let location = self.location(scene, actor);
        let locations = &self.plan.process_type(actor).locations;
        let numbers = locations.iter().map(|location| location.number as i32).collect();
        self.table_entry(numbers, location)
    }

    pub fn priority(&mut self, scene: &Scene, slot: usize) -> Value {
        let field = self.plan.layout.processes[slot].priority;
        self.read_field(scene, field, Interval { low: 0, high: 255 })
    }

    fn non_progress(&mut self, scene: &Scene) -> Value {
        let plan = self.plan;
        let mut progress = Value::constant(0);
        for actor in plan.actors() {
            let locations = &plan.process_type(actor).locations;
            if !locations.iter().any(|location| location.progress) {
                continue;
            }
            let location = self.location(scene, actor);
            let at = self.is_member(location, &|at| {
                locations.get(at as usize).is_some_and(|location| location.progress)
            });
            let exists = self.exists(scene, actor.slot);
            let kind = self.has_kind(scene, actor);
            let here = self.both(exists, kind);
            let here = self.both(here, at);
            progress = self.either(progress, here);
        }
        self.negation(progress)
    }

    /// A value of the process whose number an expression gives; 0 if there is none.
    fn of_process(
        &mut self,
        scene: &Scene,
        pid: &Expr,
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let pid = self.value(scene, pid);
        let slots = self.plan.layout.processes.len();
        if let Some(constant) = pid.as_constant() {
            return match usize::try_from(constant) {
                Ok(slot) if slot < slots => self.of_slot(scene, slot, read),
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
            let value = self.of_slot(scene, slot as usize, read);
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

    fn of_slot(
        &mut self,
        scene: &Scene,
        slot: usize,
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let exists = self.exists(scene, slot);
        let kinds = self.plan.layout.processes[slot].kinds.len();
        self.choose(
            exists,
            |generator| generator.of_kinds(scene, slot, (0, kinds), read),
            |_| Value::constant(0),
        )
    }

    fn of_kinds(
        &mut self,
        scene: &Scene,
        slot: usize,
        (kind, kinds): (usize, usize),
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let actor = Actor { slot, kind };
        if kind + 1 >= kinds {
            return read(self, actor);
        }
        let is = self.has_kind(scene, actor);
        let (yes, no, after) = (self.block(), self.block(), self.block());
        let result = self.builder.append_block_param(after, types::I32);
        self.branch(is, yes, no);
        self.at(yes);
        let first = read(self, actor);
        let number = self.number(first);
        self.jump_with(after, number);
        self.at(no);
        let second = self.of_kinds(scene, slot, (kind + 1, kinds), read);
        let number = self.number(second);
        self.jump_with(after, number);
        self.at(after);
        Value::number(result, first.range.join(second.range))
    }

    fn remote(
        &mut self,
        scene: &Scene,
        process_type: ProcessTypeId,
        process: &Remote,
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        match process {
            Remote::Pid(pid) => self.of_process(scene, pid, read),
            Remote::Only => {
                let plan = self.plan;
                let candidates: Vec<Actor> =
                    plan.actors().filter(|actor| plan.kind(*actor).process_type == process_type).collect();
                self.first_of(scene, &candidates, read)
            }
        }
    }

    /// A value of the first of these processes that exists; 0 if there is none.
    fn first_of(
        &mut self,
        scene: &Scene,
        candidates: &[Actor],
        read: &mut dyn FnMut(&mut Self, Actor) -> Value,
    ) -> Value {
        let Some((&actor, others)) = candidates.split_first() else { return Value::constant(0) };
        let exists = self.exists(scene, actor.slot);
        let kind = self.has_kind(scene, actor);
        let here = self.both(exists, kind);
        match here.known_truth() {
            Some(true) => read(self, actor),
            Some(false) => self.first_of(scene, others, read),
            None => {
                let (yes, no, after) = (self.block(), self.block(), self.block());
                let result = self.builder.append_block_param(after, types::I32);
                self.branch(here, yes, no);
                self.at(yes);
                let first = read(self, actor);
                let number = self.number(first);
                self.jump_with(after, number);
                self.at(no);
                let second = self.first_of(scene, others, read);
                let number = self.number(second);
                self.jump_with(after, number);
                self.at(after);
                Value::number(result, first.range.join(second.range))
            }
        }
    }

    /// `enabled(pid)`.
    fn enabled_query(&mut self, scene: &Scene, pid: &Expr) -> Value {
        let half_way = scene.handshake.is_some() || scene.occupied.is_some();
        if half_way || !scene.is_addressable() || !scene.settling.is_empty() {
            self.give_up();
            return Value::constant(0);
        }
        let pid = self.value(scene, pid);
        let own = scene.actor.map_or(0, |actor| actor.slot as i32);
        let own = self.equals(pid, own);
        self.refuse(own);
        let address = self.address(scene);
        let zero = self.word_constant(0);
        let nesting = self.nesting.unwrap_or(zero);
        let limit = self.word_constant(NESTING as u64);
        let deep = self.builder.ins().icmp(IntCC::UnsignedGreaterThan, nesting, limit);
        self.refuse(Value::truth(deep));
        let deeper = self.add_offset(nesting, 1);
        let context = self.context.unwrap_or(zero);
        let slots = self.plan.layout.processes.len() as i32;
        let after = self.block();
        let result = self.builder.append_block_param(after, types::I32);
        let otherwise = self.block();
        let arms: Vec<(i32, Block)> = (0..slots)
            .filter(|slot| pid.range.contains(Interval::point(*slot)))
            .map(|slot| (slot, self.block()))
            .collect();
        self.switch(pid, &arms, otherwise);
        for (slot, block) in arms {
            self.at(block);
            let exists = self.exists(scene, slot as usize);
            self.require_or(exists, otherwise);
            let key = FunctionKey::Enabled(slot as usize);
            let answer = self.call(key, &[address, deeper, context]);
            self.check_result(key, answer);
            let number = self.builder.ins().ireduce(types::I32, answer);
            self.jump_with(after, number);
        }
        self.at(otherwise);
        let zero = self.number_constant(0);
        self.jump_with(after, zero);
        self.at(after);
        Value::number(result, BIT)
    }
}
