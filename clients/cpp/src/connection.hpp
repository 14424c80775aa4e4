#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "batcher.hpp"
#include "memoryd/call.hpp"
#include "near/copies.hpp"
#include "retry.hpp"
#include "settings.hpp"

namespace memoryd::detail {

struct Stubs;

/// One channel, which the first call connects, and the stubs that the client uses.
class Connection {
 public:
  explicit Connection(Settings settings);

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const std::shared_ptr<grpc::Channel>& channel() const noexcept { return channel_; }

  /// Returns the stub of a service. All threads may use it.
  template <class Stub>
  [[nodiscard]] Stub& stub() noexcept;

  /// The near caches, which the writes of the connection wait for.
  [[nodiscard]] NearCopies& near_copies() noexcept { return near_copies_; }

  /// Returns what sends calls together; null if each is sent by itself.
  [[nodiscard]] Batcher* batcher() noexcept { return batcher_ ? &*batcher_ : nullptr; }

  /// Adds the token and the origin to a call.
  void prepare(grpc::ClientContext& context) const;

  /// Performs a call with its retries, none of which begins after `last_attempt` is stopped. Throws the error of the
  /// last attempt.
  void perform(bool repeatable, const CallOptions& options, const std::stop_token& last_attempt,
               const std::function<grpc::Status(grpc::ClientContext&)>& attempt);

  /// Cancels all calls and watches, also later ones, from any thread.
  void close() noexcept { closed_.request_stop(); }
  [[nodiscard]] std::stop_token closed() const noexcept { return closed_.get_token(); }

  /// Converts a status that is not OK.
  [[nodiscard]] Failure failure(const grpc::Status& status);

 private:
  grpc::Status try_once(Clock::duration timeout, const std::stop_token& stop,
                        const std::function<grpc::Status(grpc::ClientContext&)>& attempt) const;

  Settings settings_;
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<Stubs> stubs_;
  // True once the daemon has responded to any call: such a daemon probably restarts, another may not exist.
  std::atomic<bool> connected_ = false;
  std::stop_source closed_;
  NearCopies near_copies_;
  std::optional<Batcher> batcher_;
};

/// Calls a method of a service, with retries, and with a request id for a change that has none.
template <class Stub, class Request, class Response>
Response call(Connection& connection, grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
              Request request, const CallOptions& options = {}, const std::stop_token& last_attempt = {}) {
  return call(connection, connection.stub<Stub>(), method, std::move(request), options, last_attempt);
}

/// Calls a method of a service together with calls of other threads, if the client batches calls and this one may be
/// sent with others.
template <class Stub, class Request, class Response>
Response call_together(Connection& connection,
                       grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*), Request request) {
  if (auto* batcher = connection.batcher()) {
    if (auto response = batcher->call(request)) {
      return *std::move(response);
    }
  }
  return call(connection, method, std::move(request));
}

/// Waits for this time. Returns early with false if it is stopped.
bool wait_for(std::chrono::nanoseconds time, const std::stop_token& stop);

}  // namespace memoryd::detail
