//! Replaces `${name}` in the strings of a scenario.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Played;
use super::compare::{ABSENT, PRESENT};

#[derive(Clone, Default)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Returns the value with each `${name}` in its strings replaced.
    pub fn fill(&self, value: &Value) -> Played<Value> {
        self.replace(value, &[])
    }

    /// Returns an expected value with each `${name}` replaced, except `${present}` and `${absent}`.
    pub fn fill_expected(&self, value: &Value) -> Played<Value> {
        self.replace(value, &[PRESENT, ABSENT])
    }

    fn replace(&self, value: &Value, kept: &[&str]) -> Played<Value> {
        Ok(match value {
            Value::String(text) if kept.contains(&text.as_str()) => value.clone(),
            Value::String(text) => Value::String(self.fill_text(text)?),
            Value::Array(items) => items.iter().map(|item| self.replace(item, kept)).collect::<Played<_>>()?,
            Value::Object(members) => members
                .iter()
                .map(|(name, member)| Ok((name.clone(), self.replace(member, kept)?)))
                .collect::<Played<_>>()?,
            other => other.clone(),
        })
    }

    fn fill_text(&self, text: &str) -> Played<String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').ok_or_else(|| format!("{text:?} has a ${{ without its }}"))?;
            filled.push_str(before);
            filled.push_str(self.0.get(name).ok_or_else(|| format!("there is no variable {name:?}"))?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn variables() -> Variables {
        let mut variables = Variables::default();
        variables.set("n", "7");
        variables
    }

    #[test]
    fn each_name_in_a_string_is_replaced() {
        let filled = variables().fill(&json!({"a": ["${n}", "<${n}${n}>", 1, "$n {n}"]}));
        assert_eq!(filled, Ok(json!({"a": ["7", "<77>", 1, "$n {n}"]})));
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        for text in ["${nobody}", "${n", "${present}"] {
            assert!(variables().fill(&json!(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn presence_is_kept_in_expected_values() {
        let expected = json!(["${present}", "${absent}"]);
        assert_eq!(variables().fill_expected(&expected), Ok(expected));
        assert!(variables().fill_expected(&json!("a ${present}")).is_err());
    }
}
