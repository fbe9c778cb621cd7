#[path = "../../../xtask/src/ltl_bench.rs"] mod ltl_bench;
fn main() -> std::process::ExitCode { let a: Vec<String> = std::env::args().skip(1).collect(); ltl_bench::run(&a) }
