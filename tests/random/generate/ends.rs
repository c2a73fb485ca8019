//! Ends, scores and values.

use super::Writer;
use super::world::{Context, Scope, Ty};

/// The head of an end with a name.
fn named(head: &str, name: &str) -> String {
    match head.strip_suffix(')') {
        Some(front) => format!("{front}, \"{name}\")"),
        None => format!("{head}(\"{name}\")"),
    }
}

impl Writer {
    /// The end clauses; the last is a draw by the number of moves.
    pub fn ends(&mut self) {
        let single = self.world.players.len() == 1;
        let mut over = false;
        for _ in 0..self.dice.below(4) {
            let kind = self.dice.weighted(&[40, 25, 15, 20]);
            over |= kind == 3;
            self.end(kind, single);
        }
        if self.dice.percent(25) {
            match self.dice.below(4) {
                0 if self.dice.percent(50) => self.say("lose :- stuck.".to_string()),
                0 => self.say("lose(P) :- stuck, turn(P).".to_string()),
                1 => self.say("draw :- repeated(3).".to_string()),
                2 => self.say("draw :- stuck.".to_string()),
                _ => self.say("win(P) :- stuck, mover(P).".to_string()),
            }
        }
        let n = self.dice.range(8, 16);
        match (single || over) && self.dice.percent(60) {
            true => {
                over = true;
                self.say(format!("over :- ply(N), N >= {n}."));
            }
            false => self.say(format!("draw :- ply(N), N >= {n}.")),
        }
        if over || self.dice.percent(10) {
            self.numbers("score");
        }
        if self.dice.percent(20) {
            self.numbers("value");
        }
    }

    fn end(&mut self, kind: usize, single: bool) {
        let context = Context { end: true, ..Context::of_play(2) };
        let mut scope = Scope::new();
        let mut body = Vec::new();
        // an end that holds at the start makes a dull game
        if self.dice.percent(97) {
            body.push(format!("ply(N0), N0 > {}", self.dice.range(3, 8)));
        }
        let head = match kind {
            1 if !single && self.dice.percent(25) => "lose",
            0 | 1 if !single => {
                scope.bind("P", Ty::Player);
                if kind == 0 { "win(P)" } else { "lose(P)" }
            }
            3 => "over",
            _ => "draw",
        };
        // most ends look for something that does not come at once
        let n = 1 + usize::from(self.dice.percent(55)) + usize::from(self.dice.percent(30));
        body.extend(self.goals(&mut scope, context, n));
        if let ("win(P)" | "lose(P)", true) = (head, self.dice.percent(30)) {
            body.push("mover(P)".to_string());
        }
        if self.dice.percent(20) {
            let lines = self.world.relations.iter().any(|r| r.name == "line");
            if lines && head == "win(P)" {
                body = vec!["line(2, L)".to_string(), "forall(member(C, L), at(C, _))".to_string()];
                body.push("mover(P)".to_string());
            }
        }
        let head = match self.dice.percent(25) {
            true => named(head, ["in time", "a full row", "it's over"][self.dice.below(3)]),
            false => head.to_string(),
        };
        self.say(format!("{head} :- {}.", body.join(", ")));
    }

    /// Clauses of `score` or `value`.
    fn numbers(&mut self, relation: &str) {
        for _ in 0..1 + self.dice.below(2) {
            let mut scope = Scope::new();
            scope.bind("P", Ty::Player);
            let context = Context { depth: 1, ..Context::of_play(1) };
            let goals = self.goals(&mut scope, context, 1);
            match self.dice.below(4) {
                0 => self.say(format!("{relation}(P, N) :- count(C, at(C, _), N), player(P).")),
                1 => {
                    let body = goals.join(", ");
                    let n = self.dice.range(-2, 5);
                    self.say(format!("{relation}(P, {n}) :- {body}, player(P)."));
                }
                _ => {
                    let expression = self.expression(&scope, context, 1);
                    let body = goals.join(", ");
                    self.say(format!("{relation}(P, M) :- {body}, player(P), M is {expression}."));
                }
            }
        }
        if relation == "score" && self.dice.percent(70) {
            self.say("score(P, 0) :- player(P).".to_string());
        }
    }
}
