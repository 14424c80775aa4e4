#include "memoryd/record_counts.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace memoryd {
namespace {

TEST(RecordCountsTest, HasTheNumbersByKind) {
  google::protobuf::RepeatedPtrField<v1::RecordCount> counts;
  for (const auto& [kind, number] : {std::pair(v1::RECORD_KIND_ENTRY, 3), std::pair(v1::RECORD_KIND_NOTE, 1)}) {
    auto* count = counts.Add();
    count->set_kind(kind);
    count->set_count(number);
  }
  EXPECT_EQ(counts_by_kind(counts), (RecordCounts{{v1::RECORD_KIND_ENTRY, 3}, {v1::RECORD_KIND_NOTE, 1}}));
}

}  // namespace
}  // namespace memoryd
