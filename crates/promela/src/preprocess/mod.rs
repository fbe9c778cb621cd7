//! The built-in preprocessor: files to one list of tokens, as `cpp` would pass them to SPIN.
//!
//! This file owns the driver and the stack of open files; `directive` executes `#` lines; `macros`
//! parses definitions and `expand` replaces them; `condition` evaluates `#if`; `loader` reads
//! files. None of them knows Promela's grammar.
//!
//! The work is bounded on every input: by [`MAX_TOKENS`] in the output, [`MAX_WORK`] tokens moved
//! by macros, and [`MAX_INCLUDES`] files.

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

/// Limit on the tokens of a program after expansion.
pub const MAX_TOKENS: usize = 5_000_000;
/// Limit on the tokens moved by macro expansion, which can grow exponentially.
pub const MAX_WORK: usize = 10_000_000;
/// Limit on the nesting of included files.
pub const MAX_INCLUDE_DEPTH: usize = 100;
/// Limit on the total number of included files.
pub const MAX_INCLUDES: usize = 10_000;
/// Preprocessing stops after this number of diagnostics.
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
    /// Lexed, but not yet consumed.
    peeked: Option<Token>,
    conditionals: Vec<Conditional>,
}

/// The words that have a meaning for the preprocessor.
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
    /// Source files by path: a file that is included often is read once.
    loaded: HashMap<String, usize>,
    includes: usize,
    files: Vec<OpenFile>,
    contexts: Vec<Context>,
    /// Macros being expanded, whose names are not expanded again.
    disabled: HashSet<Symbol>,
    /// Inside a macro argument: the end of the contexts is the end of the input.
    isolated: bool,
    argument_depth: usize,
    work: usize,
    /// The outermost macro call being expanded.
    outer_call: Span,
    /// A line end before a macro that has expanded to no token so far.
    line_before_call: bool,
    /// A line end inside a macro call, which `cpp` moves after the call.
    line_inside_call: bool,
    /// A limit was exceeded: nothing more is read.
    stopped: bool,
}

/// Preprocesses the file at `path` with the definitions of the command line.
pub(crate) fn preprocess(
    loader: &dyn FileLoader,
    path: &str,
    defines: &[(String, Option<String>)],
) -> Preprocessed {
    preprocess_with(loader, path, defines, &[])
}

/// Preprocesses the file at `path` followed by further named texts.
pub(crate) fn preprocess_with(
    loader: &dyn FileLoader,
    path: &str,
    defines: &[(String, Option<String>)],
    appended: &[(String, String)],
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
    if preprocessor.open_main(path, defines, appended) {
        preprocessor.run(&mut tokens);
    }
    if preprocessor.stopped {
        // The output ends at an arbitrary position, so parse errors about it would be misleading.
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
        appended: &[(String, String)],
    ) -> bool {
        match self.load(path) {
            Ok(index) => {
                // The file opened last is read first.
                for (name, text) in appended.iter().rev() {
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
            if word.is_empty()
                || word.starts_with(|c: char| c.is_ascii_digit())
                || !word.chars().all(proper)
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

    /// Reads a file into the source map; the error is the reason why it cannot be used.
    fn load(&mut self, path: &str) -> Result<usize, String> {
        if let Some(&index) = self.loaded.get(path) {
            return Ok(index);
        }
        let bytes = self.loader.load(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_string(),
            _ => error.to_string(),
        })?;
        if bytes.contains(&0) {
            return Err("it is a binary file, not text".to_string());
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

    /// Reports that a limit is exceeded, and stops reading.
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
                Diagnostic::error("unterminated comment")
                    .at(span, "it begins here")
                    .help("close it with `*/`"),
            );
        }
        if let Some(span) = stray {
            self.diagnostics
                .push(Diagnostic::warning("`*/` outside a comment").at(span, "ignored"));
        }
        token
    }

    /// The next token of the open files; executes directives and skips excluded groups.
    fn next_file_token(&mut self) -> Token {
        loop {
            let token = self.lex();
            if self.diagnostics.len() >= MAX_DIAGNOSTICS {
                self.stop(Diagnostic::error(
                    "too many errors; the rest of the program is not read",
                ));
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
