//! promela
