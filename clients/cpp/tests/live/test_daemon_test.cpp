#include "memoryd/test_daemon.hpp"

#include <gmock/gmock.h>
#include <memoryd/v1/agent_service.grpc.pb.h>

#include <cstdlib>
#include <string>

#include "live/own_daemon.hpp"
#include "memoryd/error.hpp"
#include "memoryd/stub.hpp"

namespace memoryd {
namespace {

using testing::HasSubstr;

int agent_count(const Client& client) {
  const Stub<v1::AgentService> agents(client);
  return agents.call(&v1::AgentService::Stub::ListAgents, v1::ListAgentsRequest()).agents_size();
}

/// Sets a variable of the environment until the end of the object.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

class TestDaemonTest : public OwnDaemonTest {
 protected:
  const std::vector<std::string> light_{"--embedder", "none"};
};

TEST_F(TestDaemonTest, GivesEachTestAnAgentOfItsOwn) {
  // The daemon takes no settings from the environment.
  const Variable small("MEMORYD_LIMIT_ENTRY_BYTES", "1");
  TestDaemon daemon(light_);
  auto first = daemon.agent();
  first.set("mood", "curious");
  EXPECT_FALSE(daemon.agent().contains("mood"));
  EXPECT_THAT(daemon.log(), HasSubstr("serving"));
}

TEST_F(TestDaemonTest, IsGivenFurtherFlags) {
  auto flags = light_;
  flags.insert(flags.end(), {"--limit-entry-bytes", "100"});
  TestDaemon daemon(flags);
  EXPECT_THROW(daemon.agent().set("k", std::string(200, 'x')), TooLarge);
}

TEST_F(TestDaemonTest, EndsWithItsObject) {
  std::string address;
  {
    const TestDaemon daemon(light_);
    address = daemon.address();
  }
  const Client client({.target = address, .connect_timeout = std::chrono::milliseconds(100)});
  EXPECT_THROW(client.agent("a").set("k", 1), Unavailable);
}

TEST_F(TestDaemonTest, ReportsWhatADaemonLoggedThatDoesNotStart) {
  try {
    const TestDaemon daemon({"--nonsense"});
    FAIL() << "it has started";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("--nonsense"));
  }
}

TEST_F(TestDaemonTest, ErasesItsAgentsFromADaemonOfOthers) {
  const TestDaemon owned(light_);
  {
    const Variable shared("MEMORYD_TEST_ADDRESS", owned.address());
    TestDaemon daemon;
    daemon.agent().set("k", 1);
    EXPECT_EQ(agent_count(owned.client()), 1);
    EXPECT_THROW(daemon.kill(), std::logic_error);
  }
  EXPECT_EQ(agent_count(owned.client()), 0);
}

}  // namespace
}  // namespace memoryd
