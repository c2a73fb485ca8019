//! A server of its own for each test, and visitors with cookies and tokens as browsers have them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value as Json;

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that is killed when it is dropped. Its database is a file of its own, or one that is made at the server of
/// `tests/databases`.
pub struct Server {
    child: Child,
    pub port: u16,
    /// The arguments, which name the database first.
    arguments: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Server {
    pub fn start() -> Server {
        Server::start_with(&[])
    }

    pub fn start_with(more: &[&str]) -> Server {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = match std::env::var("LUDEX_DATABASE") {
            Ok(url) => ["--database".to_string(), format!("{url}{}", made())],
            Err(_) => ["--data".to_string(), folder.path().display().to_string()],
        };
        let arguments: Vec<String> =
            database.into_iter().chain(more.iter().map(ToString::to_string)).collect();
        let (child, port) = launch(&arguments, 0);
        Server { child, port, arguments, _folder: folder }
    }

    /// Kills the server with -9 and starts it again.
    pub fn kill_and_restart(&mut self) {
        self.child.kill().expect("a running server");
        self.child.wait().expect("its end");
        (self.child, self.port) = launch(&self.arguments, self.port);
    }

    /// The number of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().is_ok_and(|status| status.is_some())
    }
}

/// The name of a new database, which the command of `tests/databases` makes.
fn made() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("ludex_{}_{number}", std::process::id());
    let command =
        std::env::var("LUDEX_CREATE_DATABASE").expect("the command that makes a database");
    let status = Command::new("sh").args(["-c", &format!("{command} {name}")]).status();
    assert!(status.is_ok_and(|status| status.success()), "`{command} {name}` makes a database");
    name
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server; returns the line that it prints when it listens.
pub fn started(command: &mut Command) -> (Child, String) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
    let mut line = String::new();
    let output = child.stdout.take().expect("its output");
    BufReader::new(output).read_line(&mut line).expect("the line that it prints");
    (child, line)
}

fn launch(arguments: &[String], port: u16) -> (Child, u16) {
    let listen = format!("127.0.0.1:{port}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    let (child, line) = started(command.args(["serve", "--listen", &listen]).args(arguments));
    let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
    (child, port.unwrap_or_else(|| panic!("it prints where it listens, not `{line}`")))
}

/// An answer of the server.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {self:?}"))
    }

    /// The sentence of a refusal.
    pub fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_default().to_string()
    }
}

/// Sends bytes and reads whatever is answered until the server closes the connection; nothing where there is no server.
pub fn raw(port: u16, bytes: &[u8]) -> String {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return String::new() };
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    // a server that has heard enough closes early
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// A person with a browser.
#[derive(Debug, Clone)]
pub struct Visitor {
    port: u16,
    pub cookie: Option<String>,
    pub csrf: String,
    /// More lines of the head of each request.
    pub more: String,
}

impl Visitor {
    /// Loads the first page, as a new browser does.
    pub fn new(server: &Server) -> Visitor {
        let mut visitor =
            Visitor { port: server.port, cookie: None, csrf: String::new(), more: String::new() };
        visitor.get("/");
        visitor
    }

    pub fn enrolled(server: &Server, name: &str) -> Visitor {
        let mut visitor = Visitor::new(server);
        let reply = visitor.post("/enrol", &[("name", name), ("password", "correct horse")]);
        assert_eq!(reply.status, 200, "{reply:?}");
        visitor.get("/games");
        visitor
    }

    pub fn get(&mut self, path: &str) -> Reply {
        self.send("GET", path, "text/html", "")
    }

    /// Posts a form with the visitor's token, as a script does.
    pub fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let csrf = self.csrf.clone();
        let mut body = format!("csrf={csrf}");
        for (name, value) in fields {
            body.push_str(&format!("&{}={}", escaped(name), escaped(value)));
        }
        self.send("POST", path, "application/json", &body)
    }

    pub fn send(&mut self, method: &str, path: &str, accept: &str, body: &str) -> Reply {
        let reply = self.attempt(method, path, accept, body);
        reply.unwrap_or_else(|| panic!("{method} {path} is answered"))
    }

    /// The same where the server may be gone.
    pub fn attempt(&mut self, method: &str, path: &str, accept: &str, body: &str) -> Option<Reply> {
        let cookie = self.cookie.as_ref().map_or(String::new(), |c| format!("Cookie: {c}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: {accept}\r\n{cookie}{}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            self.more,
            body.len()
        );
        let answer = raw(self.port, request.as_bytes());
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok())?;
        let reply = Reply { status, head: head.to_string(), body: body.to_string() };
        if let Some(cookie) = reply.header("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_string);
        }
        if let Some(csrf) = reply.body.split("data-csrf=\"").nth(1) {
            self.csrf = csrf.split('"').next().unwrap_or_default().to_string();
        }
        Some(reply)
    }

    /// What the page of a game is given.
    pub fn state(&mut self, game: i64) -> Json {
        let page = self.get(&format!("/game/{game}"));
        assert_eq!(page.status, 200, "{page:?}");
        let state = page.body.split("id=\"state\">").nth(1).and_then(|rest| rest.split('<').next());
        let state = state.expect("the page has a state");
        serde_json::from_str(state).unwrap_or_else(|error| panic!("{error}: {state}"))
    }

    pub fn play(&mut self, game: i64, mv: &str, ply: u64) -> Reply {
        self.post(&format!("/game/{game}/move"), &[("move", mv), ("ply", &ply.to_string())])
    }
}

/// A text as a form writes it.
pub fn escaped(text: &str) -> String {
    let write = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(write).collect()
}

/// Two people in a game of theirs, the one who asked first.
pub fn paired(server: &Server, game: &str, names: [&str; 2]) -> ([Visitor; 2], i64) {
    paired_with(server, &[("game", game)], names)
}

/// The same with more fields of the challenge.
pub fn paired_with(
    server: &Server,
    fields: &[(&str, &str)],
    names: [&str; 2],
) -> ([Visitor; 2], i64) {
    let mut people = names.map(|name| Visitor::enrolled(server, name));
    let mut asked = vec![("against", "person"), ("name", names[1]), ("seat", "senior")];
    asked.extend(fields);
    let reply = people[0].post("/challenges", &asked);
    assert_eq!(reply.status, 200, "{reply:?}");
    let list = people[1].get("/lobby/list").body;
    let id = list.split("/challenges/").nth(1).and_then(|rest| rest.split('/').next());
    let id = id.unwrap_or_else(|| panic!("the challenge is listed in {list}"));
    let reply = people[1].post(&format!("/challenges/{id}/accept"), &[]);
    assert_eq!(reply.status, 200, "{reply:?}");
    let to = reply.json()["go"].as_str().expect("a page").to_string();
    (people, to.rsplit('/').next().and_then(|id| id.parse().ok()).expect("a game"))
}
