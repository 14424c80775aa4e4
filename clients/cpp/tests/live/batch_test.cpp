#include "memoryd/batch.hpp"

#include "live_test.hpp"

namespace memoryd {
namespace {

class BatchTest : public LiveTest {};

TEST_F(BatchTest, ChangesManyKeysAtOneRevision) {
  agent().set("old", 1);
  Batch batch;
  batch.set("a", 1);
  batch.set("b", Json("[ 2 ]"));
  batch.remove("old");
  const auto written = agent().write(batch);
  EXPECT_EQ(written.revision(), 2);
  EXPECT_EQ(written.results_size(), 3);
  EXPECT_TRUE(written.results(0).created());
  EXPECT_FALSE(written.results(0).deleted());
  EXPECT_FALSE(written.results(2).created());
  EXPECT_TRUE(written.results(2).deleted());
  EXPECT_EQ(agent().get<Json>("b"), Json("[ 2 ]"));
  EXPECT_FALSE(agent().contains("old"));
}

TEST_F(BatchTest, ChangesNothingIfOneConditionIsNotMet) {
  agent().set("taken", 1);
  Batch batch;
  batch.set("free", 1);
  batch.set("taken", 2, {}, MustNotExist{});
  EXPECT_THROW(agent().write(batch), RecordExists);
  EXPECT_FALSE(agent().contains("free"));
}

TEST_F(BatchTest, RemovesOnlyWhatItsConditionAllows) {
  Batch batch;
  batch.set("free", 1);
  batch.remove("nothing", MustExist{});
  EXPECT_THROW(agent().write(batch), RecordNotFound);
  EXPECT_FALSE(agent().contains("free"));
}

TEST_F(BatchTest, IsNotSentIfItIsEmpty) {
  const Batch batch;
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(agent().write(batch).revision(), 0);
}

}  // namespace
}  // namespace memoryd
