//! Passes over programs that make their state spaces smaller.

pub(crate) mod walk;
