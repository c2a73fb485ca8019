//! What holds for answers of every kind: how soon they come, how they are compressed, what the log says of them.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::client::{Server, Visitor, paired, raw, started};

/// The longest that the first page of a game may take, beside other tests on the same machine.
const SOON: Duration = Duration::from_secs(1);

#[test]
fn the_first_page_of_a_game_does_not_wait_for_its_examples() {
    let server = Server::start();
    let mut visitor = Visitor::new(&server);
    // their examples take seconds where the plain evaluator plays them
    for game in ["quoridor", "chinese_checkers", "lau_kata_kati", "manalath"] {
        let began = Instant::now();
        let page = visitor.get(&format!("/games/{game}"));
        let took = began.elapsed();
        assert_eq!(page.status, 200);
        assert!(took < SOON, "the page of {game} takes {took:?}");
        // each picture of the page is there
        let address = format!("/games/{game}/examples/");
        let numbers = page.body.split(&address).skip(1).filter_map(|rest| rest.split('"').next());
        let numbers: Vec<&str> = numbers.collect();
        assert!(!numbers.is_empty(), "{game} has examples");
        for number in numbers {
            let picture = visitor.get(&format!("{address}{number}"));
            assert!(picture.body.starts_with("<svg"), "{game}: {picture:?}");
        }
    }
}

#[test]
fn long_answers_are_compressed_and_refusals_are_not() {
    let server = Server::start();
    let mut visitor = Visitor::new(&server);
    assert_eq!(visitor.get("/games/hex").header("content-encoding"), None);
    visitor.more = "Accept-Encoding: gzip\r\n".to_string();
    for path in ["/games/hex", "/games/hex/board.svg", "/assets/1/play.js", "/assets/1/style.css"] {
        let reply = visitor.get(path);
        assert_eq!(reply.header("content-encoding"), Some("gzip"), "{path}: {}", reply.head);
        assert!(reply.header("content-security-policy").is_some(), "{path}");
    }
    // a refusal repeats what the request says, beside the token of the page
    let refused = visitor.get(&format!("/games/{}", "x".repeat(5_000)));
    assert_eq!((refused.status, refused.header("content-encoding")), (404, None));
    assert_eq!(visitor.get("/health").header("content-encoding"), None);
}

#[test]
fn the_log_has_a_line_for_each_request_without_what_is_private() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "--data"]).arg(folder.path());
    let (mut child, line) = started(command.stderr(Stdio::piped()));
    let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let head = "Host: x\r\nConnection: close\r\nCookie: ludex=private\r\n\r\n";
    let answer = raw(port, format!("GET /nowhere?ply=private HTTP/1.1\r\n{head}").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    let mut told = String::new();
    let errors = child.stderr.take().expect("its errors");
    BufReader::new(errors).read_line(&mut told).expect("a line of the log");
    let _ = child.kill();
    let _ = child.wait();
    assert!(told.starts_with("ludex serve: 127.0.0.1 GET /nowhere 404 "), "{told}");
    assert!(told.ends_with(" ms\n") && !told.contains("private"), "{told}");
}

/// Waits until something is so; the server solves games in the background.
fn wait_for(mut holds: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

#[test]
fn the_page_of_a_game_weighs_less_than_200_kb() {
    let server = Server::start();
    let page = Visitor::new(&server).get("/games").body;
    let version = page.split("/assets/").nth(1).and_then(|rest| rest.split('/').next());
    let folder = format!("/assets/{}", version.expect("a version"));
    let mut visitor = Visitor::new(&server);
    let mut files = 0;
    for file in ["style.css", "icon.svg", "play.js", "board.js", "common.js"] {
        let reply = visitor.get(&format!("{folder}/{file}"));
        assert_eq!(reply.status, 200, "{file}");
        let kept = reply.header("cache-control").unwrap_or_default();
        assert!(kept.contains("immutable"), "{file}: {kept}");
        files += reply.body.len();
    }
    // a page of another version gets the same files, but does not keep them
    let other = visitor.get("/assets/other/play.js");
    assert_eq!((other.status, other.header("cache-control")), (200, Some("no-store")));
    let largest = [("go", [("o.size", "25")])];
    let usual = ludex::shipped_games().map(|name| (name, [("o.none", "")]));
    let mut person = Visitor::enrolled(&server, "Anna 0");
    for (number, (name, [option])) in largest.into_iter().chain(usual).enumerate() {
        if number % 12 == 11 {
            // what one person may begin in a time is limited
            person = Visitor::enrolled(&server, &format!("Anna {number}"));
        }
        let fields = [("game", name), ("against", "computer"), ("strength", "1"), ("seat", "lot")];
        let fields: Vec<(&str, &str)> = match option {
            ("o.none", _) => fields.to_vec(),
            option => fields.into_iter().chain([option]).collect(),
        };
        let reply = person.post("/challenges", &fields);
        let game = reply.json()["go"].as_str().expect(name).to_string();
        let page = person.get(&game);
        let weight = page.body.len() + files;
        assert!(page.body.contains("<svg") && weight < 200_000, "{name} weighs {weight} bytes");
    }
}

#[test]
fn small_games_have_exact_values() {
    let server = Server::start();
    let mut anna = Visitor::enrolled(&server, "Anna");
    let fields = [("game", "tic_tac_toe"), ("against", "computer"), ("strength", "1")];
    let fields: Vec<(&str, &str)> = fields.into_iter().chain([("seat", "x")]).collect();
    let reply = anna.post("/challenges", &fields);
    let game: i64 = reply.json()["go"]
        .as_str()
        .and_then(|go| go.rsplit('/').next()?.parse().ok())
        .expect("a game");
    let hint = anna.post(&format!("/game/{game}/hint"), &[]).json();
    assert_eq!(hint["exact"], "with best play it is a draw: every move draws", "{hint}");
    // the values of the first position are on the page of the game by now
    let page = anna.get("/games/tic_tac_toe").body;
    assert!(page.contains("With best play it is a draw: every move draws."), "{page}");
    // others have none, and their pages tell why
    for (name, why) in [
        ("hex", "it has more positions than fit into 4 MB of memory, the limit of the server"),
        (
            "backgammon",
            "chance events follow from the position: it has an expected value, not an exact one",
        ),
        ("pachisi", "a game of 4 players has no value that all of them can hold to"),
    ] {
        let told = format!("No exact values are known: {why}.");
        assert!(
            wait_for(|| anna.get(&format!("/games/{name}")).body.contains(&told)),
            "{name}: {}",
            anna.get(&format!("/games/{name}")).body
        );
    }
    let mut bert = Visitor::enrolled(&server, "Bert");
    let fields = [("game", "hex"), ("against", "computer"), ("strength", "1"), ("seat", "red")];
    let reply = bert.post("/challenges", &fields);
    let go = reply.json()["go"].as_str().expect("a game").to_string();
    let hint = bert.post(&format!("{go}/hint"), &[]).json();
    assert!(hint["exact"].is_null() && hint["notation"].is_string(), "{hint}");
}

#[test]
fn what_keeps_the_server_from_starting_is_told() {
    let server = Server::start();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let data = data.to_str().expect("a path");
    let told = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        let output = command.arg("serve").args(arguments).output().expect("ludex runs");
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (arguments, part) in [
        (&["--listen", "nowhere"][..], "write an address and a port from 0 to 65535"),
        (
            &["--listen", &format!("127.0.0.1:{}", server.port), "--data", data],
            "give another address by --listen",
        ),
        (&["--data", "/dev/null"], "give another one by --data"),
        (&["--database", "nonsense"], "is no URL of a database: write sqlite://FILE?mode=rwc"),
        (&["--database", "mysql://a:secret@127.0.0.1:1/x"], "does it run, and are its address"),
        (&["--database", "postgres://a:secret@127.0.0.1:1/x"], "does it run, and are its address"),
    ] {
        let began = Instant::now();
        let told = told(arguments);
        assert!(told.contains(part) && !told.contains("secret"), "{arguments:?}: {told}");
        assert!(
            began.elapsed() < Duration::from_secs(5),
            "{arguments:?} takes {:?}",
            began.elapsed()
        );
    }
    // a file is one server's
    let first = ["--listen", "localhost:0", "--data", data];
    let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
    let (mut child, line) = started(command.arg("serve").args(first));
    assert!(line.starts_with("serving on http://"), "{line}");
    let second = told(&first);
    let _ = child.kill();
    let _ = child.wait();
    assert!(second.contains("does another server use the same file?"), "{second}");
}

#[test]
fn what_comes_too_often_is_told_when_to_come_again() {
    let server = Server::start();
    let ([mut anna, mut bert], game) = paired(&server, "tic_tac_toe", ["Anna", "Bert"]);
    let say =
        |visitor: &mut Visitor| visitor.post(&format!("/game/{game}/chat"), &[("text", "hello")]);
    let refused = (0..40).map(|_| say(&mut anna)).find(|reply| reply.status != 200);
    let refused = refused.expect("20 messages at once are allowed");
    assert_eq!(refused.status, 429, "{refused:?}");
    let seconds: u64 =
        refused.header("retry-after").and_then(|wait| wait.parse().ok()).expect("a wait");
    let unit = if seconds == 1 { "second" } else { "seconds" };
    assert!(
        refused.body.contains(&format!("that is too often: wait {seconds} {unit}")),
        "{refused:?}"
    );
    assert_eq!(say(&mut bert).status, 200, "others have limits of their own");
    std::thread::sleep(Duration::from_secs(seconds));
    assert_eq!(say(&mut anna).status, 200);
}
