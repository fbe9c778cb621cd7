//! Layouts on random walks through random programs: unpacking inverts packing, equal states have
//! equal words, states that do not fit are reported, and a wider layout represents every state that
//! an earlier one did.

mod common;

use common::{Choices, Kind, build, numbers, walk};
use lariat_ir::layout::{Layout, Profile, Recoder};
use lariat_ir::program::Program;
use lariat_ir::state::State;
use lariat_ir::system::{Misfit, Repackable, Successors, TransitionSystem};
use lariat_ir::text::print;
use lariat_ir::{Interpreter, PackedInterpreter};
use proptest::prelude::*;

const STEPS: usize = 40;

fn pack(layout: &Layout, state: &State) -> Option<Vec<u64>> {
    let mut words = Vec::new();
    layout.encode(state, &mut words).ok().map(|()| words)
}

proptest! {
    #![proptest_config(seeded::cases(3000))]

    #[test]
    fn layouts_grow_without_loss(from in numbers(), path in numbers()) {
        let program = build(Kind::Runnable, from);
        let mut known: Vec<(State, Vec<u64>)> = Vec::new();
        let mut current: Option<(Profile, Layout)> = None;
        let mut failure = None;
        walk(&program, &mut Choices::new(path), STEPS, |state, _, _| {
            let (profile, layout) = current.get_or_insert_with(|| {
                let profile = Profile::of(&program, state);
                let layout = Layout::new(&program, &profile);
                (profile, layout)
            });
            if pack(layout, state).is_none() {
                profile.absorb(&program, layout);
                profile.include(&program, state);
                let wider = Layout::new(&program, profile);
                let recoder = Recoder::new(layout, &wider);
                for (state, words) in &mut known {
                    let mut recoded = Vec::new();
                    recoder.recode(words, &mut recoded);
                    if pack(&wider, state).as_ref() != Some(&recoded) {
                        failure = Some(format!("recoded {state:?}\n{layout:#?}\n{wider:#?}"));
                    }
                    *words = recoded;
                }
                *layout = wider;
            }
            match pack(layout, state) {
                Some(words) if layout.decode(&program, &words) == *state => {
                    known.push((state.clone(), words));
                }
                packed => failure = Some(format!("{state:?} packed as {packed:?}\n{layout:#?}")),
            }
        });
        for (state, words) in &known {
            for (other, other_words) in &known {
                if (state == other) != (words == other_words) {
                    failure = Some(format!("{state:?} and {other:?}"));
                }
            }
        }
        prop_assert!(failure.is_none(), "{}\n{}", failure.unwrap_or_default(), print(&program));
    }

    /// The packed interpreter, whose layout is narrow at first and widened on each misfit, computes
    /// the interpreter's successors.
    #[test]
    fn packed_successors_are_those_of_the_interpreter(from in numbers(), path in numbers()) {
        let program = build(Kind::Runnable, from);
        let interpreter = Interpreter::new(&program);
        let Ok(initial) = interpreter.initial_states() else { return Ok(()) };
        let profile = Profile::initial(&program, &initial);
        let mut system = PackedInterpreter::with_profile(&program, profile);
        let mut failure = None;
        walk(&program, &mut Choices::new(path), STEPS, |state, expected, _| {
            let mut out = Successors::new(system.width());
            let mut words = pack(system.layout(), state);
            loop {
                let result = match &words {
                    Some(words) => system.successors(words, &mut out),
                    None => Err(Box::new(Misfit {
                        states: vec![state.clone()],
                        inside_step: state.globals.len() % 3 == 1,
                    })),
                };
                let Err(misfit) = result else { break };
                system = system.widened(&misfit);
                words = pack(system.layout(), state);
                out = Successors::new(system.width());
            }
            if let Some(difference) = differs(&program, &system, expected, &out) {
                failure = Some(difference);
            }
        });
        prop_assert!(failure.is_none(), "{}\n{}", failure.unwrap_or_default(), print(&program));
    }
}

fn differs(
    program: &Program,
    system: &PackedInterpreter<'_>,
    expected: &[lariat_ir::Successor],
    out: &Successors,
) -> Option<String> {
    if expected.len() != out.len() {
        return Some(format!("{} successors, not {}", out.len(), expected.len()));
    }
    for (index, successor) in expected.iter().enumerate() {
        let code = out.code(index);
        let state = (!code.is_stopped()).then(|| system.layout().decode(program, out.state(index)));
        let errors = out.errors.iter().filter(|(entry, _)| *entry == index).map(|(_, error)| error);
        if system.step(code) != successor.step
            || state != successor.state
            || !errors.eq(&successor.errors)
        {
            return Some(format!("{successor:?} became {code:?} {state:?}"));
        }
    }
    None
}
