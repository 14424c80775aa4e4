#include "memoryd/scope.hpp"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "live/own_daemon.hpp"
#include "live_test.hpp"
#include "memoryd/stub.hpp"

namespace memoryd {
namespace {

class ScopeTest : public LiveTest {
 protected:
  bool is_disposed(const std::string& scope_id) {
    try {
      (void)agent().attach(scope_id).get("any");
      return false;
    } catch (const ScopeDisposed&) {
      return true;
    }
  }

  /// Returns when an active scope is disposed unless it is used. This is no use of it.
  std::optional<std::chrono::system_clock::time_point> expiry_of(const std::string& scope_id) {
    v1::ListScopesRequest request;
    request.set_agent_id(agent().agent_id());
    const Stub<v1::WorkingMemoryService> stub{client()};
    const auto response = stub.call(&v1::WorkingMemoryService::Stub::ListScopes, request);
    for (const auto& scope : response.scopes()) {
      if (scope.scope_id() == scope_id) {
        return time_of(scope.expire_time());
      }
    }
    return std::nullopt;
  }
};

TEST_F(ScopeTest, ShadowsItsParentAndFallsBackToIt) {
  agent().set("user", "Ada");
  agent().set("visits", 3);
  auto scope = agent().scope("task");
  scope.set("user", "Charles");
  EXPECT_EQ(scope.get<std::string>("user"), "Charles");
  EXPECT_EQ(scope.get<int>("visits"), 3);
  EXPECT_EQ(scope.get<int>("visits", Lookup::local_only), std::nullopt);
  EXPECT_EQ(agent().get<std::string>("user"), "Ada");
}

TEST_F(ScopeTest, IsDisposedByItsDestructor) {
  std::string scope_id;
  {
    const auto scope = agent().scope("task");
    scope_id = scope.scope_id();
    EXPECT_FALSE(is_disposed(scope_id));
  }
  EXPECT_TRUE(is_disposed(scope_id));
}

TEST_F(ScopeTest, IsMergedByItsDestructorIfItsOptionsSaySo) {
  {
    auto scope = agent().scope("task", {.merge = Conflict::overwrite});
    scope.set("found", 42);
  }
  EXPECT_EQ(agent().get<int>("found"), 42);
}

TEST_F(ScopeTest, KeepsTheParentsValuesIfItsOptionsSaySo) {
  agent().set("found", 1);
  {
    auto scope = agent().scope("task", {.merge = Conflict::keep_parent});
    scope.set("found", 42);
  }
  EXPECT_EQ(agent().get<int>("found"), 1);
}

TEST_F(ScopeTest, IsNotMergedWhenAnExceptionEndsIt) {
  std::string scope_id;
  try {
    auto scope = agent().scope("task", {.merge = Conflict::overwrite});
    scope_id = scope.scope_id();
    scope.set("half", true);
    throw std::runtime_error("the task failed");
  } catch (const std::runtime_error&) {
    EXPECT_TRUE(is_disposed(scope_id));
  }
  EXPECT_FALSE(agent().contains("half"));
}

TEST_F(ScopeTest, IsMergedWhenItEndsWellWhileAnOlderExceptionIsInFlight) {
  struct Cleanup {
    Agent& agent;
    ~Cleanup() {
      auto scope = agent.scope("cleanup", {.merge = Conflict::overwrite});
      scope.set("cleaned", true);
    }
  };
  try {
    const Cleanup cleanup{agent()};
    throw std::runtime_error("the task failed");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(agent().get<bool>("cleaned"), true);
  }
}

TEST_F(ScopeTest, MayBeClosedMoreThanOnce) {
  auto scope = agent().scope("task");
  scope.close();
  scope.close();
  EXPECT_THROW(scope.set("key", 1), ScopeDisposed);
}

TEST_F(ScopeTest, MayBeClosedAfterAnotherClientHasEndedIt) {
  auto scope = agent().scope("task");
  agent().attach(scope.scope_id()).close();
  EXPECT_NO_THROW(scope.close());
}

TEST_F(ScopeTest, ThrowsFromCloseIfAMergeFails) {
  auto scope = agent().scope("task", {.merge = Conflict::overwrite});
  agent().attach(scope.scope_id()).close();
  EXPECT_THROW(scope.close(), ScopeDisposed);
}

TEST_F(ScopeTest, IsDisposedByAMerge) {
  auto scope = agent().scope("task");
  scope.set("a", 1);
  EXPECT_EQ(scope.merge(), 1);
  EXPECT_TRUE(agent().contains("a"));
  EXPECT_TRUE(is_disposed(scope.scope_id()));
  EXPECT_NO_THROW(scope.close());
}

TEST_F(ScopeTest, ContinuesToExistAfterAMergeThatKeepsIt) {
  auto scope = agent().scope("task");
  scope.set("a", 1);
  EXPECT_EQ(scope.merge_and_keep(), 1);
  scope.set("b", 2);
  EXPECT_TRUE(agent().contains("a"));
  EXPECT_FALSE(agent().contains("b"));
}

TEST_F(ScopeTest, OutlivesItsObjectIfItIsReleased) {
  const auto scope_id = agent().scope("task").release();
  EXPECT_FALSE(is_disposed(scope_id));
  agent().attach(scope_id).close();
  EXPECT_TRUE(is_disposed(scope_id));
}

TEST_F(ScopeTest, EndsOnceWhenItIsMoved) {
  auto first = agent().scope("first");
  const auto first_id = first.scope_id();
  auto second = std::move(first);
  EXPECT_FALSE(is_disposed(first_id));
  second = agent().scope("second");
  EXPECT_TRUE(is_disposed(first_id));
  EXPECT_FALSE(is_disposed(second.scope_id()));
}

TEST_F(ScopeTest, IsRefusedIfItsNameMustNotExist) {
  const auto scope = agent().scope("task", {.condition = MustNotExist{}});
  EXPECT_THROW((void)agent().scope("task", {.condition = MustNotExist{}}), RecordExists);
}

TEST_F(ScopeTest, IsRefusedIfItsNameMustExist) {
  EXPECT_THROW((void)agent().scope("task", {.condition = MustExist{}}), RecordNotFound);
  const auto scope = agent().scope("task", {.condition = ExpectedRevision{0}});
  EXPECT_THROW((void)agent().scope("task", {.condition = ExpectedRevision{0}}), RevisionMismatch);
  EXPECT_NO_THROW((void)agent().scope("task", {.condition = MustExist{}}));
}

TEST_F(ScopeTest, RemainsIfTheConditionOnTheAgentIsNotMet) {
  auto scope = agent().scope("task");
  const auto revision = scope.set("key", 1).revision();
  EXPECT_THROW(scope.merge(Conflict::overwrite, ExpectedRevision{99}), RevisionMismatch);
  EXPECT_THROW(scope.close(ExpectedRevision{99}), RevisionMismatch);
  EXPECT_FALSE(is_disposed(scope.scope_id()));
  EXPECT_FALSE(agent().contains("key"));
  EXPECT_EQ(scope.merge(Conflict::overwrite, ExpectedRevision{revision}), 1);
  scope.close(MustExist{});
  EXPECT_TRUE(is_disposed(scope.scope_id()));
}

TEST_F(ScopeTest, RemainsIfTheConditionOfItsMergeIsNotMet) {
  auto scope = agent().scope("task", {.merge = Conflict::overwrite});
  scope.set("key", 1);
  EXPECT_THROW(scope.close(ExpectedRevision{99}), RevisionMismatch);
  EXPECT_FALSE(is_disposed(scope.scope_id()));
  scope.close(MustExist{});
  EXPECT_TRUE(agent().contains("key"));
}

TEST_F(ScopeTest, IsUsedForAsLongAsItsObjectExists) {
  auto scope = agent().scope("task", {.idle_ttl = std::chrono::seconds(2)});
  const auto first = expiry_of(scope.scope_id());
  ASSERT_TRUE(first);
  until("the scope is used", [&] { return expiry_of(scope.scope_id()) != first; });
  EXPECT_GT(expiry_of(scope.scope_id()), first);
}

TEST_F(ScopeTest, HasTheUserItIsAbout) {
  auto scope = agent().scope("task", {.user_id = "ann"});
  scope.set("key", 1);
  v1::GetScopeRequest request;
  request.set_agent_id(agent().agent_id());
  request.set_scope_id(scope.scope_id());
  const Stub<v1::WorkingMemoryService> stub{Client()};
  const auto response = stub.call(&v1::WorkingMemoryService::Stub::GetScope, request);
  EXPECT_EQ(response.scope().user_id(), "ann");
  EXPECT_EQ(response.scope().entry_count(), 1);
  EXPECT_EQ(response.scope().revision(), 1);
}

TEST_F(ScopeTest, IsClosedWithoutAnErrorAfterTheEndOfItsAgent) {
  auto scope = agent().scope("task");
  agent().end();
  EXPECT_NO_THROW(scope.close());
}

TEST_F(ScopeTest, IsNestedInAnother) {
  auto outer = agent().scope("outer");
  {
    auto inner = outer.scope("inner", {.merge = Conflict::overwrite});
    inner.set("found", 42);
  }
  EXPECT_EQ(outer.get<int>("found", Lookup::local_only), 42);
  EXPECT_FALSE(agent().contains("found"));
}

}  // namespace
}  // namespace memoryd
