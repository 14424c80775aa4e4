#include "memoryd/transaction.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>

#include "collected.hpp"
#include "memoryd/memoryd.hpp"

namespace memoryd {
namespace {

Agent agent() { return Client({.target = "127.0.0.1:1"}).agent("agent"); }

v1::CommitRequest of(std::initializer_list<v1::Write> writes) {
  v1::CommitRequest request;
  for (const auto& write : writes) {
    *request.add_writes() = write;
  }
  return request;
}

TEST(TransactionTest, HasTheOptionsInItsRequest) {
  const auto request = detail::commit_request("agent", {.condition = ExpectedRevision{7}, .request_id = "r"});
  EXPECT_EQ(request.agent_id(), "agent");
  EXPECT_EQ(request.request_id(), "r");
  EXPECT_EQ(request.agent_precondition().expected_revision(), 7);
}

TEST(TransactionTest, HasARequestIdOfItsOwn) {
  const auto one = detail::commit_request("agent", {});
  const auto other = detail::commit_request("agent", {});
  EXPECT_EQ(one.request_id().size(), 32U);
  EXPECT_NE(one.request_id(), other.request_id());
  EXPECT_FALSE(one.has_agent_precondition());
}

TEST(TransactionTest, CountsItsChanges) {
  auto tx = agent().transaction();
  EXPECT_TRUE(tx.empty());
  EXPECT_EQ(tx.set("a", 1).index(), 0U);
  EXPECT_EQ(tx.set("b", Json("[ 2 ]")).index(), 1U);
  EXPECT_EQ(tx.attach("scope").dispose().index(), 2U);
  EXPECT_EQ(tx.size(), 3U);
}

TEST(TransactionTest, IsNotSentIfItIsEmpty) {
  const auto tx = agent().transaction({.condition = MustExist{}});
  EXPECT_EQ(tx.commit().revision(), 0);
}

TEST(TransactionTest, RefusesAValueThatJsonCannotRepresent) {
  auto tx = agent().transaction();
  EXPECT_THROW(tx.set("k", std::numeric_limits<double>::quiet_NaN()), UnsupportedValue);
  EXPECT_TRUE(tx.empty());
}

TEST(TransactionTest, HasNoResultForAChangeThatIsNotOfTheCommit) {
  auto tx = agent().transaction();
  const auto done = tx.commit();
  const auto late = tx.clear();
  const auto foreign = agent().transaction().clear();
  EXPECT_THROW((void)done.get(late), std::invalid_argument);
  EXPECT_THROW((void)done.get(foreign), std::invalid_argument);
}

TEST(TransactionTest, HasTheResultsOfItsWrites) {
  v1::Write removal;
  removal.mutable_remove_entry();
  v1::CommitResponse response;
  EXPECT_THROW(detail::check_results(of({removal}), response), InternalError) << "none";
  response.add_results()->mutable_clear_entries();
  EXPECT_THROW(detail::check_results(of({removal}), response), InternalError) << "that of another method";
  response.mutable_results(0)->mutable_remove_entry();
  EXPECT_NO_THROW(detail::check_results(of({removal}), response));
}

TEST(TransactionTest, NamesTheRefusedChangeInItsError) {
  EXPECT_EQ(RecordExists({.metadata = {{"write_index", "3"}}}).write_index(), 3U);
  EXPECT_EQ(RecordExists(Failure{}).write_index(), std::nullopt);
}

}  // namespace
}  // namespace memoryd
