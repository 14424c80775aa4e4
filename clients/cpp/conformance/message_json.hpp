#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>

namespace conformance {

/// Decodes a message from proto3 JSON with the field names of the proto. Throws std::runtime_error for an unknown
/// field.
void read_message(const nlohmann::json& value, google::protobuf::Message& message);

/// Encodes a message as proto3 JSON with the field names of the proto, and with the defaults of fields without
/// presence.
[[nodiscard]] nlohmann::json write_message(const google::protobuf::Message& message);

}  // namespace conformance
