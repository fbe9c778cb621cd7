//! `trace` and `notrace` blocks: an automaton over sends and receives.

use super::Lowering;
use crate::ast::{self, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::flow::table::EntryKind;
use crate::flow::{Element, Node};
use lariat_ir::expression::{Expr as ModelExpr, Pattern};
use lariat_ir::program::{Event, EventTrace};

impl Lowering<'_> {
    pub(super) fn event_trace(&mut self, index: usize, trace: &ast::EventTrace) {
        if self.program.event_trace.is_some() {
            self.report(
                Diagnostic::error("a second event trace")
                    .at(trace.span, "a model can have only one"),
            );
            return;
        }
        let Some(table) = self.bodies[index].table.take() else { return };
        let body = self.bodies[index].body.clone();
        let ids = self.bodies[index].locations.clone();
        let stop = body.element(body.last(body.top)).number;
        let end = ids.get(&stop).map_or(ids.len() as u32, |id| id.0);
        let mut numbered: Vec<_> = ids.iter().map(|(&number, &id)| (number, id)).collect();
        numbered.sort_by_key(|&(_, id)| id);
        let ends = numbered.iter().filter(|&&(number, _)| table.marks[number as usize].end);
        let resting = ends.map(|&(_, id)| id.0).filter(|&id| id != end).collect();
        let mut result = EventTrace {
            negated: trace.negated,
            send_scope: Vec::new(),
            receive_scope: Vec::new(),
            initial: ids[&table.initial].0,
            end,
            resting,
            locations: vec![Vec::new(); ids.len().max(end as usize + 1)],
        };
        for (number, id) in numbered {
            for entry in &table.entries[number as usize] {
                let EntryKind::Step(element) = entry.kind else { continue };
                let element = body.element(element);
                if matches!(element.node, Node::Stop) {
                    continue;
                }
                let target = ids.get(&entry.target).map_or(end, |id| id.0);
                if let Some(event) = self.event(element, target) {
                    let scope =
                        if event.send { &mut result.send_scope } else { &mut result.receive_scope };
                    if !scope.contains(&event.channel) {
                        scope.push(event.channel.clone());
                    }
                    result.locations[id.index()].push(event);
                }
            }
        }
        self.program.event_trace = Some(result);
    }

    fn event(&mut self, element: &Element, target: u32) -> Option<Event> {
        let place = &element.place;
        let kind = match &element.node {
            Node::Basic(statement) => &statement.kind,
            _ => {
                self.not_an_event(element);
                return None;
            }
        };
        match kind {
            StatementKind::Send { channel, arguments, sorted: false } => {
                // Constants must match; any other argument matches every value.
                let fields = arguments
                    .iter()
                    .map(|argument| self.constant_value(argument).map(ModelExpr::Const))
                    .collect();
                Some(Event {
                    send: true,
                    channel: self.channel_expr(channel, place)?,
                    fields,
                    target,
                })
            }
            StatementKind::Receive { channel, arguments, random: false, keep: false } => {
                let fields = self
                    .patterns(arguments, place, false)
                    .into_iter()
                    .map(|pattern| match pattern {
                        Pattern::Match(expr) => Some(expr),
                        _ => None,
                    })
                    .collect();
                Some(Event {
                    send: false,
                    channel: self.channel_expr(channel, place)?,
                    fields,
                    target,
                })
            }
            _ => {
                self.not_an_event(element);
                None
            }
        }
    }

    fn not_an_event(&mut self, element: &Element) {
        self.report(
            Diagnostic::error("an event trace can only contain sends and receives")
                .at(element.span, "not an event"),
        );
    }
}
