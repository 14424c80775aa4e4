#include "near/copy.hpp"

#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "connection.hpp"
#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kStalenessMin = 100ms;
constexpr std::chrono::milliseconds kDefaultStaleness = 5s;
// How many times a copy finds out how current it is, within the staleness that it may have.
constexpr int kProofs = 3;

std::string reason_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

bool is_full(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const CacheFull&) {
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

NearCopy::NearCopy(Place place, NearCacheOptions options)
    : place_(std::move(place)),
      options_(std::move(options)),
      mirror_(options_.max_bytes),
      end_with_client_(place_.connection->closed(), [this] {
        ending_.request_stop();
        const std::lock_guard lock(mutex_);
        announce();
      }) {
  if (options_.max_staleness && *options_.max_staleness < kStalenessMin) {
    throw InvalidArgument({.message = "max_staleness must be at least 100 ms"});
  }
  if (options_.max_bytes < 1) {
    throw InvalidArgument({.message = "max_bytes must be positive"});
  }
}

NearCopy::~NearCopy() { close(); }

void NearCopy::open() {
  const auto request = watch_of(scope_path());
  // From here on, no write of this client is overlooked.
  place_.connection->near_copies().enter(shared_from_this());
  following_ = std::jthread([this, request] { follow(request); });
  if (!wait(kAlwaysFresh, options_.stop, [this] { return mirror_.is_complete(); })) {
    close();
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    throw Cancelled({.message = "the caller stopped the opening", .code = StatusCode::cancelled});
  }
  proving_ = std::jthread([this] { prove(); });
}

void NearCopy::close() noexcept {
  place_.connection->near_copies().exit(*this);
  ending_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    announce();
  }
  for (auto* thread : {&following_, &proving_}) {
    if (thread->joinable()) {
      thread->join();
    }
  }
  const std::lock_guard lock(mutex_);
  forget();
}

void NearCopy::forget() {
  mirror_ = Mirror(options_.max_bytes);
  fresh_at_ = kNotFresh;
  fresh_until_ = kNotFresh;
  announce();
}

std::int64_t NearCopy::revision() const {
  const std::shared_lock lock(mutex_);
  return mirror_.revision();
}

std::int64_t NearCopy::size_bytes() const {
  const std::shared_lock lock(mutex_);
  return mirror_.size_bytes();
}

std::optional<Clock::duration> NearCopy::staleness() const {
  const std::shared_lock lock(mutex_);
  return fresh_at_ == kNotFresh ? std::nullopt : std::optional(Clock::now() - fresh_at_);
}

Mark NearCopy::reached() const {
  const std::shared_lock lock(mutex_);
  return Mark::at(mirror_);
}

void NearCopy::see(const Mark& written, Clock::time_point until, const std::stop_token& stop) {
  bool is_expected = false;
  {
    // The mirror will not have it soon while it is being loaded; and a state of a later life is either of another
    // store, or the response to a repeated request, which the next proof finds out.
    const std::shared_lock lock(mutex_);
    is_expected = mirror_.is_complete() && written.lives <= mirror_.lives();
  }
  if (!is_expected || !wait(until, stop, [&] { return written.is_reached(mirror_); })) {
    owe(written);
  }
}

void NearCopy::owe(const Mark& written) {
  const std::lock_guard lock(mutex_);
  debt_ = Debt{debt_ ? written.later(debt_->mark) : written, Clock::now()};
  settle();
  set_fresh_until();
}

void NearCopy::apply(WatchMessage message) {
  const std::lock_guard lock(mutex_);
  mirror_.apply(std::move(message));
  settle();
  announce();
}

void NearCopy::replace(Mirror loaded, Clock::time_point began) {
  const std::lock_guard lock(mutex_);
  // What was owed before then is in the initial state, or was lost by the daemon.
  if (debt_ && debt_->at < began) {
    debt_.reset();
  }
  loaded.succeed(mirror_);
  mirror_ = std::move(loaded);
  settle();
  fresh_from(began);
  announce();
}

void NearCopy::fail(std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  if (is_full(error)) {
    // Its memory is what the caller wanted to bound.
    forget();
  }
  failure_ = std::move(error);
  announce();
}

void NearCopy::proved(Clock::time_point began) {
  const std::lock_guard lock(mutex_);
  if (!mirror_.is_complete()) {
    return;
  }
  if (debt_ && debt_->at < began) {
    debt_.reset();
  }
  fresh_from(began);
}

std::optional<Mark> NearCopy::before_proof() const {
  const std::shared_lock lock(mutex_);
  const bool is_needed = mirror_.is_complete() && (options_.max_staleness || debt_);
  return is_needed ? std::optional(Mark::at(mirror_)) : std::nullopt;
}

bool NearCopy::may_serve_stale() const {
  if (options_.when_stale == WhenStale::serve) {
    // A write of this client is never missing, however stale the reads may be.
    return !debt_ && mirror_.is_complete();
  }
  throw StaleRead({.message = "the near cache of '" + place_.agent_id +
                              "' may be too old, or miss a write of this client" +
                              (failure_ ? ": " + reason_of(failure_) : "")});
}

/// Ends the debt once the mirror has what it owes.
void NearCopy::settle() {
  if (debt_ && debt_->mark.is_reached(mirror_)) {
    debt_.reset();
    set_fresh_until();
  }
}

/// Takes note that the mirror has all that was committed before a time.
void NearCopy::fresh_from(Clock::time_point complete) {
  fresh_at_ = std::max(fresh_at_, complete);
  set_fresh_until();
}

void NearCopy::set_fresh_until() {
  if (debt_ || fresh_at_ == kNotFresh) {
    fresh_until_ = kNotFresh;
  } else if (!options_.max_staleness || *options_.max_staleness >= kAlwaysFresh - fresh_at_) {
    fresh_until_ = kAlwaysFresh;
  } else {
    fresh_until_ = fresh_at_ + *options_.max_staleness;
  }
}

bool NearCopy::wait(Clock::time_point until, const std::stop_token& stop, const std::function<bool()>& holds) {
  const auto is_over = [&] { return holds() || failure_ || ending_.stop_requested(); };
  std::unique_lock lock(mutex_);
  if (until == kAlwaysFresh) {
    changed_.wait(lock, stop, is_over);
  } else {
    changed_.wait_until(lock, stop, until, is_over);
  }
  return holds();
}

void NearCopy::prove() {
  const auto interval = options_.max_staleness.value_or(kDefaultStaleness) / kProofs;
  while (wait_for(interval, ending_.get_token())) {
    try {
      prove_once(interval);
    } catch (const Error&) {
      // The daemon does not answer: the mirror remains as current as it is.
    }
  }
}

/// Finds out how current the mirror is: it was current when a call began that it has caught up with. A copy without a
/// bound does so only while it owes a write.
void NearCopy::prove_once(std::chrono::milliseconds interval) {
  const auto began = Clock::now();
  const auto before = before_proof();
  if (!before) {
    return;
  }
  // The key does not matter: the response has the agent's revision, 0 if there is no agent.
  v1::ContainsEntryRequest request;
  request.set_agent_id(place_.agent_id);
  request.set_key("-");
  const CallOptions options{.stop = ending_.get_token()};
  const auto answer =
      call(*place_.connection, &v1::WorkingMemoryService::Stub::ContainsEntry, std::move(request), options);
  const auto proven = Mark::of(answer.revision(), *before);
  if (wait(Clock::now() + interval, {}, [&] { return proven.is_reached(mirror_); })) {
    proved(began);
  }
}

}  // namespace memoryd::detail
