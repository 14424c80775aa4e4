#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "memoryd/client.hpp"
#include "memoryd/test_daemon.hpp"

namespace memoryd {

/// A test that starts daemons, by the command in MEMORYD_TEST_COMMAND. Without one it is skipped, or fails in CI.
class OwnDaemonTest : public testing::Test {
 protected:
  void SetUp() override;
};

/// Returns a daemon whose data survive its end.
[[nodiscard]] TestDaemon durable_daemon();

/// Returns options of a client that waits for a daemon that was killed.
[[nodiscard]] ConnectOptions patient();

/// Waits until a condition holds, and fails the test if it takes too long.
void until(const char* what, const std::function<bool()>& holds);

}  // namespace memoryd
