#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "live_test.hpp"
#include "memoryd/stub.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;

class GetOrSetTest : public LiveTest {
 protected:
  /// Calls get_or_set, and holds the reservation of the key until the promise is fulfilled.
  std::future<int> hold(std::promise<void>& reserved, std::shared_future<void> released,
                        const GetOrSetOptions& options = {}) {
    return std::async(std::launch::async, [&reserved, released, options, agent = agent()]() mutable {
      return agent.get_or_set(
          "key",
          [&] {
            reserved.set_value();
            released.wait();
            return 1;
          },
          options);
    });
  }
};

TEST_F(GetOrSetTest, MakesTheValueOnce) {
  EXPECT_EQ(agent().get_or_set("key", [] { return std::string("made"); }), "made");
  EXPECT_EQ(agent().get_or_set("key", []() -> std::string { throw std::logic_error("made again"); }), "made");
}

TEST_F(GetOrSetTest, StoresTheAttributesOfTheEntry) {
  agent().set("parent", 1);
  auto scope = agent().scope("task");
  const auto value =
      scope.get_or_set("parent", [] { return 2; }, {.entry = {.tags = {"made"}}, .lookup = Lookup::local_only});
  EXPECT_EQ(value, 2);
  EXPECT_EQ(scope.get_entry("parent")->tags(0), "made");
}

TEST_F(GetOrSetTest, RunsOneFactoryAmongManyCallers) {
  std::atomic<int> made = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back(
        [&made, agent = agent()]() mutable { EXPECT_EQ(agent.get_or_set("key", [&made] { return ++made; }), 1); });
  }
  threads.clear();
  EXPECT_EQ(made, 1);
}

TEST_F(GetOrSetTest, ReleasesTheReservationIfTheFactoryFails) {
  EXPECT_THROW(agent().get_or_set("key", []() -> int { throw std::domain_error("no"); }), std::domain_error);
  EXPECT_EQ(agent().get_or_set("key", [] { return 2; }, {.wait = 0ms}), 2);
}

TEST_F(GetOrSetTest, ThrowsForAValueOfAnotherType) {
  agent().set("key", "a text");
  EXPECT_THROW(agent().get_or_set("key", [] { return 1; }), WrongType);
}

TEST_F(GetOrSetTest, WaitsNoLongerThanItsWait) {
  std::promise<void> reserved;
  std::promise<void> released;
  auto holder = hold(reserved, released.get_future().share());
  reserved.get_future().wait();
  EXPECT_THROW(agent().get_or_set("key", [] { return 2; }, {.wait = 100ms}), DeadlineExceeded);
  released.set_value();
  EXPECT_EQ(holder.get(), 1);
}

TEST_F(GetOrSetTest, EndsItsWaitWhenItIsStopped) {
  std::promise<void> reserved;
  std::promise<void> released;
  auto holder = hold(reserved, released.get_future().share());
  reserved.get_future().wait();
  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&stop, agent = agent()]() mutable {
    return agent.get_or_set("key", [] { return 2; }, {.stop = stop.get_token()});
  });
  stop.request_stop();
  EXPECT_THROW(waiting.get(), Cancelled);
  released.set_value();
  EXPECT_EQ(holder.get(), 1);
}

TEST_F(GetOrSetTest, RenewsTheLeaseWhileTheFactoryRuns) {
  std::promise<void> reserved;
  std::promise<void> released;
  auto holder = hold(reserved, released.get_future().share(), {.lease = 300ms});
  reserved.get_future().wait();
  // Waits five times as long as the lease: without renewals it would acquire the reservation.
  EXPECT_THROW(agent().get_or_set("key", [] { return 2; }, {.wait = 1500ms}), DeadlineExceeded);
  released.set_value();
  EXPECT_EQ(holder.get(), 1);
}

TEST_F(GetOrSetTest, StoresTheSameValueAfterALostReservation) {
  int made = 0;
  const auto value = agent().get_or_set("key", [&] {
    // Setting the key without the token and removing it ends the reservation.
    agent().set("key", 7);
    agent().remove("key");
    return ++made;
  });
  EXPECT_EQ(value, 1);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(agent().get<int>("key"), 1);
}

}  // namespace
}  // namespace memoryd
