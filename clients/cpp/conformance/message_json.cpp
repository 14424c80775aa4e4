#include "message_json.hpp"

#include <google/protobuf/util/json_util.h>

#include <stdexcept>

namespace conformance {

using google::protobuf::util::JsonPrintOptions;
using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageToJsonString;

void read_message(const nlohmann::json& value, google::protobuf::Message& message) {
  const auto status = JsonStringToMessage(value.dump(), &message);
  if (!status.ok()) {
    throw std::runtime_error("the request is not a " + message.GetDescriptor()->name() + ": " + status.ToString());
  }
}

nlohmann::json write_message(const google::protobuf::Message& message) {
  JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto status = MessageToJsonString(message, &text, options);
  if (!status.ok()) {
    throw std::runtime_error("the response cannot be encoded as JSON: " + status.ToString());
  }
  return nlohmann::json::parse(text);
}

}  // namespace conformance
