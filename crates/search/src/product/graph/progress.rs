//! Limits and progress reports of a product graph.

use super::{ProductError, ProductGraph};
use crate::limits::Limit;
use crate::reach::rounds::Progress;
use crate::tuning::product::{EXPANSIONS_PER_LIMIT_CHECK, PROGRESS_INTERVAL_MS};
use lariat_ir::observe::Observable;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl<S: Observable> ProductGraph<'_, '_, S> {
    pub(in crate::product) fn tick(&mut self) -> Result<(), ProductError> {
        self.expansions += 1;
        self.attend();
        self.ticks = self.ticks.wrapping_add(1);
        let over = !self.limits_lifted && self.meter.is_over();
        if !self.ticks.is_multiple_of(EXPANSIONS_PER_LIMIT_CHECK) && !over {
            return Ok(());
        }
        self.check_limits().map_err(ProductError::Limit)?;
        let counted = self.tally.transitions;
        let all = self.nodes.transitions.fetch_add(counted - self.announced, Ordering::Relaxed)
            + counted
            - self.announced;
        self.announced = counted;
        if let Some(progress) = self.progress
            && self.last_report.elapsed() >= Duration::from_millis(PROGRESS_INTERVAL_MS)
        {
            self.last_report = Instant::now();
            progress(&Progress {
                states: self.nodes.table.len() as u64,
                transitions: all,
                depth: self.tally.depth,
                waiting: 0,
                memory_bytes: crate::limits::resident_bytes().unwrap_or_else(|| self.store_bytes()),
                elapsed: self.meter.elapsed(),
                repetition: None,
            });
        }
        Ok(())
    }

    pub(super) fn check_limits(&self) -> Result<(), Limit> {
        if self.limits_lifted {
            return self.meter.check_grace();
        }
        self.meter.check_time()?;
        self.meter.check_memory(self.store_bytes())
    }

    /// Resets the counters and flags before another search on the same nodes.
    pub(in crate::product) fn restart_counts(&mut self) {
        (self.tally.transitions, self.tally.atomic_steps, self.announced) = (0, 0, 0);
        (self.tally.depth, self.limits_lifted) = (0, false);
        self.nodes.transitions.store(0, Ordering::Relaxed);
        self.nodes.change(|nodes| nodes.table.clear_flags());
    }
}
