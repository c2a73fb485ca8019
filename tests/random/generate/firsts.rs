//! Relations and goals that keep the first of several answers, asked among goals that bind the same variables.

use super::Writer;
use super::world::Ty;

/// A goal whose first alternative gives B a value.
fn bound(goal: &str) -> String {
    goal.replace("( \\+ at(B, _) ;", "( B = A ;")
        .replace("( kept(B) ;", "( kept(B), adjacent(A, B) ;")
        .replace("( true ;", "( B = A ;")
}

impl Writer {
    pub fn firsts(&mut self) {
        let site = self.world.site.clone();
        let value = self.world.fluents[0].value.as_ref().map(|v| v.values[0].clone());
        let value = value.unwrap_or_else(|| "_".to_string());
        self.say(format!(":- state kept({site})."));
        let test = ["at(B, _)", "\\+ at(B, _)", "kept(B)", "true"];
        let (one, two) = (*self.dice.pick(&test), *self.dice.pick(&test));
        let goals = [
            format!("once((adjacent(A, B), {one}))"),
            format!("( adjacent(A, B), {one} -> true ; B = A )"),
            format!("( {one} ; once((adjacent(A, B), {two})) )")
                .replace("( at(B, _) ;", "( at(B, _), adjacent(A, B) ;"),
            format!("( at(A, _) -> once((adjacent(A, B), {one})) ; adjacent(A, B) )"),
            format!("( kept(A) -> adjacent(A, B) ; once((step(_, B, A), {one})) )"),
            format!("once(( kept(B) ; adjacent(A, B), {two} ))"),
        ];
        let goal = self.dice.pick(&goals);
        let chosen = bound(goal);
        self.say(format!("first(A, B) :- {site}(A), {chosen}."));
        if self.dice.percent(40) {
            self.say(format!("chain(A, A) :- {site}(A), {}.", one.replace('B', "A")));
            self.say("chain(A, C) :- chain(A, B), first(B, C).".to_string());
            self.known_relation("chain", &[Ty::Site, Ty::Site], true, 4);
        }
        for number in 0..2 {
            let own = match self.dice.below(5) {
                0 | 1 => "first(A, B)".to_string(),
                2 if self.out.iter().any(|line| line.starts_with("chain(")) => {
                    "chain(A, B)".to_string()
                }
                _ => {
                    let goal = self.dice.pick(&goals);
                    bound(goal)
                }
            };
            let behind = [
                "at(B, _)".to_string(),
                format!("at(B, {value})"),
                "\\+ at(B, _)".to_string(),
                "kept(B)".to_string(),
                format!("{site}(B)"),
                "step(_, B, A)".to_string(),
                format!("B = {}", self.constant(Ty::Site)),
                "B \\= A".to_string(),
                "count(E, adjacent(B, E), N), N > 1".to_string(),
            ];
            let (x, y) = (self.dice.pick(&behind).clone(), self.dice.pick(&behind[..6]).clone());
            let body = match self.dice.below(10) {
                0 | 1 => format!("{own}, {x}"),
                2 if y.starts_with('\\') => format!("{site}(B), {y}, {own}"),
                2 => format!("{y}, {own}"),
                3 => format!("{own}, {x}, {y}"),
                4 => format!("\\+ ({own}, {x})"),
                5 => format!("( {own} ; B = A ), {x}"),
                6 => format!("( at(A, _) -> {own} ; B = A ), {x}"),
                7 => format!("count(B, ({own}, {x}), M), M < 2"),
                8 => format!(
                    "forall({own}, {})",
                    x.replace("count(E, adjacent(B, E), N), N > 1", "kept(B)")
                ),
                _ => format!("once(({own}, {x}))"),
            };
            let outside = !(body.starts_with('\\')
                || body.starts_with("count")
                || body.starts_with("forall"));
            let update = match self.dice.below(4) {
                0 if outside => "\\+ kept(B), set(kept(B))".to_string(),
                1 => "\\+ kept(A), set(kept(A))".to_string(),
                2 => "kept(A), clear(kept(A))".to_string(),
                _ => self.touched("A"),
            };
            match self.dice.below(6) {
                0 => self.say(format!("draw :- ply(N0), N0 > 3, {site}(A), {body}.")),
                1 => self.say(format!("lose(P) :- mover(P), ply(N0), N0 > 3, count(A, ({site}(A), {body}), M0), M0 =:= 2.")),
                2 => {
                    let update = update.replace('B', "A");
                    self.say(format!("move(keep{number}(A)) :- {site}(A), {update}, {body}."));
                    self.known_move(&format!("keep{number}"), &[Ty::Site]);
                }
                3 if outside => {
                    self.say(format!("move(keep{number}(A, B)) :- {site}(A), {body}, {update}."));
                    self.known_move(&format!("keep{number}"), &[Ty::Site, Ty::Site]);
                }
                4 => {
                    self.say(format!("apt{number}(A) :- {site}(A), {body}."));
                    let sign = if self.dice.percent(50) { "\\+ " } else { "" };
                    self.say(format!("move(keep{number}(A)) :- {site}(A), {sign}apt{number}(A), {}.", update.replace('B', "A")));
                    self.known_move(&format!("keep{number}"), &[Ty::Site]);
                }
                _ => {
                    self.say(format!("move(keep{number}(A)) :- {site}(A), {body}, {update}."));
                    self.known_move(&format!("keep{number}"), &[Ty::Site]);
                }
            }
        }
    }
}
