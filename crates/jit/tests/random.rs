//! Compiled code makes exactly the steps of the interpreter on random programs.

#[path = "../../ir/tests/common/mod.rs"]
mod common;
mod support;

use common::{Kind, build, numbers};
use lariat_ir::Interpreter;
use lariat_ir::layout::{Profile, Sample};
use lariat_ir::text::print;
use proptest::prelude::*;
use support::{ALL, lockstep};

proptest! {
    #![proptest_config(seeded::cases(100))]

    #[test]
    fn initial_layout(from in numbers()) {
        let program = build(Kind::Runnable, from);
        if let Ok(states) = Interpreter::new(&program).initial_states() {
            let result = lockstep(&program, Profile::initial(&program, &states), &ALL, 80);
            prop_assert!(result.is_ok(), "{}\n{}", result.unwrap_err(), print(&program));
        }
    }

    #[test]
    fn explored_layout(from in numbers()) {
        let program = build(Kind::Runnable, from);
        if let Ok(Sample { profile, .. }) = Profile::sample(&Interpreter::new(&program)) {
            let result = lockstep(&program, profile, &ALL, 300);
            prop_assert!(result.is_ok(), "{}\n{}", result.unwrap_err(), print(&program));
        }
    }
}
