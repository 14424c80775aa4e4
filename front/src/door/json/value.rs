//! Any JSON, as the bytes on the wire of `google.protobuf.Value`, `Struct` and `ListValue`.

use std::fmt;

use prost::encoding::{WireType, double, encode_key};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

use super::scalar::Text;
use super::sized::{bytes, close, open};

/// The fields of a value: one for each kind.
const NULL: u32 = 1;
const NUMBER: u32 = 2;
const TEXT: u32 = 3;
const BOOL: u32 = 4;
const OBJECT: u32 = 5;
const LIST: u32 = 6;
/// The only field of an object, and that of a list.
const ENTRIES: u32 = 1;
const VALUES: u32 = 1;
/// The fields of an entry.
const ENTRY_KEY: u32 = 1;
const ENTRY_VALUE: u32 = 2;

/// A value, to be added to a message.
pub struct AnyValue<'a>(pub &'a mut Vec<u8>);

/// The entries of an object, to be added to a message.
pub struct AnyObject<'a>(pub &'a mut Vec<u8>);

/// The values of a list, to be added to a message.
pub struct AnyList<'a>(pub &'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for AnyValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        encode_key(NULL, WireType::Varint, self.0);
        self.0.push(0);
        Ok(())
    }

    fn visit_bool<E: Error>(self, given: bool) -> Result<(), E> {
        encode_key(BOOL, WireType::Varint, self.0);
        self.0.push(u8::from(given));
        Ok(())
    }

    fn visit_f64<E: Error>(self, given: f64) -> Result<(), E> {
        double::encode(NUMBER, &given, self.0);
        Ok(())
    }

    // All its numbers are of this type.
    #[allow(clippy::cast_precision_loss)]
    fn visit_i64<E: Error>(self, given: i64) -> Result<(), E> {
        self.visit_f64(given as f64)
    }

    #[allow(clippy::cast_precision_loss)]
    fn visit_u64<E: Error>(self, given: u64) -> Result<(), E> {
        self.visit_f64(given as f64)
    }

    fn visit_str<E: Error>(self, given: &str) -> Result<(), E> {
        bytes(TEXT, given.as_bytes(), self.0);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let place = open(OBJECT, self.0);
        AnyObject(self.0).visit_map(map)?;
        close(place, self.0);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<(), A::Error> {
        let place = open(LIST, self.0);
        AnyList(self.0).visit_seq(list)?;
        close(place, self.0);
        Ok(())
    }
}

impl<'de> Visitor<'de> for AnyObject<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Text)? {
            let place = open(ENTRIES, self.0);
            bytes(ENTRY_KEY, key.as_bytes(), self.0);
            let value_place = open(ENTRY_VALUE, self.0);
            map.next_value_seed(AnyValue(self.0))?;
            close(value_place, self.0);
            close(place, self.0);
        }
        Ok(())
    }
}

impl<'de> Visitor<'de> for AnyList<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(()) = list.next_element_seed(Listed(self.0))? {}
        Ok(())
    }
}

/// A value of a list, as a message with its size.
struct Listed<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Listed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let place = open(VALUES, self.0);
        AnyValue(self.0).deserialize(deserializer)?;
        close(place, self.0);
        Ok(())
    }
}
