//! How moves and positions are written: `notation/2` and `position_item/5`; and examples that begin in a `given`
//! position.

use super::Writer;
use super::world::{Fluent, Ty};

/// What stands between the parts of a notation.
const BETWEEN: [&str; 4] = ["-", "x", "/", " to "];

impl Writer {
    /// Now and then says how some moves are written. Several moves may be written alike.
    pub fn notations(&mut self) {
        if !self.dice.percent(30) {
            return;
        }
        for (name, args) in self.world.moves.clone() {
            if !self.dice.percent(70) {
                continue;
            }
            if args.is_empty() {
                self.say(format!("notation({name}, \"{name}!\")."));
                continue;
            }
            let mut told: Vec<usize> = (0..args.len()).collect();
            if self.dice.percent(25) {
                told.reverse();
            }
            if told.len() > 1 && self.dice.percent(20) {
                told.remove(0);
            }
            let variable = |i: usize| match told.contains(&i) {
                true => format!("A{i}"),
                false => "_".to_string(),
            };
            let head: Vec<String> = (0..args.len()).map(variable).collect();
            let form = format!("{name}({})", head.join(", "));
            let mut parts = Vec::new();
            if self.dice.percent(30) {
                parts.push(format!("\"{}\"", &name[..1].to_uppercase()));
            }
            for (n, i) in told.iter().enumerate() {
                if n > 0 {
                    parts.push(format!("\"{}\"", self.dice.pick(&BETWEEN)));
                }
                parts.push(format!("A{i}"));
            }
            let site = told.iter().find(|i| args[**i] == Ty::Site);
            if let Some(site) = site.filter(|_| self.dice.percent(30)) {
                let taken = parts.join(", ");
                self.say(format!("notation({form}, [\"*\", {taken}]) :- at(A{site}, _)."));
            }
            self.say(format!("notation({form}, [{}]).", parts.join(", ")));
        }
    }

    /// Now and then says how a position is written as lists: whose turn it is, and for each value of the board the
    /// sites where it stands.
    pub fn items(&mut self) {
        let at = self.world.fluents.iter().find(|fluent| fluent.name == "at").cloned();
        let Some(Fluent { keys, value: Some(value), initial: None, scratch: false, .. }) = at
        else {
            return;
        };
        if keys.len() != 1 || !self.dice.percent(15) {
            return;
        }
        for player in self.world.players.clone() {
            let lead = if self.dice.percent(50) { "" } else { "T" };
            self.say(format!("position_item(list, 1, \"\", \"{lead}{player}\", turn({player}))."));
        }
        let mut values = value.values;
        values.sort();
        values.dedup();
        let site = self.world.site.clone();
        let before = if self.dice.percent(30) { "q" } else { "" };
        for (i, value) in values.iter().enumerate() {
            let lead = (b'A' + i as u8) as char;
            let head = |text: &str| {
                format!("position_item(list, {}, \"{lead}\", {text}, at(C, {value}))", i + 2)
            };
            match before {
                "" => self.say(format!("{} :- {site}(C).", head("C"))),
                _ => self.say(format!("{} :- {site}(C), atom_concat({before}, C, T).", head("T"))),
            }
        }
    }

    /// Now and then examples that begin in a given position.
    pub fn given_examples(&mut self) {
        if !self.dice.percent(20) {
            return;
        }
        for number in 0..1 + self.dice.below(2) {
            let mut updates: Vec<String> = Vec::new();
            for _ in 0..self.dice.below(5) {
                updates.push(self.set_up());
            }
            if self.dice.percent(40) {
                let player = self.dice.pick(&self.world.players).clone();
                updates.push(format!("turn := {player}"));
            }
            if self.dice.percent(20) {
                let ply = self.dice.range(0, 12);
                updates.push(format!("ply := {ply}"));
            }
            let goal = self.asked();
            let position = updates.join(", ");
            self.say(format!(":- example \"given {number}\", given([{position}], {goal})."));
        }
    }

    /// An update of a position, with constants alone.
    fn set_up(&mut self) -> String {
        let fluents: Vec<Fluent> =
            self.world.fluents.iter().filter(|fluent| !fluent.scratch).cloned().collect();
        let fluent = if self.dice.percent(50) {
            fluents[0].clone()
        } else {
            self.dice.pick(&fluents).clone()
        };
        let keys: Vec<String> =
            fluent.keys.iter().map(|key| self.dice.pick(&key.values).clone()).collect();
        let place = match keys.is_empty() {
            true => fluent.name.clone(),
            false => format!("{}({})", fluent.name, keys.join(", ")),
        };
        match &fluent.value {
            _ if self.dice.percent(10) => format!("clear({place})"),
            None => format!("set({place})"),
            Some(value) => format!("{place} := {}", self.dice.pick(&value.values)),
        }
    }

    /// What such an example asks.
    fn asked(&mut self) -> String {
        let moves = self.world.moves.clone();
        let goal = match self.dice.below(6) {
            0 => "over".to_string(),
            1 => "draw".to_string(),
            2 => {
                let player = self.dice.pick(&self.world.players).clone();
                format!("{}({player})", if self.dice.percent(50) { "win" } else { "lose" })
            }
            3 => "win(_)".to_string(),
            _ if moves.is_empty() => "over".to_string(),
            _ => {
                let (name, args) = self.dice.pick(&moves).clone();
                let args = vec!["_"; args.len()].join(", ");
                match args.is_empty() {
                    true => format!("legal({name})"),
                    false => format!("legal({name}({args}))"),
                }
            }
        };
        match self.dice.percent(30) {
            true => format!("\\+ {goal}"),
            false => goal,
        }
    }
}
