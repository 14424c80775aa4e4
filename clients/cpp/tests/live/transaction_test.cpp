#include "memoryd/transaction.hpp"

#include <string>
#include <thread>
#include <vector>

#include "live_test.hpp"
#include "memoryd/stub.hpp"

namespace memoryd {
namespace {

class TransactionLiveTest : public LiveTest {
 protected:
  static v1::Write note(const std::string& title) {
    v1::Write write;
    write.mutable_create_note()->mutable_draft()->set_title(title);
    write.mutable_create_note()->mutable_draft()->set_content("Text");
    return write;
  }
};

TEST_F(TransactionLiveTest, MakesChangesOfAllKindsAtOneRevision) {
  auto tx = agent().transaction();
  const auto stored = tx.set("status", "moved", {.tags = {"user"}});
  const auto noted = tx.write(note("Ada"));
  v1::Write memory;
  memory.mutable_create_memory()->mutable_draft()->set_content("Ada moved");
  memory.mutable_create_memory()->mutable_draft()->set_user_id("ada");
  const auto remembered = tx.write(memory);
  const auto task = tx.create_scope("task", "ada");
  const auto removed = tx.remove("nothing");
  const auto done = tx.commit();
  EXPECT_EQ(done.revision(), 1);
  EXPECT_TRUE(done.get(stored).created());
  EXPECT_EQ(done.get(noted).create_note().note().revision(), 1);
  EXPECT_TRUE(done.get(remembered).create_memory().created());
  EXPECT_FALSE(done.get(removed));
  EXPECT_EQ(agent().get<std::string>("status"), "moved");
  EXPECT_EQ(done.get(task).user_id(), "ada");
  EXPECT_NO_THROW(agent().attach(done.get(task).scope_id()).set("k", 1));
}

TEST_F(TransactionLiveTest, FindsWhatItsEarlierChangesLeft) {
  auto tx = agent().transaction();
  tx.set("k", Json("[ 1 ]"), {}, MustNotExist{});
  const auto found = tx.get_or_set("k", 2);
  const auto made = tx.get_or_set("other", Json("2"));
  const auto removed = tx.remove("k", MustExist{});
  const auto cleared = tx.clear();
  const auto done = tx.commit();
  EXPECT_FALSE(done.get(found));
  EXPECT_TRUE(done.get(made));
  EXPECT_TRUE(done.get(removed));
  EXPECT_EQ(done.get(cleared), 1);
}

TEST_F(TransactionLiveTest, ChangesMergesAndDisposesScopes) {
  auto one = agent().scope("one");
  auto other = agent().scope("other");
  agent().set("kept", 1);
  one.set("kept", 2);
  other.set("left", 1);
  auto tx = agent().transaction();
  auto writes = tx.attach(one.scope_id());
  writes.set("found", 42);
  const auto merged = writes.merge(Conflict::keep_parent);
  writes.dispose();
  const auto disposed = tx.attach(other.scope_id()).dispose();
  const auto done = tx.commit();
  EXPECT_EQ(done.get(merged), 1);
  EXPECT_EQ(done.get(disposed), 1);
  EXPECT_EQ(agent().get<int>("found"), 42);
  EXPECT_EQ(agent().get<int>("kept"), 1);
  EXPECT_THROW(one.set("k", 1), ScopeDisposed);
}

TEST_F(TransactionLiveTest, LooksForAValueInTheScopeAloneIfItIsLocalOnly) {
  agent().set("k", 1);
  auto scope = agent().scope("task");
  auto tx = agent().transaction();
  auto writes = tx.attach(scope.scope_id());
  const auto found = writes.get_or_set("k", 2);
  const auto made = writes.get_or_set("k", 3, {}, Lookup::local_only);
  const auto done = tx.commit();
  EXPECT_FALSE(done.get(found));
  EXPECT_TRUE(done.get(made));
  EXPECT_EQ(scope.get<int>("k"), 3);
}

TEST_F(TransactionLiveTest, MergesAScopeThatItDisposesOrKeeps) {
  auto kept = agent().scope("kept");
  auto merged = agent().scope("merged");
  kept.set("a", 1);
  merged.set("b", 1);
  auto tx = agent().transaction();
  const auto copied = tx.attach(kept.scope_id()).merge_and_keep();
  tx.attach(merged.scope_id()).merge();
  EXPECT_EQ(tx.commit().get(copied), 1);
  EXPECT_TRUE(agent().contains("a"));
  EXPECT_TRUE(agent().contains("b"));
  EXPECT_NO_THROW(kept.set("k", 1));
  EXPECT_THROW(merged.set("k", 1), ScopeDisposed);
}

TEST_F(TransactionLiveTest, ChangesNothingIfOneChangeIsRefusedAndNamesIt) {
  agent().set("k", 1);
  auto tx = agent().transaction();
  tx.set("other", 1);
  tx.write(note("Ada"));
  const auto refused = tx.set("k", 2, {}, MustNotExist{});
  try {
    (void)tx.commit();
    FAIL() << "the change must be refused";
  } catch (const RecordExists& error) {
    EXPECT_EQ(error.write_index(), refused.index());
  }
  EXPECT_FALSE(agent().contains("other"));
  EXPECT_EQ(agent().get<int>("k"), 1);
}

TEST_F(TransactionLiveTest, NamesAnInvalidFieldWithItsWrite) {
  auto tx = agent().transaction();
  tx.set("k", 1);
  tx.set("", 1);
  try {
    (void)tx.commit();
    FAIL() << "the key must be refused";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.write_index(), 1U);
    EXPECT_TRUE(error.fields().contains("writes[1].set_entry.key"));
  }
}

TEST_F(TransactionLiveTest, HasAConditionOnTheAgent) {
  agent().set("k", 1);
  auto tx = agent().transaction({.condition = ExpectedRevision{1}});
  tx.set("k", 2);
  EXPECT_EQ(tx.commit().revision(), 2);
  auto late = agent().transaction({.condition = ExpectedRevision{1}});
  late.set("k", 3);
  try {
    (void)late.commit();
    FAIL() << "the condition is not met";
  } catch (const RevisionMismatch& error) {
    EXPECT_EQ(error.actual_revision(), 2);
    EXPECT_EQ(error.write_index(), std::nullopt);
  }
}

TEST_F(TransactionLiveTest, ChangesNothingMoreIfItIsCommittedAgain) {
  auto tx = agent().transaction();
  const auto noted = tx.write(note("Ada"));
  const auto first = tx.commit();
  const auto again = tx.commit();
  EXPECT_EQ(again.revision(), first.revision());
  EXPECT_EQ(again.get(noted).create_note().note().note_id(), first.get(noted).create_note().note().note_id());
  tx.set("k", 1);
  EXPECT_THROW((void)tx.commit(), RequestIdReused);
}

TEST_F(TransactionLiveTest, LetsSeveralWritersIncrementOneCounter) {
  const auto increment = [this] {
    while (true) {
      const auto entry = agent().get_entry("n");
      auto tx = agent().transaction();
      tx.set("n", entry ? value_of<int>(*entry) + 1 : 1, {}, ExpectedRevision{entry ? entry->revision() : 0});
      tx.write(note("Counted"));
      try {
        (void)tx.commit();
        return;
      } catch (const RevisionMismatch&) {
        continue;
      }
    }
  };
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 8; ++writer) {
      writers.emplace_back(increment);
    }
  }
  EXPECT_EQ(agent().get<int>("n"), 8);
  v1::ListNotesRequest request;
  request.set_agent_id(agent().agent_id());
  EXPECT_EQ(Stub<v1::NoteService>(client()).call(&v1::NoteService::Stub::ListNotes, request).total_count(), 8);
}

}  // namespace
}  // namespace memoryd
