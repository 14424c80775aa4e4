#pragma once

#include <memoryd/v1/transaction_service.pb.h>
#include <memoryd/v1/working_memory_service.pb.h>

#include <chrono>
#include <compare>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace memoryd::detail {

class Connection;

/// Sends calls together that several threads make within a window of time: the first one of a group waits for the
/// window, and then calls for all of them. All threads may use it.
class Batcher {
 public:
  Batcher(Connection& connection, std::chrono::nanoseconds window) : connection_(connection), window_(window) {}

  /// Make a call together with others. Return none if it has to be made by itself, and throw its error.
  [[nodiscard]] std::optional<v1::GetEntryResponse> call(const v1::GetEntryRequest& request);
  [[nodiscard]] std::optional<v1::SetEntryResponse> call(const v1::SetEntryRequest& request);
  [[nodiscard]] std::optional<v1::RemoveEntryResponse> call(const v1::RemoveEntryRequest& request);

 private:
  /// A call that waits for its result.
  template <class Asked, class Result>
  struct Waiting {
    Asked asked;
    std::size_t bytes;
    Result result{};
    std::exception_ptr error{};
    bool is_alone = false;
  };
  /// Calls that are sent as one. All but `calls` are guarded by the mutex, and `calls` until it is closed.
  template <class Asked, class Result>
  struct Group {
    using Call = Waiting<Asked, Result>;

    std::vector<Call*> calls{};
    std::size_t bytes = 0;
    bool is_closed = false;
    bool is_answered = false;
    std::condition_variable changed{};
  };
  /// What the calls of a group have in common.
  struct ReadPlace {
    std::string agent_id;
    std::string scope_id;
    bool local_only;

    auto operator<=>(const ReadPlace&) const = default;
  };
  using Reads = Group<std::string, v1::GetEntryResponse>;
  using Writes = Group<v1::Write, v1::WriteResult>;
  template <class Place, class Together>
  using Groups = std::map<Place, std::shared_ptr<Together>>;

  std::optional<v1::WriteResult> write(const std::string& agent_id, v1::Write write);

  /// Adds a call to the open group of its place, and returns its result once it is answered. `send` sends a group.
  template <class Place, class Together, class Call, class Send>
  auto join(Groups<Place, Together>& groups, const Place& place, Call call, const Send& send)
      -> std::optional<decltype(call.result)>;
  void send(const ReadPlace& place, const Reads& reads);
  void send(const std::string& agent_id, const Writes& writes);

  Connection& connection_;
  std::chrono::nanoseconds window_;
  std::mutex mutex_;
  Groups<ReadPlace, Reads> reads_;
  Groups<std::string, Writes> writes_;
};

}  // namespace memoryd::detail
