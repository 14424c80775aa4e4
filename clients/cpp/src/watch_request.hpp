#pragma once

#include <memoryd/v1/event_service.pb.h>

#include "memoryd/watch.hpp"

namespace memoryd::detail {

/// Returns the first request of a watch with this filter and these options.
[[nodiscard]] v1::WatchEventsRequest watch_request(v1::EventFilter filter, const WatchOptions& options);

}  // namespace memoryd::detail
