//! Updates that stay within their map's values by a test before them, which may no longer hold where they are made or
//! may say nothing of them.

use super::Writer;
use super::world::Ty;

impl Writer {
    pub fn bounds(&mut self) {
        let site = self.world.site.clone();
        let start = self.dice.range(1, 2);
        self.say(format!(":- state level({site}) -> 0..3 = {start}."));
        self.say("flood_all(A) :- each(adjacent(A, B), level(B) := 3).".to_string());
        for number in 0..1 + self.dice.below(2) {
            let (test, update) = self.bounded();
            let behind = *self.dice.pick(&["", "", ", \\+ at(A, _)", ", level(A) < 3"]);
            self.say(format!("move(pump{number}(A)) :- {site}(A), {test}, {update}{behind}."));
            self.known_move(&format!("pump{number}"), &[Ty::Site]);
        }
        self.say(format!("move(drain(A)) :- {site}(A), level(A) > 1, level(A) -= 1."));
        self.known_move("drain", &[Ty::Site]);
    }

    fn bounded(&mut self) -> (String, String) {
        if self.dice.percent(50) {
            let tests = [
                "level(A) < 3",
                "level(A) =< 2",
                "\\+ level(A) >= 3",
                "\\+ (level(A) < 3, at(A, _))",
                "( level(A) < 3 ; at(A, _) )",
                "( at(A, _) -> level(A) < 3 ; true )",
                "( level(A) < 3 -> true ; at(A, _) )",
                "( at(A, _), level(A) < 3, level(A) := 3 ; level(A) < 3 )",
                "forall(adjacent(A, B), level(A) < 3)",
                "count(B, (adjacent(A, B), level(A) < 3), N), N >= 0",
                "once(level(A) < 3)",
                "after(level(A) := 1, level(A) < 3)",
                "after(set(lit(A)), level(A) < 3)",
                "level(A) < 3, after(level(A) := 0, level(A) >= 0)",
                "each((adjacent(A, C), level(A) < 3), level(C) := 3)",
            ];
            let test = self.dice.pick(&tests).replace("set(lit(A))", "level(A) := 2");
            let between = [
                "",
                "",
                "level(A) := 3, ",
                "adjacent(A, D), level(D) := 3, ",
                "adjacent(D, A), level(D) += 0, ",
                "flood_all(A), ",
                "each(adjacent(A, D), level(D) := 3), ",
                "( at(A, _) -> level(A) := 3 ; true ), ",
            ];
            let between = *self.dice.pick(&between);
            return (test, format!("{between}level(A) += 1"));
        }
        let tests = [
            "level(A, N), N < 3",
            "level(A, N), \\+ N < 3",
            "level(A, N), \\+ (adjacent(A, B), N < 3)",
            "level(A, N), forall(adjacent(A, B), N < 3)",
            "level(A, N), forall((adjacent(A, B), N < 3), at(B, _))",
            "level(A, N), count(B, (adjacent(A, B), N < 3), K), K < 2",
            "level(A, N), ( N < 3 ; at(A, _) )",
            "level(A, N), ( N < 3 -> true ; at(A, _) )",
            "once((adjacent(A, B), level(B, N))), N < 3",
            "( adjacent(A, B), at(B, _) -> level(B, N) ; level(A, N) ), N > 0",
            "level(A, N), after(level(A) := 0, N < 3)",
            "( at(A, _) -> level(A, N), N < 3 ; level(A, N) )",
        ];
        let test = self.dice.pick(&tests).to_string();
        let updates = [
            "M is N + 1, level(A) := M",
            "level(A) := N + 1",
            "M is N + 1, level(A) := M, N < 3",
            "M is N + 1, level(A) := M, M < 4",
            "level(A) := N + 1, N =\\= 3",
            "member(S, [1, 2]), M is N + S, level(A) := M, N < 2",
            "member(S, [0, 1]), M is N + S, level(A) := M, M < 4",
            "each(adjacent(A, D), level(D) := N + 1)",
        ];
        (test, self.dice.pick(&updates).to_string())
    }
}
