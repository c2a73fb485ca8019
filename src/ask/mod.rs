//! Requests and answers as data: what `ludex rpc` speaks as lines of JSON, for programs in any language.
//!
//! A [`Desk`] keeps the open games and answers one [`Request`] after the other with an [`Answer`]. Requests come from
//! strangers: rules are read under limits and from memory alone, and whatever is wrong is an answer. `docs/rpc.md` shows
//! every request.
//!
//! ```
//! use ludex::ask::Desk;
//! let mut desk = Desk::new();
//! let answer = desk.ask_json(r#"{"ask": "open", "game": "hex", "options": {"width": 5}}"#);
//! assert!(answer.starts_with(r#"{"v":1,"answer":"opened","at":1,"#), "{answer}");
//! let answer = desk.ask_json(r#"{"ask": "play", "at": 1, "move": "z9", "id": "a"}"#);
//! assert!(answer.starts_with(r#"{"id":"a","v":1,"answer":"error","kind":"illegal","#), "{answer}");
//! ```

mod answer;
mod desk;
mod request;

pub use answer::{
    Answer, ClauseAnswer, GameAnswer, MoveAnswer, OptionAnswer, OverAnswer, PositionAnswer,
    Problem, RatedAnswer, ShownAnswer, SiteAnswer, ToldAnswer, TouchAnswer,
};
pub use desk::{Desk, LONGEST_LINE, MOST_OPEN};
pub use request::{Format, Request, Rules, Setting};

/// The version of requests and answers. It grows when a request or answer changes its meaning, not when one is added.
pub const VERSION: u32 = 1;
