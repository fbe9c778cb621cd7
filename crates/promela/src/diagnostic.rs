//! Messages about the user's program, and how they are drawn.
//!
//! It owns the shape of a message and its rendering (through `annotate-snippets`). It must not know
//! what is wrong with a program: callers say that.

use crate::source::{SourceFile, SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};
use model::printable::{ShownSource, printable, printable_lines};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    /// May be empty: then the place is only underlined.
    pub text: String,
}

/// One message: what is wrong, where, and what to do about it.
///
/// ```ignore
/// Diagnostic::error("`turm` is not declared")
///     .at(span, "not found")
///     .also(other, "a similar name is declared here")
///     .help("did you mean `turn`?")
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// Absent for what concerns no place, such as a file that cannot be read.
    pub primary: Option<Label>,
    pub secondary: Vec<Label>,
    pub notes: Vec<String>,
    pub help: Vec<String>,
}

impl Diagnostic {
    fn new(severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message)
    }

    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message)
    }

    /// The place it is about, and what to write under it.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Another place that explains it.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// How to mend it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// As [`Diagnostic::help`], when there is something to say.
    #[must_use]
    pub fn maybe_help(self, text: Option<impl Into<String>>) -> Diagnostic {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }
}

/// No more errors than this are drawn; the rest is counted. The same holds for warnings.
pub const MAX_SHOWN: usize = 20;

/// Draws messages as text for a terminal, each followed by an empty line.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut text = String::new();
    let mut shown = [0, 0];
    for diagnostic in diagnostics {
        let count = &mut shown[usize::from(diagnostic.is_error())];
        *count += 1;
        if *count <= MAX_SHOWN {
            text.push_str(&renderer.render(&[group(diagnostic, sources)]));
            text.push_str("\n\n");
        }
    }
    for (count, noun) in [(shown[1], "error"), (shown[0], "warning")] {
        match count.saturating_sub(MAX_SHOWN) {
            0 => {}
            1 => text.push_str(&format!("… and 1 more {noun}\n\n")),
            more => text.push_str(&format!("… and {more} more {noun}s\n\n")),
        }
    }
    text
}

fn group<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(printable_lines(&diagnostic.message)));
    for snippet in snippets(diagnostic, sources) {
        group = group.element(snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(printable_lines(note)));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(printable_lines(help)));
    }
    group
}

/// A label with its place in one file.
struct Mark<'a> {
    file: &'a SourceFile,
    range: Range<usize>,
    text: String,
    primary: bool,
}

/// The marked lines, one snippet for each file, the file of the primary label first.
fn snippets<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a SourceMap,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut marks: Vec<Mark> = Vec::new();
    let mut mark = |span: Span, text: &str, primary: bool| {
        if let Some((file, range)) = sources.resolve(span)
            && !marks.iter().any(|mark| mark.file.start == file.start && mark.range == range)
        {
            marks.push(Mark { file, range, text: printable_lines(text), primary });
        }
    };
    let labels = diagnostic.primary.iter().map(|label| (label, true));
    for (label, primary) in labels.chain(diagnostic.secondary.iter().map(|label| (label, false))) {
        mark(label.span, &label.text, primary);
        if let Some(origin) = sources.origin(label.span) {
            mark(origin, "it comes from here", false);
        }
    }
    let mut snippets = Vec::new();
    while let Some(first) = marks.first() {
        let file = first.file.start;
        let (here, rest): (Vec<Mark>, Vec<Mark>) =
            marks.into_iter().partition(|mark| mark.file.start == file);
        snippets.extend(windows(here));
        marks = rest;
    }
    snippets
}

/// Lines longer than this are cut around the mark.
const MAX_LINE_BYTES: usize = 200;

/// One snippet over the marked lines of a file. Only those lines are copied, so that a message
/// about a large file costs no more than one about a small one.
fn windows<'a>(marks: Vec<Mark<'a>>) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let file = marks.first()?.file;
    let line_of = |offset: usize| file.line(offset as u32);
    let long = |line: usize| file.line_range(line).len() > MAX_LINE_BYTES;
    if marks.iter().any(|mark| long(line_of(mark.range.start))) {
        return cut_line(&marks);
    }
    let first = marks.iter().map(|mark| line_of(mark.range.start)).min()?;
    let last = marks.iter().map(|mark| line_of(mark.range.start)).max()?;
    let start = file.line_range(first).start;
    let end = file.line_range(last).end;
    let shown = ShownSource::new(&file.text[start..end]);
    let mut annotations = Vec::new();
    for mark in marks {
        // A mark over several lines is drawn on its first: the beginning is what matters.
        let line = file.line_range(line_of(mark.range.start));
        let text_end = line.start + file.text[line].trim_end().len();
        let from = mark.range.start.min(text_end);
        let to = mark.range.end.min(text_end).max(from);
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let place = shown.offset(from - start)..shown.offset(to - start);
        annotations.push(kind.span(place).label(mark.text));
    }
    let snippet = Snippet::source(shown.text).path(printable(&file.name)).line_start(first + 1);
    Some(snippet.annotations(annotations))
}

/// The part around the first mark of a line too long to show.
fn cut_line<'a>(marks: &[Mark<'a>]) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mark = marks.first()?;
    let file = mark.file;
    let number = file.line(mark.range.start as u32);
    let line = file.line_range(number);
    let boundary = |mut offset: usize| {
        while !file.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let from = boundary(mark.range.start.saturating_sub(MAX_LINE_BYTES / 4).max(line.start)).max(line.start);
    let to = boundary((mark.range.start + MAX_LINE_BYTES / 2).min(line.end)).max(from);
    let start = mark.range.start.min(to);
    let end = mark.range.end.min(to).max(start);
    let before = if from > line.start { "..." } else { "" };
    let after = if to < line.end { "..." } else { "" };
    let shown = ShownSource::new(&file.text[from..to]);
    let text = format!("{before}{}{after}", shown.text);
    let shift = before.len();
    let snippet = Snippet::source(text).path(printable(&file.name)).line_start(number + 1);
    let place = shown.offset(start - from) + shift..shown.offset(end - from) + shift;
    Some(snippet.annotation(AnnotationKind::Primary.span(place).label(mark.text.clone())))
}

/// `1 argument`, `2 arguments`
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &[u8]) -> SourceMap {
        let mut sources = SourceMap::default();
        sources.add("m.pml", text).unwrap();
        sources
    }

    #[test]
    fn shows_line_place_and_hint() {
        let sources = map(b"byte turn;\nactive proctype P() { turm = 1 }\n");
        let diagnostic = Diagnostic::error("`turm` is not declared")
            .at(Span::new(33, 37), "not found")
            .also(Span::new(5, 9), "declared here")
            .help("did you mean `turn`?");
        let text = render(&[diagnostic], &sources, false);
        for part in
            ["error: `turm` is not declared", "m.pml:2:23", "^^^^ not found", "help: did you mean `turn`?"]
        {
            assert!(text.contains(part), "{part} missing in\n{text}");
        }
    }

    #[test]
    fn draws_anything() {
        let mut long = vec![b' '; 100_000];
        long.extend("x\u{e9}\u{0}\u{85}".as_bytes());
        long.extend([0xff, 0x1b, b'[', b'\r', b'\n']);
        let sources = map(&long);
        let end = long.len() as u32 + 10;
        for start in [0, 10, 99_990, 100_000, 100_001, 100_002, 100_003, 100_005, end] {
            for length in [0, 1, 2, 5, 200_000] {
                let span = Span::new(start, start + length);
                let text = render(&[Diagnostic::warning("odd").at(span, "here")], &sources, true);
                assert!(text.contains("odd") && text.len() < 2000, "{text}");
            }
        }
        assert!(render(&[Diagnostic::error("no place")], &sources, false).contains("no place"));
    }

    /// Text cannot be reordered, and marks are below what they mean.
    #[test]
    fn unsafe_characters_are_escaped() {
        let mut sources = SourceMap::default();
        sources.add("m\u{1b}.pml", "/*\u{202e}*/ turm = 1 \u{7f}\n".as_bytes()).unwrap();
        let diagnostic =
            Diagnostic::error("`\u{9b}` is \u{2066}odd").at(Span::new(8, 12), "not\u{200f} found");
        let text = render(&[diagnostic], &sources, false);
        assert!(!text.chars().any(|c| c != '\n' && model::printable::is_unsafe(c)), "{text:?}");
        for part in ["m\\u{1b}.pml:1:14", "`\\u{9b}` is \\u{2066}odd", "not\\u{200f} found", "1 \\u{7f}"] {
            assert!(text.contains(part), "{part} missing in\n{text}");
        }
        let column = |part: &str| text.lines().find_map(|line| line.find(part));
        assert_eq!(column("turm"), column("^^^^"), "{text}");
    }

    #[test]
    fn shows_only_so_many() {
        let sources = map(b"x\n");
        let many = vec![Diagnostic::error("bad").at(Span::new(0, 1), ""); MAX_SHOWN + 5];
        let text = render(&many, &sources, false);
        assert_eq!(text.matches("error: bad").count(), MAX_SHOWN);
        assert!(text.contains("and 5 more errors"));
    }
}
