//! Every value on random walks through random programs is in the interval of its variable.

mod common;

use common::{Choices, Kind, build, numbers, walk};
use lariat_ir::Program;
use lariat_ir::domain::Domain;
use lariat_ir::expression::{BinaryOp, Expr, Place, Scope};
use lariat_ir::program::{Action, BranchKind, Meaning, Operation};
use proptest::prelude::*;

/// Adds a variable to the program that some of its steps increase and some decrease.
fn with_tally(mut program: Program, choices: &mut Choices) -> Program {
    let variable = program.variables.add("tally", Vec::new(), Domain::BYTE, Meaning::Number, false);
    let place = Place { scope: Scope::Global, variable, indices: Vec::new() };
    let mut change = |operation: &mut Operation| {
        let Operation::Guarded { actions, .. } = operation else { return };
        let amount = [0, 0, 0, 1, 2, -1][choices.below(6)];
        if amount != 0 {
            let sum = Expr::binary(BinaryOp::Add, Expr::Read(place.clone()), Expr::Const(amount));
            let at = choices.below(actions.len() + 1);
            actions.insert(at, Action::Assign(vec![(place.clone(), sum)]));
        }
    };
    let locations = program.process_types.iter_mut().flat_map(|kind| &mut kind.locations);
    for transition in locations.flat_map(|location| &mut location.transitions) {
        match &mut transition.operation {
            Operation::Deterministic(body) => {
                for branch in body.nodes.iter_mut().flatten() {
                    if let BranchKind::Operation(part) = &mut branch.kind {
                        change(part);
                    }
                }
            }
            operation => change(operation),
        }
    }
    program
}

proptest! {
    #![proptest_config(seeded::cases(600))]

    #[test]
    fn values_are_within_their_ranges(
        program in numbers(),
        path in proptest::collection::vec(any::<u16>(), 0..60),
    ) {
        let mut choices = Choices::new(path.clone());
        let program = with_tally(build(Kind::Runnable, program), &mut choices);
        let ranges = lariat_ir::ranges::analyse(&program);
        for start in 0..4u16 {
            let mut numbers = path.clone();
            numbers.rotate_left(usize::from(start).min(path.len()));
            walk(&program, &mut Choices::new(numbers), 60, |state, _, _| {
                if let Some(strange) = ranges.outside(&program, state) {
                    panic!("{strange}\n{}", lariat_ir::text::print(&program));
                }
            });
        }
    }
}
