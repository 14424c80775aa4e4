#include "given.hpp"

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>
#include <memoryd/v1/precondition.pb.h>

#include <algorithm>

#include "message_json.hpp"

namespace conformance {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::util::TimeUtil;

const FieldDescriptor& field_of(const Message& message, std::string_view name) {
  // All names are generated from the same contract as the messages.
  return *message.GetDescriptor()->FindFieldByName(std::string(name));
}

bool has(const Message& message, const FieldDescriptor& field) {
  return message.GetReflection()->HasField(message, &field);
}

}  // namespace

#define MEMORYD_READ(type, name)                                               \
  void GivenValue::read(type& to) const {                                      \
    const auto& reflection = *message_->GetReflection();                       \
    to = index_ < 0 ? reflection.Get##name(*message_, field_)                  \
                    : reflection.GetRepeated##name(*message_, field_, index_); \
  }
MEMORYD_READ(std::int32_t, Int32)
MEMORYD_READ(std::int64_t, Int64)
MEMORYD_READ(float, Float)
MEMORYD_READ(double, Double)
MEMORYD_READ(std::string, String)
#undef MEMORYD_READ

void GivenValue::read(bool& to) const {
  // A message without fields says all by being there.
  to = field_->message_type() != nullptr || message_->GetReflection()->GetBool(*message_, field_);
}

void GivenValue::read(std::chrono::milliseconds& to) const {
  const auto& given = dynamic_cast<const google::protobuf::Duration&>(inner());
  to = std::chrono::milliseconds(TimeUtil::DurationToMilliseconds(given));
  if (TimeUtil::MillisecondsToDuration(to.count()) != given) {
    throw Unsayable();
  }
}

void GivenValue::read(std::chrono::system_clock::time_point& to) const {
  const auto& given = dynamic_cast<const google::protobuf::Timestamp&>(inner());
  using Seconds = std::chrono::sys_seconds;
  const Seconds seconds{std::chrono::seconds(given.seconds())};
  if (seconds >= std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::time_point::max()) ||
      seconds <= std::chrono::ceil<std::chrono::seconds>(std::chrono::system_clock::time_point::min())) {
    throw Unsayable();
  }
  to = seconds + std::chrono::nanoseconds(given.nanos());
}

void GivenValue::read(nlohmann::json& to) const { to = write_message(inner()); }

int GivenValue::number() const {
  const auto& reflection = *message_->GetReflection();
  return index_ < 0 ? reflection.GetEnumValue(*message_, field_)
                    : reflection.GetRepeatedEnumValue(*message_, field_, index_);
}

const Message& GivenValue::inner() const {
  const auto& reflection = *message_->GetReflection();
  return index_ < 0 ? reflection.GetMessage(*message_, field_)
                    : reflection.GetRepeatedMessage(*message_, field_, index_);
}

std::vector<GivenValue> Given::values(std::string_view path) const {
  const auto* message = message_;
  while (true) {
    const auto end = path.find('.');
    const auto& field = field_of(*message, path.substr(0, end));
    if (end != std::string_view::npos) {
      if (!has(*message, field)) {
        return {};
      }
      message = &message->GetReflection()->GetMessage(*message, &field);
      path.remove_prefix(end + 1);
    } else if (field.is_repeated()) {
      std::vector<GivenValue> found;
      for (int index = 0; index < message->GetReflection()->FieldSize(*message, &field); ++index) {
        found.emplace_back(*message, field, index);
      }
      return found;
    } else {
      return has(*message, field) ? std::vector{GivenValue(*message, field, -1)} : std::vector<GivenValue>();
    }
  }
}

void Given::take(std::string_view path, std::vector<nlohmann::json>& to) const {
  for (const auto& value : values(path)) {
    auto json = write_message(value.inner());
    if (value.inner().GetDescriptor() == google::protobuf::ListValue::descriptor()) {
      to = json.get<std::vector<nlohmann::json>>();
    } else {
      to.push_back(std::move(json));
    }
  }
}

void Given::take(std::string_view path, memoryd::Condition& to) const {
  for (const auto& value : values(path)) {
    const auto& given = dynamic_cast<const memoryd::v1::Precondition&>(value.inner());
    if (given.must_not_exist()) {
      to = memoryd::MustNotExist{};
    } else if (given.must_exist()) {
      to = memoryd::MustExist{};
    } else if (given.has_expected_revision()) {
      to = memoryd::ExpectedRevision{given.expected_revision()};
    } else {
      throw Unsayable();
    }
  }
}

void Given::take(std::string_view path, memoryd::Consistency& to) const {
  for (const auto& value : values(path)) {
    const Given given(value.inner());
    if (!given.values("min_revision").empty()) {
      to = memoryd::MinRevision{given.as<std::int64_t>("min_revision")};
    } else if (!given.values("max_staleness").empty()) {
      to = memoryd::MaxStaleness{given.as<std::chrono::milliseconds>("max_staleness")};
    } else {
      throw Unsayable();
    }
  }
}

void Given::take_content(bool& to) const {
  for (const auto& value : values("view")) {
    if (value.number() != memoryd::v1::RECORD_VIEW_WITHOUT_CONTENT) {
      throw Unsayable();
    }
    to = false;
  }
}

void Given::require_kind(std::string_view kind) const {
  for (const auto& filter : values("filter")) {
    const auto& message = filter.inner();
    const auto* given =
        message.GetReflection()->GetOneofFieldDescriptor(message, message.GetDescriptor()->FindOneofByName("kind"));
    if (given != nullptr && given->name() != kind) {
      throw Unsayable();
    }
  }
}

GivenChanges::GivenChanges(const Given& given) : draft_(given) {
  const auto masks = given.values("update_mask");
  if (masks.empty()) {
    throw Unsayable();
  }
  const auto& paths = dynamic_cast<const google::protobuf::FieldMask&>(masks.front().inner()).paths();
  mask_.assign(paths.begin(), paths.end());
  const auto& request = given.message();
  const auto& draft = field_of(request, "draft");
  const auto& message = request.GetReflection()->GetMessage(request, &draft);
  draft_ = Given(message);
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (std::ranges::find(mask_, field->name() == "ttl" ? "expire_time" : field->name()) == mask_.end()) {
      throw Unsayable();
    }
  }
}

void GivenChanges::require_all_taken() const {
  if (!mask_.empty()) {
    throw Unsayable();
  }
}

}  // namespace conformance
