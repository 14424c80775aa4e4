//! The steps of a scenario file.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    #[serde(rename = "scenario")]
    _sentence: String,
    #[serde(rename = "rows")]
    _rows: Vec<String>,
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a step is a call, a watch, events, a repeat or tasks, with the keys of its kind")]
pub enum Step {
    Call(Call),
    Watch(Watch),
    Events(Events),
    Repeat(Repeat),
    Tasks(Tasks),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    #[serde(rename = "call")]
    pub method: String,
    #[serde(default = "empty_object")]
    pub request: Value,
    #[serde(default, deserialize_with = "given")]
    pub response: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub error: Option<Value>,
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watch {
    #[serde(rename = "watch")]
    pub name: String,
    #[serde(default = "empty_object")]
    pub request: Value,
    #[serde(default, deserialize_with = "given")]
    pub error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    #[serde(rename = "events")]
    pub watch: String,
    pub expect: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    #[serde(rename = "repeat")]
    pub times: usize,
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tasks {
    #[serde(rename = "tasks")]
    pub count: usize,
    pub steps: Arc<Vec<Step>>,
}

/// Reads a value that is there. By itself, an `Option` would take null for a value that is not.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

fn empty_object() -> Value {
    Value::Object(serde_json::Map::new())
}
