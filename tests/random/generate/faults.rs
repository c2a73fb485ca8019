//! Goals that may be rule errors among others that guard them or come behind them, in all that a clause may be made of.

use super::Writer;
use super::world::Ty;

impl Writer {
    /// Sites with a dose, of which 0 is an error to divide by.
    pub fn faults(&mut self) {
        let site = self.world.site.clone();
        let dose = self.dice.range(1, 2);
        self.say(format!(":- state dose({site}) -> 0..3 = {dose}."));
        self.say(format!(":- state dosed({site})."));
        self.say(format!("harm(A) :- {site}(A), 4 // dose(A) > 1."));
        self.say(format!("force(A, N) :- {site}(A), N is 6 // dose(A)."));
        self.say("force(A, N) :- dosed(A), N is 3 mod dose(A).".to_string());
        for number in 0..1 + usize::from(self.dice.percent(30)) {
            self.ill(number);
            self.asks_ill(number);
        }
        self.say(format!("move(sip(A)) :- {site}(A), dose(A) > 0, dose(A) -= 1."));
        self.say(format!(
            "move(mix(A)) :- {site}(A), \\+ dosed(A), dose(A) < 3, dose(A) += 1, set(dosed(A))."
        ));
        self.known_move("sip", &[Ty::Site]);
        self.known_move("mix", &[Ty::Site]);
        if self.dice.percent(30) {
            self.say("lose(P) :- mover(P), stuck.".to_string());
        }
        if self.dice.percent(40) {
            // two ways to one move, which differ in some positions
            self.say(format!("move(pour(A)) :- {site}(A), dose(A) > 1, dose(A) := 1."));
            self.say(format!("move(pour(A)) :- {site}(A), dose(A) > 2, dose(A) := 0."));
            self.known_move("pour", &[Ty::Site]);
            let (before, behind) = (self.guard("B"), self.guard("B"));
            let asked = [
                "legal(pour(B))",
                "\\+ legal(pour(B))",
                "legal(pour(_))",
                "( legal(pour(B)) ; dosed(B) )",
            ];
            let asked = *self.dice.pick(&asked);
            self.say(format!("draw :- {site}(B), {before}, {asked}, {behind}."));
        }
    }

    /// A test that is no rule error.
    fn guard(&mut self, of: &str) -> String {
        let other = self.constant(Ty::Site);
        let way = self.constant(Ty::Direction);
        match self.dice.below(13) {
            9 | 10 => format!("step({way}, {of}, _)"),
            11 => format!("adjacent({of}, S{of}), step({way}, S{of}, _)"),
            12 => format!("step(_, {other}, {of})"),
            0 | 1 => format!("dose({of}) > 0"),
            2 => format!("at({of}, _)"),
            3 => format!("\\+ at({of}, _)"),
            4 => format!("dosed({of})"),
            5 => format!("\\+ dosed({of})"),
            6 => format!("{of} \\= {other}"),
            7 => format!("adjacent({of}, E{of}), at(E{of}, _)"),
            _ => format!("dose({of}, H{of}), H{of} < {}", self.dice.range(1, 3)),
        }
    }

    /// A test that may be one.
    fn faulty(&mut self, of: &str) -> String {
        let n = self.dice.range(0, 3);
        match self.dice.below(10) {
            0 => format!("6 // dose({of}) > {n}"),
            1 => format!("M{of} is 4 mod dose({of}), M{of} < 2"),
            2 => format!("dose({of}, K{of}), 6 // K{of} =\\= {n}"),
            3 => format!("member(I{of}, [{n}, 1]), J{of} is 2 // I{of}, dose({of}, J{of})"),
            4 => format!(
                "dose({of}, K{of}), member(I{of}, [{n}, 1]), J{of} is K{of} // I{of}, J{of} > 0"
            ),
            5 => format!("harm({of})"),
            6 => format!("force({of}, _)"),
            7 => format!("force({of}, {n})"),
            8 => format!("force({of}, F{of}), F{of} > {n}"),
            _ => format!("L{of} in 1..6 // dose({of}), dose({of}, L{of})"),
        }
    }

    /// Guards and a test that may be an error, in some order.
    fn mixed(&mut self, of: &str) -> String {
        let mut goals = vec![self.faulty(of)];
        for _ in 0..1 + self.dice.below(2) {
            let at = self.dice.below(goals.len() + 1);
            let guard = self.guard(of);
            if !goals
                .iter()
                .any(|goal| goal.contains(&format!("E{of}")) && guard.contains(&format!("E{of}")))
            {
                goals.insert(at, guard);
            }
        }
        goals.join(", ")
    }

    fn ill(&mut self, number: usize) {
        let site = self.world.site.clone();
        let (one, two) = (self.mixed("A"), self.mixed("B"));
        let (guard, other) = (self.guard("A"), self.guard("B"));
        let list = ["[0, 1]", "[1, 2]", "[2, 0]", "[1]"];
        let list = *self.dice.pick(&list);
        let n = self.dice.range(0, 2);
        let body = match self.dice.below(19) {
            0 | 1 => one,
            2 => format!("( {one} ; {guard} )"),
            3 => format!("( {guard} ; {one} )"),
            4 => format!("\\+ ({one})"),
            5 => format!("\\+ (adjacent(A, B), {two})"),
            6 => format!("forall((adjacent(A, B), {other}), ({two}))"),
            7 => format!("count(B, (adjacent(A, B), {two}), N), N > {n}"),
            8 => format!("( {one} -> {guard} ; dosed(A) )"),
            9 => format!("( {guard} -> {one} ; dosed(A) )"),
            10 => format!("once(({one})), {guard}"),
            11 => format!("forall(member(I, {list}), (J is 2 // I, dose(A, J)))"),
            12 => format!("adjacent(A, B), {two}, {guard}"),
            17 | 18 => format!("adjacent(A, B), {guard}, {two}"),
            13 => format!("{guard}, adjacent(A, B), {two}"),
            14 => format!("sum(F, (adjacent(A, B), {other}, force(B, F)), N), N > {n}"),
            15 => {
                // a recursion
                self.say(format!("ill{number}(A) :- {site}(A), {guard}."));
                return self
                    .say(format!("ill{number}(B) :- ill{number}(A), adjacent(A, B), {two}."));
            }
            _ => {
                let start = ["at(A, _)", "dosed(A)"];
                let start = *self.dice.pick(&start);
                self.say(format!("spread{number}(A, A) :- {start}, {guard}."));
                self.say(format!(
                    "spread{number}(A, C) :- spread{number}(A, B), adjacent(B, C), {two}."
                ));
                format!("spread{number}(A, B), {other}")
            }
        };
        self.say(format!("ill{number}(A) :- {site}(A), {body}."));
    }

    fn asks_ill(&mut self, number: usize) {
        let (site, guard) = (self.world.site.clone(), self.guard("A"));
        let update = match self.dice.below(4) {
            0 => "dose(A) := 1".to_string(),
            1 => "dosed(A), clear(dosed(A))".to_string(),
            2 => "\\+ dosed(A), set(dosed(A))".to_string(),
            _ => self.touched("A"),
        };
        let test = match self.dice.below(5) {
            0 => format!("\\+ ill{number}(A), {guard}"),
            1 => format!("{guard}, ill{number}(A)"),
            2 => format!("{guard}, \\+ ill{number}(A)"),
            _ => format!("ill{number}(A), {guard}"),
        };
        let faulty = self.mixed("A");
        let asked = match self.dice.below(7) {
            0 => return self.say(format!("draw :- ply(N), N > 2, {site}(A), {test}.")),
            1 => {
                let count = format!("count(A, ({site}(A), {test}), M), M > 1");
                return self.say(format!("lose(P) :- mover(P), ply(N), N > 2, {count}."));
            }
            2 => format!("move(cure{number}(A)) :- {site}(A), {update}, {test}."),
            3 => {
                self.say(format!("nurse{number}(A) :- {faulty}, {update}."));
                self.say(format!("nurse{number}(A) :- \\+ ({test}), dose(A) := 2."));
                format!("move(cure{number}(A)) :- {site}(A), {guard}, nurse{number}(A).")
            }
            4 => {
                let put = self.touched("S");
                let each = format!("each(({site}(A), {test}), set(dosed(A)))");
                format!("move(cure{number}(S)) :- {site}(S), {put}, {each}.")
            }
            _ => format!("move(cure{number}(A)) :- {site}(A), {test}, {update}."),
        };
        self.say(asked);
        self.known_move(&format!("cure{number}"), &[Ty::Site]);
    }
}
