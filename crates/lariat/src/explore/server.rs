//! A small HTTP/1.1 server for one user on this machine: it listens on loopback only, on a port the system chooses, answers
//! only paths that begin with a secret token and only requests addressed to it by name, so no page from elsewhere
//! can reach it. One request per connection.

use super::Explorer;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const MAX_HEAD: u64 = 32 * 1024;
const MAX_BODY: usize = 1 << 20;
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: String,
}

/// A request, as far as it matters here.
#[derive(Debug, Default)]
struct Request {
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

/// Everything a request can carry.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Question {
    at: usize,
    choice: usize,
    expression: String,
    breakpoints: Vec<String>,
    run: usize,
    steps: usize,
}

impl Server {
    /// Listens on a port of the system's choice.
    ///
    /// # Errors
    /// There is none.
    pub fn new() -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address, token: token() })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path())
    }

    /// What all paths begin with.
    pub fn path(&self) -> String {
        format!("/{}/", self.token)
    }

    /// Answers until the process ends, or as many connections as asked for.
    pub fn serve(
        &self,
        explorer: &Mutex<Explorer<'_>>,
        page: &(dyn Fn(&Explorer<'_>) -> String + Sync),
        connections: Option<usize>,
    ) {
        std::thread::scope(|scope| {
            let incoming = self.listener.incoming().flatten();
            for stream in incoming.take(connections.unwrap_or(usize::MAX)) {
                // A browser keeps connections open that it may never use: nobody must wait for them.
                scope.spawn(move || {
                    let _ = self.connection(&stream, explorer, page);
                });
            }
        });
    }

    fn connection(
        &self,
        stream: &TcpStream,
        explorer: &Mutex<Explorer<'_>>,
        page: &(dyn Fn(&Explorer<'_>) -> String + Sync),
    ) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let response = match read(stream)? {
            Some(request) => self.answer(&request, explorer, page),
            None => Response::error("400 Bad Request", "this is not a request"),
        };
        write(stream, &response)
    }

    fn answer(
        &self,
        request: &Request,
        explorer: &Mutex<Explorer<'_>>,
        page: &(dyn Fn(&Explorer<'_>) -> String + Sync),
    ) -> Response {
        let port = self.address.port();
        let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let is_ours = |origin: &String| names.iter().any(|name| *origin == format!("http://{name}"));
        if !names.contains(&request.host) || !request.origin.as_ref().is_none_or(is_ours) {
            return Response::error("403 Forbidden", "requests from elsewhere are not answered");
        }
        let Some(what) = request.path.strip_prefix(&self.path()) else {
            return Response::error("404 Not Found", "there is nothing here");
        };
        let mut explorer = explorer.lock().unwrap_or_else(PoisonError::into_inner);
        match (request.method.as_str(), what) {
            ("GET", "") => {
                Response { status: "200 OK", kind: "text/html; charset=utf-8", body: page(&explorer) }
            }
            ("GET", "trail") => {
                Response { status: "200 OK", kind: "text/plain; charset=utf-8", body: explorer.trail() }
            }
            ("POST", what) => match serde_json::from_slice::<Question>(&request.body) {
                Ok(question) => match ask(&mut explorer, what, &question) {
                    Some(Ok(value)) => Response::json("200 OK", &value),
                    Some(Err(message)) => Response::error("422 Unprocessable Content", &message),
                    None => Response::error("404 Not Found", "there is nothing here"),
                },
                Err(error) => Response::error("400 Bad Request", &error.to_string()),
            },
            _ => Response::error("404 Not Found", "there is nothing here"),
        }
    }
}

fn ask(explorer: &mut Explorer<'_>, what: &str, question: &Question) -> Option<Result<Value, String>> {
    let Question { at, choice, expression, breakpoints, run, steps } = question;
    let news = match what {
        "look" => return Some(explorer.look(*at)),
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

/// Reads a request; nothing if it is not one.
fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
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
    let mut request = Request { method: method.into(), path: path.into(), ..Request::default() };
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

fn write(mut stream: &TcpStream, response: &Response) -> io::Result<()> {
    let Response { status, kind, body } = response;
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Content-Security-Policy: frame-ancestors 'none'\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// 128 bits nobody can guess: a hash table's keys come from the system's source of randomness, and its keyed hash
/// gives nothing away about them.
fn token() -> String {
    let word = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", word(), word())
}
