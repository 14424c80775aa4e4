#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "memoryd/call.hpp"

namespace memoryd::detail {
namespace {

constexpr std::array<std::string_view, 6> kReads = {"Get", "List", "Contains", "BatchGet", "Count", "Search"};

}  // namespace

bool repeatable(const google::protobuf::Descriptor& request) {
  // A change is repeatable by its request id. Those of snapshots carry none, nor may one that is yet to come.
  if (request.FindFieldByName("request_id") != nullptr) {
    return true;
  }
  return std::ranges::any_of(kReads, [&](std::string_view read) { return request.name().starts_with(read); });
}

}  // namespace memoryd::detail
