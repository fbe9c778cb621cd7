//! Lockstep on random programs, which do things no sensible model does.

#[path = "../../model/tests/common/mod.rs"]
mod common;
mod support;

use common::{Kind, build, numbers};
use model::Interpreter;
use model::layout::{FirstLook, Profile};
use proptest::prelude::*;
use support::lockstep;

proptest! {
    #![proptest_config(seeded::cases(100))]

    #[test]
    fn knowing_only_the_initial_states(from in numbers()) {
        let program = build(Kind::Runnable, from);
        if let Ok(states) = Interpreter::new(&program).initial_states() {
            let result = lockstep(&program, Profile::initial(&program, &states), 80);
            prop_assert!(result.is_ok(), "{}\n{}", result.unwrap_err(), model::text::print(&program));
        }
    }

    #[test]
    fn after_a_look_around(from in numbers()) {
        let program = build(Kind::Runnable, from);
        if let Ok(FirstLook { profile, .. }) = Profile::first_look(&Interpreter::new(&program)) {
            let result = lockstep(&program, profile, 300);
            prop_assert!(result.is_ok(), "{}\n{}", result.unwrap_err(), model::text::print(&program));
        }
    }
}
