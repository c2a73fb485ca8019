//! `connected(C, G)`, as relations, before it is lowered.
//!
//! For the variables that G shares with its clause, one relation has the sites of G, a second one leads from a
//! site of them to those of its group, which is a flood, and a third one holds where there is a site
//! and no site is outside of its group. As the groups do not overlap, any site will do for that:
//!
//! ```prolog
//! inside(P, C) :- at(C, P).
//! joined(P, A, A) :- inside(P, A).
//! joined(P, A, C) :- joined(P, A, B), adjacent(B, C), inside(P, C).
//! connected(P) :- once(inside(P, A)), \+ (inside(P, B), \+ joined(P, A, B)).
//! ```

use crate::datalog::Tables;
use crate::program::{
    Aggregate, Clause, ClauseId, Goal, GoalKind, Kind, Program, Relation, RelationId, Term,
    Variable, VariableId, makes_choice, reconnect,
};
use crate::source::Span;
use crate::types::{Domain, Types};

use super::closures::Rewritten;

/// Replaces each `connected` of a program's rules of play by a call.
pub(super) fn lift(
    program: &mut Program,
    tables: &Tables,
    types: &mut Types,
    before: &mut Rewritten,
) {
    let mut lifts = false;
    let mut next = 0;
    while next < program.clauses.len() {
        let id = ClauseId(next as u32);
        next += 1;
        let clause = program.clause(id);
        let mut any = false;
        clause.body.walk(&mut |goal| any |= is_connected(goal));
        if !any || program.relation(clause.relation).kind == Kind::Static {
            continue;
        }
        let body = clause.body.clone();
        if next <= before.written() {
            before.keep(program, id, &body);
        }
        let occurrences = clause.occurrences();
        let mut lifted = body;
        Lift { program, tables, types, before, id, occurrences }.goal(&mut lifted);
        program.clauses[id.0 as usize].body = lifted;
        lifts = true;
    }
    if lifts {
        reconnect(program);
    }
}

fn is_connected(goal: &Goal) -> bool {
    matches!(goal.kind, GoalKind::Aggregate(Aggregate::Groups(_), ..))
}

struct Lift<'a> {
    program: &'a mut Program,
    tables: &'a Tables,
    types: &'a mut Types,
    before: &'a mut Rewritten,
    /// The clause.
    id: ClauseId,
    /// How often each of its variables occurs in it.
    occurrences: Vec<usize>,
}

impl Lift<'_> {
    fn goal(&mut self, goal: &mut Goal) {
        match &goal.kind {
            // one inside of it is lifted from the clause that is added
            GoalKind::Aggregate(Aggregate::Groups(beside), Term::Variable(site), inner, _) => {
                goal.kind = self.connected(*site, inner, *beside, goal.span);
            }
            _ => goal.children_mut().into_iter().for_each(|child| self.goal(child)),
        }
    }

    fn connected(
        &mut self,
        site: VariableId,
        inner: &Goal,
        beside: RelationId,
        span: Span,
    ) -> GoalKind {
        let mut inside = vec![0; self.occurrences.len()];
        let mut count = |v: VariableId| inside[v.0 as usize] += 1;
        count(site);
        inner.each_variable(&mut count);
        let shared: Vec<VariableId> = (0..inside.len())
            .filter(|v| inside[*v] > 0 && inside[*v] < self.occurrences[*v])
            .map(|v| VariableId(v as u32))
            .collect();
        let boxed = |goal: Goal| Box::new(goal);
        if shared.contains(&site) {
            // one site that is given
            let none = Goal::new(GoalKind::Not(boxed(inner.clone())), span);
            return GoalKind::Not(boxed(none));
        }
        let shared: Vec<Term> = shared.into_iter().map(Term::Variable).collect();
        let sites = self.types.variable(self.id, site).clone();
        let with = |more: &[Term]| [&shared, more].concat();
        let call = |relation: RelationId, more: &[Term]| {
            Goal::new(GoalKind::Call(relation, with(more)), span)
        };
        let and = |goals: Vec<Goal>| Goal::new(GoalKind::And(goals), span);
        let not = |goal: Goal| Goal::new(GoalKind::Not(boxed(goal)), span);

        let among = self.relation("inside", shared.len(), 1, &sites, false, span);
        self.clause(among, with(&[Term::Variable(site)]), inner.clone(), &[], &sites);
        let first = self.program.clause(self.id).variables.len() as u32;
        let [a, b, c] = [0, 1, 2].map(|i| Term::Variable(VariableId(first + i)));
        let fresh = ["A", "B", "C"];

        let joined = self.relation("joined", shared.len(), 2, &sites, true, span);
        self.clause(
            joined,
            with(&[a.clone(), a.clone()]),
            call(among, std::slice::from_ref(&a)),
            &fresh,
            &sites,
        );
        let step = and(vec![
            call(joined, &[a.clone(), b.clone()]),
            self.beside(beside, &b, &c, span),
            call(among, std::slice::from_ref(&c)),
        ]);
        self.clause(joined, with(&[a.clone(), c.clone()]), step, &fresh, &sites);

        let connected = self.relation("connected", shared.len(), 0, &sites, false, span);
        let any = Goal::new(GoalKind::Once(boxed(call(among, std::slice::from_ref(&a)))), span);
        let outside = and(vec![call(among, std::slice::from_ref(&b)), not(call(joined, &[a, b]))]);
        let body = and(vec![any, not(outside)]);
        self.clause(connected, shared.clone(), body, &fresh, &sites);
        GoalKind::Call(connected, shared)
    }

    /// Whether two sites are beside each other, in either order.
    fn beside(&self, relation: RelationId, a: &Term, b: &Term, span: Span) -> Goal {
        let call = |a: &Term, b: &Term| {
            Goal::new(GoalKind::Call(relation, vec![a.clone(), b.clone()]), span)
        };
        let both_ways = self.program.relation(relation).kind == Kind::Static && {
            let table = self.tables.get(relation);
            let rows: rustc_hash::FxHashSet<_> = table.rows().map(|r| (r[0], r[1])).collect();
            rows.iter().all(|(a, b)| rows.contains(&(*b, *a)))
        };
        match both_ways {
            true => call(a, b),
            false => Goal::new(GoalKind::Or(vec![call(a, b), call(b, a)]), span),
        }
    }

    /// A relation of the shared variables and some sites, without clauses.
    fn relation(
        &mut self,
        name: &str,
        shared: usize,
        sites: usize,
        domain: &Domain,
        recursive: bool,
        span: Span,
    ) -> RelationId {
        let number = RelationId(self.program.relations.len() as u32);
        let around = self.program.clause(self.id).relation;
        self.program.relations.push(Relation {
            name: name.to_string(),
            arity: shared + sites,
            kind: Kind::Derived,
            clauses: Vec::new(),
            stratum: self.program.relation(around).stratum,
            recursive,
            needs_bound: (0..shared + sites).map(|i| i < shared).collect(),
            chooses: false,
            supposes: false,
            span,
            built_in: true,
        });
        self.types.columns.push(vec![domain.clone(); shared + sites]);
        self.types.raises.push(false);
        number
    }

    /// Adds a clause with the variables of the clause around it, and some more.
    fn clause(
        &mut self,
        relation: RelationId,
        head: Vec<Term>,
        body: Goal,
        fresh: &[&str],
        sites: &Domain,
    ) {
        let around = self.program.clause(self.id);
        let span = body.span;
        let mut variables = around.variables.clone();
        variables.extend(fresh.iter().map(|name| Variable { name: (*name).to_string(), span }));
        let mut domains = self.types.variables[self.id.0 as usize].clone();
        domains.extend(fresh.iter().map(|_| sites.clone()));
        let clause = Clause { relation, head, body, variables, ..around.clone() };
        for (i, term) in clause.head.iter().enumerate() {
            if let Term::Variable(v) = term {
                self.types.columns[relation.0 as usize][i] = domains[v.0 as usize].clone();
            }
        }
        let raises = self.types.may_raise_in(&clause.body, self.program);
        let chooses = makes_choice(self.program, &clause);
        self.types.raises[relation.0 as usize] |= raises;
        let made = &mut self.program.relations[relation.0 as usize];
        made.chooses |= chooses;
        made.clauses.push(ClauseId(self.program.clauses.len() as u32));
        self.types.variables.push(domains);
        self.program.clauses.push(clause);
        self.before.stands_for(self.id);
    }
}
