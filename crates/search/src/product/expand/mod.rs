//! Successors of nodes that are stored in packets: the program's steps (`packet`) combined with the
//! automaton's transitions (`automaton_steps`).

pub(in crate::product) mod automaton_steps;
pub(in crate::product) mod packet;
