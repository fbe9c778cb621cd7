//! The built-in preprocessor: files to one list of tokens, as `cpp` would give them to SPIN.
//!
//! `mod` drives it and owns the stack of open files; `directive` obeys `#` lines; `macros` says what
//! a macro is and `expand` replaces it; `condition` evaluates `#if`; `loader` fetches files. None of
//! them knows Promela's grammar.
//!
//! Whatever the input, the work is bounded: by [`MAX_TOKENS`] in the output, [`MAX_WORK`] tokens
//! moved by macros, [`MAX_INCLUDES`] files read.

mod condition;
mod directive;
mod expand;
mod loader;
mod macros;

pub use loader::{DiskLoader, FileLoader, MAX_FILE_BYTES, MemoryLoader, read_bounded, read_file};

use crate::diagnostic::Diagnostic;
use crate::lexer::Lexer;
use crate::source::{SourceMap, Span};
use crate::token::{Flags, Interner, Symbol, Token, TokenKind};
use directive::Conditional;
use expand::Context;
use macros::Macro;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// A program longer than this, after expansion, is refused.
pub const MAX_TOKENS: usize = 5_000_000;
/// Tokens that macro expansion may move around before it is taken for a blow-up.
pub const MAX_WORK: usize = 10_000_000;
/// Files that may be included, one inside the other and in all.
pub const MAX_INCLUDE_DEPTH: usize = 100;
pub const MAX_INCLUDES: usize = 10_000;
/// After so many messages nothing more is read.
pub const MAX_DIAGNOSTICS: usize = 1_000;

/// The preprocessed program. The last token is [`TokenKind::End`].
#[derive(Debug)]
pub(crate) struct Preprocessed {
    pub tokens: Vec<Token>,
    pub sources: SourceMap,
    pub interner: Interner,
    pub diagnostics: Vec<Diagnostic>,
}

struct OpenFile {
    index: usize,
    lexer: Lexer,
    /// Read, but not yet used.
    peeked: Option<Token>,
    conditionals: Vec<Conditional>,
}

/// The words the preprocessor itself knows.
struct Words {
    defined: Symbol,
    line: Symbol,
    file: Symbol,
    arguments: Symbol,
}

struct Preprocessor<'a> {
    loader: &'a dyn FileLoader,
    sources: SourceMap,
    interner: Interner,
    diagnostics: Vec<Diagnostic>,
    words: Words,
    macros: HashMap<Symbol, Rc<Macro>>,
    /// Files by path, so that one included often is kept once.
    loaded: HashMap<String, usize>,
    includes: usize,
    files: Vec<OpenFile>,
    contexts: Vec<Context>,
    /// Macros being expanded: their names stay as they are.
    disabled: HashSet<Symbol>,
    /// Inside an argument: the end of the contexts is the end.
    isolated: bool,
    argument_depth: usize,
    work: usize,
    /// The outermost macro call being expanded.
    outer_call: Span,
    /// A line end before a macro that has expanded to nothing so far.
    line_before_call: bool,
    /// A line end inside a macro call, which `cpp` moves behind it.
    line_inside_call: bool,
    /// A limit was passed: nothing more is read.
    stopped: bool,
}

/// Preprocesses the file at `path`, with the definitions of the command line.
pub(crate) fn preprocess(
    loader: &dyn FileLoader,
    path: &str,
    defines: &[(String, Option<String>)],
) -> Preprocessed {
    preprocess_with(loader, path, defines, &[])
}

/// The same, with texts that stand behind the file as if they belonged to it; each has a name.
pub(crate) fn preprocess_with(
    loader: &dyn FileLoader,
    path: &str,
    defines: &[(String, Option<String>)],
    behind: &[(String, String)],
) -> Preprocessed {
    let mut interner = Interner::new();
    let words = Words {
        defined: interner.intern("defined"),
        line: interner.intern("__LINE__"),
        file: interner.intern("__FILE__"),
        arguments: interner.intern("__VA_ARGS__"),
    };
    let mut preprocessor = Preprocessor {
        loader,
        sources: SourceMap::default(),
        interner,
        diagnostics: Vec::new(),
        words,
        macros: HashMap::new(),
        loaded: HashMap::new(),
        includes: 0,
        files: Vec::new(),
        contexts: Vec::new(),
        disabled: HashSet::new(),
        isolated: false,
        argument_depth: 0,
        work: 0,
        outer_call: Span::default(),
        line_before_call: false,
        line_inside_call: false,
        stopped: false,
    };
    let mut tokens = Vec::new();
    if preprocessor.open_main(path, defines, behind) {
        preprocessor.run(&mut tokens);
    }
    if preprocessor.stopped {
        // What came out ends anywhere: errors about it would mislead.
        tokens.clear();
    }
    Preprocessed {
        tokens,
        sources: preprocessor.sources,
        interner: preprocessor.interner,
        diagnostics: preprocessor.diagnostics,
    }
}

impl Preprocessor<'_> {
    fn open_main(
        &mut self,
        path: &str,
        defines: &[(String, Option<String>)],
        behind: &[(String, String)],
    ) -> bool {
        match self.load(path) {
            Ok(index) => {
                // What is opened last is read first.
                for (name, text) in behind.iter().rev() {
                    if let Some(index) = self.sources.add(name, text.as_bytes()) {
                        self.open(index);
                    }
                }
                self.open(index);
            }
            Err(reason) => {
                self.diagnostics.push(Diagnostic::error(format!("cannot read `{path}`: {reason}")));
                return false;
            }
        }
        let mut text = String::new();
        for (name, value) in defines {
            let word = name.split('(').next().unwrap_or_default();
            let proper = |c: char| c.is_ascii_alphanumeric() || c == '_';
            if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) || !word.chars().all(proper)
            {
                self.diagnostics
                    .push(Diagnostic::error(format!("`-D {name}`: a macro's name must be a word")));
                continue;
            }
            let value = value.as_deref().unwrap_or("1").replace('\n', " ");
            text.push_str(&format!("#define {name} {value}\n"));
        }
        if let Some(index) = self.sources.add("<command line>", text.as_bytes()) {
            self.open(index);
        }
        true
    }

    fn open(&mut self, index: usize) {
        let lexer = Lexer::new(self.sources.file(index).start);
        self.files.push(OpenFile { index, lexer, peeked: None, conditionals: Vec::new() });
    }

    /// Reads a file into the source map, or says why it cannot be used.
    fn load(&mut self, path: &str) -> Result<usize, String> {
        if let Some(&index) = self.loaded.get(path) {
            return Ok(index);
        }
        let bytes = self.loader.load(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_string(),
            _ => error.to_string(),
        })?;
        if bytes.contains(&0) {
            return Err("it is a binary file, not a text".to_string());
        }
        let index = self.sources.add(path, &bytes).ok_or("the program is too large")?;
        self.loaded.insert(path.to_string(), index);
        Ok(index)
    }

    fn run(&mut self, tokens: &mut Vec<Token>) {
        loop {
            let (mut token, from_macro) = self.next_expanded();
            if token.kind == TokenKind::End {
                tokens.push(token);
                return;
            }
            if tokens.len() >= MAX_TOKENS {
                let span = if from_macro { self.outer_call } else { token.span };
                self.stop(
                    Diagnostic::error(format!("the program has more than {MAX_TOKENS} tokens"))
                        .at(span, "the limit is reached here"),
                );
                continue;
            }
            if from_macro {
                token.span = self.sources.expanded(self.outer_call, token.span);
            }
            let mut first = std::mem::take(&mut self.line_before_call);
            if !from_macro {
                first |= token.starts_line() | std::mem::take(&mut self.line_inside_call);
            }
            let spacing = if first { Flags::LINE } else { Flags::SPACE };
            token.flags = token.flags.spaced_as(spacing);
            tokens.push(token);
        }
    }

    /// Reports the passing of a limit and reads nothing more.
    fn stop(&mut self, diagnostic: Diagnostic) {
        if !self.stopped {
            self.stopped = true;
            self.diagnostics.push(diagnostic);
            self.contexts.clear();
            self.files.truncate(1);
            for file in &mut self.files {
                file.conditionals.clear();
            }
        }
    }

    fn lex(&mut self) -> Token {
        let Some(file) = self.files.last_mut() else {
            return Token { kind: TokenKind::End, span: Span::default(), flags: Flags::default() };
        };
        if let Some(token) = file.peeked.take() {
            return token;
        }
        let token = file.lexer.next(&self.sources.file(file.index).text, &mut self.interner);
        let stray = file.lexer.stray_comment_end.take();
        if let Some(span) = file.lexer.unterminated_comment.take() {
            self.diagnostics.push(
                Diagnostic::error("this comment does not end")
                    .at(span, "it begins here")
                    .help("close it with `*/`"),
            );
        }
        if let Some(span) = stray {
            self.diagnostics
                .push(Diagnostic::warning("this `*/` ends no comment").at(span, "it is passed over"));
        }
        token
    }

    /// The next token of the open files, directives obeyed and skipped groups left out.
    fn next_file_token(&mut self) -> Token {
        loop {
            let token = self.lex();
            if self.diagnostics.len() >= MAX_DIAGNOSTICS {
                self.stop(Diagnostic::error("too many errors; the rest of the program is not read"));
            }
            if self.stopped {
                return Token { kind: TokenKind::End, ..token };
            }
            match token.kind {
                TokenKind::Hash if token.flags.has(Flags::NEWLINE) => self.directive(token),
                TokenKind::End => {
                    self.close_conditionals();
                    if self.files.len() <= 1 {
                        return token;
                    }
                    self.files.pop();
                }
                _ if self.skipping() => {}
                _ => return token,
            }
        }
    }

    /// The rest of a directive's line.
    fn line(&mut self) -> Vec<Token> {
        let mut line = Vec::new();
        loop {
            let token = self.lex();
            if token.flags.has(Flags::NEWLINE) || token.kind == TokenKind::End {
                if let Some(file) = self.files.last_mut() {
                    file.peeked = Some(token);
                }
                return line;
            }
            line.push(token);
        }
    }
}

#[cfg(test)]
mod tests;
