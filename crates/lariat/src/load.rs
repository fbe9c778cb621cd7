//! Reading a model, whatever language it is written in: from a file or from standard input to a program.

use crate::property::Property;
use crate::report::{printable, printable_lines};
use model::{Budget, Exhausted};
use promela::{DiskLoader, FileLoader, LtlFormula, read_bounded, read_file};
use std::ffi::OsStr;
use std::io;
use std::path::Path;

/// For the thread on which models are read.
const STACK_BYTES: usize = 64 << 20;

/// A macro of the command line and its value.
pub type Define = (String, Option<String>);

/// A model that can be run.
#[derive(Debug)]
pub struct Model {
    /// As the user named it.
    pub name: String,
    pub program: model::Program,
    pub properties: Vec<NamedProperty>,
    /// The same, ready to be checked.
    pub stated: Vec<Property>,
    /// What was given besides the model, see [`load_with`].
    pub given: Vec<LtlFormula>,
    /// Rendered for people; empty if there are none.
    pub warnings: String,
    /// The files it is written in.
    pub sources: Vec<SourceText>,
}

/// A file of the model, under the name that places in it have.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SourceText {
    pub name: String,
    pub text: String,
}

/// A property of the model other than its safety.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedProperty {
    pub name: String,
    pub kind: &'static str,
}

/// Why a model cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Ready to be shown on a terminal.
    pub text: String,
    /// The same for machines.
    pub problems: Vec<Problem>,
}

/// Something wrong with a model, or doubtful, and where.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Problem {
    /// `error` or `warning`
    pub severity: &'static str,
    /// Absent for what concerns no place, such as a file that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// From 1, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    pub message: String,
    /// What else there is to know, and what to do about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Problem {
    /// An error without a place.
    fn error(message: String) -> Problem {
        let (file, line, column) = (None, None, None);
        Problem { severity: "error", file, line, column, message, notes: Vec::new() }
    }

    fn of_diagnostic(diagnostic: &promela::Diagnostic, sources: &promela::SourceMap) -> Problem {
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
    /// For a reason that concerns no place in the model.
    pub fn because(message: impl Into<String>) -> Rejected {
        let message = message.into();
        let text = format!("error: {}\n", printable_lines(&message));
        Rejected { text, problems: vec![Problem::error(message)] }
    }
}

/// Reads and translates the model at `path`; `-` is standard input.
pub fn load(path: &OsStr, defines: &[Define], color: bool) -> Result<Model, Rejected> {
    load_with(path, defines, &[], color)
}

/// The same, and formulas that are read as if they stood behind the model.
pub fn load_with(
    path: &OsStr,
    defines: &[Define],
    formulas: &[String],
    color: bool,
) -> Result<Model, Rejected> {
    let (name, bytes) = if path == "-" {
        ("<stdin>".to_string(), read_bounded(io::stdin().lock()))
    } else {
        (path.to_string_lossy().into_owned(), read_file(Path::new(path), true))
    };
    let bytes = bytes.map_err(|error| Rejected::because(unreadable(&name, Path::new(path), &error)))?;
    if Path::new(path).extension().is_some_and(|extension| extension == "lts") {
        if !formulas.is_empty() {
            return Err(Rejected::because("formulas are for Promela models; this is a transition system"));
        }
        return load_text(name, &bytes);
    }
    load_promela(name, bytes, defines, formulas, color)
}

/// The same within a budget: reading from a pipe, macros that expand without end and everything else up to a program.
///
/// # Errors
/// The limit that was reached.
pub fn load_within(
    path: &OsStr,
    defines: &[Define],
    formulas: &[String],
    color: bool,
    budget: &Budget,
) -> Result<Result<Model, Rejected>, Exhausted> {
    let (path, defines, formulas) = (path.to_owned(), defines.to_vec(), formulas.to_vec());
    budget.run(STACK_BYTES, move |_| load_with(&path, &defines, &formulas, color))
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

/// A transition system written down directly, in the text form of the `model` crate.
fn load_text(name: String, bytes: &[u8]) -> Result<Model, Rejected> {
    let shown = printable(&name);
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Err(Rejected::because(format!("{name}: not UTF-8: {error}"))),
    };
    match model::text::read(&name, text) {
        Ok(program) => {
            let sources = vec![SourceText { name: name.clone(), text: text.to_string() }];
            let (properties, stated, given) = (Vec::new(), Vec::new(), Vec::new());
            Ok(Model { name, program, properties, stated, given, warnings: String::new(), sources })
        }
        Err(errors) => {
            let lines =
                errors.iter().map(|error| format!("error: {shown}:{}\n", printable(&error.to_string())));
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

/// The same for a text that was read already.
pub(crate) fn load_promela(
    name: String,
    bytes: Vec<u8>,
    defines: &[Define],
    formulas: &[String],
    color: bool,
) -> Result<Model, Rejected> {
    let loader = WithMain { name: &name, bytes };
    let mut compiled = promela::compile_with(&loader, &name, defines, formulas);
    let rendered = promela::diagnostic::render(&compiled.diagnostics, &compiled.sources, color);
    let failed = compiled.diagnostics.iter().any(promela::Diagnostic::is_error);
    let Some(program) = compiled.program.filter(|_| !failed) else {
        let diagnostics = compiled.diagnostics.iter();
        let problems = diagnostics.map(|each| Problem::of_diagnostic(each, &compiled.sources));
        return Err(Rejected { text: rendered, problems: problems.collect() });
    };
    let own = compiled.properties.len().saturating_sub(formulas.len());
    let given = compiled.properties.split_off(own).into_iter().filter_map(|property| match property.kind {
        promela::PropertyKind::Ltl(formula) => Some(formula),
        promela::PropertyKind::Never(_) => None,
    });
    let given = given.collect();
    let stated = compiled.properties.iter().map(Property::stated).collect();
    let properties = compiled
        .properties
        .iter()
        .map(|property| NamedProperty {
            name: property.name.clone(),
            kind: match property.kind {
                promela::PropertyKind::Ltl(_) => "ltl",
                promela::PropertyKind::Never(_) => "never",
            },
        })
        .collect();
    // Formulas that were given beside the model have no place in it.
    let texts = compiled.sources.texts();
    let is_given = |name: &str| (1..=formulas.len()).any(|number| name == promela::formula_name(number));
    let texts = texts.filter(|(name, text)| !text.is_empty() && !is_given(name));
    let sources =
        texts.map(|(name, text)| SourceText { name: name.to_string(), text: text.to_string() }).collect();
    Ok(Model { name, program, properties, stated, given, warnings: rendered, sources })
}

/// The disk, but for the main file, which is already read (its path need not be text).
pub(crate) struct WithMain<'a> {
    pub name: &'a str,
    pub bytes: Vec<u8>,
}

impl FileLoader for WithMain<'_> {
    fn load(&self, path: &str) -> io::Result<Vec<u8>> {
        if path == self.name { Ok(self.bytes.clone()) } else { DiskLoader.load(path) }
    }
}
