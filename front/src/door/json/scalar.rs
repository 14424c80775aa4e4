//! What JSON has for texts, numbers and names, as the bytes on the wire.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use bytes::BufMut;
use prost::encoding::{WireType, encode_key, encode_varint};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, Unexpected, Visitor};

use super::layout::{Kind, Names};
use super::sized::bytes;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
const BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, LENIENT);
const BASE64_OF_URLS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, LENIENT);

/// What JSON has for a scalar.
pub enum Given<'de> {
    Null,
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Text(Cow<'de, str>),
}

/// Reads what JSON has for a scalar of a kind.
pub struct GivenVisitor<'a>(pub &'a Kind);

impl<'de> Visitor<'de> for GivenVisitor<'_> {
    type Value = Given<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(expected(self.0))
    }

    fn visit_unit<E: Error>(self) -> Result<Given<'de>, E> {
        match self.0 {
            Kind::Enum(names) if names.is_null => Ok(Given::Null),
            _ => Err(Error::invalid_type(Unexpected::Unit, &self)),
        }
    }

    fn visit_bool<E: Error>(self, given: bool) -> Result<Given<'de>, E> {
        Ok(Given::Bool(given))
    }

    fn visit_i64<E: Error>(self, given: i64) -> Result<Given<'de>, E> {
        Ok(Given::Signed(given))
    }

    fn visit_u64<E: Error>(self, given: u64) -> Result<Given<'de>, E> {
        Ok(Given::Unsigned(given))
    }

    fn visit_f64<E: Error>(self, given: f64) -> Result<Given<'de>, E> {
        Ok(Given::Float(given))
    }

    fn visit_borrowed_str<E: Error>(self, given: &'de str) -> Result<Given<'de>, E> {
        Ok(Given::Text(Cow::Borrowed(given)))
    }

    fn visit_str<E: Error>(self, given: &str) -> Result<Given<'de>, E> {
        Ok(Given::Text(Cow::Owned(given.to_owned())))
    }
}

/// Reads a text, such as the name of a member.
pub struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        match deserializer.deserialize_str(GivenVisitor(&Kind::String))? {
            Given::Text(text) => Ok(text),
            given => Err(mismatch(&given, &Kind::String)),
        }
    }
}

/// Write a scalar: with the key of its field, unless it is an element of a packed one. Returns true for the default value.
pub fn write_scalar<E: Error>(
    kind: &Kind,
    given: &Given<'_>,
    number: Option<u32>,
    data: &mut Vec<u8>,
) -> Result<bool, E> {
    let key = |form: WireType, data: &mut Vec<u8>| {
        if let Some(number) = number {
            encode_key(number, form, data);
        }
    };
    let varint = |value: u64, data: &mut Vec<u8>| {
        key(WireType::Varint, data);
        encode_varint(value, data);
        Ok(value == 0)
    };
    let fixed32 = |value: u32, data: &mut Vec<u8>| {
        key(WireType::ThirtyTwoBit, data);
        data.put_u32_le(value);
        Ok(value == 0)
    };
    let fixed64 = |value: u64, data: &mut Vec<u8>| {
        key(WireType::SixtyFourBit, data);
        data.put_u64_le(value);
        Ok(value == 0)
    };
    let content = |value: &[u8], data: &mut Vec<u8>| {
        bytes(number.unwrap_or_default(), value, data);
        Ok(value.is_empty())
    };
    match (kind, given) {
        (Kind::String, Given::Text(text)) => content(text.as_bytes(), data),
        (Kind::Bytes, Given::Text(text)) => content(&decoded(text)?, data),
        (Kind::Bool, Given::Bool(value)) => varint(u64::from(*value), data),
        (Kind::Enum(names), given) => varint(bits(i64::from(named(names, given, kind)?)), data),
        (Kind::Int32, given) => varint(bits(i64::from(integer::<i32, E>(given, kind)?)), data),
        (Kind::Int64, given) => varint(bits(integer(given, kind)?), data),
        (Kind::Uint32, given) => varint(u64::from(integer::<u32, E>(given, kind)?), data),
        (Kind::Uint64, given) => varint(integer(given, kind)?, data),
        (Kind::Sint32, given) => varint(zigzag(i64::from(integer::<i32, E>(given, kind)?)), data),
        (Kind::Sint64, given) => varint(zigzag(integer(given, kind)?), data),
        (Kind::Fixed32, given) => fixed32(integer(given, kind)?, data),
        (Kind::Sfixed32, given) => fixed32(bits32(integer(given, kind)?), data),
        (Kind::Fixed64, given) => fixed64(integer(given, kind)?, data),
        (Kind::Sfixed64, given) => fixed64(bits(integer(given, kind)?), data),
        (Kind::Double, given) => fixed64(float(given, kind)?.to_bits(), data),
        (Kind::Float, given) => fixed32(single(float(given, kind)?)?.to_bits(), data),
        _ => Err(mismatch(given, kind)),
    }
}

fn expected(kind: &Kind) -> &'static str {
    match kind {
        Kind::Double | Kind::Float => "a number",
        Kind::Bool => "a boolean",
        Kind::String => "a string",
        Kind::Bytes => "a base64-encoded string",
        Kind::Message(_) => "a map",
        Kind::Enum(_) => "a string or integer",
        _ => "an integer, or a string of its digits",
    }
}

fn mismatch<E: Error>(given: &Given<'_>, kind: &Kind) -> E {
    let unexpected = match given {
        Given::Null => Unexpected::Unit,
        Given::Bool(value) => Unexpected::Bool(*value),
        Given::Signed(number) => Unexpected::Signed(*number),
        Given::Unsigned(number) => Unexpected::Unsigned(*number),
        Given::Float(number) => Unexpected::Float(*number),
        // It may be long.
        Given::Text(_) => Unexpected::Other("string"),
    };
    E::invalid_type(unexpected, &expected(kind))
}

fn integer<T: TryFrom<i128>, E: Error>(given: &Given<'_>, kind: &Kind) -> Result<T, E> {
    let number = match given {
        Given::Signed(number) => i128::from(*number),
        Given::Unsigned(number) => i128::from(*number),
        Given::Float(number) if number.fract() == 0.0 => whole(*number),
        Given::Float(_) => return Err(E::custom("expected integer value")),
        Given::Text(text) => i128::from_str(text).map_err(E::custom)?,
        _ => return Err(mismatch(given, kind)),
    };
    T::try_from(number).map_err(|_| E::custom("out of range integral type conversion attempted"))
}

/// What is too large for it becomes its maximum, which is too large for all types.
#[allow(clippy::cast_possible_truncation)]
fn whole(number: f64) -> i128 {
    number as i128
}

#[allow(clippy::cast_precision_loss)]
fn float<E: Error>(given: &Given<'_>, kind: &Kind) -> Result<f64, E> {
    Ok(match given {
        Given::Float(number) => *number,
        Given::Signed(number) => *number as f64,
        Given::Unsigned(number) => *number as f64,
        // Infinity and NaN are among what it reads.
        Given::Text(text) => f64::from_str(text).map_err(E::custom)?,
        _ => return Err(mismatch(given, kind)),
    })
}

#[allow(clippy::cast_possible_truncation)]
fn single<E: Error>(number: f64) -> Result<f32, E> {
    if number.is_finite() && number.abs() > f64::from(f32::MAX) {
        return Err(E::custom("float value out of range"));
    }
    Ok(number as f32)
}

fn named<E: Error>(names: &Names, given: &Given<'_>, kind: &Kind) -> Result<i32, E> {
    match given {
        Given::Null => Ok(0),
        Given::Text(name) => names
            .number(name)
            .ok_or_else(|| E::custom(format!("unrecognized enum value '{name}'"))),
        _ => integer(given, kind),
    }
}

fn decoded<E: Error>(text: &str) -> Result<Vec<u8>, E> {
    let is_of_urls = text.bytes().any(|byte| byte == b'-' || byte == b'_');
    let engine = if is_of_urls { &BASE64_OF_URLS } else { &BASE64 };
    engine
        .decode(text)
        .map_err(|error| E::custom(format!("invalid base64: {error}")))
}

fn zigzag(number: i64) -> u64 {
    bits((number << 1) ^ (number >> 63))
}

#[allow(clippy::cast_sign_loss)]
fn bits32(number: i32) -> u32 {
    number as u32
}

#[allow(clippy::cast_sign_loss)]
fn bits(number: i64) -> u64 {
    number as u64
}
