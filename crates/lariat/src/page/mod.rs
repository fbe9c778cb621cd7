//! The page: one self-contained HTML file that shows verdicts and runs.
//!
//! The text of a model cannot inject markup: it is data in a JSON block that contains no `<`, the
//! scripts insert it only as text nodes, and the content security policy allows only the scripts
//! whose hash it names.

use crate::graph::automata::{DrawnAutomaton, automata};
use crate::graph::property::forbidden;
use crate::model::{Model, SourceText};
use crate::property::ResolvedProperty;
use crate::report::findings::{Finding, ShownRun};
use crate::report::ledger::Ledger;
use crate::report::printable_json;
use serde::Serialize;
use sha2::{Digest, Sha256};

const BODY: &str = include_str!("assets/page.html");
const STYLE: &str = include_str!("assets/page.css");
const SCRIPTS: [&str; 9] = [
    include_str!("assets/dom.js"),
    include_str!("assets/run.js"),
    include_str!("assets/chart.js"),
    include_str!("assets/source.js"),
    include_str!("assets/values.js"),
    include_str!("assets/timing.js"),
    include_str!("assets/automata.js"),
    include_str!("assets/live.js"),
    include_str!("assets/app.js"),
];

/// The contents of a page.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    model: String,
    verdict: String,
    findings: Vec<Finding>,
    ledger: Option<Ledger>,
    sources: Vec<SourceText>,
    automata: Vec<DrawnAutomaton>,
    /// The automata of the runs that the properties forbid.
    forbidden: Vec<DrawnAutomaton>,
    live: Option<Live>,
}

/// The connection of a page to the explorer's server.
#[derive(Clone, Debug, Serialize)]
pub struct Live {
    /// The path of requests, with a final slash.
    pub path: String,
    /// The initial run.
    pub run: ShownRun,
}

impl Page {
    /// The page for a model and the requested properties.
    pub fn new(
        model: &Model,
        requested: &[ResolvedProperty],
        findings: Vec<Finding>,
        ledger: Option<Ledger>,
    ) -> Page {
        let worst = ["violated", "inconclusive", "holds", "not checked"];
        let verdict =
            worst.iter().find(|name| findings.iter().any(|finding| finding.verdict == **name));
        // Properties that the model states are shown even if they were not requested.
        let others = requested.iter().filter(|requested| {
            !model.stated.iter().any(|stated| stated.request == requested.request)
        });
        let properties = model.stated.iter().chain(others);
        Page {
            model: model.name.clone(),
            verdict: verdict.map_or_else(|| "not checked".into(), ToString::to_string),
            findings,
            ledger,
            sources: model.sources.clone(),
            automata: automata(&model.program),
            forbidden: properties
                .filter_map(|property| forbidden(&model.program, property))
                .collect(),
            live: None,
        }
    }

    /// Makes the page interactive.
    #[must_use]
    pub fn with_live(mut self, live: Live) -> Page {
        self.live = Some(live);
        self
    }

    /// The HTML file.
    pub fn render(&self) -> String {
        let script = format!("\"use strict\";\n{}", SCRIPTS.concat());
        let connect = if self.live.is_some() { "'self'" } else { "'none'" };
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src {connect}; \
             base-uri 'none'; form-action 'none'",
            hash(&script),
            hash(STYLE)
        );
        let data = serde_json::to_string(self).unwrap_or_else(|_| "{}".into());
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"generator\" content=\"lariat {}\">\n<title>lariat</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n{BODY}\
             <script type=\"application/json\" id=\"data\">{}</script>\n<script>{script}</script>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            inert(&data)
        )
    }
}

/// JSON without characters that are special in HTML.
fn inert(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in printable_json(json).chars() {
        match c {
            '<' | '>' | '&' => out += &format!("\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out
}

/// SHA-256 in base 64, as in a content security policy.
fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in Sha256::digest(text.as_bytes()).chunks(3) {
        let bytes =
            [group[0], group.get(1).copied().unwrap_or(0), group.get(2).copied().unwrap_or(0)];
        let bits = u32::from(bytes[0]) << 16 | u32::from(bytes[1]) << 8 | u32::from(bytes[2]);
        for position in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * position)) as usize & 63];
            out.push(if position <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        assert_eq!(hash("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
    }

    #[test]
    fn data_cannot_end_its_block() {
        let text = inert(&serde_json::to_string("</script><!--<script>\u{2028}&").expect("text"));
        assert!(!text.contains('<') && !text.contains('>') && !text.contains('\u{2028}'), "{text}");
        assert_eq!(
            serde_json::from_str::<String>(&text).expect("text"),
            "</script><!--<script>\u{2028}&"
        );
    }

    #[test]
    fn scripts_make_no_markup() {
        for script in SCRIPTS {
            for bad in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "</script",
            ] {
                assert!(!script.contains(bad), "{bad}");
            }
        }
    }
}
