//! Boards whose sites are numbers, and slides that calculate where they lead to.

use super::Writer;
use super::world::Ty;

impl Writer {
    pub fn offsets(&mut self) {
        let (width, height) = (self.dice.range(2, 4), self.dice.range(2, 3));
        let ten = *self.dice.pick(&[10, 10, 100, 7]);
        self.say(format!("post(N) :- X in 1..{width}, Y in 1..{height}, N is {ten} * Y + X."));
        self.say(":- state pebble(post) -> player.".to_string());
        let shifts = *self.dice.pick(&[
            "[1, -1, 10, -10]",
            "[1, 10]",
            "[11, -9, 2]",
            "[1, -1, 10, -10, 9, -9, 11, -11]",
        ]);
        self.say(format!("gap(D) :- member(D, {shifts})."));
        self.say("beyond(A, D, B) :- post(A), gap(D), B is A + D, post(B).".to_string());
        let over = *self.dice.pick(&["\\+ pebble(B, _)", "pebble(B, _)", "\\+ pebble(A, _)"]);
        let last = ten * height + width;
        let next = match self.dice.below(5) {
            0 => "post(C), C - B =:= D".to_string(),
            1 => format!("C is B + D, C in {}..{last}, C mod {ten} in 1..{width}", ten + 1),
            2 => "E is D + B, C = E, post(C)".to_string(),
            _ => "C is B + D, post(C)".to_string(),
        };
        self.say(format!("beyond(A, D, C) :- beyond(A, D, B), {over}, {next}."));
        self.say(
            "move(drop_at(N)) :- turn(P), post(N), \\+ pebble(N, _), pebble(N) := P.".to_string(),
        );
        self.known_move("drop_at", &[Ty::Number]);
        let way = match self.dice.below(3) {
            0 => "beyond(A, _, B)".to_string(),
            1 => "gap(D), S in -1..1, B is A + D + S, post(B)".to_string(),
            _ => "gap(D), D > 0, beyond(A, D, B)".to_string(),
        };
        let free = *self.dice.pick(&[
            "\\+ pebble(B, _)",
            "\\+ pebble(B, P)",
            "( B > A -> \\+ pebble(B, _) ; pebble(B, Q), Q \\= P )",
        ]);
        let safe = *self.dice.pick(&["", "", ", \\+ (opponent(P, You), aimed(B, You))"]);
        self.say("aimed(C, P) :- pebble(A, P), beyond(A, _, C).".to_string());
        self.say(format!(
            "move(spring(A, B)) :- turn(P), pebble(A, P), {way}, {free}, clear(pebble(A)), pebble(B) := P{safe}."
        ));
        self.known_move("spring", &[Ty::Number, Ty::Number]);
        let end = *self.dice.pick(&[
            "win(P) :- mover(P), pebble(C, P), opponent(P, Q), pebble(A, Q), beyond(A, _, C), ply(N), N > 4.",
            "lose(P) :- mover(P), pebble(C, P), beyond(C, D, B), D > 1, pebble(B, P), ply(N), N > 3.",
            "draw :- count(C, (aimed(C, P), \\+ pebble(C, P)), N), N > 6.",
        ]);
        self.say(end.to_string());
    }
}
