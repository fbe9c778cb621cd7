//! Promela: from text to the `model` crate's program.
//!
//! Text is preprocessed, lexed and parsed into the tree of [`ast`]; every step reports what it
//! finds as [`diagnostic::Diagnostic`]s and goes on. It must not know engines.

#![forbid(unsafe_code)]

pub mod ast;
mod ast_walk;
pub mod claim;
pub mod diagnostic;
mod flow;
mod given;
mod lexer;
mod lower;
mod parser;
pub mod preprocess;
pub mod pretty;
pub mod source;
pub mod suggest;
mod symbols;
mod token;

pub use diagnostic::Diagnostic;
pub use given::formula_name;
pub use lower::{LtlFormula, Property, PropertyKind};
pub use preprocess::{DiskLoader, FileLoader, MAX_FILE_BYTES, MemoryLoader, read_bounded, read_file};
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

/// A model ready to be run, if there was no error.
#[derive(Debug)]
pub struct Compiled {
    pub sources: SourceMap,
    /// Absent when there is an error among the diagnostics.
    pub program: Option<model::Program>,
    /// What the model states besides its assertions: `ltl` blocks and `never` claims.
    pub properties: Vec<Property>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the model at `path`, checks it and lowers it to a program.
pub fn compile(loader: &dyn FileLoader, path: &str, defines: &[(String, Option<String>)]) -> Compiled {
    compile_with(loader, path, defines, &[])
}

/// The same with more formulas, read as if each stood in an `ltl` block behind the model; they are the last properties.
pub fn compile_with(
    loader: &dyn FileLoader,
    path: &str,
    defines: &[(String, Option<String>)],
    formulas: &[String],
) -> Compiled {
    let behind = given::blocks(formulas);
    let preprocessed = preprocess::preprocess_with(loader, path, defines, &behind);
    let (sources, tree, mut diagnostics) = parser::parse(preprocessed);
    for (name, _) in &behind {
        given::judge_once(name, &sources, &mut diagnostics);
    }
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled { sources, program: None, properties: Vec::new(), diagnostics };
    }
    let lowered = lower::lower(&sources, &tree);
    diagnostics.extend(lowered.diagnostics);
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    Compiled {
        sources,
        program: (!failed).then_some(lowered.program),
        properties: lowered.properties,
        diagnostics,
    }
}
