//! The HTTP/1.1 server of `lariat explore`, for one user on this machine. It listens on a loopback
//! port that the system chooses, and answers only requests whose path begins with a secret token
//! and whose `Host` and `Origin` name this server, so that pages from elsewhere cannot use it. One
//! request per connection.
//!
//! A request must be complete, and its response read, within a time limit. At most [`MAX_OPEN`]
//! connections are open; a connection that still waits for its request is closed in favour of a new
//! one.

use lariat::explore::Explorer;
use lariat_search::temporary::random_word;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const MAX_HEAD: u64 = 32 * 1024;
const MAX_BODY: usize = 1 << 20;
/// The time limit for a request to arrive, and for its response to be read.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The most connections that are open at a time. A browser opens about six.
const MAX_OPEN: usize = 32;
/// The delay after a connection could not be accepted, for instance because too many files are
/// open.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// The server of one exploration.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
    open: Mutex<Open>,
    /// The stack size of a connection's thread.
    stack_bytes: usize,
}

/// The open connections.
#[derive(Debug, Default)]
struct Open {
    count: usize,
    /// The connections whose request has not arrived, the oldest first.
    waiting: VecDeque<Arc<TcpStream>>,
}

/// The parts of a request that are used.
#[derive(Debug, Default)]
struct HttpRequest {
    method: String,
    path: String,
    host: String,
    origin: Option<String>,
    body: Vec<u8>,
}

#[derive(Debug)]
struct Response {
    status: &'static str,
    kind: &'static str,
    body: String,
}

/// The body of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Parameters {
    at: usize,
    choice: usize,
    expression: String,
    breakpoints: Vec<String>,
    run: usize,
    steps: usize,
}

impl Server {
    /// Listens on a port that the system chooses.
    ///
    /// # Errors
    /// No port is available.
    pub fn new() -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        Ok(Server {
            listener,
            address,
            token: token(),
            open: Mutex::default(),
            stack_bytes: 2 << 20,
        })
    }

    /// Sets the stack size of the threads.
    #[cfg(test)]
    pub fn with_stack(self, stack_bytes: usize) -> Server {
        Server { stack_bytes, ..self }
    }

    /// The address of the page.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path())
    }

    /// The common prefix of all paths.
    pub fn path(&self) -> String {
        format!("/{}/", self.token)
    }

    /// Serves the given number of connections, or serves until the process ends.
    pub fn serve(
        &self,
        explorer: &Mutex<Explorer<'_>>,
        page: &(dyn Fn(&Explorer<'_>) -> String + Sync),
        connections: Option<usize>,
    ) {
        std::thread::scope(|scope| {
            let mut accepted = 0;
            while connections.is_none_or(|most| accepted < most) {
                let Ok((stream, _)) = self.listener.accept() else {
                    std::thread::sleep(RETRY_DELAY);
                    continue;
                };
                accepted += 1;
                let stream = Arc::new(stream);
                if !self.admit(&stream) {
                    let _ = write(
                        &stream,
                        &Response::error("503 Service Unavailable", "too many requests"),
                    );
                    continue;
                }
                // A browser keeps unused connections open, so each connection has a thread.
                let work = {
                    let stream = Arc::clone(&stream);
                    move || self.connection(&stream, explorer, page)
                };
                let builder = std::thread::Builder::new().stack_size(self.stack_bytes);
                if builder.spawn_scoped(scope, work).is_err() {
                    // Without another thread, the connection is served on this one.
                    self.connection(&stream, explorer, page);
                }
            }
        });
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a new connection. If too many are open, the oldest one that waits for a request is
    /// closed; `false` if there is none.
    fn admit(&self, stream: &Arc<TcpStream>) -> bool {
        let mut open = self.open();
        if open.count >= MAX_OPEN {
            let Some(oldest) = open.waiting.pop_front() else { return false };
            let _ = oldest.shutdown(Shutdown::Both);
        }
        open.count += 1;
        open.waiting.push_back(Arc::clone(stream));
        true
    }

    /// Removes the connection from those that wait for a request.
    fn stop_waiting(&self, stream: &Arc<TcpStream>) {
        self.open().waiting.retain(|waiting| !Arc::ptr_eq(waiting, stream));
    }

    fn connection(
        &self,
        stream: &Arc<TcpStream>,
        explorer: &Mutex<Explorer<'_>>,
        page: &(dyn Fn(&Explorer<'_>) -> String + Sync),
    ) {
        let request = read(stream);
        self.stop_waiting(stream);
        if let Ok(request) = request {
            let response = match request {
                Some(request) => self.answer(&request, explorer, page),
                None => Response::error("400 Bad Request", "malformed request"),
            };
            let _ = write(stream, &response);
        }
        self.open().count -= 1;
    }

    fn answer(
        &self,
        request: &HttpRequest,
        explorer: &Mutex<Explorer<'_>>,
        page: &(dyn Fn(&Explorer<'_>) -> String + Sync),
    ) -> Response {
        let port = self.address.port();
        let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let is_ours =
            |origin: &String| names.iter().any(|name| *origin == format!("http://{name}"));
        if !names.contains(&request.host) || !request.origin.as_ref().is_none_or(is_ours) {
            return Response::error("403 Forbidden", "requests from other origins are rejected");
        }
        let Some(what) = request.path.strip_prefix(&self.path()) else {
            return Response::error("404 Not Found", "not found");
        };
        let mut explorer = explorer.lock().unwrap_or_else(PoisonError::into_inner);
        match (request.method.as_str(), what) {
            ("GET", "") => Response {
                status: "200 OK",
                kind: "text/html; charset=utf-8",
                body: page(&explorer),
            },
            ("GET", "trail") => Response {
                status: "200 OK",
                kind: "text/plain; charset=utf-8",
                body: explorer.trail(),
            },
            ("POST", what) => match serde_json::from_slice::<Parameters>(&request.body) {
                Ok(parameters) => match ask(&mut explorer, what, &parameters) {
                    Some(Ok(value)) => Response::json("200 OK", &value),
                    Some(Err(message)) => Response::error("422 Unprocessable Content", &message),
                    None => Response::error("404 Not Found", "not found"),
                },
                Err(error) => Response::error("400 Bad Request", &error.to_string()),
            },
            _ => Response::error("404 Not Found", "not found"),
        }
    }
}

fn ask(
    explorer: &mut Explorer<'_>,
    what: &str,
    parameters: &Parameters,
) -> Option<Result<Value, String>> {
    let Parameters { at, choice, expression, breakpoints, run, steps } = parameters;
    let news = match what {
        "look" => return Some(explorer.enabled_steps(*at)),
        "parse" => return Some(explorer.parse(expression)),
        "take" => explorer.take(*at, *choice),
        "until" => explorer.until(*at, expression),
        "run" => explorer.run(*at, breakpoints),
        "adopt" => explorer.adopt(*run, *steps),
        _ => return None,
    };
    Some(news.and_then(|news| serde_json::to_value(news).map_err(|error| error.to_string())))
}

impl Response {
    fn json(status: &'static str, value: &Value) -> Response {
        Response { status, kind: "application/json", body: value.to_string() }
    }

    fn error(status: &'static str, message: &str) -> Response {
        Response::json(status, &json!({ "error": message }))
    }
}

/// Reads a request; `None` if it is malformed.
fn read(stream: &TcpStream) -> io::Result<Option<HttpRequest>> {
    let mut reader = BufReader::new(Timed::new(stream));
    let mut head = Vec::new();
    loop {
        let mut limited = (&mut reader).take(MAX_HEAD - head.len() as u64);
        let count = limited.read_until(b'\n', &mut head)?;
        if count == 0 {
            return Ok(None);
        }
        if head.ends_with(b"\r\n\r\n") || head.ends_with(b"\n\n") {
            break;
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let mut first = lines.next().unwrap_or_default().split_whitespace();
    let (Some(method), Some(path)) = (first.next(), first.next()) else { return Ok(None) };
    let mut request =
        HttpRequest { method: method.into(), path: path.into(), ..HttpRequest::default() };
    let mut length = 0;
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "host" => request.host = value.to_string(),
            "origin" => request.origin = Some(value.to_string()),
            "content-length" => match value.parse::<usize>() {
                Ok(count) if count <= MAX_BODY => length = count,
                _ => return Ok(None),
            },
            _ => {}
        }
    }
    request.body.resize(length, 0);
    reader.read_exact(&mut request.body)?;
    Ok(Some(request))
}

/// A stream with a limit on the total time, however slowly the other side reads or writes.
struct Timed<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl<'a> Timed<'a> {
    fn new(stream: &'a TcpStream) -> Timed<'a> {
        Timed { stream, until: Instant::now() + TIME_LIMIT }
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        match self.until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

fn write(stream: &TcpStream, response: &Response) -> io::Result<()> {
    let Response { status, kind, body } = response;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\n\
         Content-Security-Policy: frame-ancestors 'none'\r\n\r\n",
        body.len()
    );
    let mut stream = Timed::new(stream);
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// 128 random bits.
fn token() -> String {
    format!("{:016x}{:016x}", random_word(), random_word())
}

#[cfg(test)]
mod tests;
