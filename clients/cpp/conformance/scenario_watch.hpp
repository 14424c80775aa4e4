#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <memoryd/v1/event_service.grpc.pb.h>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

namespace conformance {

/// A stream of WatchEvents over the generated stub, read by a thread of its own until the object ends.
class ScenarioWatch {
 public:
  ScenarioWatch(const std::shared_ptr<grpc::Channel>& channel, const nlohmann::json& request);
  ScenarioWatch(const ScenarioWatch&) = delete;
  ScenarioWatch& operator=(const ScenarioWatch&) = delete;
  ~ScenarioWatch();

  /// Waits for the first message, and answers the status of a watch that failed instead.
  [[nodiscard]] std::optional<grpc::Status> refused();

  /// Takes so many next events. Throws std::runtime_error when they do not come.
  [[nodiscard]] nlohmann::json take(std::size_t count);

 private:
  void read();

  memoryd::v1::EventService::Stub stub_;
  grpc::ClientContext context_;
  memoryd::v1::WatchEventsRequest request_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool opened_ = false;
  std::deque<nlohmann::json> events_;
  std::optional<grpc::Status> ended_;

  std::jthread reader_;
};

}  // namespace conformance
