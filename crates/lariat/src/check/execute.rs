//! Runs the search that a [`Plan`] names.

use super::Settings;
use super::plan::{Plan, PlannedSearch, ProductStore};
use lariat_ir::observe::Observable;
use lariat_search::product::{
    Answer, Length, Monitor, Request, explore, find, find_fair, find_in_store, find_prefix,
};
use lariat_search::{Options, Order};

/// Searches the product of the system and the monitor.
pub(super) fn execute<S: Observable>(
    system: S,
    monitor: &Monitor,
    plan: &Plan,
    settings: &Settings,
    options: &Options<'_>,
) -> Answer {
    let (algorithm, when_large) = match plan.search {
        PlannedSearch::Nothing => return Answer::default(),
        PlannedSearch::Explore => return explore(system, monitor, options),
        PlannedSearch::Reachability => {
            let order = if settings.shortest { Order::BreadthFirst } else { options.order };
            let options = Options { order, checkpoint: None, resume: None, ..options.clone() };
            return find_prefix(system, monitor, &options);
        }
        PlannedSearch::Cycles { algorithm, when_large } => (algorithm, when_large),
    };
    let request = Request {
        algorithm,
        when_large,
        join_after: options.join_after,
        hybrid: settings.hybrid,
        length: match settings.shortest {
            true => Length::Shortest,
            false if settings.simplify => Length::Shortened,
            false => Length::AsFound,
        },
        threads: options.threads,
        limits: options.limits.clone(),
        progress: options.progress,
    };
    match (plan.store, settings.fairness) {
        (ProductStore::Requested, _) => find_in_store(system, monitor, &request, options),
        (ProductStore::Table, Some(fairness)) => find_fair(system, monitor, &request, fairness),
        (ProductStore::Table, None) => find(system, monitor, &request),
    }
}
