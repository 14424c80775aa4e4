#include "memoryd/watch.hpp"

#include <gmock/gmock.h>
#include <memoryd/v1/event_service.pb.h>

#include <future>
#include <string>
#include <vector>

#include "live_test.hpp"

namespace memoryd {
namespace {

using testing::ElementsAre;

class WatchTest : public LiveTest {
 protected:
  /// Returns the keys of the next events.
  static std::vector<std::string> keys_of(Watch& watch, std::size_t count) {
    std::vector<std::string> keys;
    while (keys.size() < count) {
      keys.push_back(watch.next().value().key());
    }
    return keys;
  }
};

TEST_F(WatchTest, MissesNoCommitAfterItsBeginning) {
  auto watch = agent().watch();
  agent().set("a", 1);
  agent().remove("a");
  const auto set = watch.next().value();
  EXPECT_EQ(set.type(), v1::EVENT_TYPE_ENTRY_SET);
  EXPECT_EQ(value_of<int>(set.entry()), 1);
  EXPECT_EQ(watch.next()->type(), v1::EVENT_TYPE_ENTRY_REMOVED);
  EXPECT_EQ(watch.revision(), 2);
  EXPECT_EQ(watch.resumes(), 0);
}

TEST_F(WatchTest, IsARangeOfEvents) {
  auto watch = agent().watch();
  agent().set("a", 1);
  agent().set("b", 2);
  std::vector<std::string> keys;
  for (const auto& event : watch) {
    keys.push_back(event.key());
    if (keys.size() == 2) {
      watch.close();
    }
  }
  EXPECT_THAT(keys, ElementsAre("a", "b"));
}

TEST_F(WatchTest, BeginsWithTheInitialStateIfRequested) {
  agent().set("a", 1);
  auto watch = agent().watch({.start = InitialState{}});
  EXPECT_FALSE(watch.initial_state_complete());
  agent().set("b", 2);
  const auto first = watch.next().value();
  EXPECT_EQ(first.key(), "a");
  EXPECT_EQ(first.cause(), v1::EVENT_CAUSE_INITIAL_STATE);
  EXPECT_EQ(watch.next()->key(), "b");
  EXPECT_TRUE(watch.initial_state_complete());
}

TEST_F(WatchTest, ReturnsMessagesWithTheirPhases) {
  auto watch = agent().watch({.progress_interval = std::chrono::milliseconds(100)});
  EXPECT_EQ(watch.next_message()->phase, WatchPhase::opened);
  while (watch.next_message()->phase != WatchPhase::progress) {
  }
  agent().set("a", 1);
  auto message = watch.next_message().value();
  while (message.phase == WatchPhase::progress) {
    message = watch.next_message().value();
  }
  EXPECT_EQ(message.phase, WatchPhase::live);
  EXPECT_EQ(message.events.size(), 1U);
  EXPECT_EQ(message.resume_token, watch.resume_token());
}

TEST_F(WatchTest, ContinuesFromAResumeToken) {
  std::string token;
  {
    auto watch = agent().watch();
    agent().set("a", 1);
    EXPECT_THAT(keys_of(watch, 1), ElementsAre("a"));
    token = watch.resume_token();
  }
  agent().set("b", 2);
  auto watch = agent().watch({.start = ResumeToken{token}});
  EXPECT_THAT(keys_of(watch, 1), ElementsAre("b"));
}

TEST_F(WatchTest, KeepsThePreviousTokenWithinAMessage) {
  auto watch = agent().watch();
  Batch batch;
  batch.set("a", 1);
  batch.set("b", 2);
  agent().write(batch);
  EXPECT_EQ(watch.next()->key(), "a");
  auto again = agent().watch({.start = ResumeToken{watch.resume_token()}});
  EXPECT_THAT(keys_of(again, 2), ElementsAre("a", "b"));
}

TEST_F(WatchTest, BeginsAfterARevision) {
  agent().set("a", 1);
  agent().set("b", 2);
  auto watch = agent().watch({.start = AfterRevision{1}});
  EXPECT_THAT(keys_of(watch, 1), ElementsAre("b"));
}

TEST_F(WatchTest, EmitsOnlyEventsThatMatchItsOptions) {
  auto watch = agent().watch(
      {.key_prefix = "a", .event_types = {v1::EVENT_TYPE_ENTRY_SET}, .values = false, .exclude_origin = "other"});
  Client({.origin = "other"}).agent(agent().agent_id()).set("a-of-other", 1);
  agent().set("b", 1);
  agent().set("a", 1);
  const auto event = watch.next().value();
  EXPECT_EQ(event.key(), "a");
  EXPECT_EQ(event.entry().value_json(), "");
}

TEST_F(WatchTest, OfAScopeIncludesOnlyThoseBelow) {
  auto scope = agent().scope("task");
  auto watch = scope.watch();
  agent().set("in-the-root", 1);
  auto inner = scope.scope("inner");
  inner.set("in-the-inner", 1);
  EXPECT_EQ(watch.next()->type(), v1::EVENT_TYPE_SCOPE_CREATED);
  EXPECT_EQ(watch.next()->key(), "in-the-inner");
}

TEST_F(WatchTest, OfAClientIncludesManyAgents) {
  auto other = client().agent(agent().agent_id() + "-other");
  v1::WatchEventsRequest request;
  request.add_filters()->add_agent_ids(agent().agent_id());
  request.add_filters()->add_agent_ids(other.agent_id());
  auto watch = client().watch(request);
  agent().set("a", 1);
  other.set("b", 1);
  EXPECT_THAT(keys_of(watch, 2), ElementsAre("a", "b"));
  other.end();
}

TEST_F(WatchTest, IsClosedFromAnotherThread) {
  auto watch = agent().watch();
  auto waiting = std::async(std::launch::async, [&watch] { return watch.next().has_value(); });
  watch.close();
  EXPECT_FALSE(waiting.get());
  EXPECT_FALSE(watch.next().has_value());
}

TEST_F(WatchTest, IsClosedByAStopToken) {
  std::stop_source stop;
  auto watch = agent().watch({.patience = {.stop = stop.get_token()}});
  auto waiting = std::async(std::launch::async, [&watch] { return watch.next().has_value(); });
  stop.request_stop();
  EXPECT_FALSE(waiting.get());
}

TEST_F(WatchTest, DoesNotOpenIfItWasStoppedBefore) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW((void)agent().watch({.patience = {.stop = stop.get_token()}}), Cancelled);
}

TEST_F(WatchTest, IsRefusedWithADamagedToken) {
  EXPECT_THROW((void)agent().watch({.start = ResumeToken{"damaged"}}), InvalidResumeToken);
}

}  // namespace
}  // namespace memoryd
