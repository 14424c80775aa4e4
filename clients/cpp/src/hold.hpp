#pragma once

#include <chrono>
#include <stop_token>
#include <thread>

#include "memoryd/place.hpp"

namespace memoryd::detail {

/// Uses a scope three times per idle time, until the object is destroyed, its client is closed, or the scope is found
/// to have ended.
class Hold {
 public:
  Hold(Place scope, std::chrono::milliseconds idle_ttl);

 private:
  void use_until(const std::stop_token& done, std::chrono::milliseconds idle_ttl) const;

  Place scope_;
  std::jthread thread_;
};

}  // namespace memoryd::detail
