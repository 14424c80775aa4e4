#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stop_token>
#include <thread>

#include "live_test.hpp"
#include "memoryd/stub.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;

/// Returns a client of an address where no daemon listens.
Client deserted() { return Client({.target = deserted_address(), .timeout = 30s, .connect_timeout = 300ms}); }

TEST(Connecting, DoesNotCallTheDaemon) { EXPECT_NO_THROW(deserted()); }

TEST(Connecting, ThrowsForAnInvalidTarget) { EXPECT_THROW(Client({.target = "nowhere"}), InvalidTarget); }

TEST(ACall, IsUnavailableAfterTheConnectTimeoutWithoutADaemon) {
  try {
    deserted().agent("agent").set("key", 1);
    FAIL() << "the call succeeded without a daemon";
  } catch (const Unavailable& error) {
    EXPECT_EQ(error.code(), StatusCode::unavailable);
    EXPECT_EQ(error.reason(), "");
  }
}

TEST(AWatch, IsUnavailableAfterTheConnectTimeoutWithoutADaemon) {
  EXPECT_THROW((void)deserted().agent("agent").watch(), Unavailable);
}

TEST(ACall, IsNotRetriedAfterAStop) {
  const Client client({.target = deserted_address(), .connect_timeout = 10s});
  const Stub<v1::ServerService> server(client);
  std::stop_source stop;
  const std::jthread stopping([&stop] { stop.request_stop(); });
  EXPECT_THROW(
      server.call(&v1::ServerService::Stub::GetServerInfo, v1::GetServerInfoRequest(), {.stop = stop.get_token()}),
      Cancelled);
}

class ConnectionTest : public LiveTest {};

TEST_F(ConnectionTest, SetsTheOriginOfEvents) {
  auto watch = agent().watch();
  Client({.origin = "planner"}).agent(agent().agent_id()).set("key", 1);
  EXPECT_EQ(watch.next()->origin(), "planner");
}

TEST_F(ConnectionTest, LivesAsLongAsTheObjectsThatUseIt) {
  auto same_agent = Client().agent(agent().agent_id());
  same_agent.set("key", 1);
  EXPECT_EQ(same_agent.get<int>("key"), 1);
}

TEST_F(ConnectionTest, EndsItsCallsAndWatchesWhenItIsClosed) {
  Client closing;
  auto closing_agent = closing.agent(agent().agent_id());
  auto watch = closing_agent.watch();
  auto listening = std::async(std::launch::async, [&watch] { return watch.next().has_value(); });
  auto waiting = std::async(std::launch::async, [&] {
    return agent().get_or_set("key", [&closing_agent, &closing] {
      // The call around this one holds the reservation: this one waits until the client is closed.
      const std::jthread closer([&closing] { closing.close(); });
      return closing_agent.get_or_set("key", [] { return 2; });
    });
  });
  EXPECT_THROW(waiting.get(), Cancelled);
  EXPECT_FALSE(listening.get());
  EXPECT_THROW(closing_agent.set("key", 1), Cancelled);
  EXPECT_THROW((void)closing_agent.watch(), Cancelled);
}

TEST_F(ConnectionTest, EndsAnAgent) {
  agent().set("key", 1);
  const auto ended = agent().end();
  EXPECT_TRUE(ended.deleted());
  EXPECT_EQ(counts_by_kind(ended.cleared()), (RecordCounts{{v1::RECORD_KIND_ENTRY, 1}}));
  EXPECT_FALSE(agent().contains("key"));
}

TEST_F(ConnectionTest, EndsAnAgentThatDoesNotExistWithoutAnError) {
  const auto ended = agent().end();
  EXPECT_FALSE(ended.deleted());
  EXPECT_TRUE(counts_by_kind(ended.cleared()).empty());
}

}  // namespace
}  // namespace memoryd
