#pragma once

#include <google/protobuf/descriptor.h>

namespace memoryd::detail {

/// Returns whether the method with this request changes nothing, by the idempotency level in its proto.
[[nodiscard]] bool reads_only(const google::protobuf::Descriptor& request);

}  // namespace memoryd::detail
