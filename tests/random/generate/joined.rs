//! What several goals say of one value: sites that hold the same or another thing, link by link; whose turn it is within negations that
//! say of whom it is asked; lists that are taken apart and made again; and recursions that are asked without what they begin with.

use super::Writer;
use super::world::Ty;

impl Writer {
    /// Chains of sites, each link of which says that two of them hold the same or another thing.
    pub fn likenesses(&mut self) {
        self.say("alike(A, B) :- at(A, X), at(B, X).".to_string());
        let other = *self.dice.pick(&["X \\= Y", "own(X, P), own(Y, Q), P \\= Q"]);
        self.say(format!("unlike(A, B) :- at(A, X), at(B, Y), {other}."));
        let names = ["A", "B", "C", "D"];
        let links = 2 + self.dice.below(3);
        let mut goals = Vec::new();
        for at in 0..links {
            let (from, to) = (names[at % 4], names[(at + 1) % 4]);
            let word = *self.dice.pick(&["alike", "alike", "unlike"]);
            if self.dice.percent(40) {
                goals.push(format!("adjacent({from}, {to})"));
            }
            goals.push(match self.dice.percent(30) {
                true => format!("at({from}, X{at}), at({to}, X{at})"),
                false => format!("{word}({from}, {to})"),
            });
        }
        self.say(format!("linked(A, {}) :- {}.", names[links % 4], goals.join(", ")));
        let step = *self.dice.pick(&["alike(A, B)", "at(A, X), at(B, X)", "unlike(A, B)"]);
        let site = self.world.site.clone();
        self.say(format!("strung(A, A, 0) :- {site}(A)."));
        self.say(format!(
            "strung(A, C, N) :- N in 1..3, M is N - 1, adjacent(A, B), {step}, strung(B, C, M)."
        ));
        let ask = *self.dice.pick(&[
            "linked(A, B)",
            "linked(A, B), A \\= B",
            "adjacent(A, B), \\+ linked(A, B)",
            "strung(A, B, 3)",
            "strung(A, B, N), N >= 2",
            "adjacent(A, B), count(C, linked(A, C), N), N > 1",
        ]);
        self.say(format!(
            "move(link(A, B)) :- turn(Me), {ask}, at(A, X), clear(at(A)), at(B) := X."
        ));
        self.known_move("link", &[Ty::Site, Ty::Site]);
    }

    /// Whose turn it is, within negations that say of whom it is asked.
    pub fn denied_turns(&mut self) {
        let site = self.world.site.clone();
        let also = *self.dice.pick(&["player(P)", "at(_, X), own(X, P)", "free(A)", "true"]);
        self.say(format!("due(A, P) :- {site}(A), turn(P), {also}."));
        let ask = *self.dice.pick(&[
            "forall(player(P), (turn(P), adjacent(A, _)))",
            "forall((adjacent(A, B), at(B, X), own(X, P)), (turn(P), free(A)))",
            "\\+ (adjacent(A, B), at(B, X), own(X, P), \\+ due(A, P))",
            "\\+ (player(P), \\+ (turn(P), \\+ at(A, _)))",
            "forall(at(_, X), (own(X, P), turn(P)))",
            "\\+ (player(P), \\+ (due(A, P), adjacent(A, _)))",
        ]);
        self.say(format!("move(due(A)) :- {site}(A), {ask}, clear(at(A))."));
        self.known_move("due", &[Ty::Site]);
    }

    /// Rows of sites whose lists are taken apart and made again.
    pub fn parted(&mut self) {
        let (a, b, c) = (self.constant(Ty::Site), self.constant(Ty::Site), self.constant(Ty::Site));
        self.say(format!("part_row([{a}, {b}]). part_row([{b}, {c}]). part_row([{a}, {b}, {c}]). part_row([{c}])."));
        self.say(":- state laid(part_row).".to_string());
        let ask = *self.dice.pick(&[
            "part_row([A|R]), at(A, _), R = [_]",
            "part_row([A, B|R]), at(A, X), at(B, Y), X \\= Y, R = []",
            "part_row([A|R]), part_row(L), L = [_|R], at(A, _)",
            "part_row(L), laid([A|R]), L = [_, A|R]",
            "part_row([_|R]), R = [A|S], K = [A|S], laid(K)",
            "at(A, _), part_row([B|R]), R = [C], L = [B, C], \\+ laid(L)",
        ]);
        let made = *self.dice.pick(&["[A|R]", "[B, C]"]);
        self.say(format!("parted(A) :- {ask}."));
        let given = match made {
            "[A|R]" => "part_row([A|R])",
            _ => "part_row([B|R]), R = [C], A = B",
        };
        self.say(format!("move(lay(L)) :- {given}, L = {made}, \\+ laid(L), set(laid(L))."));
        self.say("move(part(A)) :- parted(A), clear(at(A)).".to_string());
        self.known_move("lay", &[Ty::Sites]);
        self.known_move("part", &[Ty::Site]);
        if self.dice.percent(50) {
            self.say("draw :- parted(A), free(A).".to_string());
        }
    }

    /// A recursion that is asked without what it begins with, which it passes on.
    pub fn begun_anywhere(&mut self) {
        let seed = *self.dice.pick(&["at(A, _)", "free(A)", "at(A, X), own(X, _)"]);
        let on = *self.dice.pick(&["free(C)", "at(C, _)", "\\+ at(C, _), C \\= A"]);
        let (n, m, zero, more) = match self.dice.percent(60) {
            true => (", N", ", M", ", 0", ", N is M + 1, N =< 3"),
            false => ("", "", "", ""),
        };
        self.say(format!("spread(A, A{zero}) :- {seed}."));
        self.say(format!("spread(A, C{n}) :- spread(A, B{m}), adjacent(B, C), {on}{more}."));
        let any = if n.is_empty() { "" } else { ", _" };
        self.say(format!("far(B) :- spread(_, B{any})."));
        let (name, ask) = self
            .dice
            .pick(&[
                ("spread", format!("spread(_, _{any})")),
                ("spread(B)", format!("spread(_, B{any})")),
                ("spread(B)", "far(B)".to_string()),
                ("spread(P)", format!("player(P), spread(A, A{any})")),
            ])
            .clone();
        self.say(format!("move({name}) :- {ask}, again."));
        let args: &[Ty] = match name {
            "spread" => &[],
            "spread(P)" => &[Ty::Player],
            _ => &[Ty::Site],
        };
        self.known_move("spread", args);
    }

    /// Actions of several ways behind a move that is known before, most of which lead to one position; and branches that
    /// fail behind an update.
    pub fn several_ways(&mut self) {
        let site = self.world.site.clone();
        self.say(format!(":- state noted({site})."));
        let notes = [
            "adjacent(A, B), at(B, _), set(noted(A))",
            "free(A), set(noted(A))",
            "\\+ (adjacent(A, B), at(B, _)), set(noted(A))",
            "set(noted(A)), adjacent(A, B), noted(B)",
            "noted(A)",
        ];
        let clauses = 1 + self.dice.below(3);
        for body in self.dice.some(&notes, clauses) {
            self.say(format!("notes(A) :- {body}."));
        }
        self.say("tries(B) :- ( set(noted(B)), at(B, _) ; free(B) ).".to_string());
        let act = *self.dice.pick(&[
            "clear(at(A)), notes(A)",
            "clear(at(A)), notes(A), notes(A)",
            "set(noted(A)), notes(A), \\+ (noted(B), A \\= B, free(B))",
            "clear(at(A)), each(adjacent(A, B), ( set(noted(B)), at(B, _) ; free(B) ))",
            "clear(at(A)), each(adjacent(A, B), tries(B)), notes(A)",
            "clear(at(A)), once((adjacent(A, B), tries(B), at(B, _)))",
            "clear(noted(A)), adjacent(A, B), noted(B), clear(noted(B)), \\+ noted(_)",
        ]);
        let own = if self.dice.percent(50) { ", own(X, P), turn(P)" } else { "" };
        self.say(format!("move(note(A)) :- at(A, X){own}, {act}."));
        self.known_move("note", &[Ty::Site]);
        if self.dice.percent(30) {
            self.say(format!("draw :- \\+ ({site}(A), \\+ noted(A))."));
        }
    }
}
