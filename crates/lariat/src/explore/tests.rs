//! Exploring through the server, and requests that must be refused.

use super::server::Server;
use super::*;
use crate::check::{Engine, check};
use crate::load::load_promela;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;

const MODEL: &str = "\
byte x; chan q = [2] of { byte };
active proctype Writer() { do :: x < 3 -> atomic { x++; q!x } od }
active proctype Reader() { byte got; do :: q?got; assert(got < 3) od }
";

fn model() -> Model {
    load_promela("m.pml".into(), MODEL.into(), &[], &[], false).expect("the model is right")
}

fn counterexamples(model: &Model) -> Vec<Run> {
    let checked = check(&model.program, Engine::Interpreter, false, &Default::default()).expect("it replays");
    checked.counterexamples.into_iter().map(|found| found.violation.run).collect()
}

#[test]
fn a_run_is_made_and_unmade() {
    let model = model();
    let mut explorer = Explorer::new(&model, &[], Vec::new(), 1).expect("it starts");
    assert_eq!(explorer.look(0).expect("a state")["choices"].as_array().map(Vec::len), Some(1));
    for at in 0..3 {
        assert_eq!(explorer.take(at, 0).expect("a step").events.len(), 1);
    }
    assert!(explorer.take(9, 0).is_err() && explorer.take(3, 99).is_err());
    assert_eq!(explorer.trail().lines().count(), 3);
    // Going on from an earlier state forgets the later ones.
    assert_eq!(explorer.take(1, 0).expect("a step").from, 1);
    assert_eq!(explorer.trail().lines().count(), 2);
    assert_eq!(explorer.shown().trace.events.len(), 2);
}

#[test]
fn conditions_are_found_and_stop_runs() {
    let model = model();
    let mut explorer = Explorer::new(&model, &[], Vec::new(), 1).expect("it starts");
    let count = explorer.until(0, "x == 2 && len(q) == 2").expect("it can be reached").events.len();
    assert_eq!(count, 6);
    assert!(explorer.until(0, "x == 9").unwrap_err().contains("no state"));
    for bad in ["", "x ==", "y == 1", "[] (x == 1)", "1 } ltl q { true", "x /* */", "x == 1 # "] {
        assert!(explorer.parse(bad).is_err(), "{bad}");
    }
    let note = explorer.run(0, &["x == 2".into()]).expect("it runs").note;
    assert_eq!(note, "stopped where x == 2");
    let note = explorer.run(0, &[]).expect("it runs").note;
    assert!(note.contains("assertion violated"), "{note}");
}

#[test]
fn a_counterexample_can_be_gone_on_from() {
    let model = model();
    let found = counterexamples(&model);
    let mut explorer = Explorer::new(&model, &[], found, 1).expect("it starts");
    let whole = explorer.adopt(0, usize::MAX).expect("a run").events.len();
    assert!(whole > 3);
    assert_eq!(explorer.adopt(0, 3).expect("a run").events.len(), 3);
    assert!(explorer.adopt(7, 3).is_err());
}

/// Sends text, returns the status line and the body.
fn talk(server: &Server, text: &str) -> (String, String) {
    let address = server.url();
    let address = address.trim_start_matches("http://").split('/').next().expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(text.replace("HOST", address).as_bytes()).expect("it reads");
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a response");
    (head.lines().next().unwrap_or_default().to_string(), body.to_string())
}

#[test]
fn only_those_who_know_are_answered() {
    let model = model();
    let explorer = Mutex::new(Explorer::new(&model, &[], Vec::new(), 1).expect("it starts"));
    let server = Server::new().expect("a port is free");
    let path = server.path();
    assert!(server.url().starts_with("http://127.0.0.1:"));
    let post = |what: &str, body: &str| {
        format!("POST {path}{what} HTTP/1.1\r\nHost: HOST\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let requests = [
        (format!("GET {path} HTTP/1.1\r\nHost: HOST\r\n\r\n"), "200"),
        (format!("GET {path}trail HTTP/1.1\r\nHost: HOST\r\n\r\n"), "200"),
        (format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403"),
        (format!("GET {path} HTTP/1.1\r\n\r\n"), "403"),
        (format!("GET {path} HTTP/1.1\r\nHost: HOST\r\nOrigin: http://evil.example\r\n\r\n"), "403"),
        ("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n".to_string(), "404"),
        (post("look", "{\"at\":0}"), "200"),
        (post("take", "{\"at\":0,\"choice\":0}"), "200"),
        (post("take", "{\"at\":77}"), "422"),
        (post("take", "{"), "400"),
        (post("nothing", "{}"), "404"),
        ("nonsense\r\n\r\n".to_string(), "400"),
        (format!("POST {path}look HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999\r\n\r\n"), "400"),
    ];
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve(&explorer, &|_| "<page>".into(), Some(requests.len())));
        for (request, status) in &requests {
            let (first, _) = talk(&server, request);
            assert!(first.starts_with(&format!("HTTP/1.1 {status}")), "{request}: {first}");
        }
    });
    assert_ne!(Server::new().expect("a port is free").path(), path);
}

/// Starts a server for `connections` connections and calls `ask` with it.
fn serving(server: &Server, connections: usize, ask: impl FnOnce()) {
    let model = model();
    let explorer = Mutex::new(Explorer::new(&model, &[], Vec::new(), 1).expect("it starts"));
    std::thread::scope(|scope| {
        scope.spawn(|| server.serve(&explorer, &|_| "<page>".into(), Some(connections)));
        ask();
    });
}

/// A system that gives no more threads must not end the server.
#[test]
fn a_thread_that_cannot_start_is_not_needed() {
    let server = Server::new().expect("a port is free").with_stack(usize::MAX / 4);
    let request = format!("GET {} HTTP/1.1\r\nHost: HOST\r\n\r\n", server.path());
    serving(&server, 3, || {
        for _ in 0..3 {
            let (first, body) = talk(&server, &request);
            assert!(first.starts_with("HTTP/1.1 200") && body == "<page>", "{first}");
        }
    });
}

/// Connections that never send a request make room for one that does.
#[test]
fn idle_connections_make_room() {
    let server = Server::new().expect("a port is free");
    let request = format!("GET {} HTTP/1.1\r\nHost: HOST\r\n\r\n", server.path());
    let address = server.url().trim_start_matches("http://").split('/').next().map(str::to_string);
    let address = address.expect("an address");
    const IDLE: usize = 200;
    serving(&server, IDLE + 1, || {
        let idle: Vec<TcpStream> =
            (0..IDLE).map(|_| TcpStream::connect(&address).expect("it listens")).collect();
        let (first, _) = talk(&server, &request);
        assert!(first.starts_with("HTTP/1.1 200"), "{first}");
        let closed = idle.iter().filter(|stream| {
            stream.set_nonblocking(true).expect("it can be set");
            matches!((&**stream).read(&mut [0]), Ok(0))
        });
        // At most 32 are still open; the others were closed by the server.
        assert!(closed.count() >= IDLE - 40);
    });
}
