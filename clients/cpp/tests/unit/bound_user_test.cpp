#include <gmock/gmock.h>

#include "recording_daemon.hpp"

namespace memoryd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kWorkingMemory = "/memoryd.v1.WorkingMemoryService/";
constexpr auto kLongTerm = "/memoryd.v1.LongTermMemoryService/";

std::string working_memory(const std::string& method) { return kWorkingMemory + method; }
std::string long_term(const std::string& method) { return kLongTerm + method; }

class BoundUserTest : public testing::Test {
 protected:
  v1::BatchForgetMemoriesRequest forgotten(const BatchForgetMemoriesOptions& options) {
    (void)ada.memories().forget_many(options);
    return daemon.last<v1::BatchForgetMemoriesRequest>(long_term("BatchForgetMemories"));
  }

  RecordingDaemon daemon;
  Agent agent = daemon.agent();
  Agent ada = agent.user("ada");
};

TEST_F(BoundUserTest, IsThatOfEntriesAndScopesUnlessAnOptionNamesAnother) {
  const std::vector<std::pair<std::optional<std::string>, std::string>> cases{{{}, "ada"}, {"bob", "bob"}, {"", ""}};
  for (const auto& [named, expected] : cases) {
    const EntryOptions options{.user_id = named};
    ada.set("k", 1, options);
    EXPECT_EQ(daemon.last<v1::SetEntryRequest>(working_memory("SetEntry")).user_id(), expected);
    ada.update(
        "k", 0, [](int value) { return value; }, options);
    const auto updated = daemon.last<v1::SetEntryRequest>(working_memory("SetEntry"));
    EXPECT_EQ(updated.user_id(), expected);
    // The entry that is updated keeps its user, unless the caller names another.
    EXPECT_EQ(updated.update_mask().paths_size(), named ? 1 : 0);
    (void)ada.scope("task", {.user_id = named}).release();
    EXPECT_EQ(daemon.last<v1::CreateScopeRequest>(working_memory("CreateScope")).user_id(), expected);
    Batch batch;
    batch.remove("other");
    batch.set("k", 1, options);
    ada.write(batch);
    const auto written = daemon.last<v1::BatchWriteEntriesRequest>(working_memory("BatchWriteEntries"));
    EXPECT_EQ(written.operations(1).set().user_id(), expected);
    auto tx = ada.transaction();
    tx.set("k", 1, options);
    tx.get_or_set("k", 1, options);
    tx.create_scope("task", named);
    // The empty response is none to these writes.
    EXPECT_THROW((void)tx.commit(), InternalError);
    const auto commit = daemon.last<v1::CommitRequest>("/memoryd.v1.TransactionService/Commit");
    EXPECT_EQ(commit.writes(0).set_entry().user_id(), expected);
    EXPECT_EQ(commit.writes(1).get_or_set_entry().user_id(), expected);
    EXPECT_EQ(commit.writes(2).create_scope().user_id(), expected);
  }
}

TEST_F(BoundUserTest, IsThatOfAnyChangeOfATransactionExceptAnUpdate) {
  auto tx = ada.transaction();
  v1::Write creation;
  creation.mutable_create_note()->mutable_draft()->set_title("t");
  tx.write(creation);
  v1::Write update;
  update.mutable_update_note()->mutable_draft()->set_title("t");
  tx.write(update);
  EXPECT_THROW((void)tx.commit(), InternalError);
  const auto commit = daemon.last<v1::CommitRequest>("/memoryd.v1.TransactionService/Commit");
  EXPECT_EQ(commit.writes(0).create_note().draft().user_id(), "ada");
  EXPECT_EQ(commit.writes(1).update_note().draft().user_id(), "");
}

TEST_F(BoundUserTest, MayBeAnotherForTheNextWriteOfABatch) {
  Batch batch;
  batch.set("k", 1);
  for (const std::string user : {"ada", "bob", ""}) {
    agent.user(user).attach("s").write(batch);
    const auto written = daemon.last<v1::BatchWriteEntriesRequest>(working_memory("BatchWriteEntries"));
    EXPECT_EQ(written.operations(0).set().user_id(), user);
    EXPECT_EQ(written.scope_id(), "s");
  }
}

TEST_F(BoundUserTest, IsSelectedInListingsUnlessOthersAre) {
  const auto users_of = [&](const ListOptions& options) {
    for (const auto& entry : ada.entries(options)) {
      ADD_FAILURE() << entry.key();
    }
    return daemon.last<v1::ListEntriesRequest>(working_memory("ListEntries")).filter();
  };
  EXPECT_THAT(users_of({}).user_ids(), ElementsAre("ada"));
  EXPECT_THAT(users_of({.key_prefix = "k"}).user_ids(), ElementsAre("ada"));
  EXPECT_THAT(users_of({.user_ids = {"bob"}}).user_ids(), ElementsAre("bob"));
  EXPECT_THAT(users_of({.all_users = true}).user_ids(), IsEmpty());
}

TEST_F(BoundUserTest, IsSelectedUnlessNothingElseIsOrTheRecordsAreNamed) {
  EXPECT_FALSE(forgotten({}).has_filter());
  EXPECT_FALSE(forgotten({.all_tags = {}}).has_filter());
  EXPECT_THAT(forgotten({.all_tags = {"t"}}).filter().user_ids(), ElementsAre("ada"));
  EXPECT_THAT(forgotten({.user_ids = {""}}).filter().user_ids(), ElementsAre(""));
  EXPECT_THAT(forgotten({.all_users = true}).filter().user_ids(), IsEmpty());
  EXPECT_FALSE(forgotten({.memory_ids = {"m"}}).has_filter());
  const auto sent = daemon.size();
  EXPECT_THROW(forgotten({.any_tags = std::vector<std::string>()}), InvalidArgument);
  EXPECT_THROW(forgotten({.memory_ids = std::vector<std::string>()}), InvalidArgument);
  EXPECT_THROW(forgotten({.user_ids = {"bob"}, .all_users = true}), InvalidArgument);
  EXPECT_EQ(daemon.size(), sent);
}

TEST_F(BoundUserTest, IsNotSelectedAmongTheRecordsOfWhatACallNames) {
  for (const auto& message : ada.conversations().messages("c", {.roles = {v1::MESSAGE_ROLE_USER}})) {
    ADD_FAILURE() << message.message_id();
  }
  const auto messages = daemon.last<v1::ListMessagesRequest>("/memoryd.v1.ConversationService/ListMessages");
  EXPECT_THAT(messages.filter().user_ids(), IsEmpty());
  EXPECT_THAT(messages.filter().message().roles(), ElementsAre(v1::MESSAGE_ROLE_USER));
  for (const std::string memory : {"m", ""}) {
    for (const auto& link : ada.memories().links({.memory_id = memory})) {
      ADD_FAILURE() << link.from_memory_id();
    }
    const auto links = daemon.last<v1::ListMemoryLinksRequest>(long_term("ListMemoryLinks"));
    EXPECT_EQ(links.filter().user_ids_size(), memory.empty() ? 1 : 0);
  }
}

TEST_F(BoundUserTest, IsWhomRecordsAreAboutUnlessADraftNamesAnother) {
  (void)ada.memories().create_many({{.content = "it"}, {.user_id = "bob", .content = "it"}});
  const auto created = daemon.last<v1::BatchCreateMemoriesRequest>(long_term("BatchCreateMemories"));
  EXPECT_EQ(created.drafts(0).user_id(), "ada");
  EXPECT_EQ(created.drafts(1).user_id(), "bob");
  (void)ada.conversations().create();
  const auto conversation =
      daemon.last<v1::CreateConversationRequest>("/memoryd.v1.ConversationService/CreateConversation");
  EXPECT_EQ(conversation.draft().user_id(), "ada");
  (void)ada.entities().add("c", {{.entity_id = "e"}});
  EXPECT_EQ(daemon.last<v1::AddEntitiesRequest>("/memoryd.v1.EntityService/AddEntities").user_id(), "ada");
}

TEST_F(BoundUserTest, IsSelectedInContexts) {
  (void)ada.compose({.query = "it"});
  const auto composed = daemon.last<v1::ComposeContextRequest>("/memoryd.v1.ContextService/ComposeContext");
  EXPECT_THAT(composed.filter().user_ids(), ElementsAre("ada"));
  (void)agent.compose();
  EXPECT_FALSE(daemon.last<v1::ComposeContextRequest>("/memoryd.v1.ContextService/ComposeContext").has_filter());
}

}  // namespace
}  // namespace memoryd
