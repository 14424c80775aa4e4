#include "wrapped.hpp"

#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "given.hpp"
#include "recording_daemon.hpp"

namespace conformance {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

using Copy = std::unique_ptr<Message>;

Copy copy_of(const Message& message) {
  Copy copy(message.New());
  copy->CopyFrom(message);
  return copy;
}

void clear_if_empty(Message& message, const char* name) {
  const auto* field = message.GetDescriptor()->FindFieldByName(name);
  const auto& reflection = *message.GetReflection();
  if (field != nullptr && reflection.HasField(message, field) &&
      reflection.GetMessage(message, field).ByteSizeLong() == 0) {
    reflection.ClearField(&message, field);
  }
}

/// Returns a request without what does not matter: whether the draft of an update, or a filter, is empty, and the order
/// of the fields that a mask names.
Copy comparable(const Message& request) {
  auto copy = copy_of(request);
  clear_if_empty(*copy, "filter");
  if (const auto* mask = request.GetDescriptor()->FindFieldByName("update_mask")) {
    clear_if_empty(*copy, "draft");
    auto& fields = dynamic_cast<google::protobuf::FieldMask&>(*copy->GetReflection()->MutableMessage(copy.get(), mask));
    std::ranges::sort(*fields.mutable_paths());
  }
  return copy;
}

/// Sets a field of a request as another request has it.
void take_over(Message& request, const Message& from, const char* name) {
  const auto* field = request.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr) {
    return;
  }
  const auto& reflection = *request.GetReflection();
  if (field->type() == FieldDescriptor::TYPE_INT32) {
    reflection.SetInt32(&request, field, reflection.GetInt32(from, field));
  } else {
    reflection.SetString(&request, field, reflection.GetString(from, field));
  }
}

/// Describes the differences between two requests; empty if there are none.
std::string difference_of(const Message& made, const Message& given) {
  google::protobuf::util::DefaultFieldComparator numbers;
  numbers.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&numbers);
  std::string text;
  differencer.ReportDifferencesToString(&text);
  return differencer.Compare(*comparable(given), *comparable(made)) ? "" : text;
}

std::string text_of(const Message& request, const char* name) {
  const auto* field = request.GetDescriptor()->FindFieldByName(name);
  return field == nullptr ? "" : request.GetReflection()->GetString(request, field);
}

}  // namespace

Wrapped::Wrapped(Wrappers chosen)
    : daemon_(std::make_unique<memoryd::RecordingDaemon>()),
      client_({.target = daemon_->target()}),
      wrappers_(std::move(chosen)) {}

Wrapped::~Wrapped() = default;

void Wrapped::make_again(const std::string& method, Message& request) {
  const auto found = wrappers_.find(method);
  // The wrappers read all pages from the first one.
  if (found == wrappers_.end() || !text_of(request, "page_token").empty()) {
    return;
  }
  const auto made = copy_of(request);
  const std::lock_guard lock(mutex_);
  try {
    found->second(client_.agent(text_of(request, "agent_id")), Given(request));
  } catch (const Unsayable&) {
    return;
  } catch (const memoryd::InvalidArgument&) {
    // The client refuses by itself what the daemon refuses, too: conditions that exclude each other.
    return;
  }
  const auto bytes = daemon_->take("/memoryd.v1." + std::string(method).replace(method.find('.'), 1, "/"));
  if (!made->ParseFromString(bytes)) {
    throw std::runtime_error("the wrapper of " + method + " made no " + made->GetDescriptor()->name());
  }
  take_over(*made, request, "page_size");
  if (text_of(request, "request_id").empty()) {
    take_over(*made, request, "request_id");
  }
  if (const auto different = difference_of(*made, request); !different.empty()) {
    throw std::runtime_error("the wrapper of " + method + " made another request: " + different);
  }
  request.CopyFrom(*made);
  ++calls_[method];
}

std::string Wrapped::summary() const {
  const std::lock_guard lock(mutex_);
  const auto sum = [](int total, const auto& calls) { return total + calls.second; };
  return std::to_string(std::accumulate(calls_.begin(), calls_.end(), 0, sum)) +
         " calls with the requests of wrappers of " + std::to_string(calls_.size()) + " methods";
}

}  // namespace conformance
