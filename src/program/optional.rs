//! What depends on an option that a player may set. A check that sees one value of the option proves
//! nothing for the others.

use super::{Clause, Goal, GoalKind, Program, RelationId, Term};

/// Which relations of a program depend on an open option.
#[derive(Debug)]
pub struct Optional {
    relations: Vec<bool>,
}

impl Optional {
    /// Finds the relations whose clauses query an open option, or use a relation that does.
    pub fn of(program: &Program) -> Optional {
        let mut relations = vec![false; program.relations.len()];
        for (relation, found) in program.relations.iter().zip(&mut relations) {
            let seats = ["player", "next_player", "opponent", "turn", "mover"];
            *found =
                program.seats_vary && relation.built_in && seats.contains(&relation.name.as_str());
        }
        for component in &program.graph.components {
            let any = component.iter().any(|id| {
                let clauses = &program.relation(*id).clauses;
                clauses.iter().any(|c| asks_open_option(program, &program.clause(*c).body))
                    || program.graph.calls(*id).any(|(used, _)| relations[used.0 as usize])
            });
            component.iter().for_each(|id| relations[id.0 as usize] |= any);
        }
        Optional { relations }
    }

    /// Whether a relation depends on an open option.
    pub fn relation(&self, id: RelationId) -> bool {
        self.relations[id.0 as usize]
    }

    /// Whether a clause queries an open option, or uses a relation that depends on one.
    pub fn clause(&self, program: &Program, clause: &Clause) -> bool {
        let mut depends = asks_open_option(program, &clause.body);
        clause.body.walk(&mut |goal| {
            if let GoalKind::Call(id, _) = &goal.kind {
                depends |= self.relation(*id);
            }
        });
        depends
    }
}

/// Whether a goal queries an option that is not fixed by an include.
fn asks_open_option(program: &Program, goal: &Goal) -> bool {
    let mut open = false;
    goal.walk(&mut |goal| {
        if let GoalKind::Call(id, args) = &goal.kind
            && program.relation(*id).name == "option"
        {
            let name = match args.first() {
                Some(Term::Constant(value)) => program.values.show(*value),
                _ => String::new(),
            };
            open |= program.options.get(&name).is_none_or(|o| !o.fixed || o.passed);
        }
    });
    open
}
