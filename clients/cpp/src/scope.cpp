#include "memoryd/scope.hpp"

#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <exception>
#include <utility>

#include "connection.hpp"
#include "entry_request.hpp"
#include "hold.hpp"
#include "memoryd/error.hpp"
#include "watch_request.hpp"

namespace memoryd {
namespace {

using Stub = v1::WorkingMemoryService::Stub;

}  // namespace

Scope::Scope(detail::Place place, std::optional<Conflict> merge, AtEnd at_end)
    : WorkingMemory(std::move(place)),
      merge_(merge),
      at_end_(at_end),
      exceptions_at_start_(std::uncaught_exceptions()) {}

Scope::Scope(Scope&& other) noexcept
    : WorkingMemory(other),
      merge_(other.merge_),
      at_end_(std::exchange(other.at_end_, AtEnd::keep)),
      closed_(other.closed_),
      exceptions_at_start_(other.exceptions_at_start_),
      hold_(std::move(other.hold_)) {}

Scope& Scope::operator=(Scope&& other) noexcept {
  if (this != &other) {
    end_quietly();
    WorkingMemory::operator=(other);
    merge_ = other.merge_;
    at_end_ = std::exchange(other.at_end_, AtEnd::keep);
    closed_ = other.closed_;
    exceptions_at_start_ = other.exceptions_at_start_;
    hold_ = std::move(other.hold_);
  }
  return *this;
}

Scope::~Scope() { end_quietly(); }

std::int64_t Scope::merge(Conflict conflict, const Condition& condition) {
  const auto merged = copy(conflict, condition, true);
  closed_ = true;
  hold_.reset();
  return merged;
}

std::int64_t Scope::merge_and_keep(Conflict conflict, const Condition& condition) {
  return copy(conflict, condition, false);
}

void Scope::close(const Condition& condition) {
  if (closed_) {
    return;
  }
  if (merge_) {
    merge(*merge_, condition);
    return;
  }
  dispose(condition);
  closed_ = true;
  hold_.reset();
}

std::string Scope::release() {
  at_end_ = AtEnd::keep;
  return scope_id();
}

Watch Scope::watch(const WatchOptions& options) const {
  v1::EventFilter filter;
  filter.add_agent_ids(agent_id());
  filter.add_scope_ids(scope_id());
  filter.set_include_descendants(true);
  return Watch(connection(), detail::watch_request(std::move(filter), options, user_id()), options.patience);
}

void Scope::hold(std::chrono::milliseconds idle_ttl) { hold_ = std::make_unique<detail::Hold>(place(), idle_ttl); }

std::int64_t Scope::copy(Conflict conflict, const Condition& condition, bool dispose) {
  v1::MergeScopeRequest request;
  request.set_agent_id(agent_id());
  request.set_scope_id(scope_id());
  request.set_overwrite(conflict == Conflict::overwrite);
  request.set_dispose(dispose);
  detail::write_agent_condition(request, condition);
  const auto response = detail::call(*connection(), &Stub::MergeScope, std::move(request));
  return response.merged_entry_count();
}

void Scope::dispose(const Condition& condition) {
  v1::DisposeScopeRequest request;
  request.set_agent_id(agent_id());
  request.set_scope_id(scope_id());
  detail::write_agent_condition(request, condition);
  try {
    // The call succeeds for a scope that has already ended.
    detail::call(*connection(), &Stub::DisposeScope, std::move(request));
  } catch (const RecordNotFound&) {
    // The daemon remembers a disposed scope for a limited time, and none of an ended agent.
  }
}

void Scope::end_quietly() noexcept {
  if (at_end_ == AtEnd::keep) {
    return;
  }
  try {
    if (std::uncaught_exceptions() > exceptions_at_start_) {
      merge_.reset();
    }
    close();
  } catch (const std::exception&) {
    // A destructor must not throw. Callers that need the error call close() first.
  }
}

}  // namespace memoryd
