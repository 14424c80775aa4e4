#include "entry_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memoryd/v1/working_memory_service.pb.h>

namespace memoryd {
namespace {

using namespace std::chrono_literals;

v1::SetEntryRequest written(const EntryOptions& options, const std::string& bound_user_id = {}) {
  v1::SetEntryRequest request;
  detail::write_entry(request, "1", options, bound_user_id);
  return request;
}

TEST(EntryOptions, AreNotInTheRequestByDefault) {
  v1::SetEntryRequest bare;
  bare.set_value_json("1");
  EXPECT_EQ(written({}).SerializeAsString(), bare.SerializeAsString());
}

TEST(EntryOptions, AreWrittenIntoTheRequest) {
  const auto request = written({.type_name = "Mood",
                                .entry_type = v1::ENTRY_TYPE_INSIGHT,
                                .importance = 0.0,
                                .tags = {"a", "b"},
                                .metadata = {{"turn", 12}},
                                .user_id = "ann"});
  EXPECT_EQ(request.type_name(), "Mood");
  EXPECT_EQ(request.type(), v1::ENTRY_TYPE_INSIGHT);
  EXPECT_TRUE(request.has_importance());
  EXPECT_THAT(request.tags(), testing::ElementsAre("a", "b"));
  EXPECT_EQ(request.metadata().fields().at("turn").number_value(), 12);
  EXPECT_EQ(request.user_id(), "ann");
}

TEST(EntryOptions, RefuseMetadataThatIsNotAnObject) {
  EXPECT_THROW((void)written({.metadata = "text"}), UnsupportedValue);
}

TEST(Expiry, IsATimeFromNowOrAMoment) {
  const auto brief = written({.expiry = 1500ms});
  EXPECT_EQ(brief.ttl().seconds(), 1);
  EXPECT_EQ(brief.ttl().nanos(), 500'000'000);
  EXPECT_EQ(written({.expiry = std::chrono::days(2)}).ttl().seconds(), 2 * 24 * 3600);
  const std::chrono::system_clock::time_point moment(std::chrono::seconds(1'700'000'000) + 250ms);
  EXPECT_EQ(time_of(written({.expiry = moment}).expire_time()), moment);
}

TEST(EntryOptions, AreTheMaskOfAnUpdateIfTheyAreGivenOrCleared) {
  EXPECT_EQ(detail::mask_of({}).paths_size(), 0);
  const auto mask = detail::mask_of({.importance = 0.0, .cleared = {Attribute::tags, Attribute::expiry}});
  EXPECT_THAT(mask.paths(), testing::ElementsAre("importance", "tags", "expire_time"));
}

TEST(Condition, IsWrittenAsAPrecondition) {
  EXPECT_FALSE(detail::precondition_of({}).has_value());
  EXPECT_TRUE(detail::precondition_of(MustNotExist{})->must_not_exist());
  EXPECT_TRUE(detail::precondition_of(MustExist{})->must_exist());
  EXPECT_EQ(detail::precondition_of(ExpectedRevision{0})->condition_case(), v1::Precondition::kExpectedRevision);
}

TEST(Consistency, IsNotInTheRequestByDefault) {
  v1::GetEntryRequest request;
  detail::write_consistency(request, {});
  EXPECT_FALSE(request.has_consistency());
}

TEST(Consistency, IsARevisionOrAStaleness) {
  v1::GetEntryRequest request;
  detail::write_consistency(request, MinRevision{0});
  EXPECT_EQ(request.consistency().requirement_case(), v1::Consistency::kMinRevision);
  detail::write_consistency(request, MaxStaleness{1500ms});
  EXPECT_EQ(request.consistency().max_staleness().seconds(), 1);
  EXPECT_EQ(request.consistency().max_staleness().nanos(), 500'000'000);
}

}  // namespace
}  // namespace memoryd
