//! Conversion of Rust values to JSON text and back.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind, Result};
use crate::finite::check_finite;
use crate::v1;

/// Encodes a value as compact JSON text.
pub(crate) fn encode<T: Serialize + ?Sized>(value: &T) -> Result<String> {
    check_finite(value).and_then(|()| serde_json::to_string(value)).map_err(|error| {
        let name = std::any::type_name::<T>();
        let message = format!("a value of type {name} cannot be encoded as JSON: {error}");
        Error::new(ErrorKind::UnsupportedValue, message).with_source(error)
    })
}

/// Decodes the JSON text under a key.
pub(crate) fn decode<T: DeserializeOwned>(key: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        let name = std::any::type_name::<T>();
        let message = format!("the value of {key:?} is not of type {name}: {error}");
        Error::new(ErrorKind::WrongType, message).with_source(error)
    })
}

impl v1::Entry {
    /// Returns the value as a `T`. The JSON text is [`value_json`](Self::value_json).
    ///
    /// # Errors
    ///
    /// `WrongType` if the value is not a `T`, or if the entry was requested without its content.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T> {
        decode(&self.key, &self.value_json)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_value_survives_a_round_trip() {
        let value = json!({"text": "ä \"quoted\" \u{1F600}", "list": [null, true, -1, 1.5], "empty": {}});
        assert_eq!(decode::<Value>("k", &encode(&value).unwrap()).unwrap(), value);
    }

    #[test]
    fn integers_of_64_bits_keep_all_their_digits() {
        for text in ["9223372036854775807", "-9223372036854775808", "18446744073709551615"] {
            assert_eq!(encode(&decode::<Value>("k", text).unwrap()).unwrap(), text);
        }
    }

    #[test]
    fn floats_survive_a_round_trip_to_the_last_bit() {
        for number in [0.1 + 0.2, 123.456_789_012_345_67, f64::MIN_POSITIVE, f64::MAX] {
            let back: f64 = decode("k", &encode(&number).unwrap()).unwrap();
            assert_eq!(back.to_bits(), number.to_bits());
        }
    }

    #[test]
    fn raw_text_keeps_its_digits_and_spaces() {
        let raw = RawValue::from_string("{\"a\" : 1.0000000000000000000001}".to_owned()).unwrap();
        assert_eq!(encode(&raw).unwrap(), raw.get());
    }

    #[test]
    fn a_value_that_json_cannot_represent_is_refused() {
        let not_text_keys = BTreeMap::from([((1, 2), 3)]);
        let errors = [
            encode(&f64::NAN).unwrap_err(),
            encode(&[1.0, f64::INFINITY]).unwrap_err(),
            encode(&not_text_keys).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind(), ErrorKind::UnsupportedValue);
        }
    }

    #[test]
    fn another_type_is_refused_with_both_names() {
        let error = decode::<i64>("visits", "\"three\"").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WrongType);
        for word in ["visits", "i64", "three"] {
            assert!(error.message().contains(word), "{error} lacks {word}");
        }
    }

    #[test]
    fn an_entry_without_its_value_has_none() {
        assert_eq!(v1::Entry::default().value::<Value>().unwrap_err().kind(), ErrorKind::WrongType);
    }
}
