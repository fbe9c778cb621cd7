//! Tests that call the library.

mod assumptions;
mod claims;
mod corpus;
mod dsteps;
mod endless_atomic;
mod examples;
mod fairness;
mod forged_checkpoint;
mod liveness_oracle;
mod mutations;
mod papers;
mod parallel_liveness;
mod readable;
mod stem;
mod support;
mod unbounded;
