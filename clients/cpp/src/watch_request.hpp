#pragma once

#include <memoryd/v1/event_service.pb.h>

#include "memoryd/watch.hpp"

namespace memoryd::detail {

/// The first request of a watch of what the filter and the options say.
[[nodiscard]] v1::WatchEventsRequest watch_request(v1::EventFilter filter, const WatchOptions& options);

}  // namespace memoryd::detail
