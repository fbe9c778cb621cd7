//! Breaks lines to the width of a terminal: between words if possible, otherwise after punctuation.
//! Escape sequences have no width.

/// Additional indentation of continuation lines.
const HANG: usize = 4;

/// The text as a line of at most `first` characters and lines of at most `rest` characters. Only
/// spaces at a break are removed.
pub fn broken(text: &str, first: usize, rest: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = Line::default();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            line.text.push(c);
            for code in chars.by_ref() {
                line.text.push(code);
                if code.is_ascii_alphabetic() {
                    break;
                }
            }
            continue;
        }
        let limit = if lines.is_empty() { first } else { rest };
        if line.width >= limit.max(1) {
            let next = line.split(c == ' ', rest);
            lines.push(std::mem::replace(&mut line, next).text);
            if c == ' ' {
                continue;
            }
        }
        line.push(c);
    }
    lines.push(line.text);
    lines
}

/// An incomplete line.
#[derive(Default)]
struct Line {
    text: String,
    width: usize,
    /// The last space after some text: its byte position, and the width of the line including it.
    space: Option<(usize, usize)>,
    /// The last punctuation: the byte position and the width after it.
    punctuation: Option<(usize, usize)>,
}

/// A word that does not fit may be broken after these characters.
fn is_punctuation(c: char) -> bool {
    matches!(c, '.' | ',' | ';' | ':' | ']' | ')' | '}' | '=' | '&' | '|' | '+' | '*' | '/')
}

impl Line {
    fn push(&mut self, c: char) {
        // Leading spaces are indentation, or remain from a break.
        let has_text = self.width > 0 && !self.text.trim_start().is_empty();
        if c == ' ' && has_text {
            self.space = Some((self.text.len(), self.width + 1));
        }
        self.text.push(c);
        self.width += 1;
        if is_punctuation(c) {
            self.punctuation = Some((self.text.len(), self.width));
        }
    }

    /// Ends the line: here if `here`, otherwise at its last space or punctuation, if the remainder
    /// fits into `room`. Returns the remainder.
    fn split(&mut self, here: bool, room: usize) -> Line {
        let width = self.width;
        let fits = |(_, behind): &(usize, usize)| !here && width - behind < room;
        let place = self
            .space
            .map(|(at, behind)| (at + 1, behind))
            .filter(fits)
            .or(self.punctuation.filter(fits));
        let Some((at, behind)) = place else { return Line::default() };
        let text = self.text.split_off(at);
        let punctuation =
            self.punctuation.filter(|last| last.0 > at).map(|last| (last.0 - at, last.1 - behind));
        self.text.truncate(self.text.trim_end_matches(' ').len());
        Line { width: width - behind, text, space: None, punctuation }
    }
}

/// The text with long lines broken; continuation lines are indented further than the line.
pub fn fitted(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let indent = line.len() - line.trim_start_matches(' ').len();
        let hang = (indent + HANG).min(width / 2);
        let pieces = broken(line, width, width - hang);
        out += &pieces.join(&format!("\n{:hang$}", ""));
        out += end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn visible(text: &str) -> usize {
        let mut chars = text.chars();
        let mut count = 0;
        while let Some(c) = chars.next() {
            if c == '\u{1b}' {
                chars.by_ref().find(char::is_ascii_alphabetic);
            } else {
                count += 1;
            }
        }
        count
    }

    #[test]
    fn breaks_between_words() {
        assert_eq!(broken("one two three", 7, 5), ["one two", "three"]);
        assert_eq!(broken("one two three", 8, 8), ["one two", "three"]);
        assert_eq!(broken("a verylongword", 4, 4), ["a", "very", "long", "word"]);
        assert_eq!(broken("", 4, 4), [""]);
        assert_eq!(broken("seat[3].taken_by = 2", 12, 12), ["seat[3].", "taken_by = 2"]);
        assert_eq!(broken("a one.two_three", 12, 12), ["a", "one.", "two_three"]);
        assert_eq!(broken("alpha.beta[12].gamma", 9, 9), ["alpha.", "beta[12].", "gamma"]);
        assert_eq!(
            fitted("  note: one two three\nshort\n", 12),
            "  note: one\n      two\n      three\nshort\n"
        );
        assert_eq!(fitted("\u{1b}[1mone two\u{1b}[0m\n", 7), "\u{1b}[1mone two\u{1b}[0m\n");
    }

    proptest! {
        #![proptest_config(seeded::cases(256))]

        /// No line is too long, and nothing but spaces is lost or added.
        #[test]
        fn nothing_is_lost(text in "( |\\x1b\\[1m|[a-zé→.,\\[]{1,9} ?){0,40}", width in 8_usize..40) {
            let out = fitted(&text, width);
            let solid = |text: &str| text.split([' ', '\n']).collect::<String>();
            prop_assert_eq!(solid(&out), solid(&text));
            prop_assert!(out.split('\n').all(|line| visible(line) <= width), "{:?}", out);
        }
    }
}
