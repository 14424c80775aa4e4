#pragma once

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace memoryd::detail {

/// A shared mutex whose writers are not kept waiting by readers that follow each other, as std::shared_mutex may do:
/// while a writer waits, no further reader begins.
class FairMutex {
 public:
  void lock() {
    ++waiting_;
    const std::lock_guard turn(turn_);
    mutex_.lock();
    --waiting_;
  }
  void unlock() { mutex_.unlock(); }

  void lock_shared() {
    if (waiting_ > 0) {
      const std::lock_guard turn(turn_);
    }
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::atomic<int> waiting_ = 0;
  std::mutex turn_;
  std::shared_mutex mutex_;
};

}  // namespace memoryd::detail
