//! Checks a model that is part of a Rust program: `cargo run -p lariat --example embed`.

use lariat::{Checker, Error, Model, Property};

/// Two processes that increment a shared counter without protecting it.
const MODEL: &str = "
    byte counter, done;
    active [2] proctype Increment() {
        byte copy = counter;
        counter = copy + 1;
        done++
    }
";

fn main() -> Result<(), Error> {
    let model = Model::from_source("counter.pml", MODEL)?;
    let lost_update = Property::ltl("[] (done == 2 -> counter == 2)");
    let report = Checker::new(&model).property(lost_update).threads(2).run()?;
    for result in &report.properties {
        println!("{}: {:?}", result.name, result.verdict);
    }
    for run in report.counterexamples() {
        println!("{run}");
    }
    Ok(())
}
