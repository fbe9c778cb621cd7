//! The text form: programs come back as they were, and no text does harm.

mod common;

use common::{Kind, program};
use model::program::Program;
use model::text::{parse, print};
use model::verify::verify;
use proptest::prelude::*;

fn come_back(program: &Program) -> Result<(), TestCaseError> {
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
    fn programs_come_back(program in program(Kind::Anything)) {
        come_back(&program)?;
    }

    #[test]
    fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse("", &String::from_utf8_lossy(&bytes));
    }

    /// Words of the language in any order get further than bytes.
    #[test]
    fn no_words_do_harm(words in proptest::collection::vec(0..WORDS.len(), 0..60)) {
        let text: Vec<&str> = words.into_iter().map(|word| WORDS[word]).collect();
        let _ = parse("", &text.join(" "));
    }

    /// A good text with a piece missing, doubled or replaced: an error has a place within it, and what is still a
    /// program can be printed.
    #[test]
    fn no_mutation_does_harm(
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
            Ok(program) => come_back(&program)?,
            Err(errors) => {
                prop_assert!(!errors.is_empty());
                for error in errors {
                    prop_assert!(error.span.start <= error.span.end && error.span.end <= changed.len());
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

/// Deep nesting and long chains are refused or read, but never exhaust the stack.
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
