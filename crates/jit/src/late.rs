//! Code that is compiled location by location, by a background thread, once it proves hot.
//!
//! A search never waits for this code: a state for which a [unit](crate::units) is missing is
//! expanded by the interpreter, and the unit is counted. At [`HOT`] misses it is queued. Units are
//! compiled in small batches and published one by one. Once a search is long, the thread compiles
//! them again, optimised, whenever nothing else is queued.

use crate::call::CodeMemory;
use crate::codegen::{FunctionKey, FunctionRegistry};
use crate::compile::{Compilation, CompileError, Effort, LinkedCode, compile};
use crate::plan::{Actor, Plan};
use crate::units::{Part, Unit, UnitTable};
use lariat_ir::layout::Layout;
use lariat_ir::program::{ProcessTypeId, Program};
use lariat_ir::system::Numbering;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Misses after which a unit is compiled: interpreting as many states takes about as long.
const HOT: u32 = 4;
/// Units that are compiled together: linking a batch takes about as long as compiling two units.
const BATCH: usize = 16;
const STACK_BYTES: usize = 16 << 20;

/// A unit independent of a layout: the type of its process is given by name, not by position.
#[derive(Clone, Copy, Debug)]
pub struct HotUnit {
    unit: Unit,
    process_type: ProcessTypeId,
}

impl HotUnit {
    /// The unit in a layout; `None` if the layout has no such process.
    fn in_layout(self, plan: &Plan<'_>) -> Option<Unit> {
        let slot = self.unit.part.actor().slot;
        let kinds = &plan.layout.processes.get(slot)?.kinds;
        let kind = kinds.iter().position(|kind| kind.process_type == self.process_type)?;
        if let Part::Receive(_, channel) = self.unit.part {
            plan.layout.channels.get(channel)?;
        }
        Some(Unit { part: self.unit.part.of(Actor { slot, kind }), ..self.unit })
    }
}

/// The code of a program that is [split](Plan::split). Dropping it ends its thread.
#[derive(Debug)]
pub struct LateCode(Arc<Shared>);

impl Drop for LateCode {
    fn drop(&mut self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
        // The lock makes sure that the thread does not miss the flag between its test and its wait.
        drop(self.0.lock());
        self.0.changed.notify_all();
    }
}

/// What the thread and the searches share.
#[derive(Debug)]
struct Shared {
    units: Arc<UnitTable>,
    /// The address of the entry point.
    driver: AtomicPtr<u8>,
    bytes: AtomicUsize,
    queue: Mutex<Queue>,
    changed: Condvar,
    cancelled: AtomicBool,
    memory: Mutex<Vec<CodeMemory>>,
}

#[derive(Debug, Default)]
struct Queue {
    /// How often a unit was missing, by number.
    misses: HashMap<u32, u32>,
    /// Units to be compiled.
    wanted: VecDeque<Unit>,
    /// The units that are compiled, in this order.
    compiled: Vec<Unit>,
    /// Units, by number, that cannot be compiled.
    failed: HashSet<u32>,
    /// Whether the code is to be optimised, and how many of the compiled units are.
    optimise: bool,
    optimised: usize,
    /// Whether the thread has ended.
    ended: bool,
}

/// What the thread compiles next.
struct Batch {
    units: Vec<Unit>,
    effort: Effort,
    /// Whether all code so far is less optimised.
    first_optimised: bool,
}

impl LateCode {
    /// Compiles the entry point and starts the thread, which begins with the units that were hot in
    /// another layout.
    pub fn new(
        plan: &Plan<'_>,
        effort: Effort,
        cancelled: &AtomicBool,
        hot: &[HotUnit],
    ) -> Result<LateCode, CompileError> {
        let units = Arc::new(UnitTable::default());
        let mut registry = FunctionRegistry::new(Arc::clone(&units));
        let functions = &[FunctionKey::Driver];
        let compilation = Compilation { functions, conditions: &[], effort, cancelled };
        let linked = compile(plan, &compilation, &mut registry)?;
        let shared = Arc::new(Shared {
            units,
            driver: AtomicPtr::new(std::ptr::null_mut()),
            bytes: AtomicUsize::new(0),
            queue: Mutex::default(),
            changed: Condvar::new(),
            cancelled: AtomicBool::new(false),
            memory: Mutex::default(),
        });
        shared.publish(linked);
        shared.lock().wanted = hot.iter().filter_map(|hot| hot.in_layout(plan)).collect();
        let (program, layout) = (plan.program.clone(), plan.layout.clone());
        let (numbering, thread) = (plan.numbering.clone(), Arc::clone(&shared));
        let started = std::thread::Builder::new()
            .name("compile units".into())
            .stack_size(STACK_BYTES)
            .spawn(move || thread.work(&program, &layout, &numbering, registry, effort));
        if started.is_err() {
            shared.lock().ended = true;
        }
        Ok(LateCode(shared))
    }

    /// The address of the entry point.
    #[inline]
    pub fn driver(&self) -> *const u8 {
        self.0.driver.load(Ordering::Acquire).cast_const()
    }

    /// The size of the machine code so far.
    pub fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    /// Counts that a unit was missing. Returns whether it is there now, which is possible only if
    /// the call `waits` for it.
    #[cold]
    pub fn miss(&self, number: u32, waits: bool) -> bool {
        let shared = &*self.0;
        let mut queue = shared.lock();
        if queue.failed.contains(&number) || queue.ended {
            return false;
        }
        let misses = queue.misses.entry(number).or_default();
        *misses += 1;
        if *misses == if waits { 1 } else { HOT }
            && let Some(unit) = shared.units.unit(number)
        {
            queue.wanted.push_back(unit);
            shared.changed.notify_all();
        }
        while waits && queue.misses.contains_key(&number) && !queue.ended {
            queue = shared.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        waits && !queue.failed.contains(&number) && !queue.ended
    }

    /// Compiles the hot units again, optimised.
    pub fn optimise(&self) {
        self.0.lock().optimise = true;
        self.0.changed.notify_all();
    }

    /// The units that are compiled or queued.
    pub fn hot_units(&self, layout: &Layout) -> Vec<HotUnit> {
        let queue = self.0.lock();
        let describe = |unit: &Unit| {
            let Actor { slot, kind } = unit.part.actor();
            let process_type = layout.processes[slot].kinds[kind].process_type;
            HotUnit { unit: *unit, process_type }
        };
        queue.compiled.iter().chain(&queue.wanted).map(describe).collect()
    }
}

/// Tells waiting searches that the thread has ended, for whatever reason.
struct End<'a>(&'a Shared);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.changed.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The work of the thread.
    fn work(
        &self,
        program: &Program,
        layout: &Layout,
        numbering: &Numbering,
        mut registry: FunctionRegistry,
        effort: Effort,
    ) {
        let _end = End(self);
        let plan = Plan::new(program, layout, numbering).in_units();
        while let Some(batch) = self.next(effort) {
            self.build(&plan, &mut registry, &batch);
        }
    }

    /// Compiles a batch; if that fails, one unit at a time.
    fn build(&self, plan: &Plan<'_>, registry: &mut FunctionRegistry, batch: &Batch) {
        let mut functions: Vec<FunctionKey> =
            batch.units.iter().map(|unit| FunctionKey::Unit(*unit)).collect();
        if batch.first_optimised {
            registry.linked.clear();
            functions.push(FunctionKey::Driver);
        }
        let (effort, cancelled) = (batch.effort, &self.cancelled);
        let compilation = Compilation { functions: &functions, conditions: &[], effort, cancelled };
        let linked = compile(plan, &compilation, registry);
        match (linked, &batch.units[..]) {
            (Ok(linked), _) => {
                self.publish(linked);
                self.finish(plan, batch, false);
            }
            (Err(_), [_]) => self.finish(plan, batch, true),
            (Err(_), units) => units.iter().for_each(|unit| {
                let single = Batch { units: vec![*unit], effort, first_optimised: false };
                self.build(plan, registry, &single);
            }),
        }
    }

    /// Waits for the next batch; `None` if no code is needed any more.
    fn next(&self, effort: Effort) -> Option<Batch> {
        let mut queue = self.lock();
        loop {
            if self.cancelled.load(Ordering::Relaxed) {
                return None;
            }
            if !queue.wanted.is_empty() {
                let count = queue.wanted.len().min(BATCH);
                let units = queue.wanted.drain(..count).collect();
                return Some(Batch { units, effort, first_optimised: false });
            }
            if queue.optimise && effort != Effort::Best && queue.optimised < queue.compiled.len() {
                let first = queue.optimised;
                let end = queue.compiled.len().min(first + BATCH);
                queue.optimised = end;
                let units = queue.compiled[first..end].to_vec();
                return Some(Batch { units, effort: Effort::Best, first_optimised: first == 0 });
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Makes code available to every thread.
    fn publish(&self, linked: LinkedCode) {
        let LinkedCode { module, tables, functions, bytes } = linked;
        let memory = CodeMemory::new(module, tables);
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        for (key, address) in functions {
            match key {
                FunctionKey::Driver => self.driver.store(address.cast_mut(), Ordering::Release),
                FunctionKey::Unit(unit) => self.units.publish(unit, address as usize),
                _ => {}
            }
        }
    }

    /// Records that the units of a batch are compiled, or cannot be.
    fn finish(&self, plan: &Plan<'_>, batch: &Batch, failed: bool) {
        let mut queue = self.lock();
        for unit in &batch.units {
            let locations = plan.process_type(unit.part.actor()).locations.len();
            let number = self.units.number(*unit, locations);
            let new = queue.misses.remove(&number).is_some() || batch.effort != Effort::Best;
            match failed {
                true if new => drop(queue.failed.insert(number)),
                false if new => queue.compiled.push(*unit),
                _ => {}
            }
        }
        drop(queue);
        self.changed.notify_all();
    }
}
