//! The page: one HTML file that shows verdicts and runs, with everything it needs inside and nothing fetched.
//!
//! A model's text can do no harm: it is data in a JSON block in which no `<` occurs, the scripts only ever make text nodes
//! of it, and the content security policy lets nothing run but the scripts whose hash it names.

use crate::graph::automata::{Automaton, automata};
use crate::graph::property::forbidden;
use crate::load::{Model, SourceText};
use crate::property::Property;
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

/// What a page shows.
#[derive(Clone, Debug, Serialize)]
pub struct Page {
    model: String,
    verdict: String,
    findings: Vec<Finding>,
    ledger: Option<Ledger>,
    sources: Vec<SourceText>,
    automata: Vec<Automaton>,
    /// What properties forbid.
    forbidden: Vec<Automaton>,
    live: Option<Live>,
}

/// A page that a server answers.
#[derive(Clone, Debug, Serialize)]
pub struct Live {
    /// Where requests go, with a slash at its end.
    pub path: String,
    /// The run as it is at first.
    pub run: ShownRun,
}

impl Page {
    /// Of a model and the properties that were asked for.
    pub fn new(model: &Model, asked: &[Property], findings: Vec<Finding>, ledger: Option<Ledger>) -> Page {
        let worst = ["violated", "inconclusive", "holds", "not checked"];
        let verdict = worst.iter().find(|name| findings.iter().any(|finding| finding.verdict == **name));
        // What the model states is shown even where nobody asked about it now.
        let others =
            asked.iter().filter(|asked| !model.stated.iter().any(|stated| stated.wanted == asked.wanted));
        let properties = model.stated.iter().chain(others);
        Page {
            model: model.name.clone(),
            verdict: verdict.map_or_else(|| "not checked".into(), ToString::to_string),
            findings,
            ledger,
            sources: model.sources.clone(),
            automata: automata(&model.program),
            forbidden: properties.filter_map(|property| forbidden(&model.program, property)).collect(),
            live: None,
        }
    }

    #[must_use]
    pub fn with_live(mut self, live: Live) -> Page {
        self.live = Some(live);
        self
    }

    /// The whole file.
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

/// JSON that no reader of HTML can take for anything else.
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

/// As a content security policy names what it allows: SHA-256 in base 64.
fn hash(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in Sha256::digest(text.as_bytes()).chunks(3) {
        let bytes = [group[0], group.get(1).copied().unwrap_or(0), group.get(2).copied().unwrap_or(0)];
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
        assert_eq!(serde_json::from_str::<String>(&text).expect("text"), "</script><!--<script>\u{2028}&");
    }

    #[test]
    fn scripts_make_no_markup() {
        for script in SCRIPTS {
            for bad in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "</script"]
            {
                assert!(!script.contains(bad), "{bad}");
            }
        }
    }
}
