//! Requests that are answered, rejected requests, and idle connections.

use super::*;
use lariat::Model;

const MODEL: &str = "\
byte x; chan q = [2] of { byte };
active proctype Writer() { do :: x < 3 -> atomic { x++; q!x } od }
active proctype Reader() { byte got; do :: q?got; assert(got < 3) od }
";

fn model() -> Model {
    Model::from_source("m.pml", MODEL).expect("the model is accepted")
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
fn requests_need_the_token_and_the_right_origin() {
    let model = model();
    let explorer = Mutex::new(Explorer::new(&model, &[], Vec::new(), 1).expect("it starts"));
    let server = Server::new().expect("a port is free");
    let path = server.path();
    assert!(server.url().starts_with("http://127.0.0.1:"));
    let post = |what: &str, body: &str| {
        format!(
            "POST {path}{what} HTTP/1.1\r\nHost: HOST\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    let requests = [
        (format!("GET {path} HTTP/1.1\r\nHost: HOST\r\n\r\n"), "200"),
        (format!("GET {path}trail HTTP/1.1\r\nHost: HOST\r\n\r\n"), "200"),
        (format!("GET {path} HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "403"),
        (format!("GET {path} HTTP/1.1\r\n\r\n"), "403"),
        (
            format!("GET {path} HTTP/1.1\r\nHost: HOST\r\nOrigin: http://evil.example\r\n\r\n"),
            "403",
        ),
        ("GET / HTTP/1.1\r\nHost: HOST\r\n\r\n".to_string(), "404"),
        (post("look", "{\"at\":0}"), "200"),
        (post("take", "{\"at\":0,\"choice\":0}"), "200"),
        (post("take", "{\"at\":77}"), "422"),
        (post("take", "{"), "400"),
        (post("nothing", "{}"), "404"),
        ("nonsense\r\n\r\n".to_string(), "400"),
        (
            format!("POST {path}look HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999\r\n\r\n"),
            "400",
        ),
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

/// The server continues if the system cannot start another thread.
#[test]
fn serves_without_threads() {
    let server = Server::new().expect("a port is free").with_stack(usize::MAX / 4);
    let request = format!("GET {} HTTP/1.1\r\nHost: HOST\r\n\r\n", server.path());
    serving(&server, 3, || {
        for _ in 0..3 {
            let (first, body) = talk(&server, &request);
            assert!(first.starts_with("HTTP/1.1 200") && body == "<page>", "{first}");
        }
    });
}

/// Connections that never send a request are closed in favour of one that does.
#[test]
fn idle_connections_are_closed() {
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
