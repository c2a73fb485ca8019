//! An explanation as lines of text.

use super::{Explanation, Line, Mark};

impl Explanation {
    /// The lines below the short answer, unfolded to a depth: 1 shows only the outermost lines.
    pub fn long(&self, depth: usize) -> String {
        let mut out = String::new();
        write(&self.lines, depth, 0, &mut out);
        out
    }

    /// The depth of the nested lines.
    pub fn depth(&self) -> usize {
        deepest(&self.lines)
    }
}

fn deepest(lines: &[Line]) -> usize {
    lines.iter().map(|line| 1 + deepest(&line.below)).max().unwrap_or(0)
}

fn write(lines: &[Line], depth: usize, indent: usize, out: &mut String) {
    if depth == 0 {
        return;
    }
    for line in lines {
        let pad = "  ".repeat(indent);
        let sign = match line.mark {
            Mark::Holds => "✓ ",
            Mark::Fails => "✗ ",
            Mark::Updates => "→ ",
            Mark::Clause | Mark::Note => "",
        };
        for (i, part) in line.text.lines().enumerate() {
            let lead = if i == 0 { sign } else { "" };
            out.push_str(&format!("{pad}{lead}{part}"));
            if i == 0
                && line.mark == Mark::Clause
                && let Some(place) = &line.place
            {
                out.push_str(&format!("  % {place}"));
            }
            out.push('\n');
        }
        // where the line below is a whole sentence, the goal is not repeated
        if let Some(note) = &line.note {
            out.push_str(&format!("{pad}    {note}\n"));
        }
        write(&line.below, depth - 1, indent + 1, out);
    }
}
