#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "live_test.hpp"

namespace memoryd {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

class KindsLiveTest : public LiveTest {};

TEST_F(KindsLiveTest, KeepsNotes) {
  const auto notes = agent().notes();
  const auto created = notes.create("Ada", "lives in Lisbon", {.tags = {"people"}, .metadata = {{"turn", 1}}});
  EXPECT_EQ(notes.get(created.note_id()).content(), "lives in Lisbon");
  EXPECT_THROW((void)notes.get("none"), RecordNotFound);
  const auto updated = notes.update(created.note_id(), {.notebook = "work", .cleared = {NoteAttribute::tags}});
  EXPECT_EQ(updated.notebook(), "work");
  EXPECT_EQ(updated.title(), "Ada");
  EXPECT_EQ(updated.tags_size(), 0);
  EXPECT_THROW(notes.update(created.note_id(), {.title = "x"}, {.condition = ExpectedRevision{created.revision()}}),
               RevisionMismatch);
  (void)notes.create("Bob", "lives in Oslo");
  std::vector<std::string> titles;
  for (const auto& note : notes.list({.notebooks = {"work"}})) {
    titles.push_back(note.title());
  }
  EXPECT_THAT(titles, ElementsAre("Ada"));
  EXPECT_TRUE(notes.remove(created.note_id()));
  EXPECT_FALSE(notes.remove(created.note_id()));
}

TEST_F(KindsLiveTest, ListsAllPages) {
  constexpr int kBatches = 7;
  constexpr int kOfBatch = 143;
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<MemoryDraft> drafts;
    for (int number = 0; number < kOfBatch; ++number) {
      drafts.push_back({.content = std::to_string(batch) + " and " + std::to_string(number), .allow_duplicates = true});
    }
    EXPECT_EQ(agent().memories().create_many(drafts).size(), static_cast<std::size_t>(kOfBatch));
  }
  int count = 0;
  for (const auto& memory : agent().memories().list()) {
    count += memory.content().empty() ? 0 : 1;
  }
  // More than a page has.
  EXPECT_EQ(count, kBatches * kOfBatch);
}

TEST_F(KindsLiveTest, KeepsPlans) {
  const auto plans = agent().plans();
  const auto plan =
      plans.create("ship it", {.conversation_id = "c", .steps = {{.description = "build"}, {.description = "test"}}});
  ASSERT_EQ(plan.steps_size(), 2);
  const auto step =
      plans.update_step(plan.steps(0).step_id(), {.status = v1::PLAN_STEP_STATUS_COMPLETED}, {.conversation_id = "c"});
  EXPECT_EQ(step.status(), v1::PLAN_STEP_STATUS_COMPLETED);
  EXPECT_TRUE(plans.remove_step(plan.steps(1).step_id(), {.conversation_id = "c"}));
  EXPECT_EQ(plans.get({.conversation_id = "c"}).steps_size(), 1);
  EXPECT_EQ(plans.complete({.conversation_id = "c"}).status(), v1::PLAN_STATUS_COMPLETED);
}

TEST_F(KindsLiveTest, RecallsTheMemoriesOfTheBoundUser) {
  const auto ada = agent().user("ada");
  (void)ada.memories().remember("I moved to Oslo.");
  (void)agent().user("bob").memories().remember("I moved to Oslo, too.");
  std::vector<std::string> contents;
  const auto recalled = ada.memories().recall("Who moved to Oslo?");
  for (const auto& match : recalled.memories()) {
    contents.push_back(match.memory().content());
  }
  EXPECT_THAT(contents, ElementsAre("I moved to Oslo."));
  contents.clear();
  for (const auto& memory : ada.memories().list({.all_users = true})) {
    contents.push_back(memory.content());
  }
  EXPECT_THAT(contents, UnorderedElementsAre("I moved to Oslo.", "I moved to Oslo, too."));
}

TEST_F(KindsLiveTest, ForgetsNothingForAnEmptySelection) {
  const auto ada = agent().user("ada");
  (void)ada.memories().remember("I moved to Oslo.");
  const std::vector<std::string> none;
  EXPECT_THROW(ada.memories().forget_many({.any_tags = none}), InvalidArgument);
  EXPECT_THROW(ada.memories().forget_many({.all_tags = none}), InvalidArgument);
  EXPECT_EQ(ada.memories().recall("Oslo").memories_size(), 1);
}

TEST_F(KindsLiveTest, ComposesConversationsAndNotes) {
  const auto conversations = agent().conversations();
  (void)conversations.append("c", {{.role = v1::MESSAGE_ROLE_USER, .content = "Where does Ada live?"},
                                   {.role = v1::MESSAGE_ROLE_ASSISTANT, .content = "In Lisbon."}});
  std::vector<std::string> contents;
  for (const auto& message : conversations.messages("c", {.roles = {v1::MESSAGE_ROLE_ASSISTANT}})) {
    contents.push_back(message.content());
  }
  EXPECT_THAT(contents, ElementsAre("In Lisbon."));
  (void)agent().notes().create("Ada", "lives in Lisbon");
  const auto composed = agent().compose({.conversation_id = "c",
                                         .max_tokens = 1'000,
                                         .sections = {{.notes = NotesSource{}}, {.messages = MessagesSource{}}},
                                         .reserve_tokens = 0});
  EXPECT_EQ(composed.messages_size(), 3);
}

TEST_F(KindsLiveTest, KeepsFragmentsDocumentsAndEntities) {
  const auto fragments = agent().fragments();
  (void)fragments.create("heard it", {.type = "remark"});
  EXPECT_EQ(fragments.flush(), 1);
  const auto taken = fragments.take();
  ASSERT_EQ(taken.fragments_size(), 1);
  EXPECT_EQ(fragments.acknowledge(taken.lease_token()), 1);

  const auto documents = agent().documents();
  const auto document = documents.create({.title = "Guide", .text = "Ada lives in Lisbon."});
  EXPECT_EQ(documents.search("Lisbon").chunks_size(), 1);
  EXPECT_TRUE(documents.remove(document.document_id()));

  const auto entities = agent().entities();
  EXPECT_EQ(entities.add("c", {{.entity_id = "p1", .type = "page", .name = "Home"}}).entities_size(), 1);
  EXPECT_EQ(entities.get("c").entities(0).name(), "Home");
}

}  // namespace
}  // namespace memoryd
