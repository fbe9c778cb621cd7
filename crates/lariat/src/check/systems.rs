//! The systems that are searched, each made once: properties that are checked in equal programs
//! share the sampled layout and the machine code. Reductions preserve what a property observes, so
//! properties with the same variables usually have equal programs.

use super::Engine;
use lariat_ir::{Budget, Program, RuntimeError};
use std::cell::{OnceCell, RefCell};

/// Programs that stay where they are: systems refer to them.
#[derive(Debug, Default)]
pub(crate) struct Programs {
    first: OnceCell<Box<KeptProgram>>,
}

#[derive(Debug)]
struct KeptProgram {
    program: Program,
    next: OnceCell<Box<KeptProgram>>,
}

impl Programs {
    fn keep(&self, program: &Program) -> &Program {
        let mut place = &self.first;
        while let Some(kept) = place.get() {
            place = &kept.next;
        }
        let kept = || Box::new(KeptProgram { program: program.clone(), next: OnceCell::new() });
        &place.get_or_init(kept).program
    }
}

/// The systems that were made.
#[derive(Debug)]
pub(crate) struct Systems<'p> {
    programs: &'p Programs,
    made: RefCell<Vec<(Engine, lariat_jit::Engine<'p>)>>,
}

impl<'p> Systems<'p> {
    pub fn new(programs: &'p Programs) -> Systems<'p> {
        Systems { programs, made: RefCell::default() }
    }

    /// The system of a program, made within a budget unless it is known.
    ///
    /// # Errors
    /// The error of the program that occurs while its initial states are computed.
    pub fn of(
        &self,
        program: &Program,
        engine: Engine,
        budget: &Budget,
    ) -> Result<lariat_jit::Engine<'p>, RuntimeError> {
        let is_it = |(of, system): &&(Engine, lariat_jit::Engine<'p>)| {
            *of == engine && system.program() == program
        };
        if let Some((_, known)) = self.made.borrow().iter().find(is_it) {
            return Ok(known.again().within(budget));
        }
        let system = engine.system(self.programs.keep(program), budget)?;
        // The end of a budget cuts the sampling short.
        if budget.check().is_ok() {
            self.made.borrow_mut().push((engine, system.again()));
        }
        Ok(system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use lariat_ir::budget::UNLIMITED;

    #[test]
    fn equal_programs_share_a_system() {
        let read = |text| Model::from_source("m", text).expect("a model").program;
        let text = "byte x; active proctype A() { do :: x < 9 -> x++ od }";
        let (one, same) = (read(text), read(text));
        let other = read("byte x; active proctype A() { do :: x < 8 -> x++ od }");
        let programs = Programs::default();
        let systems = Systems::new(&programs);
        let made = |program| {
            systems.of(program, Engine::Automatic, &UNLIMITED).expect("initial states");
            systems.made.borrow().len()
        };
        assert_eq!([&one, &same, &other, &one].map(|program| made(program)), [1, 1, 2, 2]);
        systems.of(&one, Engine::Interpreter, &UNLIMITED).expect("initial states");
        assert_eq!(systems.made.borrow().len(), 3);
    }
}
