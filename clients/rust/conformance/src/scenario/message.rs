//! Conversion of messages to JSON and back, by their descriptors.

use std::sync::LazyLock;

use prost::Message as _;
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

use super::Played;

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin")).as_slice())
        .expect("the build generates valid descriptors")
});

/// Returns the types of the request and response of a unary method, such as `AgentService.GetAgent`.
pub fn unary_method(name: &str) -> Played<(MessageDescriptor, MessageDescriptor)> {
    let unknown = || format!("there is no unary method {name:?}");
    let (service, method) = name.split_once('.').ok_or_else(unknown)?;
    let service = POOL.get_service_by_name(&format!("memoryd.v1.{service}")).ok_or_else(unknown)?;
    let found = service.methods().find(|found| found.name() == method).ok_or_else(unknown)?;
    if found.is_client_streaming() || found.is_server_streaming() {
        return Err(unknown());
    }
    Ok((found.input(), found.output()))
}

/// Returns the message type of this name in package memoryd.v1.
pub fn message(name: &str) -> MessageDescriptor {
    POOL.get_message_by_name(&format!("memoryd.v1.{name}")).expect("the protos define the message")
}

/// Encodes the message that the JSON describes.
pub fn encode(descriptor: MessageDescriptor, json: &Value) -> Played<Vec<u8>> {
    let name = descriptor.full_name().to_owned();
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    DynamicMessage::deserialize_with_options(descriptor, json, &options)
        .map(|message| message.encode_to_vec())
        .map_err(|error| format!("is not a {name}: {error}"))
}

/// Decodes a message into JSON, with the field names of the proto and the defaults of fields without presence.
pub fn decode(descriptor: MessageDescriptor, bytes: &[u8]) -> Played<Value> {
    let options = SerializeOptions::new().use_proto_field_name(true).skip_default_fields(false);
    let message = DynamicMessage::decode(descriptor, bytes).map_err(|error| format!("cannot be decoded: {error}"))?;
    message
        .serialize_with_options(serde_json::value::Serializer, &options)
        .map_err(|error| format!("cannot be encoded as JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_written_with_its_defaults_and_proto_names() {
        let bytes = encode(message("GetEntryResponse"), &json!({"revision": "7", "entry": {"tags": []}})).unwrap();
        let json = decode(message("GetEntryResponse"), &bytes).unwrap();
        assert_eq!(json["revision"], "7");
        assert_eq!(json["found"], false);
        assert_eq!(json["entry"]["type"], "ENTRY_TYPE_UNSPECIFIED");
        assert_eq!(json["entry"]["tags"], json!([]));
        assert_eq!(json["entry"].get("expire_time"), None);
    }

    #[test]
    fn an_unknown_field_is_refused() {
        assert!(encode(message("GetEntryRequest"), &json!({"nonsense": 1})).is_err());
    }

    #[test]
    fn only_unary_methods_are_found() {
        assert!(unary_method("WorkingMemoryService.SetEntry").is_ok());
        for name in ["EventService.WatchEvents", "SnapshotService.ImportSnapshot", "Nonsense.Get", "GetEntry"] {
            assert!(unary_method(name).is_err(), "{name}");
        }
    }
}
