//! Depth-first search in bounded memory: state-space caching (Jard and Jéron 1991) with sleep sets
//! (Godefroid, Holzmann and Pirottin 1992). [`crate::store::Cache`] is the visited set.

pub(crate) mod depth_first;
mod sleep_sets;
