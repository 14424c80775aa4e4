#include "reservation.hpp"

#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "entry_request.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;
using Stub = v1::WorkingMemoryService::Stub;
using google::protobuf::util::TimeUtil;

// The time that one call waits for another holder; it is repeated until the caller's own wait is over.
constexpr std::chrono::milliseconds kWaitEach = 20s;
// One renewal may fail: the next one still comes before the lease expires.
constexpr int kRenewalsPerLease = 3;

/// The limit of the caller's wait.
class Patience {
 public:
  explicit Patience(std::optional<std::chrono::milliseconds> wait) {
    if (wait) {
      until_ = detail::Clock::now() + *wait;
    }
  }

  [[nodiscard]] std::chrono::milliseconds next_wait() const {
    if (!until_) {
      return kWaitEach;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until_ - detail::Clock::now());
    return std::clamp<std::chrono::milliseconds>(left, 0ms, kWaitEach);
  }

  [[nodiscard]] bool over() const { return until_ && detail::Clock::now() >= *until_; }

 private:
  std::optional<detail::Clock::time_point> until_;
};

}  // namespace

namespace detail {

Reservation::Reservation(Connection& connection, const WorkingMemory& place, std::string_view key,
                         const GetOrSetOptions& options)
    : connection_(connection), place_(place), key_(key), options_(options) {}

template <class Request>
Request Reservation::request_of() const {
  Request request;
  request.set_agent_id(place_.agent_id());
  request.set_scope_id(place_.scope_id());
  request.set_key(key_);
  return request;
}

v1::ReserveEntryResponse Reservation::reserve(std::chrono::milliseconds wait) const {
  auto request = request_of<v1::ReserveEntryRequest>();
  request.set_local_only(options_.lookup == Lookup::local_only);
  *request.mutable_lease_duration() = TimeUtil::MillisecondsToDuration(options_.lease.count());
  *request.mutable_wait_duration() = TimeUtil::MillisecondsToDuration(wait.count());
  const CallOptions call_options{.timeout = connection_.settings().timeout + wait, .stop = options_.stop};
  return call(connection_, &Stub::ReserveEntry, std::move(request), call_options);
}

std::string Reservation::make(const std::string& token, const std::function<std::string()>& factory) const {
  const std::jthread renewal([&](const std::stop_token& done) { renew_until(done, token); });
  return factory();
}

void Reservation::set(const std::string& token, const std::string& value_json) const {
  auto request = request_of<v1::SetEntryRequest>();
  request.set_reservation_token(token);
  write_entry(request, value_json, options_.entry, place_.user_id());
  call(connection_, &Stub::SetEntry, std::move(request));
}

void Reservation::give_up(const std::string& token) const noexcept {
  try {
    auto request = request_of<v1::ReleaseReservationRequest>();
    request.set_reservation_token(token);
    call(connection_, &Stub::ReleaseReservation, std::move(request));
  } catch (const std::exception&) {
    // The caller throws an error that matters more.
  }
}

void Reservation::renew_until(const std::stop_token& done, const std::string& token) const {
  while (wait_for(options_.lease / kRenewalsPerLease, done)) {
    try {
      auto request = request_of<v1::RenewReservationRequest>();
      request.set_reservation_token(token);
      *request.mutable_lease_duration() = TimeUtil::MillisecondsToDuration(options_.lease.count());
      call(connection_, &Stub::RenewReservation, std::move(request), {.stop = done});
    } catch (const ReservationLost&) {
      return;
    } catch (const std::exception&) {
      // The cause may pass before the lease expires: try again at the next turn.
    }
  }
}

}  // namespace detail

std::optional<v1::Entry> WorkingMemory::get_or_set_text(std::string_view key, const TextFactory& make,
                                                        const GetOrSetOptions& options) {
  const detail::Reservation reservation(*connection(), *this, key, options);
  const Patience patience(options.wait);
  std::optional<std::string> made;
  while (true) {
    auto reserved = reservation.reserve(patience.next_wait());
    if (reserved.outcome() == v1::RESERVE_OUTCOME_FOUND) {
      return std::move(*reserved.mutable_entry());
    }
    if (reserved.outcome() == v1::RESERVE_OUTCOME_HELD) {
      if (patience.over()) {
        throw DeadlineExceeded({.message = "another caller is still making the value of '" + std::string(key) + "'",
                                .code = StatusCode::deadline_exceeded});
      }
      continue;
    }
    const auto& token = reserved.reservation_token();
    try {
      if (!made) {
        made = reservation.make(token, make);
      }
    } catch (...) {
      reservation.give_up(token);
      throw;
    }
    try {
      reservation.set(token, *made);
      return std::nullopt;
    } catch (const ReservationLost&) {
      // A value is made once: store the same value with the next reservation.
    } catch (...) {
      reservation.give_up(token);
      throw;
    }
  }
}

}  // namespace memoryd
