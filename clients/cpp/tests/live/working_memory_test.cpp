#include "memoryd/working_memory.hpp"

#include <gmock/gmock.h>
#include <memoryd/v1/snapshot_service.grpc.pb.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "live_test.hpp"
#include "memoryd/stub.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;

using nlohmann::json;
using testing::ElementsAre;
using testing::Pair;

class MemoryTest : public LiveTest {
 protected:
  static std::vector<std::string> keys_of(Entries entries) {
    std::vector<std::string> keys;
    for (const auto& entry : entries) {
      keys.push_back(entry.key());
    }
    return keys;
  }
};

TEST_F(MemoryTest, ReturnsTheValueThatWasSet) {
  const auto stored = agent().set("user", {{"name", "Ada"}, {"visits", 3}});
  EXPECT_TRUE(stored.created());
  EXPECT_EQ(stored.revision(), 1);
  EXPECT_EQ(agent().get("user"), json({{"name", "Ada"}, {"visits", 3}}));
  EXPECT_EQ((agent().get<std::map<std::string, json>>("user")->at("name")), "Ada");
}

TEST_F(MemoryTest, ReturnsTheEntryThatWasSetWithoutItsContent) {
  const auto first = agent().set("mood", "curious", {.importance = 0.8, .tags = {"user"}}).entry();
  EXPECT_EQ(first.key(), "mood");
  EXPECT_EQ(first.importance(), 0.8);
  EXPECT_EQ(first.value_json(), "");
  EXPECT_TRUE(first.tags().empty());
  const auto second = agent().set("mood", "calm");
  EXPECT_FALSE(second.created());
  EXPECT_EQ(second.entry().entry_id(), first.entry_id());
  EXPECT_EQ(second.entry().revision(), first.revision() + 1);
}

TEST_F(MemoryTest, ReturnsNoneForAMissingKey) {
  EXPECT_EQ(agent().get("nothing"), std::nullopt);
  EXPECT_EQ(agent().get<std::string>("nothing").value_or("a default"), "a default");
  EXPECT_FALSE(agent().get_entry("nothing").has_value());
  EXPECT_FALSE(agent().contains("nothing"));
}

TEST_F(MemoryTest, DistinguishesNullFromAMissingEntry) {
  agent().set("null", nullptr);
  EXPECT_TRUE(agent().get("null").has_value());
  EXPECT_TRUE(agent().get("null")->is_null());
}

TEST_F(MemoryTest, KeepsJsonTextByteForByte) {
  const Json text("{ \"b\": 1.0,\n \"a\": 9007199254740993 }");
  agent().set("text", text);
  EXPECT_EQ(agent().get<Json>("text"), text);
}

TEST_F(MemoryTest, ThrowsForAValueOfAnotherType) {
  agent().set("text", "a text");
  EXPECT_THROW((void)agent().get<int>("text"), WrongType);
}

TEST_F(MemoryTest, ReturnsAllAttributesOfAnEntry) {
  const auto before = std::chrono::system_clock::now() - std::chrono::minutes(1);
  agent().set("mood", "curious",
              {.entry_type = v1::ENTRY_TYPE_INSIGHT,
               .importance = 0.8,
               .tags = {"user", "today"},
               .metadata = {{"source", "chat"}},
               .user_id = "ann",
               .expiry = std::chrono::hours(8)});
  const auto entry = agent().get_entry("mood").value();
  EXPECT_EQ(value_of<std::string>(entry), "curious");
  EXPECT_EQ(entry.type(), v1::ENTRY_TYPE_INSIGHT);
  EXPECT_EQ(entry.importance(), 0.8);
  EXPECT_THAT(entry.tags(), ElementsAre("user", "today"));
  EXPECT_EQ(entry.metadata().fields().at("source").string_value(), "chat");
  EXPECT_EQ(entry.user_id(), "ann");
  EXPECT_GT(time_of(entry.expire_time()), before + std::chrono::hours(8));
}

TEST_F(MemoryTest, SetsAnEntryThatMustNotExistOnce) {
  agent().set("key", 1, {}, MustNotExist{});
  try {
    agent().set("key", 2, {}, MustNotExist{});
    FAIL() << "the second one was set";
  } catch (const RecordExists& error) {
    EXPECT_EQ(error.revision(), 1);
    EXPECT_EQ(error.code(), StatusCode::already_exists);
  }
}

TEST_F(MemoryTest, SetsAnEntryThatMustExistOnlyIfThereIsOne) {
  try {
    agent().set("key", 1, {}, MustExist{});
    FAIL() << "a missing one was set";
  } catch (const RecordNotFound& error) {
    EXPECT_EQ(error.code(), StatusCode::not_found);
    EXPECT_EQ(error.reason(), "ERROR_REASON_RECORD_NOT_FOUND");
  }
  EXPECT_FALSE(agent().contains("key"));
  agent().set("key", 1);
  EXPECT_FALSE(agent().set("key", 2, {}, MustExist{}).created());
}

TEST_F(MemoryTest, SetsAnEntryOnlyAtItsExpectedRevision) {
  const auto first = agent().set("key", 1, {}, ExpectedRevision{0}).revision();
  agent().set("key", 2, {}, ExpectedRevision{first});
  try {
    agent().set("key", 3, {}, ExpectedRevision{first});
    FAIL() << "the late one was set";
  } catch (const RevisionMismatch& error) {
    EXPECT_EQ(error.expected_revision(), first);
    EXPECT_EQ(error.actual_revision(), first + 1);
    EXPECT_EQ(error.reason(), "ERROR_REASON_REVISION_MISMATCH");
  }
}

TEST_F(MemoryTest, NamesTheInvalidFieldInTheError) {
  try {
    agent().set(" ", 1);
    FAIL() << "a blank key was set";
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(error.fields().contains("key"));
  }
}

TEST_F(MemoryTest, RemovesAKeyOnce) {
  agent().set("key", 1);
  EXPECT_TRUE(agent().remove("key"));
  EXPECT_FALSE(agent().remove("key"));
}

TEST_F(MemoryTest, RemovesAKeyOnlyIfItsConditionIsMet) {
  EXPECT_THROW(agent().remove("key", MustExist{}), RecordNotFound);
  agent().set("key", 1);
  EXPECT_THROW(agent().remove("key", ExpectedRevision{7}), RevisionMismatch);
  EXPECT_THROW(agent().remove("key", MustNotExist{}), RecordExists);
  EXPECT_TRUE(agent().remove("key", ExpectedRevision{1}));
}

TEST_F(MemoryTest, ClearsAllKeys) {
  agent().set("a", 1);
  agent().set("b", 2);
  EXPECT_EQ(agent().clear(), 2);
  EXPECT_FALSE(agent().contains("a"));
}

TEST_F(MemoryTest, IsUnchangedIfTheConditionOnTheAgentIsNotMet) {
  EXPECT_THROW(agent().end({.condition = MustExist{}}), AgentNotFound);
  const auto revision = agent().set("key", 1).revision();
  EXPECT_THROW(agent().clear(ExpectedRevision{99}), RevisionMismatch);
  EXPECT_THROW(agent().end({.condition = ExpectedRevision{99}}), RevisionMismatch);
  EXPECT_TRUE(agent().contains("key"));
  EXPECT_EQ(agent().clear(ExpectedRevision{revision}), 1);
  EXPECT_TRUE(agent().end({.condition = MustExist{}}).deleted());
}

TEST_F(MemoryTest, LeavesASnapshotIfTheOptionsSaySo) {
  agent().set("key", 1);
  EXPECT_FALSE(agent().end().has_snapshot());
  agent().set("key", 1);
  const auto ended = agent().end({.snapshot = true});
  EXPECT_EQ(ended.snapshot().agent_id(), agent().agent_id());
  v1::DeleteSnapshotRequest request;
  request.set_snapshot_id(ended.snapshot().snapshot_id());
  const Stub<v1::SnapshotService> stub{client()};
  EXPECT_TRUE(stub.call(&v1::SnapshotService::Stub::DeleteSnapshot, request).deleted());
}

TEST_F(MemoryTest, ReadsWhatHasARevision) {
  const auto revision = agent().set("key", 1).revision();
  EXPECT_EQ(agent().get<int>("key", {}, MinRevision{revision}), 1);
  EXPECT_EQ(keys_of(agent().entries({.consistency = MinRevision{revision}})).size(), 1);
  const MinRevision future{revision + 1};
  EXPECT_THROW((void)agent().get("key", {}, future), RevisionInFuture);
  EXPECT_THROW((void)agent().get_entry("key", {}, future), RevisionInFuture);
  EXPECT_THROW((void)agent().get_many({"key"}, {}, future), RevisionInFuture);
  EXPECT_THROW((void)agent().get_entries({"key"}, {}, future), RevisionInFuture);
  EXPECT_THROW((void)agent().contains("key", {}, future), RevisionInFuture);
  EXPECT_THROW((void)keys_of(agent().entries({.consistency = future})), RevisionInFuture);
}

TEST_F(MemoryTest, ReadsWhatMayBeStale) {
  agent().set("key", 1);
  EXPECT_EQ(agent().get<int>("key", Lookup::local_only, MaxStaleness{1500ms}), 1);
  const MaxStaleness longest{std::chrono::hours(48)};
  const auto refuses = [](auto read) {
    try {
      (void)read();
      ADD_FAILURE() << "a staleness of two days was accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_TRUE(error.fields().contains("consistency.max_staleness"));
    }
  };
  refuses([&] { return agent().get("key", {}, longest); });
  refuses([&] { return agent().get_many({"key"}, {}, longest); });
  refuses([&] { return agent().contains("key", {}, longest); });
  refuses([&] { return keys_of(agent().entries({.consistency = longest})); });
}

TEST_F(MemoryTest, GetsManyKeysAtOnce) {
  agent().set("a", 1);
  agent().set("b", 2);
  EXPECT_THAT(agent().get_many<int>({"b", "a", "nothing"}), ElementsAre(Pair("a", 1), Pair("b", 2)));
}

TEST_F(MemoryTest, ListsEntriesInOrderOfTheirKeys) {
  agent().set("b", 2);
  agent().set("a", 1);
  EXPECT_THAT(keys_of(agent().entries()), ElementsAre("a", "b"));
  EXPECT_THAT(keys_of(agent().entries({.order = v1::LIST_ORDER_CREATE_TIME})), ElementsAre("b", "a"));
  EXPECT_THAT(keys_of(agent().entries({.order = v1::LIST_ORDER_ID_DESCENDING})), ElementsAre("b", "a"));
}

TEST_F(MemoryTest, ListsEntriesThatMatchAllFilters) {
  agent().set("a", 1, {.tags = {"x", "y"}, .user_id = "bob"});
  agent().set("b", 2, {.entry_type = v1::ENTRY_TYPE_EVENT, .tags = {"x"}, .user_id = "ann"});
  agent().set("c", 3, {.tags = {"z"}});
  EXPECT_THAT(keys_of(agent().entries({.all_tags = {"x", "y"}, .all_users = true})), ElementsAre("a"));
  EXPECT_THAT(keys_of(agent().entries({.any_tags = {"y", "z"}, .all_users = true})), ElementsAre("a", "c"));
  EXPECT_THAT(keys_of(agent().entries({.entry_types = {v1::ENTRY_TYPE_EVENT}, .all_users = true})), ElementsAre("b"));
  EXPECT_THAT(keys_of(agent().entries({.user_ids = {"ann"}})), ElementsAre("b"));
  EXPECT_THAT(keys_of(agent().entries({.user_ids = {""}})), ElementsAre("c"));
  EXPECT_THAT(keys_of(agent().entries({.any_tags = {"x"}, .user_ids = {"bob"}})), ElementsAre("a"));
  EXPECT_THAT(keys_of(agent().entries({.user_ids = {"bob", ""}})), ElementsAre("a", "c"));
  v1::RecordFilter filter;
  filter.add_none_of()->add_any_tags("y");
  EXPECT_THAT(keys_of(agent().entries({.all_users = true, .filter = filter})), ElementsAre("b", "c"));
}

TEST_F(MemoryTest, ListsEntriesWithoutTheirContent) {
  agent().set("key", 1, {.tags = {"x"}});
  auto bare = agent().entries({.content = false});
  const v1::Entry entry = *bare.begin();
  EXPECT_EQ(entry.key(), "key");
  EXPECT_TRUE(entry.tags().empty());
  EXPECT_THROW((void)value_of(entry), WrongType);
}

TEST_F(MemoryTest, ListsMoreEntriesThanAPageHolds) {
  for (int page = 0; page < 3; ++page) {
    Batch batch;
    for (int index = 0; index < 700; ++index) {
      batch.set("key-" + std::to_string(page) + "-" + std::to_string(index), index);
    }
    agent().write(batch);
  }
  std::set<std::string> keys;
  for (const auto& entry : agent().entries()) {
    keys.insert(entry.key());
  }
  EXPECT_EQ(keys.size(), 2100U);
}

TEST_F(MemoryTest, ListsNothingIfThereAreNoEntries) {
  auto entries = agent().entries();
  EXPECT_TRUE(entries.begin() == entries.end());
}

TEST_F(MemoryTest, UpdatesFromTheInitialValue) {
  const auto increment = [](std::int64_t count) { return count + 1; };
  EXPECT_EQ(agent().update("count", std::int64_t{10}, increment), 11);
  EXPECT_EQ(agent().update("count", std::int64_t{10}, increment), 12);
}

TEST_F(MemoryTest, KeepsWhatAnUpdateDoesNotGive) {
  agent().set("n", 1, {.type_name = "Count", .importance = 0.9, .tags = {"a"}, .user_id = "ann", .expiry = 1h});
  const auto before = agent().get_entry("n");
  const auto increment = [](int count) { return count + 1; };
  EXPECT_EQ(agent().update("n", 0, increment), 2);
  const auto after = agent().get_entry("n");
  EXPECT_EQ(after->expire_time().seconds(), before->expire_time().seconds());
  EXPECT_TRUE(after->has_expire_time());
  EXPECT_EQ(after->importance(), 0.9);
  EXPECT_EQ(after->type_name(), "Count");
  EXPECT_EQ(after->user_id(), "ann");
  EXPECT_THAT(after->tags(), ElementsAre("a"));
  agent().update("n", 0, increment, {.importance = 0.0, .cleared = {Attribute::tags, Attribute::expiry}});
  const auto cleared = agent().get_entry("n");
  EXPECT_FALSE(cleared->has_expire_time());
  EXPECT_EQ(cleared->importance(), 0.0);
  EXPECT_EQ(cleared->tags_size(), 0);
}

TEST_F(MemoryTest, TellsAnUpdateThatThereIsNoValue) {
  const auto said = [](std::optional<int> count) { return count ? 2 : 0; };
  EXPECT_EQ(agent().update<int>("n", said), 0);
  EXPECT_EQ(agent().update<int>("n", said), 2);
}

TEST_F(MemoryTest, LosesNoConcurrentUpdate) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([agent = agent()]() mutable {
      for (int done = 0; done < 25; ++done) {
        agent.update("count", 0, [](int count) { return count + 1; });
      }
    });
  }
  threads.clear();
  EXPECT_EQ(agent().get<int>("count"), 100);
}

TEST_F(MemoryTest, ThrowsTheErrorOfAnUpdatesFunction) {
  EXPECT_THROW(agent().update("count", 0, [](int) -> int { throw std::domain_error("no"); }), std::domain_error);
  EXPECT_FALSE(agent().contains("count"));
}

}  // namespace
}  // namespace memoryd
