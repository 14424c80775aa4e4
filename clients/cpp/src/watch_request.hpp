#pragma once

#include <memoryd/v1/event_service.pb.h>

#include <string>

#include "memoryd/watch.hpp"

namespace memoryd::detail {

/// Returns the first request of a watch with this filter and these options, for the bound user unless they name others.
[[nodiscard]] v1::WatchEventsRequest watch_request(v1::EventFilter filter, const WatchOptions& options,
                                                   const std::string& bound_user_id = {});

}  // namespace memoryd::detail
