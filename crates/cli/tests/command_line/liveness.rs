//! Temporal properties on the command line: verdicts, lassos, malformed input.

use crate::common::Place;

/// Exit code, standard output and standard error of a check.
fn check(place: &Place, arguments: &[&str]) -> (Option<i32>, String, String) {
    let ran = place.run(&[&["check"], arguments].concat());
    (ran.code, ran.out, ran.err)
}

const MODEL: &str = "\
#define busy (x == 1)
byte x, y;
active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> atomic { x = 2; x = 0 } :: y = 1 - y od }
ltl bounded { [] (x < 2) }
ltl repeats { []<> busy }
ltl valid { <> busy || [] !busy }
ltl first { y == 0 }
";

#[test]
fn each_property_has_a_line() {
    let place = Place::of(MODEL);
    let (code, out, _) = check(&place, &["m.pml", "--quiet"]);
    assert_eq!(code, Some(1));
    let wanted = "safety: holds\nltl bounded: holds\nltl repeats: VIOLATED\nltl valid: holds\nltl first: holds\n";
    assert_eq!(out, wanted);
}

#[test]
fn every_search_agrees() {
    let place = Place::of(MODEL);
    let searches =
        lariat_search::liveness::Algorithm::ALL.map(lariat_search::liveness::Algorithm::name);
    for search in searches {
        for property in ["bounded", "repeats", "first"] {
            let (code, out, complaint) =
                check(&place, &["m.pml", "-q", "--property", property, "--search", search]);
            assert_eq!(
                code,
                Some(i32::from(property == "repeats")),
                "{search} {property} {out} {complaint}"
            );
        }
    }
}

#[test]
fn the_cycle_is_shown() {
    let place = Place::of(MODEL);
    let (_, out, _) = check(&place, &["m.pml", "--property", "repeats", "--shortest"]);
    assert!(out.contains("the cycle starts here:"), "{out}");
    assert!(out.contains("0 steps, then a cycle of 2 steps"), "{out}");
    let (_, out, _) = check(&place, &["m.pml", "--property", "repeats", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&out).expect("one JSON value");
    assert_eq!(report["properties"][0]["verdict"], "violated");
    assert!(
        report["properties"][0]["trace"]["cycle"].as_array().is_some_and(|cycle| !cycle.is_empty())
    );
}

#[test]
fn a_finite_violation_ends_where_it_shows() {
    let place = Place::of(MODEL);
    let (code, out, _) = check(&place, &["m.pml", "--ltl", "[] !busy", "--search", "bfs"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("whatever follows, the property is violated"), "{out}");
    assert!(out.contains("The run that shows it, 2 steps:"), "{out}");
    let (code, out, _) = check(&place, &["m.pml", "--ltl", "y == 1"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("The initial state shows it:"), "{out}");
}

#[test]
fn ends_are_extended_by_stuttering() {
    let place = Place::new().with("m.pml", "byte x;\nactive proctype P() { x = 1; x = 2 }\n");
    let (code, out, _) = check(&place, &["m.pml", "--ltl", "<> (x == 3)"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("nothing can move any more: the run stays here forever"), "{out}");
    assert_eq!(check(&place, &["m.pml", "-q", "--ltl", "<>[] (x == 2)"]).0, Some(0));
    // This formula is not stutter-invariant.
    assert_eq!(check(&place, &["m.pml", "-q", "--ltl", "X (x == 1) && X X (x == 2)"]).0, Some(0));
    assert_eq!(check(&place, &["m.pml", "-q", "--ltl", "X X (x == 1)"]).0, Some(1));
}

#[test]
fn claims_automata_and_labels() {
    let claim = "byte x;\nactive proctype P() { do :: x = 1 - x od }\nnever { do :: x == 1 -> break :: else od; accept: do :: x < 2 od }\n";
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"x == 1\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n";
    let accept =
        "active proctype P() { byte x; do :: x < 3 -> x++ :: else -> break od; accept: x = 0 }\n";
    let round = "active proctype P() { byte x; do :: x = 1; accept: x = 0 od }\n";
    let idle = "byte x;\n\
        active proctype P() { progress: do :: x = 1; progress_b: x = 0 :: x = 2 od }\n";
    let place = Place::new()
        .with("claim.pml", claim)
        .with("often.hoa", hoa)
        .with("accept.pml", accept)
        .with("round.pml", round)
        .with("idle.pml", idle);
    let (code, out, complaint) = check(&place, &["claim.pml", "-q"]);
    assert_eq!((code, &*out), (Some(1), "safety: holds\nnever never_0: VIOLATED\n"), "{complaint}");
    assert_eq!(check(&place, &["claim.pml", "-q", "--automaton", "often.hoa"]).0, Some(1));
    assert_eq!(
        check(&place, &["accept.pml", "-q"]).1,
        "safety: holds\naccept accept labels: holds\n"
    );
    assert_eq!(
        check(&place, &["round.pml", "-q"]).1,
        "safety: holds\naccept accept labels: VIOLATED\n"
    );
    assert_eq!(check(&place, &["idle.pml", "-q", "--non-progress"]).0, Some(0));
    assert_eq!(check(&place, &["round.pml", "-q", "--non-progress"]).0, Some(1));
}

#[test]
fn a_condition_without_a_value_is_an_error() {
    let text = "byte x; byte a[2];\nactive proctype P() { do :: x < 3 -> x++ od }\n";
    let place = Place::of(text);
    for search in ["dfs", "nested", "couvreur"] {
        for formula in ["[] (a[x] == 0)", "[]<> (a[x] == 0)"] {
            let (code, out, complaint) =
                check(&place, &["m.pml", "--ltl", formula, "--search", search]);
            assert_eq!(code, Some(1), "{out}{complaint}");
            assert!(
                out.contains("a condition has no value: invalid array index"),
                "{out}{complaint}"
            );
        }
    }
}

#[test]
fn odd_input_is_refused() {
    let place = Place::new().with("m.pml", MODEL).with("bad.hoa", "HOA: v1\n").with("p.lts", "");
    for arguments in [
        vec!["m.pml", "--ltl", "[] (z == 1)"],
        vec!["m.pml", "--ltl", "[] ("],
        vec!["m.pml", "--ltl", ""],
        vec!["m.pml", "--ltl", "true } init { skip"],
        vec!["m.pml", "--ltl", "true } ltl q { false"],
        vec!["m.pml", "--property", "nothing"],
        vec!["m.pml", "--automaton", "bad.hoa"],
        vec!["m.pml", "--automaton", "missing.hoa"],
        vec!["m.pml", "--search", "nonsense"],
        vec!["p.lts", "--ltl", "true"],
    ] {
        let (code, out, complaint) = check(&place, &arguments);
        assert_eq!(code, Some(2), "{arguments:?} {out} {complaint}");
        assert!(!complaint.is_empty());
    }
}

#[test]
fn a_formula_sees_labels_at_jumps() {
    let text = "byte x;\nactive proctype P() { do :: x = 1; L: goto M; M: x = 0 od }\n";
    let place = Place::of(text);
    assert_eq!(check(&place, &["m.pml", "-q", "--ltl", "[] !(P@L)"]).0, Some(1));
    assert_eq!(check(&place, &["m.pml", "-q", "--ltl", "[]<> (P@L)"]).0, Some(0));
}

#[test]
fn what_was_seen_before_an_error_counts() {
    let text = "byte x;\nactive proctype P() { x = 1; x = 1 / (x - 1) }\n";
    let place = Place::of(text);
    for search in ["dfs", "nested", "tarjan", "couvreur"] {
        assert_eq!(
            check(&place, &["m.pml", "-q", "--ltl", "[] (x == 0)", "--search", search]).0,
            Some(1)
        );
    }
}

#[test]
fn an_atomic_sequence_without_end_hides_nothing_that_was_seen() {
    let text = "byte x;\nactive proctype P() { x = 1; atomic { do :: x = 2 :: x = 3 od } }\n";
    let place = Place::of(text);
    for search in ["dfs", "nested", "tarjan", "couvreur"] {
        assert_eq!(
            check(&place, &["m.pml", "-q", "--ltl", "[] (x == 0)", "--search", search]).0,
            Some(1)
        );
    }
}

#[test]
fn limits_make_it_inconclusive() {
    let text =
        "int x;\nactive proctype P() { do :: x = (x + 1) % 100000 od }\nltl p { []<> (x == 0) }\n";
    let place = Place::of(text);
    let (code, out, _) = check(&place, &["m.pml", "-q", "--property", "p", "--max-states", "100"]);
    assert_eq!(code, Some(3));
    assert!(out.contains("the limit of 100 states was reached"), "{out}");
    // Values outgrow the initial layout, so the search widens it.
    assert_eq!(check(&place, &["m.pml", "-q", "--property", "p"]).0, Some(0));
}

/// A run that stays inside an atomic sequence forever is judged by the state in which it entered
/// the sequence.
#[test]
fn an_endless_atomic_sequence_is_judged_by_where_it_begins() {
    let model = "byte x;\nactive proctype P() { do :: x = 1 - x :: atomic { do :: x = 0 :: x = 1 od } od }\n";
    let place = Place::of(model);
    let (code, out, _) = check(&place, &["m.pml", "--ltl", "<>[] (x < 2)"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("holds") && out.contains("an atomic sequence can run forever"), "{out}");
    let (code, out, _) = check(&place, &["m.pml", "--ltl", "[]<> (x == 1)"]);
    assert_eq!(code, Some(1), "{out}");
}

/// A process that is blocked at an accept label at the end of a run stays there: SPIN's "accept
/// stutter".
#[test]
fn an_end_at_an_accept_label_is_a_cycle() {
    let blocked = "byte x;\nactive proctype P() { x = 1; accept_a: (x == 0); x = 3 }\n";
    let ended = "byte x;\nactive proctype P() { accept_a: x = 1 }\n";
    let place = Place::new().with("blocked.pml", blocked).with("ended.pml", ended);
    let (code, out, _) = check(&place, &["blocked.pml", "--property", "accept labels"]);
    assert_eq!(code, Some(1), "{out}");
    let (code, out, _) = check(&place, &["ended.pml", "--property", "accept labels"]);
    assert_eq!(code, Some(0), "{out}");
}

/// Accept labels inside an atomic sequence have no effect, as in `pan -DHC4` for these models.
#[test]
fn a_label_inside_an_atomic_sequence_is_not_seen() {
    let selection = "byte x;\nchan r = [0] of { byte };\nactive proctype A() { do :: r!1 od }\n\
                     active proctype P() { do :: accept_a: atomic { if :: r?x fi } :: x = 0 od }\n";
    let last = "byte x;\nactive proctype P() { do :: atomic { x = 1; accept_a: x = 0 } od }\n";
    let middle =
        "byte x;\nactive proctype P() { do :: atomic { x = 1; accept_a: x = 2; x = 0 } od }\n";
    let progress =
        "byte x;\nactive proctype P() { do :: atomic { x = 1; progress_a: x = 0 } od }\n";
    let claim = format!("{selection}never {{ do :: true od }}\n");
    let place = Place::new()
        .with("selection.pml", selection)
        .with("last.pml", last)
        .with("middle.pml", middle)
        .with("progress.pml", progress)
        .with("claim.pml", &claim);
    for (arguments, expected) in [
        (&["selection.pml", "--property", "accept labels"][..], 0),
        (&["last.pml", "--property", "accept labels"], 0),
        (&["middle.pml", "--property", "accept labels"], 0),
        (&["progress.pml", "--non-progress"], 1),
        (&["claim.pml", "--property", "never_0"], 0),
    ] {
        let (code, out, complaint) = check(&place, arguments);
        assert_eq!(code, Some(expected), "{out}{complaint}");
        assert!(out.contains("is passed inside an atomic sequence"), "{out}");
    }
}

/// A process that blocks inside an atomic sequence releases control, and its location is then
/// observable.
#[test]
fn a_label_inside_an_atomic_sequence_is_seen_by_others() {
    let model = "byte x;\nactive proctype P() { do :: atomic { x = 1; accept_a: x == 2; x = 0 } od }\n\
                 active proctype Q() { do :: x == 1 -> x = 2 od }\n";
    let progress = model.replace("accept_a", "progress_a");
    let place = Place::new().with("accept.pml", model).with("progress.pml", &progress);
    let (code, out, _) = check(&place, &["accept.pml", "--property", "accept labels"]);
    assert_eq!(code, Some(1), "{out}");
    let (code, out, _) = check(&place, &["progress.pml", "--non-progress"]);
    assert_eq!(code, Some(0), "{out}");
}

/// A bad prefix is found even if the automaton needs one more step to detect it, also by the search
/// on the property itself.
#[test]
fn a_run_without_a_cycle_is_not_cut_too_short() {
    let place =
        Place::new().with("m.pml", "byte x;\nactive proctype P() { do :: x = 1 :: x = 0 od }\n");
    for search in ["deterministic", "nested", "couvreur"] {
        let (code, out, _) = check(&place, &["m.pml", "--ltl", "X (x == 1)", "--search", search]);
        assert_eq!(code, Some(1), "{search}");
        assert!(out.contains("The run that shows it, 1 step:"), "{search}\n{out}");
        assert!(out.contains("whatever follows"), "{search}\n{out}");
    }
}

/// A property is not a process: it may refer to `enabled` of every process and to `timeout`.
#[test]
fn who_can_move() {
    let text = "\
byte x;
active proctype P() { do :: x == 0 -> x = 1 :: timeout -> x = 0 od }
active proctype Q() { x == 1; x == 5 }
ltl first { []<> enabled(0) }
ltl always { [] enabled(0) }
ltl second { <>[] !enabled(1) }
ltl waits { []<> timeout }
ltl moves { [] !timeout }
ltl each { [] (timeout -> enabled(0) && x == 1) }
";
    let place = Place::of(text);
    let wanted = "\
safety: holds\nltl first: holds\nltl always: VIOLATED\nltl second: holds\nltl waits: holds\nltl moves: VIOLATED\nltl each: holds\n";
    for engine in ["interp", "native"] {
        for more in [&[][..], &["--raw"]] {
            let arguments = [&["m.pml", "--quiet", "--engine", engine], more].concat();
            let (_, out, complaints) = check(&place, &arguments);
            assert_eq!(out, wanted, "{arguments:?} {complaints}");
        }
    }
}

/// An automaton without an accepting cycle: every search reports that the property holds.
#[test]
fn nothing_but_waiting() {
    let automaton = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"busy\"\nAcceptance: 2 Inf(0) & Inf(1)\n\
--BODY--\nState: 0 {0}\n[t] 0\n--END--\n";
    let place = Place::new().with("m.pml", MODEL).with("f.hoa", automaton);
    for search in [
        "queue",
        "interleaved",
        "magic",
        "nested",
        "tarjan",
        "couvreur",
        "kosaraju",
        "cndfs",
        "ufscc",
    ] {
        for tail in ["demon", "property"] {
            let arguments =
                ["m.pml", "--quiet", "--automaton", "f.hoa", "--search", search, "--hybrid", tail];
            let (_, out, complaints) = check(&place, &arguments);
            assert_eq!(out, "automaton f.hoa: holds\n", "{search} {tail} {complaints}");
        }
    }
}

/// Hashing stores: a cycle that only the second of the nested searches closes, and a property that
/// holds.
#[test]
fn stores_that_may_omit_states() {
    let text = "byte x; active proctype P() { do :: x < 9 -> x++ :: x == 9 -> x = 0 od }";
    let place = Place::of(text);
    for store in ["compact", "bitstate"] {
        let arguments = ["m.pml", "--store", store, "--memory", "50M", "--raw", "--ltl"];
        let (code, out, _) = check(&place, &[&arguments[..], &["<>[](x != 4)"]].concat());
        assert_eq!(code, Some(1), "{out}");
        assert!(
            out.contains("the cycle starts here") && out.contains("in the requested store"),
            "{out}"
        );
        let (code, out, _) =
            check(&place, &[&arguments[..], &["[]<>(x == 4) || <>[](x == 3)"]].concat());
        assert!(code != Some(0) && code != Some(1), "{out}");
        assert!(
            out.contains("inconclusive") && out.contains("states may have been omitted"),
            "{out}"
        );
        // A condition that fails ends the search with a counterexample.
        let (code, out, _) = check(&place, &[&arguments[..], &["<>[](9 / (x - 7) < 20)"]].concat());
        assert_eq!(code, Some(1), "{out}");
        assert!(out.contains("division by zero"), "{out}");
        let (_, out, _) =
            check(&place, &[&arguments[..], &["<>[](x != 4)", "--search", "couvreur"]].concat());
        assert!(out.contains("--store is not used"), "{out}");
    }
    // Also if the accepting component is reached after states that are only visited.
    let (_, out, _) =
        check(&place, &["m.pml", "--store", "cache", "--raw", "--ltl", "[](x == 4 -> <>(x == 3))"]);
    assert!(out.contains("can leave") && out.contains("--store is not used"), "{out}");
}
