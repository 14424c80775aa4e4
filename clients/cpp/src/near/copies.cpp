#include "near/copies.hpp"

#include <memoryd/v1/snapshot_service.pb.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "near/copy.hpp"
#include "repeatable.hpp"

namespace memoryd::detail {
namespace {

using google::protobuf::Message;

constexpr std::chrono::seconds kSeenMax(1);

/// Returns the id of the agent that a request changes; empty if it changes none, or all.
std::string changed_agent(const Message& request) {
  const auto& descriptor = *request.GetDescriptor();
  const auto& reflection = *request.GetReflection();
  const auto* dry_run = descriptor.FindFieldByName("dry_run");
  if (dry_run != nullptr && reflection.GetBool(request, dry_run)) {
    return {};
  }
  for (const auto* name : {"as_agent_id", "agent_id"}) {
    if (const auto* field = descriptor.FindFieldByName(name)) {
      if (auto agent_id = reflection.GetString(request, field); !agent_id.empty()) {
        return agent_id;
      }
    }
  }
  return {};
}

std::int64_t revision_of(const Message& response) {
  const auto* field = response.GetDescriptor()->FindFieldByName("revision");
  return field == nullptr ? 0 : response.GetReflection()->GetInt64(response, field);
}

}  // namespace

NearWrite::NearWrite(const NearCopies& copies, Concerned concerned)
    : copies_(&copies), concerned_(std::move(concerned)) {
  for (auto& copy : copies.of(concerned_)) {
    const auto reached = copy->reached();
    before_.emplace_back(std::move(copy), reached);
  }
}

void NearWrite::end(const Message& response, Clock::time_point until, const std::stop_token& stop) const {
  const auto copies = copies_->of(concerned_);
  if (copies.empty()) {
    return;
  }
  if (concerned_.of_every_agent) {
    for (const auto& copy : copies) {
      // A proof, or another load, shows that it has the change.
      copy->owe({.revision = std::numeric_limits<std::int64_t>::max()});
    }
    return;
  }
  const auto revision = revision_of(response);
  if (revision == 0) {
    return;
  }
  const auto seen_by = std::min(until, Clock::now() + kSeenMax);
  for (const auto& copy : copies) {
    const auto known = std::ranges::find(before_, copy, [](const auto& each) { return each.first; });
    copy->see(Mark::of(revision, known == before_.end() ? Mark{} : known->second), seen_by, stop);
  }
}

void NearCopies::enter(std::shared_ptr<NearCopy> copy) {
  const std::lock_guard lock(mutex_);
  ++count_;
  auto& copies = by_agent_[copy->agent_id()];
  copies.push_back(std::move(copy));
}

void NearCopies::exit(const NearCopy& copy) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = by_agent_.find(copy.agent_id());
  if (found == by_agent_.end()) {
    return;
  }
  count_ -= std::erase_if(found->second, [&](const auto& each) { return each.get() == &copy; });
  if (found->second.empty()) {
    by_agent_.erase(found);
  }
}

NearWrite NearCopies::begin(const Message& request) const {
  if (reads_only(*request.GetDescriptor())) {
    return {*this, {}};
  }
  auto agent_id = changed_agent(request);
  const auto* restore = dynamic_cast<const v1::RestoreSnapshotRequest*>(&request);
  const bool of_every_agent = agent_id.empty() && restore != nullptr && !restore->dry_run();
  return {*this, {.agent_id = std::move(agent_id), .of_every_agent = of_every_agent}};
}

std::vector<std::shared_ptr<NearCopy>> NearCopies::of(const Concerned& concerned) const {
  std::vector<std::shared_ptr<NearCopy>> copies;
  if (count_ == 0) {
    return copies;
  }
  const std::shared_lock lock(mutex_);
  const auto [first, last] = concerned.of_every_agent ? std::pair(by_agent_.begin(), by_agent_.end())
                                                      : by_agent_.equal_range(concerned.agent_id);
  for (auto each = first; each != last; ++each) {
    copies.insert(copies.end(), each->second.begin(), each->second.end());
  }
  return copies;
}

}  // namespace memoryd::detail
