//! A bounded round of `cargo xtask self-fuzz`, always with the same programs.
//! `cargo xtask self-fuzz --count 20000 --seed N` compares others.

use std::process::Command;

#[test]
fn searches_engines_and_stores_agree() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["self-fuzz", "--count", "90", "--seed", "20", "--time", "60", "--shrink", "50"])
        .output()
        .expect("xtask can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
