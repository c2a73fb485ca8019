//! Tables of text, and the width of the terminal: the only user of comfy-table.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// The number of columns of the terminal; where there is none, the value of `COLUMNS`, or 80.
pub fn terminal_width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|c| c.parse::<usize>().ok());
    let found = Table::new().width().map(usize::from);
    found.or(said).unwrap_or(80).clamp(20, 1000)
}

/// A table without borders, its cells wrapped to fit the width; the columns in `right` are aligned
/// to the right.
pub fn plain(rows: &[Vec<String>], right: &[usize], width: usize) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
    for row in rows {
        table.add_row(row);
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((if i == 0 { 0 } else { 1 }, 1));
        if right.contains(&i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut out = String::new();
    for line in table.lines() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
