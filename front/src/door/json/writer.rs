//! Messages as JSON, written from the bytes on the wire: nothing is built of them in between.

use std::borrow::Cow;
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use prost::Message;
use prost::encoding::WireType;
use prost_reflect::prost_types::{Duration, Timestamp};
use prost_reflect::{DynamicMessage, MessageDescriptor};
use serde::Serialize;

use super::DEPTH_MAX;
use super::layout::{Field, Form, Kind, Layout, Layouts, Names, Shape};
use super::wire::{Unwritable, Wire, next_content, next_field};

/// The first and the last second of the years 1 to 9999, which JSON's form of a timestamp can say.
const TIMESTAMP_SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;
/// Maximum number of seconds of a duration.
const DURATION_SECONDS_MAX: u64 = 315_576_000_000;
const MISMATCH: Unwritable = Unwritable("a field has another type");

/// Return the JSON of a message.
pub fn written(layouts: &Layouts, layout: &Layout, data: &[u8]) -> Result<Vec<u8>, Unwritable> {
    let mut writer = Writer {
        layouts,
        text: Vec::with_capacity(data.len() * 2),
        found: Vec::new(),
        depth: 0,
    };
    writer.message(layout, data)?;
    Ok(writer.text)
}

struct Writer<'a> {
    layouts: &'a Layouts,
    text: Vec<u8>,
    /// The fields of the message that is written, after those of the messages around it.
    found: Vec<Found<'a>>,
    depth: usize,
}

#[derive(Clone, Copy)]
struct Found<'a> {
    /// The index of the field in its layout.
    field: usize,
    wire: Wire<'a>,
}

impl<'a> Writer<'a> {
    fn message(&mut self, layout: &'a Layout, data: &'a [u8]) -> Result<(), Unwritable> {
        match &layout.form {
            Form::Object => self.nested(layout, data, Self::object),
            // What stands for them is what stands for their only field.
            Form::Struct | Form::List => self.nested(layout, data, |writer, layout, begin| {
                writer.field(&layout.fields[0], begin, writer.found.len())
            }),
            Form::Value => self.nested(layout, data, Self::any_value),
            Form::Timestamp(_) => self.timestamp(data),
            Form::Duration(_) => self.duration(data),
            Form::Other(described) => self.other(described, data),
        }
    }

    /// Find the fields of a message and write them, in the order of their numbers.
    fn nested(
        &mut self,
        layout: &'a Layout,
        data: &'a [u8],
        write: impl FnOnce(&mut Self, &'a Layout, usize) -> Result<(), Unwritable>,
    ) -> Result<(), Unwritable> {
        let begin = self.found.len();
        let (mut rest, mut last, mut is_sorted) = (data, 0, true);
        while let Some((number, wire)) = next_field(&mut rest)? {
            // One that is unknown was added by a later version.
            if let Some(field) = layout.field_by_number(number, last) {
                is_sorted &= last <= field;
                last = field;
                self.found.push(Found { field, wire });
            }
        }
        if !is_sorted {
            self.found[begin..].sort_by_key(|found| found.field);
        }
        write(self, layout, begin)?;
        self.found.truncate(begin);
        Ok(())
    }

    fn object(&mut self, layout: &'a Layout, begin: usize) -> Result<(), Unwritable> {
        self.open(b'{')?;
        let mut next = begin;
        while let Some(&Found { field, .. }) = self.found.get(next) {
            let first = next;
            while self.found.get(next).is_some_and(|found| found.field == field) {
                next += 1;
            }
            if first > begin {
                self.text.push(b',');
            }
            let field = &layout.fields[field];
            self.text.extend_from_slice(field.key.as_bytes());
            self.field(field, first, next)?;
            // What messages within have found was truncated.
        }
        self.close(b'}');
        Ok(())
    }

    fn any_value(&mut self, layout: &'a Layout, begin: usize) -> Result<(), Unwritable> {
        match self.found[begin..] {
            [] => {
                self.json(&());
                Ok(())
            }
            [Found { field, wire }] => {
                if matches!(wire, Wire::Fixed64(bits) if !f64::from_bits(bits).is_finite()) {
                    return Err(Unwritable("a value is no finite number"));
                }
                self.value(&layout.fields[field].kind, wire)
            }
            _ => Err(Unwritable("a value has several kinds")),
        }
    }

    /// Write a field of which these were found.
    fn field(&mut self, field: &'a Field, begin: usize, end: usize) -> Result<(), Unwritable> {
        match field.shape {
            Shape::List => self.list(field, begin, end),
            Shape::Map => self.map(field, begin, end),
            Shape::One if end == begin + 1 => self.value(&field.kind, self.found[begin].wire),
            // No serializer writes that.
            Shape::One => Err(Unwritable("a field is there twice")),
        }
    }

    fn list(&mut self, field: &'a Field, begin: usize, end: usize) -> Result<(), Unwritable> {
        self.open(b'[')?;
        let mut is_first = true;
        for index in begin..end {
            match (self.found[index].wire, packed_form(&field.kind)) {
                (Wire::Bytes(mut rest), Some(form)) => {
                    while !rest.is_empty() {
                        self.separate(&mut is_first);
                        let element = next_content(form, &mut rest)?;
                        self.value(&field.kind, element)?;
                    }
                }
                (wire, _) => {
                    self.separate(&mut is_first);
                    self.value(&field.kind, wire)?;
                }
            }
        }
        self.close(b']');
        Ok(())
    }

    /// Write a map in the order of its keys. Of two entries with one key, the last one counts.
    fn map(&mut self, field: &'a Field, begin: usize, end: usize) -> Result<(), Unwritable> {
        let Kind::Message(index) = field.kind else {
            return Err(MISMATCH);
        };
        let [key, value] = &self.layouts.get(index).fields[..] else {
            return Err(MISMATCH);
        };
        let mut entries = Vec::with_capacity(end - begin);
        for found in &self.found[begin..end] {
            entries.push(entry(key, value, found.wire)?);
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.open(b'{')?;
        let mut is_first = true;
        for (index, (name, wire)) in entries.iter().enumerate() {
            if entries.get(index + 1).is_some_and(|(next, _)| next == name) {
                continue;
            }
            self.separate(&mut is_first);
            self.json(name);
            self.text.push(b':');
            self.value(&value.kind, *wire)?;
        }
        self.close(b'}');
        Ok(())
    }

    fn value(&mut self, kind: &'a Kind, wire: Wire<'a>) -> Result<(), Unwritable> {
        match (kind, wire) {
            (Kind::Message(index), Wire::Bytes(data)) => {
                let layouts = self.layouts;
                return self.message(layouts.get(*index), data);
            }
            (Kind::String, Wire::Bytes(data)) => self.json(text_of(data)?),
            (Kind::Bytes, Wire::Bytes(data)) => self.json(&STANDARD.encode(data)),
            (Kind::Enum(names), Wire::Varint(number)) => self.name(names, signed32(low32(number))),
            (Kind::Bool, Wire::Varint(number)) => self.json(&(number != 0)),
            (Kind::Int32, Wire::Varint(number)) => self.json(&signed32(low32(number))),
            (Kind::Uint32, Wire::Varint(number)) => self.json(&low32(number)),
            (Kind::Sint32, Wire::Varint(number)) => self.json(&zigzag(u64::from(low32(number)))),
            (Kind::Int64, Wire::Varint(number)) | (Kind::Sfixed64, Wire::Fixed64(number)) => {
                self.quoted(signed(number));
            }
            (Kind::Uint64, Wire::Varint(number)) | (Kind::Fixed64, Wire::Fixed64(number)) => self.quoted(number),
            (Kind::Sint64, Wire::Varint(number)) => self.quoted(zigzag(number)),
            (Kind::Fixed32, Wire::Fixed32(number)) => self.json(&number),
            (Kind::Sfixed32, Wire::Fixed32(number)) => self.json(&signed32(number)),
            (Kind::Double, Wire::Fixed64(bits)) => {
                let number = f64::from_bits(bits);
                self.number(&number, number);
            }
            (Kind::Float, Wire::Fixed32(bits)) => {
                let number = f32::from_bits(bits);
                self.number(&number, f64::from(number));
            }
            _ => return Err(MISMATCH),
        }
        Ok(())
    }

    fn name(&mut self, names: &Names, number: i32) {
        match names.name(number) {
            _ if names.is_null => self.json(&()),
            Some(name) => self.json(name),
            // A later version has one.
            None => self.json(&number),
        }
    }

    /// Write a number of 64 bits: JSON's own have fewer digits in most languages.
    fn quoted(&mut self, number: impl Serialize) {
        self.text.push(b'"');
        self.json(&number);
        self.text.push(b'"');
    }

    fn number(&mut self, exact: &impl Serialize, number: f64) {
        if number.is_finite() {
            self.json(exact);
        } else if number.is_nan() {
            self.json("NaN");
        } else {
            self.json(if number > 0.0 { "Infinity" } else { "-Infinity" });
        }
    }

    fn timestamp(&mut self, data: &[u8]) -> Result<(), Unwritable> {
        let time = Timestamp::decode(data).map_err(|_| MISMATCH)?;
        if !TIMESTAMP_SECONDS.contains(&time.seconds) {
            return Err(Unwritable("a time is out of range"));
        }
        // A vector takes whatever is written.
        let _ = write!(self.text, "\"{time}\"");
        Ok(())
    }

    fn duration(&mut self, data: &[u8]) -> Result<(), Unwritable> {
        let duration = Duration::decode(data).map_err(|_| MISMATCH)?;
        if duration.seconds.unsigned_abs() > DURATION_SECONDS_MAX {
            return Err(Unwritable("a duration is out of range"));
        }
        let _ = write!(self.text, "\"{duration}\"");
        Ok(())
    }

    fn other(&mut self, described: &MessageDescriptor, data: &[u8]) -> Result<(), Unwritable> {
        let message = DynamicMessage::decode(described.clone(), data).map_err(|_| MISMATCH)?;
        message
            .serialize(&mut serde_json::Serializer::new(&mut self.text))
            .map_err(|_| Unwritable("a message has no form in JSON"))
    }

    fn json<T: Serialize + ?Sized>(&mut self, value: &T) {
        // It writes texts and numbers to memory, which cannot fail.
        let _ = serde_json::to_writer(&mut self.text, value);
    }

    fn separate(&mut self, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            self.text.push(b',');
        }
    }

    fn open(&mut self, bracket: u8) -> Result<(), Unwritable> {
        if self.depth == DEPTH_MAX {
            return Err(Unwritable("it has too many levels"));
        }
        self.depth += 1;
        self.text.push(bracket);
        Ok(())
    }

    fn close(&mut self, bracket: u8) {
        self.depth -= 1;
        self.text.push(bracket);
    }
}

/// Return the key of an entry of a map as JSON has it, and its value.
fn entry<'a>(key: &Field, value: &Field, wire: Wire<'a>) -> Result<(Cow<'a, str>, Wire<'a>), Unwritable> {
    let Wire::Bytes(mut rest) = wire else {
        return Err(MISMATCH);
    };
    // Some serializers leave out what has the default value.
    let (mut name, mut content) = (default_of(&key.kind), default_of(&value.kind));
    while let Some((number, wire)) = next_field(&mut rest)? {
        match number {
            1 => name = wire,
            2 => content = wire,
            _ => {}
        }
    }
    let name = match (&key.kind, name) {
        (Kind::String, Wire::Bytes(data)) => Cow::Borrowed(text_of(data)?),
        (Kind::Bool, Wire::Varint(number)) => Cow::Borrowed(if number == 0 { "false" } else { "true" }),
        (Kind::Int32, Wire::Varint(number)) => Cow::Owned(signed32(low32(number)).to_string()),
        (Kind::Uint32, Wire::Varint(number)) => Cow::Owned(low32(number).to_string()),
        (Kind::Sint32, Wire::Varint(number)) => Cow::Owned(zigzag(u64::from(low32(number))).to_string()),
        (Kind::Int64, Wire::Varint(number)) | (Kind::Sfixed64, Wire::Fixed64(number)) => {
            Cow::Owned(signed(number).to_string())
        }
        (Kind::Uint64, Wire::Varint(number)) | (Kind::Fixed64, Wire::Fixed64(number)) => Cow::Owned(number.to_string()),
        (Kind::Sint64, Wire::Varint(number)) => Cow::Owned(zigzag(number).to_string()),
        (Kind::Fixed32, Wire::Fixed32(number)) => Cow::Owned(number.to_string()),
        (Kind::Sfixed32, Wire::Fixed32(number)) => Cow::Owned(signed32(number).to_string()),
        _ => return Err(MISMATCH),
    };
    Ok((name, content))
}

fn default_of(kind: &Kind) -> Wire<'static> {
    match packed_form(kind) {
        Some(WireType::SixtyFourBit) => Wire::Fixed64(0),
        Some(WireType::ThirtyTwoBit) => Wire::Fixed32(0),
        Some(_) => Wire::Varint(0),
        None => Wire::Bytes(&[]),
    }
}

/// Return the form in which elements follow each other in one piece; none if they cannot.
fn packed_form(kind: &Kind) -> Option<WireType> {
    match kind {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => Some(WireType::SixtyFourBit),
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => Some(WireType::ThirtyTwoBit),
        Kind::String | Kind::Bytes | Kind::Message(_) => None,
        _ => Some(WireType::Varint),
    }
}

fn text_of(data: &[u8]) -> Result<&str, Unwritable> {
    std::str::from_utf8(data).map_err(|_| Unwritable("a text is not UTF-8"))
}

/// Negative numbers of 32 bits have 64 on the wire.
#[allow(clippy::cast_possible_truncation)]
fn low32(number: u64) -> u32 {
    number as u32
}

fn zigzag(number: u64) -> i64 {
    signed(number >> 1) ^ -signed(number & 1)
}

#[allow(clippy::cast_possible_wrap)]
fn signed32(bits: u32) -> i32 {
    bits as i32
}

#[allow(clippy::cast_possible_wrap)]
fn signed(bits: u64) -> i64 {
    bits as i64
}
