//! The YAML of scenarios, which contains only what JSON can represent.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::Played;

/// Parses the one document of a text.
pub fn read(text: &str) -> Played<Value> {
    let mut reader = Reader { parser: Parser::new_from_str(text) };
    reader.expect(&Event::StreamStart)?;
    match reader.next()? {
        (Event::DocumentStart(_), _) => {}
        _ => return Err("has no document".to_owned()),
    }
    let document = reader.value()?;
    reader.expect(&Event::DocumentEnd)?;
    reader.expect(&Event::StreamEnd)?;
    Ok(document)
}

struct Reader<'input> {
    parser: Parser<'input, saphyr_parser::StrInput<'input>>,
}

impl<'input> Reader<'input> {
    fn next(&mut self) -> Played<(Event<'input>, Span)> {
        match self.parser.next() {
            Some(Ok(found)) => Ok(found),
            Some(Err(error)) => Err(format!("is not YAML: {error}")),
            None => Err("is not YAML: it ends early".to_owned()),
        }
    }

    fn expect(&mut self, expected: &Event) -> Played<()> {
        let (found, span) = self.next()?;
        if found == *expected { Ok(()) } else { Err(refusal("more than one document", span)) }
    }

    fn value(&mut self) -> Played<Value> {
        let found = self.next()?;
        self.value_of(found)
    }

    fn value_of(&mut self, (event, span): (Event<'input>, Span)) -> Played<Value> {
        match event {
            Event::Scalar(text, ScalarStyle::Plain, 0, None) => Ok(plain(&text)),
            Event::Scalar(text, _, 0, None) => Ok(Value::String(text.into_owned())),
            Event::SequenceStart(0, None) => self.items(),
            Event::MappingStart(0, None) => self.members(),
            _ => Err(refusal("an anchor, an alias or a tag", span)),
        }
    }

    fn items(&mut self) -> Played<Value> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::Array(items)),
                found => items.push(self.value_of(found)?),
            }
        }
    }

    fn members(&mut self) -> Played<Value> {
        let mut members = Map::new();
        loop {
            let (name, span) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Value::Object(members)),
                (Event::Scalar(name, _, 0, None), span) => (name.into_owned(), span),
                (_, span) => return Err(refusal("a key that is not a string", span)),
            };
            let value = self.value()?;
            if members.insert(name, value).is_some() {
                return Err(refusal("a duplicate key", span));
            }
        }
    }
}

/// Returns the value of a plain scalar: null, true, false or a number if JSON parses it as one, or else a string.
fn plain(text: &str) -> Value {
    serde_json::from_str(text)
        .ok()
        .filter(|value: &Value| value.is_null() || value.is_boolean() || value.is_number())
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

fn refusal(what: &str, span: Span) -> String {
    format!("has {what} in line {}", span.start.line())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_scalars_are_those_of_json() {
        let text = "[null, true, 1.5, -2e3, yes, 0.2s, 1_000, 0x1F, ~, True, .5, 2026-01-01, \"1\", '']";
        let expected =
            json!([null, true, 1.5, -2e3, "yes", "0.2s", "1_000", "0x1F", "~", "True", ".5", "2026-01-01", "1", ""]);
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn mappings_and_sequences_are_those_of_json() {
        assert_eq!(read("a: {b: [1]}\nc:\n  - d: e\n").unwrap(), json!({"a": {"b": [1]}, "c": [{"d": "e"}]}));
    }

    #[test]
    fn yaml_beyond_json_is_refused() {
        for text in ["&a 1", "!!str 1", "[&a x, *a]", "? [1]\n: 2", "a: 1\na: 2", "--- 1\n--- 2", "", "["] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }
}
