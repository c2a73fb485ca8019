//! What a page posts: the fields of a form, which reach a handler only with the token of the visitor's own pages.

use std::collections::BTreeMap;

use axum::extract::{Form, FromRequest, Request};
use axum::http::header::ACCEPT;

use super::failure::{Failure, Outcome};
use super::visit::Visit;

/// The most fields of a form.
const MOST_FIELDS: usize = 100;

/// The fields of a form.
#[derive(Debug)]
pub struct Posted {
    pub visit: Visit,
    fields: BTreeMap<String, String>,
    /// A script has posted them, which wants JSON.
    pub script: bool,
}

impl Posted {
    /// A field, without blanks around it; empty where there is none.
    pub fn get(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", |value| value.trim())
    }

    /// A field as it is.
    pub fn raw(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// A number from 0.
    ///
    /// # Errors
    /// The field has no number.
    pub fn number(&self, name: &str) -> Outcome<i64> {
        let text = self.get(name);
        let number = text.parse::<i64>().ok().filter(|number| *number >= 0);
        number.ok_or_else(|| Failure::wrong(format!("`{name}` is a number from 0, not `{text}`")))
    }

    /// The fields whose names begin so, without the beginning.
    pub fn beginning(&self, with: &str) -> BTreeMap<String, String> {
        let pairs = self.fields.iter().filter_map(|(name, value)| {
            Some((name.strip_prefix(with)?.to_string(), value.trim().to_string()))
        });
        pairs.collect()
    }
}

/// Whether a script has sent a request, which wants JSON and no page.
pub fn by_script(headers: &axum::http::HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok());
    accept.is_some_and(|accept| accept.starts_with("application/json"))
}

impl<S: Send + Sync> FromRequest<S> for Posted {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Outcome<Posted> {
        let visit = request.extensions().get::<Visit>().cloned().ok_or_else(Failure::stranger)?;
        let script = by_script(request.headers());
        let unread = |error: axum::extract::rejection::FormRejection| {
            let mut failure = Failure::wrong(format!("the form cannot be read: {error}"));
            failure.status = error.status();
            failure
        };
        let Form(pairs) =
            Form::<Vec<(String, String)>>::from_request(request, state).await.map_err(unread)?;
        if pairs.len() > MOST_FIELDS {
            return Err(Failure::wrong(format!("a form has at most {MOST_FIELDS} fields")));
        }
        let fields: BTreeMap<String, String> = pairs.into_iter().collect();
        if fields.values().any(|value| value.contains('\0')) {
            return Err(Failure::wrong("a field contains the character 0, which is no text"));
        }
        if fields.get("csrf") != Some(&visit.csrf()) {
            return Err(Failure::forbidden(
                "this form is not from a page of yours, or from before you logged in: load the page again",
            ));
        }
        Ok(Posted { visit, fields, script })
    }
}
