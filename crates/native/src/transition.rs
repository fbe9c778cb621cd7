//! The transitions of a location, tried in order: when each is enabled, and what it does.

use crate::channel::{Target, UNROLLED, word_count};
use crate::function::{FunctionKey, Generator, LIMIT_OFFSET, trusted};
use crate::plan::{Actor, any_expression, operations};
use crate::state_access::{Base, Index, Scene};
use crate::value::{BIT, FULL, Value};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use model::expression::{BinaryOp, Expr, Pattern};
use model::program::{Action, Operation, Transition};
use model::system::{Move, Step, StepCode};

/// What was found out while asking whether an operation is enabled.
#[derive(Clone, Copy, Debug)]
pub enum Ready {
    Plain,
    /// The channel of a send or receive, and where the message is.
    Message(Target, Index),
    /// The receiving half of a rendezvous.
    Handshake(usize, ir::Value),
}

/// A transition being tried.
#[derive(Clone, Copy)]
pub struct Attempt<'t> {
    pub transition: &'t Transition,
    pub index: usize,
    pub location: u32,
    /// Where the output was before any transition of the location was tried.
    pub start: ir::Value,
    /// In the receiving half of a rendezvous: the code of the send.
    pub send_code: Option<ir::Value>,
    /// Where to go on when the transition is done with.
    pub done: Block,
}

impl Generator<'_, '_> {
    /// Writes the function for the steps of one process.
    pub fn expand_function(&mut self, actor: Actor) {
        let [state, out, context] = self.parameters[..] else { return };
        self.context = Some(context);
        self.builder.def_var(self.out, out);
        let scene = Scene::new(Base::Input(state), Some(actor));
        let end = self.block();
        self.may_move(&scene, actor, end);
        self.locations(&scene, actor, end, None, &|_| true);
        self.at(end);
        let out = self.builder.use_var(self.out);
        self.return_value(out);
    }

    /// The transitions of the location where the process is, of those that `wanted` names; then goes to `end`.
    pub fn locations(
        &mut self,
        scene: &Scene,
        actor: Actor,
        end: Block,
        send_code: Option<ir::Value>,
        wanted: &dyn Fn(u32) -> bool,
    ) {
        let process_type = self.plan.process_type(actor);
        let location = self.location(scene, actor);
        let arms: Vec<(i32, Block)> = (location.range.low as i32..=location.range.high as i32)
            .filter(|at| wanted(*at as u32) && !process_type.locations[*at as usize].transitions.is_empty())
            .map(|at| (at, self.block()))
            .collect();
        let start = self.builder.use_var(self.out);
        self.switch(location, &arms, end);
        for (at, block) in arms {
            self.at(block);
            let scene = Scene { location: Some(at as u32), ..scene.clone() };
            let mut escape = 0;
            for (index, transition) in process_type.locations[at as usize].transitions.iter().enumerate() {
                if escape > 0 && transition.escape != escape {
                    // An escape that was taken leaves no choice.
                    let moved = self.has_moved(start);
                    let go_on = self.block();
                    self.branch(moved, end, go_on);
                    self.at(go_on);
                }
                escape = transition.escape;
                let done = self.block();
                let attempt = Attempt { transition, index, location: at as u32, start, send_code, done };
                self.attempt(&scene, &attempt);
                self.at(done);
            }
            self.go_to(end);
        }
    }

    fn has_moved(&mut self, start: ir::Value) -> Value {
        let out = self.builder.use_var(self.out);
        Value::truth(self.builder.ins().icmp(IntCC::NotEqual, out, start))
    }

    /// Makes the step if its transition is enabled; then goes to `done`.
    fn attempt(&mut self, scene: &Scene, attempt: &Attempt<'_>) {
        let operation = &attempt.transition.operation;
        let mut scene = scene.clone();
        if any_expression(operation, &|expr| expr.any(&|part| *part == Expr::Spawned)) {
            let spawned = self.builder.declare_var(types::I32);
            let zero = self.number_constant(0);
            self.builder.def_var(spawned, zero);
            scene.spawned = Some(spawned);
        }
        self.make_shadows(&mut scene, attempt.transition);
        match operation {
            Operation::Else if scene.handshake.is_some() => return self.go_to(attempt.done),
            Operation::Else => {
                if attempt.index > 0 {
                    let moved = self.has_moved(attempt.start);
                    let nobody = self.negation(moved);
                    self.require_or(nobody, attempt.done);
                }
            }
            Operation::Deterministic(body) => return self.body(scene, body, attempt),
            Operation::Send { channel, arguments, .. } if scene.handshake.is_none() => {
                let target = self.target(&scene, channel);
                return self.send(scene, target, arguments, attempt);
            }
            _ => {
                let ready = self.enabled(&scene, operation, attempt.done);
                self.perform(&mut scene, operation, ready);
            }
        }
        self.complete(scene, attempt);
    }

    /// Goes to `otherwise` unless the operation is enabled.
    pub fn enabled(&mut self, scene: &Scene, operation: &Operation, otherwise: Block) -> Ready {
        match operation {
            Operation::Receive { channel, patterns, random, keep } => {
                return self.receive_enabled(scene, channel, patterns, (*random, *keep), otherwise);
            }
            // Nothing else happens half way through a rendezvous. Bodies are looked at elsewhere.
            _ if scene.handshake.is_some() => {
                self.go_to(otherwise);
                let dead = self.block();
                self.at(dead);
            }
            Operation::Guarded { guard, .. } => {
                let yes = self.block();
                self.branch_on(scene, guard, yes, otherwise);
                self.at(yes);
            }
            Operation::Send { channel, .. } => {
                let target = self.target(scene, channel);
                self.has_room(scene, target, otherwise);
                return Ready::Message(target, Index::Fixed(0));
            }
            Operation::End => {
                let slot = scene.actor.map_or(0, |actor| actor.slot);
                let count = self.process_count(scene);
                let youngest = self.equals(count, slot as i32 + 1);
                self.require_or(youngest, otherwise);
            }
            Operation::Else | Operation::Deterministic(_) => {}
        }
        Ready::Plain
    }

    pub fn has_room(&mut self, scene: &Scene, target: Target, otherwise: Block) {
        let (length, capacity) = match target {
            Target::Direct(index) => {
                let known = self.known(index, 0);
                let capacity = self.plan.capacity(known.kind).max(1);
                (self.length(scene, known), Value::constant(capacity as i32))
            }
            Target::Number(number) => self.size_of(scene, number),
        };
        let room = self.binary(BinaryOp::Less, length, capacity);
        self.require_or(room, otherwise);
    }

    fn receive_enabled(
        &mut self,
        scene: &Scene,
        channel: &Expr,
        patterns: &[Pattern],
        (random, keep): (bool, bool),
        otherwise: Block,
    ) -> Ready {
        let target = self.target(scene, channel);
        // To keep a message of a rendezvous channel is an error.
        match target {
            Target::Direct(index) if keep && self.plan.may_be_rendezvous(index) => self.give_up(),
            Target::Number(number) if keep => self.require_buffered(scene, number),
            _ => {}
        }
        if let Some((index, message)) = scene.handshake {
            let same = match target {
                Target::Direct(other) => Value::constant(i32::from(other == index)),
                Target::Number(number) => {
                    // Even where it is another channel it must be one.
                    self.is_rendezvous(scene, number);
                    self.equals(number, index as i32 + 1)
                }
            };
            self.require_or(same, otherwise);
            for (field, pattern) in patterns.iter().enumerate() {
                if let Pattern::Match(expr) = pattern {
                    let wanted = self.value(scene, expr);
                    let found = self.handshake_field(index, message, field);
                    let same = self.binary(BinaryOp::Equal, wanted, found);
                    self.require_or(same, otherwise);
                }
            }
            return Ready::Handshake(index, message);
        }
        let position = match target {
            Target::Direct(index) if self.plan.may_be_rendezvous(index) => {
                self.require_or(Value::constant(0), otherwise);
                Index::Fixed(0)
            }
            Target::Direct(index) => {
                let known = self.known(index, 0);
                self.find(scene, known, patterns, random, otherwise)
            }
            // A rendezvous channel is empty, so nothing is found in it.
            Target::Number(number) => self.find_dynamic(scene, number, patterns, random, otherwise),
        };
        Ready::Message(target, position)
    }

    /// Performs an operation that is enabled. Not for a rendezvous send, and not for bodies.
    pub fn perform(&mut self, scene: &mut Scene, operation: &Operation, ready: Ready) {
        if self.needs_memory(scene.actor, operation) {
            self.materialize(scene);
        }
        match (operation, ready) {
            (Operation::Guarded { actions, .. }, _) => {
                for action in actions {
                    self.act(scene, action);
                }
            }
            (Operation::Send { arguments, sorted, .. }, Ready::Message(target, _)) => {
                self.buffered_send(scene, target, arguments, *sorted);
            }
            (Operation::Receive { patterns, keep, .. }, Ready::Message(target, position)) => {
                self.receive(scene, patterns, *keep, target, position);
            }
            (Operation::Receive { patterns, .. }, Ready::Handshake(index, message)) => {
                self.receive_handshake(scene, patterns, index, message);
            }
            (Operation::End, _) => {
                let slot = scene.actor.map_or(0, |actor| actor.slot);
                self.end_process(scene, slot);
            }
            _ => {}
        }
    }

    /// A send into a buffer with room.
    pub fn buffered_send(&mut self, scene: &mut Scene, target: Target, arguments: &[Expr], sorted: bool) {
        let message: Vec<Value> = arguments.iter().map(|argument| self.value(scene, argument)).collect();
        match target {
            Target::Direct(index) => {
                let known = self.known(index, 0);
                if message.len() != known.kind.fields.len() {
                    return self.give_up();
                }
                self.check_exclusive(scene, Value::constant(index as i32 + 1), false);
                let position = sorted.then(|| self.sorted_position(scene, known, &message));
                self.insert(scene, known, &message, position);
            }
            Target::Number(number) => {
                self.require_fields(scene, number, message.len());
                self.check_exclusive(scene, number, false);
                self.send_dynamic(scene, number, &message, sorted);
            }
        }
        self.watch_buffer(scene, target, true);
    }

    fn receive(
        &mut self,
        scene: &mut Scene,
        patterns: &[Pattern],
        keep: bool,
        target: Target,
        position: Index,
    ) {
        match target {
            Target::Direct(index) => {
                self.check_exclusive(scene, Value::constant(index as i32 + 1), true);
                let known = self.known(index, 0);
                if patterns.len() != known.kind.fields.len() {
                    return self.give_up();
                }
                for (field, pattern) in patterns.iter().enumerate() {
                    if let Pattern::Bind(place) = pattern {
                        let value = self.message_field(scene, known, position, field);
                        let element = self.place_element(scene, place);
                        self.store(scene, place, element, value);
                    }
                }
                if !keep {
                    self.watch_buffer(scene, target, false);
                    self.remove(scene, known, position);
                }
            }
            Target::Number(number) => {
                self.check_exclusive(scene, number, true);
                self.require_fields(scene, number, patterns.len());
                let buffer = self.fetch(scene, number, position);
                let values: Vec<Value> =
                    (0..patterns.len()).map(|field| self.load_from_buffer(buffer, field, FULL)).collect();
                for (pattern, value) in patterns.iter().zip(values) {
                    if let Pattern::Bind(place) = pattern {
                        let element = self.place_element(scene, place);
                        self.store(scene, place, element, value);
                    }
                }
                if !keep {
                    self.watch_buffer(scene, target, false);
                    self.remove_dynamic(scene, number, position);
                }
            }
        }
    }

    /// Has another living process the exclusive right to do this? Then it is an error.
    pub fn check_exclusive(&mut self, scene: &Scene, channel: Value, receive: bool) {
        let plan = self.plan;
        for actor in plan.actors() {
            let mut claims =
                plan.process_type(actor).exclusive.iter().filter(|claim| claim.receive == receive).peekable();
            if scene.actor.is_some_and(|own| own.slot == actor.slot) || claims.peek().is_none() {
                continue;
            }
            let exists = self.exists(scene, actor.slot);
            let kind = self.has_kind(scene, actor);
            let there = self.both(exists, kind);
            let other = scene.of(actor);
            self.when(there, |generator| {
                for claim in claims {
                    let claimed = generator.value(&other, &claim.channel);
                    let same = generator.binary(BinaryOp::Equal, claimed, channel);
                    generator.refuse(same);
                }
            });
        }
    }

    pub fn act(&mut self, scene: &mut Scene, action: &Action) {
        match action {
            Action::Assign(assignments) => {
                let stores: Vec<(Index, Value)> = assignments
                    .iter()
                    .map(|(place, value)| (self.place_element(scene, place), self.value(scene, value)))
                    .collect();
                for ((place, _), (index, value)) in assignments.iter().zip(stores) {
                    self.store(scene, place, index, value);
                }
            }
            Action::NewChannel { place, channel_type } => self.new_channel(scene, place, *channel_type),
            Action::Run { process_type, arguments, priority } => {
                self.run(scene, *process_type, arguments, *priority);
            }
            Action::Assert { condition, .. } => {
                let yes = self.block();
                self.branch_on(scene, condition, yes, self.abnormal);
                self.at(yes);
            }
            Action::Print { .. } => {}
            Action::SetPriority { process, priority } => self.set_priority(scene, process, priority),
        }
    }

    /// Must the state be in memory while the operation is performed?
    pub fn needs_memory(&self, actor: Option<Actor>, operation: &Operation) -> bool {
        let plan = self.plan;
        let dynamic = |channel: &Expr| match plan.fold(actor, channel) {
            Some(number) => {
                usize::try_from(number - 1).ok().is_none_or(|index| plan.only_channel_kind(index).is_none())
            }
            None => true,
        };
        let known = |channel: &Expr| {
            let index = plan.fold(actor, channel).and_then(|number| usize::try_from(number - 1).ok())?;
            plan.only_channel_kind(index)
        };
        let addresses = |expr: &Expr| {
            expr.any(&|part| match part {
                Expr::Read(place) => plan.is_spread(actor, place),
                Expr::ReadRemote { indices, .. } => !indices.is_empty(),
                Expr::Enabled(_) => true,
                Expr::Channel(_, channel) => dynamic(channel),
                Expr::Poll { channel, random, .. } => *random || dynamic(channel),
                _ => false,
            })
        };
        // What is read before anything is written can be read where the state came from.
        let spread = match operation {
            Operation::Guarded { actions, .. } => {
                actions.iter().enumerate().any(|(index, action)| match action {
                    Action::Assign(assignments) => assignments.iter().any(|(place, value)| {
                        let read = || addresses(value) || place.indices.iter().any(addresses);
                        plan.is_spread(actor, place) || index > 0 && read()
                    }),
                    Action::Assert { condition, .. } => index > 0 && addresses(condition),
                    Action::SetPriority { process, priority } => {
                        index > 0 && (addresses(process) || addresses(priority))
                    }
                    Action::Run { .. } | Action::NewChannel { .. } => true,
                    Action::Print { .. } => false,
                })
            }
            operation => any_expression(operation, &addresses),
        };
        spread
            || match operation {
                Operation::Send { channel, .. } => {
                    known(channel).is_none_or(|kind| kind.rows.iter().any(|row| kind.slots > row.per_word))
                }
                Operation::Receive { channel, random, .. } => known(channel).is_none_or(|kind| {
                    kind.rows.iter().any(|row| {
                        kind.slots > row.per_word && (*random || word_count(row, kind.slots) > UNROLLED)
                    })
                }),
                Operation::Deterministic(body) => {
                    operations(body).any(|operation| self.needs_memory(actor, operation))
                }
                Operation::Guarded { .. } | Operation::Else | Operation::End => false,
            }
            || plan.program.event_trace.is_some()
                && matches!(operation, Operation::Send { .. } | Operation::Receive { .. })
    }

    /// The process arrives at the transition's target; the control it keeps is that of the result.
    pub fn arrive(&mut self, scene: &mut Scene, attempt: &Attempt<'_>, keeps: bool) {
        let Some(actor) = scene.actor else { return };
        let layout = self.plan.layout;
        let pid = Value::constant(actor.slot as i32);
        if self.plan.program.remembers_partner {
            // Half way through a rendezvous the sender was the last to move.
            let partner = match attempt.send_code {
                Some(_) => self.read_field(scene, layout.last, FULL),
                None => pid,
            };
            self.write_field(scene, layout.partner, partner);
        }
        if self.plan.program.remembers_last {
            self.write_field(scene, layout.last, pid);
        }
        if !matches!(attempt.transition.operation, Operation::End) {
            self.settle(scene, attempt.transition);
            let field = self.plan.kind(actor).location;
            let target = attempt.transition.target.0;
            let fits = field.interval().contains(model::layout::Interval::point(target as i32));
            if field.width > 0 && fits {
                // The location now is known, so only the bits that differ are flipped.
                let flipped = (attempt.location as i32 - field.low) ^ (target as i32 - field.low);
                let word = self.word(scene, field.word);
                let word = self.xor_mask(word, (flipped as u32 as u64) << field.shift);
                if flipped != 0 {
                    self.set_word(scene, field.word, word);
                }
            } else {
                self.write_field(scene, field, Value::constant(target as i32));
            }
        }
        let control = if keeps { actor.slot as i32 + 1 } else { 0 };
        self.write_field(scene, layout.control, Value::constant(control));
    }

    /// The step is made: writes its entry and goes to `done`.
    pub fn complete(&mut self, mut scene: Scene, attempt: &Attempt<'_>) {
        let Some(actor) = scene.actor else { return };
        if self.plan.process_type(actor).deterministic && attempt.index > 0 {
            let moved = self.has_moved(attempt.start);
            self.refuse(moved);
        }
        let keeps = attempt.transition.keeps_control;
        self.arrive(&mut scene, attempt, keeps);
        let mut code = self.move_code(actor, attempt);
        if keeps {
            code |= StepCode::TRANSIENT;
        }
        let code = match attempt.send_code {
            Some(send) => {
                let receive = (code & !StepCode::TRANSIENT) << StepCode::RECEIVE_SHIFT;
                self.or_mask(send, receive | code & StepCode::TRANSIENT | StepCode::RENDEZVOUS)
            }
            None => self.word_constant(code),
        };
        self.emit(&scene, code);
        self.go_to(attempt.done);
    }

    /// The step's code, without marks.
    pub fn move_code(&self, actor: Actor, attempt: &Attempt<'_>) -> u64 {
        let step = Step::Move(Move {
            pid: actor.slot as u8,
            process_type: self.plan.kind(actor).process_type,
            location: attempt.location,
            transition: attempt.index as u32,
        });
        self.plan.numbering.encode_step(&step).0
    }

    /// Writes an entry and goes on behind it.
    pub fn emit(&mut self, scene: &Scene, code: ir::Value) {
        let out = self.builder.use_var(self.out);
        let stride = (self.plan.layout.width.all as i64 + 1) * 8;
        self.builder.ins().store(trusted(), code, out, 0);
        if !matches!(scene.base, Base::Output) {
            self.copy_state(scene, out, 8);
        }
        let next = self.add_offset(out, stride);
        if self.plan.checks_room
            && let Some(context) = self.context
        {
            let limit = self.builder.ins().load(types::I64, trusted(), context, LIMIT_OFFSET);
            let full = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, next, limit);
            self.refuse(Value::truth(full));
        }
        self.builder.def_var(self.out, next);
    }

    /// Writes the function that tells whether a process has an enabled transition.
    pub fn enabled_function(&mut self, slot: usize) {
        let [state, nesting, context] = self.parameters[..] else { return };
        self.nesting = Some(nesting);
        self.context = Some(context);
        let (yes, no) = (self.block(), self.block());
        let kinds = self.plan.layout.processes[slot].kinds.len();
        for kind in 0..kinds {
            let actor = Actor { slot, kind };
            let scene = Scene::new(Base::Input(state), Some(actor));
            let next = self.block();
            if kind + 1 < kinds {
                let is = self.has_kind(&scene, actor);
                self.require_or(is, next);
            }
            let location = self.location(&scene, actor);
            let process_type = self.plan.process_type(actor);
            let arms: Vec<(i32, Block)> = (location.range.low as i32..=location.range.high as i32)
                .filter(|at| !process_type.locations[*at as usize].transitions.is_empty())
                .map(|at| (at, self.block()))
                .collect();
            self.switch(location, &arms, no);
            for (at, block) in arms {
                self.at(block);
                let scene = Scene { location: Some(at as u32), ..scene.clone() };
                for transition in &process_type.locations[at as usize].transitions {
                    let otherwise = self.block();
                    match &transition.operation {
                        Operation::Deterministic(body) => self.node_enabled(&scene, body, 0, otherwise),
                        operation => {
                            self.enabled(&scene, operation, otherwise);
                        }
                    }
                    self.go_to(yes);
                    self.at(otherwise);
                }
                self.go_to(no);
            }
            self.at(next);
        }
        self.go_to(self.abnormal);
        for (block, answer) in [(yes, 1), (no, 0)] {
            self.at(block);
            let answer = self.word_constant(answer);
            self.return_value(answer);
        }
    }

    /// Goes to `otherwise` unless the process's `provided` clause and the priorities of others let it move.
    fn may_move(&mut self, scene: &Scene, actor: Actor, otherwise: Block) {
        self.provided(scene, actor, otherwise);
        if !self.plan.program.has_priorities {
            return;
        }
        let own = self.priority(scene, actor.slot);
        let zero = self.word_constant(0);
        let context = self.context.unwrap_or(zero);
        for slot in 0..self.plan.layout.processes.len() {
            if slot == actor.slot {
                continue;
            }
            let priority = self.priority(scene, slot);
            let higher = self.binary(BinaryOp::Greater, priority, own);
            let exists = self.exists(scene, slot);
            let ahead = self.both(exists, higher);
            if ahead.known_truth() == Some(false) {
                continue;
            }
            let (ask, next) = (self.block(), self.block());
            self.branch(ahead, ask, next);
            self.at(ask);
            self.provided_of_slot(scene, slot, next);
            let address = self.address(scene);
            let key = FunctionKey::Enabled(slot);
            let answer = self.call(key, &[address, zero, context]);
            self.check_result(key, answer);
            let enabled = self.low_half(answer, BIT);
            self.branch(enabled, otherwise, next);
            self.at(next);
        }
    }

    pub fn provided(&mut self, scene: &Scene, actor: Actor, otherwise: Block) {
        if let Some(condition) = &self.plan.process_type(actor).provided {
            let yes = self.block();
            let scene = Scene { actor: Some(actor), ..scene.clone() };
            self.branch_on(&scene, condition, yes, otherwise);
            self.at(yes);
        }
    }

    /// As `provided`, for a process that exists and may be of several kinds.
    fn provided_of_slot(&mut self, scene: &Scene, slot: usize, otherwise: Block) {
        let plan = self.plan;
        let after = self.block();
        for kind in 0..plan.layout.processes[slot].kinds.len() {
            let actor = Actor { slot, kind };
            if plan.process_type(actor).provided.is_none() {
                continue;
            }
            let next = self.block();
            let is = self.has_kind(scene, actor);
            self.require_or(is, next);
            self.provided(&scene.of(actor), actor, otherwise);
            self.go_to(after);
            self.at(next);
        }
        self.go_to(after);
        self.at(after);
    }
}
