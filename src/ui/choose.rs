//! A choice between the moves that a text can mean, at a terminal.

use crate::syntax::Term;

use crate::referee::Stop;
use crate::referee::miss::Miss;
use crate::ui::console::Console;
use crate::ui::input::{Input, Line, Words};

/// Shows the moves with numbers and asks for one. `None` where there is no choice to make, where the input is not
/// a terminal, and where the answer is neither one of the numbers nor one of the moves.
///
/// # Errors
/// Where the question cannot be written.
pub fn choose(
    miss: &Miss,
    typed: &str,
    input: &mut Input,
    console: &Console,
) -> Result<Option<Term>, Stop> {
    let Miss::Ambiguous(moves) = miss else { return Ok(None) };
    if !input.is_terminal() {
        return Ok(None);
    }
    let meanings = miss.meanings();
    console.line(format!("`{typed}` can mean"))?;
    for (number, meaning) in meanings.iter().enumerate() {
        console.line(format!("  {}  {meaning}", number + 1))?;
    }
    let known = meanings.iter().map(|meaning| (*meaning).to_string()).collect();
    let question = format!("which, 1 to {}? ", moves.len());
    let Line::Typed(answer) = input.ask(&question, Box::new(Words(known)), console)? else {
        return Ok(None);
    };
    // a move may have a number as its name: the numbers shown here come first
    let chosen = match answer.parse::<usize>() {
        Ok(number) => number.checked_sub(1).filter(|at| *at < moves.len()),
        Err(_) => meanings.iter().position(|meaning| *meaning == answer),
    };
    Ok(chosen.map(|at| moves[at].term.clone()))
}
