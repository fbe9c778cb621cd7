//! Security of `explore` and `view` against other local users: no secret in the process list, and
//! no file that others can read, replace or predict.
#![cfg(unix)]

use crate::common::{Place, Ran};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FAILS: &str = "byte x; active proctype P() { x = 1; assert(x == 0) }\n";

/// A child process that is killed when the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

/// A directory with a fake `xdg-open` that records its arguments.
fn place_with_opener() -> Place {
    let place = Place::new()
        .with("m.pml", FAILS)
        .with("xdg-open", "#!/bin/sh\nprintf '%s' \"$*\" >opened.new\nmv opened.new opened\n");
    std::fs::set_permissions(place.0.join("xdg-open"), PermissionsExt::from_mode(0o755))
        .expect("our file");
    place
}

fn wait_for_text(file: &Path) -> String {
    let start = Instant::now();
    loop {
        match std::fs::read_to_string(file) {
            Ok(text) => return text,
            Err(_) => assert!(start.elapsed() < Duration::from_secs(30), "{}", file.display()),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_token_is_not_an_argument() {
    let place = place_with_opener();
    let mut command = place.command(&["explore", "m.pml"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", place.0.display())).env("TMPDIR", &place.0);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    let mut running = Running(child);
    let child = &mut running.0;
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines();
    let url = lines.next().expect("an address").expect("text");
    let token = url.trim_end_matches('/').rsplit('/').next().expect("a token").to_string();
    assert_eq!(token.len(), 32, "{url}");
    let opened = wait_for_text(&place.0.join("opened"));
    assert!(!opened.contains(&token), "{opened}");
    let page = PathBuf::from(&opened);
    assert!(std::fs::read_to_string(&page).expect("a page").contains(&url));
    assert_eq!((mode(&page), mode(page.parent().expect("a directory"))), (0o600, 0o700));
    // The file is removed when the program ends.
    let status = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status()
        .expect("kill can be run");
    assert!(status.success());
    child.wait().expect("it ends");
    assert!(!page.exists() && !page.parent().expect("a directory").exists());
}

#[test]
fn pages_are_private_and_cannot_be_foreseen() {
    let place = Place::new().with("m.pml", FAILS).with("bad.pml", "byte").with("victim", "text");
    let view = |model: &str| {
        let mut command = place.command(&["view", "--no-open", model]);
        let child =
            command.env("TMPDIR", &place.0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let child = child.expect("it starts");
        let id = child.id();
        (id, Ran::from(child.wait_with_output().expect("it ends")))
    };
    let mut pages = Vec::new();
    for _ in 0..2 {
        let (id, ran) = view("m.pml");
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let page = PathBuf::from(ran.out.lines().last().expect("a path"));
        assert_eq!(mode(page.parent().expect("a directory")), 0o700);
        assert!(!page.to_string_lossy().contains(&id.to_string()), "{}", page.display());
        assert!(std::fs::read_to_string(&page).expect("a page").contains("<!doctype html>"));
        pages.push(page);
    }
    assert_ne!(pages[0], pages[1]);
    // If no page is written, no directory is left.
    let count = || std::fs::read_dir(&place.0).expect("a directory").count();
    let before = count();
    assert_eq!(view("bad.pml").1.code, Some(2));
    assert_eq!(count(), before);
}
