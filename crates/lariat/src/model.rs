//! Reading a model from a file, from standard input or from a string.

use crate::error::Error;
use crate::property::{Property, ResolvedProperty};
use crate::report::{printable, printable_lines};
use lariat_ir::{Budget, Program};
use lariat_promela::{
    DiskLoader, FileLoader, LtlFormula, MAX_FILE_BYTES, PropertyKind, formula_name, read_bounded,
    read_file,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The stack size of the thread that reads models.
const STACK_BYTES: usize = 64 << 20;

/// The phase named when a limit is reached while a model is read.
const READING: &str = "while the model was read and translated";

/// A macro definition, `NAME` or `NAME=VALUE`.
pub type Define = (String, Option<String>);

/// A model that can be checked.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name used in reports and source positions.
    pub name: String,
    /// The program of the model.
    pub program: Arc<Program>,
    /// The properties that the model states: `ltl` blocks and `never` claims.
    pub stated: Vec<ResolvedProperty>,
    /// The warnings as text for people; empty if there are none.
    pub warnings: String,
    /// The files of the model.
    pub sources: Vec<SourceText>,
    /// The formulas that were read with the model, by text.
    formulas: BTreeMap<String, LtlFormula>,
    /// What is needed to read the model again with other formulas.
    text: Vec<u8>,
    reader: ModelReader,
}

/// A file of the model.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SourceText {
    /// The name used in source positions.
    pub name: String,
    /// The contents.
    pub text: String,
}

/// Why a model cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// The problems as text for people.
    pub text: String,
    /// The problems as data.
    pub problems: Vec<Problem>,
}

/// An error or a warning about a model, and its position.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// Absent if the problem has no position, such as a file that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Counted from 1, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// Further information and suggestions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Problem {
    /// An error without a position.
    fn error(message: String) -> Problem {
        let (file, line, column) = (None, None, None);
        Problem { severity: "error", file, line, column, message, notes: Vec::new() }
    }

    fn of_diagnostic(
        diagnostic: &lariat_promela::Diagnostic,
        sources: &lariat_promela::SourceMap,
    ) -> Problem {
        let place = diagnostic.span().map(|span| sources.locate(span));
        Problem {
            severity: if diagnostic.is_error() { "error" } else { "warning" },
            file: place.as_ref().map(|place| place.file.to_string()),
            line: place.as_ref().map(|place| place.line),
            column: place.as_ref().map(|place| place.column),
            message: diagnostic.message.clone(),
            notes: diagnostic.notes.iter().chain(&diagnostic.help).cloned().collect(),
        }
    }
}

impl Rejected {
    /// A rejection without a position in the model.
    pub fn because(message: impl Into<String>) -> Rejected {
        let message = message.into();
        let text = format!("error: {}\n", printable_lines(&message));
        Rejected { text, problems: vec![Problem::error(message)] }
    }
}

impl Model {
    /// Reads a Promela model from a string; `name` is used in messages. `#include` reads files.
    ///
    /// # Errors
    /// The model is rejected.
    pub fn from_source(name: impl Into<String>, text: impl Into<String>) -> Result<Model, Error> {
        ModelReader::default().read_source(name, text)
    }

    /// Reads the model in a file: Promela, or a transition system if the name ends in `.lts`. `-`
    /// is standard input.
    ///
    /// # Errors
    /// The model is rejected.
    pub fn from_file(path: impl AsRef<OsStr>) -> Result<Model, Error> {
        ModelReader::default().read_file(path)
    }

    /// The formula with this text, if the model was read with it. The text is the identity of a
    /// formula that is not part of the model.
    pub fn formula(&self, text: &str) -> Option<&LtlFormula> {
        self.formulas.get(text)
    }

    /// The model with the formulas of these properties: the model itself if it was read with all of
    /// them, otherwise the model read again. A formula can change the program (`_last` becomes part
    /// of the state), so it cannot be added to a model that is already translated.
    pub(crate) fn with_properties(
        &self,
        properties: &[Property],
        budget: &Budget,
    ) -> Result<Cow<'_, Model>, Error> {
        let reader = self.reader.clone().properties(properties)?;
        if reader.formulas.iter().all(|text| self.formulas.contains_key(text)) {
            return Ok(Cow::Borrowed(self));
        }
        let (name, text) = (self.name.clone(), self.text.clone());
        let read = budget.run(STACK_BYTES, move |_| reader.read(name, text));
        let read = read.map_err(|limit| Error::Exhausted { limit, phase: READING })?;
        Ok(Cow::Owned(read?))
    }
}

/// Reads models: the macros to define, and the properties whose formulas are read with the model.
#[derive(Clone, Debug, Default)]
pub struct ModelReader {
    defines: Vec<Define>,
    formulas: Vec<String>,
    color: bool,
}

impl ModelReader {
    /// Defines macros, as if the model began with them.
    #[must_use]
    pub fn defines(mut self, defines: &[Define]) -> ModelReader {
        self.defines.extend_from_slice(defines);
        self
    }

    /// Reads the formulas of these properties with the model, so that a check need not read the
    /// model again.
    ///
    /// # Errors
    /// A property has a syntax error.
    pub fn properties(mut self, properties: &[Property]) -> Result<ModelReader, Error> {
        for property in properties {
            for text in property.formulas().map_err(Error::Property)? {
                if !self.formulas.contains(&text) {
                    self.formulas.push(text);
                }
            }
        }
        Ok(self)
    }

    /// Colours errors and warnings with terminal escapes.
    #[must_use]
    pub fn color(mut self, color: bool) -> ModelReader {
        self.color = color;
        self
    }

    /// Like [`Model::from_source`].
    ///
    /// # Errors
    /// The model is rejected.
    pub fn read_source(
        self,
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<Model, Error> {
        Ok(self.read(name.into(), text.into().into_bytes())?)
    }

    /// Like [`Model::from_file`].
    ///
    /// # Errors
    /// The model is rejected.
    pub fn read_file(self, path: impl AsRef<OsStr>) -> Result<Model, Error> {
        let path = path.as_ref();
        let (name, bytes) = if path == "-" {
            ("<stdin>".to_string(), read_bounded(io::stdin().lock(), MAX_FILE_BYTES))
        } else {
            (path.to_string_lossy().into_owned(), read_file(Path::new(path), true, MAX_FILE_BYTES))
        };
        let bytes =
            bytes.map_err(|error| Rejected::because(unreadable(&name, Path::new(path), &error)))?;
        Ok(self.read(name, bytes)?)
    }

    /// Like [`read_file`](Self::read_file), within a budget. The budget also covers reading from a
    /// pipe and macros that expand without end.
    ///
    /// # Errors
    /// The model is rejected, or a limit was reached.
    pub fn read_within(self, path: &OsStr, budget: &Budget) -> Result<Model, Error> {
        let path = path.to_owned();
        let read = budget.run(STACK_BYTES, move |_| self.read_file(path));
        read.map_err(|limit| Error::Exhausted { limit, phase: READING })?
    }

    fn read(self, name: String, text: Vec<u8>) -> Result<Model, Rejected> {
        if Path::new(&name).extension().is_some_and(|extension| extension == "lts") {
            return self.read_transition_system(name, text);
        }
        let loader = WithMain { name: &name, bytes: text };
        let compiled = lariat_promela::compile_with(&loader, &name, &self.defines, &self.formulas);
        let rendered = lariat_promela::diagnostic::render(
            &compiled.diagnostics,
            &compiled.sources,
            self.color,
        );
        let failed = compiled.diagnostics.iter().any(lariat_promela::Diagnostic::is_error);
        let Some(program) = compiled.program.filter(|_| !failed) else {
            let diagnostics = compiled.diagnostics.iter();
            let problems = diagnostics.map(|each| Problem::of_diagnostic(each, &compiled.sources));
            return Err(Rejected { text: rendered, problems: problems.collect() });
        };
        // A formula that is not part of the model stands in a file of its own.
        let files: BTreeMap<String, &String> =
            (1..).map(formula_name).zip(&self.formulas).collect();
        let (mut stated, mut formulas) = (Vec::new(), BTreeMap::new());
        for property in compiled.properties {
            let file = compiled.sources.locate(property.span).file;
            match (files.get(file), property.kind) {
                (Some(text), PropertyKind::Ltl(formula)) => {
                    formulas.insert((*text).clone(), formula);
                }
                (_, kind) => {
                    let property = lariat_promela::Property { kind, ..property };
                    stated.push(ResolvedProperty::stated(property));
                }
            }
        }
        let texts = compiled.sources.texts();
        let texts = texts.filter(|(name, text)| !text.is_empty() && !files.contains_key(*name));
        let sources = texts
            .map(|(name, text)| SourceText { name: name.to_string(), text: text.to_string() })
            .collect();
        let (program, text) = (Arc::new(program), loader.bytes);
        let warnings = rendered;
        Ok(Model {
            name: name.clone(),
            program,
            stated,
            warnings,
            sources,
            formulas,
            text,
            reader: self,
        })
    }

    /// A transition system in the text form of `lariat-ir`.
    fn read_transition_system(self, name: String, bytes: Vec<u8>) -> Result<Model, Rejected> {
        if !self.formulas.is_empty() {
            return Err(Rejected::because(
                "formulas require a Promela model; this is a transition system",
            ));
        }
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text.to_string(),
            Err(error) => return Err(Rejected::because(format!("{name}: not UTF-8: {error}"))),
        };
        match lariat_ir::text::read(&name, &text) {
            Ok(program) => Ok(Model {
                sources: vec![SourceText { name: name.clone(), text }],
                name,
                program: Arc::new(program),
                stated: Vec::new(),
                warnings: String::new(),
                formulas: BTreeMap::new(),
                text: bytes,
                reader: self,
            }),
            Err(errors) => {
                let shown = printable(&name);
                let lines = errors
                    .iter()
                    .map(|error| format!("error: {shown}:{}\n", printable(&error.to_string())));
                let problems = errors.iter().map(|error| Problem {
                    file: Some(name.clone()),
                    line: Some(error.line),
                    column: Some(error.column),
                    ..Problem::error(error.message.clone())
                });
                Err(Rejected { text: lines.collect(), problems: problems.collect() })
            }
        }
    }
}

fn unreadable(name: &str, path: &Path, error: &io::Error) -> String {
    let reason = match error.kind() {
        _ if path.is_dir() => "it is a directory".into(),
        io::ErrorKind::NotFound => "there is no such file".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        _ => error.to_string(),
    };
    format!("cannot read `{name}`: {reason}")
}

/// Loads files from disk, except the main file, which is in memory (its path need not be UTF-8).
pub(crate) struct WithMain<'a> {
    pub name: &'a str,
    pub bytes: Vec<u8>,
}

impl FileLoader for WithMain<'_> {
    fn load(&self, path: &str) -> io::Result<Vec<u8>> {
        if path == self.name { Ok(self.bytes.clone()) } else { DiskLoader.load(path) }
    }
}
