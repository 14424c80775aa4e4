#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "memoryd/memoryd.hpp"
#include "memoryd/stub.hpp"

namespace memoryd {

constexpr int kNoValue = 0;
constexpr int kNoScope = -1;
constexpr int kHistoryKeys = 6;

/// An agent between two changes.
struct AgentState {
  using Clock = std::chrono::steady_clock;

  static constexpr auto kForGood = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kUnknown = 0;

  /// The number under a key, and when it expires, in nanoseconds since the epoch.
  struct Written {
    int number = kNoValue;
    std::int64_t expires_at = kForGood;
  };

  std::map<std::string, std::map<std::string, Written>> values{{"", {}}};
  std::map<std::string, std::string> parents{};
  /// The time at which the change to it was acknowledged; none if it is not yet.
  std::optional<Clock::time_point> acked_at{};

  /// Returns whether a look-up between two times of the wall clock may return a number, kNoValue or kNoScope.
  [[nodiscard]] bool may_read(int number, std::string scope_id, const std::string& key, std::int64_t begin,
                              std::int64_t end) const;
};

/// The states of an agent, oldest first. The last may be one that is not acknowledged yet. All threads may use it.
class History {
 public:
  using Random = std::mt19937_64;

  /// Returns the newest state that was acknowledged before a time.
  [[nodiscard]] std::size_t floor(AgentState::Clock::time_point before) const;

  /// Returns whether one state from a number on explains all that was read.
  [[nodiscard]] bool explains(std::size_t floor, const std::string& scope_id, const std::map<std::string, int>& seen,
                              std::int64_t begin, std::int64_t end) const;

  [[nodiscard]] std::vector<std::string> scopes() const;
  [[nodiscard]] AgentState last() const;

  /// Announces the state that a change makes, makes the change, and takes note that it is acknowledged.
  void make(const std::function<void(AgentState&)>& alter, const std::function<void()>& change);

  /// Alters the last state.
  void correct(const std::function<void(AgentState&)>& alter);

 private:
  mutable std::mutex mutex_;
  std::vector<AgentState> states_{AgentState{}};
};

/// Changes an agent at random, and takes note of each state before and after it is acknowledged.
class HistoryWriter {
 public:
  HistoryWriter(const Client& client, const std::string& agent_id, std::uint64_t seed)
      : agent_(client.agent(agent_id)), snapshots_(client), random_(seed) {}

  /// Makes one change.
  void change();

  [[nodiscard]] const History& history() const noexcept { return history_; }
  [[nodiscard]] const Agent& agent() const noexcept { return agent_; }

 private:
  [[nodiscard]] bool chance(double share);
  [[nodiscard]] std::string key();
  [[nodiscard]] std::string place();
  /// Returns a scope without scopes below it, or "".
  [[nodiscard]] std::string leaf();
  [[nodiscard]] Scope memory(const std::string& scope_id) const { return agent_.attach(scope_id); }

  void set();
  void set_for_a_while();
  void remove();
  void batch();
  void open_scope();
  void merge();
  void dispose();
  void clear();
  void save();
  void restore();
  void end();

  Agent agent_;
  Stub<v1::SnapshotService> snapshots_;
  History::Random random_;
  History history_{};
  int numbers_ = 0;
  std::optional<AgentState> saved_{};
  std::string saved_id_{};
};

/// Returns one of some items at random.
template <class Items>
[[nodiscard]] const auto& pick(History::Random& random, const Items& items) {
  return items[std::uniform_int_distribution<std::size_t>(0, items.size() - 1)(random)];
}

}  // namespace memoryd
