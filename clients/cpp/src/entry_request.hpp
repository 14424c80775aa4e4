#pragma once

#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/time_util.h>
#include <memoryd/v1/precondition.pb.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "memoryd/consistency.hpp"
#include "memoryd/entry.hpp"

namespace memoryd::detail {

/// Converts the metadata to a message. Throws UnsupportedValue unless it is an object.
[[nodiscard]] google::protobuf::Struct struct_of(const nlohmann::json& metadata);

/// Converts the condition to a message; none if there is no condition.
[[nodiscard]] std::optional<v1::Precondition> precondition_of(const Condition& condition);

/// Writes the value and its attributes into a SetEntryRequest or a SetEntryOperation. It is about the bound user unless
/// the options name another.
template <class Message>
void write_entry(Message& message, std::string value_json, const EntryOptions& options,
                 const std::string& bound_user_id) {
  using google::protobuf::util::TimeUtil;
  message.set_value_json(std::move(value_json));
  message.set_type_name(options.type_name);
  message.set_type(options.entry_type);
  if (options.importance) {
    message.set_importance(*options.importance);
  }
  message.mutable_tags()->Assign(options.tags.begin(), options.tags.end());
  if (!options.metadata.is_null()) {
    *message.mutable_metadata() = struct_of(options.metadata);
  }
  message.set_user_id(options.user_id.value_or(bound_user_id));
  if (const auto* ttl = std::get_if<std::chrono::milliseconds>(&options.expiry)) {
    *message.mutable_ttl() = TimeUtil::MillisecondsToDuration(ttl->count());
  } else if (const auto* moment = std::get_if<std::chrono::system_clock::time_point>(&options.expiry)) {
    const std::chrono::nanoseconds since_epoch = moment->time_since_epoch();
    *message.mutable_expire_time() = TimeUtil::NanosecondsToTimestamp(since_epoch.count());
  }
}

/// Returns the mask of an update: the attributes that are given or cleared.
[[nodiscard]] google::protobuf::FieldMask mask_of(const EntryOptions& options);

/// Writes a condition into a message with a precondition.
template <class Message>
void write_condition(Message& message, const Condition& condition) {
  if (auto precondition = precondition_of(condition)) {
    *message.mutable_precondition() = *std::move(precondition);
  }
}

/// Writes a condition on the agent into a request.
template <class Request>
void write_agent_condition(Request& request, const Condition& condition) {
  if (auto precondition = precondition_of(condition)) {
    *request.mutable_agent_precondition() = *std::move(precondition);
  }
}

/// Writes how current the response must be into a request.
template <class Request>
void write_consistency(Request& request, const Consistency& consistency) {
  using google::protobuf::util::TimeUtil;
  if (const auto* min = std::get_if<MinRevision>(&consistency)) {
    request.mutable_consistency()->set_min_revision(min->revision);
  } else if (const auto* max = std::get_if<MaxStaleness>(&consistency)) {
    *request.mutable_consistency()->mutable_max_staleness() = TimeUtil::MillisecondsToDuration(max->staleness.count());
  }
}

}  // namespace memoryd::detail
