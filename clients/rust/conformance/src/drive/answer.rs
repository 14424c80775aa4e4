//! How failures are told.

use memoryd::Error;
use serde_json::{Value, json};

use crate::scenario::code_name;

/// Why a command failed.
pub enum Failure {
    Client(Error),
    /// What a watch failed with, which is told again and again.
    Told(Value),
    Other(String),
}

impl Failure {
    pub fn told(self) -> Value {
        match self {
            Self::Client(error) => tell(&error),
            Self::Told(error) => error,
            Self::Other(message) => json!({"type": "Other", "code": "", "reason": "", "message": message}),
        }
    }
}

pub fn tell(error: &Error) -> Value {
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
