#include "watch_request.hpp"

#include <gmock/gmock.h>

namespace memoryd {
namespace {

using testing::ElementsAre;

v1::EventFilter of_agent() {
  v1::EventFilter filter;
  filter.add_agent_ids("agent");
  return filter;
}

TEST(WatchRequestTest, CoversAllEventsOfTheAgentByDefault) {
  v1::WatchEventsRequest expected;
  *expected.add_filters() = of_agent();
  const auto request = detail::watch_request(of_agent(), {});
  EXPECT_EQ(request.SerializeAsString(), expected.SerializeAsString());
}

TEST(WatchRequestTest, HasTheSelectionsInItsFilter) {
  const WatchOptions options{.key_prefix = "u",
                             .event_types = {v1::EVENT_TYPE_ENTRY_SET},
                             .kinds = {v1::RECORD_KIND_ENTRY},
                             .causes = {v1::EVENT_CAUSE_REQUEST},
                             .conversation_ids = {"c", ""},
                             .user_ids = {"ann"}};
  const auto request = detail::watch_request(of_agent(), options);
  ASSERT_EQ(request.filters_size(), 1);
  const auto& filter = request.filters(0);
  EXPECT_THAT(filter.agent_ids(), ElementsAre("agent"));
  EXPECT_EQ(filter.key_prefix(), "u");
  EXPECT_THAT(filter.event_types(), ElementsAre(v1::EVENT_TYPE_ENTRY_SET));
  EXPECT_THAT(filter.kinds(), ElementsAre(v1::RECORD_KIND_ENTRY));
  EXPECT_THAT(filter.causes(), ElementsAre(v1::EVENT_CAUSE_REQUEST));
  EXPECT_THAT(filter.record().conversation_ids(), ElementsAre("c", ""));
  EXPECT_THAT(filter.record().user_ids(), ElementsAre("ann"));
}

TEST(WatchRequestTest, AddsTheSelectionsToTheRecordFilter) {
  WatchOptions options{.user_ids = {"ann"}};
  options.filter.add_any_tags("x");
  const auto request = detail::watch_request(of_agent(), options);
  EXPECT_THAT(request.filters(0).record().user_ids(), ElementsAre("ann"));
  EXPECT_THAT(request.filters(0).record().any_tags(), ElementsAre("x"));
}

TEST(WatchRequestTest, RefusesUsersThatAreSelectedTwice) {
  WatchOptions options{.user_ids = {"ann"}};
  options.filter.add_user_ids("bob");
  EXPECT_THROW(static_cast<void>(detail::watch_request(of_agent(), options)), InvalidArgument);
  options.filter.clear_user_ids();
  options.filter.set_all_users(true);
  EXPECT_THROW(static_cast<void>(detail::watch_request(of_agent(), options)), InvalidArgument);
}

TEST(WatchRequestTest, RefusesASelectionOfNone) {
  EXPECT_THROW(static_cast<void>(detail::watch_request(of_agent(), {.kinds = std::vector<v1::RecordKind>()})),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(detail::watch_request(of_agent(), {.user_ids = std::vector<std::string>()})),
               InvalidArgument);
}

TEST(WatchRequestTest, SelectsTheBoundUserUnlessOthersAre) {
  EXPECT_THAT(detail::watch_request(of_agent(), {}, "ada").filters(0).record().user_ids(), ElementsAre("ada"));
  const auto request = detail::watch_request(of_agent(), {.user_ids = {"bob"}}, "ada");
  EXPECT_THAT(request.filters(0).record().user_ids(), ElementsAre("bob"));
}

TEST(WatchRequestTest, SelectsHowMuchEventsContain) {
  const auto request = detail::watch_request(of_agent(), {.content = false, .previous = true});
  EXPECT_EQ(request.view(), v1::RECORD_VIEW_WITHOUT_CONTENT);
  EXPECT_TRUE(request.include_previous());
}

TEST(WatchRequestTest, BeginsWhereTheOptionsSay) {
  EXPECT_EQ(detail::watch_request(of_agent(), {.start = AfterRevision{3}}).after_revision(), 3);
  EXPECT_EQ(detail::watch_request(of_agent(), {.start = ResumeToken{"t"}}).resume_token(), "t");
  EXPECT_TRUE(detail::watch_request(of_agent(), {.start = InitialState{}}).include_initial_state());
}

}  // namespace
}  // namespace memoryd
