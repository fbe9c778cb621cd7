//! The report as JUnit XML for continuous integration: one test case per property.

use super::findings::{Finding, ShownRun};
use crate::model::Problem;
use crate::xml::escaped;
use std::fmt::Write;

/// The document.
pub fn render(model: &str, findings: &[Finding]) -> String {
    let count =
        |verdict: &str| findings.iter().filter(|finding| finding.verdict == verdict).count();
    let seconds =
        |finding: &Finding| finding.figures.as_ref().map_or(0.0, |figures| figures.seconds);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\">",
        escaped(model),
        findings.len(),
        count("violated"),
        count("inconclusive"),
        count("not checked"),
        findings.iter().map(seconds).sum::<f64>(),
    );
    for finding in findings {
        let _ = write!(
            out,
            "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
            escaped(model),
            escaped(&name(finding)),
            seconds(finding)
        );
        let reason = escaped(finding.reason.as_deref().unwrap_or_default());
        match finding.verdict {
            "violated" => {
                let kind = finding.runs.first().map_or("violated", |run| run.kind);
                let text = finding.runs.first().map_or_else(String::new, run_text);
                let _ = writeln!(
                    out,
                    ">\n      <failure type=\"{}\" message=\"{reason}\">{}</failure>\n    </testcase>",
                    escaped(kind),
                    escaped(&text)
                );
            }
            "inconclusive" => {
                let _ = writeln!(
                    out,
                    ">\n      <error type=\"inconclusive\" message=\"{reason}\"/>\n    </testcase>"
                );
            }
            "not checked" => {
                let _ =
                    writeln!(out, ">\n      <skipped message=\"not checked\"/>\n    </testcase>");
            }
            _ => out += "/>\n",
        }
    }
    out + "  </testsuite>\n</testsuites>\n"
}

/// The document for a rejected model: one test case with an error.
pub fn render_rejected(model: &str, problems: &[Problem]) -> String {
    let mut text = String::from("\n");
    for problem in problems {
        let place = match (&problem.file, problem.line, problem.column) {
            (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
            _ => String::new(),
        };
        let _ = writeln!(text, "{place}{}: {}", problem.severity, problem.message);
    }
    let first = problems.iter().find(|problem| problem.severity == "error");
    let message = first.map_or("the model is rejected", |problem| problem.message.as_str());
    let (model, message, text) = (escaped(model), escaped(message), escaped(&text));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{model}\" tests=\"1\" \
         failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0.000\">\n    <testcase classname=\"{model}\" \
         name=\"model\" time=\"0.000\">\n      <error type=\"rejected\" message=\"{message}\">{text}</error>\n    \
         </testcase>\n  </testsuite>\n</testsuites>\n"
    )
}

fn name(finding: &Finding) -> String {
    if finding.name == finding.kind {
        finding.name.clone()
    } else {
        format!("{} {}", finding.kind, finding.name)
    }
}

fn run_text(run: &ShownRun) -> String {
    let mut out = String::from("\n");
    for (number, event) in run.trace.events.iter().enumerate() {
        if run.trace.cycle == Some(number) {
            out += "from here on, forever:\n";
        }
        for act in &event.actions {
            let process = run.trace.lanes.get(act.lane).map_or("", |lane| lane.process.as_str());
            let _ = writeln!(
                out,
                "{}  {process}  {}:{}  {}",
                number + 1,
                act.file,
                act.line,
                act.statement
            );
        }
    }
    let _ = writeln!(out, "{}", run.error);
    if let Some(deadlock) = &run.deadlock {
        out += &crate::explain::render(deadlock);
    }
    out
}
