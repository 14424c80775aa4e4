#include "memoryd/working_memory.hpp"

#include <google/protobuf/util/time_util.h>
#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <utility>

#include "bound_user.hpp"
#include "connection.hpp"
#include "entry_request.hpp"
#include "memoryd/scope.hpp"
#include "selection.hpp"

namespace memoryd {
namespace {

using Stub = v1::WorkingMemoryService::Stub;

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
  detail::select_user(filter, place.user_id());
  if (!options.key_prefix.empty() || options.entry_types.is_given()) {
    if (filter.kind_case() != v1::RecordFilter::KIND_NOT_SET && !filter.has_entry()) {
      throw InvalidArgument({.message = "conditions on entries and on another kind exclude each other"});
    }
    auto& condition = *filter.mutable_entry();
    if (!options.key_prefix.empty()) {
      detail::select(*condition.mutable_key_prefixes(), Alternatives<std::string>{options.key_prefix}, "key_prefix");
    }
    detail::select(*condition.mutable_types(), options.entry_types, "entry_types");
  }
  request.set_order(options.order);
  request.set_view(options.content ? v1::RECORD_VIEW_FULL : v1::RECORD_VIEW_WITHOUT_CONTENT);
  detail::write_consistency(request, options.consistency);
  request.set_page_size(kPageSize);
  return request;
}

}  // namespace

std::optional<v1::Entry> WorkingMemory::get_entry(std::string_view key, Lookup lookup,
                                                  const Consistency& consistency) const {
  auto request = request_for<v1::GetEntryRequest>(*this, key);
  request.set_local_only(lookup == Lookup::local_only);
  detail::write_consistency(request, consistency);
  auto response = detail::call_together(*connection(), &Stub::GetEntry, std::move(request));
  return response.found() ? std::optional(std::move(*response.mutable_entry())) : std::nullopt;
}

std::map<std::string, v1::Entry> WorkingMemory::get_entries(const std::vector<std::string>& keys, Lookup lookup,
                                                            const Consistency& consistency) const {
  auto request = request_at<v1::BatchGetEntriesRequest>(*this);
  request.mutable_keys()->Assign(keys.begin(), keys.end());
  request.set_local_only(lookup == Lookup::local_only);
  detail::write_consistency(request, consistency);
  auto response = detail::call(*connection(), &Stub::BatchGetEntries, std::move(request));
  std::map<std::string, v1::Entry> entries;
  for (auto& entry : *response.mutable_entries()) {
    const std::string key = entry.key();
    entries.emplace(key, std::move(entry));
  }
  return entries;
}

Entries WorkingMemory::entries(const ListOptions& options) const {
  const auto listing = listing_of(*this, options);
  return Entries([connection = connection(), listing](const std::string& page_token) {
    auto request = listing;
    request.set_page_token(page_token);
    auto response = detail::call(*connection, &Stub::ListEntries, std::move(request));
    Entries::Page page{.next_page_token = response.next_page_token()};
    page.records.Swap(response.mutable_entries());
    return page;
  });
}

bool WorkingMemory::contains(std::string_view key, Lookup lookup, const Consistency& consistency) const {
  auto request = request_for<v1::ContainsEntryRequest>(*this, key);
  request.set_local_only(lookup == Lookup::local_only);
  detail::write_consistency(request, consistency);
  return detail::call(*connection(), &Stub::ContainsEntry, std::move(request)).found();
}

bool WorkingMemory::remove(std::string_view key, const Condition& condition) {
  auto request = request_for<v1::RemoveEntryRequest>(*this, key);
  detail::write_condition(request, condition);
  return detail::call_together(*connection(), &Stub::RemoveEntry, std::move(request)).deleted();
}

std::int64_t WorkingMemory::clear(const Condition& condition) {
  auto request = request_at<v1::ClearEntriesRequest>(*this);
  detail::write_agent_condition(request, condition);
  return detail::call(*connection(), &Stub::ClearEntries, std::move(request)).cleared_entry_count();
}

v1::BatchWriteEntriesResponse WorkingMemory::write(const Batch& batch) {
  if (batch.empty()) {
    return {};
  }
  auto request = batch.request_;
  request.set_agent_id(agent_id());
  request.set_scope_id(scope_id());
  for (int index = 0; index < request.operations_size(); ++index) {
    if (!batch.naming_users_.contains(index)) {
      detail::write_user(*request.mutable_operations(index), user_id());
    }
  }
  return detail::call(*connection(), &Stub::BatchWriteEntries, std::move(request));
}

Scope WorkingMemory::scope(std::string_view name, const ScopeOptions& options) {
  v1::CreateScopeRequest request;
  request.set_agent_id(agent_id());
  request.set_parent_scope_id(scope_id());
  request.set_name(std::string(name));
  request.set_user_id(options.user_id.value_or(user_id()));
  if (options.idle_ttl) {
    *request.mutable_idle_ttl() = google::protobuf::util::TimeUtil::MillisecondsToDuration(options.idle_ttl->count());
  }
  detail::write_condition(request, options.condition);
  const auto response = detail::call(*connection(), &Stub::CreateScope, std::move(request));
  auto place = place_;
  place.scope_id = response.scope().scope_id();
  Scope scope(std::move(place), options.merge, Scope::AtEnd::close);
  if (options.idle_ttl) {
    scope.hold(*options.idle_ttl);
  }
  return scope;
}

Scope WorkingMemory::scope(std::string_view name) { return scope(name, ScopeOptions{}); }

v1::SetEntryResponse WorkingMemory::set_text(std::string_view key, std::string value_json, const EntryOptions& options,
                                             const Condition& condition, Others others) {
  auto request = request_for<v1::SetEntryRequest>(*this, key);
  detail::write_entry(request, std::move(value_json), options, user_id());
  detail::write_condition(request, condition);
  if (others == Others::kept) {
    *request.mutable_update_mask() = detail::mask_of(options);
  }
  return detail::call_together(*connection(), &Stub::SetEntry, std::move(request));
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
