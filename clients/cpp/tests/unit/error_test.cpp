#include "memoryd/error.hpp"

#include <gtest/gtest.h>

namespace memoryd {
namespace {

TEST(Error, HasTheDetailsOfItsFailure) {
  const Error error({.message = "no",
                     .code = StatusCode::not_found,
                     .reason = "R",
                     .metadata = {{"a", "1"}},
                     .fields = {{"key", "blank"}},
                     .retry_delay = std::chrono::seconds(2)});
  EXPECT_STREQ(error.what(), "no");
  EXPECT_EQ(error.code(), StatusCode::not_found);
  EXPECT_EQ(error.reason(), "R");
  EXPECT_EQ(error.metadata().at("a"), "1");
  EXPECT_EQ(error.fields().at("key"), "blank");
  EXPECT_EQ(error.retry_delay(), std::chrono::seconds(2));
}

TEST(Error, ReadsNumbersInTheMetadata) {
  const RevisionMismatch mismatch({.metadata = {{"expected_revision", "7"}, {"actual_revision", "0"}}});
  EXPECT_EQ(mismatch.expected_revision(), 7);
  EXPECT_EQ(mismatch.actual_revision(), 0);
  const QuotaExceeded limit({.metadata = {{"limit", "entries_per_agent"}, {"value", "10000"}}});
  EXPECT_EQ(limit.limit(), "entries_per_agent");
  EXPECT_EQ(limit.value(), 10'000);
}

TEST(Error, ReadsTheTimeInTheMetadata) {
  const HistoryCompacted compacted({.metadata = {{"oldest_time", "2023-11-14T22:13:20.000000Z"}}});
  EXPECT_EQ(compacted.oldest_time(), std::chrono::system_clock::from_time_t(1'700'000'000));
  EXPECT_EQ(HistoryCompacted(Failure{}).oldest_time(), std::nullopt);
}

TEST(Error, HasNoNumberIfTheMetadataHasNone) {
  EXPECT_EQ(RecordExists(Failure{}).revision(), std::nullopt);
  EXPECT_EQ(RecordExists({.metadata = {{"revision", "7th"}}}).revision(), std::nullopt);
  EXPECT_EQ(QuotaExceeded(Failure{}).limit(), "");
}

TEST(StatusCode, HasTheNamesOfGrpc) {
  EXPECT_EQ(name(StatusCode::ok), "OK");
  EXPECT_EQ(name(StatusCode::data_loss), "DATA_LOSS");
  EXPECT_EQ(name(StatusCode::unauthenticated), "UNAUTHENTICATED");
  EXPECT_EQ(name(static_cast<StatusCode>(99)), "UNKNOWN");
}

}  // namespace
}  // namespace memoryd
