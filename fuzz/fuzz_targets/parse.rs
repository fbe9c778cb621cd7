//! Parses any bytes as a model: parsing must end with messages that can be rendered, and not panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lariat_promela::{MemoryLoader, diagnostic::render};

fuzz_target!(|text: &[u8]| {
    let loader = MemoryLoader::new().with("m.pml", text).with("a.h", "#define A a\n");
    let parsed = lariat_promela::parse(&loader, "m.pml", &[]);
    let _ = render(&parsed.diagnostics, &parsed.sources, true);
});
