#pragma once

#include <google/protobuf/message.h>

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "near/mark.hpp"
#include "retry.hpp"

namespace memoryd::detail {

class NearCopies;
class NearCopy;

/// The near caches that a write concerns.
struct Concerned {
  /// Empty if it concerns none, or all.
  std::string agent_id;
  // The response to a write of every agent has no revision.
  bool of_every_agent = false;
};

/// A write that begins, with what the near caches that it concerns had before it.
class NearWrite {
 public:
  /// Waits until the near caches have the revision of the response, also those that were opened after the beginning: at
  /// most a second and at most until a time. Then they ask the daemon.
  void end(const google::protobuf::Message& response, Clock::time_point until, const std::stop_token& stop) const;

 private:
  friend class NearCopies;

  NearWrite(const NearCopies& copies, Concerned concerned);

  const NearCopies* copies_;
  Concerned concerned_;
  std::vector<std::pair<std::shared_ptr<NearCopy>, Mark>> before_;
};

/// The near caches of a client by their agents, whose writes they have to see. All threads may use it.
class NearCopies {
 public:
  void enter(std::shared_ptr<NearCopy> copy);
  void exit(const NearCopy& copy) noexcept;

  /// Returns the write of a request, which concerns none if it is a read.
  [[nodiscard]] NearWrite begin(const google::protobuf::Message& request) const;
  /// Returns the near caches that a write concerns.
  [[nodiscard]] std::vector<std::shared_ptr<NearCopy>> of(const Concerned& concerned) const;

 private:
  std::atomic<std::size_t> count_ = 0;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::vector<std::shared_ptr<NearCopy>>> by_agent_;
};

}  // namespace memoryd::detail
