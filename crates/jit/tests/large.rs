//! Code that is compiled location by location makes exactly the steps of the interpreter on
//! generated wide and large programs, while layouts are widened and code arrives late.

mod support;

use lariat_ir::layout::Profile;
use lariat_ir::{Interpreter, Program};
use support::{ExplorationStats, Variant, lockstep};

fn program(text: &str) -> Program {
    let loader = lariat_promela::MemoryLoader::new().with("m.pml", text);
    lariat_promela::compile(&loader, "m.pml", &[]).program.expect("a valid model")
}

/// Begins with the layout of the initial states, so that the layout is widened many times.
fn explore(text: &str, limit: usize) -> ExplorationStats {
    let program = program(text);
    let states = Interpreter::new(&program).initial_states().expect("no runtime error");
    let profile = Profile::initial(&program, &states);
    let variants = [Variant::ByLocation, Variant::Late];
    lockstep(&program, profile, &variants, limit).expect("the same steps")
}

/// `part` of each number, joined.
fn repeat(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

#[test]
fn records_of_arrays() {
    let fields = repeat(12, |number| format!("byte f{number}[6];"));
    let steps = repeat(60, |number| {
        let (field, other) = (number % 12, number * 7 % 12);
        format!(
            ":: d[i].f{field}[n % 6] < {number} -> d[i].f{other}[i] = d[i].f{field}[n % 6] + 1; n++
            "
        )
    });
    let text = format!(
        "typedef Device {{ {fields} }}
         Device d[4];
         active [4] proctype P() {{
           byte n; byte i = _pid;
           do {steps} :: n > 3 -> n = 0; i = (i + 1) % 4 od
         }}"
    );
    let stats = explore(&text, 150);
    assert!(stats.widened > 0);
}

#[test]
fn many_channels() {
    let channels =
        repeat(120, |number| format!("chan c{number} = [{}] of {{ byte, byte }};\n", number % 3));
    let steps = repeat(120, |number| {
        let next = (number * 7 + 1) % 120;
        format!(":: c{number}!_pid,{number} :: c{next}?x,y ")
    });
    let text = format!("{channels} active [3] proctype P() {{ byte x, y; do {steps} od }}");
    explore(&text, 40);
}

#[test]
fn channels_in_variables() {
    let text = "
        chan c[12] = [1] of { byte }; chan r[12] = [0] of { byte };
        active [5] proctype P() {
          byte x, i;
          do :: c[(i + _pid) % 12]!i; i = (i + 1) % 12
             :: c[(i + 3) % 12]?x
             :: r[i]!x; i = (i + 5) % 12
             :: r[(x + _pid) % 12]?x
          od
        }";
    explore(text, 300);
}

#[test]
fn processes_started_in_a_loop() {
    let types = repeat(6, |kind| {
        format!(
            "proctype P{kind}(byte a) {{
               byte b; chan own = [2] of {{ byte }};
               do :: b < 2 -> b++; own!a :: own?b :: total < 200 -> total = total + a :: break od
             }}
             "
        )
    });
    let starts = repeat(6, |kind| format!("run P{kind}(n); "));
    let text = format!(
        "byte total; {types}
         init {{ byte n; do :: n < 3 -> {starts} n++ :: else -> break od }}"
    );
    let stats = explore(&text, 400);
    assert!(stats.widened > 0);
}

#[test]
fn thousands_of_locations() {
    let steps = repeat(2000, |number| match number % 5 {
        0 => format!("x = (x + {number}) % 100; "),
        1 => format!("if :: x > {} -> y++ :: else fi; ", number % 100),
        2 => "assert(x < 100); ".into(),
        3 => format!("d_step {{ y = y % {}; x = x + y }}; x = x % 100; ", number % 9 + 1),
        _ => format!("atomic {{ y = {} ; x = y }}; ", number % 50),
    });
    let text = format!(
        "byte x, y;
         active proctype P() {{ do :: {steps} od }}
         active proctype Q() {{ do :: y = 3 :: x = 7 od }}"
    );
    explore(&text, 3000);
}

#[test]
fn deep_inlines() {
    let inlines = repeat(20, |depth| match depth {
        0 => "inline i0(a) { if :: a < 50 -> a = a + 2 :: else -> a = a / 3 fi }\n".into(),
        _ => {
            let (inner, twice) = (depth - 1, if depth % 4 == 0 { 2 } else { 1 });
            let calls = repeat(twice, |_| format!("i{inner}(a); "));
            format!("inline i{depth}(a) {{ {calls} a = a + {depth} % 2 }}\n")
        }
    });
    let text = format!(
        "byte x, y; {inlines}
         active proctype P() {{ do :: d_step {{ i19(x) }} :: i19(y); y = y % 7 :: x = 0 od }}"
    );
    explore(&text, 1500);
}

#[test]
fn priorities_and_enabled() {
    let text = "
        byte x;
        active [3] proctype P() priority 2 provided (x < 90) {
          do :: x < 50 -> x = x + _pid :: x > 40 -> x = x / 2 :: set_priority(_pid, 1 + x % 3) od
        }
        active proctype Q() { do :: enabled(1) -> x++ :: !enabled(0) -> x = 0 od }";
    explore(text, 300);
}
