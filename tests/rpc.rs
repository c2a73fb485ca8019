//! `ludex rpc` as programs use it: the page `docs/rpc.md` literally, wrong requests, and the same games through every
//! door. The answers on the page are brought up to date by `LUDEX_PAGES=overwrite cargo test --test rpc`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ludex::Game;
use ludex::ask::{Answer, Desk, LONGEST_LINE, MOST_OPEN, Request};
use serde_json::{Value, json};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/rpc.md");
const LUDEX: &str = env!("CARGO_BIN_EXE_ludex");

/// A running `ludex rpc`.
struct Door {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Door {
    fn open(arguments: &[&str]) -> Door {
        let mut child = Command::new(LUDEX)
            .arg("rpc")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("ludex runs");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("an output"));
        Door { child, input, output }
    }

    fn line(&mut self, line: &[u8]) -> String {
        let input = self.input.as_mut().expect("open");
        input.write_all(line).expect("it listens");
        input.write_all(b"\n").expect("it listens");
        input.flush().expect("it listens");
        let mut answer = String::new();
        self.output.read_line(&mut answer).expect("text");
        assert!(answer.ends_with('\n'), "no answer to {}", String::from_utf8_lossy(line));
        answer.trim_end().to_string()
    }

    fn ask(&mut self, request: &Value) -> Value {
        serde_json::from_str(&self.line(request.to_string().as_bytes())).expect("JSON")
    }

    fn end(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_line(&mut rest).expect("text");
        assert_eq!(rest, "");
        assert!(self.child.wait().expect("it ends").success());
    }
}

/// Do the lines fit, where `[..]` stands for anything?
fn fits(expected: &str, found: &str) -> bool {
    let parts: Vec<&str> = expected.split("[..]").collect();
    let Some(mut rest) = found.strip_prefix(parts[0]) else { return false };
    for (i, part) in parts.iter().enumerate().skip(1) {
        if i + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

fn overwrites() -> bool {
    std::env::var("LUDEX_PAGES").is_ok_and(|value| value == "overwrite")
}

#[test]
fn the_page_says_what_is_answered() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let mut door = Door::open(&[]);
    let (mut now, mut wrong, mut inside, mut answer) =
        (Vec::new(), Vec::new(), false, String::new());
    for line in page.lines() {
        let mut kept = line.to_string();
        match line.strip_prefix("```") {
            Some(kind) => inside = kind == "rpc",
            None if !inside => {}
            None => match (line.strip_prefix("> "), line.strip_prefix("< ")) {
                (Some(request), _) => answer = door.line(request.as_bytes()),
                (_, Some(expected)) if !fits(expected, &answer) => {
                    wrong.push(format!("expected {expected}\n   found {answer}"));
                    kept = format!("< {answer}");
                }
                _ => {}
            },
        }
        now.push(kept);
    }
    door.end();
    let python = script(&page);
    let told = run_python(&python);
    let now = now.join("\n") + "\n";
    let (before, after) = now.split_once("```text\n").expect("what it prints");
    let (printed, rest) = after.split_once("\n```").expect("an end");
    if printed != told {
        wrong.push(format!("expected\n{printed}\nfound\n{told}"));
    }
    if overwrites() {
        let whole = format!("{before}```text\n{told}\n```{rest}");
        std::fs::write(PAGE, whole).expect("the page is written");
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }
}

fn script(page: &str) -> String {
    let after = page.split("```python\n").nth(1).expect("a script");
    after.split("```").next().expect("an end").to_string()
}

fn run_python(script: &str) -> String {
    let bin = std::path::Path::new(LUDEX).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("python3")
        .args(["-c", script])
        .env("PATH", format!("{}:{path}", bin.display()))
        .output()
        .expect("python3 is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_string()
}

#[test]
fn every_request_is_on_the_page() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let error = Desk::new().ask_json(r#"{"ask": "fly"}"#);
    let named = error.split("expected one of").nth(1).expect("the names of the requests");
    let names: Vec<&str> = named.split('`').skip(1).step_by(2).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(
            page.contains(&format!("\"ask\": \"{name}\"")) || page.contains(&format!("`{name}`")),
            "{name}"
        );
    }
}

#[test]
fn wrong_requests_are_answered() {
    let mut door = Door::open(&["--seconds", "2"]);
    let kinds = [
        ("nonsense", "json"),
        ("[1, 2]", "json"),
        ("\"open\"", "json"),
        ("{", "json"),
        ("{}", "ask"),
        (r#"{"ask": 5}"#, "ask"),
        (r#"{"ask": "Open"}"#, "ask"),
        (r#"{"ask": "open"}"#, "ask"),
        (r#"{"ask": "open", "game": "hex", "rules": ""}"#, "ask"),
        (r#"{"ask": "open", "game": "hex", "seed": 1}"#, "ask"),
        (r#"{"ask": "hello", "extra": 1}"#, "ask"),
        (r#"{"ask": "open", "game": "/etc/passwd"}"#, "request"),
        (r#"{"ask": "open", "game": "games/connection/hex.ludex"}"#, "request"),
        (r#"{"ask": "open", "game": "hex", "options": {"width": 1000000}}"#, "request"),
        (r#"{"ask": "open", "game": "hex", "options": {"width": 1.5}}"#, "ask"),
        (r#"{"ask": "open", "rules": "a b c"}"#, "rules"),
        (r#"{"ask": "open", "rules": ":- include \"Cargo.toml\"."}"#, "rules"),
        (r#"{"ask": "open", "game": "hex", "moves": "z9"}"#, "illegal"),
        (r#"{"ask": "open", "game": "hex", "position": "z9 z9"}"#, "question"),
        (r#"{"ask": "play", "at": 1, "move": "a1"}"#, "handle"),
        (r#"{"ask": "play", "at": -1, "move": "a1"}"#, "ask"),
        (r#"{"ask": "hello", "v": 0}"#, "version"),
        ("\u{0}\u{1}", "json"),
    ];
    for (request, kind) in kinds {
        let answer: Value = serde_json::from_str(&door.line(request.as_bytes())).expect("JSON");
        assert_eq!(
            (&answer["answer"], &answer["kind"]),
            (&json!("error"), &json!(kind)),
            "{request}: {answer}"
        );
        assert!(answer["message"].as_str().is_some_and(|m| !m.is_empty()), "{request}");
    }
    let path = json!({ "ask": "open", "game": "games/connection/hex.ludex" });
    let message = door.ask(&path)["message"].to_string();
    assert!(message.contains("give the text of a rule file as `rules`"), "{message}");
    // the `id` of a wrong request is known
    let answer = door.ask(&json!({ "ask": "fly", "id": [1, "x"] }));
    assert_eq!(answer["id"], json!([1, "x"]));
    // bytes that are no text, lines that are too long, and nesting without end
    let answer = door.line(b"\xff\xfe");
    assert!(answer.contains("\"json\""), "{answer}");
    for length in [LONGEST_LINE + 1, LONGEST_LINE + 2, LONGEST_LINE + 3, 3 * LONGEST_LINE] {
        let answer = door.line(&vec![b'x'; length]);
        assert!(answer.contains("at most 1048576 bytes"), "{length}: {answer}");
    }
    let answer = door.line("[".repeat(100_000).as_bytes());
    assert!(answer.contains("\"json\""), "{answer}");
    // after all that it still plays
    assert_eq!(door.ask(&json!({ "ask": "open", "game": "hex" }))["at"], 1);
    let at = |ask: &str| json!({ "ask": ask, "at": 1 });
    for (request, kind) in [
        (json!({ "ask": "query", "at": 1, "goal": "((" }), "question"),
        (json!({ "ask": "query", "at": 1, "goal": "at(" }), "question"),
        (json!({ "ask": "query", "at": 1, "goal": "cell(C)", "most": 0 }), "ask"),
        (json!({ "ask": "why", "at": 1, "what": "x".repeat(10_000) }), "question"),
        (json!({ "ask": "perft", "at": 1, "depth": 101 }), "question"),
        (json!({ "ask": "perft", "at": 1, "depth": 60 }), "limit"),
        (json!({ "ask": "render", "at": 1, "width": 0 }), "ask"),
        (json!({ "ask": "render", "at": 1, "format": "png" }), "ask"),
        (json!({ "ask": "best", "at": 1, "seconds": 1e300 }), "ask"),
        (json!({ "ask": "best", "at": 1, "seconds": -1 }), "ask"),
        (json!({ "ask": "best", "at": 1, "playouts": 0 }), "ask"),
    ] {
        let answer = door.ask(&request);
        assert_eq!(answer["kind"], kind, "{request}: {answer}");
    }
    assert_eq!(door.ask(&at("close"))["answer"], "closed");
    assert_eq!(door.ask(&at("moves"))["message"], "game 1 is closed");
    door.end();
}

#[test]
fn rules_of_strangers_end() {
    let mut desk = Desk::new().within(Duration::from_secs(1));
    let mut open = |rules: &str| {
        let started = Instant::now();
        let line = json!({ "ask": "open", "rules": rules }).to_string();
        let answer: Value = serde_json::from_str(&desk.ask_json(&line)).expect("JSON");
        assert!(started.elapsed() < Duration::from_secs(8), "{:?}: {rules}", started.elapsed());
        answer
    };
    for rules in [
        ":- players a.\nnumber(0).\nnumber(N) :- number(M), N is M + 1.\nmove(go(N)) :- number(N).",
        ":- players a.\nwide(X, Y, Z) :- between(1, 100000, X), between(1, 100000, Y), between(1, 100000, Z).\nmove(go(X)) :- wide(X, _, _).",
        ":- include \"rules\".",
        ":- variant_of \"rules\".",
        &format!("move({}).", "f(".repeat(50_000)),
        &format!(":- players a.\nmove(x) :- {}.", vec!["true"; 50_000].join(", ")),
    ] {
        let answer = open(rules);
        let kind = answer["kind"].as_str();
        assert!(
            kind.is_some_and(|kind| kind == "rules" || kind == "limit") || answer["at"].is_u64(),
            "{answer}"
        );
    }
}

#[test]
fn only_so_many_games_are_open() {
    let mut desk = Desk::new();
    let open: Request =
        serde_json::from_value(json!({ "ask": "open", "game": "tic_tac_toe" })).expect("a request");
    for _ in 0..MOST_OPEN {
        assert!(matches!(desk.ask(&open), Answer::Opened { .. }));
    }
    assert!(matches!(desk.ask(&open), Answer::Error(problem) if problem.kind == "full"));
    assert!(matches!(desk.ask(&Request::Close { at: 5 }), Answer::Closed {}));
    assert!(matches!(desk.ask(&open), Answer::Opened { at: 1001, .. }));
    assert_eq!(desk.open_games(), MOST_OPEN);
}

/// Splitmix64.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn every_door_plays_the_same_games() {
    let mut door = Door::open(&[]);
    for name in
        ["nerenchi", "chess", "oware", "backgammon", "english_draughts", "tic_tac_toe", "reversi"]
    {
        let mut at = Game::shipped(name).load().expect(name).start();
        let opened = door.ask(&json!({ "ask": "open", "game": name }));
        let handle = &opened["at"];
        let mut seed = 7;
        for ply in 0..30 {
            let moves = at.moves().expect(name);
            let list: Vec<Value> = moves
                .iter()
                .map(|mv| json!({ "move": mv.term(), "notation": mv.notation() }))
                .collect();
            let mut answer = door.ask(&json!({ "ask": "moves", "at": handle }))["moves"].take();
            let weights: Vec<Option<i64>> = answer
                .as_array_mut()
                .expect("moves")
                .iter_mut()
                .map(|mv| mv.as_object_mut()?.remove("weight")?.as_i64())
                .collect();
            assert_eq!(answer, json!(list), "{name}, ply {ply}");
            let chance: Vec<Option<i64>> =
                moves.iter().map(|mv| mv.is_chance().then(|| mv.weight())).collect();
            assert_eq!(weights, chance, "{name}");
            if ply % 10 == 9 || moves.is_empty() {
                assert_eq!(told_by_command(name, &at), at_once(&at, &list), "{name}, ply {ply}");
            }
            if moves.is_empty() {
                break;
            }
            let mv = &moves[(next(&mut seed) % moves.len() as u64) as usize];
            at.play(mv).expect(name);
            let played = door.ask(&json!({ "ask": "play", "at": handle, "move": mv.term() }));
            let position = &played["position"];
            assert_eq!(position["turn"], at.turn(), "{name}: {played}");
            let over = at.outcome().expect(name);
            assert_eq!(
                position["over"]["text"].as_str(),
                over.as_ref().map(|o| o.text.as_str()),
                "{name}"
            );
        }
    }
    door.end();
}

/// What `ludex moves --json` says of the position after the same moves.
fn told_by_command(name: &str, at: &ludex::Position) -> (Value, Value) {
    let line: Vec<String> = at.history().iter().map(|mv| mv.term().to_string()).collect();
    let output = Command::new(LUDEX)
        .args(["moves", name, "--json", "--after", &line.join(" ")])
        .output()
        .expect("ludex runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let mut moves = told["moves"].take();
    for mv in moves.as_array_mut().expect("moves") {
        mv.as_object_mut().expect("a move").remove("weight");
    }
    (moves, told["outcome"]["winners"].take())
}

fn at_once(at: &ludex::Position, list: &[Value]) -> (Value, Value) {
    let winners = at.outcome().expect("no fault").map(|end| end.winners);
    (json!(list), json!(winners))
}
