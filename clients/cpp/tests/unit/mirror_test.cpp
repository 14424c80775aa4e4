#include "near/mirror.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "memoryd/error.hpp"
#include "near/mark.hpp"
#include "unit/mirror_events.hpp"

namespace memoryd::detail {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;
constexpr auto kUnlimited = std::numeric_limits<std::int64_t>::max();

/// Returns the value that a look-up finds as JSON text, "" for none, and "no scope" without the scope.
std::string text_in(const Mirror& mirror, const std::string& scope_id, const std::string& key,
                    Lookup lookup = Lookup::with_parents) {
  const auto found = mirror.find(scope_id, key, lookup);
  return !found ? "no scope" : *found ? (*found)->message.value_json() : "";
}

TEST(MirrorTest, AppliesACommitWhole) {
  Mirror mirror(kUnlimited);
  mirror.apply(message_at(1));
  auto part = message_at(2, {entry_set("", "a", "1")}, WatchPhase::live);
  part.revision_continues = true;
  mirror.apply(part);
  mirror.apply(message_at(0, {}, WatchPhase::opened));
  EXPECT_EQ(text_in(mirror, "", "a"), "");
  EXPECT_EQ(mirror.revision(), 1);
  mirror.apply(message_at(2, {entry_set("", "b", "2")}, WatchPhase::live));
  EXPECT_EQ(text_in(mirror, "", "a") + text_in(mirror, "", "b"), "12");
  EXPECT_EQ(mirror.revision(), 2);
}

TEST(MirrorTest, FindsWhatIsBehindAnEntryThatHasExpired) {
  std::int64_t now = 1'000 * kNanos;
  Mirror mirror(kUnlimited, [&now] { return now; });
  constexpr std::int64_t kEndOfTheYear9999 = 253'402'300'799;
  mirror.apply(
      message_at(1, {entry_set("", "k", "\"root\"", kEndOfTheYear9999),
                     scope_changed(v1::EVENT_TYPE_SCOPE_CREATED, "s"), entry_set("s", "k", "\"scope\"", 1'001)}));
  EXPECT_EQ(text_in(mirror, "s", "k"), "\"scope\"");
  now += kNanos;
  EXPECT_EQ(text_in(mirror, "s", "k"), "\"root\"");
  EXPECT_EQ(text_in(mirror, "s", "k", Lookup::local_only), "");
  const auto all = mirror.entries("s", "", true).value();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.front()->message.value_json(), "\"root\"");
}

TEST(MirrorTest, EndsAScopeWithItsEntriesAlone) {
  Mirror mirror(kUnlimited);
  constexpr auto kCreated = v1::EVENT_TYPE_SCOPE_CREATED;
  mirror.apply(
      message_at(1, {scope_changed(kCreated, "s"), scope_changed(kCreated, "below", "s"), scope_changed(kCreated, "s"),
                     entry_set("s", "k", "1"), entry_set("unknown", "k", "2"), entry_set("", "root", "3")}));
  EXPECT_EQ(text_in(mirror, "below", "k") + text_in(mirror, "below", "root"), "13");
  EXPECT_EQ(text_in(mirror, "unknown", "k"), "no scope");
  mirror.apply(message_at(2, {cleared(v1::EVENT_TYPE_ENTRIES_CLEARED, "s")}));
  EXPECT_EQ(text_in(mirror, "below", "k"), "");
  mirror.apply(message_at(3, {scope_changed(v1::EVENT_TYPE_SCOPE_DISPOSED, "s")}));
  EXPECT_EQ(text_in(mirror, "s", "root"), "no scope");
  EXPECT_EQ(text_in(mirror, "", "root"), "3");
}

TEST(MirrorTest, FreesTheMemoryOfWhatIsOverwrittenAndRemoved) {
  Mirror mirror(5'000);
  const auto of = [](std::size_t length) { return '"' + std::string(length, 'v') + '"'; };
  for (int revision = 1; revision <= 20; ++revision) {
    mirror.apply(message_at(revision, {entry_set("", "k", of(2'000))}));
  }
  mirror.apply(message_at(21, {note_created("n", "text")}));
  EXPECT_GT(mirror.size_bytes(), 4'000);
  mirror.apply(message_at(22, {entry_removed("k"), cleared(v1::EVENT_TYPE_NOTES_CLEARED)}));
  EXPECT_EQ(mirror.size_bytes(), 0);
  EXPECT_TRUE(mirror.notes().empty());
  EXPECT_THROW(mirror.apply(message_at(23, {entry_set("", "k", of(6'000))})), CacheFull);
}

TEST(MirrorTest, HasTheValuesThatTheDaemonReturns) {
  for (const std::string text : {R"("text")", R"("a\"bé")", R"( "spaces" )", "5", " 5 ", "-0", "1e3", "2.50",
                                 "9223372036854775808", "true", "null", R"({"a":1})", "[1]", "1e999"}) {
    Mirror mirror(kUnlimited);
    mirror.apply(message_at(1, {entry_set("", "k", text)}));
    const auto entry = mirror.find("", "k", Lookup::with_parents).value();
    const auto compare = [&]<class T>(T*) {
      std::optional<T> expected;
      try {
        expected = value_of<T>(entry->message);
      } catch (const WrongType&) {
        EXPECT_THROW((void)entry->value<T>(), WrongType) << text;
        return;
      }
      EXPECT_EQ(entry->value<T>(), *expected) << text;
    };
    compare(static_cast<nlohmann::json*>(nullptr));
    compare(static_cast<std::string*>(nullptr));
    compare(static_cast<int*>(nullptr));
    compare(static_cast<double*>(nullptr));
    compare(static_cast<bool*>(nullptr));
    compare(static_cast<Json*>(nullptr));
  }
}

TEST(MarkTest, ALowerRevisionIsOfALaterLifeAlsoWhereNoRecordIsSelected) {
  Mirror mirror(kUnlimited);
  const auto reaches = [&mirror](std::int64_t revision) {
    return Mark::of(revision, Mark::at(mirror)).is_reached(mirror);
  };
  mirror.apply(message_at(50, {}));
  EXPECT_TRUE(reaches(0) && reaches(50));
  EXPECT_FALSE(reaches(10) || reaches(51));
  mirror.apply(message_at(51, {agent_ended()}));
  mirror.apply(message_at(51, {}));
  EXPECT_TRUE(reaches(1));
  mirror.apply(message_at(60, {}));
  EXPECT_FALSE(reaches(59));
}

TEST(MarkTest, OfALaterLifeIsNotReachedByAnEarlierOne) {
  EXPECT_FALSE(Mark{}.is_reached(Mirror(kUnlimited)));
  Mirror mirror(kUnlimited);
  mirror.apply(message_at(5, {entry_set("", "k", "1")}));
  const auto ended = Mark::of(0, Mark::at(mirror));
  EXPECT_FALSE(ended.is_reached(mirror));
  EXPECT_FALSE(Mark::of(3, Mark::at(mirror)).is_reached(mirror));
  EXPECT_TRUE((Mark{.revision = 5}).is_reached(mirror));
  mirror.apply(message_at(6, {agent_ended()}));
  EXPECT_TRUE(ended.is_reached(mirror));
  EXPECT_TRUE(Mark::of(0, Mark::at(mirror)).is_reached(mirror));
  EXPECT_EQ(text_in(mirror, "", "k"), "");
  const auto again = Mark::of(7, Mark::at(mirror));
  EXPECT_FALSE(again.is_reached(mirror));
  mirror.apply(message_at(7, {entry_set("", "k", "1")}));
  EXPECT_TRUE(again.is_reached(mirror));
}

}  // namespace
}  // namespace memoryd::detail
