//! Any bytes as a random program: its machine code must make exactly the steps the interpreter makes.

#![no_main]

#[path = "../../crates/model/tests/common/mod.rs"]
mod common;
#[path = "../../crates/native/tests/support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use model::Interpreter;
use model::layout::Profile;

fuzz_target!(|bytes: &[u8]| {
    let numbers = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], *pair.get(1).unwrap_or(&0)])).collect();
    let program = common::build(common::Kind::Runnable, numbers);
    if let Ok(states) = Interpreter::new(&program).initial_states() {
        let result = support::lockstep(&program, Profile::initial(&program, &states), 60);
        assert!(result.is_ok(), "{}\n{}", result.unwrap_err(), model::text::print(&program));
    }
});
