//! Decides which operations need the state in memory instead of registers.

use crate::codegen::channel::{MAX_UNROLLED_WORDS, word_count};
use crate::plan::{Actor, Plan, any_expression, operations};
use lariat_ir::expression::{Expr, Place};
use lariat_ir::layout::Cells;
use lariat_ir::program::{Action, Operation};

impl Plan<'_> {
    /// Whether the state must be in memory while the operation is performed.
    pub fn needs_memory(&self, actor: Option<Actor>, operation: &Operation) -> bool {
        let plan = self;
        let dynamic = |channel: &Expr| match plan.fold(actor, channel) {
            Some(number) => usize::try_from(number - 1)
                .ok()
                .is_none_or(|index| plan.only_channel_kind(index).is_none()),
            None => true,
        };
        let known = |channel: &Expr| {
            let index =
                plan.fold(actor, channel).and_then(|number| usize::try_from(number - 1).ok())?;
            plan.only_channel_kind(index)
        };
        let addresses = |expr: &Expr| {
            expr.any(&|part| match part {
                Expr::Read(place) => plan.needs_address(actor, place),
                Expr::ReadRemote { indices, .. } => !indices.is_empty(),
                Expr::Enabled(_) => true,
                Expr::Channel(_, channel) => dynamic(channel),
                Expr::Poll { channel, random, .. } => *random || dynamic(channel),
                _ => false,
            })
        };
        // Reads before the first write can use the input state, which is in memory.
        let computes_address = match operation {
            Operation::Guarded { actions, .. } => {
                actions.iter().enumerate().any(|(index, action)| match action {
                    Action::Assign(assignments) => assignments.iter().any(|(place, value)| {
                        let read = || addresses(value) || place.indices.iter().any(addresses);
                        plan.needs_address(actor, place) || index > 0 && read()
                    }),
                    Action::Assert { condition, .. } => index > 0 && addresses(condition),
                    Action::SetPriority { process, priority } => {
                        index > 0 && (addresses(process) || addresses(priority))
                    }
                    Action::Run { .. } | Action::NewChannel { .. } => true,
                    Action::Print { .. } => false,
                })
            }
            operation => any_expression(operation, &addresses),
        };
        computes_address
            || match operation {
                Operation::Send { channel, .. } => known(channel)
                    .is_none_or(|kind| kind.rows.iter().any(|row| kind.slots > row.per_word)),
                Operation::Receive { channel, random, .. } => known(channel).is_none_or(|kind| {
                    kind.rows.iter().any(|row| {
                        kind.slots > row.per_word
                            && (*random || word_count(row, kind.slots) > MAX_UNROLLED_WORDS)
                    })
                }),
                Operation::Deterministic(body) => {
                    operations(body).any(|operation| self.needs_memory(actor, operation))
                }
                Operation::Guarded { .. } | Operation::Else | Operation::End => false,
            }
            || plan.program.event_trace.is_some()
                && matches!(operation, Operation::Send { .. } | Operation::Receive { .. })
    }

    /// Whether an access must compute an address, because the index is not constant and the
    /// elements span several words.
    fn needs_address(&self, actor: Option<Actor>, place: &Place) -> bool {
        let Some((variable, cells)) = self.variable(actor, place) else { return false };
        matches!(cells, Cells::Row { row, count, .. } if *count > row.per_word)
            && self.fold_element(actor, variable, &place.indices).is_none()
    }
}
