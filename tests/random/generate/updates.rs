//! Updates that stay in their domains most often, and what else a move or an action does.

use super::Writer;
use super::world::{Context, Domain, Fluent, Scope, Ty};

impl Writer {
    /// A key or a value that is most often of the domain.
    fn of_domain(&mut self, scope: &Scope, domain: &Domain, guards: &mut Vec<String>) -> String {
        let constant = self.dice.pick(&domain.values).clone();
        if domain.ty == Ty::Number {
            let Some(variable) = self.variable(scope, Ty::Number) else { return constant };
            let (lo, hi) = domain.range;
            return match self.dice.below(10) {
                0..=3 => constant,
                4 if self.risky => variable,
                _ => {
                    guards.push(format!("{variable} >= {lo}"));
                    guards.push(format!("{variable} =< {hi}"));
                    variable
                }
            };
        }
        let known = self.known(scope, domain.ty);
        if !domain.sparse {
            return known;
        }
        match self.dice.below(10) {
            0..=3 => constant,
            4..=8 if domain.ty == Ty::Site && known.starts_with(char::is_uppercase) => {
                guards.push(format!("{}({known})", domain.text));
                known
            }
            _ if self.risky => known,
            _ => constant,
        }
    }

    fn place(&mut self, scope: &Scope, fluent: &Fluent, guards: &mut Vec<String>) -> String {
        let keys: Vec<String> =
            fluent.keys.iter().map(|key| self.of_domain(scope, key, guards)).collect();
        match keys.is_empty() {
            true => fluent.name.clone(),
            false => format!("{}({})", fluent.name, keys.join(", ")),
        }
    }

    /// One update, with the tests before it.
    pub fn update(&mut self, scope: &Scope) -> Vec<String> {
        let fluents = self.world.fluents.clone();
        // the board is what moves are mostly about
        let fluent = if self.dice.percent(45) { &fluents[0] } else { self.dice.pick(&fluents) };
        let mut goals = Vec::new();
        let place = self.place(scope, fluent, &mut goals);
        let update = match &fluent.value {
            None if self.dice.percent(65) => format!("set({place})"),
            None => format!("clear({place})"),
            Some(_) if self.dice.percent(20) => format!("clear({place})"),
            Some(value) if value.ty == Ty::Number && self.dice.percent(70) => {
                self.count(fluent, value, &place, &mut goals)
            }
            Some(value) => {
                let x = match self.dice.percent(10) {
                    true => self.held(scope, fluent),
                    false => None,
                };
                let x = x.unwrap_or_else(|| self.of_domain(scope, value, &mut goals));
                format!("{place} := {x}")
            }
        };
        goals.push(update);
        goals
    }

    /// What another map of the same values holds.
    fn held(&mut self, scope: &Scope, fluent: &Fluent) -> Option<String> {
        let domain = |f: &Fluent| f.value.as_ref().map(|v| v.text.clone());
        let maps: Vec<Fluent> = (self.world.fluents.iter())
            .filter(|f| domain(f).is_some() && domain(f) == domain(fluent))
            .cloned()
            .collect();
        let map = self.dice.pick(&maps).clone();
        let keys: Vec<Ty> = map.keys.iter().map(|k| k.ty).collect();
        Some(self.compound(&map.name, &keys, &mut |w, ty| w.known(scope, ty)))
    }

    /// A number that goes up or down.
    fn count(
        &mut self,
        fluent: &Fluent,
        value: &Domain,
        place: &str,
        goals: &mut Vec<String>,
    ) -> String {
        let (lo, hi) = value.range;
        let by = self.dice.range(1, 2.min(hi - lo).max(1));
        let up = self.dice.percent(55);
        let (op, test) = match up {
            true => ("+=", format!("{place} =< {}", hi - by)),
            false => ("-=", format!("{place} >= {}", lo + by)),
        };
        let start = if up { lo } else { hi };
        match self.dice.below(10) {
            0..=3 => format!("( {test} -> {place} {op} {by} ; {place} := {start} )"),
            4 | 5 => format!("( {test} -> {place} {op} {by} ; true )"),
            6 if lo == 0 => format!("{place} := ({place} + {by}) mod {}", hi + 1),
            7 if fluent.initial.is_some() && self.risky => format!("{place} {op} {by}"),
            8 => format!("{place} := max({lo}, min({hi}, {place} {} {by}))", &op[..1]),
            _ => {
                goals.push(test);
                format!("{place} {op} {by}")
            }
        }
    }

    /// `each`, with an action that does the same in whatever order the answers come.
    pub fn each(&mut self, scope: &mut Scope, context: Context) -> Vec<String> {
        let fluents = self.world.fluents.clone();
        if self.dice.percent(15) {
            let ways = self.world.directions.clone();
            let way = self.dice.pick(&ways).clone();
            return vec![match self.dice.percent(50) {
                true => format!("each((step({way}, A, B), at(A, X)), at(B) := X)"),
                false => format!("each(step({way}, A, B), at(B) := old(at(A)))"),
            }];
        }
        let mut inner = scope.inner();
        let before = inner.bound.len();
        let mut goal = self.read(&mut inner);
        if self.dice.percent(40) {
            goal = format!("({goal}, {})", self.goal(&mut inner, context.deeper()));
        }
        let locals: Vec<(String, Ty)> = inner.bound[before..].to_vec();
        scope.leave(&inner);
        let fluent = self.dice.pick(&fluents).clone();
        let mut guards = Vec::new();
        let mut outer = scope.clone();
        let keyed: Vec<&(String, Ty)> = (locals.iter())
            .filter(|(_, ty)| fluent.keys.iter().any(|k| k.ty == *ty && !k.sparse))
            .filter(|(_, ty)| *ty != Ty::Number)
            .collect();
        let place = match keyed.first() {
            Some((name, ty)) => {
                let keys: Vec<String> = (fluent.keys.iter())
                    .map(|key| match key.ty == *ty && !key.sparse {
                        true => name.clone(),
                        false => self.dice.pick(&key.values).clone(),
                    })
                    .collect();
                format!("{}({})", fluent.name, keys.join(", "))
            }
            None => self.place(&outer, &fluent, &mut guards),
        };
        let action = match &fluent.value {
            None => format!("set({place})"),
            Some(value) if value.ty == Ty::Number && self.dice.percent(60) => {
                let (_, hi) = value.range;
                format!("( {place} < {hi} -> {place} += 1 ; true )")
            }
            Some(_) if self.dice.percent(30) => format!("clear({place})"),
            Some(value) if self.dice.percent(30) => {
                let mut all = outer.clone();
                all.bound.extend(locals.iter().cloned());
                match self.held(&all, &fluent) {
                    Some(map) if value.ty == Ty::Number && self.dice.percent(30) => {
                        // a map without initial values has no number to calculate with
                        let total = |f: &Fluent| {
                            f.initial.is_some() && map.split('(').next() == Some(f.name.as_str())
                        };
                        match self.world.fluents.iter().any(total) {
                            true => format!("{place} := 0 + old({map})"),
                            false => format!("{place} := old({map})"),
                        }
                    }
                    Some(map) => format!("{place} := old({map})"),
                    None => format!("clear({place})"),
                }
            }
            Some(value) => {
                outer.bound.retain(|(_, ty)| *ty != Ty::Number);
                let x = self.of_domain(&outer, value, &mut guards);
                format!("{place} := {x}")
            }
        };
        guards.push(format!("each({goal}, {action})"));
        guards
    }

    /// What a move does: updates, calls of actions, and choices between them.
    pub fn effect(&mut self, scope: &mut Scope, context: Context) -> Vec<String> {
        match self.dice.weighted(&[50, 14, 9, 8, 6, 4, 9]) {
            1 if !self.world.actions.is_empty() => {
                let action = self.dice.pick(&self.world.actions).clone();
                let mut args = Vec::new();
                for (ty, given) in &action.args {
                    args.push(match given {
                        true => self.known(scope, *ty),
                        false => scope.name(*ty),
                    });
                }
                for ((ty, given), arg) in action.args.iter().zip(&args) {
                    if !given {
                        scope.bind(arg, *ty);
                    }
                }
                match args.is_empty() {
                    true => vec![action.name],
                    false => vec![format!("{}({})", action.name, args.join(", "))],
                }
            }
            2 => {
                let mut inner = scope.inner();
                let condition = self.goal(&mut inner, context.deeper());
                scope.leave(&inner);
                let then = self.update(scope).join(", ");
                let otherwise = match self.dice.percent(50) {
                    true => self.update(scope).join(", "),
                    false => "true".to_string(),
                };
                vec![format!("( {condition} -> {then} ; {otherwise} )")]
            }
            3 => self.each(scope, context),
            4 => {
                // a choice, which the move must tell
                let tag = scope.name(Ty::Kind);
                let kinds = self.world.kinds.clone();
                let first = self.update(scope).join(", ");
                let second = self.update(scope).join(", ");
                let text = match self.dice.percent(50) {
                    true => format!(
                        "( {tag} = {}, {first} ; {tag} = {}, {second} )",
                        kinds[0], kinds[1]
                    ),
                    false => format!(
                        "( {first}, {tag} = {} ; {second}, {tag} = {} )",
                        kinds[0], kinds[1]
                    ),
                };
                scope.bind(&tag, Ty::Kind);
                vec![text]
            }
            5 => match self.dice.below(3) {
                0 => vec!["again".to_string()],
                1 => vec![format!("turn := {}", self.known(scope, Ty::Player))],
                _ => {
                    let mut inner = scope.inner();
                    let condition = self.goal(&mut inner, context.deeper());
                    scope.leave(&inner);
                    vec![format!("( {condition} -> again ; true )")]
                }
            },
            6 => {
                let inside = self.update(scope).join(", ");
                match self.dice.below(3) {
                    0 => vec![format!("once(({inside}))")],
                    1 => {
                        let mut inner = scope.inner();
                        let test = self.goal(&mut inner, context.deeper());
                        scope.leave(&inner);
                        vec![format!("once(({inside}, {test}))")]
                    }
                    _ => {
                        let test = self.goal(scope, context.deeper());
                        vec![inside, test]
                    }
                }
            }
            _ => self.update(scope),
        }
    }
}
