//! Parser for the output of SPIN's verifier `pan`, which is undocumented: the forms of 6.5.2.

use std::collections::BTreeSet;

/// The figures of one exhaustive search by SPIN.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    pub states: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    pub vector_bytes: u64,
    /// The kinds of errors reported, as named by [`error_kind`].
    pub error_kinds: BTreeSet<String>,
    /// The search reached its own limits (depth, memory): the counts are meaningless.
    pub truncated: bool,
    /// The search was ended, or its counts corrupted, by an error after which SPIN cannot continue.
    pub fatal: bool,
    /// Lines with a statement that is never executed, including `-end-`; only without `-n`.
    pub unreached_lines: BTreeSet<u32>,
}

/// Errors after which `pan` stops, or continues with a corrupted state.
const FATAL: &[&str] = &[
    "invalid array index",
    "block in d_step seq",
    "rv-attempt in d_step",
    "too many processes",
    "too many queues",
    "qsend bad queue#",
    "qrecv bad queue#",
    "ref to uninitialized chan name",
    "ref to unknown chan",
    "x[rs] claim on uninitialized channel",
    "non-determinism in event-trace",
    "priority is out of range",
    "used: enabled",
    "too many parameters in send stmnt",
    "too few parameters in send stmnt",
    "missing pars in receive",
    "too many fields in recv",
    "wrong nr of msg fields in rcv",
    "aborting",
    "division by zero",
];

/// Whether counts cannot be compared if this kind of error occurs.
pub fn is_fatal(kind: &str) -> bool {
    FATAL.contains(&kind)
}

/// The name of an error: SPIN's words without the parts that vary between occurrences (the
/// expression, the line, the operation in brackets).
pub fn error_kind(message: &str) -> String {
    let message = message.trim();
    if message.contains("invalid array index") {
        return "invalid array index".to_owned();
    }
    // SPIN appends the expression to these words, not always in brackets.
    if message.starts_with("assertion violated") {
        return "assertion violated".to_owned();
    }
    // The same error in a selection.
    if message.starts_with("blocking sel in d_step") {
        return "block in d_step seq".to_owned();
    }
    let end = message.find(['(', ',']).unwrap_or(message.len());
    message[..end].trim().trim_end_matches('.').to_owned()
}

/// Parses the report of a search; `None` if it has no figures because the search did not end.
pub fn parse(text: &str) -> Option<Figures> {
    let mut figures = Figures::default();
    let mut seen_states = false;
    for line in text.lines() {
        if let Some(message) = error_line(line) {
            let kind = error_kind(message);
            figures.fatal |= is_fatal(&kind);
            figures.error_kinds.insert(kind);
        } else if line.starts_with("State-vector ") {
            figures.vector_bytes = number_after(line, "State-vector ")?;
            figures.depth = number_after(line, "depth reached ")?;
        } else if let Some(number) = number_before(line, " states, stored") {
            figures.states = number;
            seen_states = true;
        } else if let Some(number) = number_before(line, " transitions (= ") {
            figures.transitions = number;
        } else if let Some(number) = number_before(line, " atomic steps") {
            figures.atomic_steps = number;
        } else if line.contains("max search depth too small")
            || line.contains("reached -DMEMLIM bound")
            || line.contains("out of memory")
            || line.contains("VECTORSZ too small")
        {
            figures.truncated = true;
        } else if let Some(number) = unreached(line) {
            figures.unreached_lines.insert(number);
        }
    }
    // SPIN reports this error twice.
    if figures.error_kinds.contains("ref to uninitialized chan name") {
        figures.error_kinds.remove("qsend bad queue#");
        figures.error_kinds.remove("qrecv bad queue#");
    }
    seen_states.then_some(figures)
}

/// The time of a search, as `pan` prints it at the end.
pub fn elapsed_seconds(text: &str) -> Option<f64> {
    let (_, after) = text.split_once("pan: elapsed time ")?;
    after.split_whitespace().next()?.parse().ok()
}

/// `pan:3: assertion violated (x<5) (at depth 29)` → `assertion violated (x<5) `.
fn error_line(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pan:")?;
    let (number, message) = rest.split_once(": ")?;
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let end = message.rfind("(at depth ")?;
    Some(&message[..end])
}

fn number_after(line: &str, word: &str) -> Option<u64> {
    let rest = &line[line.find(word)? + word.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// `pan` prints counts with `%9.8g`: from 10^8 on they lose digits.
fn number_before(line: &str, word: &str) -> Option<u64> {
    let text = line[..line.find(word)?].trim();
    text.parse::<u64>().ok().or_else(|| text.parse::<f64>().ok().map(|number| number as u64))
}

/// Whether `pan` prints `count` as `printed`: from 10^8 on it prints eight digits.
pub fn is_printed_as(count: u64, printed: u64) -> bool {
    let eight = |number: u64| format!("{:.7e}", number as f64);
    count == printed || count >= 100_000_000 && eight(count) == eight(printed)
}

/// A tab, then `m.pml:3, state 7, "x = 5"`.
fn unreached(line: &str) -> Option<u32> {
    let rest = line.strip_prefix('\t')?;
    let (place, _) = rest.split_once(", state ")?;
    place.rsplit_once(':')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
pan:1: assertion violated (x<5) (at depth 29)
pan:2: invalid end state (at depth 3)
pan:3: assertion violated ( (a==1) ) (at depth 29)

(Spin Version 6.5.2 -- 6 December 2019)

State-vector 36 byte, depth reached 37, errors: 436
     2499 states, stored
     4180 states, matched
     6679 transitions (= stored+matched)
       12 atomic steps

unreached in proctype P
\t(0 of 13 states)
unreached in proctype R
\tm.pml:3, state 7, \"x = 5\"
\tm.pml:11, state 8, \"-end-\"
\t(1 of 8 states)
";

    #[test]
    fn report() {
        let figures = parse(REPORT).expect("figures");
        assert_eq!((figures.states, figures.transitions), (2499, 6679));
        assert_eq!((figures.atomic_steps, figures.depth, figures.vector_bytes), (12, 37, 36));
        let kinds: Vec<_> = figures.error_kinds.iter().map(String::as_str).collect();
        assert_eq!(kinds, ["assertion violated", "invalid end state"]);
        assert_eq!(figures.unreached_lines, BTreeSet::from([3, 11]));
        assert!(!figures.truncated && !figures.fatal);
        assert_eq!(elapsed_seconds(REPORT), None);
        assert_eq!(elapsed_seconds("\npan: elapsed time 1.5e-02 seconds\n"), Some(0.015));
    }

    #[test]
    fn truncated_search() {
        let text = format!("error: max search depth too small\n{REPORT}");
        assert!(parse(&text).expect("figures").truncated);
        assert_eq!(parse("Segmentation fault"), None);
    }

    #[test]
    fn kinds() {
        assert_eq!(error_kind("assertion violated - invalid array index "), "invalid array index");
        assert_eq!(error_kind("assertion violated 0 "), "assertion violated");
        assert_eq!(error_kind("block in d_step seq, line 7"), "block in d_step seq");
        assert_eq!(error_kind("event_trace error (no matching event) "), "event_trace error");
        assert!(is_fatal(&error_kind("blocking sel in d_step (nr.0, near line 4)")));
    }

    #[test]
    fn large_counts() {
        assert_eq!(
            number_before("1.2345678e+08 states, stored", " states, stored"),
            Some(123456780)
        );
        assert!(is_printed_as(123_456_784, 123_456_780));
        assert!(!is_printed_as(123_456_786, 123_456_780));
        assert!(is_printed_as(6679, 6679) && !is_printed_as(6680, 6679));
    }
}
