//! The story of the paper: two people enrol, one asks the other for a game, the senior begins, and so on to the end.

use super::client::{Server, Visitor, escaped, paired};

/// Random enough to choose among moves, and the same each time.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize
}

#[test]
fn two_people_play_a_game_to_its_end() {
    let mut server = Server::start();
    let mut anna = Visitor::enrolled(&server, "Anna");
    let mut bert = Visitor::enrolled(&server, "Bert");

    // Anna is listed among those who are here, and is asked for a game
    anna.get("/");
    assert!(bert.get("/lobby/list").body.contains("Anna"));
    let asked = [("game", "nerenchi"), ("against", "person"), ("name", "anna"), ("seat", "senior")];
    assert_eq!(bert.post("/challenges", &asked).status, 200);
    let list = anna.get("/lobby/list").body;
    assert!(list.contains("<strong>Bert</strong> asks"), "{list}");
    let reply = anna.post("/challenges/1/accept", &[]);
    assert_eq!(reply.json()["go"], "/game/1");

    // an engaged player goes straight back to the game, and to no other one
    for person in [&mut anna, &mut bert] {
        let home = person.get("/");
        assert_eq!((home.status, home.header("location")), (303, Some("/game/1")));
    }
    let again = bert.post("/challenges", &asked);
    assert_eq!(
        (again.status, again.error()),
        (409, "Bert is engaged in game 1: it has to end first".into())
    );

    // the senior begins
    let state = anna.state(1);
    assert_eq!(
        (state["mine"].clone(), state["seats"][0]["who"].clone()),
        (true.into(), "Anna".into())
    );
    let early = bert.play(1, "d7", 0);
    assert_eq!(early.status, 409);
    assert!(early.error().starts_with("it is not your turn"), "{}", early.error());

    let (mut seed, mut plies, mut nerenchi, mut loss) = (5, 0u64, 0, 0);
    let result = loop {
        let states = [anna.state(1), bert.state(1)];
        assert_eq!(states[0]["ply"], plies);
        assert_eq!(states[0]["history"], states[1]["history"]);
        if let Some(result) = states[0]["result"].as_str() {
            assert_eq!(states[1]["result"], result);
            break result.to_string();
        }
        let mover = usize::from(states[0]["mine"] != true);
        assert_eq!(states[mover]["mine"], true);
        assert_ne!(states[1 - mover]["mine"], true);
        let told = |who: usize| states[who]["told"].to_string();
        nerenchi += usize::from(told(mover).contains("take one of the opponent's counters"));
        loss += usize::from(told(1 - mover).contains("you will lose a counter"));
        let moves = states[mover]["shown"]["moves"].as_array().expect("moves").clone();
        assert!(states[1 - mover]["shown"]["moves"].as_array().is_some_and(Vec::is_empty));
        let chosen = &moves[next(&mut seed) % moves.len()];
        let person = if mover == 0 { &mut anna } else { &mut bert };

        // a wrong click is answered with the reason
        let taken = states[mover]["shown"]["sites"].as_array().expect("sites").iter();
        let occupied =
            taken.filter(|site| site["holds"].is_string()).find_map(|site| site["name"].as_str());
        if let Some(site) = occupied.filter(|_| plies % 9 == 4 && plies < 20) {
            let wrong = person.play(1, site, plies);
            assert_eq!(wrong.status, 409);
            assert!(wrong.error().contains("is occupied by"), "{}", wrong.error());
        }
        let text = chosen["move"].as_str().expect("a move");
        let reply = person.play(1, text, plies);
        assert_eq!(reply.status, 200, "{reply:?}");
        // the same again is another position
        let twice = person.play(1, text, plies);
        assert_eq!(twice.status, 409, "{twice:?}");
        plies += 1;
        if plies % 25 == 7 {
            server.kill_and_restart();
            let home = bert.get("/");
            assert_eq!((home.status, home.header("location")), (303, Some("/game/1")));
        }
        assert!(plies < 2_000, "random games of this seed end before");
    };
    assert!(result.starts_with("a win for "), "{result}");
    assert!(nerenchi > 0 && nerenchi == loss, "{nerenchi} and {loss}");

    // it stands in both histories, can be replayed, and both are free again
    for person in [&mut anna, &mut bert] {
        let history = person.get("/history").body;
        assert!(history.contains("/game/1") && history.contains(&result), "{history}");
        assert_eq!(person.get("/").status, 200);
        let middle = person.get("/game/1/at/9");
        assert_eq!(middle.json()["position"]["ply"], 9);
        let over = person.play(1, "d7", plies);
        assert!(over.error().starts_with("the game is over"), "{over:?}");
    }
    assert_eq!(anna.get(&format!("/game/1/at/{}", plies + 1)).status, 404);
}

#[test]
fn offers_are_answered_by_the_other_one() {
    let server = Server::start();
    let ([mut anna, mut bert], game) = paired(&server, "tic_tac_toe", ["Anna", "Bert"]);
    let (offer, answer) = (format!("/game/{game}/offer"), format!("/game/{game}/answer"));
    assert_eq!(bert.post(&offer, &[("what", "undo")]).status, 409);
    assert_eq!(anna.play(game, "b2", 0).status, 200);

    // a move is taken back by consent
    assert_eq!(anna.post(&offer, &[("what", "undo")]).status, 200);
    assert_eq!(anna.post(&answer, &[("answer", "yes")]).status, 409);
    assert_eq!(bert.post(&answer, &[("answer", "no")]).status, 200);
    assert_eq!(anna.state(game)["ply"], 1);
    assert_eq!(anna.post(&offer, &[("what", "undo")]).status, 200);
    assert_eq!(bert.post(&answer, &[("answer", "yes")]).status, 200);
    assert_eq!(anna.state(game)["ply"], 0);

    // an offer is gone with a move
    assert_eq!(bert.post(&offer, &[("what", "draw")]).status, 200);
    assert_eq!(anna.play(game, "a1", 0).status, 200);
    assert_eq!(anna.post(&answer, &[("answer", "yes")]).status, 409);
    assert_eq!(bert.post(&format!("/game/{game}/chat"), &[("text", "<b>well</b>")]).status, 200);
    assert!(anna.get(&format!("/game/{game}")).body.contains("&#60;b&#62;well"));
    assert!(!anna.get(&format!("/game/{game}")).body.contains("<b>well"));

    assert_eq!(bert.post(&offer, &[("what", "draw")]).status, 200);
    assert_eq!(anna.post(&answer, &[("answer", "yes")]).status, 200);
    assert_eq!(anna.state(game)["result"], "a draw by agreement");
    assert_eq!(bert.post(&format!("/game/{game}/resign"), &[]).status, 409);
}

#[test]
fn of_two_moves_at_once_one_is_taken() {
    let server = Server::start();
    let ([anna, _bert], game) = paired(&server, "hex", ["Anna", "Bert"]);
    let hands = ["a1", "b1", "c1", "d1", "e1", "f1"].map(|mv| {
        let mut anna = anna.clone();
        std::thread::spawn(move || anna.play(game, mv, 0).status)
    });
    let mut statuses = hands.map(|hand| hand.join().expect("an answer"));
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409, 409, 409, 409, 409]);
    assert_eq!(anna.clone().state(game)["ply"], 1);
}

#[test]
fn the_computer_answers_and_gives_hints() {
    let server = Server::start();
    let mut anna = Visitor::enrolled(&server, "Anna");
    let asked =
        [("game", "backgammon"), ("against", "computer"), ("strength", "1"), ("seat", "lot")];
    let reply = anna.post("/challenges", &asked);
    assert_eq!(reply.json()["go"], "/game/1", "{reply:?}");
    let mut moved = 0;
    for _ in 0..600 {
        let state = anna.state(1);
        if moved == 3 {
            break;
        }
        if state["mine"] != true {
            std::thread::sleep(std::time::Duration::from_millis(100));
            continue;
        }
        let ply = state["ply"].as_u64().expect("a number");
        let hint = anna.post("/game/1/hint", &[]).json();
        let best = hint["move"].as_str().unwrap_or_else(|| panic!("a move, not {hint}"));
        assert!(!hint["reason"].as_str().unwrap_or("").is_empty(), "{hint}");
        let reply = anna.play(1, best, ply);
        assert_eq!(reply.status, 200, "{reply:?}");
        moved += 1;
    }
    assert_eq!(moved, 3, "the computer goes on");
    let why = anna.post("/game/1/why", &[("what", "over")]).json();
    assert!(why["text"].as_str().is_some_and(|text| !text.is_empty()), "{why}");
    // without other people a move is taken back at once
    let before = anna.state(1)["ply"].as_u64();
    assert_eq!(anna.post("/game/1/offer", &[("what", "undo")]).status, 200);
    assert!(anna.state(1)["ply"].as_u64() < before);
}

#[test]
fn every_shipped_game_has_a_page_and_starts() {
    let server = Server::start();
    let mut anna = Visitor::enrolled(&server, "Anna");
    let list = anna.get("/games").body;
    let mut examples = 0;
    for name in ludex::shipped_games() {
        assert!(list.contains(&format!("/games/{name}\"")), "{name} is listed");
        let page = anna.get(&format!("/games/{name}"));
        assert_eq!(page.status, 200, "{name}: {page:?}");
        assert!(page.body.contains("class=\"about\"") && page.body.contains("Start"), "{name}");
        for src in page.body.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let picture = anna.get(src);
            assert!(src.starts_with("/assets/") || picture.body.starts_with("<svg"), "{src}");
            examples += usize::from(src.contains("/examples/"));
        }
        let board = anna.get(&format!("/games/{name}/board.svg"));
        assert_eq!(board.status, 200, "{name}");
        assert!(board.body.starts_with("<svg"), "{name}");
    }
    assert!(examples > 200, "{examples} examples are drawn");
    // statistics come from the shipped report
    let page = anna.get("/games/chess").body;
    assert!(page.contains("length in plies") && page.contains("/games/chess/report"), "{page}");
    let report = anna.get("/games/chess/report");
    assert!(report.status == 200 && report.body.contains("<h1>Chess</h1>"), "{report:?}");
    assert_eq!(anna.get("/games/chess/examples/999").status, 404);
    assert_eq!(anna.get("/games/chess/examples/0").status, 404);
}

#[test]
fn rules_of_a_visitor_are_checked_shared_and_played() {
    let server = Server::start();
    let mut anna = Visitor::enrolled(&server, "Anna");
    let rules = ":- include \"board/square\" with (width = 3, height = 1).\n:- players x, o.\n\
                 :- state at(cell) -> player.\n\
                 move(mark(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.\nlose(P) :- stuck, turn(P).\n";
    let requests = serde_json::json!([
        { "ask": "check", "rules": "win(P) :- nothing(P)." },
        { "ask": "open", "rules": rules, "moves": "a1" },
        { "ask": "show", "at": 1 },
        { "ask": "why", "at": 1, "what": "a1" },
    ]);
    let reply = anna.post("/write/ask", &[("requests", &requests.to_string())]);
    let answers = reply.json()["answers"].clone();
    assert_eq!(answers[0]["ok"], false);
    assert_eq!(answers[0]["faults"][2]["line"], 1, "{answers}");
    assert_eq!(answers[2]["moves"].as_array().map(Vec::len), Some(2), "{answers}");
    assert!(
        answers[3]["text"].as_str().is_some_and(|text| text.contains("a1 is occupied by x")),
        "{answers}"
    );

    // files of the disk are not seen
    let include = serde_json::json!([{ "ask": "check", "rules": ":- include \"/etc/passwd\"." }]);
    let answer = anna.post("/write/ask", &[("requests", &include.to_string())]).body;
    assert!(answer.contains("\"ok\":false") && !answer.contains("root:"), "{answer}");

    let reply = anna.post("/write/share", &[("rules", rules)]).json();
    let page = reply["go"].as_str().expect("an address").to_string();
    assert!(anna.get(&page).body.contains("lose(P)"));
    let hash = page.rsplit('/').next().expect("a hash");
    let asked = [("text", hash), ("against", "anybody"), ("seat", "x")];
    assert_eq!(anna.post("/challenges", &asked).status, 200);
    let mut bert = Visitor::enrolled(&server, "Bert");
    assert_eq!(bert.post("/challenges/1/accept", &[]).json()["go"], "/game/1");
    for (ply, mv) in (0..).zip(["a1", "b1", "c1"]) {
        let person = if ply % 2 == 0 { &mut anna } else { &mut bert };
        assert_eq!(person.play(1, mv, ply).status, 200);
    }
    assert_eq!(bert.state(1)["result"], "a win for x");
}

#[test]
fn names_are_in_any_script() {
    let server = Server::start();
    // Sinhala with a joiner, Meitei, Cyrillic, and letters of four bytes
    let names = ["ශ්‍රී නෙරෙංචි", "ꯀꯥꯡꯂꯩ", "Анна", "𐐀𐐁𐐂"];
    for name in names {
        Visitor::enrolled(&server, name);
        let mut again = Visitor::new(&server);
        let reply = again.post("/login", &[("name", name), ("password", "correct horse")]);
        assert_eq!(reply.status, 200, "{reply:?}");
        let page = again.get(&format!("/history/{}", escaped(name)));
        assert!(page.status == 200 && page.body.contains(name), "{page:?}");
    }
    // a name is taken in capital letters too, and however its characters are composed
    Visitor::enrolled(&server, "Zoe\u{308} Müller");
    for name in ["АННА", "𐐨𐐩𐐪", "zo\u{eb} mu\u{308}ller"] {
        let reply = Visitor::new(&server).post("/guest", &[("name", name)]);
        assert_eq!(reply.status, 409, "{name}: {reply:?}");
    }
    // joiners and marks without their letters would make names that look alike
    for name in ["An\u{200d}na", "An\u{200b}na", "\u{301}Anna", "Anna \u{301}", "😀😀"] {
        let reply = Visitor::new(&server).post("/guest", &[("name", name)]);
        assert_eq!(reply.status, 400, "{name:?}: {reply:?}");
    }
}

#[test]
fn chat_and_rules_are_in_any_script() {
    let mut server = Server::start();
    let ([mut anna, _], game) = paired(&server, "hex", ["Ἄννα", "寝る"]);
    let said = "රාජා 😀 ♞ 'quoted' \"too\" \\ ; --";
    assert_eq!(anna.post(&format!("/game/{game}/chat"), &[("text", said)]).status, 200);
    // the title and a player's name may be long
    let (title, x) = (format!("{} ♞ 𝔖", "නෙ".repeat(300)), "ක".repeat(90));
    let rules = format!(
        ":- game \"{title}\".\n:- include \"board/square\" with (width = 3, height = 1).\n:- players '{x}', o.\n\
         :- state at(cell) -> player.\nmove(mark(C)) :- cell(C), \\+ at(C, _), turn(Me), at(C) := Me.\n\
         lose(P, \"스톱 🛑\") :- stuck, turn(P).\n"
    );
    let mut carl = Visitor::enrolled(&server, "Carl");
    let reply = carl.post("/write/share", &[("rules", &rules)]);
    let page = reply.json()["go"].as_str().expect("an address").to_string();
    let hash = page.rsplit('/').next().expect("a hash");
    let asked = [("text", hash), ("against", "anybody"), ("seat", x.as_str())];
    let reply = carl.post("/challenges", &asked);
    assert_eq!(reply.status, 200, "{reply:?}");
    let mut dora = Visitor::enrolled(&server, "Dora");
    let go = dora.post("/challenges/2/accept", &[]).json()["go"].clone();
    assert_eq!(go, "/game/2");
    for (ply, mv) in (0..).zip(["a1", "b1", "c1"]) {
        let person = if ply % 2 == 0 { &mut carl } else { &mut dora };
        assert_eq!(person.play(2, mv, ply).status, 200);
    }
    server.kill_and_restart();
    assert_eq!(anna.state(game)["chat"][0], serde_json::json!(["Ἄννα", said]));
    assert!(carl.get(&page).body.contains("스톱 🛑"));
    let state = carl.state(2);
    assert_eq!(state["result"], format!("a win for {x}: 스톱 🛑"), "{state}");
    assert!(carl.get("/history").body.contains(&title));
}
