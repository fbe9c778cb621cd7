//! A chart in the Mermaid language, which code hosts render in Markdown.

use super::shortened;
use crate::run::trace::{MessageKind, Trace};
use lariat_ir::printable::printable;
use std::fmt::Write;

/// The chart.
pub fn render(trace: &Trace) -> String {
    let mut out = String::from("sequenceDiagram\n");
    for (lane, shown) in trace.lanes.iter().enumerate() {
        let _ = writeln!(out, "    participant p{lane} as {}", escaped(&shown.process));
    }
    for (number, event) in trace.events.iter().enumerate() {
        if trace.cycle == Some(number) {
            out += "    loop forever\n";
        }
        let Some(act) = event.actions.first() else { continue };
        let lane = act.lane;
        let sent = event.message.as_ref().map(|message| {
            let text = format!("{}: {}", message.channel, message.text);
            (message.kind, escaped(&shortened(&text, 60)), message.from)
        });
        match (sent, event.actions.get(1)) {
            (Some((MessageKind::Rendezvous, text, _)), Some(receiver)) => {
                let _ = writeln!(out, "    p{lane}->>p{}: {text}", receiver.lane);
            }
            (Some((MessageKind::Receive, text, Some((_, sender)))), _) => {
                let _ = writeln!(out, "    p{sender}-)p{lane}: {text}");
            }
            _ => {
                let _ = writeln!(
                    out,
                    "    Note over p{lane}: {}",
                    escaped(&shortened(&act.statement, 60))
                );
            }
        }
    }
    match trace.cycle {
        Some(cycle) if cycle < trace.events.len() => out += "    end\n",
        Some(_) => {
            let _ = writeln!(out, "    Note over p0: nothing moves any more, forever");
        }
        None => {}
    }
    if let (false, Some(act)) =
        (trace.title.is_empty(), trace.events.last().and_then(|last| last.actions.last()))
    {
        let _ = writeln!(out, "    Note over p{}: {}", act.lane, escaped(&trace.title));
    }
    out
}

/// Escapes special characters; Mermaid reads `#35;` as the character with that code.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        match c {
            '#' | ';' | ':' | '<' | '>' | '"' | '%' | '&' | '{' | '}' | '\\' => {
                out += &format!("#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
