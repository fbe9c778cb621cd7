//! Builds a program from any bytes: its machine code must take exactly the interpreter's steps.

#![no_main]

#[path = "../../crates/ir/tests/common/mod.rs"]
mod common;
#[path = "../../crates/jit/tests/support/mod.rs"]
mod support;

use libfuzzer_sys::fuzz_target;
use lariat_ir::Interpreter;
use lariat_ir::layout::Profile;

fuzz_target!(|bytes: &[u8]| {
    let number = |pair: &[u8]| u16::from_le_bytes([pair[0], *pair.get(1).unwrap_or(&0)]);
    let numbers = bytes.chunks(2).map(number).collect();
    let program = common::build(common::Kind::Runnable, numbers);
    if let Ok(states) = Interpreter::new(&program).initial_states() {
        let result = support::lockstep(&program, Profile::initial(&program, &states), 60);
        assert!(result.is_ok(), "{}\n{}", result.unwrap_err(), lariat_ir::text::print(&program));
    }
});
