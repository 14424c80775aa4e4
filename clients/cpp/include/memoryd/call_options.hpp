#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

namespace memoryd {

/// The options of one call.
struct CallOptions {
  /// The timeout of the call with all its retries. Default: the client's timeout.
  std::optional<std::chrono::milliseconds> timeout{};
  /// Ends the call with Cancelled.
  std::stop_token stop{};
};

}  // namespace memoryd
