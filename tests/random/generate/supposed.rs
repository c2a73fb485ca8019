//! Hypothetical goals: what would be after some updates.

use super::Writer;
use super::world::{Context, Scope, Ty};

impl Writer {
    /// `after(A, G)`, whose variables goals behind it can ask for more often than not.
    pub fn supposed(&mut self, scope: &mut Scope, context: Context) -> String {
        let mut inner = scope.inner();
        let deeper = Context { end: false, ..context.deeper() };
        let mut action = Vec::new();
        match self.dice.below(5) {
            0 => action.push(self.read(&mut inner)),
            1 | 2 => action.push(self.goal(&mut inner, deeper)),
            _ => {}
        }
        for _ in 0..1 + usize::from(self.dice.percent(30)) {
            let effect = match self.dice.percent(30) {
                true => self.effect(&mut inner, deeper),
                false => self.update(&inner),
            };
            match effect.iter().any(|goal| goal.contains("again")) {
                true => action.extend(self.update(&inner)),
                false => action.extend(effect),
            }
            if self.dice.percent(20) {
                action.push(self.goal(&mut inner, deeper));
            }
        }
        if self.dice.percent(8) {
            action.push(format!("turn := {}", self.known(scope, Ty::Player)));
        }
        let acts = |goal: &String| {
            [":=", "+=", "-=", "set(", "clear("].iter().any(|update| goal.contains(update))
                || self.world.actions.iter().any(|a| goal.starts_with(&a.name))
        };
        if !action.iter().any(acts) {
            action.extend(self.update(&inner));
        }
        let asks_moves = context.end
            && !self.world.moves.is_empty()
            && !self.said().any(|clause| clause.contains("repeated"));
        let then = match self.dice.below(6) {
            0 if asks_moves && self.dice.percent(50) => "stuck".to_string(),
            0 | 1 if asks_moves => self.supposed_move(),
            2 => self.read(&mut inner),
            _ => {
                let n = 1 + usize::from(self.dice.percent(25));
                self.conjunction(&mut inner, deeper, n)
            }
        };
        let action = match action.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        match self.dice.percent(60) {
            true => *scope = inner,
            false => scope.leave(&inner),
        }
        format!("after({action}, {then})")
    }

    /// Whether some clause asks for the moves of a supposed position: no move may then ask for
    /// what the history of the game tells.
    pub fn supposes_moves(&self) -> bool {
        self.said().any(|clause| {
            clause.contains("after(") && (clause.contains("legal(") || clause.contains("stuck"))
        })
    }

    /// Sites where a player would make a pair, asked by a move, an end or a further hypothesis.
    pub fn threats(&mut self) {
        // a hypothesis of each site within one of each site is beyond the budgets of large boards
        if self.world.sites.len() > 30 {
            return;
        }
        let tag = self.dice.below(2);
        let pair = match tag {
            0 => "adjacent(A, B), at(B, Y), own(Y, P)",
            _ => "step(D, A, B), step(D, B, C), at(B, Y), own(Y, P), at(C, Z), own(Z, _)",
        };
        self.say(format!("paired(P, A) :- at(A, X), own(X, P), {pair}."));
        let value = "own(X, P)";
        match self.dice.below(3) {
            0 => self.say(format!(
                "threat(P, A) :- player(P), {value}, free(A), after(at(A) := X, paired(P, A))."
            )),
            1 => self.say(format!(
                "threat(P, A) :- player(P), {value}, after((free(A), at(A) := X), paired(P, B)), A \\= B."
            )),
            _ => {
                self.say(format!("put(P, A) :- {value}, at(A) := X."));
                self.say("threat(P, A) :- player(P), free(A), after(put(P, A), paired(P, _)).".to_string());
            }
        }
        self.known_relation("threat", &[Ty::Player, Ty::Site], true, 3);
        self.say(
            "double(P, A) :- threat(P, A), own(X, P), after(at(A) := X, (count(B, threat(P, B), N), N > 1))."
                .to_string(),
        );
        self.known_relation("double", &[Ty::Player, Ty::Site], true, 2);
        let test = match self.dice.below(5) {
            0 => "\\+ threat(Me, A)",
            1 => "threat(Me, A)",
            2 => "\\+ double(Me, A)",
            3 => "own(X, Me), \\+ after((at(A) := X, turn := Me), (threat(Me, B), B \\= A))",
            _ => "forall(after((own(X, Me), at(A) := X, adjacent(A, B)), free(B)), free(B))",
        };
        let behind = self.behind().replace('B', "A");
        self.say(format!(
            "move(threaten(A, Y)) :- turn(Me), free(A), {test}, own(Y, Me), at(A) := Y{behind}."
        ));
        let value = self.world.fluents[0].value.as_ref().map_or(Ty::Player, |v| v.ty);
        self.known_move("threaten", &[Ty::Site, value]);
        if self.dice.percent(30) {
            self.say(
                "win(P) :- player(P), count(A, threat(P, A), N), N >= 3, ply(M), M > 3."
                    .to_string(),
            );
        }
    }

    /// Whether some move would be legal.
    fn supposed_move(&mut self) -> String {
        let (name, args) = self.dice.pick(&self.world.moves.clone()).clone();
        let blanks = vec!["_"; args.len()].join(", ");
        let form = if args.is_empty() { name } else { format!("{name}({blanks})") };
        let sign = if self.dice.percent(40) { "\\+ " } else { "" };
        format!("{sign}legal({form})")
    }
}
