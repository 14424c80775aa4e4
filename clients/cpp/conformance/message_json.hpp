#pragma once

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>

namespace conformance {

/// Fills a message from proto3 JSON with the fields' proto names. Throws std::runtime_error for an unknown field.
void read_message(const nlohmann::json& value, google::protobuf::Message& message);

/// A message as proto3 JSON with the fields' proto names, defaults of fields without presence written out.
[[nodiscard]] nlohmann::json write_message(const google::protobuf::Message& message);

}  // namespace conformance
