//! Stands in for `promela::compile` until lowering is there.
use promela::{Diagnostic, FileLoader, SourceMap};
pub struct Compiled {
    pub sources: SourceMap,
    pub program: Option<model::Program>,
    pub properties: Vec<Property>,
    pub diagnostics: Vec<Diagnostic>,
}
pub struct Property {
    pub name: String,
    pub kind: PropertyKind,
}
#[allow(dead_code)]
pub enum PropertyKind {
    Ltl,
    Never,
}
pub fn compile(loader: &dyn FileLoader, path: &str, defines: &[(String, Option<String>)]) -> Compiled {
    let parsed = promela::parse(loader, path, defines);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.push(Diagnostic::error("translating Promela is not written yet"));
    Compiled { sources: parsed.sources, program: None, properties: vec![], diagnostics }
}
