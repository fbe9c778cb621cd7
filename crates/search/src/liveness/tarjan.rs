//! `tarjan`: Tarjan's strong components (1972) on the fly. Each component is examined when it is
//! complete: it contains an accepting cycle if it has a cycle and its edges together have all
//! marks.

use crate::liveness::components::components;
use crate::liveness::graph::{Graph, SearchResult};
use crate::liveness::lasso::through_component;
use crate::liveness::visit_numbers::VisitNumbers;
use rapidhash::RapidHashSet;

pub fn search<G: Graph>(graph: &mut G) -> SearchResult<G> {
    let initial = graph.initial()?;
    let mut numbers = VisitNumbers::all_unvisited();
    components(graph, &initial, &mut numbers, |graph, component| {
        if !component.cyclic || component.marks != graph.all_marks() {
            return Ok(None);
        }
        let members: RapidHashSet<_> = component.members.iter().copied().collect();
        through_component(graph, component.path(), |node| members.contains(&node)).map(Some)
    })
}
