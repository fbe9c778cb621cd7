//! Promela: from text to the `model` crate's program.
//!
//! Text is preprocessed, lexed and parsed into the tree of [`ast`]; every step reports what it
//! finds as [`diagnostic::Diagnostic`]s and goes on. It must not know engines.

#![forbid(unsafe_code)]

pub mod ast;
pub mod diagnostic;
mod lexer;
mod parser;
pub mod preprocess;
pub mod pretty;
pub mod source;
pub mod suggest;
mod token;

pub use diagnostic::Diagnostic;
pub use preprocess::{DiskLoader, FileLoader, MemoryLoader};
pub use source::{SourceMap, Span};

/// What parsing gives, whether or not there were errors.
#[derive(Debug)]
pub struct Parsed {
    pub sources: SourceMap,
    /// What could be understood; complete when there is no error among the diagnostics.
    pub program: ast::Program,
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the model at `path`; `defines` are the `-D NAME[=VALUE]` of the command line.
pub fn parse(loader: &dyn FileLoader, path: &str, defines: &[(String, Option<String>)]) -> Parsed {
    let (sources, program, diagnostics) = parser::parse(preprocess::preprocess(loader, path, defines));
    Parsed { sources, program, diagnostics }
}
