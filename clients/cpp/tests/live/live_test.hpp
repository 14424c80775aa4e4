#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "memoryd/memoryd.hpp"

namespace memoryd {

/// A test with the daemon at MEMORYD_ADDRESS and an agent of its own.
class LiveTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  Client& client() { return *client_; }
  Agent& agent() { return *agent_; }

 private:
  std::optional<Client> client_;
  std::optional<Agent> agent_;
};

/// Returns an address where no daemon listens.
[[nodiscard]] std::string deserted_address();

}  // namespace memoryd
