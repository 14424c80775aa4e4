#include <gmock/gmock.h>

#include "recording_daemon.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class KindsTest : public testing::Test {
 protected:
  v1::UpdateMemoryRequest updated(const UpdateMemoryChanges& changes) {
    (void)agent.user("ada").memories().update("m", changes);
    return daemon.last<v1::UpdateMemoryRequest>("/memoryd.v1.LongTermMemoryService/UpdateMemory");
  }

  RecordingDaemon daemon;
  Agent agent = daemon.agent();
};

TEST_F(KindsTest, UpdateNamesTheFieldsThatAreGivenOrCleared) {
  EXPECT_THAT(updated({}).update_mask().paths(), IsEmpty());
  const auto content = updated({.content = "it"});
  EXPECT_THAT(content.update_mask().paths(), ElementsAre("content"));
  EXPECT_EQ(content.draft().content(), "it");
  EXPECT_EQ(content.draft().user_id(), "");
  EXPECT_EQ(content.memory_id(), "m");
  const auto zero = updated({.importance = 0.0});
  EXPECT_THAT(zero.update_mask().paths(), ElementsAre("importance"));
  EXPECT_TRUE(zero.draft().has_importance());
  const auto cleared = updated({.cleared = {MemoryAttribute::tags, MemoryAttribute::embedding}});
  EXPECT_THAT(cleared.update_mask().paths(), ElementsAre("tags", "embedding"));
  EXPECT_EQ(cleared.draft().ByteSizeLong(), 0);
  // The time to live is another way to say when a record expires.
  EXPECT_THAT(updated({.ttl = 1h}).update_mask().paths(), ElementsAre("expire_time"));
  EXPECT_THROW(updated({.expire_time = std::chrono::system_clock::now(), .ttl = 1h}), InvalidArgument);
}

TEST_F(KindsTest, AMethodThatErasesSaysSo) {
  const auto notes = agent.notes();
  EXPECT_FALSE(notes.remove("n"));
  EXPECT_FALSE(daemon.last<v1::DeleteNoteRequest>("/memoryd.v1.NoteService/DeleteNote").erase());
  (void)notes.erase("n", {.condition = ExpectedRevision{2}});
  const auto erased = daemon.last<v1::DeleteNoteRequest>("/memoryd.v1.NoteService/DeleteNote");
  EXPECT_TRUE(erased.erase());
  EXPECT_EQ(erased.precondition().expected_revision(), 2);
  (void)agent.plans().erase_step("s");
  EXPECT_TRUE(daemon.last<v1::RemovePlanStepRequest>("/memoryd.v1.PlanService/RemovePlanStep").erase());
  (void)agent.fragments().clear_and_erase();
  EXPECT_TRUE(daemon.last<v1::ClearFragmentsRequest>("/memoryd.v1.FragmentService/ClearFragments").erase());
}

TEST_F(KindsTest, ConditionsReachTheFilterOfTheRequest) {
  for (const auto& note : agent.notes().list({.all_tags = {"a"},
                          .metadata = {{.path = "turn", .range = MetadataRange{.at_least = 2}}},
                          .any_of = {{.any_tags = {"b"}}, {.plan = PlanCondition{}}},
                          .notebooks = {"work", ""},
                          .order = v1::LIST_ORDER_UPDATE_TIME,
                          .consistency = MinRevision{7},
                          .content = false})) {
    ADD_FAILURE() << note.note_id();
  }
  const auto listed = daemon.last<v1::ListNotesRequest>("/memoryd.v1.NoteService/ListNotes");
  EXPECT_EQ(listed.agent_id(), "a");
  EXPECT_GT(listed.page_size(), 0);
  EXPECT_THAT(listed.filter().all_tags(), ElementsAre("a"));
  EXPECT_EQ(listed.filter().metadata(0).range().at_least().number_value(), 2);
  EXPECT_THAT(listed.filter().any_of(0).any_tags(), ElementsAre("b"));
  EXPECT_TRUE(listed.filter().any_of(1).has_plan());
  EXPECT_THAT(listed.filter().note().notebooks(), ElementsAre("work", ""));
  EXPECT_EQ(listed.order(), v1::LIST_ORDER_UPDATE_TIME);
  EXPECT_EQ(listed.consistency().min_revision(), 7);
  EXPECT_EQ(listed.view(), v1::RECORD_VIEW_WITHOUT_CONTENT);
  EXPECT_THROW((void)agent.notes().list({.none_of = {{.note = NoteCondition{}, .plan = PlanCondition{}}}}),
               InvalidArgument);
}

TEST_F(KindsTest, PartsOfARequestAreStructs) {
  (void)agent.compose(
      {.max_tokens = 100, .sections = {{.text = TextSource{.content = "Be brief."}}, {.notes = NotesSource{}}}});
  const auto composed = daemon.last<v1::ComposeContextRequest>("/memoryd.v1.ContextService/ComposeContext");
  EXPECT_EQ(composed.max_tokens(), 100);
  EXPECT_EQ(composed.sections(0).text().content(), "Be brief.");
  EXPECT_TRUE(composed.sections(1).has_notes());
  (void)agent.conversations().append("c", {{.role = v1::MESSAGE_ROLE_USER, .parts = {{.text = "Hello"}}}});
  const auto appended = daemon.last<v1::AppendMessagesRequest>("/memoryd.v1.ConversationService/AppendMessages");
  EXPECT_EQ(appended.drafts(0).parts(0).text(), "Hello");
  EXPECT_THROW(agent.conversations().append("c", {{.parts = {{.text = "Hello", .file = MessageFile{}}}}}),
               InvalidArgument);
}

TEST_F(KindsTest, AChangeHasARequestId) {
  (void)agent.notes().create("t", "it");
  EXPECT_FALSE(daemon.last<v1::CreateNoteRequest>("/memoryd.v1.NoteService/CreateNote").request_id().empty());
  (void)agent.notes().create("t", "it", {.request_id = "r"});
  EXPECT_EQ(daemon.last<v1::CreateNoteRequest>("/memoryd.v1.NoteService/CreateNote").request_id(), "r");
}

}  // namespace
}  // namespace memoryd
