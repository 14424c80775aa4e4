#include "memoryd/consumer.hpp"

#include <google/protobuf/util/time_util.h>
#include <memoryd/v1/fragment_service.grpc.pb.h>

#include <future>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>

#include "connection.hpp"
#include "memoryd/error.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;
using google::protobuf::util::TimeUtil;

// One renewal may fail: the next one still comes before the lease expires.
constexpr int kLeaseRenewals = 3;
// How long one call waits for fragments. None is cancelled when the consumer is closed: the daemon may have leased
// fragments to it already, which nobody would get before the lease expires.
constexpr std::chrono::milliseconds kLeaseWait = 1s;
constexpr std::chrono::nanoseconds kLongestPause = 30s;

std::string text_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    return known.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

/// Returns whether no retry can resolve the error.
bool is_permanent(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InvalidArgument&) {
    return true;
  } catch (const PermissionDenied&) {
    return true;
  } catch (const Unauthenticated&) {
    return true;
  } catch (const Unimplemented&) {
    return true;
  } catch (...) {
    return false;
  }
}

void log_error(const std::exception_ptr& error) {
  std::clog << "memoryd: fragments are delivered again: " << text_of(error) << '\n';
}

ConsumerOptions with_defaults(ConsumerOptions options) {
  if (!options.on_error) {
    options.on_error = log_error;
  }
  return options;
}

}  // namespace

/// The thread of a consumer.
class Consumer::Delivering {
 public:
  Delivering(detail::Place place, FragmentHandler handler, ConsumerOptions options)
      : place_(std::move(place)),
        handler_(std::move(handler)),
        options_(with_defaults(std::move(options))),
        close_with_client_(place_.connection->closed(), [this] { closing_.request_stop(); }),
        ended_(std::async(std::launch::async, [this] { run(); })) {}

  Delivering(const Delivering&) = delete;
  Delivering& operator=(const Delivering&) = delete;

  ~Delivering() { close(); }

  void close() noexcept {
    closing_.request_stop();
    ended_.wait();
  }

  /// Waits for the end, and throws its error.
  void wait() const { std::shared_future<void>(ended_).get(); }

 private:
  void run() {
    const auto closed = closing_.get_token();
    int failures = 0;
    while (!closed.stop_requested()) {
      try {
        failures = turn() ? 0 : failures + 1;
      } catch (...) {
        if (closed.stop_requested()) {
          return;
        }
        const auto error = std::current_exception();
        if (is_permanent(error)) {
          std::clog << "memoryd: a consumer of fragments ended: " << text_of(error) << '\n';
          throw;
        }
        options_.on_error(error);
        ++failures;
      }
      if (failures > 0) {
        detail::wait_for(detail::backoff(failures, kLongestPause, detail::random_chance()), closed);
      }
    }
  }

  /// Has some fragments handled, if there are any. Returns false if the handler has thrown.
  bool turn() {
    v1::LeaseFragmentsRequest request;
    request.set_limit(options_.limit);
    *request.mutable_lease_duration() = TimeUtil::MillisecondsToDuration(options_.lease.count());
    *request.mutable_wait_duration() = TimeUtil::MillisecondsToDuration(kLeaseWait.count());
    auto leased = call(&v1::FragmentService::Stub::LeaseFragments, std::move(request), kLeaseWait);
    const auto& token = leased.lease_token();
    if (leased.fragments().empty()) {
      return true;
    }
    if (closing_.stop_requested()) {
      release(token);
      return true;
    }
    try {
      auto& fragments = *leased.mutable_fragments();
      handle(token, {std::make_move_iterator(fragments.begin()), std::make_move_iterator(fragments.end())});
    } catch (...) {
      release(token);
      options_.on_error(std::current_exception());
      return false;
    }
    acknowledge(token);
    return true;
  }

  void handle(const std::string& token, std::vector<v1::Fragment> fragments) {
    std::stop_source lost;
    const std::jthread renewal([&](const std::stop_token& done) { renew_until(done, token, lost); });
    handler_({.fragments = std::move(fragments), .lease_lost = lost.get_token()});
  }

  void renew_until(const std::stop_token& done, const std::string& token, std::stop_source& lost) {
    while (detail::wait_for(options_.lease / kLeaseRenewals, done)) {
      try {
        v1::RenewFragmentLeaseRequest request;
        request.set_lease_token(token);
        *request.mutable_lease_duration() = TimeUtil::MillisecondsToDuration(options_.lease.count());
        call(&v1::FragmentService::Stub::RenewFragmentLease, std::move(request), 0ms, done);
      } catch (const LeaseLost&) {
        lost.request_stop();
        return;
      } catch (const std::exception&) {
        // The cause may pass before the lease expires: try again at the next turn.
      }
    }
  }

  void acknowledge(const std::string& token) {
    v1::AcknowledgeFragmentsRequest request;
    request.set_lease_token(token);
    try {
      call(&v1::FragmentService::Stub::AcknowledgeFragments, std::move(request));
    } catch (const LeaseLost&) {
      // They are not released: they were handled, and the daemon may have removed them before the call failed.
      options_.on_error(std::current_exception());
    }
  }

  void release(const std::string& token) noexcept {
    try {
      v1::ReleaseFragmentsRequest request;
      request.set_lease_token(token);
      call(&v1::FragmentService::Stub::ReleaseFragments, std::move(request));
    } catch (const std::exception&) {
      // The lease expires anyway.
    }
  }

  /// Performs a call, which is not tried again once the consumer is closed.
  template <class Request, class Response>
  Response call(grpc::Status (v1::FragmentService::Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                Request request, std::chrono::milliseconds wait = 0ms, std::stop_token stop = {}) {
    request.set_agent_id(place_.agent_id);
    const CallOptions options{.timeout = place_.connection->settings().timeout + wait, .stop = std::move(stop)};
    return detail::call(*place_.connection, method, std::move(request), options, closing_.get_token());
  }

  detail::Place place_;
  FragmentHandler handler_;
  ConsumerOptions options_;
  std::stop_source closing_;
  std::stop_callback<std::function<void()>> close_with_client_;
  std::shared_future<void> ended_;
};

Consumer::Consumer(detail::Place place, FragmentHandler handler, ConsumerOptions options)
    : delivering_(std::make_unique<Delivering>(std::move(place), std::move(handler), std::move(options))) {}

Consumer::Consumer(Consumer&&) noexcept = default;
Consumer& Consumer::operator=(Consumer&&) noexcept = default;
Consumer::~Consumer() = default;

void Consumer::close() {
  delivering_->close();
  delivering_->wait();
}

void Consumer::wait() const { delivering_->wait(); }

Consumer detail::Consuming::on_flush(FragmentHandler handler, ConsumerOptions options) const {
  return Consumer(place_, std::move(handler), std::move(options));
}

}  // namespace memoryd
