#include "live/near_history.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "live/own_daemon.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;

constexpr int kChanges = 150;
constexpr int kKills = 4;
// The bound of the caches that are read.
constexpr std::chrono::milliseconds kHistoryStaleness = 300ms;

std::int64_t wall_nanos() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

std::map<std::string, int> numbers_in(const NearCache& cache, const std::string& scope_id,
                                      const std::vector<std::string>& keys) {
  std::map<std::string, int> seen;
  for (const auto& key : keys) {
    seen[key] = kNoValue;
  }
  try {
    const auto memory = cache.attach(scope_id);
    if (keys.size() == 1) {
      seen[keys.front()] = memory.get<int>(keys.front()).value_or(kNoValue);
    } else {
      for (const auto& [key, number] : memory.get_many<int>(keys)) {
        seen[key] = number;
      }
    }
  } catch (const Error& error) {
    if (dynamic_cast<const ScopeDisposed*>(&error) == nullptr &&
        dynamic_cast<const RecordNotFound*>(&error) == nullptr) {
      throw;
    }
    for (auto& [key, number] : seen) {
      number = kNoScope;
    }
  }
  return seen;
}

/// A writer of an agent, a near cache of the agent, and a thread for each.
class Course {
 public:
  /// `staleness` is how old what the cache returns may be.
  Course(const Client& writing, const Client& reading, const std::string& agent_id, std::chrono::milliseconds staleness,
         std::uint64_t seed)
      : writer_(writing, agent_id, seed),
        cache_(reading.agent(agent_id).near_cache({.max_staleness = kHistoryStaleness})),
        staleness_(staleness),
        random_(seed + 1),
        reader_([this](const std::stop_token& stop) { guarded([&] { read_until(stop); }); }),
        changer_([this] { guarded([this] { change(); }); }) {}

  [[nodiscard]] int changes() const { return changes_; }

  /// Waits for the last change, and ends the reader.
  void end() {
    changer_.join();
    reader_.request_stop();
    reader_.join();
    EXPECT_GE(reads_, kChanges);
  }

 private:
  template <class Work>
  void guarded(const Work& work) {
    try {
      work();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
      changes_ = kChanges;
    }
  }

  void change() {
    while (changes_ < kChanges) {
      writer_.change();
      ++changes_;
    }
  }

  void read_until(const std::stop_token& over) {
    for (; !over.stop_requested(); ++reads_) {
      const auto scope_id = pick(random_, writer_.history().scopes());
      std::vector<std::string> keys{key()};
      if (std::bernoulli_distribution(0.5)(random_)) {
        keys.push_back(key());
        keys.push_back(key());
      }
      const auto floor = writer_.history().floor(AgentState::Clock::now() - staleness_);
      const auto begin = wall_nanos();
      const auto seen = numbers_in(cache_, scope_id, keys);
      const bool is_explained = writer_.history().explains(floor, scope_id, seen, begin, wall_nanos());
      ASSERT_TRUE(is_explained) << "no state from " << floor << " on explains that in '" << scope_id << "' there is "
                                << testing::PrintToString(seen);
    }
  }

  std::string key() { return "k" + std::to_string(std::uniform_int_distribution(0, kHistoryKeys - 1)(random_)); }

  HistoryWriter writer_;
  NearCache cache_;
  std::chrono::milliseconds staleness_;
  History::Random random_;
  std::atomic<int> changes_ = 0;
  std::atomic<int> reads_ = 0;
  std::jthread reader_;
  std::jthread changer_;
};

class NearHistoryTest : public OwnDaemonTest, public testing::WithParamInterface<std::uint64_t> {};

/// Changes of all kinds, expiry, merges, disposals, restores, ends of the agent, and kills of the daemon: what a reader
/// gets must be explained by one state of the agent that is not older than promised.
TEST_P(NearHistoryTest, HasNoReadThatIsOlderThanWasPromised) {
  auto daemon = durable_daemon();
  const auto client = daemon.client(patient());
  const auto other = daemon.client(patient());
  Course own(client, client, "own", 0ms, GetParam());
  Course theirs(other, client, "theirs", kHistoryStaleness, GetParam() + 100);
  for (int kill = 1; kill <= kKills; ++kill) {
    const int due = kill * kChanges / (kKills + 1);
    until("there are changes", [&] { return own.changes() >= due && theirs.changes() >= due; });
    daemon.kill();
    daemon.start();
  }
  own.end();
  theirs.end();
}

INSTANTIATE_TEST_SUITE_P(Seeds, NearHistoryTest, testing::Values(1, 2, 3));

}  // namespace
}  // namespace memoryd
