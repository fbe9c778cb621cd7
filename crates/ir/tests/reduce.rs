//! Reductions of random programs preserve the errors, do not add states, and every counterexample
//! can be translated back.

mod common;
#[path = "common/explore.rs"]
mod explore;

use common::{Kind, build, numbers};
use explore::compare;
use lariat_ir::reduce::Passes;
use proptest::prelude::*;

fn check(numbers: Vec<u16>, passes: Passes) {
    let program = build(Kind::Runnable, numbers);
    if let Err(difference) = compare(&program, passes, 500) {
        panic!("{difference}\n{}", lariat_ir::text::print(&program));
    }
}

proptest! {
    #![proptest_config(seeded::cases(500))]

    #[test]
    fn constants_change_no_verdict(program in numbers()) {
        check(program, Passes { constants: true, ..Passes::NONE });
    }

    #[test]
    fn dropping_write_only_variables_changes_no_verdict(program in numbers()) {
        check(program, Passes { write_only: true, ..Passes::NONE });
    }

    #[test]
    fn resetting_dead_variables_changes_no_verdict(program in numbers()) {
        check(program, Passes { dead: true, ..Passes::NONE });
    }

    #[test]
    fn merging_atomic_steps_keeps_the_states(program in numbers()) {
        check(program, Passes::SAME_STATES);
    }

    #[test]
    fn merging_changes_no_verdict(program in numbers()) {
        check(program, Passes { merge: true, ..Passes::NONE });
    }

    #[test]
    fn all_passes_change_no_verdict(program in numbers()) {
        check(program, Passes::ALL);
    }
}
