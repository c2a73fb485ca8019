//! `:edit`: the rules in the user's editor.

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use crate::program::{LoadRequest, Origin};
use crate::referee::Stop;
use crate::ui::signals;

use super::commands::After;
use super::prompt::Prompt;
use super::rules::{Rules, write_new};
use super::sitting::Sitting;

impl Sitting<'_> {
    /// `:edit [FILE]`: opens the rule file, whose changes are noticed afterwards. A shipped game,
    /// or one with experiments, is first written to FILE, and the game continues with that file.
    ///
    /// # Errors
    /// There is no editor or no file, or the file exists.
    pub fn edit(&mut self, rest: &str, prompt: &Prompt<'_>) -> Result<After, Stop> {
        let rules = &self.opened.rules;
        let own = match &rules.request.origin {
            Origin::Path(path) if rules.edits.is_empty() => Some(path.clone()),
            _ => None,
        };
        if rest.is_empty() {
            let Some(path) = own else {
                let what = match rules.edits.is_empty() {
                    true => "a shipped game is no file",
                    false => "the rules have experiments that are in no file",
                };
                return Err(Stop::Failed(format!("{what}: `:edit FILE` makes one and opens it")));
            };
            open_editor(&path, prompt)?;
            return Ok(After::Stay);
        }
        let path = match rest.ends_with(".ludex") {
            true => PathBuf::from(rest),
            false => PathBuf::from(format!("{rest}.ludex")),
        };
        let shown = path.display().to_string();
        let Some(base) = rules.base() else {
            return Err(Stop::Failed("the file of the rules cannot be read any more".to_string()));
        };
        write_new(&shown, &rules.apply(&base))?;
        prompt.say(format!("the rules are saved as {shown}"))?;
        let options = rules.request.options.clone();
        let request = LoadRequest { options, ..LoadRequest::new(Origin::Path(path.clone())) };
        let before = Rules::new(request.clone()).load()?;
        open_editor(&path, prompt)?;
        // where the edited rules are wrong, the game continues with the copy, which is watched
        let opened = match Rules::new(request).load() {
            Ok(opened) => opened,
            Err(stop) => {
                prompt.console.report(stop);
                before
            }
        };
        Ok(self.switch(opened))
    }
}

/// Runs the editor and waits for its end.
fn open_editor(path: &Path, prompt: &Prompt<'_>) -> Result<(), Stop> {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.trim().is_empty());
    let Some(editor) = set("VISUAL").or_else(|| set("EDITOR")) else {
        let text = "no editor is set: put its name into the environment variable EDITOR, or edit \
                    the file elsewhere: it is watched";
        return Err(Stop::Failed(text.to_string()));
    };
    prompt.console.flush()?;
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or_default();
    let mut editing = Process::new(program);
    editing.args(words).arg(path);
    if !prompt.is_terminal() {
        // the lines of the pipe are for the prompt
        editing.stdin(Stdio::null());
    }
    let status = editing.status();
    signals::clear();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Stop::Failed(format!("`{editor}` has failed: {status}"))),
        Err(error) => Err(Stop::Failed(format!("cannot run `{editor}`: {error}"))),
    }
}
