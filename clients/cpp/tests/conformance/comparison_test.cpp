#include "comparison.hpp"

#include <gtest/gtest.h>

namespace conformance {
namespace {

using nlohmann::json;

TEST(Difference, IsNoneIfAllExpectedKeysMatch) {
  EXPECT_EQ(difference({{"a", 1}}, {{"a", 1}, {"b", 2}}), std::nullopt);
}

TEST(Difference, IsDescribedWithItsPath) {
  EXPECT_EQ(difference({{"a", {{"b", true}}}}, {{"a", {{"b", false}}}}), "a.b: expected true, got false");
  EXPECT_EQ(difference({{"a", 1}}, json::object()), "a: expected 1, got nothing");
  EXPECT_EQ(difference({{"a", nullptr}}, json::object()), "a: expected null, got nothing");
}

TEST(Difference, ComparesNumbersByValueAndNothingElse) {
  EXPECT_EQ(difference(0.5, json::parse("5e-1")), std::nullopt);
  EXPECT_EQ(difference(1, json::parse("1.0")), std::nullopt);
  EXPECT_NE(difference("1", 1), std::nullopt);
  EXPECT_NE(difference(1, true), std::nullopt);
}

TEST(Difference, ComparesSequencesItemByItem) {
  EXPECT_EQ(difference({1, 2}, {1, 2}), std::nullopt);
  EXPECT_NE(difference({1, 2}, {1, 2, 3}), std::nullopt);
  EXPECT_NE(difference({1, 2}, {2, 1}), std::nullopt);
}

TEST(Difference, AcceptsPresentValues) {
  EXPECT_EQ(difference({{"a", "${present}"}}, {{"a", "x"}}), std::nullopt);
  for (const json& nothing : {json(nullptr), json(0), json(false), json(""), json("0"), json::array()}) {
    EXPECT_NE(difference({{"a", "${present}"}}, {{"a", nothing}}), std::nullopt) << nothing;
  }
  EXPECT_NE(difference({{"a", "${present}"}}, json::object()), std::nullopt);
}

TEST(Difference, AcceptsAbsentValues) {
  EXPECT_EQ(difference({{"a", "${absent}"}}, json::object()), std::nullopt);
  EXPECT_NE(difference({{"a", "${absent}"}}, {{"a", nullptr}}), std::nullopt);
  EXPECT_NE(difference({{"a", "${absent}"}}, {{"a", ""}}), std::nullopt);
}

}  // namespace
}  // namespace conformance
