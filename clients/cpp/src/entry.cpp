#include "memoryd/entry.hpp"

#include <google/protobuf/util/json_util.h>

#include <algorithm>

#include "entry_request.hpp"

namespace memoryd {

std::chrono::system_clock::time_point time_of(const google::protobuf::Timestamp& timestamp) {
  const auto since_epoch = std::chrono::seconds(timestamp.seconds()) + std::chrono::nanoseconds(timestamp.nanos());
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(since_epoch));
}

namespace detail {

google::protobuf::Struct struct_of(const nlohmann::json& metadata) {
  google::protobuf::Struct message;
  const auto text = encode(metadata);
  if (!metadata.is_object() || !google::protobuf::util::JsonStringToMessage(text, &message).ok()) {
    throw UnsupportedValue({.message = "the metadata must be a JSON object"});
  }
  return message;
}

google::protobuf::FieldMask mask_of(const EntryOptions& options) {
  const auto is_given = [&](Attribute attribute, bool has_value) {
    return has_value || std::ranges::find(options.cleared, attribute) != options.cleared.end();
  };
  google::protobuf::FieldMask mask;
  const auto add = [&](const char* field, Attribute attribute, bool has_value) {
    if (is_given(attribute, has_value)) {
      mask.add_paths(field);
    }
  };
  add("type_name", Attribute::type_name, !options.type_name.empty());
  add("type", Attribute::entry_type, options.entry_type != v1::ENTRY_TYPE_UNSPECIFIED);
  add("importance", Attribute::importance, options.importance.has_value());
  add("tags", Attribute::tags, !options.tags.empty());
  add("metadata", Attribute::metadata, !options.metadata.is_null());
  add("user_id", Attribute::user_id, options.user_id.has_value());
  add("expire_time", Attribute::expiry, !std::holds_alternative<std::monostate>(options.expiry));
  return mask;
}

std::optional<v1::Precondition> precondition_of(const Condition& condition) {
  v1::Precondition precondition;
  if (std::holds_alternative<MustNotExist>(condition)) {
    precondition.set_must_not_exist(true);
  } else if (std::holds_alternative<MustExist>(condition)) {
    precondition.set_must_exist(true);
  } else if (const auto* expected = std::get_if<ExpectedRevision>(&condition)) {
    precondition.set_expected_revision(expected->revision);
  } else {
    return std::nullopt;
  }
  return precondition;
}

}  // namespace detail
}  // namespace memoryd
