#include "live/own_daemon.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace memoryd {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::seconds kWaitMax = 60s;

}  // namespace

void OwnDaemonTest::SetUp() {
  if (std::getenv("MEMORYD_TEST_COMMAND") == nullptr) {
    const char* ci = std::getenv("CI");
    if (ci != nullptr && std::string(ci) == "true") {
      FAIL() << "MEMORYD_TEST_COMMAND is not set: this test starts a daemon of its own";
    }
    GTEST_SKIP() << "MEMORYD_TEST_COMMAND is not set: this test starts a daemon of its own";
  }
}

TestDaemon durable_daemon() { return TestDaemon({"--durability", "synced", "--embedder", "none"}); }

ConnectOptions patient() { return {.timeout = kWaitMax, .connect_timeout = kWaitMax}; }

void until(const char* what, const std::function<bool()>& holds) {
  const auto give_up_at = std::chrono::steady_clock::now() + kWaitMax;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > give_up_at) {
      FAIL() << "it does not happen that " << what;
    }
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace memoryd
