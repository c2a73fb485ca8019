//! The players, the board, the values, the state and the opening of a rule file.

use super::Writer;
use super::world::{Action, Domain, Fluent, Relation, Ty};

const PLAYERS: [&str; 8] = ["red", "blue", "green", "gold", "grey", "pink", "teal", "lime"];

impl Writer {
    pub fn players(&mut self) {
        let n = [2, 1, 3, 4, 8, 5][self.dice.weighted(&[70, 10, 14, 3, 2, 1])];
        self.world.players = PLAYERS[..n].iter().map(ToString::to_string).collect();
        if self.dice.percent(8) {
            let named = (n + self.dice.below(3)).min(PLAYERS.len());
            self.say(format!(":- option seats -> 1..{named} = {n}."));
            let all = PLAYERS[..named].join(", ");
            return self.say(format!(":- players {all} with (count = option(seats))."));
        }
        self.say(format!(":- players {}.", self.world.players.join(", ")));
    }

    pub fn options(&mut self) {
        if !self.dice.percent(15) {
            return;
        }
        self.say(":- option big -> {yes, no} = no.".to_string());
        self.world.options.push(("big".to_string(), vec!["yes".to_string(), "no".to_string()]));
        if self.dice.percent(40) {
            self.say(":- option start -> 0..3 = 1.".to_string());
            let values = (0..=3).map(|n| n.to_string()).collect();
            self.world.options.push(("start".to_string(), values));
        }
    }

    /// The sites with what joins them.
    pub fn board(&mut self) {
        match self.dice.weighted(&[50, 40, 6, 4]) {
            0 => self.own_board(),
            1 => self.square_board(),
            2 => self.track_board(),
            _ => self.part_board(),
        }
        let sites = self.world.sites.clone();
        if self.dice.percent(45) {
            let name = if self.dice.percent(50) { "dark" } else { "some" };
            let n = 1 + self.dice.below(sites.len().min(6));
            let values = self.dice.some(&sites, n);
            for value in &values {
                self.say(format!("{name}({value})."));
            }
            self.world.parts.push((name.to_string(), values));
        }
        self.width_limit = 250.max(sites.len() * 2);
    }

    fn relation(&mut self, name: &str, args: &[Ty], answers: usize) {
        self.world.relations.push(Relation {
            name: name.to_string(),
            args: args.to_vec(),
            play: false,
            needs: vec![false; args.len()],
            answers,
        });
    }

    /// Sites and steps as facts.
    fn own_board(&mut self) {
        self.world.site = if self.dice.percent(70) { "cell" } else { "spot" }.to_string();
        let n = 2 + self.dice.below(6);
        let numbers = self.dice.percent(15);
        let first = self.dice.range(-2, 3);
        self.world.sites = (0..n as i64)
            .map(|i| if numbers { (first + i).to_string() } else { format!("s{i}") })
            .collect();
        let site = self.world.site.clone();
        match numbers && self.dice.percent(50) {
            true => self.say(format!("{site}(C) :- C in {first}.. {}.", first + n as i64 - 1)),
            false => {
                for name in self.world.sites.clone() {
                    self.say(format!("{site}({name})."));
                }
            }
        }
        self.world.directions = vec!["e".to_string(), "w".to_string()];
        self.say("way(e).".to_string());
        self.say("way(w).".to_string());
        let sites = self.world.sites.clone();
        let round = self.dice.percent(50);
        for i in 0..n {
            let to = if self.dice.percent(75) { i + 1 } else { self.dice.below(n) };
            if to < n || round {
                self.say(format!("step(e, {}, {}).", sites[i], sites[to % n]));
            }
        }
        match self.dice.percent(70) {
            true => self.say("step(w, A, B) :- step(e, B, A).".to_string()),
            false => self.say(format!("step(w, {}, {}).", sites[n - 1], sites[0])),
        }
        self.relation("step", &[Ty::Direction, Ty::Site, Ty::Site], 2);
        self.say("adjacent(A, B) :- step(_, A, B).".to_string());
        self.relation("adjacent", &[Ty::Site, Ty::Site], 3);
    }

    fn square_board(&mut self) {
        self.world.site = "cell".to_string();
        let (width, height) = match self.dice.weighted(&[80, 10, 4, 3, 2, 1]) {
            0 => (self.dice.range(1, 3), self.dice.range(2, 3)),
            1 => (self.dice.range(3, 5), self.dice.range(3, 4)),
            2 => (8, 8),
            3 => (9, 9),
            4 => (12, 12),
            _ => (20, 20),
        };
        let diagonals = self.dice.percent(40);
        let wide = match self.dice.weighted(&[88, 6, 6]) {
            0 => width.to_string(),
            1 => {
                self.say(format!(":- option wide -> 1..20 = {width}."));
                "option(wide)".to_string()
            }
            _ => {
                self.say(format!(":- option wide -> 0..20 = {}.", width / 2));
                format!("2 * option(wide) + {}", width % 2)
            }
        };
        self.say(format!(
            ":- include \"board/square\" with (width = {wide}, height = {height}, diagonals = {}).",
            if diagonals { "yes" } else { "no" }
        ));
        self.say("way(D) :- direction(D).".to_string());
        self.world.sites = (1..=height)
            .flat_map(|y| (0..width).map(move |x| format!("{}{y}", (b'a' + x as u8) as char)))
            .collect();
        let ways: &[&str] = match diagonals {
            true => &["n", "e", "s", "w", "ne", "se", "sw", "nw"],
            false => &["n", "e", "s", "w"],
        };
        self.world.directions = ways.iter().map(ToString::to_string).collect();
        self.relation("step", &[Ty::Direction, Ty::Site, Ty::Site], 4);
        self.relation("adjacent", &[Ty::Site, Ty::Site], 4);
        self.relation("xy", &[Ty::Site, Ty::Number, Ty::Number], 1);
        self.relation("opposite", &[Ty::Direction, Ty::Direction], 1);
        self.relation("corner", &[Ty::Site], 4);
        if width * height <= 64 {
            self.relation("line", &[Ty::Number, Ty::Sites], 6);
        }
    }

    fn track_board(&mut self) {
        self.world.site = "point".to_string();
        let n = [4, 6, 10, 70][self.dice.weighted(&[40, 40, 15, 5])];
        let round = if self.dice.percent(50) { "yes" } else { "no" };
        self.say(format!(":- include \"board/track\" with (points = {n}, loop = {round})."));
        self.say("way(D) :- direction(D).".to_string());
        self.world.sites = (1..=n).map(|i| i.to_string()).collect();
        self.world.directions = vec!["forward".to_string(), "back".to_string()];
        self.relation("step", &[Ty::Direction, Ty::Site, Ty::Site], 1);
        self.relation("adjacent", &[Ty::Site, Ty::Site], 2);
    }

    /// A board in a file of its own, with a parameter.
    fn part_board(&mut self) {
        let n = self.dice.range(2, 6);
        let part = ":- option count -> 1..9 = 4.\n\
            cell(C) :- option(count, N), C in 1..N.\n\
            step(up, A, B) :- cell(A), B is A + 1, cell(B).\n\
            step(down, A, B) :- step(up, B, A).\n\
            adjacent(A, B) :- step(_, A, B).\n\
            way(up).\nway(down).\n";
        self.files.push(("part".to_string(), part.to_string()));
        self.say(format!(":- include \"part\" with (count = {n})."));
        self.world.site = "cell".to_string();
        self.world.sites = (1..=n).map(|i| i.to_string()).collect();
        self.world.directions = vec!["up".to_string(), "down".to_string()];
        self.relation("step", &[Ty::Direction, Ty::Site, Ty::Site], 1);
        self.relation("adjacent", &[Ty::Site, Ty::Site], 2);
    }

    /// Kinds and pieces.
    pub fn values(&mut self) {
        let n = 2 + self.dice.below(2);
        self.world.kinds = (1..=n).map(|i| format!("k{i}")).collect();
        match self.dice.percent(30) {
            true => {
                let kinds = self.world.kinds.join(", ");
                self.say(format!("kind(K) :- member(K, [{kinds}])."));
            }
            false => {
                for kind in self.world.kinds.clone() {
                    self.say(format!("kind({kind})."));
                }
            }
        }
        self.world.declared = self.dice.percent(12);
        let forms: [(&str, &[Ty], &str); 4] = [
            ("man", &[Ty::Player], "piece(man(P)) :- player(P)."),
            ("king", &[Ty::Player], "piece(king(P)) :- player(P)."),
            ("pc", &[Ty::Player, Ty::Kind], "piece(pc(P, K)) :- player(P), kind(K)."),
            ("rock", &[], "piece(rock)."),
        ];
        let n = 1 + self.dice.below(3);
        for (name, args, clause) in self.dice.some(&forms, n) {
            self.world.pieces.push((name.to_string(), args.to_vec()));
            if !self.world.declared {
                self.say(clause.to_string());
            }
        }
    }

    fn domain(&mut self, ty: Ty, key: bool) -> Domain {
        let plain = |text: &str, values: Vec<String>| Domain {
            ty,
            text: text.to_string(),
            values,
            range: (0, 0),
            sparse: false,
        };
        match ty {
            Ty::Number => {
                let lo = if self.dice.percent(30) { self.dice.range(-3, 0) } else { 0 };
                let most = if key { 3 } else { 9 };
                let hi = lo + self.dice.range(1, most);
                let values = (lo..=hi).map(|n| n.to_string()).collect();
                // `..-` would be one operator
                let space = if hi < 0 { " " } else { "" };
                Domain { range: (lo, hi), ..plain(&format!("{lo}..{space}{hi}"), values) }
            }
            Ty::Kind if self.dice.percent(30) => {
                let kinds = self.world.kinds.clone();
                let values = self.dice.some(&kinds, kinds.len() - 1);
                let text = format!("{{{}}}", values.join(", "));
                Domain { sparse: true, ..plain(&text, values) }
            }
            Ty::Site if !self.world.parts.is_empty() && self.dice.percent(40) => {
                let (name, values) = self.dice.pick(&self.world.parts).clone();
                Domain { sparse: true, ..plain(&name, values) }
            }
            Ty::Piece => {
                let values = (0..3).map(|_| self.constant(Ty::Piece)).collect();
                plain("piece", values)
            }
            ty => {
                let values = match ty {
                    Ty::Site => self.world.sites.clone(),
                    Ty::Player => self.world.players.clone(),
                    _ => self.world.kinds.clone(),
                };
                let text = self.world.unary(ty).unwrap_or("player").to_string();
                plain(&text, values)
            }
        }
    }

    pub fn state(&mut self) {
        let value = [Ty::Player, Ty::Piece, Ty::Kind][self.dice.weighted(&[50, 35, 15])];
        match self.world.declared {
            true => self.declared_pieces(),
            false => self.fluent("at", &[Ty::Site], Some(value), false),
        }
        let n = 1 + self.dice.below(4);
        for i in 0..n {
            let keys: Vec<Ty> = (0..[1, 0, 2, 3][self.dice.weighted(&[40, 35, 20, 5])])
                .map(|_| {
                    [Ty::Player, Ty::Site, Ty::Kind, Ty::Number]
                        [self.dice.weighted(&[35, 30, 25, 10])]
                })
                .collect();
            let sites = keys.iter().filter(|k| **k == Ty::Site).count();
            if self.world.sites.len() > 30 && sites > 1 {
                continue;
            }
            let value = [
                Some(Ty::Number),
                None,
                Some(Ty::Player),
                Some(Ty::Kind),
                Some(Ty::Site),
                Some(Ty::Piece),
            ][self.dice.weighted(&[40, 22, 10, 12, 8, 8])];
            let name = format!("{}{i}", if value == Some(Ty::Number) { "n" } else { "f" });
            let total = value.is_some() && self.dice.percent(65);
            self.fluent(&name, &keys, value, total);
        }
        if self.dice.percent(6) {
            let name = self.dice.pick(&self.world.fluents).name.clone();
            self.say(format!(":- aside {name}."));
        }
    }

    /// `:- pieces`, with the relations that it gives.
    fn declared_pieces(&mut self) {
        let (key, value) = (self.domain(Ty::Site, true), self.domain(Ty::Piece, false));
        let forms: Vec<String> = (self.world.pieces.iter())
            .map(|(name, args)| {
                let domains: Vec<&str> =
                    args.iter().map(|ty| self.world.unary(*ty).unwrap_or("player")).collect();
                match domains.is_empty() {
                    true => name.clone(),
                    false => format!("{name}({})", domains.join(", ")),
                }
            })
            .collect();
        let forms = forms.join(", ");
        let known = ["cell", "point"].contains(&key.text.as_str());
        match known && self.dice.percent(50) {
            true => self.say(format!(":- pieces {forms}.")),
            false => self.say(format!(":- pieces {forms} with (sites = {}).", key.text)),
        }
        let owned = self.world.pieces.iter().any(|(_, args)| !args.is_empty());
        for name in ["empty", "mine", "theirs"] {
            if name == "empty" || owned {
                self.relation(name, &[Ty::Site], 3);
                self.world.relations.iter_mut().for_each(|r| r.play |= r.name == name);
            }
        }
        if owned {
            self.relation("owner", &[Ty::Piece, Ty::Player], 2);
        }
        let args = vec![(Ty::Site, true), (Ty::Site, !key.sparse)];
        if !key.sparse {
            self.world.actions.push(Action { name: "go".to_string(), args });
        }
        self.world.fluents.push(Fluent {
            name: "at".to_string(),
            keys: vec![key],
            value: Some(value),
            initial: None,
            scratch: false,
        });
    }

    fn fluent(&mut self, name: &str, keys: &[Ty], value: Option<Ty>, total: bool) {
        let keys: Vec<Domain> = keys.iter().map(|ty| self.domain(*ty, true)).collect();
        let value = value.map(|ty| self.domain(ty, false));
        let scratch = name != "at" && !total && self.dice.percent(10);
        let mut text = format!(":- {} {name}", if scratch { "scratch" } else { "state" });
        if !keys.is_empty() {
            let keys: Vec<&str> = keys.iter().map(|k| k.text.as_str()).collect();
            text += &format!("({})", keys.join(", "));
        }
        let mut initial = None;
        if let Some(value) = &value {
            text += &format!(" -> {}", value.text);
            if total {
                let first = self.dice.pick(&value.values).clone();
                // an option holds from 0 to 3
                let starts = self.world.options.len() > 1 && value.ty == Ty::Number;
                match starts && value.range.0 <= 0 && value.range.1 >= 3 {
                    true => text += " = option(start)",
                    false => text += &format!(" = {first}"),
                }
                initial = Some(first);
            }
        }
        self.say(format!("{text}."));
        self.world.fluents.push(Fluent { name: name.to_string(), keys, value, initial, scratch });
    }

    /// The `init` clauses.
    pub fn opening(&mut self) {
        if self.dice.percent(6) {
            let player = self.dice.pick(&self.world.players).clone();
            self.say(format!("init(turn({player}))."));
        }
        if !self.openings.is_empty() {
            for (site, value) in std::mem::take(&mut self.openings) {
                self.say(format!("init(at({site}, {value}))."));
            }
            return;
        }
        let told = self.told_opening();
        for fluent in self.world.fluents.clone() {
            if told.contains(&fluent.name) {
                continue;
            }
            let chance = if fluent.name == "at" { 75 } else { 30 };
            if !self.dice.percent(chance) || fluent.keys.is_empty() || fluent.scratch {
                continue;
            }
            let n = 1 + self.dice.below(3);
            let first = self.dice.some(&fluent.keys[0].values, n);
            for key in first {
                let mut args = vec![key];
                for key in &fluent.keys[1..] {
                    args.push(self.dice.pick(&key.values).clone());
                }
                args.extend(fluent.value.iter().map(|v| self.dice.pick(&v.values).clone()));
                self.say(format!("init({}({})).", fluent.name, args.join(", ")));
            }
        }
    }
}
