#include <gtest/gtest.h>
#include <memoryd/v1/server_service.pb.h>
#include <memoryd/v1/snapshot_service.pb.h>
#include <memoryd/v1/working_memory_service.pb.h>

#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "connection.hpp"
#include "memoryd/error.hpp"
#include "near/copies.hpp"
#include "near/copy.hpp"
#include "unit/mirror_events.hpp"

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

/// A near cache of the agent "a" at revision 5, without threads, that serves stale reads.
class NearCopiesTest : public testing::Test {
 protected:
  explicit NearCopiesTest(WhenStale when_stale = WhenStale::serve)
      : connection_(std::make_shared<Connection>(settings_of({.target = "127.0.0.1:1"}))),
        copy_(std::make_shared<NearCopy>(Place{.connection = connection_, .agent_id = "a"},
                                         NearCacheOptions{.max_staleness = std::nullopt, .when_stale = when_stale})) {
    copy_->replace(mirror_at(5), Clock::now());
    copies_.enter(copy_);
  }

  static Mirror mirror_at(std::int64_t revision) {
    Mirror mirror(std::numeric_limits<std::int64_t>::max());
    mirror.apply(message_at(revision, {entry_set("", "k", "1")}));
    return mirror;
  }

  static v1::SetEntryRequest set_of(const std::string& agent_id) {
    v1::SetEntryRequest request;
    request.set_agent_id(agent_id);
    return request;
  }

  static v1::SetEntryResponse stored_at(std::int64_t revision) {
    v1::SetEntryResponse response;
    response.set_revision(revision);
    return response;
  }

  /// Ends a write that does not wait.
  static void end(const NearWrite& write, const google::protobuf::Message& response) {
    write.end(response, Clock::now(), {});
  }

  [[nodiscard]] bool serves() const {
    return copy_->read([](const Mirror&) { return std::optional(true); }).has_value();
  }

  std::shared_ptr<Connection> connection_;
  std::shared_ptr<NearCopy> copy_;
  NearCopies copies_;
};

class RefusingNearCopyTest : public NearCopiesTest {
 protected:
  RefusingNearCopyTest() : NearCopiesTest(WhenStale::refuse) {}
};

TEST_F(NearCopiesTest, WaitUntilTheyHaveAWrite) {
  const auto write = copies_.begin(set_of("a"));
  auto ended = std::async(std::launch::async, [&] { write.end(stored_at(6), Clock::time_point::max(), {}); });
  copy_->apply(message_at(6, {}, WatchPhase::live));
  ended.get();
  EXPECT_TRUE(serves());
  EXPECT_EQ(copy_->revision(), 6);
}

TEST_F(NearCopiesTest, AreConcernedByAWriteThatBeganBeforeThem) {
  copies_.exit(*copy_);
  const auto write = copies_.begin(set_of("a"));
  copies_.enter(copy_);
  end(write, stored_at(5));
  EXPECT_TRUE(serves());
  end(write, stored_at(6));
  EXPECT_FALSE(serves());
}

TEST_F(NearCopiesTest, AskTheDaemonWhileTheyOweAWrite) {
  end(copies_.begin(set_of("a")), stored_at(7));
  end(copies_.begin(set_of("a")), stored_at(6));
  for (const std::int64_t revision : {5, 6, 7}) {
    copy_->apply(message_at(revision, {}, WatchPhase::live));
    EXPECT_EQ(serves(), revision == 7) << revision;
  }
}

TEST_F(NearCopiesTest, AreNotConcernedByOtherCalls) {
  end(copies_.begin(set_of("b")), stored_at(9));
  v1::GetEntryRequest get;
  get.set_agent_id("a");
  end(copies_.begin(get), stored_at(9));
  end(copies_.begin(v1::GetServerInfoRequest()), stored_at(9));
  end(copies_.begin(set_of("a")), stored_at(0));
  EXPECT_TRUE(serves());
  copies_.exit(*copy_);
  end(copies_.begin(set_of("a")), stored_at(9));
  EXPECT_TRUE(serves());
}

TEST_F(NearCopiesTest, AreConcernedByARestoreOfTheirAgentOrAll) {
  struct Case {
    const char* agent_id;
    const char* as_agent_id;
    bool dry_run;
    std::int64_t revision;
    bool concerns;
  };
  for (const auto& each : {Case{"", "", false, 0, true}, Case{"", "", true, 0, false}, Case{"a", "", true, 9, false},
                           Case{"a", "", false, 9, true}, Case{"b", "", false, 9, false},
                           Case{"b", "a", false, 9, true}, Case{"a", "b", false, 9, false}}) {
    v1::RestoreSnapshotRequest request;
    request.set_agent_id(each.agent_id);
    request.set_as_agent_id(each.as_agent_id);
    request.set_dry_run(each.dry_run);
    v1::RestoreSnapshotResponse response;
    response.set_revision(each.revision);
    end(copies_.begin(request), response);
    EXPECT_EQ(serves(), !each.concerns) << each.agent_id << " as " << each.as_agent_id << each.dry_run;
    copy_->proved(Clock::now() + 1h);
    EXPECT_TRUE(serves());
  }
}

TEST_F(NearCopiesTest, OweAWriteAtALowerRevisionUntilAProof) {
  // A request was repeated, whose first response is returned again.
  copies_.begin(set_of("a")).end(stored_at(3), Clock::time_point::max(), {});
  EXPECT_FALSE(serves());
  EXPECT_TRUE(copy_->before_proof());
  copy_->proved(Clock::now() + 1h);
  EXPECT_TRUE(serves());
}

TEST_F(NearCopiesTest, OweAWriteAtALowerRevisionUntilAnotherLoad) {
  // The store is another one.
  copies_.begin(set_of("a")).end(stored_at(3), Clock::time_point::max(), {});
  EXPECT_FALSE(serves());
  copy_->replace(mirror_at(3), Clock::now() - 1h);
  EXPECT_TRUE(serves());
}

TEST_F(NearCopiesTest, DoNotWaitOnceTheyHaveFailed) {
  copy_->fail(std::make_exception_ptr(PermissionDenied(Failure{})));
  copies_.begin(set_of("a")).end(stored_at(6), Clock::time_point::max(), {});
  EXPECT_FALSE(serves());
}

TEST_F(NearCopiesTest, ForgetTheirRecordsWhenTheyAreFull) {
  copy_->fail(std::make_exception_ptr(CacheFull(Failure{})));
  EXPECT_FALSE(serves());
  EXPECT_EQ(copy_->size_bytes(), 0);
}

TEST_F(RefusingNearCopyTest, ThrowsWhyItFailed) {
  copy_->fail(std::make_exception_ptr(PermissionDenied({.message = "not this agent"})));
  end(copies_.begin(set_of("a")), stored_at(6));
  try {
    (void)serves();
    FAIL() << "it serves reads";
  } catch (const StaleRead& error) {
    EXPECT_NE(std::string(error.what()).find("not this agent"), std::string::npos);
  }
}

TEST_F(NearCopiesTest, RefuseOptionsThatAreNotAllowed) {
  const Place place{.connection = connection_, .agent_id = "a"};
  EXPECT_THROW(NearCopy(place, {.max_staleness = 10ms}), InvalidArgument);
  EXPECT_THROW(NearCopy(place, {.max_bytes = 0}), InvalidArgument);
}

}  // namespace
}  // namespace memoryd::detail
