//! Diagnostics about the user's program, and their rendering.
//!
//! This module owns the structure of a message and its rendering (with `annotate-snippets`). It
//! must not know which errors exist.

use crate::source::{SourceFile, SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};
use lariat_ir::printable::{ShownSource, printable, printable_lines};
use std::ops::Range;

/// Whether a diagnostic prevents compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The program cannot be compiled.
    Error,
    /// The program can be compiled, but probably contains a mistake.
    Warning,
}

/// A range of the source text and its explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The range to underline.
    pub span: Span,
    /// The text under the range; if empty, the range is only underlined.
    pub text: String,
}

/// One message: the problem, its position, and how to fix it.
///
/// ```ignore
/// Diagnostic::error("`turm` is not declared")
///     .at(span, "not found")
///     .also(other, "a similar name is declared here")
///     .help("did you mean `turn`?")
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The problem in one line.
    pub message: String,
    /// Its position; absent if it concerns no position, such as a file that cannot be read.
    pub primary: Option<Label>,
    /// Further positions that explain the problem.
    pub secondary: Vec<Label>,
    /// Further explanations.
    pub notes: Vec<String>,
    /// How to fix the problem.
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

    /// An error with this message.
    pub fn error(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, message)
    }

    /// A warning with this message.
    pub fn warning(message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, message)
    }

    /// Sets the position of the problem, and the text under it.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Adds another position that explains the problem.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds an explanation.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds a suggestion for a fix.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }

    /// Adds a suggestion for a fix, if there is one.
    #[must_use]
    pub fn maybe_help(self, text: Option<impl Into<String>>) -> Diagnostic {
        match text {
            Some(text) => self.help(text),
            None => self,
        }
    }

    /// Whether the diagnostic prevents compilation.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The position of the problem.
    pub fn span(&self) -> Option<Span> {
        self.primary.as_ref().map(|label| label.span)
    }
}

/// Limit on the number of errors rendered, and on the number of warnings; the rest is counted.
pub const MAX_SHOWN: usize = 20;

/// Renders messages as text for a terminal, each followed by an empty line.
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

/// A label resolved to its file.
struct ResolvedLabel<'a> {
    file: &'a SourceFile,
    range: Range<usize>,
    text: String,
    primary: bool,
}

/// The labelled lines, one snippet per file; the file of the primary label comes first.
fn snippets<'a>(
    diagnostic: &'a Diagnostic,
    sources: &'a SourceMap,
) -> Vec<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let mut marks: Vec<ResolvedLabel> = Vec::new();
    let mut mark = |span: Span, text: &str, primary: bool| {
        if let Some((file, range)) = sources.resolve(span)
            && !marks.iter().any(|mark| mark.file.start == file.start && mark.range == range)
        {
            marks.push(ResolvedLabel { file, range, text: printable_lines(text), primary });
        }
    };
    let labels = diagnostic.primary.iter().map(|label| (label, true));
    for (label, primary) in labels.chain(diagnostic.secondary.iter().map(|label| (label, false))) {
        mark(label.span, &label.text, primary);
        if let Some(origin) = sources.origin(label.span) {
            mark(origin, "expanded from here", false);
        }
    }
    let mut snippets = Vec::new();
    while let Some(first) = marks.first() {
        let file = first.file.start;
        let (here, rest): (Vec<ResolvedLabel>, Vec<ResolvedLabel>) =
            marks.into_iter().partition(|mark| mark.file.start == file);
        snippets.extend(windows(here));
        marks = rest;
    }
    snippets
}

/// Longer lines are cut around the label.
const MAX_LINE_BYTES: usize = 200;

/// One snippet over the labelled lines of a file. Only these lines are copied, so that the cost of
/// a message does not depend on the size of the file.
fn windows<'a>(
    marks: Vec<ResolvedLabel<'a>>,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
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
        // A label over several lines is drawn on its first line.
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

/// The part around the first label of a line that is too long to show.
fn cut_line<'a>(
    marks: &[ResolvedLabel<'a>],
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
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
    let from = boundary(mark.range.start.saturating_sub(MAX_LINE_BYTES / 4).max(line.start))
        .max(line.start);
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

/// A number with its noun: `1 argument`, `2 arguments`.
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
        for part in [
            "error: `turm` is not declared",
            "m.pml:2:23",
            "^^^^ not found",
            "help: did you mean `turn`?",
        ] {
            assert!(text.contains(part), "{part} missing in\n{text}");
        }
    }

    #[test]
    fn any_text_can_be_rendered() {
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

    /// Bidirectional controls cannot reorder text, and labels are below the text they mark.
    #[test]
    fn unsafe_characters_are_escaped() {
        let mut sources = SourceMap::default();
        sources.add("m\u{1b}.pml", "/*\u{202e}*/ turm = 1 \u{7f}\n".as_bytes()).unwrap();
        let diagnostic =
            Diagnostic::error("`\u{9b}` is \u{2066}odd").at(Span::new(8, 12), "not\u{200f} found");
        let text = render(&[diagnostic], &sources, false);
        assert!(!text.chars().any(|c| c != '\n' && lariat_ir::printable::is_unsafe(c)), "{text:?}");
        for part in
            ["m\\u{1b}.pml:1:14", "`\\u{9b}` is \\u{2066}odd", "not\\u{200f} found", "1 \\u{7f}"]
        {
            assert!(text.contains(part), "{part} missing in\n{text}");
        }
        let column = |part: &str| text.lines().find_map(|line| line.find(part));
        assert_eq!(column("turm"), column("^^^^"), "{text}");
    }

    #[test]
    fn the_number_of_errors_is_limited() {
        let sources = map(b"x\n");
        let many = vec![Diagnostic::error("bad").at(Span::new(0, 1), ""); MAX_SHOWN + 5];
        let text = render(&many, &sources, false);
        assert_eq!(text.matches("error: bad").count(), MAX_SHOWN);
        assert!(text.contains("and 5 more errors"));
    }
}
