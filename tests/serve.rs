//! The server as its visitors see it: a real process, asked over HTTP. The story of the paper on Nerenchi at the level of
//! the protocol, and what must not happen: a move that is lost, a game in wrong hands, a 5xx.

#![cfg(feature = "serve")]

mod serve {
    pub mod answers;
    pub mod client;
    pub mod fuzz;
    pub mod hostile;
    pub mod killed;
    pub mod story;
    pub mod table;
}
