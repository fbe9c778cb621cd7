//! Table tests: texts and the tokens the preprocessor produces.

use super::*;

fn run(loader: &MemoryLoader, defines: &[(String, Option<String>)]) -> (String, Preprocessed) {
    let result = preprocess(loader, "d/main.pml", defines);
    let mut text = String::new();
    for token in &result.tokens {
        if !text.is_empty() && token.kind != TokenKind::End {
            text.push(if token.starts_line() { '/' } else { ' ' });
        }
        match token.kind {
            TokenKind::End => {}
            TokenKind::Word(word) => text.push_str(result.interner.word(word)),
            TokenKind::Number(value) => text.push_str(&value.to_string()),
            TokenKind::String(string) => {
                text.push_str(&format!("\"{}\"", result.interner.word(string)))
            }
            TokenKind::InvalidToken(_) => text.push_str("BAD"),
            kind => text.push_str(kind.spelling().unwrap()),
        }
    }
    (text, result)
}

fn messages(result: &Preprocessed) -> Vec<&str> {
    result.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect()
}

#[test]
fn texts_are_expanded() {
    for (text, expected) in [
        ("#define N 3\nbyte x[N]", "byte x [ 3 ]"),
        ("#define N\nN x N y N\nz", "x y/z"),
        ("a\nN\n#define N\nN b", "a/N/b"),
        ("#define f(x,y) (x+y)\nf(1,f(2,(3,4)))", "( 1 + ( 2 + ( 3 , 4 ) ) )"),
        ("#define f (x)\nf", "( x )"),
        ("#define f(x) x\nf + f\n(2) g", "f + 2/g"),
        ("#define f() 7\nf() f( )", "7 7"),
        ("#define x x y\nx", "x y"),
        ("#define a b\n#define b a\na b", "a b"),
        ("#define f(x) x f(x)\nf(f(1))", "1 f ( 1 ) f ( 1 f ( 1 ) )"),
        ("#define g f\n#define f(x) <x>\ng(1)", "< 1 >"),
        ("#define s(x) #x\ns(a + \"b\")", "\"a + \\\"b\\\"\""),
        ("#define j(a,b) a##b c##a\nj(x,1) j(,2)", "x1 cx 2 c"),
        ("#define v(a, ...) a(__VA_ARGS__)\nv(f,1,2) v(g)", "f ( 1 , 2 ) g ( )"),
        ("#define A 1 \\\n + 2\nA", "1 + 2"),
        ("#define f(x) x\nf(1\n+\n2) 3\n4", "1 + 2/3/4"),
        ("#undef N\n#define N 1\n#undef N\nN", "N"),
        ("__LINE__\n\n__LINE__ __FILE__", "1/3 \"d/main.pml\""),
        ("# 12 \"x\"\n#line 3\n#pragma once\n#\na", "a"),
        ("#include \"inc.h\"\nx", "inc/x"),
    ] {
        let loader = MemoryLoader::new().with("d/main.pml", text).with("d/inc.h", "inc");
        let (found, result) = run(&loader, &[]);
        assert_eq!((found.as_str(), messages(&result)), (expected, vec![]), "{text}");
    }
}

#[test]
fn conditions_select_groups() {
    for (condition, expected) in [
        ("1", true),
        ("0", false),
        ("N", true),
        ("N == 3 && !defined(M) && !defined M", true),
        ("M || N-3", false),
        ("(1 ? 2 : 3) == 2", true),
        ("7/2*2+7%2 == 7 && -7/2 == -3", true),
        ("1 << 3 > 7 ^ 1", false),
        ("~0 == -1 && (6 & 3 | 8) == 10", true),
        ("defined(N) && f(2) == 4", true),
    ] {
        let text =
            format!("#define N 3\n#define f(x) x*2\n#if {condition}\nyes\n#else\nno\n#endif\n");
        let (found, result) = run(&MemoryLoader::new().with("d/main.pml", text), &[]);
        assert_eq!(
            (found.as_str(), messages(&result)),
            (if expected { "yes" } else { "no" }, vec![]),
            "{condition}"
        );
    }
}

#[test]
fn groups_nest() {
    let text = "#ifdef A\na\n#if 1\nb\n#endif\n#elif B\nc\n#if 0\nd don't \" \n#error no\n#else\ne\n#endif\n#else\nf\n#endif\n#ifndef A\ng\n#endif";
    for (names, expected) in [("", "f/g"), ("A", "a/b"), ("B", "c/e/g"), ("AB", "a/b")] {
        let defines: Vec<_> = names.chars().map(|name| (name.to_string(), None)).collect();
        let (found, result) = run(&MemoryLoader::new().with("d/main.pml", text), &defines);
        assert_eq!((found.as_str(), messages(&result)), (expected, vec![]), "{names}");
    }
}

#[test]
fn command_line_definitions_apply() {
    let loader = MemoryLoader::new().with("d/main.pml", "N M sq(2)");
    let define = |name: &str, value: Option<&str>| (name.to_string(), value.map(str::to_string));
    let (found, _) =
        run(&loader, &[define("N", Some("5")), define("M", None), define("sq(x)", Some("x*x"))]);
    assert_eq!(found, "5 1 2 * 2");
    let (_, result) = run(&loader, &[define("5", None)]);
    assert_eq!(messages(&result), ["`-D 5`: a macro's name must be a word"]);
}

#[test]
fn errors_are_reported() {
    for (text, expected) in [
        ("#if 1\n", "unterminated conditional"),
        ("#endif", "`#endif` without an `#if`"),
        ("#if 0\n#else\n#else\n#endif", "`#else` after `#else`"),
        ("#if\n#endif", "missing condition"),
        ("#if 1/0\n#endif", "division by zero in a condition"),
        ("#if (1\n#endif", "expected `)` in a condition"),
        ("#if 1 1\n#endif", "unexpected text after the condition"),
        ("#defin X", "unknown preprocessor directive `#defin`"),
        ("#define", "`#define` without a name"),
        ("#define f(x, x) 1", "malformed list of macro parameters"),
        ("#define f(x", "malformed list of macro parameters"),
        ("#define f(x) 1\nf(1,2)", "macro `f` takes 1 argument, but 2 are given"),
        ("#define f(x) 1\nf(1", "unterminated call of macro `f`"),
        ("#include \"none.h\"", "cannot include `none.h`: there is no such file"),
        ("#include none", "`#include` needs a file name in quotes"),
        ("#error stop here, don't", "#error stop here, don't"),
        ("x /* y", "unterminated comment"),
        ("#include \"main.pml\"", "`main.pml` is included too often; does it include itself?"),
        (
            "#include \"main.pml\"\n#include \"main.pml\"",
            "`main.pml` is included too often; does it include itself?",
        ),
    ] {
        let (_, result) = run(&MemoryLoader::new().with("d/main.pml", text), &[]);
        assert_eq!(messages(&result), [expected], "{text}");
    }
    let (_, result) = run(&MemoryLoader::new(), &[]);
    assert_eq!(messages(&result), ["cannot read `d/main.pml`: there is no such file"]);
    let (_, result) = run(&MemoryLoader::new().with("d/main.pml", [b'a', 0]), &[]);
    assert_eq!(messages(&result), ["cannot read `d/main.pml`: it is a binary file, not text"]);
}

#[test]
fn exponential_expansion_ends() {
    let mut doubling = String::from("#define x0 y y\n");
    let mut nested = String::from("#define f0(x) x x\n");
    for level in 1..60 {
        doubling.push_str(&format!("#define x{level} x{0} x{0}\n", level - 1));
        nested.push_str(&format!("#define f{level}(x) f{0}(x x) f{0}(x)\n", level - 1));
    }
    let deep = format!("#define f(x) x\n{}{}", "f(".repeat(100_000), ")".repeat(100_000));
    for text in [doubling + "x59", nested + "f59(1)", deep] {
        let (_, result) = run(&MemoryLoader::new().with("d/main.pml", text), &[]);
        assert_eq!(messages(&result).len(), 1);
        assert!(result.tokens.len() <= MAX_TOKENS + 1);
    }
}

#[test]
fn tokens_are_shown_at_the_outermost_call() {
    let text = "#define a b\n#define b(x) x + y\n\n z a(w)\n";
    let (_, result) = run(&MemoryLoader::new().with("d/main.pml", text), &[]);
    let places: Vec<_> = result
        .tokens
        .iter()
        .map(|token| (result.sources.locate(token.span).line, result.sources.text(token.span)))
        .collect();
    assert_eq!(places, [(4, "z"), (4, "w"), (4, "+"), (4, "y"), (5, "")]);
}
