#include "fields.hpp"

#include <gmock/gmock.h>
#include <memoryd/v1/conversation.pb.h>
#include <memoryd/v1/fragment.pb.h>
#include <memoryd/v1/long_term_memory_service.pb.h>
#include <memoryd/v1/record_filter.pb.h>

#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(FieldsTest, AreSetByTheirPaths) {
  v1::CreateMemoryRequest request;
  Fields fields(request);
  fields.put("draft.content", std::string_view("it"));
  fields.put("draft.tags", std::vector<std::string>{"a", "b"});
  fields.put("draft.importance", std::optional(0.0));
  fields.put("draft.type", v1::MEMORY_TYPE_EPISODIC);
  fields.put("draft.ttl", std::optional<std::chrono::milliseconds>(1500ms));
  fields.put("draft.allow_duplicates", true);
  fields.put("draft.embedding.vector", std::vector<float>{0.5F, 1});
  fields.put("draft.metadata", nlohmann::json{{"source", "chat"}});
  fields.put("agent_precondition", Condition(ExpectedRevision{3}));
  const auto& draft = request.draft();
  EXPECT_EQ(draft.content(), "it");
  EXPECT_THAT(draft.tags(), ElementsAre("a", "b"));
  EXPECT_TRUE(draft.has_importance());
  EXPECT_EQ(draft.type(), v1::MEMORY_TYPE_EPISODIC);
  EXPECT_EQ(draft.ttl().nanos(), 500'000'000);
  EXPECT_TRUE(draft.allow_duplicates());
  EXPECT_THAT(draft.embedding().vector(), ElementsAre(0.5F, 1));
  EXPECT_EQ(draft.metadata().fields().at("source").string_value(), "chat");
  EXPECT_EQ(request.agent_precondition().expected_revision(), 3);
}

TEST(FieldsTest, AreNotSetToWhatIsNotGiven) {
  v1::RecallMemoriesRequest request;
  Fields fields(request);
  fields.put("query", std::string_view());
  fields.put("filter.all_users", false);
  fields.put("filter.all_tags", std::vector<std::string>());
  fields.put("filter.any_tags", Alternatives<std::string>());
  fields.put("filter.create_start_time", std::optional<std::chrono::system_clock::time_point>());
  fields.put("consistency", Consistency());
  EXPECT_EQ(request.ByteSizeLong(), 0);
}

TEST(FieldsTest, RefuseASelectionOfNone) {
  v1::RecallMemoriesRequest request;
  const std::vector<std::string> none;
  EXPECT_THROW(Fields(request).put("filter.any_tags", Alternatives<std::string>(none)), InvalidArgument);
  Fields(request).put("filter.any_tags", Alternatives<std::string>{""});
  EXPECT_THAT(request.filter().any_tags(), ElementsAre(""));
}

TEST(FieldsTest, RefuseThoseThatExcludeEachOther) {
  v1::MemoryDraft draft;
  Fields(draft).put("ttl", std::optional<std::chrono::milliseconds>(1s));
  const std::optional moment(std::chrono::system_clock::time_point(1h));
  EXPECT_THROW(Fields(draft).put("expire_time", moment), InvalidArgument);
  v1::RecordFilter filter;
  Fields(filter).put("note.min_importance", 0.5);
  EXPECT_THROW(Fields(filter).put("plan.statuses", Alternatives<v1::PlanStatus>{v1::PLAN_STATUS_IN_PROGRESS}),
               InvalidArgument);
  EXPECT_TRUE(filter.has_note());
}

TEST(FieldsTest, HoldAnyJson) {
  v1::MetadataCondition condition;
  Fields(condition).put("equals", std::optional<nlohmann::json>(nullptr));
  EXPECT_EQ(condition.equals().kind_case(), google::protobuf::Value::kNullValue);
  v1::MetadataCondition other;
  Fields(other).put("any_of", std::vector<nlohmann::json>{1, "two"});
  EXPECT_EQ(other.any_of().values(1).string_value(), "two");
  v1::FragmentDraft fragment;
  Fields(fragment).put("sources", std::vector<nlohmann::json>{{{"page", 1}}, {{"page", 2}}});
  EXPECT_EQ(fragment.sources(1).fields().at("page").number_value(), 2);
  v1::MemoryDraft draft;
  EXPECT_THROW(Fields(draft).put("metadata", nlohmann::json(1)), UnsupportedValue);
}

}  // namespace
}  // namespace memoryd::detail
