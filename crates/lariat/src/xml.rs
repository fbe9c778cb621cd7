//! Text inside of XML.

use model::printable::push_escaped;

/// The text, with nothing in it that means something to XML, and nothing that may not stand there.
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
