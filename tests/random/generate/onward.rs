//! Recursions that go on from the first answer of a question, within choices, and with two arguments that change; actions that go on
//! with a best answer; and chains of sites that the state ties to one another, each of which is read more than once.

use super::Writer;
use super::world::Ty;

impl Writer {
    /// How far a piece goes on, as a recursion within a choice or behind a first answer.
    pub fn onward(&mut self) {
        let site = self.world.site.clone();
        let way = *self.dice.pick(&["step(D, A, B)", "adjacent(A, B)", "step(_, A, B)"]);
        let test = *self.dice.pick(&[
            "free(B)",
            "\\+ at(B, _)",
            "at(B, X), own(X, _)",
            "free(B), A \\= B",
        ]);
        let rest = *self.dice.pick(&[
            "C = A",
            "free(A), C = A",
            "step(D, A, C)",
            "fail",
            "C = A ; step(D, A, C)",
        ]);
        // with a number of steps, or as far as it goes
        let (n, m, depth, steps) = match self.dice.percent(40) {
            true => ("N, ", "M, ", "N > 0, M is N - 1, ", "2, "),
            false => ("", "", "", ""),
        };
        // callers may have to give where it begins
        let open = if self.dice.percent(60) { format!("{site}(A), ") } else { String::new() };
        let begun = format!("step(D, _, _), {open}{depth}");
        match self.dice.below(3) {
            0 => self.say(format!(
                "halts({n}D, A, C) :- {begun}( {way}, {test} -> halts({m}D, B, C) ; {rest} )."
            )),
            1 => {
                self.say(format!(
                    "halts({n}D, A, C) :- {begun}once(({way}, {test})), halts({m}D, B, C)."
                ));
                let n = n.replace('N', "_");
                self.say(format!(
                    "halts({n}D, A, C) :- step(D, _, _), {open}\\+ ({way}, {test}), C = A."
                ));
            }
            _ => self.say(format!(
                "halts({n}D, A, C) :- {begun}{way}, {test}, ( halts({m}D, B, C) ; C = B )."
            )),
        }
        let ask = *self.dice.pick(&[
            "halts(#D, A, B)",
            "halts(#D, A, B), B \\= A",
            "halts(#_, A, B), B \\= A",
            "\\+ (halts(#D, A, C), at(C, _)), step(D, A, B)",
            "at(B, _), halts(#D, B, A), B \\= A",
        ]);
        let ask = ask.replace('#', steps);
        self.say(format!(
            "move(halt(A, B)) :- turn(Me), mine(A), step(D, _, _), {ask}, at(A, X), clear(at(A)), at(B) := X."
        ));
        self.known_move("halt", &[Ty::Site, Ty::Site]);
    }

    /// Ways that remember where they come from.
    pub fn tracks(&mut self) {
        let site = self.world.site.clone();
        let end = *self.dice.pick(&[
            "free(B)",
            "at(B, _)",
            "adjacent(A, B)",
            "at(A, X), at(B, Y), X \\= Y",
        ]);
        let on = *self.dice.pick(&[
            "C \\= A",
            "at(C, _), C \\= A",
            "free(C), C \\= A",
            "\\+ adjacent(A, C), C \\= A",
        ]);
        let begin = *self.dice.pick(&["free(B)", "at(B, _)", "true"]);
        self.say(format!("track(A, B, B) :- {site}(A), step(_, A, B), {end}."));
        self.say(format!(
            "track(A, B, D) :- {site}(A), {begin}, step(_, B, C), {on}, track(B, C, D)."
        ));
        let ask = *self.dice.pick(&[
            "adjacent(A, B), track(A, B, A)",
            "adjacent(A, B), \\+ track(A, B, A)",
            "adjacent(A, C), track(A, C, B), B \\= A",
            "adjacent(A, B), count(C, track(A, B, C), N), N >= 2",
            "step(D, A, B), at(C, _), C \\= A, track(A, B, C), \\+ step(D, B, C)",
        ]);
        self.say(format!(
            "move(track(A, B)) :- turn(Me), mine(A), {ask}, at(A, X), clear(at(A)), at(B) := X."
        ));
        self.known_move("track", &[Ty::Site, Ty::Site]);
    }

    /// Actions that go on with the best answer, or choose by conditions that are written out.
    pub fn best(&mut self) {
        let site = self.world.site.clone();
        let worth = *self.dice.pick(&[
            "count(B, (adjacent(A, B), at(B, _)), N)",
            "count(B, (step(_, A, B), free(B)), N)",
            "count(B, adjacent(A, B), M), N is M * 2",
        ]);
        self.say(format!("worth(A, N) :- {site}(A), {worth}."));
        let way = self.constant(Ty::Direction);
        self.say(format!("before(A, B) :- step({way}, A, B)."));
        let tie = *self.dice.pick(&["", ", \\+ (worth(B, N), before(B, A))"]);
        let sign = *self.dice.pick(&["<", ">"]);
        self.say(format!("best(A, N) :- worth(A, N), \\+ (worth(_, M), M {sign} N){tie}."));
        let test = *self.dice.pick(&[
            "worth(A, N), N > 1",
            "at(A, _), worth(A, N), N =< 2",
            "adjacent(A, B), free(B)",
        ]);
        let denied = test.replace('N', "K").replace('B', "C");
        let first =
            *self.dice.pick(&["once(best(B, _))", "best(B, _)", "once((adjacent(A, B), free(B)))"]);
        self.say(format!("gift(A) :- {test}, {first}, clear(at(B))."));
        let quiet = *self.dice.pick(&["", ", worth(A, 2)"]);
        self.say(format!("gift(A) :- \\+ ({denied}), clear(at(A)){quiet}."));
        if self.dice.percent(50) {
            self.say(format!("gift(A) :- \\+ ({denied}), worth(A, 3)."));
        }
        self.say("move(gift(A)) :- turn(Me), mine(A), gift(A).".to_string());
        self.known_move("gift", &[Ty::Site]);
    }
    /// Sites that are tied to others, of which several goals say something, as a recursion on either side.
    pub fn ties(&mut self) {
        let site = self.world.site.clone();
        let (from, to) = (self.constant(Ty::Site), self.constant(Ty::Site));
        self.say(format!(":- state tie({site}) -> {site}."));
        self.say(format!("init(tie({from}, {to}))."));
        let said =
            *self.dice.pick(&["adjacent(X, _)", "free(X)", "at(X, _)", "step(_, A, X)", "X \\= A"]);
        let also = *self.dice.pick(&["", ", B \\= A", ", \\+ at(B, _)", ", adjacent(A, B)"]);
        self.say(format!("tied(A, B) :- tie(A, X), {said}, tie(A, B){also}."));
        let said = said.replace('A', "B");
        let also = *self.dice.pick(&["", ", C \\= A", ", \\+ at(C, _)"]);
        let step = match self.dice.percent(50) {
            true => format!("tied(A, C) :- tied(A, B), tie(B, X), {said}, tie(B, C){also}."),
            false => format!("tied(A, C) :- tie(A, X), X \\= A, tie(A, B), tied(B, C){also}."),
        };
        self.say(step);
        let ask = *self.dice.pick(&[
            "tied(A, B)",
            "tied(B, A)",
            "tied(A, _), adjacent(A, B)",
            "adjacent(A, B), \\+ tied(A, B)",
            "tied(_, B), B \\= A",
            "forall(member(X, [A, B]), free(X)), adjacent(A, B)",
        ]);
        let mine = *self.dice.pick(&["mine(A), ", "", "mine(A), at(A, X), own(X, _), "]);
        self.say(format!("move(tie(A, B)) :- {site}(A), {site}(B), {mine}{ask}, tie(A) := B."));
        self.say(format!("move(untie(A, B)) :- tied(A, B), {mine}clear(tie(A))."));
        self.known_move("tie", &[Ty::Site, Ty::Site]);
        self.known_move("untie", &[Ty::Site, Ty::Site]);
    }
}
