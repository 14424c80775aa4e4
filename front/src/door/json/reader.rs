//! JSON as messages, written as the bytes on the wire while it is read: nothing is built of it in between.

use std::fmt;

use prost::Message;
use prost_reflect::{DeserializeOptions, DynamicMessage, MessageDescriptor};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::layout::{Field, Form, Kind, Layout, Layouts, Shape};
use super::scalar::{Given, GivenVisitor, Text, write_scalar};
use super::sized::{close, open};
use super::value::{AnyList, AnyObject, AnyValue};

/// Return the message that JSON stands for.
pub fn read(layouts: &Layouts, layout: &Layout, text: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let mut data = Vec::with_capacity(text.len() / 2);
    let mut parser = serde_json::Deserializer::from_slice(text);
    let content = Content {
        layouts,
        layout,
        data: &mut data,
    };
    content.deserialize(&mut parser)?;
    parser.end()?;
    Ok(data)
}

/// The fields of a message, to be added to what is written.
struct Content<'a> {
    layouts: &'a Layouts,
    layout: &'a Layout,
    data: &'a mut Vec<u8>,
}

impl<'de> DeserializeSeed<'de> for Content<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match &self.layout.form {
            Form::Object => deserializer.deserialize_map(self),
            Form::Value => AnyValue(self.data).deserialize(deserializer),
            Form::Struct => deserializer.deserialize_map(AnyObject(self.data)),
            Form::List => deserializer.deserialize_seq(AnyList(self.data)),
            Form::Timestamp(described) | Form::Duration(described) | Form::Other(described) => {
                other(described, deserializer, self.data)
            }
        }
    }
}

impl<'de> Visitor<'de> for Content<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { layouts, layout, data } = self;
        let mut set: Vec<&Field> = Vec::new();
        while let Some(name) = map.next_key_seed(Text)? {
            let Some(field) = layout.field_by_name(&name) else {
                return Err(Error::custom(format!("unrecognized field name '{name}'")));
            };
            if !map.next_value_seed(Optional(Elements { layouts, field, data }))? {
                continue;
            }
            if set.iter().any(|other| other.number == field.number) {
                return Err(Error::custom(format!("the field '{name}' is there twice")));
            }
            if let Some(oneof) = &field.oneof
                && set.iter().any(|other| other.oneof.as_ref() == Some(oneof))
            {
                return Err(Error::custom(format!("multiple fields provided for oneof '{oneof}'")));
            }
            set.push(field);
        }
        Ok(())
    }
}

fn other<'de, D: Deserializer<'de>>(
    described: &MessageDescriptor,
    deserializer: D,
    data: &mut Vec<u8>,
) -> Result<(), D::Error> {
    let options = DeserializeOptions::new();
    let message = DynamicMessage::deserialize_with_options(described.clone(), deserializer, &options)?;
    message.encode(data).map_err(Error::custom)
}

/// A field, which null leaves out. Returns false then.
struct Optional<'a>(Elements<'a>);

impl Optional<'_> {
    /// Return true if null is a value of the field.
    fn has_null(&self) -> bool {
        match (&self.0.field.kind, self.0.field.shape) {
            (Kind::Message(index), Shape::One) => matches!(self.0.layouts.get(*index).form, Form::Value),
            (Kind::Enum(names), Shape::One) => names.is_null,
            _ => false,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Optional<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        if self.has_null() {
            return self.0.deserialize(deserializer).map(|()| true);
        }
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Optional<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.expecting(formatter)
    }

    fn visit_unit<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_none<E: Error>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        self.0.deserialize(deserializer).map(|()| true)
    }
}

/// A field with all its elements, to be added to what is written.
struct Elements<'a> {
    layouts: &'a Layouts,
    field: &'a Field,
    data: &'a mut Vec<u8>,
}

impl<'a> Elements<'a> {
    /// Return one element: with the key of the field, unless it is one of several in one piece.
    fn element(&mut self, number: Option<u32>) -> Element<'_> {
        Element {
            layouts: self.layouts,
            kind: &self.field.kind,
            number,
            data: self.data,
        }
    }

    fn entry(&self) -> Option<(&'a Field, &'a Field)> {
        let (Kind::Message(index), Shape::Map) = (&self.field.kind, self.field.shape) else {
            return None;
        };
        match &self.layouts.get(*index).fields[..] {
            [key, value] => Some((key, value)),
            _ => None,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(mut self, deserializer: D) -> Result<(), D::Error> {
        match self.field.shape {
            Shape::List | Shape::Map => deserializer.deserialize_any(self),
            Shape::One => {
                let begin = self.data.len();
                let number = Some(self.field.number);
                let is_default = self.element(number).deserialize(deserializer)?;
                if is_default && !self.field.has_presence {
                    self.data.truncate(begin);
                }
                Ok(())
            }
        }
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(if self.field.shape == Shape::Map {
            "a map"
        } else {
            "a list"
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        if self.field.shape == Shape::Map {
            return Err(Error::invalid_type(Unexpected::Seq, &self));
        }
        let number = self.field.number;
        if !self.field.is_packed {
            while list.next_element_seed(self.element(Some(number)))?.is_some() {}
            return Ok(());
        }
        let begin = self.data.len();
        let place = open(number, self.data);
        while list.next_element_seed(self.element(None))?.is_some() {}
        if self.data.len() == place + 1 {
            self.data.truncate(begin);
        } else {
            close(place, self.data);
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((key, value)) = self.entry() else {
            return Err(Error::invalid_type(Unexpected::Map, &self));
        };
        let Self { layouts, field, data } = self;
        while let Some(name) = map.next_key_seed(Text)? {
            let place = open(field.number, data);
            let given = match key.kind {
                Kind::Bool => Given::Bool(name.parse().map_err(Error::custom)?),
                _ => Given::Text(name),
            };
            write_scalar(&key.kind, &given, Some(key.number), data)?;
            map.next_value_seed(Element {
                layouts,
                kind: &value.kind,
                number: Some(value.number),
                data,
            })?;
            close(place, data);
        }
        Ok(())
    }
}

/// One element, to be added to what is written: with the key of its field, if that has a number here. Returns true for
/// the default value.
struct Element<'a> {
    layouts: &'a Layouts,
    kind: &'a Kind,
    number: Option<u32>,
    data: &'a mut Vec<u8>,
}

impl<'de> DeserializeSeed<'de> for Element<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        let Self {
            layouts,
            kind,
            number,
            data,
        } = self;
        let (Kind::Message(index), Some(number)) = (kind, number) else {
            let given = deserializer.deserialize_any(GivenVisitor(kind))?;
            return write_scalar(kind, &given, number, data);
        };
        let place = open(number, data);
        let layout = layouts.get(*index);
        Content { layouts, layout, data }.deserialize(deserializer)?;
        close(place, data);
        Ok(false)
    }
}
