#include "live_test.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "memoryd/call.hpp"

namespace memoryd {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void LiveTest::SetUp() {
  if (environment("MEMORYD_ADDRESS").empty()) {
    if (environment("CI") == "true") {
      FAIL() << "MEMORYD_ADDRESS is not set: these tests need a daemon";
    }
    GTEST_SKIP() << "MEMORYD_ADDRESS is not set: these tests need a daemon";
  }
  client_.emplace();
  agent_.emplace(client_->agent("cpp-test-" + new_request_id()));
}

void LiveTest::TearDown() {
  if (agent_) {
    agent_->end();
  }
}

std::string deserted_address() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  bind(probe, reinterpret_cast<const sockaddr*>(&address), size);
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
  close(probe);
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

}  // namespace memoryd
