#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "memoryd/call.hpp"

namespace memoryd::detail {

using google::protobuf::MethodOptions;

bool repeatable(const google::protobuf::Descriptor& request) {
  const auto& file = *request.file();
  for (int service = 0; service < file.service_count(); ++service) {
    for (int method = 0; method < file.service(service)->method_count(); ++method) {
      const auto& called = *file.service(service)->method(method);
      if (called.input_type() == &request) {
        return called.options().idempotency_level() != MethodOptions::IDEMPOTENCY_UNKNOWN;
      }
    }
  }
  return false;
}

}  // namespace memoryd::detail
