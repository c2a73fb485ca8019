//! The form in which the plan implements a goal, in a few words.

use crate::diagnostic::listed;
use crate::plan::{Answer, MoveClause, NoFlood, Op, Plan, Procedure, Recursion};
use crate::program::{ClauseId, Program, RelationId, Term, print_head_with};

/// The form of an instruction; `None` for instructions that every clause has. Of several forms of a
/// goal, the first in this order is shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    Table,
    Flood,
    Recursion,
    NestedQuery,
    Action,
    Tuples,
    List,
    Rows,
    Numbers,
    Collected,
    TestCall,
    SetCall,
    Image,
    Set,
    Nested,
    Choice,
    Update,
    History,
    Index,
    State,
    Value,
}

impl Form {
    pub fn of(op: &Op, plan: &Plan) -> Option<Form> {
        Some(match op {
            Op::Call { procedure, .. }
            | Op::Test { procedure, .. }
            | Op::GatherCall { procedure, .. } => {
                Form::of_call(&plan.procedures[*procedure as usize])
            }
            Op::Legal { .. } | Op::SomeLegal { .. } | Op::Stuck => Form::NestedQuery,
            Op::Members { .. }
            | Op::InList { .. }
            | Op::Length { .. }
            | Op::MakeList { .. }
            | Op::TakeList { .. }
            | Op::IsEmpty { .. } => Form::List,
            Op::Rows { .. } => Form::Rows,
            Op::Integers { .. } => Form::Numbers,
            Op::Collect { .. } | Op::Yield { .. } => Form::Collected,
            Op::EmitImage { .. } | Op::EmitJoint { .. } | Op::SegmentImage { .. } => Form::Image,
            Op::Load { .. }
            | Op::And { .. }
            | Op::AndNot { .. }
            | Op::Remove { .. }
            | Op::Gather { .. }
            | Op::Each { .. }
            | Op::Count { .. }
            | Op::In { .. }
            | Op::NonEmpty { .. }
            | Op::Subset { .. }
            | Op::AnyRow { .. }
            | Op::Emit { .. }
            | Op::Segment { .. } => Form::Set,
            Op::Exists { .. } => Form::Nested,
            Op::Branch { .. } | Op::If { .. } | Op::Once { .. } => Form::Choice,
            Op::Assign { .. }
            | Op::Clear { .. }
            | Op::Set { .. }
            | Op::Again
            | Op::ForEach { .. } => Form::Update,
            Op::Repeated { .. } => Form::History,
            Op::Find { .. } | Op::Has { .. } => Form::Index,
            Op::Read { .. } | Op::Holds { .. } | Op::Defined { .. } | Op::Keys { .. } => {
                Form::State
            }
            Op::Copy { .. }
            | Op::Calculate { .. }
            | Op::Same { .. }
            | Op::Compare { .. }
            | Op::Between { .. } => Form::Value,
            Op::Probe { .. }
            | Op::Round { .. }
            | Op::Cut
            | Op::Fail
            | Op::Continue { .. }
            | Op::Succeed
            | Op::EmitOne { .. }
            | Op::Return { .. }
            | Op::Single
            | Op::Commit => return None,
        })
    }

    fn of_call(procedure: &Procedure) -> Form {
        match (&procedure.recursion, procedure.answer) {
            (Recursion::Tabled { .. }, _) => Form::Table,
            (Recursion::Flood { .. }, _) => Form::Flood,
            (Recursion::Plain, _) => Form::Recursion,
            (Recursion::None, _) if procedure.action => Form::Action,
            (Recursion::None, Answer::Test) => Form::TestCall,
            (Recursion::None, Answer::Set) => Form::SetCall,
            (Recursion::None, Answer::Tuples) => Form::Tuples,
        }
    }

    /// Whether the answers of such a goal are enumerated one by one.
    pub fn generates(self) -> bool {
        matches!(self, Form::Rows | Form::Numbers | Form::List | Form::Tuples)
    }

    /// The form as the profile shows it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Table => "table",
            Form::Flood => "flood",
            Form::Recursion => "recursion",
            Form::NestedQuery => "nested query",
            Form::Action => "action",
            Form::Tuples => "call, answers one by one",
            Form::List => "list, item by item",
            Form::Rows => "rows one by one",
            Form::Numbers => "values one by one",
            Form::Collected => "answers collected",
            Form::TestCall => "call, test",
            Form::SetCall => "call, set",
            Form::Image => "image of a set",
            Form::Set => "set",
            Form::Nested => "nested test",
            Form::Choice => "choice",
            Form::Update => "update",
            Form::History => "history",
            Form::Index => "index",
            Form::State => "state",
            Form::Value => "value",
        }
    }
}

/// The form in which a clause of a procedure is compiled.
pub fn way_of(procedure: &Procedure, number: usize) -> String {
    let answer = match procedure.answer {
        Answer::Test => "test",
        Answer::Set => "set",
        Answer::Tuples => "tuples",
    };
    match &procedure.recursion {
        Recursion::Tabled { .. } => "table".to_string(),
        Recursion::Flood { seeds, .. } if seeds[number] => "flood, first".to_string(),
        Recursion::Flood { .. } => "flood, each round".to_string(),
        Recursion::Plain => "recursion".to_string(),
        Recursion::None if procedure.action => "action".to_string(),
        Recursion::None => format!("as {answer}"),
    }
}

/// The form in which a move's clause is compiled up to its updates.
pub fn candidates_of(clause: &MoveClause) -> &'static str {
    match (clause.branching, clause.updates) {
        (true, _) => "moves, each played (branching)",
        (false, true) => "candidates behind updates",
        (false, false) => "candidates",
    }
}

/// Why a relation is a table and not a flood.
pub fn reason(because: &NoFlood, id: RelationId, program: &Program) -> String {
    let relation = program.relation(id);
    // as named by the last clause, which is most often a recursive one
    let last = relation.clauses.last().map(|id| program.clause(*id));
    let argument = |i: usize| match last.map(|clause| (clause, &clause.head[i])) {
        Some((clause, Term::Variable(v)))
            if !clause.variables[v.0 as usize].name.starts_with('_') =>
        {
            format!("`{}`", clause.variables[v.0 as usize].name)
        }
        _ => format!("argument {}", i + 1),
    };
    match because {
        NoFlood::Together => "it calls itself by way of other relations".to_string(),
        NoFlood::Raises => "a goal of it may be a rule error".to_string(),
        NoFlood::Chooses => "it keeps a first answer".to_string(),
        NoFlood::Twice => "a clause calls it more than once, or inside of another goal".to_string(),
        NoFlood::Changes(all) => {
            let named: Vec<String> = all.iter().map(|i| argument(*i)).collect();
            format!("the recursion changes {}", listed(&named, "and"))
        }
        NoFlood::NoSet(i) => {
            format!("the values of {}, which the recursion changes, are no set", argument(*i))
        }
        NoFlood::Open => {
            "it is asked for with an argument open that the recursion passes on".to_string()
        }
    }
}

/// A clause's head as it is written, on one line.
pub fn head(program: &Program, id: ClauseId) -> String {
    let clause = program.clause(id);
    let text = program.sources.text(clause.head_span);
    match text.is_empty() {
        true => {
            let open = vec![None; clause.variables.len()];
            print_head_with(program, clause, &program.values, &open)
        }
        false => on_one_line(text),
    }
}

/// A text on one line, without comments, cut where it is long.
pub fn on_one_line(text: &str) -> String {
    const LONGEST: usize = 72;
    let lines = text.lines().map(|line| line.split(" %").next().unwrap_or(""));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}
