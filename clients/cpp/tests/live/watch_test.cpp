#include "memoryd/watch.hpp"

#include <gmock/gmock.h>
#include <memoryd/v1/event_service.pb.h>

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "live_test.hpp"

namespace memoryd {
namespace {

using testing::ElementsAre;

class WatchTest : public LiveTest {
 protected:
  /// Returns the next event about an entry.
  static v1::Event next_of_entry(Watch& watch) {
    auto event = watch.next().value();
    while (!event.has_entry()) {
      event = watch.next().value();
    }
    return event;
  }

  /// Returns the keys of the next entries that have events.
  static std::vector<std::string> keys_of(Watch& watch, std::size_t count) {
    std::vector<std::string> keys;
    while (keys.size() < count) {
      keys.push_back(next_of_entry(watch).entry().key());
    }
    return keys;
  }
};

TEST_F(WatchTest, MissesNoCommitAfterItsBeginning) {
  auto watch = agent().watch();
  agent().set("a", 1);
  agent().remove("a");
  const auto set = next_of_entry(watch);
  EXPECT_EQ(set.type(), v1::EVENT_TYPE_ENTRY_SET);
  EXPECT_EQ(set.kind(), v1::RECORD_KIND_ENTRY);
  EXPECT_EQ(set.entry().key(), "a");
  EXPECT_EQ(value_after<int>(set.entry()), 1);
  const auto removed = next_of_entry(watch);
  EXPECT_EQ(removed.type(), v1::EVENT_TYPE_ENTRY_REMOVED);
  EXPECT_EQ(removed.entry().key(), "a");
  EXPECT_EQ(value_after<int>(removed.entry()), std::nullopt);
  EXPECT_EQ(watch.revision(), 2);
  EXPECT_EQ(watch.resumes(), 0);
}

TEST_F(WatchTest, IsARangeOfEvents) {
  auto watch = agent().watch();
  agent().set("a", 1);
  agent().set("b", 2);
  std::vector<std::string> keys;
  for (const auto& event : watch) {
    if (event.has_entry()) {
      keys.push_back(event.entry().key());
    }
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
  const auto first = next_of_entry(watch);
  EXPECT_EQ(first.entry().key(), "a");
  EXPECT_EQ(first.cause(), v1::EVENT_CAUSE_INITIAL_STATE);
  EXPECT_THAT(keys_of(watch, 1), ElementsAre("b"));
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
  EXPECT_FALSE(message.events.empty());
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
  EXPECT_THAT(keys_of(watch, 1), ElementsAre("a"));
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
      {.key_prefix = "a", .event_types = {v1::EVENT_TYPE_ENTRY_SET}, .content = false, .exclude_origin = "other"});
  Client({.origin = "other"}).agent(agent().agent_id()).set("a-of-other", 1);
  agent().set("b", 1);
  agent().set("a", 1);
  const auto event = next_of_entry(watch).entry();
  EXPECT_EQ(event.key(), "a");
  EXPECT_EQ(event.entry().key(), "a");
  EXPECT_EQ(event.entry().value_json(), "");
  EXPECT_EQ(value_after(event), std::nullopt);
}

TEST_F(WatchTest, SelectsKindsCausesAndUsers) {
  agent().set("before", 0);
  auto scopes = agent().watch({.kinds = {v1::RECORD_KIND_SCOPE}});
  auto merges = agent().watch({.causes = {v1::EVENT_CAUSE_MERGE}});
  auto anns = agent().watch({.kinds = {v1::RECORD_KIND_ENTRY}, .user_ids = {"ann"}});
  agent().set("bobs", 1, {.user_id = "bob"});
  auto task = agent().scope("task", {.merge = Conflict::overwrite});
  task.set("anns", 1, {.user_id = "ann"});
  task.close();
  for (const auto type : {v1::EVENT_TYPE_SCOPE_CREATED, v1::EVENT_TYPE_SCOPE_DISPOSED}) {
    const auto event = scopes.next().value();
    EXPECT_EQ(event.type(), type);
    EXPECT_EQ(event.kind(), v1::RECORD_KIND_SCOPE);
    EXPECT_EQ(event.scope().name(), "task");
  }
  const auto merged = merges.next().value();
  EXPECT_EQ(merged.entry().key(), "anns");
  EXPECT_EQ(merged.entry().scope_id(), "");
  EXPECT_EQ(anns.next()->entry().entry().user_id(), "ann");
  EXPECT_EQ(anns.next()->entry().entry().user_id(), "ann");
}

TEST_F(WatchTest, HasTheValuesBeforeAndAfterEachChange) {
  auto watch = agent().watch({.previous = true});
  const auto first = agent().set("mood", "curious").revision();
  const auto second = agent().set("mood", "tired").revision();
  agent().remove("mood");
  using Mood = std::optional<std::string>;
  const std::vector<std::tuple<std::int64_t, Mood, Mood>> expected = {
      {0, std::nullopt, "curious"}, {first, "curious", "tired"}, {second, "tired", std::nullopt}};
  for (const auto& [previous_revision, before, after] : expected) {
    const auto event = next_of_entry(watch);
    EXPECT_EQ(event.previous_revision(), previous_revision);
    EXPECT_EQ(value_before<std::string>(event.entry()), before);
    EXPECT_EQ(value_after<std::string>(event.entry()), after);
  }
}

TEST_F(WatchTest, RefusesAValueOfAnotherType) {
  auto watch = agent().watch({.previous = true});
  agent().set("mood", "curious");
  agent().set("mood", "tired");
  next_of_entry(watch);
  const auto update = next_of_entry(watch).entry();
  EXPECT_THROW((void)value_after<int>(update), WrongType);
  EXPECT_THROW((void)value_before<int>(update), WrongType);
}

TEST_F(WatchTest, TellsTheSubjectsOfEventsApart) {
  auto watch = agent().watch({.event_types = {v1::EVENT_TYPE_SCOPE_CREATED, v1::EVENT_TYPE_ENTRY_SET,
                                              v1::EVENT_TYPE_ENTRIES_CLEARED, v1::EVENT_TYPE_AGENT_ENDED}});
  auto task = agent().scope("task");
  task.set("k", 1);
  task.clear();
  agent().end();
  EXPECT_EQ(watch.next()->scope().name(), "task");
  EXPECT_EQ(watch.next()->entry().key(), "k");
  const auto cleared = watch.next().value();
  EXPECT_EQ(cleared.subject_case(), v1::Event::kCleared);
  EXPECT_EQ(counts_by_kind(cleared.cleared().cleared()), (RecordCounts{{v1::RECORD_KIND_ENTRY, 1}}));
  const auto ended = watch.next().value();
  EXPECT_EQ(ended.subject_case(), v1::Event::kAgent);
  EXPECT_EQ(counts_by_kind(ended.agent().cleared()), (RecordCounts{{v1::RECORD_KIND_SCOPE, 1}}));
}

TEST_F(WatchTest, OfAScopeIncludesOnlyThoseBelow) {
  auto scope = agent().scope("task");
  auto watch = scope.watch();
  agent().set("in-the-root", 1);
  auto inner = scope.scope("inner");
  inner.set("in-the-inner", 1);
  EXPECT_EQ(watch.next()->type(), v1::EVENT_TYPE_SCOPE_CREATED);
  EXPECT_EQ(watch.next()->entry().key(), "in-the-inner");
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
