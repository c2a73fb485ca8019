//! Hostile requests from a generator: broken and misused paths, forms, tokens, rules and streams of events. The same seed
//! sends the same requests. `LUDEX_FUZZ=100000` sends that number, and `LUDEX_FUZZ_SEED` takes another seed.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{ErrorKind, Read, Write as _};
use std::net::TcpStream;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Reply, Server, Visitor, escaped, paired};

/// How many requests the test sends without the variable.
const FEW: u64 = 1_000;
const THREADS: u64 = 6;
/// The longest that one of them may take: four questions about rules that never end.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time after which the server has closed a connection that says nothing more, 20 seconds, with some to spare.
const HELD: Duration = Duration::from_secs(24);

/// Markup that must never come back as markup, and what no answer may contain.
const MARKUP: &str = "<img src=x onerror=alert(1)>";
const SECRETS: [&str; 3] = ["root:x:", "$argon2", "panicked at"];

/// Rules that eat time or memory, or nest deeply.
fn eaters() -> Vec<String> {
    let head = ":- players a, b.\n:- state n -> 0..1 = 0.\n";
    vec![
        format!(
            "{head}move(go) :- p(1000000), n := 0.\np(N) :- N > 0, p(N), p(N).\nwin(P) :- p(5), turn(P).\n"
        ),
        format!(
            "{head}big(X, Y) :- X in 1..3000, Y in 1..3000.\nmove(go) :- big(_, _), big(_, _), n := 0.\n"
        ),
        format!(
            "{head}f(0, 1).\nf(N, M) :- N > 0, K is N - 1, f(K, L), M is L * 9.\nmove(go) :- f(99999, _), n := 0.\n"
        ),
        format!("{head}move(go) :- {}turn(_){}, n := 0.\n", "(".repeat(20_000), ")".repeat(20_000)),
        format!(
            "{head}move(go) :- X = {}a{}, n := 0, X = X.\n",
            "f(".repeat(20_000),
            ")".repeat(20_000)
        ),
        format!(
            ":- include \"board/square\" with (width = 5000, height = 5000).\n{head}move(c(C)) :- cell(C), n := 0.\n"
        ),
        format!("{head}{}", "move(go) :- n := 0.\n".repeat(8_000)),
        ":- include \"/etc/passwd\".\n:- include \"../../../etc/passwd\".\n:- include \"rules\".\n"
            .to_string(),
    ]
}

/// Random numbers that are the same each time.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// A text that no form expects.
fn text(draw: &mut Draw, game: i64) -> String {
    let known = [
        "",
        " ",
        "\0",
        MARKUP,
        "\"><script>alert(1)</script>",
        "'; DROP TABLE games; --",
        "' OR '1'='1",
        "?",
        "$1",
        "%s%n",
        "../../../etc/passwd",
        "{{7*7}}",
        "${7*7}",
        "\u{202e}\u{0}abc",
        "\u{1F600}",
        "-1",
        "0",
        "99999999999999999999",
        "1e309",
        "NaN",
        "a1",
        "e2-e4",
        "go",
        "over",
        "null",
        "[]",
        "yes",
        "no",
        "draw",
        "undo",
        "rematch",
        "person",
        "anybody",
        "computer",
        "senior",
        "lot",
        "hex",
        "chess",
        "nerenchi",
        "rules",
        "Anna",
        "Victor",
        "5+3",
        "0+0",
        "?- at(P, X)",
        "true",
        "\\",
        "\r\nX: y",
        "p(p(p(",
        "a:-b.",
        "\"",
        "'",
        "&lt;",
        "%00",
        "<",
        "]]>",
        "<!--",
    ];
    match draw.below(8) {
        0 => game.to_string(),
        1 => char::from_u32(draw.below(0xD7FF) as u32)
            .unwrap_or('x')
            .to_string()
            .repeat(1 + draw.below(40)),
        2 if draw.one_in(6) => "x".repeat(draw.below(300_000)),
        3 => (0..draw.below(30)).map(|_| char::from(32 + draw.below(95) as u8)).collect(),
        _ => draw.pick(&known).to_string(),
    }
}

/// The address of a page, whole or damaged.
fn path(draw: &mut Draw, game: i64) -> String {
    let known = [
        "/",
        "/games",
        "/games/hex",
        "/games/chess/board.svg",
        "/history",
        "/history/Anna",
        "/write",
        "/write?game=hex",
        "/lobby/list",
        "/assets/1/play.js",
        "/health",
        "/game/1",
        "/game/1?ply=1",
        "/game/1/at/0",
        "/game/1/at/2",
        "/nowhere",
    ];
    let mut path = draw.pick(&known).to_string();
    match draw.below(7) {
        0 => path = format!("/game/{game}"),
        1 => path = format!("/game/{}/at/{}", draw.below(5), escaped(&text(draw, game))),
        2 => path = format!("/games/{}", escaped(&text(draw, game))),
        3 => path = format!("/history/{}", escaped(&text(draw, game))),
        4 => path = format!("/write/{}", escaped(&text(draw, game))),
        5 => {
            for _ in 0..=draw.below(3) {
                let junk = [
                    "%ff",
                    "%00",
                    "%2e%2e/",
                    "//",
                    "..;/",
                    "?ply=x",
                    "&",
                    "%",
                    "%zz",
                    "/at/-1",
                    "?ply=18446744073709551616",
                ];
                path.push_str(draw.pick(&junk));
            }
        }
        _ => {}
    }
    path.truncate(60_000);
    path
}

/// Rules of a visitor: shipped ones with damage, or an eater.
fn rules(draw: &mut Draw, eaters: &[String]) -> String {
    if draw.one_in(12) {
        return eaters[draw.below(eaters.len())].clone();
    }
    let whole = include_str!("../../src/serve/assets/first.ludex");
    let mut letters: Vec<char> = whole.chars().collect();
    for _ in 0..draw.below(6) {
        let at = draw.below(letters.len());
        match draw.below(4) {
            0 => drop(letters.remove(at)),
            1 => letters.insert(
                at,
                draw.pick(&["(", ")", ".", ",", "\"", "\\", "\0", "\u{e9}"])
                    .chars()
                    .next()
                    .unwrap_or('x'),
            ),
            2 => letters.swap(at, 0),
            _ => letters.truncate(at.max(20)),
        }
    }
    letters.into_iter().collect()
}

/// Requests of the protocol, sense and nonsense.
fn asked(draw: &mut Draw, eaters: &[String]) -> String {
    if draw.one_in(8) {
        return draw
            .pick(&[
                "",
                "[",
                "{}",
                "[[[[]]]]",
                "[null]",
                "[{\"ask\":1}]",
                "\"x\"",
                "[{\"ask\":\"open\",\"ask\":\"open\"}]",
            ])
            .to_string();
    }
    let rules = rules(draw, eaters);
    let mv = text(draw, 1);
    let all = json!([
        {"ask": "check", "rules": rules}, {"ask": "open", "rules": rules}, {"ask": "show", "at": 1},
        {"ask": "play", "at": 1, "move": mv}, {"ask": "why", "at": 1, "what": mv}, {"ask": "query", "at": 1, "goal": mv},
        {"ask": "best", "at": 1, "playouts": 20}, {"ask": "perft", "at": 1, "depth": draw.below(90)}, {"ask": mv},
        {"ask": "open", "game": mv}, {"ask": "close", "at": draw.below(3)}, {"ask": "render", "at": 1},
    ]);
    let mut all = all.as_array().cloned().unwrap_or_default();
    let first = draw.below(2);
    all.drain(..first);
    all.truncate(1 + draw.below(4));
    serde_json::Value::Array(all).to_string()
}

/// A form that is posted, with the fields and tokens of anybody.
fn posted(
    draw: &mut Draw,
    me: &mut Visitor,
    stale: &str,
    game: i64,
    eaters: &[String],
) -> (String, Option<Reply>) {
    let known = [
        "/challenges",
        "/challenges/1/accept",
        "/challenges/1/decline",
        "/enrol",
        "/guest",
        "/login",
        "/write/ask",
        "/write/share",
    ];
    let commands =
        ["move", "resign", "abandon", "offer", "answer", "chat", "hint", "why", "events", "at/0"];
    let path = match draw.below(3) {
        // the game of other people comes first
        0 => format!("/game/1/{}", draw.pick(&commands)),
        1 => format!("/game/{}/{}", draw.below(4), draw.pick(&commands)),
        _ => draw.pick(&known).to_string(),
    };
    let csrf = match draw.below(10) {
        0 => String::new(),
        1 => stale.to_string(),
        2 => text(draw, game),
        _ => me.csrf.clone(),
    };
    let mut body = format!("csrf={}", escaped(&csrf));
    let fields = [
        "move", "ply", "what", "answer", "text", "game", "against", "seat", "name", "password",
        "strength", "people", "clock", "o.width", "o.<b>", "rules", "requests", "csrf", "",
    ];
    for _ in 0..draw.below(6) {
        let _ = write!(body, "&{}={}", escaped(draw.pick(&fields)), escaped(&text(draw, game)));
    }
    if path == "/write/ask" {
        let _ = write!(body, "&requests={}", escaped(&asked(draw, eaters)));
    }
    if path == "/write/share" {
        let _ = write!(body, "&rules={}", escaped(&rules(draw, eaters)));
    }
    if draw.one_in(15) {
        body.truncate(draw.below(body.len()));
    }
    let accept = draw.pick(&["application/json", "text/html", "*/*", ""]);
    let method = if draw.one_in(20) { draw.pick(&["PUT", "DELETE", "PATCH"]) } else { "POST" };
    // whatever the server says of cookies, the same session goes on
    let reply = me.clone().attempt(method, &path, accept, &body);
    (format!("{method} {path} {}", body.chars().take(300).collect::<String>()), reply)
}

/// A connection on which a part of a request was sent, and since when. The server waits for the rest as long as a head may
/// take. The test does not wait for it, so several such connections are open at once.
struct Held {
    stream: TcpStream,
    since: Instant,
}

impl Held {
    fn new(port: u16, bytes: &[u8]) -> Held {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        // a server that has heard enough closes early
        let _ = stream.write_all(bytes);
        Held { stream, since: Instant::now() }
    }

    /// What was answered before the server closed the connection, which it has to in time.
    fn answer(mut self) -> String {
        let rest = PATIENCE.saturating_sub(self.since.elapsed()).max(Duration::from_millis(10));
        self.stream.set_read_timeout(Some(rest)).expect("a time limit");
        let mut answer = Vec::new();
        if let Err(error) = self.stream.read_to_end(&mut answer) {
            let late = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
            assert!(!late, "a connection is open after {:?}", self.since.elapsed());
        }
        String::from_utf8_lossy(&answer).into_owned()
    }
}

/// Bytes that are no request, or only a part of one, whose connection is `held`; and a stream of events that is left at once.
fn broken(draw: &mut Draw, port: u16, me: &Visitor, held: &mut VecDeque<Held>) -> String {
    let cookie = me.cookie.as_deref().unwrap_or_default();
    if draw.one_in(2) {
        let path = draw.pick(&["/game/1/events", "/lobby/events", "/game/2/events"]);
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
            let _ = write!(
                stream,
                "GET {path} HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n{}\r\n",
                me.more
            );
            let mut start = [0; 12];
            let _ = stream.set_read_timeout(Some(PATIENCE));
            if stream.read_exact(&mut start).is_ok() {
                return String::from_utf8_lossy(&start).into_owned();
            }
        }
        return String::new();
    }
    let known: [&[u8]; 7] = [
        b"\0\0\0\0\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n\r\nGET", b"GET  HTTP/1.1\r\n\r\n", b"POST /challenges HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /guest HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nZZ\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\nCookie: ludex=\xff\xfe; ludex=;;;\r\nConnection: close\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    held.push_back(Held::new(port, draw.pick(&known)));
    // by then the server has closed the oldest
    match held.front().is_some_and(|oldest| oldest.since.elapsed() > HELD) {
        true => held.pop_front().map_or_else(String::new, Held::answer),
        false => String::new(),
    }
}

/// What holds for every answer.
fn judge(what: &str, reply: &Reply, took: Duration, secrets: &[String]) {
    assert!(reply.status < 500, "{what}: {reply:?}");
    assert!(took < PATIENCE, "{what} took {took:?}");
    assert!(reply.header("content-security-policy").is_some(), "{what}: {reply:?}");
    let page = reply.header("content-type").is_some_and(|kind| kind.starts_with("text/html"));
    assert!(
        !page || (!reply.body.contains(MARKUP) && !reply.body.contains("<script>alert")),
        "{what}: {reply:?}"
    );
    let told = SECRETS.iter().find(|secret| reply.body.contains(**secret));
    assert_eq!(told, None, "{what}");
    assert!(!secrets.iter().any(|secret| reply.body.contains(secret)), "{what} tells a token");
}

/// What a field of the file `status` of the process says, in kB.
fn memory(process: u32, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// The number that a variable of the environment gives.
fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")))
}

#[test]
fn hostile_requests_do_no_harm() {
    let mut server = Server::start_with(&["--peer-header", "X-Forwarded-For"]);
    let requests = number("LUDEX_FUZZ").unwrap_or(FEW);
    let seed = number("LUDEX_FUZZ_SEED").unwrap_or(1);
    let ([mut anna, victor], game) = paired(&server, "hex", ["Anna", "Victor"]);
    for (ply, mv) in (0..).zip(["a1", "b1"]) {
        let mut person = if ply == 0 { anna.clone() } else { victor.clone() };
        assert_eq!(person.play(game, mv, ply).status, 200);
    }
    let before = anna.state(game);
    let secrets: Vec<String> = [&anna, &victor]
        .iter()
        .flat_map(|person| [person.csrf.clone(), person.cookie.clone().unwrap_or_default()])
        .collect();
    let statuses: Mutex<std::collections::BTreeMap<u16, u64>> = Mutex::default();
    let started = Instant::now();
    thread::scope(|scope| {
        for hand in 0..THREADS {
            let (server, secrets, statuses, eaters) = (&server, &secrets, &statuses, eaters());
            let stale = anna.csrf.clone();
            scope.spawn(move || {
                let mut draw = Draw(seed * 1000 + hand);
                let visitor = |name: &str, number: u64| {
                    let mut visitor = Visitor::new(server);
                    visitor.more =
                        format!("X-Forwarded-For: 10.{hand}.{}.{}\r\n", number / 250, number % 250);
                    assert_eq!(visitor.post("/guest", &[("name", name)]).status, 200);
                    visitor.get("/nowhere");
                    visitor
                };
                let mut me = visitor(&format!("Eve {hand}"), 0);
                let mut held = VecDeque::new();
                for turn in 0..requests / THREADS {
                    // what one visitor may do in a time is limited
                    if turn % 40 == 39 {
                        me = visitor(&format!("Eve {hand} {turn}"), turn / 40 + 1);
                    }
                    let began = Instant::now();
                    let (what, reply) = match draw.below(10) {
                        0..=2 => {
                            let path = path(&mut draw, game);
                            let reply = me.clone().attempt("GET", &path, "text/html", "");
                            (format!("GET {path}"), reply)
                        }
                        3 => {
                            let answer = broken(&mut draw, server.port, &me, &mut held);
                            assert!(!answer.starts_with("HTTP/1.1 5"), "{answer}");
                            continue;
                        }
                        _ => posted(&mut draw, &mut me, &stale, game, &eaters),
                    };
                    let Some(reply) = reply else { panic!("{what} is not answered") };
                    judge(&what, &reply, began.elapsed(), secrets);
                    let mut statuses = statuses.lock().expect("no panic");
                    *statuses.entry(reply.status).or_default() += 1;
                }
                for held in held {
                    let answer = held.answer();
                    assert!(!answer.starts_with("HTTP/1.1 5"), "{answer}");
                }
            });
        }
    });
    let took = started.elapsed().as_secs_f64();
    let (now, most) = (memory(server.process(), "VmRSS"), memory(server.process(), "VmHWM"));
    println!(
        "{requests} requests in {took:.0} s with seed {seed}: {:?}; memory {} MB, most {} MB",
        statuses.lock().expect("no panic"),
        now / 1024,
        most / 1024
    );
    // no one else has touched the game, and the threads are free
    let after = anna.state(game);
    for part in ["history", "result", "offer", "chat", "ply"] {
        assert_eq!(before[part], after[part], "{part}");
    }
    assert_eq!(anna.play(game, "c1", 2).status, 200);
    let began = Instant::now();
    let requests =
        json!([{"ask": "open", "game": "hex"}, {"ask": "best", "at": 1, "playouts": 10}]);
    let reply = anna.post("/write/ask", &[("requests", &requests.to_string())]);
    assert!(reply.status == 200 && reply.body.contains("\"best\""), "{reply:?}");
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "the threads are free: {:?}",
        began.elapsed()
    );
    assert!(!server.has_ended());
}
