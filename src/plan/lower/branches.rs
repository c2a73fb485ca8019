//! Clauses of moves that are done apart for each branch of a disjunction.
//!
//! A clause that branches may have branches that do not. And where a disjunction chooses the candidates, these are sets for
//! each branch, which cost less than a test of each candidate.

use super::Lowering;
use super::goals::{Arg, G, Var, Vars};
use super::hoist::is_known;

/// The most clauses that are made of one with disjunctions.
const MAX_ALTERNATIVES: usize = 8;

impl Lowering<'_> {
    /// The bodies of a clause for each branch of its disjunctions; fewer than two where they are not to be done apart.
    pub(super) fn bodies_apart(
        &mut self,
        body: Vec<G>,
        branching: bool,
        head_vars: &[Var],
        vars: &mut Vars,
    ) -> Vec<Vec<G>> {
        if branching {
            return self.alternatives(body, &|lowering, body, at| {
                matches!(body[at], G::Or(_)) && lowering.acts(&body[at])
            });
        }
        // sets of candidates for each branch cost less than a test of each candidate, unless what stands before the disjunction
        // is laborious
        let body = self.opened(body, head_vars, vars);
        match self.is_light(&body) {
            true => self.alternatives(body, &|lowering, body, at| {
                !lowering.acts(&body[at]) && lowering.is_decided(body, at, head_vars)
            }),
            false => Vec::new(),
        }
    }

    /// Whether the goals before the first update look things up, without calls of recursive relations
    /// and aggregates.
    fn is_light(&self, body: &[G]) -> bool {
        body.iter().take_while(|goal| !self.acts(goal)).all(|goal| match goal {
            G::Call(id, _) => !self.program.relation(*id).recursive,
            G::Or(branches) => branches.iter().all(|branch| self.is_light(branch)),
            G::If(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().all(|goals| self.is_light(goals))
            }
            G::Not(goals) => self.is_light(goals),
            G::Static(..)
            | G::Functor(..)
            | G::Read(..)
            | G::Same(..)
            | G::Compare(..)
            | G::Is(..) => true,
            _ => false,
        })
    }

    /// A body whose calls of relations of a few clauses that give the move its arguments are the disjunctions of these
    /// clauses.
    fn opened(&mut self, body: Vec<G>, head_vars: &[Var], vars: &mut Vars) -> Vec<G> {
        let split = body.iter().position(|g| self.acts(g)).unwrap_or(body.len());
        let mut open = Vec::with_capacity(body.len());
        for (i, goal) in body.into_iter().enumerate() {
            let opened = match &goal {
                G::Call(id, args) if i < split => {
                    let relation = self.program.relation(*id);
                    let gives = |arg: &Arg| matches!(arg, Arg::Var(v) if head_vars.contains(v));
                    let few = relation.clauses.len() <= MAX_ALTERNATIVES && !relation.chooses;
                    // no other way to an answer is tried, which could be a rule error
                    let few = few && !self.types.raises[id.0 as usize];
                    (few && args.iter().any(gives)).then(|| self.bodies_of(*id, args, vars))
                }
                _ => None,
            };
            open.push(opened.flatten().map_or(goal, G::Or));
        }
        open
    }

    /// The bodies of a clause for each branch of its disjunctions and conditions that are wanted.
    fn alternatives(
        &mut self,
        body: Vec<G>,
        wanted: &dyn Fn(&Self, &[G], usize) -> bool,
    ) -> Vec<Vec<G>> {
        let mut all = vec![body];
        while all.len() <= MAX_ALTERNATIVES {
            let choice = |body: &Vec<G>| (0..body.len()).find(|i| wanted(self, body, *i));
            let found = all.iter().enumerate().find_map(|(i, body)| Some((i, choice(body)?)));
            let Some((at, choice)) = found else { break };
            let body = all.remove(at);
            let branches = match &body[choice] {
                G::Or(branches) => branches.clone(),
                G::If(condition, then, otherwise) => {
                    let denied = G::Not(condition.clone());
                    self.put_in_place(&denied, &body[choice]);
                    vec![
                        [condition.as_slice(), then].concat(),
                        [&[denied], otherwise.as_slice()].concat(),
                    ]
                }
                _ => break,
            };
            let (before, after) = (&body[..choice], &body[choice + 1..]);
            let parts = branches.iter().map(|branch| [before, branch, after].concat());
            all.splice(at..at, parts);
        }
        all
    }

    /// Whether the goal at a place is a disjunction, or a condition that only tests: what it has in common with other goals, those
    /// before it give.
    fn is_decided(&self, body: &[G], at: usize, head_vars: &[Var]) -> bool {
        let G::If(condition, then, otherwise) = &body[at] else {
            return matches!(body[at], G::Or(_));
        };
        let gives = |goal: &&G| {
            matches!(goal, G::Static(..) | G::Functor(..) | G::Read(..) | G::Call(..) | G::Is(..))
        };
        let mut known = Vec::new();
        body[..at].iter().filter(gives).for_each(|goal| goal.each_var(&mut |v| known.push(v)));
        let mut used = head_vars.to_vec();
        let others = body[..at].iter().chain(&body[at + 1..]).chain(then).chain(otherwise);
        others.for_each(|goal| goal.each_var(&mut |v| used.push(v)));
        // what the position has one value for tells no candidates apart
        let mut single: Vec<Var> = Vec::new();
        for goal in &body[..at] {
            if let G::Read(_, keys, Some(Arg::Var(value))) = goal
                && keys.iter().all(|key| is_known(key, &single))
            {
                single.push(*value);
            }
        }
        let mut open = false;
        condition.iter().for_each(|goal| goal.each_var(&mut |v| open |= !single.contains(&v)));
        let mut decided = open && !self.raises(&body[at]);
        for goal in condition {
            decided &= !self.chooses(goal, &|_| true);
            goal.each_var(&mut |v| decided &= known.contains(&v) || !used.contains(&v));
        }
        decided
    }
}
