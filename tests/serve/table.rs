//! What belongs to a table beside its moves: clocks, another game, those who look on, open streams of events.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::client::{Server, Visitor, paired, paired_with};

/// Waits until the state of a game is as it should be.
fn until(visitor: &mut Visitor, game: i64, holds: impl Fn(&Json) -> bool) -> Json {
    let started = Instant::now();
    loop {
        let state = visitor.state(game);
        if holds(&state) {
            return state;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "waited in vain: {state}");
        sleep(Duration::from_millis(50));
    }
}

/// What is left to both, in milliseconds.
fn left(state: &Json) -> [i64; 2] {
    [0, 1].map(|seat| state["seats"][seat]["left"].as_i64().expect("a clock"))
}

#[test]
fn clocks_run_from_the_second_turn_and_outlive_the_server() {
    let mut server = Server::start();
    let fields = [("game", "hex"), ("clock", "1+2")];
    let ([mut anna, mut bert], game) = paired_with(&server, &fields, ["Anna", "Bert"]);
    assert_eq!(left(&anna.state(game)), [60_000, 60_000]);
    assert_eq!(anna.play(game, "a1", 0).status, 200);
    sleep(Duration::from_millis(300));
    // no player loses time in his first turn
    assert_eq!(left(&anna.state(game)), [60_000, 60_000]);
    assert_eq!(bert.play(game, "b1", 1).status, 200);
    sleep(Duration::from_millis(700));
    let state = anna.state(game);
    assert_eq!(state["seats"][0]["runs"], true);
    let [running, resting] = left(&state);
    assert!(running <= 59_300 && running > 50_000 && resting == 60_000, "{state}");
    // a turn gives two seconds back
    assert_eq!(anna.play(game, "c1", 2).status, 200);
    let kept = left(&anna.state(game))[0];
    assert!(kept > running && kept <= running + 2_000, "{running} and {kept}");
    server.kill_and_restart();
    let state = bert.state(game);
    assert_eq!(left(&state)[0], kept);
    assert_eq!(state["seats"][1]["runs"], true);
    // a game without clocks has none
    let ([mut carl, _], other) = paired(&server, "hex", ["Carl", "Dora"]);
    assert!(carl.state(other)["seats"][0]["left"].is_null());
}

#[test]
fn a_move_that_is_taken_back_gives_its_time_back() {
    let mut server = Server::start();
    let fields = [("game", "hex"), ("clock", "1+0")];
    let ([mut anna, mut bert], game) = paired_with(&server, &fields, ["Anna", "Bert"]);
    for (ply, site) in ["a1", "b1"].into_iter().enumerate() {
        let person = if ply == 0 { &mut anna } else { &mut bert };
        assert_eq!(person.play(game, site, ply as u64).status, 200);
    }
    sleep(Duration::from_millis(1_500));
    assert_eq!(anna.play(game, "c1", 2).status, 200);
    assert!(left(&anna.state(game))[0] <= 58_500);
    // what the turn began with outlives the server
    server.kill_and_restart();
    assert_eq!(anna.post(&format!("/game/{game}/offer"), &[("what", "undo")]).status, 200);
    assert_eq!(bert.post(&format!("/game/{game}/answer"), &[("answer", "yes")]).status, 200);
    let state = anna.state(game);
    assert_eq!(state["history"].as_array().map(Vec::len), Some(2));
    assert!(left(&state)[0] > 58_500, "{state}");
    assert_eq!(state["seats"][0]["runs"], true);
}

#[test]
fn the_server_ends_a_game_whose_time_has_run_out() {
    let server = Server::start();
    let fields = [("game", "hex"), ("clock", "1+0")];
    let ([mut anna, mut bert], game) = paired_with(&server, &fields, ["Anna", "Bert"]);
    assert_eq!(anna.play(game, "a1", 0).status, 200);
    assert_eq!(bert.play(game, "b1", 1).status, 200);
    // a minute is the shortest time: no one asks the server for the game meanwhile
    sleep(Duration::from_secs(57));
    assert!(anna.state(game)["result"].is_null());
    let state = until(&mut bert, game, |state| !state["result"].is_null());
    assert_eq!(state["result"], "a win for blue: red has run out of time");
    assert_eq!(left(&state)[0], 0);
    let late = anna.play(game, "c1", 2);
    assert_eq!(late.status, 409, "{late:?}");
    assert_eq!(anna.get("/").status, 200, "both are free again");
}

#[test]
fn clocks_are_read_strictly() {
    let server = Server::start();
    let mut anna = Visitor::enrolled(&server, "Anna");
    for clock in
        ["0+0", "5", "5+", "+5", "181+0", "5+181", "-5+3", "a+b", "5+3+1", "99999999999999999999+1"]
    {
        let asked = [("game", "hex"), ("against", "anybody"), ("seat", "lot"), ("clock", clock)];
        let reply = anna.post("/challenges", &asked);
        assert_eq!(reply.status, 400, "{clock}: {reply:?}");
        assert!(reply.error().starts_with("`clock` is MINUTES+SECONDS"), "{reply:?}");
    }
    let asked = [("game", "hex"), ("against", "anybody"), ("seat", "lot"), ("clock", "5+3")];
    assert_eq!(anna.post("/challenges", &asked).status, 200);
    let list = anna.get("/lobby/list").body;
    assert!(list.contains("5 minutes each and 3 s for each turn"), "{list}");
}

#[test]
fn another_game_begins_when_all_agree_with_the_seats_exchanged() {
    let server = Server::start();
    let fields = [("game", "tic_tac_toe"), ("clock", "3+2")];
    let ([mut anna, mut bert], game) = paired_with(&server, &fields, ["Anna", "Bert"]);
    let (offer, answer) = (format!("/game/{game}/offer"), format!("/game/{game}/answer"));
    let early = anna.post(&offer, &[("what", "rematch")]);
    assert_eq!(early.status, 409, "{early:?}");
    assert_eq!(anna.post(&format!("/game/{game}/resign"), &[]).status, 200);
    assert_eq!(anna.post(&offer, &[("what", "rematch")]).status, 200);
    assert_eq!(bert.state(game)["offer"][2], "answer");
    assert_eq!(bert.post(&answer, &[("answer", "yes")]).status, 200);
    let next = anna.state(game)["next"].as_i64().expect("the next game");
    let state = bert.state(next);
    assert_eq!((&state["seats"][0]["who"], &state["mine"]), (&"Bert".into(), &true.into()));
    assert_eq!(left(&state), [180_000, 180_000]);
    assert_eq!(anna.get("/").header("location"), Some(format!("/game/{next}").as_str()));
    let again = anna.post(&offer, &[("what", "rematch")]);
    assert!(again.error().contains("already"), "{again:?}");

    // against the computer it begins at once
    let mut carl = Visitor::enrolled(&server, "Carl");
    let asked =
        [("game", "tic_tac_toe"), ("against", "computer"), ("seat", "x"), ("strength", "1")];
    let to = carl.post("/challenges", &asked).json()["go"].clone();
    let to = to.as_str().expect("a page").to_string();
    assert!(!carl.get(&to).body.contains("id=\"chat\""), "there is no one to chat with");
    let id: i64 = to.rsplit('/').next().and_then(|id| id.parse().ok()).expect("a game");
    assert_eq!(carl.post(&format!("{to}/resign"), &[]).status, 200);
    assert_eq!(carl.post(&format!("{to}/offer"), &[("what", "rematch")]).status, 200);
    let next = carl.state(id)["next"].as_i64().expect("the next game");
    assert_eq!(carl.state(next)["seats"][1]["who"], "Carl");
}

/// Opens a stream of events and returns it with the status of the answer.
fn stream(server: &Server, path: &str, cookie: Option<&str>) -> (TcpStream, u16) {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
    let cookie = cookie.map_or(String::new(), |cookie| format!("Cookie: {cookie}\r\n"));
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{cookie}\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("an answer");
    let status = String::from_utf8_lossy(&start[9..]).parse().expect("a status");
    (stream, status)
}

/// The next state that a stream tells.
fn told(stream: &mut TcpStream) -> Json {
    let mut text = String::new();
    loop {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("an event");
        text.push(char::from(byte[0]));
        if text.ends_with("\n\n") {
            let data = text.split("data: ").nth(1).map(|data| data.split('\n').next());
            if let Some(state) = data.flatten().and_then(|data| serde_json::from_str(data).ok()) {
                return state;
            }
            text.clear();
        }
    }
}

#[test]
fn a_stream_tells_once_what_has_not_changed() {
    let server = Server::start();
    let ([mut anna, mut bert], game) = paired(&server, "hex", ["Anna", "Bert"]);
    assert_eq!(anna.play(game, "a1", 0).status, 200);
    let path = format!("/game/{game}/events");
    let (mut open, _) = stream(&server, &path, anna.cookie.clone().as_deref());
    let counts = |state: &Json| {
        let length = |name: &str| state[name].as_array().map_or(0, Vec::len);
        (length("history"), length("chat"), state["shown"].is_null())
    };
    assert_eq!(counts(&told(&mut open)), (1, 0, false));
    let said = bert.post(&format!("/game/{game}/chat"), &[("text", "hello")]);
    assert_eq!(said.status, 200);
    // that the page is open may be told before
    let mut state = told(&mut open);
    while state["chat"].as_array().is_none_or(Vec::is_empty) {
        assert_eq!(counts(&state), (0, 0, true));
        state = told(&mut open);
    }
    assert_eq!(counts(&state), (0, 1, true), "{state}");
    assert_eq!(bert.play(game, "b1", 1).status, 200);
    let state = told(&mut open);
    assert_eq!((counts(&state), &state["from"]), ((1, 0, false), &1.into()), "{state}");
    let offer = anna.post(&format!("/game/{game}/offer"), &[("what", "undo")]);
    assert_eq!(offer.status, 200);
    assert_eq!(counts(&told(&mut open)), (0, 0, true));
    assert_eq!(bert.post(&format!("/game/{game}/answer"), &[("answer", "yes")]).status, 200);
    let state = told(&mut open);
    assert_eq!((counts(&state), &state["from"]), ((0, 0, false), &0.into()), "{state}");
    // a page that is loaded has it all
    assert_eq!(counts(&anna.state(game)), (0, 1, false));
}

#[test]
fn those_who_look_on_are_counted() {
    let server = Server::start();
    let ([mut anna, _bert], game) = paired(&server, "hex", ["Anna", "Bert"]);
    assert_eq!(anna.state(game)["onlookers"], 0);
    let path = format!("/game/{game}/events");
    let (looking, status) = stream(&server, &path, None);
    assert_eq!(status, 200);
    let (_playing, status) = stream(&server, &path, anna.cookie.clone().as_deref());
    assert_eq!(status, 200);
    until(&mut anna, game, |state| state["onlookers"] == 1);
    drop(looking);
    // the server learns of it with the next thing that it tells
    assert_eq!(anna.play(game, "a1", 0).status, 200);
    until(&mut anna, game, |state| state["onlookers"] == 0);
}

#[test]
fn one_visitor_has_only_so_many_streams_open() {
    let server = Server::start();
    let ([anna, bert], game) = paired(&server, "hex", ["Anna", "Bert"]);
    let path = format!("/game/{game}/events");
    let cookie = anna.cookie.as_deref();
    let mut open: Vec<TcpStream> = Vec::new();
    for _ in 0..30 {
        let (stream, status) = stream(&server, &path, cookie);
        assert_eq!(status, 200);
        open.push(stream);
    }
    for path in [path.as_str(), "/lobby/events"] {
        assert_eq!(stream(&server, path, cookie).1, 429);
    }
    // others have their own
    assert_eq!(stream(&server, &path, bert.cookie.as_deref()).1, 200);
    drop(open);
    let started = Instant::now();
    while stream(&server, &path, cookie).1 != 200 {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "streams that are closed count no more"
        );
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_challenge_tells_the_rules_and_what_is_unusual_in_them() {
    let server = Server::start();
    let mut anna = Visitor::enrolled(&server, "Anna");
    let mut bert = Visitor::enrolled(&server, "Bert");
    let asked = [("game", "hex"), ("against", "anybody"), ("seat", "red"), ("o.width", "9")];
    let usual = [("o.height", "11"), ("o.swap", "yes")];
    let asked: Vec<(&str, &str)> = asked.into_iter().chain(usual).collect();
    assert_eq!(anna.post("/challenges", &asked).status, 200);
    let list = bert.get("/lobby/list").body;
    let told = "<a href=\"/games/hex\">Hex</a>: width = 9, Anna plays red.";
    assert!(list.contains(told), "{list}");
    let to = bert.post("/challenges/1/accept", &[]).json()["go"].as_str().map(str::to_string);
    let page = bert.get(&to.expect("a game")).body;
    assert!(page.contains("<span class=\"note\">width = 9</span>"), "{page}");

    // rules of a visitor can be read before they are played
    let mut carl = Visitor::enrolled(&server, "Carl");
    let rules = ":- game \"Pairs\".\n:- include \"board/square\" with (width = 2, height = 1).\n\
                 :- players x, o.\n:- state at(cell) -> player.\n\
                 move(mark(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.\nlose(P) :- stuck, turn(P).\n";
    let address = carl.post("/write/share", &[("rules", rules)]).json();
    let address = address["go"].as_str().expect("an address").to_string();
    let hash = address.rsplit('/').next().expect("a hash");
    let asked = [("text", hash), ("against", "anybody"), ("seat", "lot")];
    assert_eq!(carl.post("/challenges", &asked).status, 200);
    let mut dora = Visitor::enrolled(&server, "Dora");
    let list = dora.get("/lobby/list").body;
    assert!(list.contains(&format!("<a href=\"{address}\">Pairs</a>")), "{list}");

    // games of others can be looked at, one's own are gone back to
    let look = |person: &mut Visitor| {
        let list = person.get("/lobby/list").body;
        (list.contains("Look on"), list.contains("Your games that go on"))
    };
    assert_eq!(look(&mut dora), (true, false));
    assert_eq!(look(&mut anna), (false, true));
}
