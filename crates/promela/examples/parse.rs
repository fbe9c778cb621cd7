//! Parses the models named on the command line and shows what is wrong with them.

fn main() {
    let mut failed = false;
    for path in std::env::args().skip(1) {
        let start = std::time::Instant::now();
        let parsed = promela::parse(&promela::DiskLoader, &path, &[]);
        if std::env::var("TIME").is_ok() {
            println!("{:?} {path}", start.elapsed());
        }
        failed |= parsed.diagnostics.iter().any(promela::Diagnostic::is_error);
        eprint!("{}", promela::diagnostic::render(&parsed.diagnostics, &parsed.sources, false));
    }
    std::process::exit(if failed { 2 } else { 0 });
}
