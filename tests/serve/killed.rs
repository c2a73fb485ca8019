//! The server is killed with -9 again and again while a thousand moves are played: none is lost that was answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::client::{Server, Visitor, paired_with};

const TABLES: usize = 10;
/// How many moves are played at each table.
const MOVES: u64 = 100;
/// The server is killed after this number of answers.
const EACH: u64 = 90;

/// The cells of the board in rows: in this order the cells of neither player make a chain across the board.
fn site(ply: u64) -> String {
    format!("{}{}", char::from(b'a' + (ply % 19) as u8), ply / 19 + 1)
}

/// Two people who play until there is no answer.
fn play(people: &mut [Visitor; 2], game: i64, from: u64, answers: &AtomicU64) -> u64 {
    for ply in from..MOVES {
        let person = &mut people[(ply % 2) as usize];
        let body = format!("csrf={}&move={}&ply={ply}", person.csrf, site(ply));
        let path = format!("/game/{game}/move");
        match person.attempt("POST", &path, "application/json", &body) {
            Some(reply) if reply.status == 200 => answers.fetch_add(1, Ordering::SeqCst),
            // the moves of one person are limited in a time
            Some(reply) if reply.status == 429 => return ply,
            Some(reply) => panic!("{} as move {ply}: {reply:?}", site(ply)),
            None => return ply,
        };
    }
    MOVES
}

#[test]
fn no_answered_move_is_lost_when_the_server_is_killed() {
    let mut server = Server::start();
    let fields = [("game", "hex"), ("o.width", "19"), ("o.height", "19"), ("o.swap", "no")];
    let mut tables: Vec<([Visitor; 2], i64, u64)> = (0..TABLES)
        .map(|n| {
            let (people, game) =
                paired_with(&server, &fields, [&format!("Anna {n}"), &format!("Bert {n}")]);
            (people, game, 0)
        })
        .collect();
    let answers = Arc::new(AtomicU64::new(0));
    let (mut kills, mut unanswered, started) = (0, 0, Instant::now());
    while tables.iter().any(|(_, _, made)| *made < MOVES) {
        assert!(started.elapsed() < Duration::from_secs(120), "the moves are played in time");
        let until = answers.load(Ordering::SeqCst) + EACH;
        let hands: Vec<_> = tables
            .drain(..)
            .map(|(mut people, game, from)| {
                let answers = Arc::clone(&answers);
                thread::spawn(move || {
                    let made = play(&mut people, game, from, &answers);
                    (people, game, made)
                })
            })
            .collect();
        while answers.load(Ordering::SeqCst) < until && !hands.iter().all(|h| h.is_finished()) {
            thread::sleep(Duration::from_millis(1));
        }
        server.kill_and_restart();
        kills += 1;
        for hand in hands {
            let (mut people, game, answered) = hand.join().expect("a game goes on");
            let state = people[0].state(game);
            let history = state["history"].as_array().expect("the moves");
            let kept = history.len() as u64;
            // a move that was not answered may have been kept
            assert!(
                kept == answered || kept == answered + 1,
                "{answered} were answered, {kept} kept"
            );
            unanswered += kept - answered;
            for (ply, played) in (0..).zip(history) {
                assert_eq!(played["notation"], site(ply), "move {ply} of game {game}");
            }
            tables.push((people, game, kept));
        }
    }
    let answered = answers.load(Ordering::SeqCst);
    println!("{answered} answered moves, {unanswered} kept without an answer, {kills} kills");
    assert_eq!(answered + unanswered, TABLES as u64 * MOVES);
    assert!(kills >= 5, "{kills} kills");
}
