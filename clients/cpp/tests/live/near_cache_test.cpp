#include "memoryd/near_cache.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "live/own_daemon.hpp"
#include "live_test.hpp"
#include "memoryd/notes.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;
using google::protobuf::util::MessageDifferencer;
using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using Numbers = std::map<std::string, int>;

class NearCacheTest : public LiveTest {
 protected:
  static std::vector<std::string> note_ids(const NearCache& cache) {
    std::vector<std::string> ids;
    for (const auto& note : cache.notes()) {
      ids.push_back(note.note_id());
    }
    return ids;
  }

  static void write_note(const Agent& agent, const std::string& note_id) {
    (void)agent.notes().create("Title", "Text", {.note_id = note_id});
  }
};

TEST_F(NearCacheTest, ReadsAsTheDaemonDoesAndHasEachWriteOfItsClient) {
  agent().set("before", {{"name", "Ada"}});
  const auto cache = agent().near_cache();
  EXPECT_EQ(cache.get("before"), json({{"name", "Ada"}}));
  agent().set("k", 1, {.tags = {"t"}});
  EXPECT_EQ(cache.get<int>("k"), 1);
  EXPECT_EQ(cache.get<int>("none"), std::nullopt);
  EXPECT_TRUE(cache.contains("k"));
  EXPECT_FALSE(cache.contains("none"));
  EXPECT_TRUE(MessageDifferencer::Equals(cache.get_entry("k").value(), agent().get_entry("k").value()));
  auto tx = agent().transaction();
  tx.set("k", 2);
  v1::Write note;
  auto& draft = *note.mutable_create_note()->mutable_draft();
  draft.set_note_id("n");
  draft.set_title("Title");
  draft.set_content("Text");
  tx.write(note);
  (void)tx.commit();
  EXPECT_EQ(cache.get_many<int>({"k", "none"}), (Numbers{{"k", 2}}));
  EXPECT_TRUE(MessageDifferencer::Equals(cache.note("n").value(), agent().notes().get("n")));
  EXPECT_THAT(note_ids(cache), ElementsAre("n"));
  EXPECT_THROW((void)cache.get<std::string>("k"), WrongType);
  EXPECT_EQ(cache.get<Json>("k"), Json("2"));
  agent().remove("k");
  EXPECT_EQ(cache.get<int>("k"), std::nullopt);
  EXPECT_THAT(cache.keys(), ElementsAre("before"));
  const auto revision = agent().set("k", 3).revision();
  EXPECT_EQ(cache.revision(), revision);
  agent().end();
  EXPECT_EQ(cache.get("before"), std::nullopt);
  EXPECT_THAT(cache.notes(), IsEmpty());
  EXPECT_EQ(cache.size_bytes(), 0);
}

TEST_F(NearCacheTest, FallsBackToTheParentsOfAScope) {
  agent().set("root", 0);
  const auto cache = agent().near_cache();
  auto task = agent().scope("task");
  auto step = task.scope("step");
  task.set("task", 1);
  step.set("step", 2);
  const auto memory = cache.attach(step.scope_id());
  EXPECT_EQ(memory.get_many<int>({"root", "task", "step"}), (Numbers{{"root", 0}, {"task", 1}, {"step", 2}}));
  EXPECT_EQ(memory.get<int>("root", Lookup::local_only), std::nullopt);
  EXPECT_THAT(memory.keys(), ElementsAre("step"));
  EXPECT_THAT(memory.keys({.inherited = true}), ElementsAre("root", "step", "task"));
  EXPECT_THAT(memory.keys({.inherited = true, .key_prefix = "t"}), ElementsAre("task"));
  step.set("root", 3);
  EXPECT_EQ(memory.get<int>("root"), 3);
  EXPECT_EQ(memory.entries().front().value_json(), "3");
  EXPECT_EQ(cache.get<int>("root"), 0);
  task.close();
  EXPECT_THROW((void)memory.get("root"), ScopeDisposed);
}

TEST_F(NearCacheTest, OfAScopeHoldsItAndWhatItInherits) {
  agent().set("root", 0);
  auto outer = agent().scope("outer");
  auto beside = agent().scope("beside");
  auto scope = outer.scope("task");
  const auto cache = agent().near_cache({.scope_id = scope.scope_id(), .notes = false});
  outer.set("outer", 1);
  auto below = scope.scope("step");
  below.set("k", 2);
  const auto held = cache.size_bytes();
  beside.set("k", 3);
  EXPECT_EQ(cache.attach(scope.scope_id()).get_many<int>({"root", "outer"}), (Numbers{{"root", 0}, {"outer", 1}}));
  EXPECT_EQ(cache.attach(below.scope_id()).get<int>("k"), 2);
  EXPECT_EQ(cache.attach(beside.scope_id()).get<int>("k"), 3);
  EXPECT_EQ(cache.size_bytes(), held);
}

TEST_F(NearCacheTest, ReadsOtherKeysThanThoseOfItsPrefixFromTheDaemon) {
  const auto cache = agent().near_cache({.max_staleness = std::nullopt, .key_prefix = "a:", .notes = false});
  agent().set("a:1", 1);
  const auto held = cache.size_bytes();
  EXPECT_GT(held, 0);
  agent().set("b:1", 2);
  write_note(agent(), "n");
  EXPECT_EQ(cache.size_bytes(), held);
  EXPECT_EQ(cache.get_many<int>({"a:1", "b:1"}), (Numbers{{"a:1", 1}, {"b:1", 2}}));
  EXPECT_EQ(cache.get<int>("a:1"), 1);
  EXPECT_EQ(cache.get<int>("b:1"), 2);
  EXPECT_THAT(cache.keys({.key_prefix = "a:"}), ElementsAre("a:1"));
  EXPECT_THAT(cache.keys({.key_prefix = "b:"}), ElementsAre("b:1"));
  EXPECT_THAT(cache.keys(), ElementsAre("a:1", "b:1"));
  EXPECT_EQ(cache.note("n").value().title(), "Title");
  EXPECT_FALSE(cache.note("none").has_value());
  EXPECT_THAT(note_ids(cache), ElementsAre("n"));
}

TEST_F(NearCacheTest, ListsTheRecordsOfTheBoundUser) {
  const auto ada = agent().user("ada");
  const auto of_none = agent().near_cache();
  const auto of_ada = ada.near_cache();
  auto closed = ada.near_cache();
  closed.close();
  write_note(agent(), "0");
  write_note(ada, "1");
  agent().set("0", "of nobody");
  agent().set("1", "of Ada", {.user_id = "ada"});
  for (const NearCache* cache : std::initializer_list<const NearCache*>{&of_none, &of_ada, &closed}) {
    const std::string expected = cache == &of_none ? "0" : "1";
    EXPECT_THAT(note_ids(*cache), ElementsAre(expected));
    EXPECT_THAT(cache->keys(), ElementsAre(expected));
    EXPECT_EQ(cache->get<std::string>("1"), "of Ada");
  }
}

TEST_F(NearCacheTest, TakesNoMoreMemoryThanItMay) {
  agent().set("k", std::string(10'000, 'v'));
  EXPECT_THROW((void)agent().near_cache({.max_bytes = 10'000}), CacheFull);
  const auto cache = agent().near_cache({.max_bytes = 20'000});
  const auto refusing = agent().near_cache({.when_stale = WhenStale::refuse, .max_bytes = 20'000});
  agent().set("other", std::string(10'000, 'w'));
  EXPECT_EQ(cache.get<std::string>("other"), std::string(10'000, 'w'));
  until("it forgets its records", [&] { return cache.size_bytes() == 0 && refusing.size_bytes() == 0; });
  EXPECT_EQ(cache.get<std::string>("k"), std::string(10'000, 'v'));
  EXPECT_THROW((void)refusing.get("k"), StaleRead);
}

TEST_F(NearCacheTest, AsksTheDaemonOnceItIsClosed) {
  auto cache = agent().near_cache();
  const auto memory = cache.attach("");
  agent().set("k", 1);
  cache.close();
  agent().set("k", 2);
  EXPECT_EQ(cache.get<int>("k"), 2);
  EXPECT_EQ(memory.get<int>("k"), 2);
  EXPECT_EQ(cache.staleness(), std::nullopt);
}

TEST_F(NearCacheTest, ThrowsWhyItCannotBeOpened) {
  EXPECT_THROW((void)agent().near_cache({.max_staleness = 10ms}), InvalidArgument);
  EXPECT_THROW((void)agent().near_cache({.scope_id = "none"}), RecordNotFound);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW((void)agent().near_cache({.stop = stop.get_token()}), Cancelled);
  const Client nobody({.target = deserted_address(), .connect_timeout = 100ms});
  EXPECT_THROW((void)nobody.agent("a").near_cache(), Unavailable);
}

TEST_F(NearCacheTest, HasTheWritesOfOthersAndBoundsItsStaleness) {
  const Client others;
  auto other = others.agent(agent().agent_id());
  const auto cache = agent().near_cache({.max_staleness = 100ms});
  other.set("k", 1);
  until("it has the write of another client", [&] { return cache.get<int>("k") == 1; });
  (void)other.memories().remember("No event of the cache reports this.");
  const auto before = cache.staleness().value();
  until("it finds out how current it is", [&] { return cache.staleness().value() < before; });
}

TEST_F(NearCacheTest, MayBeMovedAndEndsWithItsClient) {
  Client other;
  auto cache = other.agent(agent().agent_id()).near_cache();
  agent().set("k", 1);
  auto moved = std::move(cache);
  until("it has the write of another client", [&] { return moved.get<int>("k") == 1; });
  other.close();
  moved.close();
  EXPECT_THROW((void)moved.get("k"), Cancelled);
}

class NearOutageTest : public OwnDaemonTest {
 protected:
  static constexpr auto kBound = 200ms;

  /// Kills the daemon of a near cache, has it read, and starts the daemon again.
  template <class Check>
  static void interrupt(WhenStale when_stale, const Check& check) {
    auto daemon = durable_daemon();
    auto options = patient();
    auto writer = daemon.client(options).agent("a");
    writer.set("k", 1);
    options.timeout = 500ms;  // the daemon is away
    const auto cache =
        daemon.client(options).agent("a").near_cache({.max_staleness = kBound, .when_stale = when_stale});
    daemon.kill();
    until("the bound passes", [&] { return cache.staleness().value() > kBound; });
    check(cache);
    daemon.start();
    writer.set("k", 2);
    until("it has the write of another client", [&] {
      try {
        return cache.get<int>("k") == 2;
      } catch (const Error&) {
        return false;
      }
    });
  }
};

TEST_F(NearOutageTest, AsksTheDaemon) {
  interrupt(WhenStale::ask, [](const NearCache& cache) { EXPECT_THROW((void)cache.get<int>("k"), Error); });
}

TEST_F(NearOutageTest, RefusesReads) {
  interrupt(WhenStale::refuse, [](const NearCache& cache) { EXPECT_THROW((void)cache.get<int>("k"), StaleRead); });
}

TEST_F(NearOutageTest, ServesReads) {
  interrupt(WhenStale::serve, [](const NearCache& cache) { EXPECT_EQ(cache.get<int>("k"), 1); });
}

TEST_F(NearOutageTest, BeginsAgainWithAnotherStore) {
  TestDaemon daemon({"--embedder", "none"});  // its data do not survive
  auto agent = daemon.agent(patient());
  for (int number = 0; number < 5; ++number) {
    agent.set("k" + std::to_string(number), number);
  }
  const auto cache = agent.near_cache();
  daemon.kill();
  daemon.start();
  for (int number = 10; number < 13; ++number) {
    // From the first read on, although the cache may still have the higher revision of the former store.
    agent.set("k0", number);
    EXPECT_EQ(cache.get<int>("k0"), number);
  }
  until("it has the state of the other store", [&] { return cache.revision() == 3; });
  EXPECT_EQ(cache.get<int>("k0"), 12);
  EXPECT_THAT(cache.keys(), ElementsAre("k0"));
}

}  // namespace
}  // namespace memoryd
