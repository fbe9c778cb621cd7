//! Table tests: programs and the syntax trees they parse to. A tree is shown as one line of
//! canonical text: blocks in braces, `;` between steps, as few parentheses as possible.

use crate::ast::{
    Block, Declaration, Initializer, Program, Statement, StatementKind, Step, TypeKind, Unit,
};
use crate::preprocess::{MemoryLoader, preprocess};
use crate::{Diagnostic, pretty};

fn parse(text: &str) -> (Program, Vec<Diagnostic>) {
    let loader = MemoryLoader::new().with("m.pml", text);
    let (_, program, diagnostics) = super::parse(preprocess(&loader, "m.pml", &[]));
    (program, diagnostics)
}

fn accepted(text: &str) -> Program {
    let (program, diagnostics) = parse(text);
    let messages: Vec<_> = diagnostics.iter().map(|diagnostic| &diagnostic.message).collect();
    assert!(messages.is_empty(), "{text}\n{messages:?}");
    program
}

fn message(text: &str) -> String {
    let (_, diagnostics) = parse(text);
    let messages: Vec<_> = diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect();
    messages.join(" / ")
}

fn block(block: &Block) -> String {
    let steps: Vec<_> = block.steps.iter().map(step).collect();
    steps.join("; ")
}

fn step(step: &Step) -> String {
    match step {
        Step::Declaration(declared) => declaration(declared),
        Step::Exclusive(exclusive) => {
            let channels: Vec<_> = exclusive.channels.iter().map(pretty::reference).collect();
            format!("{} {}", if exclusive.receive { "xr" } else { "xs" }, channels.join(", "))
        }
        Step::Statement(main) => statement(main),
        Step::Unless(main, escape) => format!("{} unless {}", statement(main), statement(escape)),
    }
}

fn statement(shown: &Statement) -> String {
    let options = |options: &[Block]| {
        options.iter().map(|option| format!(" :: {}", block(option))).collect::<String>()
    };
    match &shown.kind {
        StatementKind::Labelled(label, inner) => format!("{}: {}", label.text, statement(inner)),
        StatementKind::If(list) => format!("if{} fi", options(list)),
        StatementKind::Do(list) => format!("do{} od", options(list)),
        StatementKind::Atomic(body) => format!("atomic {{ {} }}", block(body)),
        StatementKind::DStep(body) => format!("d_step {{ {} }}", block(body)),
        StatementKind::Block(body) => format!("{{ {} }}", block(body)),
        StatementKind::Inline { name, body } => format!("{} {{ {} }}", name.text, block(body)),
        StatementKind::For { body, .. } => {
            format!("{} {{ {} }}", pretty::statement(shown), block(body))
        }
        _ => pretty::statement(shown),
    }
}

fn declaration(declaration: &Declaration) -> String {
    let ty = |kind: &TypeKind| match kind {
        TypeKind::User(name) => name.text.to_string(),
        TypeKind::Mtype(Some(set)) => format!("mtype:{}", set.text),
        TypeKind::Mtype(None) => "mtype".to_string(),
        kind => format!("{kind:?}").to_lowercase(),
    };
    let mut text = declaration
        .visibility
        .map_or(String::new(), |(visibility, _)| format!("{visibility:?} ").to_lowercase());
    text.push_str(&ty(&declaration.ty.kind));
    for (index, variable) in declaration.variables.iter().enumerate() {
        text.push_str(if index == 0 { " " } else { ", " });
        text.push_str(&variable.name.text);
        if let Some(width) = &variable.width {
            text.push_str(&format!(":{}", pretty::expr(width)));
        }
        if let Some(length) = &variable.length {
            text.push_str(&format!("[{}]", pretty::expr(length)));
        }
        match &variable.initializer {
            None => {}
            Some(Initializer::Expr(value)) => text.push_str(&format!("={}", pretty::expr(value))),
            Some(Initializer::List(values)) => {
                let values: Vec<_> = values.iter().map(pretty::expr).collect();
                text.push_str(&format!("={{{}}}", values.join(",")));
            }
            Some(Initializer::Channel(channel)) => {
                let fields: Vec<_> = channel.fields.iter().map(|field| ty(&field.kind)).collect();
                text.push_str(&format!(
                    "=[{}] of {{{}}}",
                    pretty::expr(&channel.capacity),
                    fields.join(",")
                ));
            }
        }
    }
    text
}

fn unit(unit: &Unit) -> String {
    match unit {
        Unit::Proctype(process) => {
            let mut text = String::new();
            if let Some(active) = &process.active {
                let count = active
                    .count
                    .as_ref()
                    .map_or(String::new(), |count| format!("[{}]", pretty::expr(count)));
                text.push_str(&format!("active{count} "));
            }
            let parameters: Vec<_> = process.parameters.iter().map(declaration).collect();
            let word = if process.deterministic { "D_proctype" } else { "proctype" };
            text.push_str(&format!("{word} {}({})", process.name.text, parameters.join("; ")));
            if let Some(priority) = &process.priority {
                text.push_str(&format!(" priority {}", pretty::expr(priority)));
            }
            if let Some(provided) = &process.provided {
                text.push_str(&format!(" provided ({})", pretty::expr(provided)));
            }
            format!("{text} {{ {} }}", block(&process.body))
        }
        Unit::Init(init) => {
            let priority = init
                .priority
                .as_ref()
                .map_or(String::new(), |value| format!(" priority {}", pretty::expr(value)));
            format!("init{priority} {{ {} }}", block(&init.body))
        }
        Unit::Never(claim) => {
            let name = claim.name.as_ref().map_or(String::new(), |name| format!(" {}", name.text));
            format!("never{name} {{ {} }}", block(&claim.body))
        }
        Unit::Ltl(ltl) => {
            let name = ltl.name.as_ref().map_or(String::new(), |name| format!(" {}", name.text));
            format!("ltl{name} {{ {} }}", pretty::expr(&ltl.formula))
        }
        Unit::Trace(trace) => {
            format!(
                "{} {{ {} }}",
                if trace.negated { "notrace" } else { "trace" },
                block(&trace.body)
            )
        }
        Unit::Declaration(declared) => declaration(declared),
        Unit::Typedef(typedef) => {
            let fields: Vec<_> = typedef.fields.iter().map(declaration).collect();
            format!("typedef {} {{ {} }}", typedef.name.text, fields.join("; "))
        }
        Unit::Mtype(mtype) => {
            let set = mtype.set.as_ref().map_or(String::new(), |set| format!(":{}", set.text));
            let names: Vec<_> = mtype.names.iter().map(|name| &*name.text).collect();
            format!("mtype{set} = {{ {} }}", names.join(", "))
        }
    }
}

fn show(program: &Program) -> String {
    program.units.iter().map(unit).collect::<Vec<_>>().join(" ")
}

/// The steps of a body, parsed in a program that also has a typedef `T` and a proctype `P`.
fn body(text: &str) -> String {
    let program =
        accepted(&format!("typedef T {{ byte f }} proctype P() {{ skip }}\ninit {{\n{text}\n}}\n"));
    match program.units.last() {
        Some(Unit::Init(init)) => block(&init.body),
        other => panic!("{other:?}"),
    }
}

#[test]
fn units() {
    for (text, expected) in [
        (
            "active [2] proctype P(byte a, b; int c) priority 3 provided (x) { skip }",
            "active[2] proctype P(byte a, b; int c) priority 3 provided (x) { (1) }",
        ),
        (
            "D_proctype P() { skip } init priority 2 { run P() }",
            "D_proctype P() { (1) } init priority 2 { (run P()) }",
        ),
        (
            "byte a, b[2] = {1, 2}, c = 3 int d;; unsigned e : 3 = 1",
            "byte a, b[2]={1,2}, c=3 int d unsigned e:3=1",
        ),
        ("hidden byte a; show int b; local bool c", "hidden byte a show int b local bool c"),
        (
            "mtype { a b, c, } mtype:s = { d } mtype:s x = d; mtype y",
            "mtype = { a, b, c } mtype:s = { d } mtype:s x=d mtype y",
        ),
        (
            "chan q[2] = [3] of { byte, mtype:s, chan, T }; typedef T { byte f[2]; bit g\nbit h }",
            "chan q[2]=[3] of {byte,mtype:s,chan,T} typedef T { byte f[2]; bit g; bit h }",
        ),
        (
            "typedef S { T t[2] } typedef T { int i } S s",
            "typedef S { T t[2] } typedef T { int i } S s",
        ),
        (
            "never { skip } never n { skip } trace { q!1 } notrace { q?1 }",
            "never { (1) } never n { (1) } trace { q!1 } notrace { q?1 }",
        ),
        ("ltl { p } ltl n { p; }", "ltl { p } ltl n { p }"),
        ("", ""),
        (";;;", ""),
        (
            "mtype = { a; } chan q = [1] of { byte; } byte b[1] = { 1; }",
            "mtype = { a } chan q=[1] of {byte} byte b[1]={1}",
        ),
    ] {
        assert_eq!(show(&accepted(text)), expected, "{text}");
    }
}

#[test]
fn separators() {
    for (text, expected) in [
        ("x = 1; y = 2;;", "x = 1; y = 2"),
        ("x -> y", "(x); (y)"),
        ("x = 1\ny = 2", "x = 1; y = 2"),
        ("{ x = 1 } y = 2", "{ x = 1 }; y = 2"),
        ("if :: x :: else y = 1 fi; y = 2", "if :: (x) :: else; y = 1 fi; y = 2"),
        ("do :: x -> y; :: break od\nz", "do :: (x); (y) :: break od; (z)"),
        ("x\n-1", "(x); (-1)"),
        ("x -1", "(x - 1)"),
        ("(x\n-1)", "(x - 1)"),
        ("q\n!x", "(q); (!x)"),
        ("q !x", "q!x"),
        ("q!x\n(y)", "q!x; (y)"),
        ("q!x(y)", "q!x,y"),
        ("q?x\n(y)", "q?x; (y)"),
        ("x == 1\n&& y", "(x == 1 && y)"),
        ("x = y\n+ 1", "x = y + 1"),
        ("x /* a\n b */ y", "(x); (y)"),
        ("x = 1\n-> y", "x = 1; (y)"),
        ("{ x }\nunless { y }\nz", "{ (x) } unless { (y) }; (z)"),
        ("x = 1\nunless y", "x = 1 unless (y)"),
        ("timeout\nx", "(timeout); (x)"),
        ("for (i : 1 .. 2)\n{ x }", "for (i : 1 .. 2) { (x) }"),
        ("T t\nt.f = 1", "T t; t.f = 1"),
        ("t\nt", "(t); (t)"),
    ] {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn statements() {
    for (text, expected) in [
        ("L: M: x = 1; N: ; if :: O: fi; E:", "L: M: x = 1; N: (1); if :: O: (1) fi; E: (1)"),
        ("goto L; break; else; skip; true; false", "goto L; break; else; (1); (1); (0)"),
        ("a[i].b[j+1].c++; x--", "a[i].b[j + 1].c++; x--"),
        (
            "q!1,2; q!!a(b,c); q?x; q??x,y; q?<x>; q??<x>",
            "q!1,2; q!!a,b,c; q?x; q??x,y; q?<x>; q??<x>",
        ),
        (
            "q?(x,y); q?x(y,z); q?a,b(c); q?eval(x+1),-1,'a',_",
            "q?x,y; q?x,y,z; q?a,b,c; q?eval(x + 1),-1,97,_",
        ),
        ("q[1]!x; q[1]?x", "q[1]!x; q[1]?x"),
        ("atomic { x; y } d_step { z }", "atomic { (x); (y) }; d_step { (z) }"),
        ("for (i in a) { x } select (i : 1 .. n)", "for (i in a) { (x) }; select (i : 1 .. n)"),
        (
            "printf(\"%d\\n\", x); printf(\"a\"); printm(m)",
            "printf(\"%d\\n\", x); printf(\"a\"); printm(m)",
        ),
        ("assert x == 1; assert(x) && y", "assert(x == 1); assert(x && y)"),
        ("set_priority(0, 2); xr q; xs q[1], r", "set_priority(0, 2); xr q; xs q[1], r"),
        ("x = run P(1, y) priority 2", "x = run P(1, y) priority 2"),
        ("byte x = 2, y; hidden int z", "byte x=2, y; hidden int z"),
        ("P:x == 1; P: skip; Q:x", "(P:x == 1); P: (1); Q: (x)"),
    ] {
        assert_eq!(body(text), expected, "{text}");
    }
}

#[test]
fn expressions() {
    for (text, expected) in [
        ("a - b - c", "a - b - c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        (
            "a + b * c % d << 1 < e == f & g ^ h | i && j || k",
            "a + b * c % d << 1 < e == f & g ^ h | i && j || k",
        ),
        ("a & (b == c)", "a & b == c"),
        ("(a & b) == c", "(a & b) == c"),
        ("a == b > c", "a == b > c"),
        ("!a == b", "!a == b"),
        ("!(a == b)", "!(a == b)"),
        ("- a * b", "-a * b"),
        ("- - a", "-(-a)"),
        ("!!a", "!(!a)"),
        ("!-a", "!(-a)"),
        ("~a + -1", "~a + -1"),
        ("(a -> b : (c -> d : e))", "(a -> b : (c -> d : e))"),
        ("(a -> b[1] : c)", "(a -> b[1] : c)"),
        ("(a -> P[1]:v[2] : P:w)", "(a -> P[1]:v[2] : P:w)"),
        ("P[x+1]@L && Q@M && R[0]@N", "P[x + 1]@L && Q@M && R[0]@N"),
        ("q?[a,eval(b)] && q[1]??[_]", "q?[a,eval(b)] && q[1]??[_]"),
        ("full(q) && (nfull(q) || len(q) + 1 > 2)", "full(q) && (nfull(q) || len(q) + 1 > 2)"),
        (
            "enabled(p+1) && pc_value(0) == get_priority(1)",
            "enabled(p + 1) && pc_value(0) == get_priority(1)",
        ),
        ("timeout || np_ || _nr_pr > _pid", "timeout || np_ || _nr_pr > _pid"),
        ("012 + 'a' + '\\n'", "12 + 97 + 10"),
    ] {
        assert_eq!(body(&format!("if :: {text} fi")), format!("if :: ({expected}) fi"), "{text}");
    }
}

#[test]
fn formulas() {
    for (text, expected) in [
        ("[]<>p", "[]<>p"),
        ("[] p && q", "[]p && q"),
        ("[] (p && q)", "[](p && q)"),
        ("p -> q -> r", "p -> q -> r"),
        ("p -> (q -> r)", "p -> (q -> r)"),
        ("(p U q) U r", "p U q U r"),
        ("p U (q U r)", "p U (q U r)"),
        ("p U q && r", "p U q && r"),
        ("p W q V r <-> X s", "p W q V r <-> X s"),
        ("always (p implies eventually q) equivalent next r", "[](p -> <>q) <-> X r"),
        ("p until q weakuntil r release s stronguntil t", "p U q W r V s U t"),
        ("x == 1 U y > 2", "x == 1 U y > 2"),
        ("! <> P[0]@L", "!<>P[0]@L"),
        ("P:x == 1 && len(q) < 3", "P:x == 1 && len(q) < 3"),
        ("p ->\n-1 <= x", "p -> -1 <= x"),
        (
            "[]<>_moves(P[1]) && _moves(x + 1)",
            "[]<>X (_last == 1 || partner of _last == 1) && \
             X (_last == x + 1 || partner of _last == x + 1)",
        ),
    ] {
        let program = accepted(&format!("ltl {{ {text} }} proctype P() {{ skip }}"));
        assert_eq!(unit(&program.units[0]), format!("ltl {{ {expected} }}"), "{text}");
    }
}

#[test]
fn inlines() {
    for (text, expected) in [
        (
            "inline f(a) { a = a * 2 } init { f(x) f(y[1+1])\n z }",
            "init { f { x = x * 2 }; f { y[1 + 1] = y[1 + 1] * 2 }; (z) }",
        ),
        ("inline f(a) { x = a * 2 } init { f(1+1) }", "init { f { x = 1 + 1 * 2 } }"),
        (
            "inline f(a, b) { g(b); a = 1 } inline g(a) { a++ } init { f(x, y) }",
            "init { f { g { y++ }; x = 1 } }",
        ),
        ("inline f(a, b) { a = b } init { f(b, a) }", "init { f { b = a } }"),
        ("inline f(a) { return a + 1 } init { x = f(2) }", "init { f { x = 2 + 1 } }"),
        (
            "inline f() { skip } init { L: f() unless f() }",
            "init { L: f { (1) } unless f { (1) } }",
        ),
        ("inline f(q) { q!1\n(x) } init { f(c[0]) }", "init { f { c[0]!1; (x) } }"),
        ("#define N 3\ninline f(a) { a = N } init { f(x) }", "init { f { x = 3 } }"),
        ("inline f(a) { L: a } init { f(1) }", "init { f { L: (1) } }"),
    ] {
        assert_eq!(show(&accepted(text)), expected, "{text}");
    }
}

#[test]
fn selects_record_their_spelling() {
    let flags = |text: &str| match accepted(text).units.pop() {
        Some(Unit::Init(init)) => {
            fn find(steps: &[Step]) -> Option<(bool, bool)> {
                match steps {
                    [
                        Step::Statement(Statement {
                            kind: StatementKind::Inline { body, .. }, ..
                        }),
                    ] => find(&body.steps),
                    [
                        Step::Statement(Statement {
                            kind: StatementKind::Select { in_inline, literal, .. },
                            ..
                        }),
                    ] => Some((*in_inline, *literal)),
                    _ => None,
                }
            }
            find(&init.body.steps).unwrap()
        }
        other => panic!("{other:?}"),
    };
    for (text, expected) in [
        ("init { select (i : 1 .. 2) }", (false, true)),
        ("#define N 2\ninit { select (i : 1 .. N) }", (false, true)),
        ("init { select (i_ : 1 .. 2) }", (false, false)),
        ("init { select (i : 1 .. (2)) }", (false, false)),
        ("init { select (a[1] : 1 .. 2) }", (false, false)),
        ("init { select (\ni : 1 .. 2) }", (false, false)),
        ("init { select (i : true .. 2) }", (false, false)),
        ("inline f() { select (i : 1 .. 2) } init { f() }", (true, true)),
    ] {
        assert_eq!(flags(text), expected, "{text}");
    }
}

#[test]
fn positions_match_spin() {
    let text =
        "#define A x = \\\n 1\n\ninline f(a) {\n  a = 1;\n  y = 2\n}\ninit {\n  A;\n  f(z)\n}\n";
    let loader = MemoryLoader::new().with("m.pml", text);
    let parsed = crate::parse(&loader, "m.pml", &[]);
    let Some(Unit::Init(init)) = parsed.program.units.first() else { panic!() };
    let line = |statement: &Step| match statement {
        Step::Statement(statement) => parsed.sources.locate(statement.span).line,
        other => panic!("{other:?}"),
    };
    assert_eq!(init.body.steps.iter().map(line).collect::<Vec<_>>(), [9, 10]);
    let Step::Statement(Statement { kind: StatementKind::Inline { body, .. }, .. }) =
        &init.body.steps[1]
    else {
        panic!()
    };
    assert_eq!(body.steps.iter().map(line).collect::<Vec<_>>(), [5, 6]);
}

#[test]
fn limits_hold() {
    let repeat = |open: &str, count: usize| format!("init {{ {}", open.repeat(count));
    let nested = "the program is nested too deeply";
    for (text, expected) in [
        (repeat("{", 100_000), nested),
        (repeat("(", 100_000), nested),
        (repeat("a[", 100_000), nested),
        (repeat("-", 100_000), "expected"),
        (repeat("- ", 100_000), nested),
        (repeat("if :: ", 100_000), nested),
        (repeat("L:", 100_000), nested),
        (repeat("x = len(", 100_000), "expected"),
        (repeat("q?(", 100_000), "expected"),
        (format!("init {{ q?{}", "(".repeat(100_000)), nested),
        (format!("init {{ x = a{} }}", "+a".repeat(1_000_000)), "this expression is too large"),
        (format!("ltl {{ p{} }}", " U p".repeat(1_000_000)), "this expression is too large"),
        (format!("init {{ {} }}", "x = = 1;\n".repeat(10_000)), "expected an expression"),
    ] {
        let found = message(&text);
        assert!(found.starts_with(expected), "{}: {found}", &text[..30]);
    }
    // Trees within the limits can be walked and dropped recursively.
    let sum = format!("init {{ x = a{} }}", "+a".repeat(super::MAX_HEIGHT as usize - 10));
    assert_eq!(
        show(&accepted(&sum)).len(),
        "init { x = a }".len() + 4 * (super::MAX_HEIGHT as usize - 10)
    );
    accepted(&format!("init {{ {} skip {} }}", "{".repeat(200), "}".repeat(200)));
    let mut doubling = "inline f0() { skip }\n".to_string();
    for level in 1..100 {
        doubling.push_str(&format!("inline f{level}() {{ f{0}(); f{0}() }}\n", level - 1));
    }
    assert_eq!(
        message(&(doubling + "init { f99() }")),
        "the inline calls expand to too many tokens"
    );
}
