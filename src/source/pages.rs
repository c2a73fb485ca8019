//! The pages on diagnostics that are built into the binary, one per code.

use include_dir::{Dir, include_dir};

static PAGES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/docs/diagnostics");

/// The page on one diagnostic code.
#[derive(Debug, Clone, Copy)]
pub struct Page {
    /// The code, e.g. `unknown-relation`.
    pub code: &'static str,
    /// The page in Markdown.
    pub text: &'static str,
}

impl Page {
    /// Every page, ordered by code.
    pub fn all() -> Vec<Page> {
        let page = |file: &'static include_dir::File<'static>| {
            let code = file.path().file_stem()?.to_str()?;
            Some(Page { code, text: file.contents_utf8()? })
        };
        let mut pages: Vec<Page> = PAGES.files().filter_map(page).collect();
        pages.sort_by_key(|p| p.code);
        pages
    }

    /// The page of a code.
    pub fn of(code: &str) -> Option<Page> {
        Page::all().into_iter().find(|p| p.code == code)
    }

    /// The first paragraph below the title, which says what the code means.
    pub fn summary(&self) -> &'static str {
        self.text.split("\n\n").nth(1).unwrap_or_default().trim()
    }
}
