#include "variables.hpp"

#include <gtest/gtest.h>

namespace conformance {
namespace {

using nlohmann::json;

TEST(Variables, AreReplacedInAllStrings) {
  EXPECT_EQ(replace({{"a", {"${x}-${y}", 1}}}, {{"x", "1"}, {"y", "2"}}), json({{"a", {"1-2", 1}}}));
}

TEST(Variables, ThrowForAnUnknownName) { EXPECT_ANY_THROW((void)replace("${x}", {})); }

TEST(Variables, KeepTheSymbolsOfTheComparison) {
  EXPECT_EQ(replace({"${present}", "${absent}"}, {}), json({"${present}", "${absent}"}));
}

TEST(ValueAt, FollowsNamesAndIndexes) {
  const json value = {{"scopes", {{{"id", "s"}}, {{"id", 7}}}}};
  EXPECT_EQ(value_at(value, "scopes.0.id"), "s");
  EXPECT_EQ(value_at(value, "scopes.1.id"), "7");
  EXPECT_ANY_THROW((void)value_at(value, "scopes.2.id"));
  EXPECT_ANY_THROW((void)value_at(value, "scopes.id"));
}

}  // namespace
}  // namespace conformance
