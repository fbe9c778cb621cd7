//! Text in XML.

use lariat_ir::printable::push_escaped;

/// The text with XML's special characters escaped and forbidden characters replaced.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\n' => out.push('\n'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => push_escaped(&mut out, c),
        }
    }
    out
}
