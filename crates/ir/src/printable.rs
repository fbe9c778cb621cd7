//! Text from a model or a command line, made safe to show: characters that control a terminal or
//! reorder the text around them are replaced by visible escapes such as `\u{202e}`.
//!
//! This is the only place that decides which characters are unsafe. Every message and every
//! output format uses one of these functions.

/// Whether the character is unsafe to show: the control characters (C0, DEL, C1), the characters
/// that change the direction of text, and the line and paragraph separators.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text in one line, with every unsafe character escaped.
pub fn printable(text: &str) -> String {
    escaped_unless(text, |_| false)
}

/// As [`printable`], but newlines and tabs are kept. For texts that may have several lines.
pub fn printable_lines(text: &str) -> String {
    escaped_unless(text, |c| matches!(c, '\n' | '\t'))
}

/// Serialised JSON with the unsafe characters in its strings written as `\uXXXX`. The values stay
/// the same. Precondition: outside of strings it has no unsafe characters but newlines.
pub fn printable_json(json: &str) -> String {
    let keep = |c: char| c == '\n' || !is_unsafe(c);
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // All unsafe characters are in the basic plane, so one escape is enough.
        if keep(c) { out.push(c) } else { out += &format!("\\u{:04x}", u32::from(c)) }
    }
    out
}

fn escaped_unless(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if keep(c) { out.push(c) } else { push_escaped(&mut out, c) }
    }
    out
}

/// Adds the character, escaped if it is unsafe.
pub fn push_escaped(out: &mut String, c: char) {
    match c {
        '\n' => *out += "\\n",
        '\t' => *out += "\\t",
        '\r' => *out += "\\r",
        c if is_unsafe(c) => *out += &format!("\\u{{{:x}}}", u32::from(c)),
        c => out.push(c),
    }
}

/// Source text as [`printable_lines`] shows it, and a map from offsets in the original to offsets
/// in the shown text.
#[derive(Clone, Debug, Default)]
pub struct ShownSource {
    /// The shown text.
    pub text: String,
    /// For each escaped character: its end in the original and in the shown text.
    ends: Vec<(usize, usize)>,
}

impl ShownSource {
    /// Escapes the unsafe characters.
    pub fn new(source: &str) -> ShownSource {
        let mut shown = ShownSource::default();
        for (start, c) in source.char_indices() {
            if matches!(c, '\n' | '\t') || !is_unsafe(c) {
                shown.text.push(c);
            } else {
                push_escaped(&mut shown.text, c);
                shown.ends.push((start + c.len_utf8(), shown.text.len()));
            }
        }
        shown
    }

    /// The offset in the shown text. Precondition: `original` is at the boundary of a character.
    pub fn offset(&self, original: usize) -> usize {
        let before = self.ends.partition_point(|(end, _)| *end <= original);
        let last = before.checked_sub(1).and_then(|index| self.ends.get(index));
        last.map_or(original, |(end, shown)| shown + (original - end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_characters_are_escaped() {
        for c in
            "\0\u{7}\u{1b}\u{7f}\u{85}\u{9b}\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}"
                .chars()
        {
            assert_eq!(printable(&format!("a{c}b")), format!("a\\u{{{:x}}}b", u32::from(c)));
            assert_eq!(printable_lines(&c.to_string()), printable(&c.to_string()));
        }
        assert_eq!(printable("a\tb\nc\r"), "a\\tb\\nc\\r");
        assert_eq!(printable_lines("a\tb\nc\r"), "a\tb\nc\\r");
        for plain in ["", "abc", "é→日本\u{200d}", "x \\ y"] {
            assert_eq!(printable(plain), plain);
        }
    }

    #[test]
    fn offsets_are_mapped() {
        let source = "ab\u{202e}c\u{1b}\td";
        let shown = ShownSource::new(source);
        assert_eq!(shown.text, "ab\\u{202e}c\\u{1b}\td");
        for part in ["a", "b", "c", "\t", "d"] {
            let start = shown.offset(source.find(part).expect("it is there"));
            assert!(shown.text[start..].starts_with(part), "{part:?}");
        }
        assert_eq!(shown.offset(source.len()), shown.text.len());
    }

    #[test]
    fn json_keeps_its_values() {
        assert_eq!(
            printable_json("{\n\"a\": \"\u{202e}\u{9b}\u{7f}\"\n}"),
            "{\n\"a\": \"\\u202e\\u009b\\u007f\"\n}"
        );
    }
}
