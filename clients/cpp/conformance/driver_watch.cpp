#include "driver_watch.hpp"

#include <utility>

namespace conformance {

DriverWatch::DriverWatch(memoryd::Watch watch) : watch_(std::move(watch)), resume_token_(watch_.resume_token()) {
  reader_ = std::jthread([this] { read(); });
}

DriverWatch::~DriverWatch() { watch_.close(); }

nlohmann::json DriverWatch::watched(std::size_t count, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [&] { return events_.size() >= count || ended_; });
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  return {{"events", events_}, {"resumes", watch_.resumes()}, {"resume_token", resume_token_}};
}

void DriverWatch::read() {
  std::exception_ptr failure;
  try {
    for (const auto& event : watch_) {
      const std::lock_guard lock(mutex_);
      events_.push_back({{"revision", event.revision()},
                         {"index", event.index()},
                         {"type", memoryd::v1::EventType_Name(event.type())},
                         {"key", event.entry().key()}});
      // Stored together with its event: the watch itself may already be one event ahead.
      resume_token_ = watch_.resume_token();
      changed_.notify_all();
    }
  } catch (const memoryd::Error&) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = failure;
  ended_ = true;
  changed_.notify_all();
}

}  // namespace conformance
