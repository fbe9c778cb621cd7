//! The automaton of the runs that a property forbids, in the form of process automata.

use super::automata::{DrawnAutomaton, DrawnEdge, DrawnLocation};
use crate::check::automaton::forbidden_runs;
use crate::property::ResolvedProperty;
use lariat_ir::Program;
use lariat_ltl::automaton::{Marks, Tgba};
use lariat_ltl::guard::Guard;

/// Larger automata are not drawn, because they would be unreadable.
const MAX_STATES: usize = 40;

/// `None` if the property has no automaton (branching time), or a too large one.
pub fn forbidden(program: &Program, property: &ResolvedProperty) -> Option<DrawnAutomaton> {
    let mut automaton = forbidden_runs(program, property).ok()?.with_single_initial();
    automaton.merge_edges();
    if automaton.state_count() > MAX_STATES {
        return None;
    }
    let initial = automaton.initial.first()?.index();
    let locations = automaton.states().map(|state| DrawnLocation {
        labels: Vec::new(),
        end: false,
        accept: automaton.sets == 0 || automaton.state_marks(state) != Marks::NONE,
        progress: false,
        reachable: true,
    });
    let locations: Vec<DrawnLocation> = locations.collect();
    let mut edges = Vec::new();
    for from in automaton.states() {
        for edge in automaton.edges[from.index()].clone() {
            edges.push(DrawnEdge {
                from: from.index(),
                to: Some(edge.target.index()),
                statement: guard(&mut automaton, edge.guard),
                file: String::new(),
                line: 0,
                extent: None,
                atomic: false,
            });
        }
    }
    Some(DrawnAutomaton { name: property.name.clone(), initial, locations, edges })
}

/// A guard as a sum of products.
fn guard(automaton: &mut Tgba, guard: Guard) -> String {
    if guard == Guard::TRUE {
        return "true".into();
    }
    let cubes = automaton.guards.cubes(guard);
    let texts = cubes.iter().map(|cube| {
        let literals = cube.iter().map(|(atom, positive)| {
            let name = &automaton.atoms[*atom as usize];
            if *positive { name.to_string() } else { format!("!({name})") }
        });
        literals.collect::<Vec<_>>().join(" && ")
    });
    texts.collect::<Vec<_>>().join(" || ")
}
