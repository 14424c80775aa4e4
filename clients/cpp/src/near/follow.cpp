#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "connection.hpp"
#include "memoryd/error.hpp"
#include "memoryd/watch.hpp"
#include "near/copy.hpp"

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kLongestReload = 5s;

v1::EventFilter filter_of(const std::string& agent_id, std::initializer_list<v1::RecordKind> kinds) {
  v1::EventFilter filter;
  filter.add_agent_ids(agent_id);
  filter.mutable_kinds()->Add(kinds.begin(), kinds.end());
  return filter;
}

/// Returns whether a watch that ended with this error may begin again with the initial state.
bool begins_again(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidResumeToken&) {
    return true;
  } catch (const CacheFull&) {
    return false;
  } catch (const InvalidArgument&) {
    return false;
  } catch (const PermissionDenied&) {
    return false;
  } catch (const Unauthenticated&) {
    return false;
  } catch (const Unimplemented&) {
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

/// Returns the scope of the copy, its ancestors and the root; nothing if the copy is of the whole agent.
std::vector<std::string> NearCopy::scope_path() const {
  std::vector<std::string> path;
  for (auto last = options_.scope_id; !last.empty();) {
    path.push_back(last);
    v1::GetScopeRequest request;
    request.set_agent_id(place_.agent_id);
    request.set_scope_id(last);
    const auto response = call(*place_.connection, &v1::WorkingMemoryService::Stub::GetScope, std::move(request));
    last = response.scope().parent_scope_id();
  }
  if (!path.empty()) {
    path.emplace_back();
  }
  return path;
}

v1::WatchEventsRequest NearCopy::watch_of(const std::vector<std::string>& scope_path) const {
  const auto& agent_id = place_.agent_id;
  auto working = filter_of(agent_id, {v1::RECORD_KIND_ENTRY, v1::RECORD_KIND_SCOPE, v1::RECORD_KIND_AGENT});
  working.set_key_prefix(options_.key_prefix);
  v1::WatchEventsRequest request;
  request.set_include_initial_state(true);
  request.set_progress_on_commit(true);
  if (scope_path.empty()) {
    *request.add_filters() = working;
  } else {
    auto& own = *request.add_filters() = working;
    own.add_scope_ids(scope_path.front());
    own.set_include_descendants(true);
    working.mutable_scope_ids()->Add(scope_path.begin() + 1, scope_path.end());
    *request.add_filters() = working;
  }
  if (options_.notes) {
    *request.add_filters() = filter_of(agent_id, {v1::RECORD_KIND_NOTE, v1::RECORD_KIND_AGENT});
  }
  return request;
}

/// Keeps the mirror current by watches, until the copy is closed or one of them fails for good.
void NearCopy::follow(const v1::WatchEventsRequest& request) {
  const auto stop = ending_.get_token();
  int failures = 0;
  while (!stop.stop_requested()) {
    std::exception_ptr error;
    const bool was_loaded = follow_once(request, error);
    if (stop.stop_requested()) {
      return;
    }
    if (error && !may_go_on(error)) {
      fail(std::move(error));
      return;
    }
    failures = was_loaded ? 1 : failures + 1;
    wait_for(backoff(failures, kLongestReload, random_chance()), stop);
  }
}

bool NearCopy::follow_once(const v1::WatchEventsRequest& request, std::exception_ptr& error) {
  bool is_loaded = false;
  try {
    auto began = Clock::now();
    Mirror loading(options_.max_bytes);
    Watch watch(place_.connection, request, {.outage_max = std::nullopt, .stop = ending_.get_token()});
    while (auto message = watch.next_message()) {
      if (message->phase == WatchPhase::restarted) {
        began = Clock::now();
        loading = Mirror(options_.max_bytes);
      } else if (is_loaded) {
        apply(*std::move(message));
      } else {
        loading.apply(*std::move(message));
        is_loaded = loading.is_complete();
        if (is_loaded) {
          replace(std::move(loading), began);
        }
      }
    }
  } catch (const std::exception&) {
    error = std::current_exception();
  }
  return is_loaded;
}

bool NearCopy::may_go_on(const std::exception_ptr& error) const {
  const std::shared_lock lock(mutex_);
  return mirror_.is_complete() && begins_again(error);
}

}  // namespace memoryd::detail
