#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "memoryd/memoryd.hpp"

namespace conformance {

/// Collects the events of a watch in a thread of its own, until the object is destroyed.
class DriverWatch {
 public:
  explicit DriverWatch(memoryd::Watch watch);
  DriverWatch(const DriverWatch&) = delete;
  DriverWatch& operator=(const DriverWatch&) = delete;
  ~DriverWatch();

  /// Waits until `count` events were received since the watch began or the timeout has passed, and returns all events.
  /// Throws the error of a failed watch.
  [[nodiscard]] nlohmann::json watched(std::size_t count, std::chrono::milliseconds timeout);

 private:
  void read();

  memoryd::Watch watch_;

  std::mutex mutex_;
  std::condition_variable changed_;
  nlohmann::json events_ = nlohmann::json::array();
  std::string resume_token_;
  std::exception_ptr failure_;
  bool ended_ = false;

  std::jthread reader_;
};

}  // namespace conformance
