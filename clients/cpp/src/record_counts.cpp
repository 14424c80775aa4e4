#include "memoryd/record_counts.hpp"

namespace memoryd {

RecordCounts counts_by_kind(const google::protobuf::RepeatedPtrField<v1::RecordCount>& counts) {
  RecordCounts by_kind;
  for (const auto& count : counts) {
    by_kind.emplace(count.kind(), count.count());
  }
  return by_kind;
}

}  // namespace memoryd
