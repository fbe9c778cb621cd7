//! Machine-readable output: JUnit, SARIF, graphs, charts, completions, manual pages.

use crate::common::Place;
use serde_json::Value;

const MODEL: &str = "\
chan wire = [0] of { byte }, box = [2] of { byte };
byte total; /* <&\"']]> */
active proctype Sender() { wire!3; box!1; total++ }
active proctype Receiver() { byte v; wire?v; box?v; assert(total < 1 && \"\\\\<b>\" != 0) }
";

/// Checks that XML tags are properly nested.
fn is_well_formed(text: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let Some(end) = rest[start..].find('>').map(|end| start + end) else { return false };
        let tag = &rest[start + 1..end];
        if tag.starts_with('?') || tag.ends_with('/') {
        } else if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else {
            open.push(tag.split_whitespace().next().unwrap_or_default());
        }
        rest = &rest[end + 1..];
    }
    open.is_empty()
}

fn simple() -> String {
    MODEL.replace(" && \"\\\\<b>\" != 0", "")
}

#[test]
fn junit_and_sarif() {
    let place = Place::of(&(simple() + "ltl p { [] (total < 9) }\n"));
    let ran = place.run(&["check", "--junit", "out.xml", "--sarif", "out.sarif", "m.pml"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let xml = place.read("out.xml");
    assert!(is_well_formed(&xml), "{xml}");
    assert!(xml.contains("failures=\"1\""), "{xml}");
    assert!(xml.contains("message=\"assertion violated: total &lt; 1\""), "{xml}");
    assert!(xml.contains("m.pml:4  assert(total &lt; 1)"), "{xml}");
    let sarif: Value = serde_json::from_str(&place.read("out.sarif")).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(result["ruleId"], "assertion-violated");
    let place_of = &result["locations"][0]["physicalLocation"];
    assert_eq!(place_of["artifactLocation"]["uri"], "m.pml");
    assert_eq!(place_of["region"]["startLine"], 4);
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    assert_eq!(flow[0]["location"]["message"]["text"], "Sender[0]: wire!3");
    // A file that cannot be written does not change the verdict.
    assert_eq!(place.run(&["check", "--junit", "no/such/dir/x", "m.pml"]).code, Some(1));
}

#[test]
fn a_deadlock_has_a_position_too() {
    let place = Place::of("chan q = [1] of { bit };\nactive proctype P() {\n  q?1\n}\n");
    assert_eq!(place.run(&["check", "--sarif", "s", "--junit", "j", "m.pml"]).code, Some(1));
    let sarif: Value = serde_json::from_str(&place.read("s")).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    assert!(result["message"]["text"].as_str().is_some_and(|text| text.contains("q is empty")));
    assert!(is_well_formed(&place.read("j")));
}

#[test]
fn runs_in_the_informal_trace_format() {
    let place = Place::of(&simple());
    assert_eq!(place.run(&["check", "--itf", "run.itf.json", "m.pml"]).code, Some(1));
    let run: Value = serde_json::from_str(&place.read("run.itf.json")).expect("JSON");
    let states = run["states"].as_array().expect("a list");
    assert_eq!((&states[0]["total"], &states[0]["box"]), (&Value::from(0), &Value::from("empty")));
    assert_eq!(states.last().map(|state| &state["total"]), Some(&Value::from(1)));
    assert!(states.iter().enumerate().all(|(index, state)| state["#meta"]["index"] == index));
    assert!(
        run["vars"].as_array().is_some_and(|names| names.contains(&"Receiver[1]:v".into())),
        "{run}"
    );
    assert!(run.get("loop").is_none());
}

#[test]
fn graphs() {
    let place = Place::of(&simple());
    let dot = place.out(&["graph", "m.pml"]);
    assert!(dot.starts_with("digraph \"m.pml\" {") && dot.ends_with("}\n"), "{dot}");
    assert!(dot.contains("Sender[0] and Receiver[1]: wire!3 / wire?v"), "{dot}");
    assert!(dot.contains("assertion violated"), "{dot}");
    let graph: Value =
        serde_json::from_str(&place.out(&["graph", "--json", "m.pml"])).expect("JSON");
    // The graph has as many states as an unreduced search stores.
    let raw = place.run(&["check", "--raw", "--all-errors", "--json", "m.pml"]);
    let report: Value = serde_json::from_str(&raw.out).expect("JSON");
    let states = graph["states"].as_array().expect("a list").len() as u64;
    assert_eq!(Some(states), report["properties"][0]["statistics"]["states"].as_u64());
    assert_eq!(graph["truncated"], false);
    // A channel is shown once, with its contents.
    let shown = |state: &Value| -> Vec<String> {
        let values = state["values"].as_array().expect("a list").iter();
        values
            .filter_map(Value::as_str)
            .filter(|value| value.starts_with("box"))
            .map(String::from)
            .collect()
    };
    let boxes: Vec<Vec<String>> =
        graph["states"].as_array().expect("a list").iter().map(shown).collect();
    assert!(boxes.contains(&vec!["box = [1]".to_string()]), "{boxes:?}");
    assert!(boxes.iter().all(|shown| shown.len() <= 1), "{boxes:?}");
    let ran = place.run(&["graph", "--max-states", "2", "--json", "m.pml"]);
    let graph: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(
        (graph["truncated"].as_bool(), graph["states"].as_array().map(Vec::len)),
        (Some(true), Some(2))
    );
    assert!(ran.err.contains("--max-states"));
    let dot = place.out(&["graph", "--processes", "m.pml"]);
    assert!(dot.contains("subgraph cluster_1") && dot.contains("assert(total < 1)"), "{dot}");
    let all: Value = serde_json::from_str(&place.out(&["graph", "--processes", "--json", "m.pml"]))
        .expect("JSON");
    assert_eq!(all["processes"][0]["name"], "Sender");
}

#[test]
fn charts() {
    let place = Place::of(&simple());
    let svg = place.out(&["msc", "m.pml"]);
    assert!(is_well_formed(&svg), "{svg}");
    assert!(svg.contains("wire: 3") && svg.contains("assertion violated: total &lt; 1"), "{svg}");
    let text = place.out(&["msc", "--mermaid", "m.pml"]);
    assert!(text.starts_with("sequenceDiagram\n"), "{text}");
    assert!(text.contains("p0->>p1: wire#58; 3") && text.contains("p0-)p1: box#58; 1"), "{text}");
    assert_eq!(place.run(&["check", "--trail", "t", "m.pml"]).code, Some(1));
    assert!(place.out(&["msc", "--trail", "t", "--mermaid", "m.pml"]).contains("total++"));
    let fine = Place::of("active proctype P() { skip }\n");
    let ran = fine.run(&["msc", "m.pml"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("no counterexample"), "{ran:?}");
}

#[test]
fn help_in_every_form() {
    let place = Place::new();
    for topic in ["searches", "stores", "fairness", "formulas", "check", "graph"] {
        assert!(place.out(&["help", topic]).lines().count() > 5, "{topic}");
    }
    assert!(place.out(&["help"]).starts_with("Examples:"));
    let ran = place.run(&["help", "nonsense"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("fairness"), "{ran:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(place.out(&["completions", shell]).contains("simulate"), "{shell}");
    }
    assert!(place.out(&["man"]).contains(".TH lariat"));
    assert!(place.out(&["man", "check"]).contains("max\\-states"));
}

/// Text from a model and its file name are escaped in every format.
#[test]
fn nothing_is_injected() {
    let place = Place::new();
    let name = "<img src=x onerror=alert(1)>&\".pml";
    let evil = "</text><svg onload=alert(1)>]]>--%%>; end #quot; %%{init: 1}%%";
    let model = format!(
        "byte x;\nactive proctype P() {{ printf(\"{evil}\"); x = 1; assert(x == 0 /* {evil} */) }}\n"
    );
    std::fs::write(place.0.join(name), model).expect("a file system that allows such names");
    let files = ["--junit", "junit.xml", "--sarif", "found.sarif", "--itf", "trace.json"];
    let output =
        place.run(&[&["check", "--quiet", "--search", "bfs"], &files[..], &[name]].concat());
    assert_eq!(output.code, Some(1), "{output:?}");
    let svg = place.out(&["msc", "--svg", name]);
    for text in [&place.read("junit.xml"), &svg] {
        assert!(
            is_well_formed(text) && !text.contains("<img") && !text.contains("<svg onload"),
            "{text}"
        );
    }
    assert!(svg.contains("&lt;/text"), "{svg}");
    for file in ["found.sarif", "trace.json"] {
        let _: Value = serde_json::from_str(&place.read(file)).expect("JSON");
    }
    let mermaid = place.out(&["msc", "--mermaid", name]);
    assert!(!["<", "%%"].iter().any(|bad| mermaid.contains(bad)), "{mermaid}");
    // In a quoted Graphviz string only a quote is special.
    for line in
        place.out(&["graph", "--processes", name]).lines().filter(|line| line.contains("onload"))
    {
        let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
        assert_eq!(quotes, 2, "{line}");
    }
}

/// A branching-time formula that holds may have a witness, which is not an error.
#[test]
fn what_holds_is_no_error() {
    let place = Place::of("byte x; active proctype P() { x = 1 }");
    let files = ["--sarif", "found.sarif", "--junit", "junit.xml", "--itf", "trace.json"];
    let output = place
        .run(&[&["check", "--quiet", "--ctl", "EF (x == 1)"], &files[..], &["m.pml"]].concat());
    assert_eq!(output.code, Some(0), "{output:?}");
    let sarif: Value = serde_json::from_str(&place.read("found.sarif")).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"], Value::Array(Vec::new()));
    assert!(!place.read("junit.xml").contains("<failure"));
    assert!(!place.0.join("trace.json").exists());
}

/// Counterexamples to every kind of property, with and without fairness, can be saved, replayed and
/// drawn.
#[test]
fn runs_of_all_kinds_last() {
    let place = Place::of(
        "byte x; bool lost; active proctype P() { do :: !lost -> x = 1; x = 0 :: lost = true; x = 2; break od }",
    );
    let hoa = "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"x == 1\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n";
    std::fs::write(place.0.join("busy.hoa"), hoa).expect("a temporary file");
    let kinds: [&[&str]; 3] = [
        &["--ctl", "AG EF (x == 1)"],
        &["--ctl", "AF lost", "--fairness", "weak-process"],
        &["--ltl", "<> lost", "--fairness", "busy.hoa"],
    ];
    for property in kinds {
        let check = [&["check", "--quiet", "--save", "run.json"], property, &["m.pml"]].concat();
        let output = place.run(&check);
        assert_eq!(output.code, Some(1), "{output:?}");
        let output = place.run(&["replay", "--quiet", "run.json"]);
        let text = &output.out;
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(text.starts_with("still fails: ") && text.contains("is violated"), "{text}");
        let drawn = place.out(&[&["msc", "--mermaid"], property, &["m.pml"]].concat());
        assert!(drawn.contains("lost = 1") || drawn.contains("loop"), "{drawn}");
        std::fs::remove_file(place.0.join("run.json")).expect("it was written");
    }
}
