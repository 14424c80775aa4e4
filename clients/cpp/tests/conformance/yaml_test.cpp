#include "yaml.hpp"

#include <gtest/gtest.h>

namespace conformance {
namespace {

using nlohmann::json;

TEST(Yaml, ReadsPlainScalarsAsJsonDoes) {
  EXPECT_EQ(parse_yaml("[null, true, false, 1, -2.5, 1e2]"), json::parse("[null, true, false, 1, -2.5, 1e2]"));
}

TEST(Yaml, ReadsAllOtherPlainScalarsAsStrings) {
  EXPECT_EQ(parse_yaml("[yes, no, True, ~, Null, NULL, 0x10, 1_000, .5, 0.2s, 1:20, text]"),
            json({"yes", "no", "True", "~", "Null", "NULL", "0x10", "1_000", ".5", "0.2s", "1:20", "text"}));
}

TEST(Yaml, ReadsAnEmptyScalarAsAString) { EXPECT_EQ(parse_yaml("{a: , b: 1}"), json({{"a", ""}, {"b", 1}})); }

TEST(Yaml, ReadsQuotedScalarsAsStrings) {
  EXPECT_EQ(parse_yaml(R"(["1", 'true', "null"])"), json({"1", "true", "null"}));
}

TEST(Yaml, ReadsMappings) { EXPECT_EQ(parse_yaml("a: {b: [1]}"), json({{"a", {{"b", json::array({1})}}}})); }

TEST(Yaml, RefusesTagsAndDuplicateKeys) {
  EXPECT_ANY_THROW((void)parse_yaml("a: !!str 1"));
  EXPECT_ANY_THROW((void)parse_yaml("{a: 1, a: 2}"));
}

TEST(Yaml, RefusesAMissingFile) { EXPECT_ANY_THROW((void)read_yaml("/nowhere.yaml")); }

}  // namespace
}  // namespace conformance
