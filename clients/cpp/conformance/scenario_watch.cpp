#include "scenario_watch.hpp"

#include <chrono>
#include <stdexcept>

#include "message_json.hpp"

namespace conformance {
namespace {

using namespace std::chrono_literals;

constexpr auto kWait = 30s;

}  // namespace

ScenarioWatch::ScenarioWatch(const std::shared_ptr<grpc::Channel>& channel, const nlohmann::json& request)
    : stub_(channel) {
  read_message(request, request_);
  reader_ = std::jthread([this] { read(); });
}

ScenarioWatch::~ScenarioWatch() { context_.TryCancel(); }

std::optional<grpc::Status> ScenarioWatch::refused() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kWait, [this] { return opened_ || ended_; })) {
    throw std::runtime_error("the watch neither opened nor failed in time");
  }
  return opened_ ? std::nullopt : ended_;
}

nlohmann::json ScenarioWatch::take(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kWait, [&] { return events_.size() >= count || ended_; });
  if (events_.size() < count) {
    throw std::runtime_error("expected " + std::to_string(count) + " events, got " + std::to_string(events_.size()) +
                             (ended_ ? ", and the watch ended: " + ended_->error_message() : ""));
  }
  auto taken = nlohmann::json::array();
  for (std::size_t index = 0; index < count; ++index) {
    taken.push_back(std::move(events_.front()));
    events_.pop_front();
  }
  return taken;
}

void ScenarioWatch::read() {
  const auto reader = stub_.WatchEvents(&context_, request_);
  for (memoryd::v1::WatchEventsResponse response; reader->Read(&response);) {
    const std::lock_guard lock(mutex_);
    opened_ = opened_ || response.phase() == memoryd::v1::WATCH_PHASE_OPENED;
    for (const auto& event : response.events()) {
      events_.push_back(write_message(event));
    }
    changed_.notify_all();
  }
  auto status = reader->Finish();
  const std::lock_guard lock(mutex_);
  ended_ = std::move(status);
  changed_.notify_all();
}

}  // namespace conformance
