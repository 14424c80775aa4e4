#include "repeatable.hpp"

#include <google/protobuf/descriptor.pb.h>

#include "memoryd/call.hpp"

namespace memoryd::detail {
namespace {

using google::protobuf::MethodOptions;

/// Returns the idempotency level of the method with this request.
MethodOptions::IdempotencyLevel level_of(const google::protobuf::Descriptor& request) {
  const auto& file = *request.file();
  for (int service = 0; service < file.service_count(); ++service) {
    for (int method = 0; method < file.service(service)->method_count(); ++method) {
      const auto& called = *file.service(service)->method(method);
      if (called.input_type() == &request) {
        return called.options().idempotency_level();
      }
    }
  }
  return MethodOptions::IDEMPOTENCY_UNKNOWN;
}

}  // namespace

bool repeatable(const google::protobuf::Descriptor& request) {
  return level_of(request) != MethodOptions::IDEMPOTENCY_UNKNOWN;
}

bool reads_only(const google::protobuf::Descriptor& request) {
  return level_of(request) == MethodOptions::NO_SIDE_EFFECTS;
}

}  // namespace memoryd::detail
