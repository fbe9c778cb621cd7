//! Positions in the user's files.
//!
//! This module owns the text of every file read and the origin of every token that a macro or an
//! inline argument produced. It must not know tokens, grammar or the rendering of messages.
//!
//! All files share one space of byte positions. A [`Span`] holds the position *shown to the user*:
//! for a token from a macro, the outermost macro call; for an inline's argument, the parameter in
//! the inline's body. The position of the token's text is kept separately, in an [`Origin`].

/// A range of the source text. Cheap to copy; only meaningful with its [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    start: u32,
    end: u32,
    /// One more than the index of its [`Origin`]; 0 if the text is at the shown position.
    origin: u32,
}

impl Span {
    pub(crate) fn new(start: u32, end: u32) -> Span {
        Span { start, end, origin: 0 }
    }

    /// The range from the beginning of `self` to the end of `other`; `self` if they are in
    /// different files or out of order.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self == other || other.end < self.end || self == Span::default() {
            return if self == Span::default() { other } else { self };
        }
        let origin =
            if self.start == other.start && self.end == other.end { self.origin } else { 0 };
        Span { start: self.start, end: other.end, origin }
    }

    /// The empty range directly after `self`.
    #[must_use]
    pub fn after(self) -> Span {
        Span::new(self.end, self.end)
    }

    pub(crate) fn is_expanded(self) -> bool {
        self.origin != 0
    }

    /// The position shown to the user, without its origin.
    pub(crate) fn seen(self) -> Span {
        Span { origin: 0, ..self }
    }
}

/// A position for display. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The position of an expanded token's text.
#[derive(Clone, Copy, Debug)]
struct Origin {
    start: u32,
    end: u32,
}

#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Position of the first byte.
    pub(crate) start: u32,
    /// Offset of each line's first byte.
    lines: Vec<u32>,
}

impl SourceFile {
    fn end(&self) -> u32 {
        self.start + self.text.len() as u32
    }

    /// Zero-based line of an offset.
    pub(crate) fn line(&self, offset: u32) -> usize {
        self.lines.partition_point(|&line| line <= offset).saturating_sub(1)
    }

    /// Offsets of a line without its newline.
    pub(crate) fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let start = self.lines.get(line).map_or(self.text.len(), |&offset| offset as usize);
        let end = self.lines.get(line + 1).map_or(self.text.len(), |&offset| offset as usize - 1);
        start..end.max(start)
    }
}

/// All source text of one parse.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    origins: Vec<Origin>,
}

/// Limit on the total source text: positions are 32-bit.
pub const MAX_SOURCE_BYTES: usize = 1 << 30;

impl SourceMap {
    /// Adds a file and returns its index, or `None` if the limit on source text is exceeded. Bytes
    /// that are not UTF-8 are replaced, so that later passes see valid text.
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8]) -> Option<usize> {
        let start = self.files.last().map_or(0, |file| file.end() + 1);
        let text = String::from_utf8_lossy(bytes).into_owned();
        if start as usize + text.len() > MAX_SOURCE_BYTES {
            return None;
        }
        let lines = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|(_, byte)| *byte == b'\n')
                    .map(|(at, _)| at as u32 + 1),
            )
            .collect();
        self.files.push(SourceFile { name: name.to_string(), text, start, lines });
        Some(self.files.len() - 1)
    }

    /// The name and text of every file, in the order in which they were read.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.name.as_str(), file.text.as_str()))
    }

    pub(crate) fn file(&self, index: usize) -> &SourceFile {
        &self.files[index]
    }

    fn file_of(&self, position: u32) -> Option<&SourceFile> {
        let after = self.files.partition_point(|file| file.start <= position);
        after.checked_sub(1).map(|index| &self.files[index])
    }

    /// A span shown at `seen` with the text of `spelled`, for a token from a macro or inline
    /// argument.
    pub(crate) fn expanded(&mut self, seen: Span, spelled: Span) -> Span {
        let (start, end) = self.spelled(spelled);
        self.origins.push(Origin { start, end });
        Span { start: seen.start, end: seen.end, origin: self.origins.len() as u32 }
    }

    fn spelled(&self, span: Span) -> (u32, u32) {
        match span.origin.checked_sub(1).and_then(|index| self.origins.get(index as usize)) {
            Some(origin) => (origin.start, origin.end),
            None => (span.start, span.end),
        }
    }

    /// The position of a token's text, if it differs from the shown position.
    pub(crate) fn origin(&self, span: Span) -> Option<Span> {
        span.is_expanded().then(|| {
            let (start, end) = self.spelled(span);
            Span::new(start, end)
        })
    }

    /// The file that contains the start of a span, and the span's offsets in it, clipped to the
    /// file.
    pub(crate) fn resolve(&self, span: Span) -> Option<(&SourceFile, std::ops::Range<usize>)> {
        let file = self.file_of(span.start)?;
        let end = file.text.len();
        let from = floor_boundary(&file.text, ((span.start - file.start) as usize).min(end));
        let to = floor_boundary(&file.text, ((span.end - file.start) as usize).min(end));
        Some((file, from..to.max(from)))
    }

    /// The position shown to the user.
    pub fn locate(&self, span: Span) -> Location<'_> {
        let Some((file, range)) = self.resolve(span) else {
            return Location { file: "", line: 1, column: 1 };
        };
        let line = file.line(range.start as u32);
        let column = file.text[file.line_range(line).start..range.start].chars().count() as u32 + 1;
        Location { file: &file.name, line: line as u32 + 1, column }
    }

    /// The text of a span; for a token from a macro, the text in the macro's body.
    pub fn text(&self, span: Span) -> &str {
        let (start, end) = self.spelled(span);
        match self.resolve(Span::new(start, end)) {
            Some((file, range)) => &file.text[range],
            None => "",
        }
    }

    /// The file names in the order in which they were read, the main file first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.name.as_str())
    }
}

fn floor_boundary(text: &str, mut offset: usize) -> usize {
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_found_across_files() {
        let mut sources = SourceMap::default();
        sources.add("a", b"one\ntwo\n").unwrap();
        sources.add("b", "dr\u{e9}i vier".as_bytes()).unwrap();
        let cases =
            [(0, "a", 1, 1), (4, "a", 2, 1), (6, "a", 2, 3), (9, "b", 1, 1), (15, "b", 1, 6)];
        for (start, file, line, column) in cases {
            assert_eq!(
                sources.locate(Span::new(start, start)),
                Location { file, line, column },
                "{start}"
            );
        }
        assert_eq!(sources.text(Span::new(4, 7)), "two");
        assert_eq!(sources.text(Span::new(15, 99)), "vier");
    }

    #[test]
    fn an_expanded_token_is_shown_at_its_call_and_has_the_text_of_the_body() {
        let mut sources = SourceMap::default();
        sources.add("a", b"body call").unwrap();
        let span = sources.expanded(Span::new(5, 9), Span::new(0, 4));
        assert_eq!(sources.locate(span).column, 6);
        assert_eq!(sources.text(span), "body");
        assert_eq!(sources.text(Span::new(0, 1).to(span)), "body call");
    }

    #[test]
    fn positions_in_invalid_utf8() {
        let mut sources = SourceMap::default();
        sources.add("a", &[0xff, b'\n', 0xfe, b'x']).unwrap();
        assert_eq!(sources.locate(Span::new(5, 6)).line, 2);
        assert_eq!(sources.text(Span::new(1, 2)), "");
    }
}
