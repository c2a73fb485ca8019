//! Rule files from elsewhere than the disk: what text from memory may include.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use super::load::{Found, Identity, MAX_FILE};

/// Where rule text from memory finds the files that it includes or varies. What is not found here is
/// looked for among the shipped files, and nowhere else: text from memory never sees the disk.
pub trait Files: Send + Sync {
    /// The text of a file; `None` where there is none. The path is as the directive writes it, and the same with
    /// `.ludex` behind it is asked for next.
    fn read(&self, path: &str) -> Option<String>;
}

impl Files for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}

impl<S: BuildHasher + Send + Sync> Files for HashMap<String, String, S> {
    fn read(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}

/// A shared [`Files`].
#[derive(Clone)]
pub struct FileSource(Arc<dyn Files>);

impl FileSource {
    /// The files of `files`.
    pub fn new(files: impl Files + 'static) -> FileSource {
        FileSource(Arc::new(files))
    }

    /// The file that a directive names by a path, if it is not too large.
    pub(super) fn find(&self, path: &str) -> Option<Found> {
        for candidate in [path.to_string(), format!("{path}.ludex")] {
            let text = self.0.read(&candidate).filter(|text| text.len() as u64 <= MAX_FILE);
            if let Some(text) = text {
                let identity = Identity::Memory(candidate.clone());
                return Some(Found { identity, name: candidate, path: None, text, family: None });
            }
        }
        None
    }
}

impl fmt::Debug for FileSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileSource")
    }
}
