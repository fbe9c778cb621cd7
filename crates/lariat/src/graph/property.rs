//! The automaton of the runs that a property forbids, in the form in which process automata are drawn.

use super::automata::{Arc, Automaton, Place};
use crate::property::{Property, forbidden_runs};
use model::Program;
use omega::automaton::{Marks, Tgba};
use omega::guard::Guard;

/// Larger automata are not drawn: nobody could read them.
const MAX_STATES: usize = 40;

/// Nothing if the property has no automaton, as those of branching time, or one that is too large.
pub fn forbidden(program: &Program, property: &Property) -> Option<Automaton> {
    let mut automaton = forbidden_runs(program, property).ok()?.with_single_initial();
    automaton.merge_edges();
    if automaton.state_count() > MAX_STATES {
        return None;
    }
    let initial = automaton.initial.first()?.index();
    let locations = automaton.states().map(|state| Place {
        labels: Vec::new(),
        end: false,
        accept: automaton.sets == 0 || automaton.state_marks(state) != Marks::NONE,
        progress: false,
        reachable: true,
    });
    let locations: Vec<Place> = locations.collect();
    let mut edges = Vec::new();
    for from in automaton.states() {
        for edge in automaton.edges[from.index()].clone() {
            edges.push(Arc {
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
    Some(Automaton { name: property.name.clone(), initial, locations, edges })
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
