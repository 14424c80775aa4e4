#pragma once

#include <memoryd/v1/record.pb.h>

#include <cstdint>
#include <map>

namespace memoryd {

/// Numbers of records by kind. Kinds without records are absent.
using RecordCounts = std::map<v1::RecordKind, std::int64_t>;

/// Returns numbers of records by kind, such as those that Agent::end() has removed: `counts_by_kind(ended.cleared())`.
[[nodiscard]] RecordCounts counts_by_kind(const google::protobuf::RepeatedPtrField<v1::RecordCount>& counts);

}  // namespace memoryd
