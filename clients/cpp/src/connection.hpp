#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <memoryd/v1/agent_service.grpc.pb.h>
#include <memoryd/v1/event_service.grpc.pb.h>
#include <memoryd/v1/transaction_service.grpc.pb.h>
#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>

#include "memoryd/call.hpp"
#include "retry.hpp"
#include "settings.hpp"

namespace memoryd::detail {

/// One channel, which the first call connects, and the stubs that the client uses.
class Connection {
 public:
  explicit Connection(Settings settings);

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const std::shared_ptr<grpc::Channel>& channel() const noexcept { return channel_; }

  [[nodiscard]] v1::AgentService::Stub& agents() noexcept { return agents_; }
  [[nodiscard]] v1::EventService::Stub& events() noexcept { return events_; }
  [[nodiscard]] v1::TransactionService::Stub& transactions() noexcept { return transactions_; }
  [[nodiscard]] v1::WorkingMemoryService::Stub& working_memory() noexcept { return working_memory_; }

  /// Adds the token and the origin to a call.
  void prepare(grpc::ClientContext& context) const;

  /// Performs a call with its retries. Throws the error of the last attempt.
  void perform(bool repeatable, const CallOptions& options,
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
  v1::AgentService::Stub agents_;
  v1::EventService::Stub events_;
  v1::TransactionService::Stub transactions_;
  v1::WorkingMemoryService::Stub working_memory_;
  // True once the daemon has responded to any call: such a daemon probably restarts, another may not exist.
  std::atomic<bool> connected_ = false;
  std::stop_source closed_;
};

/// Waits for this time. Returns early with false if it is stopped.
bool wait_for(std::chrono::nanoseconds time, const std::stop_token& stop);

}  // namespace memoryd::detail
