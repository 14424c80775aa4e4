//! The commands of the input.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Command {
    Connect(Connect),
    Set(KeyValue),
    Get(Key),
    SetNative(KeyValue),
    GetNative(Key),
    Update(Update),
    GetOrSet(GetOrSet),
    Watch(Watch),
    Watched(Watched),
    Unwatch(Name),
    Measure(Measure),
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the fields have the names of the input")]
pub struct Connect {
    pub target: String,
    pub token: Option<String>,
    pub origin: Option<String>,
    #[serde(default, rename = "timeout_s", deserialize_with = "seconds")]
    pub timeout: Option<Duration>,
    #[serde(default, rename = "connect_timeout_s", deserialize_with = "seconds")]
    pub connect_timeout: Option<Duration>,
    pub ca_file: Option<PathBuf>,
}

#[derive(Deserialize)]
pub struct Key {
    pub agent: String,
    pub key: String,
}

#[derive(Deserialize)]
pub struct KeyValue {
    pub agent: String,
    pub key: String,
    pub value_json: String,
}

#[derive(Deserialize)]
pub struct Update {
    pub agent: String,
    pub key: String,
    pub count: u32,
    #[serde(default)]
    pub transaction: bool,
}

#[derive(Deserialize)]
pub struct GetOrSet {
    pub agent: String,
    pub key: String,
    pub value_json: String,
    #[serde(default, rename = "factory_s", deserialize_with = "seconds")]
    pub factory_takes: Option<Duration>,
    #[serde(default)]
    pub fail: bool,
    #[serde(default, rename = "lease_s", deserialize_with = "seconds")]
    pub lease: Option<Duration>,
    #[serde(default, rename = "wait_s", deserialize_with = "seconds")]
    pub wait: Option<Duration>,
}

#[derive(Deserialize)]
pub struct Watch {
    pub name: String,
    pub agent: String,
    pub key_prefix: Option<String>,
    #[serde(default)]
    pub initial_state: bool,
    #[serde(default, rename = "outage_max_s", deserialize_with = "seconds")]
    pub outage_max: Option<Duration>,
    pub resume_token: Option<String>,
}

#[derive(Deserialize)]
pub struct Watched {
    pub name: String,
    pub count: usize,
    #[serde(default, rename = "timeout_s", deserialize_with = "seconds")]
    pub timeout: Option<Duration>,
}

#[derive(Deserialize)]
pub struct Name {
    pub name: String,
}

#[derive(Deserialize)]
pub struct Measure {
    pub agent: String,
    pub call: Measured,
    pub calls: i64,
    #[serde(default = "one")]
    pub callers: usize,
    #[serde(default)]
    pub batching: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measured {
    Set,
    Get,
    Recall,
    Compose,
    NearGet,
}

fn one() -> usize {
    1
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let seconds = Option::<f64>::deserialize(deserializer)?;
    seconds.map(|seconds| Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)).transpose()
}
