//! Messages as JSON, by their descriptors: <https://protobuf.dev/programming-guides/json>.

mod layout;
mod reader;
#[cfg(test)]
mod sample;
mod scalar;
mod sized;
mod value;
mod wire;
mod writer;

use std::sync::Arc;

use prost_reflect::{DescriptorError, DescriptorPool};

use layout::{Layout, Layouts};
use wire::{Wire, next_field};

/// Maximum depth of JSON, as in protobuf's own parsers.
const DEPTH_MAX: usize = 100;

/// The messages that can be written as JSON.
#[derive(Default)]
pub struct Codec {
    layouts: Arc<Layouts>,
}

/// The type of a message.
#[derive(Clone)]
pub struct Type {
    layouts: Arc<Layouts>,
    index: usize,
}

/// Why JSON cannot become a message.
#[derive(Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is no JSON, or has other fields than the message.
    Malformed(String),
    /// It has more elements than a message may have.
    TooMany,
}

impl Codec {
    /// ``files`` is a serialized `google.protobuf.FileDescriptorSet`.
    pub fn new(files: &[u8]) -> Result<Self, DescriptorError> {
        let pool = DescriptorPool::decode(files)?;
        Ok(Self {
            layouts: Arc::new(Layouts::new(&pool)),
        })
    }

    pub fn message(&self, name: &str) -> Option<Type> {
        let index = self.layouts.index(name)?;
        let layouts = Arc::clone(&self.layouts);
        Some(Type { layouts, index })
    }
}

impl Type {
    pub fn name(&self) -> &str {
        &self.layout().name
    }

    /// Return the number of a field of the message itself, by its name in the proto.
    pub fn number(&self, field: &str) -> Option<u32> {
        self.layout().field_by_name(field).map(|field| field.number)
    }

    fn layout(&self) -> &Layout {
        self.layouts.get(self.index)
    }
}

/// Return the message that JSON stands for. Its elements are counted before anything is built of them.
pub fn to_binary(kind: &Type, text: &[u8], elements_max: usize) -> Result<Vec<u8>, Unreadable> {
    check_elements(text, elements_max)?;
    reader::read(&kind.layouts, kind.layout(), text).map_err(|error| Unreadable::Malformed(error.to_string()))
}

/// Return the JSON of a message. Fails for bytes that are no such message.
pub fn to_json(kind: &Type, data: &[u8]) -> Result<Vec<u8>, String> {
    writer::written(&kind.layouts, kind.layout(), data).map_err(|error| error.0.to_owned())
}

/// Return the text of a field of a message itself, by its number; none if it is not there, or no text.
pub fn text_of(data: &[u8], number: u32) -> Option<&str> {
    let (mut rest, mut text) = (data, None);
    while let Ok(Some((each, wire))) = next_field(&mut rest) {
        if let Wire::Bytes(content) = wire
            && each == number
        {
            text = std::str::from_utf8(content).ok();
        }
    }
    text
}

/// Count elements by what separates and opens them outside of texts.
fn check_elements(text: &[u8], maximum: usize) -> Result<(), Unreadable> {
    let (mut count, mut depth) = (0_usize, 0_usize);
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_text(&mut bytes),
            b',' => count += 1,
            b'[' | b'{' => {
                count += 1;
                depth += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if count > maximum {
            return Err(Unreadable::TooMany);
        }
        if depth > DEPTH_MAX {
            return Err(Unreadable::Malformed(format!(
                "it is more than {DEPTH_MAX} levels deep"
            )));
        }
    }
    Ok(())
}

fn skip_text<'a>(bytes: &mut impl Iterator<Item = &'a u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};
    use proptest::{prop_assert, prop_assert_eq};
    use prost::Message as _;
    use prost_reflect::DynamicMessage;
    use serde_json::{Value, json};

    use super::sample::{Chance, Known, known, message};
    use super::{Type, Unreadable, check_elements, text_of, to_binary, to_json};

    fn kind(name: &str) -> Type {
        known(name).own
    }

    fn parsed(text: &[u8]) -> Value {
        serde_json::from_slice(text).unwrap()
    }

    fn why(kind: &Type, text: &str) -> String {
        match to_binary(kind, text.as_bytes(), 9_999) {
            Err(Unreadable::Malformed(why)) => why,
            other => panic!("{text}: {other:?}"),
        }
    }

    proptest! {
        #[test]
        fn a_message_is_written_and_read_as_by_the_library(seed in any::<u64>()) {
            let Known { own, described } = known("sample.All");
            let data = message(&described, &mut Chance(seed), 3).encode_to_vec();
            let message = DynamicMessage::decode(described.clone(), data.as_slice()).unwrap();
            let text = to_json(&own, &data).unwrap();
            prop_assert_eq!(parsed(&text), parsed(&serde_json::to_vec(&message).unwrap()));
            let read = to_binary(&own, &text, usize::MAX).unwrap();
            let read = DynamicMessage::decode(described, read.as_slice()).unwrap();
            // The library cannot print the difference: types that have themselves in them never end.
            for (field, value) in message.fields() {
                prop_assert!(*read.get_field(&field) == *value, "{}", field.name());
            }
            prop_assert_eq!(read.fields().count(), message.fields().count());
        }

        #[test]
        fn fields_in_any_order_are_the_same_message(seed in any::<u64>()) {
            let Known { own, described } = known("sample.All");
            let message = message(&described, &mut Chance(seed), 2);
            let mut data = Vec::new();
            for (field, value) in message.fields().collect::<Vec<_>>().into_iter().rev() {
                let mut part = DynamicMessage::new(described.clone());
                part.set_field(&field, value.clone());
                data.extend(part.encode_to_vec());
            }
            prop_assert_eq!(to_json(&own, &data), to_json(&own, &message.encode_to_vec()));
        }

        #[test]
        fn any_bytes_are_a_message_or_none(data in any::<Vec<u8>>()) {
            for name in ["sample.All", "google.protobuf.Value", "google.protobuf.FileDescriptorSet"] {
                if let Ok(text) = to_json(&kind(name), &data) {
                    prop_assert!(serde_json::from_slice::<Value>(&text).is_ok());
                }
            }
        }
    }

    #[test]
    fn a_list_of_numbers_may_be_in_one_piece_or_not() {
        let numbers = |name: &str, data: &[u8]| parsed(&to_json(&kind(name), data).unwrap());
        // `path` of a location is packed.
        assert_eq!(
            numbers("google.protobuf.SourceCodeInfo.Location", b"\x0a\x02\x01\x02\x08\x03"),
            json!({"path": [1, 2, 3]})
        );
        // `public_dependency` of a file is not.
        assert_eq!(
            numbers("google.protobuf.FileDescriptorProto", b"\x50\x01\x52\x02\x02\x03"),
            json!({"publicDependency": [1, 2, 3]})
        );
    }

    #[test]
    fn what_no_serializer_writes_is_no_message() {
        let damaged = [
            (
                "google.protobuf.FileDescriptorProto",
                b"\x0a\x01a\x0a\x01b".as_slice(),
                "twice",
            ),
            ("google.protobuf.FileDescriptorProto", b"\x0a\x05a", "cut off"),
            ("google.protobuf.FileDescriptorProto", b"\x0a\x01\xff", "UTF-8"),
            ("google.protobuf.FileDescriptorProto", b"\x08\x01", "another type"),
            ("google.protobuf.FileDescriptorProto", b"\x0b\x0c", "group"),
            ("google.protobuf.Value", b"\x20\x01\x08\x00", "several kinds"),
            ("google.protobuf.Value", b"\x11\0\0\0\0\0\0\xf0\x7f", "finite"),
            (
                "google.protobuf.Timestamp",
                b"\x08\xff\xff\xff\xff\xff\xff\xff\x7f",
                "out of range",
            ),
        ];
        for (name, data, why) in damaged {
            let refused = to_json(&kind(name), data).unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
        // Later versions have more fields.
        assert_eq!(
            to_json(&kind("google.protobuf.FileDescriptorProto"), b"\xf8\x07\x01").unwrap(),
            b"{}"
        );
    }

    #[test]
    fn of_two_entries_with_one_key_the_last_one_counts() {
        let kind = kind("google.protobuf.Struct");
        let data = to_binary(&kind, br#"{"a":1,"b":2,"a":3}"#, 9).unwrap();
        assert_eq!(to_json(&kind, &data).unwrap(), br#"{"a":3.0,"b":2.0}"#);
    }

    #[test]
    fn messages_of_any_depth_are_written_up_to_that_of_json() {
        let kind = kind("google.protobuf.ListValue");
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        let data = to_binary(&kind, nested(100).as_bytes(), 9_999).unwrap();
        assert_eq!(to_json(&kind, &data).unwrap(), nested(100).as_bytes());
        // In a list, a value with a list.
        let mut deeper = data;
        for number in [b'\x32', b'\x0a'] {
            let mut outer = vec![number];
            prost::encoding::encode_varint(deeper.len() as u64, &mut outer);
            outer.append(&mut deeper);
            deeper = outer;
        }
        assert!(to_json(&kind, &deeper).unwrap_err().contains("levels"));
    }

    #[test]
    fn what_is_no_such_message_is_refused_with_the_place() {
        let kind = kind("google.protobuf.FileOptions");
        for text in [
            "",
            "{",
            "[]",
            "{} {}",
            r#"{"nothing":1}"#,
            r#"{"javaPackage":1}"#,
            r#"{"javaPackage":"a","javaPackage":"b"}"#,
            r#"{"javaPackage":"a","java_package":"b"}"#,
            r#"{"javaMultipleFiles":1}"#,
            r#"{"uninterpretedOption":{}}"#,
            r#"{"uninterpretedOption":[null]}"#,
            r#"{"optimizeFor":"SLOW"}"#,
            "\u{feff}{}",
        ] {
            assert!(why(&kind, text).contains("line"), "{text}");
        }
    }

    #[test]
    fn numbers_are_those_of_their_type() {
        let Known { own, described } = known("sample.All");
        let name = |kind: &prost_reflect::Kind| {
            let field = described
                .fields()
                .find(|field| field.kind() == *kind && !field.is_list());
            field.unwrap().json_name().to_owned()
        };
        let (int32, uint64) = (name(&prost_reflect::Kind::Int32), name(&prost_reflect::Kind::Uint64));
        let float = name(&prost_reflect::Kind::Float);
        let read = |name: &str, number: &str| {
            let data = to_binary(&own, format!("{{\"{name}\":{number}}}").as_bytes(), 9)?;
            Ok::<_, Unreadable>(parsed(&to_json(&own, &data).unwrap())[name].clone())
        };
        for number in ["7", "7.0", "70e-1", "\"7\""] {
            assert_eq!(read(&int32, number).unwrap(), json!(7), "{number}");
        }
        assert_eq!(read(&int32, "-2147483648").unwrap(), json!(-2_147_483_648_i64));
        assert_eq!(read(&int32, "null").unwrap(), Value::Null);
        assert_eq!(
            read(&uint64, "18446744073709551615").unwrap(),
            json!("18446744073709551615")
        );
        assert_eq!(read(&float, "\"-Infinity\"").unwrap(), json!("-Infinity"));
        for number in ["2147483648", "1.5", "1e300", "\"\"", "\"1.0\"", "true", "[1]", "{}"] {
            assert!(read(&int32, number).is_err(), "{number}");
        }
        for number in ["-1", "18446744073709551616", "\"99999999999999999999\"", "\"x\""] {
            assert!(read(&uint64, number).is_err(), "{number}");
        }
        assert!(read(&float, "1e300").is_err());
    }

    #[test]
    fn the_last_text_of_a_field_is_found_without_the_others() {
        assert_eq!(text_of(b"\x08\x01\x12\x01a\x12\x01b", 2), Some("b"));
        assert_eq!(text_of(b"\x08\x01", 2), None);
        assert_eq!(text_of(b"\x12\x01\xff", 2), None);
    }

    #[test]
    fn elements_are_counted_outside_of_texts() {
        assert_eq!(check_elements(br#"{"a,[\"":[1,2]}"#, 3), Ok(()));
        assert_eq!(check_elements(br#"{"a":[1,2,3]}"#, 3), Err(Unreadable::TooMany));
    }

    #[test]
    fn depth_is_bounded_before_anything_is_built() {
        assert_eq!(check_elements(&[b'['; 100], 1_000), Ok(()));
        assert!(matches!(
            check_elements(&[b'['; 101], 1_000),
            Err(Unreadable::Malformed(_))
        ));
    }
}
