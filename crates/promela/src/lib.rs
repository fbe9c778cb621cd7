//! The Promela front end: preprocessing, parsing, checking, and lowering to a
//! [`lariat_ir::Program`].
//!
//! Every pass reports problems as [`Diagnostic`]s and continues, so that one run reports as many as
//! possible. No input panics. This crate must not know searches or machine code.
//!
//! ```
//! use lariat_promela::{MemoryLoader, compile, diagnostic};
//!
//! // A name is misspelled: the diagnostic suggests the declared one.
//! let files = MemoryLoader::new().with("m.pml", "byte turn; init { turm = 1 }");
//! let compiled = compile(&files, "m.pml", &[]);
//! assert!(compiled.program.is_none());
//! let text = diagnostic::render(&compiled.diagnostics, &compiled.sources, false);
//! assert!(text.contains("did you mean `turn`?"), "{text}");
//!
//! // The corrected model is lowered to a transition system and a property.
//! let model = "byte turn; init { turn = 1 } ltl done { <> (turn == 1) }";
//! let compiled = compile(&MemoryLoader::new().with("m.pml", model), "m.pml", &[]);
//! let program = compiled.program.expect("the model has no errors");
//! assert_eq!(program.process_types[0].name, "init");
//! assert_eq!(compiled.properties[0].name, "done");
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod ast;
mod ast_walk;
pub mod claim;
pub mod diagnostic;
mod extra_formulas;
mod flow;
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
pub use extra_formulas::formula_name;
pub use lower::{LtlFormula, Property, PropertyKind};
pub use preprocess::{
    DiskLoader, FileLoader, MAX_FILE_BYTES, MemoryLoader, read_bounded, read_file,
};
pub use source::{SourceMap, Span};

/// The result of parsing, also in the presence of errors.
#[derive(Debug)]
pub struct Parsed {
    /// The text of all files, for diagnostics.
    pub sources: SourceMap,
    /// The syntax tree; complete if the diagnostics contain no error.
    pub program: ast::Program,
    /// Errors and warnings in the order of discovery.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the model at `path`; `defines` are macro definitions as in `-D NAME[=VALUE]`.
pub fn parse(loader: &dyn FileLoader, path: &str, defines: &[(String, Option<String>)]) -> Parsed {
    let (sources, program, diagnostics) =
        parser::parse(preprocess::preprocess(loader, path, defines));
    Parsed { sources, program, diagnostics }
}

/// The result of compilation.
#[derive(Debug)]
pub struct Compiled {
    /// The text of all files, for diagnostics.
    pub sources: SourceMap,
    /// Absent if the diagnostics contain an error.
    pub program: Option<lariat_ir::Program>,
    /// The `ltl` blocks and `never` claims of the model.
    pub properties: Vec<Property>,
    /// Errors and warnings in the order of discovery.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the model at `path`, checks it and lowers it to a program.
pub fn compile(
    loader: &dyn FileLoader,
    path: &str,
    defines: &[(String, Option<String>)],
) -> Compiled {
    compile_with(loader, path, defines, &[])
}

/// Like [`compile`], with additional formulas. Each is parsed as an `ltl` block after the model;
/// they are the last properties.
pub fn compile_with(
    loader: &dyn FileLoader,
    path: &str,
    defines: &[(String, Option<String>)],
    formulas: &[String],
) -> Compiled {
    let appended = extra_formulas::blocks(formulas);
    let preprocessed = preprocess::preprocess_with(loader, path, defines, &appended);
    let (sources, tree, mut diagnostics) = parser::parse(preprocessed);
    for (name, _) in &appended {
        extra_formulas::keep_first_error(name, &sources, &mut diagnostics);
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
