#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <memoryd/v1/agent_service.grpc.pb.h>
#include <memoryd/v1/event_service.grpc.pb.h>
#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>

#include "memoryd/call.hpp"
#include "retry.hpp"
#include "settings.hpp"

namespace memoryd::detail {

/// One channel with the stubs that the wrapper calls, opened by the first call.
class Connection {
 public:
  explicit Connection(Settings settings);

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const std::shared_ptr<grpc::Channel>& channel() const noexcept { return channel_; }

  [[nodiscard]] v1::AgentService::Stub& agents() noexcept { return agents_; }
  [[nodiscard]] v1::EventService::Stub& events() noexcept { return events_; }
  [[nodiscard]] v1::WorkingMemoryService::Stub& working_memory() noexcept { return working_memory_; }

  /// Adds what every call carries.
  void prepare(grpc::ClientContext& context) const;

  /// Makes attempts until one succeeds, and throws when there is to be no further one.
  void perform(bool repeatable, const CallOptions& options,
               const std::function<grpc::Status(grpc::ClientContext&)>& attempt);

  /// Ends all calls and watches, from any thread; later ones are Cancelled.
  void close() noexcept { closed_.request_stop(); }
  [[nodiscard]] std::stop_token closed() const noexcept { return closed_.get_token(); }

  /// Reads a status that is not OK.
  [[nodiscard]] Failure failure(const grpc::Status& status);

 private:
  grpc::Status try_once(Clock::duration timeout, const std::stop_token& stop,
                        const std::function<grpc::Status(grpc::ClientContext&)>& attempt) const;

  Settings settings_;
  std::shared_ptr<grpc::Channel> channel_;
  v1::AgentService::Stub agents_;
  v1::EventService::Stub events_;
  v1::WorkingMemoryService::Stub working_memory_;
  // Whether the daemon was ever heard from: one that was there comes back, another may never have been.
  std::atomic<bool> connected_ = false;
  std::stop_source closed_;
};

/// Waits; ends early, with false, when it is told to stop.
bool wait_for(std::chrono::nanoseconds time, const std::stop_token& stop);

}  // namespace memoryd::detail
