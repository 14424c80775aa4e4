//! Conversion of JSON values, such as metadata, to messages of protobuf, and of those of entries back.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value as Message};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::error::{Error, ErrorKind, Result};
use crate::finite::check_finite;
use crate::selection::some_of;
use crate::v1;

/// 2^53. Beyond it a double cannot represent every integer.
const INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

/// Converts a value to a message. serde must serialize it as an object.
pub(crate) fn struct_of<T: Serialize + ?Sized>(what: &str, value: &T) -> Result<Struct> {
    match json_of(what, value)? {
        Value::Object(members) => Ok(message_of_object(members)),
        _ => Err(Error::new(ErrorKind::UnsupportedValue, format!("the {what} is not an object"))),
    }
}

/// Converts values to messages. serde must serialize each as an object.
pub(crate) fn structs_of<T: Serialize>(what: &str, values: impl IntoIterator<Item = T>) -> Result<Vec<Struct>> {
    values.into_iter().map(|value| struct_of(what, &value)).collect()
}

/// Converts any value to a message.
pub(crate) fn any_of<T: Serialize + ?Sized>(what: &str, value: &T) -> Result<Message> {
    json_of(what, value).map(message_of)
}

/// Converts values to a message with a list. Fails if there are none, which nothing is equal to.
pub(crate) fn list_of<T: Serialize>(what: &str, values: impl IntoIterator<Item = T>) -> Result<ListValue> {
    let values: Result<Vec<_>> = values.into_iter().map(|value| any_of(what, &value)).collect();
    Ok(ListValue { values: some_of(what, values?)? })
}

fn json_of<T: Serialize + ?Sized>(what: &str, value: &T) -> Result<Value> {
    check_finite(value).and_then(|()| serde_json::to_value(value)).map_err(|error| {
        let message = format!("the {what} cannot be encoded as JSON: {error}");
        Error::new(ErrorKind::UnsupportedValue, message).with_source(error)
    })
}

impl v1::Entry {
    /// Returns the metadata as a `T`, such as `serde_json::Map<String, Value>`. A whole number is an integer, because
    /// JSON does not distinguish 3 and 3.0.
    ///
    /// # Errors
    ///
    /// `WrongType` if the metadata is not a `T`.
    pub fn metadata_as<T: DeserializeOwned>(&self) -> Result<T> {
        let members = self.metadata.clone().map(object_of).unwrap_or_default();
        serde_json::from_value(Value::Object(members)).map_err(|error| {
            let message = format!("the metadata of {:?} is of another type: {error}", self.key);
            Error::new(ErrorKind::WrongType, message).with_source(error)
        })
    }
}

fn message_of_object(members: Map<String, Value>) -> Struct {
    Struct { fields: members.into_iter().map(|(name, value)| (name, message_of(value))).collect() }
}

fn message_of(value: Value) -> Message {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(truth) => Kind::BoolValue(truth),
        // Without the feature arbitrary_precision, every number of serde_json converts to a double.
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::String(text) => Kind::StringValue(text),
        Value::Array(items) => Kind::ListValue(ListValue { values: items.into_iter().map(message_of).collect() }),
        Value::Object(members) => Kind::StructValue(message_of_object(members)),
    };
    Message { kind: Some(kind) }
}

fn object_of(message: Struct) -> Map<String, Value> {
    message.fields.into_iter().map(|(name, value)| (name, value_of(value))).collect()
}

fn value_of(message: Message) -> Value {
    match message.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(truth)) => Value::Bool(truth),
        Some(Kind::NumberValue(number)) => value_of_number(number),
        Some(Kind::StringValue(text)) => Value::String(text),
        Some(Kind::ListValue(list)) => Value::Array(list.values.into_iter().map(value_of).collect()),
        Some(Kind::StructValue(object)) => Value::Object(object_of(object)),
    }
}

fn value_of_number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= INTEGER_MAX {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole, and in the range of an i64")]
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_comes_back_as_it_was() {
        let value = json!({
            "text": "t", "truth": true, "none": null, "whole": -3, "part": 0.5, "list": [1, [2.5]], "object": {"a": {}},
        });
        let entry = v1::Entry { metadata: Some(struct_of("metadata", &value).unwrap()), ..Default::default() };
        assert_eq!(entry.metadata_as::<Value>().unwrap(), value);
    }

    #[test]
    fn an_entry_without_metadata_has_an_empty_object() {
        assert_eq!(v1::Entry::default().metadata_as::<Value>().unwrap(), json!({}));
    }

    #[test]
    fn only_an_object_is_metadata() {
        for value in [json!([]), json!("text"), json!(null)] {
            assert_eq!(struct_of("metadata", &value).unwrap_err().kind(), ErrorKind::UnsupportedValue);
        }
    }
}
