#include "fields.hpp"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/time_util.h>

#include "entry_request.hpp"
#include "memoryd/error.hpp"
#include "memoryd/value.hpp"

namespace memoryd::detail {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::TimeUtil;

/// Checks that setting the field does not clear another one.
void check_alone(const Message& message, const FieldDescriptor& field) {
  const auto* oneof = field.real_containing_oneof();
  const auto& reflection = *message.GetReflection();
  if (oneof == nullptr || !reflection.HasOneof(message, oneof)) {
    return;
  }
  if (const auto& other = *reflection.GetOneofFieldDescriptor(message, oneof); &other != &field) {
    throw InvalidArgument({.message = other.name() + " and " + field.name() + " exclude each other: give one of them"});
  }
}

void parse_into(Message& message, const std::string& name, const nlohmann::json& value) {
  const auto text = encode(value);
  if (!google::protobuf::util::JsonStringToMessage(text, &message).ok()) {
    throw UnsupportedValue({.message = "the " + name + " must be a JSON object"});
  }
}

/// Sets a field, or adds to it if it is a list.
class Setter {
 public:
  Setter(Message& message, const FieldDescriptor& field)
      : message_(message), field_(field), reflection_(*message.GetReflection()) {}

  void operator()(bool value) const {
    if (field_.message_type() != nullptr) {
      // A message without fields says all by being there.
      if (value) {
        (void)inner();
      }
      return;
    }
    put(&google::protobuf::Reflection::SetBool, &google::protobuf::Reflection::AddBool, value);
  }
  void operator()(std::int32_t value) const {
    put(&google::protobuf::Reflection::SetInt32, &google::protobuf::Reflection::AddInt32, value);
  }
  void operator()(std::int64_t value) const {
    put(&google::protobuf::Reflection::SetInt64, &google::protobuf::Reflection::AddInt64, value);
  }
  void operator()(float value) const {
    put(&google::protobuf::Reflection::SetFloat, &google::protobuf::Reflection::AddFloat, value);
  }
  void operator()(double value) const {
    put(&google::protobuf::Reflection::SetDouble, &google::protobuf::Reflection::AddDouble, value);
  }
  void operator()(EnumNumber value) const {
    put(&google::protobuf::Reflection::SetEnumValue, &google::protobuf::Reflection::AddEnumValue, value.number);
  }
  void operator()(std::string_view value) const {
    put(&google::protobuf::Reflection::SetString, &google::protobuf::Reflection::AddString, std::string(value));
  }
  void operator()(std::chrono::milliseconds value) const {
    inner().CopyFrom(TimeUtil::MillisecondsToDuration(value.count()));
  }
  void operator()(std::chrono::system_clock::time_point value) const {
    const std::chrono::nanoseconds since_epoch = value.time_since_epoch();
    inner().CopyFrom(TimeUtil::NanosecondsToTimestamp(since_epoch.count()));
  }
  void operator()(const nlohmann::json& value) const { parse_into(inner(), field_.name(), value); }

  [[nodiscard]] Message& inner() const {
    return field_.is_repeated() ? *reflection_.AddMessage(&message_, &field_)
                                : *reflection_.MutableMessage(&message_, &field_);
  }

 private:
  template <class T>
  using Method = void (google::protobuf::Reflection::*)(Message*, const FieldDescriptor*, T) const;

  template <class T, class Value>
  void put(Method<T> set, Method<T> add, Value value) const {
    (reflection_.*(field_.is_repeated() ? add : set))(&message_, &field_, std::move(value));
  }

  Message& message_;
  const FieldDescriptor& field_;
  const google::protobuf::Reflection& reflection_;
};

}  // namespace

void Fields::put(std::string_view path, const Condition& condition) {
  if (const auto precondition = precondition_of(condition)) {
    at(path).message_->CopyFrom(*precondition);
  }
}

void Fields::put(std::string_view path, const Consistency& consistency) {
  if (const auto* min = std::get_if<MinRevision>(&consistency)) {
    at(path).set("min_revision", min->revision);
  } else if (const auto* max = std::get_if<MaxStaleness>(&consistency)) {
    at(path).set("max_staleness", max->staleness);
  }
}

void Fields::put(std::string_view path, const std::vector<nlohmann::json>& values) {
  if (values.empty()) {
    return;
  }
  if (find(path).field.is_repeated()) {
    for (const auto& value : values) {
      set(path, value);
    }
  } else {
    // One message has all values.
    set(path, nlohmann::json(values));
  }
}

Fields Fields::at(std::string_view path) const {
  const auto [message, field] = find(path);
  return Fields(Setter(message, field).inner());
}

Fields::Found Fields::find(std::string_view path) const {
  auto* message = message_;
  while (true) {
    const auto end = path.find('.');
    // All names are generated from the same contract as the messages.
    const auto& field = *message->GetDescriptor()->FindFieldByName(std::string(path.substr(0, end)));
    check_alone(*message, field);
    if (end == std::string_view::npos) {
      return {*message, field};
    }
    message = message->GetReflection()->MutableMessage(message, &field);
    path.remove_prefix(end + 1);
  }
}

void Fields::set(std::string_view path, const FieldValue& value) const {
  const auto [message, field] = find(path);
  std::visit(Setter(message, field), value);
}

}  // namespace memoryd::detail
