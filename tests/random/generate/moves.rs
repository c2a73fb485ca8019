//! Moves, chance events, weights and ranks.

use super::Writer;
use super::world::{Context, Scope, Ty};

const NAMES: [&str; 8] = ["go", "put", "slide", "take", "flip", "swap", "lift", "jump"];

impl Writer {
    /// `move` clauses: one that keeps the game going, and whatever comes.
    pub fn moves(&mut self) {
        self.base_move();
        for i in 0..1 + self.dice.below(3) {
            self.random_move("move", NAMES[(i + 1) % NAMES.len()]);
        }
        if self.dice.percent(75) {
            self.say("move(pass).".to_string());
            self.world.moves.push(("pass".to_string(), Vec::new()));
        }
    }

    /// Placing, stepping or counting.
    fn base_move(&mut self) {
        let at = self.world.fluents[0].clone();
        let site = match at.keys[0].sparse {
            true => at.keys[0].text.clone(),
            false => self.world.site.clone(),
        };
        let value = match at.value.as_ref().map(|v| v.ty) {
            Some(Ty::Player) => "Me".to_string(),
            Some(Ty::Piece) => {
                let (functor, args) = self.dice.pick(&self.world.pieces).clone();
                let kind = self.world.kinds[0].clone();
                self.compound(&functor, &args, &mut |_, ty| match ty {
                    Ty::Player => "Me".to_string(),
                    _ => kind.clone(),
                })
            }
            _ => at.value.as_ref().map(|v| v.values[0].clone()).unwrap_or_default(),
        };
        let mut scope = Scope::new();
        scope.bind("Me", Ty::Player);
        scope.bind("C", Ty::Site);
        let extra = match self.dice.percent(35) {
            true => {
                let mut effect = self.effect(&mut scope, Context::of_play(1));
                effect.insert(0, String::new());
                effect.join(", ")
            }
            false => String::new(),
        };
        let shown: Vec<String> =
            scope.bound[2..].iter().map(|(name, _)| format!(", {name}")).collect();
        let types: Vec<Ty> = scope.bound[1..].iter().map(|(_, ty)| *ty).collect();
        let shown = shown.join("");
        match self.dice.below(3) {
            0 | 1 => self.say(format!(
                "move(mark(C{shown})) :- {site}(C), \\+ at(C, _), turn(Me), at(C) := {value}{extra}."
            )),
            _ => {
                self.say(format!(
                    "move(mark(C{shown})) :- {site}(C), turn(Me), \\+ at(C, {value}), \
                     ( at(C, _) -> clear(at(C)) ; at(C) := {value} ){extra}."
                ));
            }
        }
        self.world.moves.push(("mark".to_string(), types));
    }

    /// A clause of `move` or `chance`.
    pub fn random_move(&mut self, relation: &str, name: &str) {
        let mut scope = Scope::new();
        let mut body = Vec::new();
        let context = Context::of_play(2);
        if self.dice.percent(60) {
            body.push("turn(Me)".to_string());
            scope.bind("Me", Ty::Player);
        }
        if relation == "chance" {
            let n = self.dice.range(2, 4);
            body.push(format!("ply(N0), N0 mod {n} =:= {}", self.dice.range(0, n - 1)));
        }
        for _ in 0..self.dice.below(4) {
            body.push(self.goal(&mut scope, context));
        }
        let mut effects = Vec::new();
        for _ in 0..1 + self.dice.below(3) {
            effects.extend(self.effect(&mut scope, context));
            if self.dice.percent(12) {
                effects.push(self.goal(&mut scope, context));
            }
        }
        if self.dice.percent(4) && !self.supposes_moves() {
            effects.push("\\+ repeated_board(2)".to_string());
        }
        let used = effects.join(", ");
        body.extend(effects);
        let mut head = Vec::new();
        for (name, ty) in scope.bound.clone() {
            let matters = words(&used).any(|word| word == name);
            let shown = match (name.as_str(), matters) {
                ("Me", _) => self.dice.percent(15),
                (_, true) => !self.dice.percent(1),
                (_, false) => self.dice.percent(50),
            };
            if shown {
                head.push((name, ty));
            }
        }
        let types: Vec<Ty> = head.iter().map(|(_, ty)| *ty).collect();
        let mut args: Vec<String> = head.into_iter().map(|(name, _)| name).collect();
        let mut known = true;
        match self.dice.below(12) {
            0 if !args.is_empty() => {
                args[0] = format!("w({})", args[0]);
                known = false;
            }
            1 if args.len() > 1 => {
                args = vec![format!("[{}]", args.join(", "))];
                known = false;
            }
            2 => {
                args.push(self.constant(Ty::Kind));
                known = false;
            }
            _ => {}
        }
        let term = match args.is_empty() {
            true => name.to_string(),
            false => format!("{name}({})", args.join(", ")),
        };
        self.say(format!("{relation}({term}) :- {}.", body.join(", ")));
        if known {
            let written =
                if relation == "move" { &mut self.world.moves } else { &mut self.world.events };
            written.push((name.to_string(), types));
        }
    }

    pub fn chance(&mut self) {
        if !self.dice.percent(20) {
            return;
        }
        if self.dice.percent(50) {
            self.say(":- state die -> 1..4.".to_string());
            self.say("chance(roll(N)) :- \\+ die(_), N in 1..4, die := N.".to_string());
            self.say("move(use(N)) :- die(N), clear(die).".to_string());
            self.world.events.push(("roll".to_string(), vec![Ty::Number]));
            self.world.moves.push(("use".to_string(), vec![Ty::Number]));
        }
        if self.dice.percent(60) {
            self.random_move("chance", "falls");
        }
        let events = self.world.events.clone();
        if events.is_empty() || !self.dice.percent(60) {
            return;
        }
        // one weight for each event: which of several counts is not said
        for (name, args) in events {
            let mut scope = Scope::new();
            let form = self.compound(&name, &args, &mut |_, ty| scope.fresh(ty));
            let mut inner = scope.inner();
            let test = self.goal(&mut inner, Context::of_play(1));
            let expression = self.expression(&scope, Context::of_play(1), 1);
            match self.dice.below(4) {
                0 => {
                    let least = i64::from(!self.dice.percent(10));
                    let weight = self.dice.range(least, 3);
                    self.say(format!("weight({form}, {weight})."));
                }
                1 if self.risky => self.say(format!("weight({form}, W) :- W is {expression}.")),
                1 | 2 => self.say(format!("weight({form}, W) :- W is 1 + abs({expression}).")),
                _ => self.say(format!("weight({form}, W) :- ( {test} -> W = 2 ; W is 1 + 2 ).")),
            }
        }
    }

    pub fn ranks(&mut self) {
        if !self.dice.percent(22) {
            return;
        }
        let moves = self.world.moves.clone();
        for _ in 0..1 + self.dice.below(3) {
            let (name, args) = self.dice.pick(&moves).clone();
            self.rank(&name, &args);
        }
    }

    /// A clause of `rank` for a form of move.
    fn rank(&mut self, name: &str, args: &[Ty]) {
        let mut scope = Scope::new();
        let list = args.iter().position(|ty| *ty == Ty::Sites);
        let constant = self.dice.range(-2, 2);
        match self.dice.below(5) {
            0 | 1 => {
                let form = self.compound(name, args, &mut |w, ty| match w.dice.percent(75) {
                    true => "_".to_string(),
                    false => w.constant(ty),
                });
                self.say(format!("rank({form}, {constant})."));
            }
            2 if list.is_some() => {
                let (mut at, short) = (0, self.dice.percent(40));
                let form = self.compound(name, args, &mut |_, _| {
                    at += 1;
                    match Some(at - 1) == list {
                        true if short => "[_, _]".to_string(),
                        true => "L".to_string(),
                        false => "_".to_string(),
                    }
                });
                match short {
                    true => self.say(format!("rank({form}, {constant}).")),
                    false => self.say(format!("rank({form}, N) :- length(L, N).")),
                }
            }
            n => {
                let form = self.compound(name, args, &mut |_, ty| scope.fresh(ty));
                let mut body = Vec::new();
                if n > 2 {
                    body = self.goals(&mut scope, Context::of_play(1), 1);
                }
                let number =
                    self.variable(&scope, Ty::Number).unwrap_or_else(|| constant.to_string());
                match body.is_empty() {
                    true => self.say(format!("rank({form}, {number}).")),
                    false => self.say(format!("rank({form}, {number}) :- {}.", body.join(", "))),
                }
            }
        }
    }
}

/// Names in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
