//! The page and the explorer in a real browser: `tests/browser/*.test.mjs`, run by Node.js.
//!
//! They run only if `LARIAT_BROWSER` is set, since they need the packages that
//! `tests/browser/install.sh` installs.

use std::path::Path;
use std::process::Command;

#[test]
fn pages_in_a_browser() {
    if std::env::var_os("LARIAT_BROWSER").is_none() {
        eprintln!("LARIAT_BROWSER is not set: no browser tests");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let status = Command::new("node")
        .args(["--test", "--test-concurrency=1", "page.test.mjs", "explore.test.mjs"])
        .env("LARIAT", env!("CARGO_BIN_EXE_lariat"))
        .current_dir(folder)
        .status()
        .expect("node is installed");
    assert!(status.success(), "see above");
}
