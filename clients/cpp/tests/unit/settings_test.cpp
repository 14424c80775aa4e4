#include "settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

std::string nothing(const char* /*name*/) { return ""; }

std::string something(const char* name) {
  return name == std::string_view("MEMORYD_ADDRESS") ? "unix:/environment" : "secret";
}

std::string target_of(const std::string& target, const Environment& environment = nothing) {
  return settings_of({.target = target}, environment).target;
}

TEST(Target, IsTheArgumentElseTheEnvironmentElseTheDefault) {
  EXPECT_EQ(target_of("localhost:1", something), "localhost:1");
  EXPECT_EQ(target_of("", something), "unix:/environment");
  EXPECT_EQ(target_of("", nothing), "127.0.0.1:7600");
}

TEST(Target, IsAHostAndAPortOrASocket) {
  EXPECT_EQ(target_of("[::1]:7600"), "[::1]:7600");
  EXPECT_EQ(target_of("unix:/run/memoryd.sock"), "unix:/run/memoryd.sock");
  for (const auto* bad : {"localhost", ":7600", "localhost:", "localhost:0", "localhost:65536", "localhost:port",
                          "::1:7600", "http://localhost:7600", "localhost:+1", "unix:", "unix://"}) {
    EXPECT_THROW((void)target_of(bad), InvalidTarget) << bad;
  }
}

TEST(Token, IsTheArgumentElseTheEnvironmentElseNone) {
  EXPECT_THAT(settings_of({.token = "mine"}, something).metadata,
              UnorderedElementsAre(Pair("authorization", "Bearer mine")));
  EXPECT_THAT(settings_of({}, something).metadata, UnorderedElementsAre(Pair("authorization", "Bearer secret")));
  EXPECT_TRUE(settings_of({}, nothing).metadata.empty());
}

TEST(Token, IsSentToAnotherMachineOnlyByTlsOrOnRequest) {
  for (const std::string target : {"memory.example:1", "10.0.0.1:1", "[::2]:1", "127.0.0.1.example:1", "0.0.0.0:1"}) {
    try {
      (void)settings_of({.target = target, .token = "secret"}, nothing);
      ADD_FAILURE() << target;
    } catch (const InvalidTarget& refused) {
      EXPECT_EQ(std::string(refused.what()),
                "the token would be sent to " + target + " in the clear: use TLS, or allow it by insecure_token");
    }
    EXPECT_FALSE(settings_of({.target = target, .token = "secret", .tls = Tls{}}, nothing).metadata.empty());
    EXPECT_FALSE(settings_of({.target = target, .token = "secret", .insecure_token = true}, nothing).metadata.empty());
    EXPECT_TRUE(settings_of({.target = target}, nothing).metadata.empty());
  }
}

TEST(Token, MayBeSentWithinThisMachine) {
  for (const auto* target :
       {"127.0.0.1:1", "127.8.8.8:1", "localhost:1", "LOCALHOST:1", "[::1]:1", "unix:/run/m.sock"}) {
    EXPECT_FALSE(settings_of({.target = target, .token = "secret"}, nothing).metadata.empty()) << target;
  }
}

TEST(Origin, IsSentWithEveryCall) {
  EXPECT_THAT(settings_of({.origin = "planner"}, nothing).metadata,
              UnorderedElementsAre(Pair("memoryd-origin", "planner")));
}

TEST(Headers, AreRefusedIfHttpDoesNotAllowThem) {
  EXPECT_THROW((void)settings_of({.origin = "caf\xc3\xa9"}, nothing), InvalidTarget);
  EXPECT_THROW((void)settings_of({.token = "a\nb"}, nothing), InvalidTarget);
}

TEST(TlsFiles, AreRefusedIfTheyCannotBeUsed) {
  EXPECT_THROW((void)settings_of({.tls = Tls{.ca_file = "/nowhere/ca.pem"}}, nothing), InvalidTarget);
  EXPECT_THROW((void)settings_of({.tls = Tls{.cert_file = "/nowhere/cert.pem"}}, nothing), InvalidTarget);
  EXPECT_THROW((void)settings_of({.tls = Tls{.ca_file = std::filesystem::temp_directory_path()}}, nothing),
               InvalidTarget);
}

}  // namespace
}  // namespace memoryd::detail
