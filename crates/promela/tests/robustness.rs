//! On every input, parsing ends with a value and diagnostics that can be rendered.

use lariat_promela::ast::{StatementKind, Step, Unit};
use lariat_promela::diagnostic::render;
use lariat_promela::{MemoryLoader, Parsed, pretty};
use proptest::prelude::*;

/// A valid program that uses most constructs.
const PROGRAM: &str = r#"
#define N 3
#define max(a, b) ((a) > (b) -> (a) : (b))
#if defined(N) && N > 2
mtype = { ack, nak }
#else
#error no
#endif
typedef Point { byte x; byte y[2] }
chan link[N] = [2] of { mtype, byte };
Point p; byte turn = 1, flag[2] = { 1, 0 }; unsigned u : 3;
inline swap(a, b) { d_step { turn = a; a = b; b = turn } }
inline next(a) { return a + 1 }
proctype Worker(byte id; chan c) priority 2 provided (turn != 9) {
  byte i; xr c;
again: do
  :: c?ack(i) -> c!nak,max(i, 2)
  :: c?[nak,eval(i)] && nfull(c) -> atomic { i++; p.y[0] = i
     turn = 1 - turn }
  :: timeout -> goto done
  :: else -> for (i : 0 .. N) { skip } select (i : 1 .. 4); break
  od unless { turn == 7 };
  if :: i = next(i) :: swap(p.x, turn) fi
done: assert(i >= 0 || Worker[1]@again); printf("%d \n", i)
}
init { atomic { run Worker(0, link[0]); run Worker(1, link[1]) } }
never bad { do :: !(turn == 1) -> break :: else od }
ltl live { [] (turn == 1 -> <> (Worker[1]:i == 2 U X turn)) }
"#;

const WORDS: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_expr",
    "c_state",
    "chan",
    "D_proctype",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "never",
    "np_",
    "od",
    "of",
    "pc_value",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "skip",
    "timeout",
    "trace",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "P",
    "Q",
    "f",
    "x",
    "y",
    "T",
    "U",
    "X",
    "always",
    "0",
    "7",
    "99999999999",
    "'a'",
    "\"s\"",
    "\"",
    "'",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "->",
    ",",
    ":",
    "::",
    ".",
    "..",
    "@",
    "=",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "<<",
    ">>",
    "+",
    "++",
    "-",
    "--",
    "*",
    "/",
    "%",
    "!",
    "!!",
    "?",
    "??",
    "~",
    "&",
    "&&",
    "|",
    "||",
    "^",
    "#",
    "##",
    "\n",
    "\n#define f(x) x f(x)\n",
    "\n#define x y x\n",
    "\n#define y x\n",
    "\n#if ",
    "\n#ifdef x\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#undef x\n",
    "\n#include \"a\"\n",
    "\n#include \"b\"\n",
    "/*",
    "*/",
    "//",
    "\\\n",
    "defined",
    "__LINE__",
    "\ntypedef T {",
    "\ninline f(x) {",
    "\nproctype P() {",
    "\ninit {",
    "if ::",
    "do ::",
];

fn parse(text: &[u8]) -> Parsed {
    let loader =
        MemoryLoader::new().with("m.pml", text).with("a", "x = 1;\n").with("b", "#include \"b\"\n");
    lariat_promela::parse(&loader, "m.pml", &[("D".to_string(), None)])
}

fn survives(text: &[u8]) -> Result<(), TestCaseError> {
    let parsed = parse(text);
    for color in [false, true] {
        let drawn = render(&parsed.diagnostics, &parsed.sources, color);
        prop_assert!(parsed.diagnostics.is_empty() || !drawn.is_empty());
    }
    for diagnostic in &parsed.diagnostics {
        if let Some(span) = diagnostic.span() {
            prop_assert!(parsed.sources.locate(span).line >= 1);
        }
    }
    Ok(())
}

fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for character in text.chars() {
        let wordy = |c: char| c.is_alphanumeric() || c == '_';
        match pieces.last_mut() {
            Some(last) if last.ends_with(wordy) && wordy(character) => last.push(character),
            _ => pieces.push(character.to_string()),
        }
    }
    pieces
}

/// The text of an expression with all operators and redundant or missing parentheses.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x",
        "a[1]",
        "t.f",
        "3",
        "true",
        "len(q)",
        "timeout",
        "q?[x,eval(y)]",
        "P[0]@L",
    ]);
    leaf.prop_map(str::to_string).prop_recursive(5, 40, 3, |inner| {
        let operators = vec![
            "+", "-", "*", "/", "%", "&", "^", "|", ">", "<", ">=", "<=", "==", "!=", "&&", "||",
            "<<", ">>",
        ];
        let signs = prop::sample::select(vec!["!", "-", "~"]);
        prop_oneof![
            (inner.clone(), prop::sample::select(operators), inner.clone())
                .prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
            (signs, inner.clone()).prop_map(|(sign, operand)| format!("{sign} {operand}")),
            inner.clone().prop_map(|operand| format!("({operand})")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(c, a, b)| format!("({c} -> {a} : {b})")),
        ]
    })
}

fn condition(text: &str) -> String {
    let parsed = parse(format!("init {{ if :: {text} fi }}").as_bytes());
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    let Some(Unit::Init(init)) = parsed.program.units.first() else { panic!("{text}") };
    let Some(Step::Statement(statement)) = init.body.steps.first() else { panic!("{text}") };
    let StatementKind::If(options) = &statement.kind else { panic!("{text}") };
    let Some(Step::Statement(statement)) = options[0].steps.first() else { panic!("{text}") };
    let StatementKind::Condition(condition) = &statement.kind else { panic!("{text}") };
    pretty::expr(condition)
}

#[test]
fn the_sample_is_valid() {
    let parsed = parse(PROGRAM.as_bytes());
    assert_eq!(render(&parsed.diagnostics, &parsed.sources, false), "");
}

proptest! {
    #![proptest_config(seeded::cases(1000))]

    #[test]
    fn bytes(text in prop::collection::vec(any::<u8>(), 0..400)) {
        survives(&text)?;
    }

    #[test]
    fn words(text in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        survives(text.join(" ").as_bytes())?;
    }

    #[test]
    fn words_in_a_body(text in prop::collection::vec(prop::sample::select(WORDS), 0..80)) {
        let before = "inline f(x) { x = 1 } typedef T { byte f }";
        survives(format!("{before}\ninit {{ {} }}", text.join(" ")).as_bytes())?;
    }

    /// A valid program with pieces removed, duplicated, moved and replaced.
    #[test]
    fn mutations(
        edits in prop::collection::vec(
            (0..4u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), 1..6usize),
            1..6,
        )
    ) {
        let mut pieces = pieces(PROGRAM);
        for (kind, from, to, length) in edits {
            let from = from.index(pieces.len());
            let end = (from + length).min(pieces.len());
            match kind {
                0 => drop(pieces.drain(from..end)),
                1 => {
                    let copy = pieces[from..end].to_vec();
                    let at = to.index(pieces.len());
                    pieces.splice(at..at, copy);
                }
                2 => {
                    let at = to.index(pieces.len());
                    pieces.swap(from, at);
                }
                _ => pieces[from] = WORDS[to.index(WORDS.len())].to_string(),
            }
            if pieces.is_empty() {
                break;
            }
        }
        survives(pieces.concat().as_bytes())?;
    }

    /// Printing a tree and parsing the text gives the same tree and the same text.
    #[test]
    fn expressions_print_as_they_parse(text in expression()) {
        let printed = condition(&text);
        prop_assert_eq!(condition(&printed), printed);
    }
}

#[test]
fn large_inputs_end() {
    for piece in [
        "(",
        "{",
        "[",
        "init {",
        "#if 1\n",
        "/*",
        "\"",
        "\\\n",
        "a ",
        "x\n",
        ":: ",
        "\u{fffd}",
        "#define f(x) ",
        "*/a",
        "#endif\n",
    ] {
        let text = piece.repeat(2_000_000 / piece.len());
        let parsed = parse(text.as_bytes());
        let drawn = render(&parsed.diagnostics, &parsed.sources, false);
        assert!(drawn.len() < 100_000, "{piece}");
    }
}
