//! Tests of `lariat ltl`.

use std::io::Write;
use std::process::{Command, Stdio};

fn lariat(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .arg("ltl")
        .args(arguments)
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // The command may end before it has read its whole input.
    let _ = child.stdin.take().expect("it has an input").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("an exit code"), text(output.stdout), text(output.stderr))
}

#[test]
fn statistics_are_one_line_a_formula() {
    let (code, out, _) = lariat(&["--stats", "p U q", "G F p"], "");
    assert_eq!((code, out.as_str()), (0, "2\t3\t1\t1\tp U q\n1\t2\t1\t1\tG F p\n"));
    let (code, out, _) = lariat(&["--stats", "--ba", "G F p"], "");
    assert_eq!((code, out.as_str()), (0, "2\t4\t1\t1\tG F p\n"));
}

#[test]
fn formulas_come_from_standard_input() {
    let (code, out, _) = lariat(&["--stats"], "# a comment\n\n[](p -> <>q)\n");
    assert_eq!((code, out.as_str()), (0, "2\t4\t1\t1\tG (p -> F q)\n"));
}

#[test]
fn negation_and_never_claims() {
    let (code, out, _) = lariat(&["--never", "--negate", "[]p"], "");
    assert_eq!(code, 0);
    assert!(out.starts_with("never {"), "{out}");
    assert!(out.trim_end().ends_with("accept_all:\n\tskip\n}"), "accept_all stands last: {out}");
}

#[test]
fn questions_are_answered_with_a_word() {
    assert_eq!(lariat(&["--valid", "(p U q) -> F q"], "").0, 0);
    let (code, out, _) = lariat(&["--valid", "F q -> p U q"], "");
    assert_eq!(code, 1);
    assert!(out.starts_with("not valid: "), "{out}");
    let (code, out, _) = lariat(&["--satisfiable", "p & X !p"], "");
    assert_eq!(code, 0);
    assert!(out.starts_with("satisfiable: p; !p; cycle{"), "{out}");
    assert_eq!(lariat(&["--satisfiable", "G p & F !p"], "").0, 1);
    assert_eq!(lariat(&["--equivalent", "F G p", "!G F !p"], "").0, 0);
    assert_eq!(lariat(&["--equivalent", "F p", "G p"], "").0, 1);
}

#[test]
fn both_algorithms_and_all_formats() {
    for algorithm in ["modern", "gpvw"] {
        for format in ["--hoa", "--never", "--dot", "--stats"] {
            let (code, out, errors) =
                lariat(&["--algorithm", algorithm, format, "G (p -> X F q)"], "");
            assert_eq!(code, 0, "{errors}");
            assert!(!out.is_empty());
        }
    }
}

#[test]
fn mistakes_are_shown_in_place() {
    let (code, _, errors) = lariat(&["[](p -> "], "");
    assert_eq!(code, 2);
    assert!(
        errors.contains("expected") && errors.contains("[](p -> ") && errors.contains('^'),
        "{errors}"
    );
    assert_eq!(lariat(&["--equivalent", "p"], "").0, 2);
    assert_eq!(lariat(&["--file", "no such file"], "").0, 2);
}
