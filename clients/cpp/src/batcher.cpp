#include "batcher.hpp"

#include <memoryd/v1/transaction_service.grpc.pb.h>
#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "connection.hpp"
#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

constexpr std::size_t kCallsMax = 1'000;
constexpr std::size_t kCommitBytesMax = 1 << 20;

/// The codes after which nothing has changed, and of which one call alone may be the cause. After others each call
/// would fail, too, or nobody knows whether the changes were made.
constexpr std::array kRefusals{StatusCode::invalid_argument,   StatusCode::not_found,
                               StatusCode::already_exists,     StatusCode::permission_denied,
                               StatusCode::resource_exhausted, StatusCode::failed_precondition,
                               StatusCode::out_of_range,       StatusCode::unimplemented};

bool is_refusal(const Error& error) {
  return std::ranges::find(kRefusals, error.code()) != kRefusals.end() &&
         dynamic_cast<const Overloaded*>(&error) == nullptr;
}

/// Calls for a group. If one of its calls may be the cause of an error, each is to be made by itself.
template <class Calls, class Call>
void answer(const Calls& calls, const Call& call_for_all) {
  try {
    call_for_all();
  } catch (const Error& error) {
    for (auto* each : calls) {
      if (is_refusal(error)) {
        each->is_alone = true;
      } else {
        each->error = std::current_exception();
      }
    }
  } catch (const std::exception&) {
    for (auto* each : calls) {
      each->error = std::current_exception();
    }
  }
}

/// Returns whether a text is UTF-8. A request with another one cannot be decoded, which would be an error of all.
bool is_utf8(std::string_view text) {
  try {
    return !nlohmann::json(text).dump().empty();
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

bool is_utf8(const v1::SetEntryRequest& request) {
  return is_utf8(request.key()) && is_utf8(request.type_name()) && is_utf8(request.user_id()) &&
         std::ranges::all_of(request.tags(), [](const auto& tag) { return is_utf8(tag); });
}

}  // namespace

template <class Place, class Together, class Call, class Send>
auto Batcher::join(Groups<Place, Together>& groups, const Place& place, Call call, const Send& send)
    -> std::optional<decltype(call.result)> {
  std::unique_lock lock(mutex_);
  auto& open = groups[place];
  if (open && (open->calls.size() == kCallsMax || open->bytes + call.bytes > kCommitBytesMax)) {
    open->is_closed = true;
    open->changed.notify_all();
    open.reset();
  }
  const bool leads = !open;
  if (leads) {
    open = std::make_shared<Together>();
  }
  const auto group = open;
  group->calls.push_back(&call);
  group->bytes += call.bytes;
  if (leads) {
    group->changed.wait_for(lock, window_, [&] { return group->is_closed; });
    if (!group->is_closed) {
      group->is_closed = true;
      groups.erase(place);
    }
    lock.unlock();
    if (group->calls.size() == 1) {
      call.is_alone = true;
    } else {
      send(*group);
    }
    lock.lock();
    group->is_answered = true;
    group->changed.notify_all();
  } else {
    group->changed.wait(lock, [&] { return group->is_answered; });
  }
  lock.unlock();
  if (call.error) {
    std::rethrow_exception(call.error);
  }
  return call.is_alone ? std::nullopt : std::optional(std::move(call.result));
}

std::optional<v1::GetEntryResponse> Batcher::call(const v1::GetEntryRequest& request) {
  if (request.has_consistency() || !is_utf8(request.key())) {
    return std::nullopt;
  }
  const ReadPlace place{request.agent_id(), request.scope_id(), request.local_only()};
  return join(reads_, place, Reads::Call{.asked = request.key(), .bytes = request.key().size()},
              [&](const Reads& reads) { send(place, reads); });
}

std::optional<v1::SetEntryResponse> Batcher::call(const v1::SetEntryRequest& request) {
  if (request.has_precondition() || request.has_update_mask() || !is_utf8(request)) {
    return std::nullopt;
  }
  v1::Write asked;
  *asked.mutable_set_entry() = request;
  auto result = write(request.agent_id(), std::move(asked));
  return result ? std::optional(std::move(*result->mutable_set_entry())) : std::nullopt;
}

std::optional<v1::RemoveEntryResponse> Batcher::call(const v1::RemoveEntryRequest& request) {
  if (request.has_precondition() || !is_utf8(request.key())) {
    return std::nullopt;
  }
  v1::Write asked;
  *asked.mutable_remove_entry() = request;
  auto result = write(request.agent_id(), std::move(asked));
  return result ? std::optional(std::move(*result->mutable_remove_entry())) : std::nullopt;
}

std::optional<v1::WriteResult> Batcher::write(const std::string& agent_id, v1::Write write) {
  const auto bytes = write.ByteSizeLong();
  return join(writes_, agent_id, Writes::Call{.asked = std::move(write), .bytes = bytes},
              [&](const Writes& writes) { send(agent_id, writes); });
}

void Batcher::send(const ReadPlace& place, const Reads& reads) {
  answer(reads.calls, [&] {
    v1::BatchGetEntriesRequest request;
    request.set_agent_id(place.agent_id);
    request.set_scope_id(place.scope_id);
    request.set_local_only(place.local_only);
    for (const auto* each : reads.calls) {
      request.add_keys(each->asked);
    }
    auto response = detail::call(connection_, &v1::WorkingMemoryService::Stub::BatchGetEntries, std::move(request));
    // They are in the order of the keys. A key that was requested twice has two, each for one caller.
    auto entry = response.mutable_entries()->begin();
    for (auto* each : reads.calls) {
      if (entry != response.mutable_entries()->end() && entry->key() == each->asked) {
        each->result.set_found(true);
        each->result.mutable_entry()->Swap(&*entry);
        ++entry;
      }
    }
  });
}

void Batcher::send(const std::string& agent_id, const Writes& writes) {
  answer(writes.calls, [&] {
    v1::CommitRequest request;
    request.set_agent_id(agent_id);
    for (auto* each : writes.calls) {
      request.add_writes()->Swap(&each->asked);
    }
    auto response = detail::call(connection_, &v1::TransactionService::Stub::Commit, std::move(request));
    if (response.results_size() != static_cast<int>(writes.calls.size())) {
      throw InternalError({.message = "the server's results are not those of the writes"});
    }
    for (int index = 0; index < response.results_size(); ++index) {
      writes.calls[static_cast<std::size_t>(index)]->result.Swap(response.mutable_results(index));
    }
  });
}

}  // namespace memoryd::detail
