//! Compares actual values with expected ones.

use serde_json::{Map, Value};

use super::Played;

pub const PRESENT: &str = "${present}";
pub const ABSENT: &str = "${absent}";

/// Compares two values. The error is the first difference, with its path.
pub fn compare(expected: &Value, actual: &Value) -> Played<()> {
    compare_at("", expected, Some(actual))
}

fn compare_at(path: &str, expected: &Value, actual: Option<&Value>) -> Played<()> {
    let fits = match (expected, actual) {
        (Value::String(word), _) if word == PRESENT => actual.is_some_and(is_present),
        (Value::String(word), _) if word == ABSENT => actual.is_none(),
        (Value::Object(expected), Some(Value::Object(actual))) => return compare_members(path, expected, actual),
        (Value::Array(expected), Some(Value::Array(actual))) if expected.len() == actual.len() => {
            return compare_items(path, expected, actual);
        }
        (Value::Number(expected), Some(Value::Number(actual))) => {
            expected == actual || expected.as_f64() == actual.as_f64()
        }
        (Value::Array(_) | Value::Object(_), _) => false,
        (expected, actual) => Some(expected) == actual,
    };
    if fits {
        return Ok(());
    }
    let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
    let got = actual.map_or_else(|| "nothing".to_owned(), Value::to_string);
    Err(format!("{place}expected {expected}, got {got}"))
}

fn compare_members(path: &str, expected: &Map<String, Value>, actual: &Map<String, Value>) -> Played<()> {
    expected.iter().try_for_each(|(name, member)| compare_at(&join(path, name), member, actual.get(name)))
}

fn compare_items(path: &str, expected: &[Value], actual: &[Value]) -> Played<()> {
    let mut pairs = expected.iter().zip(actual).enumerate();
    pairs.try_for_each(|(index, (expected, actual))| compare_at(&join(path, index), expected, Some(actual)))
}

fn is_present(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        // A 64-bit integer is a string in JSON.
        Value::String(text) => !text.is_empty() && text != "0",
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

fn join(path: &str, part: impl std::fmt::Display) -> String {
    if path.is_empty() { part.to_string() } else { format!("{path}.{part}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_mapping_may_have_more_keys_than_expected() {
        assert_eq!(compare(&json!({"a": {"b": 1}}), &json!({"a": {"b": 1, "c": 2}, "d": 3})), Ok(()));
        assert!(compare(&json!({"a": 1}), &json!({})).is_err());
    }

    #[test]
    fn a_sequence_must_have_the_same_items_in_order() {
        assert_eq!(compare(&json!([1, {}]), &json!([1, {"a": 1}])), Ok(()));
        for actual in [json!([1]), json!([2, 1]), json!([1, 2, 3])] {
            assert!(compare(&json!([1, 2]), &actual).is_err());
        }
    }

    #[test]
    fn numbers_are_compared_by_value_and_the_rest_exactly() {
        assert_eq!(compare(&json!(5e-1), &json!(0.5)), Ok(()));
        assert_eq!(compare(&json!(100), &json!(100.0)), Ok(()));
        for (expected, actual) in [(json!(1), json!("1")), (json!("a"), json!("A")), (json!(1), json!(true))] {
            assert!(compare(&expected, &actual).is_err());
        }
    }

    #[test]
    fn a_present_value_is_not_empty_zero_or_false() {
        for value in [json!("a"), json!(1), json!(true), json!(["a"]), json!({"a": null}), json!("1")] {
            assert_eq!(compare(&json!(PRESENT), &value), Ok(()));
            assert!(compare(&json!(ABSENT), &value).is_err());
        }
        for value in [json!(""), json!(0), json!(false), json!([]), json!(null), json!("0")] {
            assert!(compare(&json!({"k": PRESENT}), &json!({"k": value})).is_err());
        }
        assert!(compare(&json!({"k": PRESENT}), &json!({})).is_err());
    }

    #[test]
    fn an_absent_value_is_missing_and_not_null() {
        assert_eq!(compare(&json!({"k": ABSENT}), &json!({})), Ok(()));
        assert!(compare(&json!({"k": ABSENT}), &json!({"k": null})).is_err());
        assert!(compare(&json!({"k": null}), &json!({})).is_err());
    }

    #[test]
    fn a_difference_is_reported_with_its_path() {
        let why = compare(&json!({"a": [{"found": true}]}), &json!({"a": [{"found": false}]}));
        assert_eq!(why, Err("a.0.found: expected true, got false".to_owned()));
        assert_eq!(compare(&json!("a"), &json!(1)), Err("expected \"a\", got 1".to_owned()));
    }
}
