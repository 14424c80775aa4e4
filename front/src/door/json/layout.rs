//! Messages as tables: what their descriptors say, in a form in which a field is found at once.

use std::collections::HashMap;
use std::sync::Arc;

use prost_reflect::{Cardinality, DescriptorPool, EnumDescriptor, FieldDescriptor, MessageDescriptor};

/// All messages that a pool has, which refer to each other by their indices.
#[derive(Default)]
pub struct Layouts {
    messages: Vec<Layout>,
    by_name: HashMap<String, usize>,
}

/// A message.
pub struct Layout {
    pub name: String,
    pub form: Form,
    /// Its fields, by their numbers.
    pub fields: Vec<Field>,
    /// The indices of its fields, by their names in JSON and by those in the proto.
    by_name: HashMap<String, usize>,
}

/// What stands for a message in JSON.
pub enum Form {
    /// An object with its fields.
    Object,
    /// Any value: `google.protobuf.Value`.
    Value,
    /// Any object: `google.protobuf.Struct`.
    Struct,
    /// Any array: `google.protobuf.ListValue`.
    List,
    Timestamp(MessageDescriptor),
    Duration(MessageDescriptor),
    /// Something else, which is rare and small: the library reads and writes it.
    Other(MessageDescriptor),
}

pub struct Field {
    pub number: u32,
    /// Its name in JSON, with quotation marks and a colon.
    pub key: String,
    pub kind: Kind,
    pub shape: Shape,
    /// True if its elements are one piece on the wire.
    pub is_packed: bool,
    /// True if it can be present with the default value.
    pub has_presence: bool,
    /// The name of the oneof that it is a member of.
    pub oneof: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    One,
    List,
    Map,
}

/// The type of a field, or of its elements.
#[derive(Clone)]
pub enum Kind {
    Double,
    Float,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Bool,
    String,
    Bytes,
    /// The index of its layout.
    Message(usize),
    Enum(Arc<Names>),
}

/// The names of an enum's values.
pub struct Names {
    by_number: HashMap<i32, String>,
    by_name: HashMap<String, i32>,
    /// True for `google.protobuf.NullValue`, which is JSON's null.
    pub is_null: bool,
}

impl Layouts {
    pub fn new(pool: &DescriptorPool) -> Self {
        let all: Vec<MessageDescriptor> = pool.all_messages().collect();
        let by_name: HashMap<String, usize> = all
            .iter()
            .enumerate()
            .map(|(index, each)| (each.full_name().to_owned(), index))
            .collect();
        let mut enums = HashMap::new();
        let messages = all.iter().map(|each| Layout::new(each, &by_name, &mut enums)).collect();
        Self { messages, by_name }
    }

    pub fn index(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub fn get(&self, index: usize) -> &Layout {
        &self.messages[index]
    }
}

impl Layout {
    fn new(
        described: &MessageDescriptor,
        indices: &HashMap<String, usize>,
        enums: &mut HashMap<String, Arc<Names>>,
    ) -> Self {
        let form = match described.full_name() {
            "google.protobuf.Value" => Form::Value,
            "google.protobuf.Struct" => Form::Struct,
            "google.protobuf.ListValue" => Form::List,
            "google.protobuf.Timestamp" => Form::Timestamp(described.clone()),
            "google.protobuf.Duration" => Form::Duration(described.clone()),
            "google.protobuf.Any"
            | "google.protobuf.BoolValue"
            | "google.protobuf.BytesValue"
            | "google.protobuf.DoubleValue"
            | "google.protobuf.Empty"
            | "google.protobuf.FieldMask"
            | "google.protobuf.FloatValue"
            | "google.protobuf.Int32Value"
            | "google.protobuf.Int64Value"
            | "google.protobuf.StringValue"
            | "google.protobuf.UInt32Value"
            | "google.protobuf.UInt64Value" => Form::Other(described.clone()),
            _ => Form::Object,
        };
        // A descriptor has them in the order of their numbers.
        let described_fields: Vec<FieldDescriptor> = described.fields().collect();
        let mut by_name = HashMap::new();
        for (index, field) in described_fields.iter().enumerate() {
            by_name.entry(field.name().to_owned()).or_insert(index);
        }
        for (index, field) in described_fields.iter().enumerate() {
            by_name.insert(field.json_name().to_owned(), index);
        }
        Self {
            name: described.full_name().to_owned(),
            form,
            fields: described_fields
                .iter()
                .map(|field| Field::new(field, indices, enums))
                .collect(),
            by_name,
        }
    }

    pub fn field_by_name(&self, name: &str) -> Option<&Field> {
        self.by_name.get(name).map(|index| &self.fields[*index])
    }

    /// Return the index of a field, which is likely to be this one or the next.
    pub fn field_by_number(&self, number: u32, likely: usize) -> Option<usize> {
        let is_it = |index: &usize| self.fields.get(*index).is_some_and(|field| field.number == number);
        [likely, likely + 1]
            .into_iter()
            .find(is_it)
            .or_else(|| self.fields.binary_search_by_key(&number, |field| field.number).ok())
    }
}

impl Field {
    fn new(
        described: &FieldDescriptor,
        indices: &HashMap<String, usize>,
        enums: &mut HashMap<String, Arc<Names>>,
    ) -> Self {
        let shape = if described.is_map() {
            Shape::Map
        } else if described.cardinality() == Cardinality::Repeated {
            Shape::List
        } else {
            Shape::One
        };
        Self {
            number: described.number(),
            key: format!("{}:", serde_json::Value::from(described.json_name())),
            kind: kind_of(&described.kind(), indices, enums),
            shape,
            is_packed: described.is_packed(),
            has_presence: described.supports_presence(),
            oneof: described.containing_oneof().map(|oneof| oneof.name().to_owned()),
        }
    }
}

fn kind_of(
    described: &prost_reflect::Kind,
    indices: &HashMap<String, usize>,
    enums: &mut HashMap<String, Arc<Names>>,
) -> Kind {
    match described {
        prost_reflect::Kind::Double => Kind::Double,
        prost_reflect::Kind::Float => Kind::Float,
        prost_reflect::Kind::Int32 => Kind::Int32,
        prost_reflect::Kind::Int64 => Kind::Int64,
        prost_reflect::Kind::Uint32 => Kind::Uint32,
        prost_reflect::Kind::Uint64 => Kind::Uint64,
        prost_reflect::Kind::Sint32 => Kind::Sint32,
        prost_reflect::Kind::Sint64 => Kind::Sint64,
        prost_reflect::Kind::Fixed32 => Kind::Fixed32,
        prost_reflect::Kind::Fixed64 => Kind::Fixed64,
        prost_reflect::Kind::Sfixed32 => Kind::Sfixed32,
        prost_reflect::Kind::Sfixed64 => Kind::Sfixed64,
        prost_reflect::Kind::Bool => Kind::Bool,
        prost_reflect::Kind::String => Kind::String,
        prost_reflect::Kind::Bytes => Kind::Bytes,
        prost_reflect::Kind::Message(message) => Kind::Message(indices[message.full_name()]),
        prost_reflect::Kind::Enum(each) => {
            let names = enums
                .entry(each.full_name().to_owned())
                .or_insert_with(|| Arc::new(Names::new(each)));
            Kind::Enum(Arc::clone(names))
        }
    }
}

impl Names {
    fn new(described: &EnumDescriptor) -> Self {
        let mut by_number = HashMap::new();
        for value in described.values() {
            // Of names for the same number, the first one is written.
            by_number
                .entry(value.number())
                .or_insert_with(|| value.name().to_owned());
        }
        Self {
            by_number,
            by_name: described
                .values()
                .map(|value| (value.name().to_owned(), value.number()))
                .collect(),
            is_null: described.full_name() == "google.protobuf.NullValue",
        }
    }

    pub fn name(&self, number: i32) -> Option<&str> {
        self.by_number.get(&number).map(String::as_str)
    }

    pub fn number(&self, name: &str) -> Option<i32> {
        self.by_name.get(name).copied()
    }
}
