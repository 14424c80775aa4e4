//! Messages with fields of all types, for the tests.

use std::sync::{Arc, LazyLock};

use prost_reflect::prost_types::field_descriptor_proto::{Label, Type as FieldType};
use prost_reflect::prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto, FieldOptions,
    FileDescriptorProto, MessageOptions, OneofDescriptorProto,
};
use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value,
};

use super::Type;
use super::layout::Layouts;

/// A type of messages as both this module and the library know it.
pub struct Known {
    pub own: Type,
    pub described: MessageDescriptor,
}

const SCALARS: [FieldType; 15] = [
    FieldType::Double,
    FieldType::Float,
    FieldType::Int32,
    FieldType::Int64,
    FieldType::Uint32,
    FieldType::Uint64,
    FieldType::Sint32,
    FieldType::Sint64,
    FieldType::Fixed32,
    FieldType::Fixed64,
    FieldType::Sfixed32,
    FieldType::Sfixed64,
    FieldType::Bool,
    FieldType::String,
    FieldType::Bytes,
];
const KEYS: [FieldType; 12] = [
    FieldType::Int32,
    FieldType::Int64,
    FieldType::Uint32,
    FieldType::Uint64,
    FieldType::Sint32,
    FieldType::Sint64,
    FieldType::Fixed32,
    FieldType::Fixed64,
    FieldType::Sfixed32,
    FieldType::Sfixed64,
    FieldType::Bool,
    FieldType::String,
];
const MESSAGES: [&str; 9] = [
    ".sample.All",
    ".google.protobuf.Value",
    ".google.protobuf.Struct",
    ".google.protobuf.ListValue",
    ".google.protobuf.Timestamp",
    ".google.protobuf.Duration",
    ".google.protobuf.FieldMask",
    ".google.protobuf.Int64Value",
    ".google.protobuf.Empty",
];

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let mut pool = DescriptorPool::global();
    pool.add_file_descriptor_proto(file()).unwrap();
    pool
});
static LAYOUTS: LazyLock<Arc<Layouts>> = LazyLock::new(|| Arc::new(Layouts::new(&POOL)));

pub fn known(name: &str) -> Known {
    let layouts = Arc::clone(&LAYOUTS);
    let index = layouts.index(name).unwrap();
    Known {
        own: Type { layouts, index },
        described: POOL.get_message_by_name(name).unwrap(),
    }
}

/// Return a message whose fields, some of them absent, have values by chance.
pub fn message(described: &MessageDescriptor, chance: &mut Chance, depth: usize) -> DynamicMessage {
    match described.full_name() {
        "google.protobuf.Timestamp" | "google.protobuf.Duration" => return time(described, chance),
        "google.protobuf.FieldMask" => return DynamicMessage::decode(described.clone(), &b"\x0a\x03a_b"[..]).unwrap(),
        "google.protobuf.Value" => return any_value(described, chance, depth),
        _ => {}
    }
    let mut message = DynamicMessage::new(described.clone());
    let oneof = chance.below(9);
    for field in described.fields() {
        let is_other = field
            .containing_oneof()
            .is_some_and(|each| each.fields().len() > 1 && u64::from(field.number()) % 3 != oneof % 3);
        if is_other || chance.below(3) == 0 || (depth == 0 && matches!(field.kind(), Kind::Message(_))) {
            continue;
        }
        let value = field_value(&field, chance, depth.saturating_sub(1));
        message.set_field(&field, value);
    }
    message
}

fn time(described: &MessageDescriptor, chance: &mut Chance) -> DynamicMessage {
    let seconds = i64::try_from(chance.below(1 << 37)).unwrap();
    let nanos = [0, 5_000_000, 5_000, 5][usize::try_from(chance.below(4)).unwrap()];
    let mut message = DynamicMessage::new(described.clone());
    message.set_field_by_name("seconds", Value::I64(seconds));
    message.set_field_by_name("nanos", Value::I32(nanos));
    message
}

/// Return a value with one of its kinds, and a number that JSON has.
fn any_value(described: &MessageDescriptor, chance: &mut Chance, depth: usize) -> DynamicMessage {
    let mut message = DynamicMessage::new(described.clone());
    let number = u32::try_from(chance.below(if depth == 0 { 4 } else { 6 })).unwrap() + 1;
    let field = described.get_field(number).unwrap();
    let value = match field.kind() {
        Kind::Double => Value::F64(f64::from(u32::try_from(chance.below(1 << 20)).unwrap()) / 8.0),
        Kind::Enum(_) => Value::EnumNumber(0),
        _ => field_value(&field, chance, depth.saturating_sub(1)),
    };
    message.set_field(&field, value);
    message
}

fn field_value(field: &FieldDescriptor, chance: &mut Chance, depth: usize) -> Value {
    let count = chance.below(3);
    match (field.cardinality(), field.kind()) {
        (Cardinality::Repeated, Kind::Message(entry)) if field.is_map() => {
            let (key, value) = (entry.map_entry_key_field().kind(), entry.map_entry_value_field().kind());
            Value::Map(
                (0..count)
                    .map(|_| (map_key(&key, chance), scalar(&value, chance, depth)))
                    .collect(),
            )
        }
        (Cardinality::Repeated, kind) => Value::List((0..count).map(|_| scalar(&kind, chance, depth)).collect()),
        (_, kind) => scalar(&kind, chance, depth),
    }
}

fn map_key(kind: &Kind, chance: &mut Chance) -> MapKey {
    match scalar(kind, chance, 0) {
        Value::Bool(value) => MapKey::Bool(value),
        Value::I32(value) => MapKey::I32(value),
        Value::I64(value) => MapKey::I64(value),
        Value::U32(value) => MapKey::U32(value),
        Value::U64(value) => MapKey::U64(value),
        Value::String(value) => MapKey::String(value),
        _ => unreachable!("no key of a map has that type"),
    }
}

// Bits by chance, of which the types take as many as they have.
#[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap)]
fn scalar(kind: &Kind, chance: &mut Chance, depth: usize) -> Value {
    let bits = chance.below(u64::MAX) >> (chance.below(4) * 16);
    match kind {
        // What is no number is not equal to itself.
        Kind::Double => Value::F64(Some(f64::from_bits(bits)).filter(|each| !each.is_nan()).unwrap_or(0.5)),
        Kind::Float => Value::F32(
            Some(f32::from_bits(bits as u32))
                .filter(|each| !each.is_nan())
                .unwrap_or(f32::INFINITY),
        ),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(bits as i32),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(bits as i64),
        Kind::Uint32 | Kind::Fixed32 => Value::U32(bits as u32),
        Kind::Uint64 | Kind::Fixed64 => Value::U64(bits),
        Kind::Bool => Value::Bool(bits & 1 == 1),
        Kind::String => Value::String(["", "a", "é\"\\\n\u{1}", "\u{1f600}/"][(bits % 4) as usize].to_owned()),
        Kind::Bytes => Value::Bytes(bits.to_le_bytes()[..(bits % 8) as usize].to_vec().into()),
        Kind::Enum(each) if each.name() == "NullValue" => Value::EnumNumber(0),
        Kind::Enum(_) => Value::EnumNumber((bits % 4) as i32),
        Kind::Message(described) => Value::Message(message(described, chance, depth)),
    }
}

/// Numbers by chance, which are the same for the same seed.
pub struct Chance(pub u64);

impl Chance {
    /// Return a number below a maximum: `SplitMix64`.
    pub fn below(&mut self, maximum: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % maximum
    }
}

/// Return a file with a message that has fields of all types: alone, optional, in lists, maps and a oneof.
fn file() -> FileDescriptorProto {
    let mut all = DescriptorProto {
        name: Some("All".to_owned()),
        oneof_decl: vec![OneofDescriptorProto {
            name: Some("choice".to_owned()),
            options: None,
        }],
        ..Default::default()
    };
    let types = || {
        let scalars = SCALARS.map(|each| (each, None)).into_iter();
        let others = [(FieldType::Enum, Some(".sample.Color"))].into_iter();
        let messages = MESSAGES.map(|name| (FieldType::Message, Some(name))).into_iter();
        scalars.chain(others).chain(messages)
    };
    for (kind, name) in types() {
        add(&mut all, kind, name, Label::Optional);
        add(&mut all, kind, name, Label::Repeated);
        add(&mut all, kind, name, Label::Optional).oneof_index = Some(0);
        map(&mut all, FieldType::String, kind, name);
        if name.is_none() {
            // The library packs lists of numbers: these are not.
            add(&mut all, kind, name, Label::Repeated).options = Some(FieldOptions {
                packed: Some(false),
                ..Default::default()
            });
        }
    }
    for key in KEYS {
        map(&mut all, key, FieldType::String, None);
    }
    for (kind, name) in types().take(SCALARS.len()) {
        let oneof = i32::try_from(all.oneof_decl.len()).unwrap();
        let field = add(&mut all, kind, name, Label::Optional);
        field.oneof_index = Some(oneof);
        field.proto3_optional = Some(true);
        let name = Some(format!("_{}", field.name()));
        all.oneof_decl.push(OneofDescriptorProto { name, options: None });
    }
    let value = |(name, number): (&str, i32)| EnumValueDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        options: None,
    };
    FileDescriptorProto {
        name: Some("sample.proto".to_owned()),
        package: Some("sample".to_owned()),
        dependency: ["empty", "duration", "field_mask", "struct", "timestamp", "wrappers"]
            .map(|name| format!("google/protobuf/{name}.proto"))
            .to_vec(),
        message_type: vec![all],
        enum_type: vec![EnumDescriptorProto {
            name: Some("Color".to_owned()),
            value: [("NONE", 0), ("RED", 1), ("GREEN", 2)].map(value).to_vec(),
            ..Default::default()
        }],
        syntax: Some("proto3".to_owned()),
        ..Default::default()
    }
}

fn add<'a>(
    message: &'a mut DescriptorProto,
    kind: FieldType,
    name: Option<&str>,
    label: Label,
) -> &'a mut FieldDescriptorProto {
    let number = i32::try_from(message.field.len()).unwrap() + 1;
    message.field.push(FieldDescriptorProto {
        name: Some(format!("field_{number}")),
        number: Some(number),
        label: Some(label.into()),
        r#type: Some(kind.into()),
        type_name: name.map(str::to_owned),
        ..Default::default()
    });
    message.field.last_mut().unwrap()
}

fn map(message: &mut DescriptorProto, key: FieldType, value: FieldType, name: Option<&str>) {
    let number = message.field.len() + 1;
    let entry_name = format!("Field{number}Entry");
    let mut entry = DescriptorProto {
        name: Some(entry_name.clone()),
        options: Some(MessageOptions {
            map_entry: Some(true),
            ..Default::default()
        }),
        ..Default::default()
    };
    add(&mut entry, key, None, Label::Optional).name = Some("key".to_owned());
    add(&mut entry, value, name, Label::Optional).name = Some("value".to_owned());
    message.nested_type.push(entry);
    let type_name = format!(".sample.All.{entry_name}");
    add(message, FieldType::Message, Some(&type_name), Label::Repeated);
}
