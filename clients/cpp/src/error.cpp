#include "memoryd/error.hpp"

#include <google/protobuf/util/time_util.h>

#include <array>
#include <charconv>
#include <utility>

namespace memoryd {
namespace {

constexpr std::array<std::string_view, 17> kNames = {
    "OK",        "CANCELLED",       "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
    "NOT_FOUND", "ALREADY_EXISTS",  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED",   "OUT_OF_RANGE",    "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED",
};

}  // namespace

std::string_view name(StatusCode code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames[index] : kNames[static_cast<std::size_t>(StatusCode::unknown)];
}

Error::Error(Failure failure)
    : std::runtime_error(failure.message), failure_(std::make_shared<const Failure>(std::move(failure))) {}

std::optional<std::size_t> Error::write_index() const {
  const auto index = number("write_index");
  return index && *index >= 0 ? std::optional(static_cast<std::size_t>(*index)) : std::nullopt;
}

std::string Error::text(const std::string& name) const {
  const auto found = metadata().find(name);
  return found == metadata().end() ? std::string() : found->second;
}

std::optional<std::int64_t> Error::number(const std::string& name) const {
  const auto found = metadata().find(name);
  if (found == metadata().end()) {
    return std::nullopt;
  }
  const auto& text = found->second;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<std::chrono::system_clock::time_point> HistoryCompacted::oldest_time() const {
  google::protobuf::Timestamp oldest;
  if (!google::protobuf::util::TimeUtil::FromString(text("oldest_time"), &oldest)) {
    return std::nullopt;
  }
  using Clock = std::chrono::system_clock;
  const auto since_epoch = std::chrono::seconds(oldest.seconds()) + std::chrono::nanoseconds(oldest.nanos());
  return Clock::time_point(std::chrono::ceil<Clock::duration>(since_epoch));
}

}  // namespace memoryd
