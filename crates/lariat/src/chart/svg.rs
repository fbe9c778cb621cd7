//! A chart as a self-contained SVG image.

use super::shortened;
use crate::run::trace::{MessageKind, Trace};
use crate::xml::escaped;
use std::fmt::Write;

const LANE: usize = 190;
const ROW: usize = 34;
const TOP: usize = 64;

/// The image.
pub fn render(trace: &Trace) -> String {
    let width = LANE * trace.lanes.len().max(1) + 60;
    let height = TOP + ROW * (trace.events.len() + 2);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, monospace\" font-size=\"12\">\n"
    );
    out += "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
            orient=\"auto\"><path d=\"M0 0 8 4 0 8z\" fill=\"#1660b8\"/></marker></defs>\n";
    let _ = writeln!(out, "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>");
    let bottom = height - ROW;
    for (lane, shown) in trace.lanes.iter().enumerate() {
        let x = column(lane);
        let name = escaped(&shortened(&shown.process, 24));
        let _ = writeln!(
            out,
            "<line x1=\"{x}\" y1=\"46\" x2=\"{x}\" y2=\"{bottom}\" stroke=\"#c3c9d1\"/>\n\
             <rect x=\"{}\" y=\"18\" width=\"{}\" height=\"28\" rx=\"6\" fill=\"#eef2f7\" stroke=\"#9aa5b1\"/>\n\
             <text x=\"{x}\" y=\"37\" text-anchor=\"middle\" font-weight=\"bold\">{name}</text>",
            x - LANE / 2 + 12,
            LANE - 24,
        );
    }
    // A cycle in which nothing moves has no events to draw a box around.
    if let Some(cycle) = trace.cycle.filter(|cycle| *cycle < trace.events.len()) {
        let (first, last) = (row(cycle) - ROW / 2, row(trace.events.len()) - ROW / 2);
        let _ = writeln!(
            out,
            "<rect x=\"8\" y=\"{first}\" width=\"{}\" height=\"{}\" rx=\"8\" fill=\"none\" stroke=\"#b3541e\" \
             stroke-dasharray=\"6 4\"/><text x=\"14\" y=\"{}\" fill=\"#b3541e\">forever</text>",
            width - 16,
            last - first,
            first + 14
        );
    }
    for (number, event) in trace.events.iter().enumerate() {
        let y = row(number);
        let _ =
            writeln!(out, "<text x=\"10\" y=\"{}\" fill=\"#8a94a0\">{}</text>", y + 4, number + 1);
        let message = event.message.as_ref();
        for act in &event.actions {
            let x = column(act.lane);
            let color = if message.is_some() { "#1660b8" } else { "#44505c" };
            let _ = writeln!(out, "<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" fill=\"{color}\"/>");
            let text = escaped(&shortened(&act.statement, 22));
            let _ = writeln!(out, "<text x=\"{}\" y=\"{}\">{text}</text>", x + 8, y - 5);
        }
        let arrow = match (message.map(|message| message.kind), event.actions.as_slice()) {
            (Some(MessageKind::Rendezvous), [send, receive]) => Some((send.lane, y, receive.lane)),
            (Some(MessageKind::Receive), [receive]) => message
                .and_then(|message| message.from)
                .map(|(event, sender)| (sender, row(event), receive.lane)),
            _ => None,
        };
        if let (Some((from, start, to)), Some(message)) = (arrow, message) {
            let _ = writeln!(
                out,
                "<line x1=\"{}\" y1=\"{start}\" x2=\"{}\" y2=\"{y}\" stroke=\"#1660b8\" marker-end=\"url(#head)\">\
                 <title>{}: {}</title></line>",
                column(from),
                column(to),
                escaped(&message.channel),
                escaped(&message.text)
            );
        }
    }
    let _ = writeln!(
        out,
        "<text x=\"10\" y=\"{}\" fill=\"#b3261e\" font-weight=\"bold\">{}</text>\n</svg>",
        height - 12,
        escaped(&title(trace))
    );
    out
}

fn title(trace: &Trace) -> String {
    let rests = trace.cycle.is_some_and(|cycle| cycle >= trace.events.len());
    let ending = if rests { "nothing moves any more, forever" } else { "" };
    let parts = [trace.title.as_str(), ending];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

fn column(lane: usize) -> usize {
    60 + LANE / 2 + lane * LANE - 20
}

fn row(event: usize) -> usize {
    TOP + ROW * event + ROW / 2
}
