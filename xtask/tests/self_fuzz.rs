//! A bounded round of the comparison of Lariat with itself and with the oracle, always with the same programs.
//! `cargo xtask self-fuzz --count 20000 --seed N` compares others.

use std::process::Command;

/// What is compared here; the command compares programs with endless atomic sequences and with run-time errors too.
const SUBJECTS: [&str; 4] = ["plain", "priorities", "moves", "large"];

#[test]
fn searches_engines_and_stores_agree() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["self-fuzz", "--count", "100", "--seed", "20", "--time", "60", "--shrink", "50"])
        .args(SUBJECTS.iter().flat_map(|subject| ["--subjects", *subject]))
        .output()
        .expect("xtask can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
