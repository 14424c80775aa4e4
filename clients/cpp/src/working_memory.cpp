#include "memoryd/working_memory.hpp"

#include <google/protobuf/util/time_util.h>

#include <utility>

#include "connection.hpp"
#include "entry_request.hpp"
#include "memoryd/scope.hpp"
#include "selection.hpp"

namespace memoryd {
namespace {

using Service = v1::WorkingMemoryService::Stub;

constexpr int kPageSize = 1'000;
// Each lost race is a write of another caller. After this many in a row the cause is not contention.
constexpr int kRacesMax = 1'000;

template <class Request>
Request request_at(const WorkingMemory& place) {
  Request request;
  request.set_agent_id(place.agent_id());
  request.set_scope_id(place.scope_id());
  return request;
}

template <class Request>
Request request_for(const WorkingMemory& place, std::string_view key) {
  auto request = request_at<Request>(place);
  request.set_key(std::string(key));
  return request;
}

v1::ListEntriesRequest listing_of(const WorkingMemory& place, const ListOptions& options) {
  auto request = request_at<v1::ListEntriesRequest>(place);
  request.set_include_inherited(options.inherited);
  auto& filter = *request.mutable_filter();
  filter = options.filter;
  filter.mutable_all_tags()->Add(options.all_tags.begin(), options.all_tags.end());
  detail::select(*filter.mutable_any_tags(), options.any_tags, "any_tags");
  detail::select_users(filter, options.user_ids, options.all_users);
  if (!options.key_prefix.empty() || !options.entry_types.empty()) {
    if (filter.kind_case() != v1::RecordFilter::KIND_NOT_SET && !filter.has_entry()) {
      throw InvalidArgument({.message = "conditions on entries and on another kind exclude each other"});
    }
    auto& condition = *filter.mutable_entry();
    const std::vector<std::string> prefixes(options.key_prefix.empty() ? 0 : 1, options.key_prefix);
    detail::select(*condition.mutable_key_prefixes(), prefixes, "key_prefix");
    detail::select(*condition.mutable_types(), options.entry_types, "entry_types");
  }
  request.set_order(options.order);
  request.set_view(options.content ? v1::RECORD_VIEW_FULL : v1::RECORD_VIEW_WITHOUT_CONTENT);
  detail::write_consistency(request, options.consistency);
  request.set_page_size(kPageSize);
  return request;
}

}  // namespace

WorkingMemory::WorkingMemory(std::shared_ptr<detail::Connection> connection, std::string agent_id, std::string scope_id)
    : connection_(std::move(connection)), agent_id_(std::move(agent_id)), scope_id_(std::move(scope_id)) {}

std::optional<v1::Entry> WorkingMemory::get_entry(std::string_view key, Lookup lookup,
                                                  const Consistency& consistency) const {
  auto request = request_for<v1::GetEntryRequest>(*this, key);
  request.set_local_only(lookup == Lookup::local_only);
  detail::write_consistency(request, consistency);
  auto response = detail::call(*connection_, connection_->working_memory(), &Service::GetEntry, std::move(request));
  return response.found() ? std::optional(std::move(*response.mutable_entry())) : std::nullopt;
}

std::map<std::string, v1::Entry> WorkingMemory::get_entries(const std::vector<std::string>& keys, Lookup lookup,
                                                            const Consistency& consistency) const {
  auto request = request_at<v1::BatchGetEntriesRequest>(*this);
  request.mutable_keys()->Assign(keys.begin(), keys.end());
  request.set_local_only(lookup == Lookup::local_only);
  detail::write_consistency(request, consistency);
  auto response =
      detail::call(*connection_, connection_->working_memory(), &Service::BatchGetEntries, std::move(request));
  std::map<std::string, v1::Entry> entries;
  for (auto& entry : *response.mutable_entries()) {
    const std::string key = entry.key();
    entries.emplace(key, std::move(entry));
  }
  return entries;
}

Entries WorkingMemory::entries(const ListOptions& options) const {
  const auto listing = listing_of(*this, options);
  return Entries([connection = connection_, listing](const std::string& page_token) {
    auto request = listing;
    request.set_page_token(page_token);
    return detail::call(*connection, connection->working_memory(), &Service::ListEntries, std::move(request));
  });
}

bool WorkingMemory::contains(std::string_view key, Lookup lookup, const Consistency& consistency) const {
  auto request = request_for<v1::ContainsEntryRequest>(*this, key);
  request.set_local_only(lookup == Lookup::local_only);
  detail::write_consistency(request, consistency);
  return detail::call(*connection_, connection_->working_memory(), &Service::ContainsEntry, std::move(request)).found();
}

bool WorkingMemory::remove(std::string_view key, const Condition& condition) {
  auto request = request_for<v1::RemoveEntryRequest>(*this, key);
  detail::write_condition(request, condition);
  return detail::call(*connection_, connection_->working_memory(), &Service::RemoveEntry, std::move(request)).deleted();
}

std::int64_t WorkingMemory::clear(const Condition& condition) {
  auto request = request_at<v1::ClearEntriesRequest>(*this);
  detail::write_agent_condition(request, condition);
  return detail::call(*connection_, connection_->working_memory(), &Service::ClearEntries, std::move(request))
      .cleared_entry_count();
}

v1::BatchWriteEntriesResponse WorkingMemory::write(const Batch& batch) {
  if (batch.empty()) {
    return {};
  }
  auto request = batch.request_;
  request.set_agent_id(agent_id_);
  request.set_scope_id(scope_id_);
  return detail::call(*connection_, connection_->working_memory(), &Service::BatchWriteEntries, std::move(request));
}

Scope WorkingMemory::scope(std::string_view name, const ScopeOptions& options) {
  v1::CreateScopeRequest request;
  request.set_agent_id(agent_id_);
  request.set_parent_scope_id(scope_id_);
  request.set_name(std::string(name));
  request.set_user_id(options.user_id);
  if (options.idle_ttl) {
    *request.mutable_idle_ttl() = google::protobuf::util::TimeUtil::MillisecondsToDuration(options.idle_ttl->count());
  }
  detail::write_condition(request, options.condition);
  const auto response =
      detail::call(*connection_, connection_->working_memory(), &Service::CreateScope, std::move(request));
  return Scope(connection_, agent_id_, response.scope().scope_id(), options.merge, Scope::AtEnd::close);
}

Scope WorkingMemory::scope(std::string_view name) { return scope(name, ScopeOptions{}); }

v1::SetEntryResponse WorkingMemory::set_text(std::string_view key, std::string value_json, const EntryOptions& options,
                                             const Condition& condition, Others others) {
  auto request = request_for<v1::SetEntryRequest>(*this, key);
  detail::write_entry(request, std::move(value_json), options);
  detail::write_condition(request, condition);
  if (others == Others::kept) {
    *request.mutable_update_mask() = detail::mask_of(options);
  }
  return detail::call(*connection_, connection_->working_memory(), &Service::SetEntry, std::move(request));
}

void WorkingMemory::update_text(std::string_view key, const TextChange& change, const EntryOptions& options) {
  for (int race = 1;; ++race) {
    const auto entry = get_entry(key, Lookup::local_only);
    auto value_json = change(entry ? &*entry : nullptr);
    try {
      set_text(key, std::move(value_json), options, ExpectedRevision{entry ? entry->revision() : 0}, Others::kept);
      return;
    } catch (const RevisionMismatch&) {
      if (race == kRacesMax) {
        throw;
      }
    }
  }
}

}  // namespace memoryd
