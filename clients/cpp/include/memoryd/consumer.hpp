#pragma once

#include <memoryd/v1/fragment.pb.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "memoryd/place.hpp"

namespace memoryd {

namespace detail {
class Consuming;
}

/// Fragments that a consumer delivers to its handler, oldest first.
struct Delivery {
  std::vector<v1::Fragment> fragments{};
  /// Is stopped when the lease of the fragments is lost, so that other consumers may receive them, too.
  std::stop_token lease_lost{};
};

/// A function that handles fragments. They are delivered again if it throws.
using FragmentHandler = std::function<void(const Delivery& delivery)>;

/// The options of Fragments::on_flush().
struct ConsumerOptions {
  /// Maximum number of fragments that the handler receives together.
  std::int32_t limit = 10;
  /// The lease of the fragments, from 100 ms to 10 minutes. It is renewed while the handler runs.
  std::chrono::milliseconds lease = std::chrono::seconds(10);
  /// Receives each error of the handler, and of the calls that are tried again. It is called in the consumer's thread,
  /// and must not throw. Default: they are logged to std::clog.
  std::function<void(const std::exception_ptr& error)> on_error{};
};

/// Delivers flushed fragments to a handler, each at least once, also across restarts of the daemon:
///
///     memoryd::Consumer consumer = agent.fragments().on_flush([](const memoryd::Delivery& delivery) {
///       consolidate(delivery.fragments);
///     });
///
/// The handler runs in a thread of the consumer. When it returns, its fragments leave the buffer. When it throws, they
/// are delivered again, and the consumer pauses for up to 30 seconds. It ends when it or its client is closed, or with
/// an error that no retry can resolve. Any number of consumers share the fragments.
class Consumer {
 public:
  Consumer(Consumer&&) noexcept;
  Consumer& operator=(Consumer&&) noexcept;
  /// Closes the consumer. An error that it ended with is ignored.
  ~Consumer();

  /// Ends the consumer once a running handler has returned. A pending call for fragments ends within a second, and what
  /// it still receives is released. The handler must not call it.
  /// @throws the error that the consumer ended with.
  void close();

  /// Waits until the consumer has ended, from any thread.
  /// @throws InvalidArgument, PermissionDenied, Unauthenticated or Unimplemented if the consumer ended with it.
  void wait() const;

 private:
  friend class detail::Consuming;

  Consumer(detail::Place place, FragmentHandler handler, ConsumerOptions options);

  class Delivering;
  std::unique_ptr<Delivering> delivering_;
};

namespace detail {

/// The functions of Fragments that are not generated.
class Consuming {
 public:
  /// Delivers flushed fragments to a handler until the returned consumer is closed or destroyed.
  [[nodiscard]] Consumer on_flush(FragmentHandler handler, ConsumerOptions options = {}) const;

 protected:
  explicit Consuming(Place place) : place_(std::move(place)) {}

  Place place_;
};

}  // namespace detail
}  // namespace memoryd
