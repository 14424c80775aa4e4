#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "live/own_daemon.hpp"
#include "live_test.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;

/// Long enough for the calls of a test to be made within it.
constexpr auto kWindow = 100ms;

class BatchingTest : public LiveTest {
 protected:
  Agent batching() {
    return Client({.timeout = 60s, .connect_timeout = 60s, .batching = kWindow}).agent(agent().agent_id());
  }

  /// Calls at the same time, and returns the results.
  template <class T>
  static std::vector<T> together(const std::vector<std::function<T()>>& calls) {
    std::vector<std::future<T>> running;
    running.reserve(calls.size());
    for (const auto& call : calls) {
      running.push_back(std::async(std::launch::async, call));
    }
    std::vector<T> results;
    results.reserve(running.size());
    for (auto& each : running) {
      results.push_back(each.get());
    }
    return results;
  }
};

TEST_F(BatchingTest, SendsWritesOfSeveralThreadsAsOneCommit) {
  auto memory = batching();
  until("two sets and a removal have one revision", [&] {
    agent().set("c", 1);
    std::optional<bool> removed;
    const auto before = agent().set("before", 1).revision();
    const auto revisions = together<std::int64_t>({
        [&] { return memory.set("a", 1, {.tags = {"t"}}).revision(); },
        [&] { return memory.set("b", "two").revision(); },
        [&] {
          removed = memory.remove("c");
          return before + 1;
        },
    });
    EXPECT_EQ(removed, true);
    return revisions == std::vector<std::int64_t>(3, before + 1) && agent().set("after", 1).revision() == before + 2;
  });
  EXPECT_EQ(agent().get<std::string>("b"), "two");
  EXPECT_EQ(agent().get_entry("a").value().tags(0), "t");
  EXPECT_FALSE(agent().contains("c"));
}

TEST_F(BatchingTest, GivesEachCallItsOwnResultAndError) {
  agent().set("k", 1);
  auto scope = agent().scope("task");
  scope.set("s", 2);
  auto gone = agent().scope("gone");
  gone.close();
  const auto scope_id = scope.scope_id();
  const auto gone_id = gone.scope_id();
  // The results and errors of calls of an agent that are made at the same time.
  const auto outcomes = [&](Agent memory) {
    const auto of = [](const std::function<std::string()>& call) -> std::function<std::string()> {
      return [=] {
        try {
          return call();
        } catch (const Error& error) {
          return typeid(error).name() + error.reason();
        }
      };
    };
    const auto text = [](const std::optional<nlohmann::json>& value) { return value ? value->dump() : "none"; };
    const auto set = [&](std::string key, nlohmann::json value, EntryOptions options = {}, Condition condition = {}) {
      return of([=]() mutable {
        memory.set(key, value, options, condition);
        return std::string("set");
      });
    };
    const auto get = [&](const WorkingMemory& from, std::string key, Consistency consistency = {}) {
      return of([=] { return text(from.get(key, Lookup::with_parents, consistency)); });
    };
    auto results = together<std::string>({
        set("a", 1),
        set("", 1),
        set("invalid \xff", 1),
        set("large", std::string(2 << 20, 'v')),
        set("importance", 1, {.importance = 2}),
        set("k", 2, {}, MustNotExist{}),
        of([=]() mutable { return text(memory.remove("none")); }),
        of([=] {
          memory.attach(gone_id).set("s", 1);
          return std::string("set");
        }),
    });
    for (auto& each : together<std::string>({
             get(memory, "k"),
             get(memory, "k"),
             get(memory, "none"),
             get(memory, " "),
             get(memory, "invalid \xff"),
             get(memory, "k", MinRevision{1'000'000}),
             get(memory.attach(scope_id), "k"),
             get(memory.attach(scope_id), "s"),
             get(memory.attach(gone_id), "k"),
         })) {
      results.push_back(std::move(each));
    }
    return results;
  };
  EXPECT_EQ(outcomes(batching()), outcomes(agent()));
}

TEST_F(BatchingTest, SendsACallThatIsAloneByItself) {
  auto memory = batching();
  EXPECT_EQ(memory.set("k", 1).revision(), 1);
  EXPECT_EQ(memory.get<int>("k"), 1);
  EXPECT_EQ(memory.update("k", 0, [](int value) { return value + 1; }), 2);
  EXPECT_TRUE(memory.remove("k"));
}

TEST_F(BatchingTest, FailsEachCallWithTheErrorOfTheirBatch) {
  const auto memory = Client({.target = deserted_address(), .connect_timeout = 100ms, .batching = kWindow}).agent("a");
  const auto failed = together<bool>(std::vector<std::function<bool()>>(3, [&] {
    try {
      (void)memory.get("k");
      return false;
    } catch (const Unavailable&) {
      return true;
    }
  }));
  EXPECT_EQ(failed, std::vector<bool>(3, true));
}

}  // namespace
}  // namespace memoryd
