#pragma once

#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bound_user.hpp"
#include "connection.hpp"
#include "fields.hpp"
#include "memoryd/place.hpp"
#include "memoryd/records.hpp"

namespace memoryd::detail {

/// The draft and the mask of a request that updates a record.
template <class Request, class Attribute>
class Changes {
 public:
  Changes(Request& request, const std::vector<Attribute>& cleared)
      : mask_(*request.mutable_update_mask()), fields_(*request.mutable_draft()), cleared_(cleared) {}

  /// Names a field in the mask if it is given, or is to be cleared.
  template <class T>
  void put(const std::string& name, Attribute attribute, const T& value) {
    if (is_given(value) || std::ranges::find(cleared_, attribute) != cleared_.end()) {
      mask_.add_paths(name);
    }
    fields_.put(name, value);
  }

  /// Sets the time to live, which is another way to say when a record expires.
  void put_ttl(const std::optional<std::chrono::milliseconds>& ttl) {
    if (ttl) {
      mask_.add_paths("expire_time");
    }
    fields_.put("ttl", ttl);
  }

 private:
  template <class T>
  static bool is_given(const std::optional<T>& value) {
    return value.has_value();
  }
  template <class T>
  static bool is_given(const std::vector<T>& values) {
    return !values.empty();
  }
  static bool is_given(const nlohmann::json& value) { return !value.is_null(); }

  google::protobuf::FieldMask& mask_;
  Fields fields_;
  const std::vector<Attribute>& cleared_;
};

/// Calls a method of a service for the agent and its user.
template <class Stub, class Request, class Response>
Response invoke(const Place& place, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                Request request, CallOptions options) {
  request.set_agent_id(place.agent_id);
  bind_user(request, place.user_id);
  if constexpr (requires { request.wait_duration(); }) {
    // A call that waits for another caller needs that time in addition.
    if (!options.timeout) {
      using google::protobuf::util::TimeUtil;
      const std::chrono::milliseconds wait(TimeUtil::DurationToMilliseconds(request.wait_duration()));
      options.timeout = place.connection->settings().timeout + wait;
    }
  }
  return call(*place.connection, method, std::move(request), options);
}

/// Lists records of the agent and its user. `records` returns those of a response.
template <class Record, class Stub, class Request, class Response>
Records<Record> list(const Place& place, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                     Request request, const CallOptions& options,
                     google::protobuf::RepeatedPtrField<Record>* (Response::*records)()) {
  constexpr int kPageSize = 1'000;
  request.set_page_size(kPageSize);
  return Records<Record>([=](const std::string& page_token) {
    auto asked = request;
    asked.set_page_token(page_token);
    auto response = invoke(place, method, std::move(asked), options);
    typename Records<Record>::Page page{.next_page_token = response.next_page_token()};
    page.records.Swap((response.*records)());
    return page;
  });
}

/// Returns the messages of a list.
template <class Message>
std::vector<Message> vector_of(google::protobuf::RepeatedPtrField<Message>& messages) {
  return {std::make_move_iterator(messages.begin()), std::make_move_iterator(messages.end())};
}

}  // namespace memoryd::detail
