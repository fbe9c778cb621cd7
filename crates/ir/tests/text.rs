//! The text form: parsing inverts printing, and no text makes the parser panic.

mod common;

use common::{Kind, program};
use lariat_ir::program::Program;
use lariat_ir::text::{parse, print};
use lariat_ir::verify::verify;
use proptest::prelude::*;

fn round_trips(program: &Program) -> Result<(), TestCaseError> {
    let text = print(program);
    match parse("", &text) {
        Ok(read) => {
            prop_assert_eq!(&read, program, "{}", text);
            prop_assert_eq!(print(&read), text);
        }
        Err(errors) => prop_assert!(false, "{}\n{:#?}", text, errors),
    }
    Ok(())
}

proptest! {
    #![proptest_config(seeded::cases(1500))]

    #[test]
    fn generated_programs_keep_the_rules(program in program(Kind::Anything)) {
        prop_assert_eq!(verify(&program), Vec::new());
    }

    #[test]
    fn programs_round_trip(program in program(Kind::Anything)) {
        round_trips(&program)?;
    }

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse("", &String::from_utf8_lossy(&bytes));
    }

    /// Words of the language reach more of the parser than bytes do.
    #[test]
    fn arbitrary_words_do_not_panic(words in proptest::collection::vec(0..WORDS.len(), 0..60)) {
        let text: Vec<&str> = words.into_iter().map(|word| WORDS[word]).collect();
        let _ = parse("", &text.join(" "));
    }

    /// A part of a valid text is removed, duplicated or replaced: errors have positions within the
    /// text, and programs that are still valid can be printed.
    #[test]
    fn mutated_programs_do_not_panic(
        program in program(Kind::Anything),
        from in any::<prop::sample::Index>(),
        length in 0usize..20,
        word in 0..WORDS.len(),
        how in 0..3,
    ) {
        let text = print(&program);
        let characters: Vec<char> = text.chars().collect();
        if characters.is_empty() {
            return Ok(());
        }
        let from = from.index(characters.len());
        let to = (from + length).min(characters.len());
        let mut changed: String = characters[..from].iter().collect();
        match how {
            0 => {}
            1 => changed.extend(characters[from..to].iter().chain(&characters[from..to])),
            _ => changed += WORDS[word],
        }
        changed.extend(&characters[to..]);
        match parse("", &changed) {
            Ok(program) => round_trips(&program)?,
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    prop_assert!(error.span.start <= error.span.end);
                    prop_assert!(error.span.end <= changed.len());
                    prop_assert!(changed.is_char_boundary(error.span.start), "{}", error);
                    prop_assert!(error.line >= 1 && error.column >= 1);
                }
            }
        }
    }
}

const WORDS: [&str; 93] = [
    "var",
    "names",
    "const",
    "channel",
    "process",
    "proctype",
    "location",
    "origin",
    "prologue",
    "init",
    "provided",
    "deterministic",
    "exclusive",
    "start",
    "assert",
    "end",
    "trace",
    "notrace",
    "option",
    "when",
    "do",
    "skip",
    "else",
    "send",
    "receive",
    "peek",
    "terminate",
    "d_step",
    "node",
    "enter",
    "leave",
    "goto",
    "atomic",
    "escape",
    "run",
    "new",
    "print",
    "set_priority",
    "priority",
    "eval",
    "if",
    "then",
    "true",
    "timeout",
    "spawned",
    "enabled",
    "len",
    "poll",
    "at",
    "remote",
    "bit",
    "byte",
    "bool",
    "chan",
    "unsigned",
    "hidden",
    "as",
    "_",
    "_pid",
    "x",
    "y",
    "P",
    "0",
    "1",
    "2",
    "4294967295",
    "99999999999",
    "\"t\"",
    "`q`",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ":=",
    "::",
    "->",
    "=>",
    "==",
    "<",
    "!",
    "!!",
    "?",
    "-",
    "..",
    ".",
    "#",
    "@",
    "/*",
];

/// Deep nesting and long chains are accepted or rejected, but never exhaust the stack.
#[test]
fn depth_is_limited() {
    let deep = 100_000;
    for text in [
        "(".repeat(100 * deep),
        "{".repeat(100 * deep),
        "\0".repeat(100 * deep),
        "(".repeat(deep),
        format!("init {}1{}", "(".repeat(deep), ")".repeat(deep)),
        format!("init {}1", "!".repeat(deep)),
        format!("init {}1", "- ".repeat(deep)),
        format!("init {}", "1 + ".repeat(deep)),
        format!("init 1{}", " + 1".repeat(deep)),
        format!("init 1{}", " => 1".repeat(deep)),
        format!("init {}1", "if 1 then 1 else ".repeat(deep)),
        format!("var x : byte\ninit x{}", "[x".repeat(deep)),
        format!("init {}", "len(".repeat(deep)),
        format!("process P {{ {}", "d_step { node 0 { ".repeat(deep)),
        "process P {".repeat(deep),
        "}".repeat(deep),
        format!("var x{} : byte", "[1]".repeat(deep)),
        format!("var x{} : byte", "[0]".repeat(deep)),
        "var x[100000][100000][100000][0] : byte".to_string(),
        "var x[-1] : byte".to_string(),
        "process P[1000000] { }".to_string(),
        "\"".to_string(),
        "`\\u{110000}`".to_string(),
        "\u{feff}var x : byte".to_string(),
    ] {
        if let Ok(program) = parse("", &text) {
            print(&program);
        }
    }
}

#[test]
fn the_empty_program_is_the_empty_text() {
    assert_eq!(print(&Program::default()), "");
    assert_eq!(parse("", ""), Ok(Program::default()));
}
