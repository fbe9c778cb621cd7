//! The header of a corpus model: its expected result. The grammar is in `corpus/README.md`.
//!
//! A file consists of the header (consecutive `// key: value` lines with known keys, at the start)
//! and the author's text, which recording never changes.

use std::collections::BTreeSet;
use std::fmt;

/// The expected verdict on a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    Violated(BTreeSet<String>),
    Rejected,
}

/// A header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub verdict: Verdict,
    /// States and transitions; absent if SPIN's search does not end comparably.
    pub counts: Option<(u64, u64)>,
    /// Lines with statements that are never executed; absent together with `counts`.
    pub unreached: Option<BTreeSet<u32>>,
    /// Words that the diagnostic of a rejected model must contain.
    pub message: Option<String>,
    /// The version of SPIN that produced the figures.
    pub spin: Option<String>,
    /// The reason why the expectation deliberately differs from SPIN.
    pub spin_differs: Option<String>,
}

const KEYS: &[&str] =
    &["expect", "states", "transitions", "unreached", "message", "spin", "spin-differs"];

/// The author's lines of a header, which recording preserves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    pub message: Option<String>,
    pub spin_differs: Option<String>,
    pub expect_rejected: bool,
}

/// Splits a file into the header's keys and values, and the rest.
pub fn split(text: &str) -> (Vec<(&str, &str)>, &str) {
    let mut header = Vec::new();
    let mut rest = text;
    while let Some((key, value, after)) = header_line(rest) {
        header.push((key, value));
        rest = after;
    }
    (header, rest)
}

fn header_line(text: &str) -> Option<(&str, &str, &str)> {
    let end = text.find('\n').map_or(text.len(), |at| at + 1);
    let (key, value) = text[..end].strip_prefix("// ")?.split_once(':')?;
    KEYS.contains(&key).then_some((key, value.trim(), &text[end..]))
}

/// Extracts the lines that recording must preserve.
pub fn kept(header: &[(&str, &str)]) -> Kept {
    let find = |wanted: &str| {
        header.iter().find(|(key, _)| *key == wanted).map(|(_, value)| (*value).to_owned())
    };
    Kept {
        message: find("message"),
        spin_differs: find("spin-differs"),
        expect_rejected: find("expect").is_some_and(|value| value == "rejected"),
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Holds => writeln!(f, "// expect: holds")?,
            Verdict::Rejected => writeln!(f, "// expect: rejected")?,
            Verdict::Violated(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(String::as_str).collect();
                writeln!(f, "// expect: violated {}", kinds.join("; "))?;
            }
        }
        if let Some(message) = &self.message {
            writeln!(f, "// message: {message}")?;
        }
        if let Some((states, transitions)) = self.counts {
            writeln!(f, "// states: {states}\n// transitions: {transitions}")?;
        }
        if let Some(lines) = &self.unreached {
            let lines: Vec<_> = lines.iter().map(u32::to_string).collect();
            let lines = if lines.is_empty() { "none".to_owned() } else { lines.join(" ") };
            writeln!(f, "// unreached: {lines}")?;
        }
        if let Some(version) = &self.spin {
            writeln!(f, "// spin: {version}")?;
        }
        if let Some(reason) = &self.spin_differs {
            writeln!(f, "// spin-differs: {reason}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let expectation = Expectation {
            verdict: Verdict::Violated(BTreeSet::from(["assertion violated".to_owned()])),
            counts: Some((12, 34)),
            unreached: Some(BTreeSet::from([9, 10])),
            message: None,
            spin: Some("6.5.2".to_owned()),
            spin_differs: None,
        };
        let text = format!("{expectation}// What it is about: this.\nbyte x;\n");
        let (header, rest) = split(&text);
        assert_eq!(
            header,
            [
                ("expect", "violated assertion violated"),
                ("states", "12"),
                ("transitions", "34"),
                ("unreached", "9 10"),
                ("spin", "6.5.2"),
            ]
        );
        assert_eq!(rest, "// What it is about: this.\nbyte x;\n");
    }

    #[test]
    fn author_lines_are_kept() {
        let (header, rest) = split("// expect: rejected\n// message: d_step\n\nbyte x");
        let kept = kept(&header);
        assert_eq!(kept.message.as_deref(), Some("d_step"));
        assert!(kept.expect_rejected);
        assert_eq!(rest, "\nbyte x");
        assert_eq!(split("byte x;"), (vec![], "byte x;"));
    }
}
