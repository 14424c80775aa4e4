#include "memoryd/value.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace memoryd {
namespace {

using nlohmann::json;

struct Point {
  int x = 0;
  int y = 0;
};

// nlohmann::json finds this function by its name.
[[maybe_unused]] void to_json(json& value, const Point& point) { value = {{"x", point.x}, {"y", point.y}}; }
[[maybe_unused]] void from_json(const json& value, Point& point) {
  value.at("x").get_to(point.x);
  value.at("y").get_to(point.y);
}

TEST(Encode, WritesCompactJson) {
  EXPECT_EQ(encode({{"name", "Ada"}, {"likes", {1, true, nullptr}}}), R"({"likes":[1,true,null],"name":"Ada"})");
}

TEST(Encode, KeepsAllDigitsOfIntegers) {
  EXPECT_EQ(encode(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(encode(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(Encode, DoesNotChangeJsonText) { EXPECT_EQ(encode(Json("{ \"b\":1.0 }")), "{ \"b\":1.0 }"); }

TEST(Encode, UsesToJsonOfOtherTypes) { EXPECT_EQ(encode(Point{1, 2}), R"({"x":1,"y":2})"); }

TEST(Encode, RefusesWhatJsonCannotRepresent) {
  EXPECT_THROW((void)encode(std::nan("")), UnsupportedValue);
  EXPECT_THROW((void)encode({1, {{"deep", std::numeric_limits<double>::infinity()}}}), UnsupportedValue);
  EXPECT_THROW((void)encode("\xff"), UnsupportedValue);
  EXPECT_THROW((void)encode(json::binary({1, 2})), UnsupportedValue);
}

TEST(Encode, RefusesValuesThatAreNestedTooDeeply) {
  json nested;
  for (int depth = 0; depth < 2'000; ++depth) {
    nested = json::array({std::move(nested)});
  }
  EXPECT_THROW((void)encode(nested), UnsupportedValue);
}

TEST(Decode, ReadsAnyValue) { EXPECT_EQ(decode("k", "[1, \"a\"]"), (json{1, "a"})); }

TEST(Decode, ReturnsTheRequestedType) {
  EXPECT_EQ(decode<std::string>("k", "\"a\""), "a");
  EXPECT_EQ(decode<std::int64_t>("k", "9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(decode<std::uint64_t>("k", "18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(decode<std::vector<int>>("k", "[1,2]"), (std::vector{1, 2}));
  EXPECT_EQ(decode<Point>("k", R"({"x":1,"y":2})").y, 2);
  EXPECT_EQ(decode<double>("k", "1"), 1.0);
  EXPECT_TRUE(decode<bool>("k", "true"));
}

TEST(Decode, ReturnsJsonTextByteForByte) { EXPECT_EQ(decode<Json>("k", " [ 1.0 ] ").text(), " [ 1.0 ] "); }

TEST(Decode, ThrowsForAnotherType) {
  EXPECT_THROW((void)decode<int>("k", "\"1\""), WrongType);
  EXPECT_THROW((void)decode<int>("k", "true"), WrongType);
  EXPECT_THROW((void)decode<int>("k", "1.5"), WrongType);
  EXPECT_THROW((void)decode<int>("k", "2147483648"), WrongType);
  EXPECT_THROW((void)decode<unsigned>("k", "-1"), WrongType);
  EXPECT_THROW((void)decode<double>("k", "false"), WrongType);
  EXPECT_THROW((void)decode<bool>("k", "1"), WrongType);
  EXPECT_THROW((void)decode<std::string>("k", "null"), WrongType);
  EXPECT_THROW((void)decode<Point>("k", "{}"), WrongType);
}

TEST(Decode, ThrowsForJsonThatTheLibraryCannotParse) {
  EXPECT_THROW((void)decode("k", "1e999"), WrongType);
  EXPECT_THROW((void)decode("k", ""), WrongType);
}

}  // namespace
}  // namespace memoryd
