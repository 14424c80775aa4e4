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

/// A stream of WatchEvents over the generated stub, which a thread of its own reads until the object is destroyed.
class ScenarioWatch {
 public:
  ScenarioWatch(const std::shared_ptr<grpc::Channel>& channel, const nlohmann::json& request);
  ScenarioWatch(const ScenarioWatch&) = delete;
  ScenarioWatch& operator=(const ScenarioWatch&) = delete;
  ~ScenarioWatch();

  /// Waits for the first message. Returns the status if the watch failed.
  [[nodiscard]] std::optional<grpc::Status> refused();

  /// Returns the next `count` events. Throws std::runtime_error if they do not arrive in time.
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
