//! The declared domains of the state, and the positions that follow from declarations alone: the
//! empty one and the opening.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::datalog::Tables;
use crate::program::{DomainSpec, Fluent, FluentId, FluentShape, Program, Value};

use super::facts::{Facts, IN_SET, Map};

/// The values that a key or a value may have.
#[derive(Debug, Clone)]
enum Domain {
    Range(i64, i64),
    /// These values, each with its place in the order of the declaration.
    Values(FxHashMap<Value, usize>),
}

impl Domain {
    fn new(tables: &Tables, spec: &DomainSpec) -> Domain {
        match spec {
            DomainSpec::Range(lo, hi) => Domain::Range(*lo, *hi),
            DomainSpec::Values(values) => Domain::listed(values.iter().copied()),
            DomainSpec::Relation(id) => Domain::listed(tables.get(*id).column(0)),
        }
    }

    fn listed(values: impl IntoIterator<Item = Value>) -> Domain {
        let mut places = FxHashMap::default();
        for value in values {
            let next = places.len();
            places.entry(value).or_insert(next);
        }
        Domain::Values(places)
    }

    /// The place of a value in the order of the domain.
    fn place(&self, value: Value) -> i64 {
        match self {
            Domain::Range(..) => value.integer().unwrap_or(0),
            Domain::Values(places) => places.get(&value).map_or(0, |place| *place as i64),
        }
    }

    fn contains(&self, value: Value) -> bool {
        match self {
            Domain::Range(lo, hi) => value.integer().is_some_and(|n| *lo <= n && n <= *hi),
            Domain::Values(places) => places.contains_key(&value),
        }
    }

    /// The values in order, which may be too many to be collected.
    fn values(&self) -> Box<dyn Iterator<Item = Value> + '_> {
        match self {
            Domain::Range(lo, hi) => Box::new((*lo..=*hi).map(Value::Integer)),
            Domain::Values(values) => {
                let mut values: Vec<Value> = values.keys().copied().collect();
                values.sort_unstable_by_key(|value| self.place(*value));
                Box::new(values.into_iter())
            }
        }
    }
}

/// The domains of one fluent.
#[derive(Debug, Clone)]
pub(crate) struct FluentDomain {
    keys: Vec<Domain>,
    /// The domain of the values; `None` for a set.
    value: Option<Domain>,
    /// The initial value of a total map.
    pub initial: Option<Value>,
}

impl FluentDomain {
    fn new(tables: &Tables, fluent: &Fluent) -> FluentDomain {
        let (value, initial) = match &fluent.shape {
            FluentShape::Set => (None, None),
            FluentShape::Map { value, initial, .. } => (Some(Domain::new(tables, value)), *initial),
        };
        let keys = fluent.keys.iter().map(|k| Domain::new(tables, k)).collect();
        FluentDomain { keys, value, initial }
    }

    /// The first key outside its domain.
    pub fn wrong_key(&self, keys: &[Value]) -> Option<Value> {
        let mut pairs = self.keys.iter().zip(keys);
        pairs.find(|(domain, key)| !domain.contains(**key)).map(|(_, key)| *key)
    }

    /// The values of the first key that does not have one of these.
    pub fn fitting_keys(&self, wrong: &[Value]) -> impl Iterator<Item = Value> + '_ {
        let wrong = wrong.to_vec();
        let domain = self.keys.iter().find(|domain| wrong.iter().any(|key| !domain.contains(*key)));
        domain.into_iter().flat_map(Domain::values)
    }

    /// The values of one key.
    pub fn keys_at(&self, at: usize) -> impl Iterator<Item = Value> + '_ {
        self.keys.get(at).into_iter().flat_map(Domain::values)
    }

    pub fn allows(&self, value: Value) -> bool {
        self.value.as_ref().is_none_or(|domain| domain.contains(value))
    }

    /// The values of a map, which may be too many to be collected; none for a set.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        self.value.iter().flat_map(Domain::values)
    }

    /// Sorts entries by the order of the keys' domains, the first key first.
    pub fn sort<T>(&self, entries: &mut [(&Vec<Value>, T)]) {
        let places = |keys: &[Value]| -> Vec<i64> {
            self.keys.iter().zip(keys).map(|(domain, key)| domain.place(*key)).collect()
        };
        entries.sort_by_cached_key(|(keys, _)| places(keys));
    }

    /// Whether there is exactly one key, and its domain contains one of these values.
    pub fn single_key_among(&self, values: &[Value]) -> bool {
        match self.keys.as_slice() {
            [domain] => self.value.is_some() && values.iter().any(|v| domain.contains(*v)),
            _ => false,
        }
    }

    /// Every combination of keys.
    fn all_keys(&self) -> Vec<Vec<Value>> {
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        for domain in &self.keys {
            let values: Vec<Value> = domain.values().collect();
            let longer = |keys: Vec<Value>| {
                values.iter().map(move |v| keys.iter().copied().chain([*v]).collect())
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all
    }
}

pub(crate) fn domains(program: &Program, tables: &Tables) -> Vec<FluentDomain> {
    program.fluents.iter().map(|f| FluentDomain::new(tables, f)).collect()
}

/// The declared initial values, the first player's turn, and nothing else.
pub(crate) fn empty(program: &Program, domains: &[FluentDomain]) -> Facts {
    let total = |domain: &FluentDomain| match domain.initial {
        Some(value) => domain.all_keys().into_iter().map(|keys| (keys, value)).collect::<Map>(),
        None => Map::new(),
    };
    let maps = domains.iter().map(|d| Arc::new(total(d))).collect();
    let mut facts = Facts { maps, past: Arc::default() };
    facts.set(FluentId::TURN, &[], program.players.first().copied());
    facts.set(FluentId::PLY, &[], Some(Value::Integer(0)));
    facts
}

/// The empty position with the facts of the `init` clauses. Facts outside their domain are left
/// out; they are errors that are reported when the game is compiled.
pub(crate) fn opening(
    program: &Program,
    tables: &Tables,
    domains: &[FluentDomain],
    empty: &Facts,
) -> Facts {
    let mut facts = empty.clone();
    for (i, (fluent, domain)) in program.fluents.iter().zip(domains).enumerate() {
        let id = FluentId(i as u32);
        for row in tables.get(fluent.init).rows() {
            let (keys, value) = match (&domain.value, row.split_last()) {
                (Some(_), Some((value, keys))) => (keys, *value),
                _ => (row.as_slice(), IN_SET),
            };
            if domain.wrong_key(keys).is_none() && domain.allows(value) {
                facts.set(id, keys, Some(value));
            }
        }
    }
    facts
}
