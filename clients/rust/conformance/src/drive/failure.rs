//! The JSON form of failures.

use memoryd::Error;
use serde_json::{Value, json};

use crate::scenario::code_name;

/// The reason why a command failed.
pub enum Failure {
    Client(Error),
    /// The error of a watch in its JSON form, which every later command about the watch returns.
    Recorded(Value),
    Other(String),
}

impl Failure {
    pub fn into_json(self) -> Value {
        match self {
            Self::Client(error) => error_json(&error),
            Self::Recorded(error) => error,
            Self::Other(message) => json!({"type": "Other", "code": "", "reason": "", "message": message}),
        }
    }
}

pub fn error_json(error: &Error) -> Value {
    json!({
        "type": format!("{:?}", error.kind()),
        "code": error.code().map(code_name).unwrap_or_default(),
        "reason": error.reason(),
        "message": error.message(),
    })
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Client(error)
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Other(message)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Other(error.to_string())
    }
}
