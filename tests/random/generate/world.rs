//! What a rule file speaks of: its players, sites, kinds, pieces, the state, and the relations,
//! actions and moves that have been written so far.

/// What a variable or an argument may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Site,
    Player,
    Kind,
    Number,
    Direction,
    /// A value of the relation `piece/1`: an atom or a compound.
    Piece,
    /// A compound that is built in play, by its number in [`FORMS`].
    Made(usize),
    /// A list of sites.
    Sites,
}

/// Compounds that rules build in play; none of them is a value of the state.
pub const FORMS: [(&str, &[Ty]); 5] = [
    ("to", &[Ty::Site]),
    ("by", &[Ty::Player]),
    ("v", &[Ty::Number]),
    ("pr", &[Ty::Site, Ty::Player]),
    ("kn", &[Ty::Kind, Ty::Made(1)]),
];

/// The values of a key or of a map, as declared.
#[derive(Debug, Clone)]
pub struct Domain {
    pub ty: Ty,
    /// As the declaration writes it.
    pub text: String,
    /// Some of its values, all where there are few.
    pub values: Vec<String>,
    /// The ends of a range.
    pub range: (i64, i64),
    /// Fewer values than the type has: a key may be missing.
    pub sparse: bool,
}

/// A declared part of the state; a set has no value.
#[derive(Debug, Clone)]
pub struct Fluent {
    pub name: String,
    pub keys: Vec<Domain>,
    pub value: Option<Domain>,
    pub initial: Option<String>,
    /// Empty between moves.
    pub scratch: bool,
}

/// A relation that later clauses may ask.
#[derive(Debug, Clone)]
pub struct Relation {
    pub name: String,
    pub args: Vec<Ty>,
    /// Depends on the state.
    pub play: bool,
    /// Arguments that a caller must bind.
    pub needs: Vec<bool>,
    /// About how many answers it has for each value of its first argument.
    pub answers: usize,
}

/// An action that moves may call.
#[derive(Debug, Clone)]
pub struct Action {
    pub name: String,
    /// Types, and whether the caller gives the value.
    pub args: Vec<(Ty, bool)>,
}

#[derive(Debug, Clone, Default)]
pub struct World {
    pub players: Vec<String>,
    /// The relation of the sites.
    pub site: String,
    pub sites: Vec<String>,
    /// Relations of some of the sites.
    pub parts: Vec<(String, Vec<String>)>,
    pub kinds: Vec<String>,
    /// The forms of pieces: functor and argument types.
    pub pieces: Vec<(String, Vec<Ty>)>,
    /// The pieces are declared with the state of the board.
    pub declared: bool,
    pub directions: Vec<String>,
    pub fluents: Vec<Fluent>,
    pub relations: Vec<Relation>,
    pub actions: Vec<Action>,
    /// Moves and chance events: functor and argument types.
    pub moves: Vec<(String, Vec<Ty>)>,
    pub events: Vec<(String, Vec<Ty>)>,
    /// Options: name and values.
    pub options: Vec<(String, Vec<String>)>,
}

impl World {
    /// About how many values a type has.
    pub fn size(&self, ty: Ty) -> usize {
        match ty {
            Ty::Site => self.sites.len(),
            Ty::Player => self.players.len(),
            Ty::Kind => self.kinds.len().max(1),
            Ty::Number => 5,
            Ty::Direction => self.directions.len().max(1),
            Ty::Piece => self.pieces.len() * 2,
            Ty::Made(_) => 6,
            Ty::Sites => 4,
        }
    }

    /// Relations of one argument that hold for the values of a type.
    pub fn unary(&self, ty: Ty) -> Option<&str> {
        match ty {
            Ty::Site => Some(&self.site),
            Ty::Player => Some("player"),
            Ty::Kind => Some("kind"),
            Ty::Piece => Some("piece"),
            Ty::Direction if !self.directions.is_empty() => Some("way"),
            _ => None,
        }
    }
}

/// The variables of a clause that have a value, and how many answers its goals may have so far.
#[derive(Debug, Clone)]
pub struct Scope {
    pub bound: Vec<(String, Ty)>,
    next: usize,
    pub width: usize,
}

impl Scope {
    pub fn new() -> Scope {
        Scope { bound: Vec::new(), next: 0, width: 1 }
    }

    /// A name that the clause does not have yet.
    pub fn name(&mut self, ty: Ty) -> String {
        self.next += 1;
        let letter = match ty {
            Ty::Site => "C",
            Ty::Player => "P",
            Ty::Kind => "K",
            Ty::Number => "N",
            Ty::Direction => "D",
            Ty::Piece => "X",
            Ty::Made(_) => "T",
            Ty::Sites => "L",
        };
        format!("{letter}{}", self.next)
    }

    pub fn bind(&mut self, name: &str, ty: Ty) {
        self.bound.push((name.to_string(), ty));
    }

    /// A new variable, bound from now on.
    pub fn fresh(&mut self, ty: Ty) -> String {
        let name = self.name(ty);
        self.bind(&name, ty);
        name
    }

    pub fn of(&self, ty: Ty) -> Vec<String> {
        self.bound.iter().filter(|(_, t)| *t == ty).map(|(n, _)| n.clone()).collect()
    }

    /// A scope for goals whose variables are not known outside of them.
    pub fn inner(&self) -> Scope {
        self.clone()
    }

    /// Back from an inner scope: its names are taken.
    pub fn leave(&mut self, inner: &Scope) {
        self.next = inner.next;
    }
}

/// Where a goal stands.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The state may be read.
    pub play: bool,
    /// In an end: `stuck` and `legal` may stand here.
    pub end: bool,
    /// How deep goals may still nest.
    pub depth: usize,
}

impl Context {
    pub fn of_static() -> Context {
        Context { play: false, end: false, depth: 1 }
    }

    pub fn of_play(depth: usize) -> Context {
        Context { play: true, end: false, depth }
    }

    pub fn deeper(self) -> Context {
        Context { depth: self.depth.saturating_sub(1), ..self }
    }
}
