#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "memoryd/call.hpp"

namespace memoryd::detail {
namespace {

// Reembedding passes over the memories that have their vector.
constexpr std::array<std::string_view, 9> kChangeNothingTwice = {"Get",    "List",   "Contains", "BatchGet", "Count",
                                                                 "Search", "Recall", "Reembed",  "Compose"};

}  // namespace

bool repeatable(const google::protobuf::Descriptor& request) {
  // A change is repeatable by its request id. Those of snapshots carry none, nor may one that is yet to come.
  if (request.FindFieldByName("request_id") != nullptr) {
    return true;
  }
  return std::ranges::any_of(kChangeNothingTwice,
                             [&](std::string_view verb) { return request.name().starts_with(verb); });
}

}  // namespace memoryd::detail
