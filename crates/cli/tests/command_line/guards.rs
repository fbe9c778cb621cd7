//! Conditions in formulas are evaluated with short-circuiting, as in C: a condition that may fail
//! is not evaluated if the conditions to its left determine the result. Seven of these formulas
//! have the same verdict in SPIN 6.5.2; docs/spin-differences.md describes one that differs.

use crate::common::Place;

const PROGRAM: &str = "\
#define inside (i >= 0)
#define zero (a[i] == 0)
byte a[2]; int i; byte q;
active proctype P() { i = -1; i = 1; q = 1 }
";

/// The verdict lines of the properties.
fn check(place: &Place, model: &str, arguments: &[&str]) -> Vec<String> {
    std::fs::write(place.0.join("m.pml"), model).expect("a temporary file");
    let ran = place.run(&[&["check", "m.pml", "--quiet"], arguments].concat());
    assert!(ran.err.is_empty(), "{ran:?}");
    ran.out.lines().map(ToString::to_string).collect()
}

const NO_VALUE: &str =
    "VIOLATED  a condition has no value: invalid array index: a[-1], but the length is 2";

const HOLDS: &[&str] = &[
    "[] (i >= 0 -> a[i] == 0)",
    "[] (inside -> zero)",
    "[] (inside implies zero)",
    "[] !(i >= 0 && a[i] == 1)",
    "[] (i < 0 || a[i] == 0)",
    "[] (i >= 0 && a[i] == 0 -> <> (q == 1))",
    "[] ((i >= 0) <-> (i >= 0 && a[i] == 0))",
    "[] (i == 0 || 4 / i != 0)",
    // The formula has a temporal operator, but not between the guard and the guarded condition.
    "[] (i >= 0 -> (a[i] == 0 && <> (q == 1)))",
    "[] (i >= 0 -> (<> (q == 1) && a[i] == 0))",
    "[] (!(i < 0 || [] (q == 0)) -> a[i] == 0)",
    // SPIN evaluates `a[i] == 0` first, since its translation reorders the conditions.
    "[] ((<> (q == 1)) || i < 0 || a[i] == 0)",
];

const FAILS: &[&str] = &[
    "[] (a[i] == 0 || i < 0)",
    "[] (a[i] == 0 -> i >= 0)",
    "[] (a[i] == 0)",
    // A guard does not protect a condition under a temporal operator, which refers to other states.
    "[] (i < 0 || (a[i] == 0 U q == 1))",
    "i >= 0 -> [] (a[i] == 0)",
];

#[test]
fn in_ltl_blocks() {
    let place = Place::new();
    let mut model = PROGRAM.to_string();
    for (number, formula) in HOLDS.iter().chain(FAILS).enumerate() {
        model += &format!("ltl p{number} {{ {formula} }}\n");
    }
    let lines = check(&place, &model, &[]);
    let wanted = HOLDS.iter().map(|_| "holds").chain(FAILS.iter().map(|_| NO_VALUE));
    let wanted: Vec<String> =
        wanted.enumerate().map(|(number, verdict)| format!("ltl p{number}: {verdict}")).collect();
    assert_eq!(lines[1..], wanted);
}

#[test]
fn in_formulas_of_the_command_line() {
    let place = Place::new();
    for (list, verdict) in [(HOLDS, "holds"), (FAILS, NO_VALUE)] {
        let arguments: Vec<&str> = list.iter().flat_map(|formula| ["--ltl", formula]).collect();
        let lines = check(&place, PROGRAM, &arguments);
        let wanted: Vec<String> =
            list.iter().map(|formula| format!("ltl {formula}: {verdict}")).collect();
        assert_eq!(lines, wanted);
    }
}

#[test]
fn in_branching_time() {
    let place = Place::new();
    let holds = [
        "AG (i >= 0 -> a[i] == 0)",
        "AG (inside -> zero)",
        "AG (i >= 0 -> (a[i] == 0 && EF q == 1))",
        "AG (inside -> zero && EF q == 1)",
        "AG (i < 0 || EG q == 1 || a[i] == 0)",
        "AG (!(i < 0) && a[i] == 0 && EF q == 1 || i < 0)",
        "A(G (i >= 0 -> (a[i] == 0 && F q == 1)))",
    ];
    let fails =
        ["AG (a[i] == 0 || i < 0)", "AG (a[i] == 0 -> EF i >= 0)", "AG (i < 0 || AX a[i] == 0)"];
    for (list, verdict) in [(&holds[..], "holds"), (&fails[..], NO_VALUE)] {
        let arguments: Vec<&str> = list.iter().flat_map(|formula| ["--ctl", formula]).collect();
        let lines = check(&place, PROGRAM, &arguments);
        let wanted: Vec<String> =
            list.iter().map(|formula| format!("ctl {formula}: {verdict}")).collect();
        assert_eq!(lines, wanted);
    }
}

#[test]
fn in_atoms_of_automata() {
    let place = Place::new();
    let automaton = |atom: &str| {
        format!(
            "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"{atom}\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n\
             State: 0\n[t] 0\n[!0] 1\nState: 1 {{0}}\n[t] 1\n--END--\n"
        )
    };
    for (atom, verdict) in [("i >= 0 -> a[i] == 0", "holds"), ("a[i] == 0 || i < 0", NO_VALUE)] {
        std::fs::write(place.0.join("bad.hoa"), automaton(atom)).expect("a temporary file");
        let lines = check(&place, PROGRAM, &["--automaton", "bad.hoa"]);
        assert_eq!(lines, [format!("automaton bad.hoa: {verdict}")]);
    }
}

/// Conditions that cannot fail remain separate atoms, so the automaton can relate two atoms about
/// `i`.
#[test]
fn automata_do_not_grow() {
    let place = Place::new();
    let model = format!("{PROGRAM}ltl p {{ (i == 0 && a[1] == 0) -> (i == 0 || <> (q == 1)) }}\n");
    let lines = check(&place, &model, &["--property", "p"]);
    assert_eq!(lines, ["ltl p: holds"]);
    let text = place.out(&["check", "m.pml", "--property", "p"]);
    assert!(text.contains("no run can violate the property"), "{text}");
}
