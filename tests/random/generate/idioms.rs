//! What games are made of: steps, slides, leaps, chains of captures, groups, lines, sowing. The
//! compiler knows many of these forms, and random goals seldom come to one.

use super::Writer;
use super::world::{Action, Context, Relation, Scope, Ty};

impl Writer {
    pub fn idioms(&mut self) {
        if !self.dice.percent(55) || self.world.players.len() > 4 {
            return;
        }
        self.owners();
        let n = 1 + self.dice.below(3);
        let all: Vec<usize> = (0..26).collect();
        for number in self.dice.some(&all, n) {
            match number {
                0 => self.steps(),
                1 => self.slides(),
                2 => self.leaps(),
                3 => self.chains(),
                4 => self.groups(),
                5 => self.lines(),
                6 => self.sowing(),
                7 => self.connection(),
                8 => self.bends(),
                9 => self.barriers(),
                10 => self.flanks(),
                12 => self.threats(),
                13 => self.passes(),
                14 => self.grid(),
                15 => self.pushes(),
                16 => self.offsets(),
                17 => self.onward(),
                18 => self.tracks(),
                19 => self.best(),
                20 => self.ties(),
                21 => self.likenesses(),
                22 => self.denied_turns(),
                23 => self.parted(),
                24 => self.begun_anywhere(),
                25 => self.several_ways(),
                _ => self.turning(),
            }
        }
    }

    pub fn known_relation(&mut self, name: &str, args: &[Ty], play: bool, answers: usize) {
        self.world.relations.push(Relation {
            name: name.to_string(),
            args: args.to_vec(),
            play,
            needs: vec![false; args.len()],
            answers,
        });
    }

    pub fn known_move(&mut self, name: &str, args: &[Ty]) {
        self.world.moves.push((name.to_string(), args.to_vec()));
    }

    /// `own(X, P)`: what stands at a site belongs to P. `ahead(P, D)`: where P goes.
    fn owners(&mut self) {
        let value = self.world.fluents[0].value.as_ref().map_or(Ty::Player, |v| v.ty);
        let players = self.world.players.clone();
        match value {
            Ty::Player => self.say("own(P, P) :- player(P).".to_string()),
            Ty::Piece => {
                for (functor, args) in self.world.pieces.clone() {
                    match args.len() {
                        0 => self.say(format!("own({functor}, {}).", players[0])),
                        1 => self.say(format!("own({functor}(P), P) :- player(P).")),
                        _ => self.say(format!("own({functor}(P, K), P) :- player(P), kind(K).")),
                    }
                }
            }
            _ => {
                for (i, kind) in self.world.kinds.clone().iter().enumerate() {
                    self.say(format!("own({kind}, {}).", players[i % players.len()]));
                }
            }
        }
        self.known_relation("own", &[value, Ty::Player], false, 1);
        let ways = self.world.directions.clone();
        for player in &players {
            let n = 1 + self.dice.below(2);
            for way in self.dice.some(&ways, n) {
                self.say(format!("ahead({player}, {way})."));
            }
        }
        self.known_relation("ahead", &[Ty::Player, Ty::Direction], false, 2);
        self.say("mine(A) :- turn(Me), at(A, X), own(X, Me).".to_string());
        self.known_relation("mine", &[Ty::Site], true, 3);
        let empty = match self.key() {
            Some(part) => format!("free(A) :- {part}(A), \\+ at(A, _)."),
            None => format!("free(A) :- {}(A), \\+ at(A, _).", self.world.site),
        };
        self.say(empty);
        self.known_relation("free", &[Ty::Site], true, 3);
        // something to move with
        if self.dice.percent(60) {
            let keys = self.world.fluents[0].keys[0].values.clone();
            let values = self.world.fluents[0].value.clone();
            for site in self.dice.some(&keys, 4) {
                let Some(value) = &values else { break };
                let value = self.dice.pick(&value.values).clone();
                self.openings.push((site, value));
            }
        }
    }

    /// The relation of the sites that can hold something, where it is not that of all.
    fn key(&self) -> Option<String> {
        let key = &self.world.fluents[0].keys[0];
        key.sparse.then(|| key.text.clone())
    }

    /// A test that stands behind updates, or nothing.
    pub fn behind(&mut self) -> String {
        match self.dice.below(6) {
            0 => ", \\+ repeated_board(2)".to_string(),
            1 => {
                let mut scope = Scope::new();
                scope.bind("B", Ty::Site);
                scope.bind("Me", Ty::Player);
                format!(", {}", self.goal(&mut scope, Context::of_play(1)))
            }
            _ => String::new(),
        }
    }

    fn steps(&mut self) {
        let way = match self.dice.below(4) {
            0 => "ahead(Me, D), step(D, A, B)".to_string(),
            1 => "adjacent(A, B)".to_string(),
            2 => format!("step({}, A, B)", self.constant(Ty::Direction)),
            _ => "step(_, A, B)".to_string(),
        };
        let own = match self.dice.below(3) {
            0 => "turn(Me), mine(A), at(A, X)".to_string(),
            1 => "turn(Me), at(A, X), own(X, Me)".to_string(),
            _ => "turn(Me), own(X, Me), at(A, X)".to_string(),
        };
        let target = match self.dice.below(3) {
            0 => "free(B)",
            1 => "free(B), A \\= B",
            _ => "at(B, Y), own(Y, You), Me \\= You",
        };
        let behind = self.behind();
        self.say(format!(
            "move(step(A, B)) :- {own}, {way}, {target}, clear(at(A)), at(B) := X{behind}."
        ));
        self.known_move("step", &[Ty::Site, Ty::Site]);
        if self.dice.percent(30) {
            let rank = self.dice.range(-1, 1);
            self.say(format!("rank(step(_, _), {rank})."));
        }
    }

    fn slides(&mut self) {
        match self.dice.percent(60) {
            true => {
                self.say("run(D, A, B) :- step(D, A, B), free(B).".to_string());
                self.say("run(D, A, C) :- run(D, A, B), step(D, B, C), free(C).".to_string());
                self.known_relation("run", &[Ty::Direction, Ty::Site, Ty::Site], true, 3);
                let behind = self.behind();
                self.say(format!(
                    "move(run(A, B)) :- turn(Me), mine(A), run(_, A, B), at(A, X), clear(at(A)), at(B) := X{behind}."
                ));
            }
            false => {
                self.say("ray(D, A, [B]) :- step(D, A, B), \\+ step(D, B, _).".to_string());
                self.say("ray(D, A, [B|L]) :- step(D, A, B), A \\= B, rest(D, B, L).".to_string());
                self.say("rest(D, B, [C]) :- step(D, B, C).".to_string());
                self.say("hit([B|_], B) :- at(B, _).".to_string());
                self.say("hit([B|L], C) :- \\+ at(B, _), hit(L, C).".to_string());
                let part = self.key().map(|part| format!("{part}(B), ")).unwrap_or_default();
                self.say(format!(
                    "move(run(A, B)) :- turn(Me), mine(A), ray(_, A, L), hit(L, B), {part}at(A, X), at(B, Y), \
                     own(Y, You), You \\= Me, clear(at(A)), at(B) := X."
                ));
            }
        }
        self.known_move("run", &[Ty::Site, Ty::Site]);
    }

    /// Pieces that push what is before them, or slide until something stops them: clauses of an action that exclude each
    /// other by what the first of them changes.
    fn pushes(&mut self) {
        let (name, mut clauses) = match self.dice.percent(50) {
            true => (
                "shove",
                vec![
                    "\\+ at(A, _), at(A) := X".to_string(),
                    "at(A, Y), at(A) := X, step(D, A, B), shove(D, B, Y)".to_string(),
                ],
            ),
            false => {
                let stopped = match self.dice.below(3) {
                    0 => "\\+ (step(D, A, B), free(B))",
                    1 => "\\+ (step(D, A, B), (free(B) ; at(B, X)))",
                    _ => "\\+ (step(D, A, B), (\\+ at(B, _) ; at(B, Y), Y = X)), turn(_)",
                };
                (
                    "roll",
                    vec![
                        "step(D, A, B), free(B), clear(at(A)), at(B) := X, roll(D, B, X)"
                            .to_string(),
                        "step(D, A, B), at(B, X), clear(at(A))".to_string(),
                        stopped.to_string(),
                    ],
                )
            }
        };
        if self.dice.percent(50) {
            clauses.reverse();
        }
        let part = self.key().map(|part| format!("{part}(A), ")).unwrap_or_default();
        for clause in &clauses {
            let behind = match self.dice.percent(25) {
                true => {
                    let mut scope = Scope::new();
                    scope.bind("A", Ty::Site);
                    format!(", {}", self.goal(&mut scope, Context::of_play(1)))
                }
                false => String::new(),
            };
            self.say(format!("{name}(D, A, X) :- {part}{clause}{behind}."));
        }
        let way = match self.dice.percent(50) {
            true => format!("D = {}", self.constant(Ty::Direction)),
            false => "step(D, A, _)".to_string(),
        };
        let start = match name {
            "shove" => "at(A, X), clear(at(A)), step(D, A, B), shove(D, B, X)",
            _ => "at(A, X), roll(D, A, X), at(B, _)",
        };
        let behind = self.behind();
        self.say(format!("move({name}(D, A)) :- turn(Me), mine(A), {way}, {start}{behind}."));
        self.known_move(name, &[Ty::Direction, Ty::Site]);
    }

    /// Ways that turn: recursion over a site and a direction.
    fn bends(&mut self) {
        self.say("bend(A, D, B) :- at(A, _), step(D, A, B), free(B).".to_string());
        self.say("bend(A, D, C) :- bend(A, D, B), step(D, B, C), free(C).".to_string());
        let turn = match self.dice.below(3) {
            0 => "bend(A, E, C) :- bend(A, D, B), \\+ step(D, B, _), step(E, B, C), free(C).",
            1 => "bend(A, E, C) :- step(E, B, C), free(C), bend(A, D, B), D \\= E, A \\= C.",
            _ => "bend(A, E, C) :- bend(A, _, B), step(E, B, C), at(C, X), at(A, X).",
        };
        let halves = [
            "bent(A, C) :- bend(A, D, B), step(D, B, C), at(C, _).",
            "bent(A, C) :- bend(A, _, B), adjacent(B, C), at(C, Y), at(A, X), Y \\= X.",
        ];
        self.say(turn.to_string());
        self.known_relation("bend", &[Ty::Site, Ty::Direction, Ty::Site], true, 6);
        if self.dice.percent(50) {
            let first = self.dice.below(2);
            [first, 1 - first].iter().for_each(|i| self.say(halves[*i].to_string()));
            self.known_relation("bent", &[Ty::Site, Ty::Site], true, 3);
        }
        let how = match self.dice.below(3) {
            0 => "bend(A, _, B)",
            1 => "free(B), bend(A, D, B), \\+ step(D, B, _)",
            _ => "at(B, Y), own(Y, You), Me \\= You, bend(A, _, B)",
        };
        let behind = self.behind();
        self.say(format!(
            "move(bend(A, B)) :- turn(Me), mine(A), {how}, at(A, X), clear(at(A)), at(B) := X{behind}."
        ));
        self.known_move("bend", &[Ty::Site, Ty::Site]);
        if self.dice.percent(40) {
            let how = *self.dice.pick(&[
                "bend(A, D, B), \\+ step(D, B, _)",
                "bend(A, _, B)",
                "bent(A, B)",
            ]);
            self.say("bent(A, B) :- bend(A, _, B), free(B).".to_string());
            self.say(format!(
                "move(veer(A, B)) :- turn(Me), mine(A), {how}, at(A, X), clear(at(A)), at(B) := X."
            ));
            self.known_move("veer", &[Ty::Site, Ty::Site]);
        }
    }

    /// What lies on the way to something, in a row: recursion whose end stands beside the call.
    fn flanks(&mut self) {
        let end = *self.dice.pick(&[
            "at(B, Y), X \\= Y",
            "free(B), X = X",
            "\\+ step(D, B, _), at(B, X)",
        ]);
        let ways = match self.dice.percent(50) {
            true => format!("{end} ; flank(D, B)"),
            false => format!("flank(D, B) ; {end}"),
        };
        self.say(format!("flank(D, A) :- at(A, X), step(D, A, B), ( {ways} )."));
        self.known_relation("flank", &[Ty::Direction, Ty::Site], true, 5);
        let how = *self.dice.pick(&["flank(D, A), step(D, B, A)", "mine(A), flank(_, A), A = B"]);
        self.say(format!("move(flank(A)) :- turn(Me), {how}, at(A, X), own(X, Me), clear(at(B))."));
        self.known_move("flank", &[Ty::Site]);
    }

    /// What stands in a row up to the first free site, as a list that the recursion builds.
    fn passes(&mut self) {
        self.say("over(D, A, [B], C) :- step(D, A, B), at(B, _), step(D, B, C), free(C).".into());
        self.say("over(D, A, [B|L], C) :- step(D, A, B), at(B, _), over(D, B, L, C).".into());
        let way = *self.dice.pick(&["over(_, A, L, C)", "step(D, A, _), over(D, A, L, C)"]);
        let done = *self.dice.pick(&[
            "each(member(M, L), clear(at(M))), clear(at(A)), at(C) := X",
            "last(L, B), clear(at(B)), at(C) := X",
            "L = [B|_], at(B) := X, clear(at(A))",
        ]);
        let (head, types): (&str, &[Ty]) = *self.dice.pick(&[
            ("pass(A, C)", &[Ty::Site, Ty::Site] as &[Ty]),
            ("pass(C)", &[Ty::Site]),
            ("pass(L)", &[Ty::Sites]),
        ]);
        self.say("last([B], B).".into());
        self.say("last([_, B|L], C) :- last([B|L], C).".into());
        self.say(format!("move({head}) :- turn(Me), mine(A), {way}, at(A, X), {done}."));
        self.known_move("pass", types);
    }

    /// Barriers between sites, and what can be reached around them.
    fn barriers(&mut self) {
        let (site, from) = (self.world.site.clone(), self.constant(Ty::Site));
        let ways = [self.constant(Ty::Direction), self.constant(Ty::Direction)];
        self.say(format!(":- state bar({site}, side)."));
        for (side, way) in ["one", "two"].iter().zip(ways) {
            self.say(format!("side({side})."));
            self.say(format!("stops(S, {side}, S, B) :- step({way}, S, B)."));
            if self.dice.percent(50) {
                self.say(format!("stops(S, {side}, B, S) :- step({way}, S, B)."));
            }
        }
        self.say("barred(A, B) :- stops(S, O, A, B), bar(S, O).".to_string());
        if self.dice.percent(70) {
            self.say("barred(A, B) :- stops(S, O, B, A), bar(S, O).".to_string());
        }
        let not = match self.dice.below(5) {
            0 => "\\+ (stops(S, O, B, C), bar(S, O))",
            1 => "\\+ barred(B, C), free(C)",
            2 => "\\+ barred(B, C), \\+ at(C, _)",
            3 => "\\+ barred(B, C), \\+ barred(C, B)",
            _ => "\\+ barred(B, C)",
        };
        let step = if self.dice.percent(50) { "adjacent(B, C)" } else { "step(_, B, C)" };
        let first =
            if self.dice.percent(50) { "at(A, _)".to_string() } else { format!("{site}(A)") };
        self.say(format!("around(A, A) :- {first}."));
        self.say(format!("around(A, C) :- around(A, B), {step}, {not}."));
        self.known_relation("around", &[Ty::Site, Ty::Site], true, 8);
        let guard = match self.dice.below(3) {
            0 => format!(", at(A, _), around(A, {from})"),
            1 => ", \\+ (mine(A), around(A, B), B \\= A, at(B, _))".to_string(),
            _ => String::new(),
        };
        self.say(format!(
            "move(bar(S, O)) :- {site}(S), side(O), \\+ bar(S, O){guard}, set(bar(S, O))."
        ));
        self.known_move("bar", &[Ty::Site, Ty::Kind]);
        if self.dice.percent(50) {
            self.say("move(pull(S, O)) :- bar(S, O), clear(bar(S, O)).".to_string());
            self.known_move("pull", &[Ty::Site, Ty::Kind]);
        }
        if self.dice.percent(50) {
            self.say("draw :- ply(N), N > 3, count(p(S, O), bar(S, O), M), M > 2.".to_string());
        }
    }

    fn leaps(&mut self) {
        let behind = self.behind();
        let over = ["at(O, Y), own(Y, You), opponent(Me, You)", "mine(O)", "at(O, _)"];
        let over = *self.dice.pick(&over);
        self.say(format!(
            "move(leap(A, B)) :- turn(Me), mine(A), step(D, A, O), {over}, step(D, O, B), free(B), \
             at(A, X), clear(at(A)), clear(at(O)), at(B) := X{behind}."
        ));
        self.known_move("leap", &[Ty::Site, Ty::Site]);
        if self.dice.percent(40) {
            let rank = self.dice.range(-1, 2);
            self.say(format!("rank(leap(_, _), {rank})."));
        }
    }

    /// A chain of captures, with or without a change of the piece on the way.
    fn chains(&mut self) {
        let change = match self.world.fluents[0].value.clone() {
            Some(value) if self.dice.percent(50) => {
                let mut scope = Scope::new();
                scope.bind("X", value.ty);
                scope.bind("B", Ty::Site);
                let test = self.goal(&mut scope, Context::of_play(0));
                let other = self.dice.pick(&value.values).clone();
                format!("( {test} -> at(B) := {other} ; at(B) := X )")
            }
            _ => "at(B) := X".to_string(),
        };
        self.say(
            "jumps(A, O, B) :- step(D, A, O), at(O, Y), own(Y, You), turn(Me), Me \\= You, step(D, O, B), \
             free(B)."
                .to_string(),
        );
        self.known_relation("jumps", &[Ty::Site, Ty::Site, Ty::Site], true, 3);
        self.say(format!(
            "hop(A, [B|Path]) :- jumps(A, O, B), at(A, X), clear(at(A)), clear(at(O)), {change}, more(B, Path)."
        ));
        match self.dice.below(3) {
            0 => {
                self.say("more(B, Path) :- hop(B, Path).".to_string());
                self.say("more(B, []) :- \\+ jumps(B, _, _).".to_string());
            }
            1 => {
                self.say(
                    "more(B, Path) :- ( jumps(B, _, _) -> hop(B, Path) ; Path = [] ).".to_string(),
                );
            }
            _ => {
                self.say("more(_, []).".to_string());
                self.say("more(B, Path) :- hop(B, Path).".to_string());
            }
        }
        self.say("move(hops([A|Path])) :- mine(A), hop(A, Path).".to_string());
        match self.dice.below(4) {
            0 => self.say("rank(hops(_), 1).".to_string()),
            1 => self.say("rank(hops(Path), N) :- length(Path, N).".to_string()),
            2 => self.say("rank(hops([_, _]), 1).".to_string()),
            _ => {}
        }
        self.known_move("hops", &[Ty::Sites]);
    }

    /// Groups, what they touch, and what is taken from the board with them.
    fn groups(&mut self) {
        match self.dice.percent(50) {
            true => {
                self.say("group(A, A) :- at(A, _).".to_string());
                self.say(
                    "group(A, C) :- group(A, B), adjacent(B, C), at(A, X), at(C, X).".to_string(),
                );
            }
            false => {
                self.say("group(A, A) :- at(A, _).".to_string());
                self.say(
                    "group(A, C) :- at(A, X), group(A, B), adjacent(B, C), at(C, Y), own(X, P), own(Y, P)."
                        .to_string(),
                );
            }
        }
        self.known_relation("group", &[Ty::Site, Ty::Site], true, 4);
        // the same from its far end
        match self.dice.below(4) {
            0 => self.say("holds(C, A) :- group(A, C).".to_string()),
            1 => self.say("holds(C, A) :- at(C, _), group(A, C), A \\= C.".to_string()),
            2 => {
                self.say("holds(C, A) :- adjacent(C, B), group(A, B), \\+ group(A, C).".to_string())
            }
            _ => {}
        }
        if self.dice.percent(50) {
            self.say("lose(P) :- mover(P), at(C, _), count(A, group(A, C), N), N > 3.".to_string());
        }
        self.say("breathes(A) :- group(A, B), adjacent(B, C), free(C).".to_string());
        self.known_relation("breathes", &[Ty::Site], true, 4);
        let Some(value) = self.world.fluents[0].value.clone() else { return };
        let value = match value.ty {
            Ty::Player => "Me".to_string(),
            _ => self.dice.pick(&value.values).clone(),
        };
        let (test, last) = match self.dice.below(3) {
            0 => ("at(A, _), \\+ breathes(A)", ""),
            1 => ("at(A, X), own(X, P), P \\= Me, \\+ breathes(A)", ", breathes(B)"),
            _ => ("adjacent(B, A), at(A, _), \\+ breathes(A)", ", \\+ repeated_board(2)"),
        };
        self.say(format!(
            "move(stone(B)) :- turn(Me), free(B), at(B) := {value}, each(({test}, group(A, C)), clear(at(C))){last}."
        ));
        self.known_move("stone", &[Ty::Site]);
        if self.dice.percent(40) {
            self.say("score(P, N) :- player(P), count(A, (at(A, X), own(X, P)), N).".to_string());
        }
    }

    fn lines(&mut self) {
        if !self.world.relations.iter().any(|r| r.name == "line") {
            return self.steps();
        }
        let n = self.dice.range(2, 3);
        match self.dice.below(4) {
            0 => self.say(format!(
                "win(P) :- line({n}, L), forall(member(C, L), (at(C, X), own(X, P)))."
            )),
            1 => {
                self.say(format!("full(X) :- line({n}, L), forall(member(C, L), at(C, X))."));
                self.say("win(P) :- own(X, P), full(X).".to_string());
            }
            2 => {
                self.say(format!("inrow(C) :- line({n}, L), member(C, L), forall(member(D, L), at(D, _))."));
                self.known_relation("inrow", &[Ty::Site], true, 3);
                self.say("lose(P) :- mover(P), inrow(_).".to_string());
            }
            _ => self.say(format!(
                "win(P) :- mover(P), line({n}, [A, B|R]), at(A, X), at(B, X), forall(member(C, R), at(C, X))."
            )),
        }
    }

    fn sowing(&mut self) {
        let key = self.key();
        let (site, part) = match key {
            Some(part) => (part.clone(), format!("{part}(B), ")),
            None => (self.world.site.clone(), String::new()),
        };
        let start = self.dice.range(1, 2);
        self.say(format!(":- state seeds({site}) -> 0..30 = {start}."));
        let way = self.constant(Ty::Direction);
        self.say("sow(A, 0, A).".to_string());
        self.say(format!(
            "sow(A, N, C) :- N > 0, step({way}, A, B), {part}seeds(B) += 1, M is N - 1, sow(B, M, C)."
        ));
        let last = match self.dice.below(3) {
            0 => "( seeds(C) =:= 1 -> again ; true )",
            1 => "( seeds(C) > 1, seeds(C) < 4 -> seeds(C) := 0 ; true )",
            _ => "true",
        };
        self.say(format!(
            "move(sow(A)) :- {site}(A), seeds(A, N), N > 0, seeds(A) := 0, sow(A, N, C), {last}."
        ));
        self.known_move("sow", &[Ty::Site]);
        self.known_relation("seeds", &[Ty::Site, Ty::Number], true, 1);
        self.say(format!(
            "win(P) :- mover(P), ply(N), N > 2, sum(M, ({site}(A), seeds(A, M)), S), S =< 2."
        ));
    }

    fn connection(&mut self) {
        let from = self.constant(Ty::Site);
        let to = self.constant(Ty::Site);
        match self.dice.below(3) {
            0 => {
                self.say(format!("joined(P, {from}) :- at({from}, X), own(X, P)."));
                self.say(
                    "joined(P, B) :- joined(P, A), adjacent(A, B), at(B, X), own(X, P)."
                        .to_string(),
                );
                self.say(format!("win(P) :- joined(P, {to})."));
                self.known_relation("joined", &[Ty::Player, Ty::Site], true, 3);
            }
            1 => {
                self.say(format!("airy({from}) :- \\+ at({from}, _)."));
                self.say("airy(B) :- airy(A), step(_, A, B), \\+ at(B, _).".to_string());
                self.say(format!("lose(P) :- ply(N), N > 3, \\+ airy({to}), mover(P)."));
                self.known_relation("airy", &[Ty::Site], true, 4);
            }
            _ => {
                self.say("near(A, B) :- adjacent(A, B), mine(B).".to_string());
                self.say(
                    "near(A, C) :- near(A, B), adjacent(B, C), \\+ at(C, _), A \\= C.".to_string(),
                );
                self.known_relation("near", &[Ty::Site, Ty::Site], true, 4);
                self.say(
                    "draw :- ply(N), N > 4, count(pair(A, B), near(A, B), M), M > 6.".to_string(),
                );
            }
        }
    }

    /// Sites between that of a move and another of the same owner are turned.
    fn turning(&mut self) {
        let Some(value) = self.world.fluents[0].value.clone() else { return };
        let value = match value.ty {
            Ty::Player => "Me".to_string(),
            _ => value.values[0].clone(),
        };
        self.say("flank(D, A, [B]) :- step(D, A, B), at(B, X), own(X, P), turn(Me), P \\= Me, step(D, B, C), mine(C).".to_string());
        self.say(
            "flank(D, A, [B|L]) :- step(D, A, B), at(B, _), A \\= B, flank_on(D, B, L)."
                .to_string(),
        );
        self.say(
            "flank_on(D, A, [B]) :- step(D, A, B), at(B, X), own(X, P), turn(Me), P \\= Me."
                .to_string(),
        );
        self.say(format!(
            "move(turns(A, L)) :- turn(Me), free(A), flank(_, A, L), at(A) := {value}, \
             each(member(C, L), at(C) := {value})."
        ));
        self.world
            .actions
            .push(Action { name: "paint".to_string(), args: vec![(Ty::Sites, true)] });
        let part = self.key().map(|part| format!("{part}(C), ")).unwrap_or_default();
        let value = if value == "Me" { self.constant(Ty::Player) } else { value };
        self.say(format!("paint(L) :- each((member(C, L), {part}at(C, _)), at(C) := {value})."));
        self.known_move("turns", &[Ty::Site, Ty::Sites]);
    }
}
