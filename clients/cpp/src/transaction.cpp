#include "memoryd/transaction.hpp"

#include <memoryd/v1/transaction_service.grpc.pb.h>

#include "bound_user.hpp"
#include "collected.hpp"
#include "entry_request.hpp"
#include "memoryd/call.hpp"
#include "memoryd/error.hpp"

namespace memoryd {
namespace detail {

v1::CommitRequest commit_request(const std::string& agent_id, const TransactionOptions& options) {
  v1::CommitRequest request;
  request.set_agent_id(agent_id);
  request.set_request_id(options.request_id.empty() ? new_request_id() : options.request_id);
  write_agent_condition(request, options.condition);
  return request;
}

void check_results(const v1::CommitRequest& request, const v1::CommitResponse& response) {
  bool whole = request.writes_size() == response.results_size();
  for (int index = 0; whole && index < request.writes_size(); ++index) {
    // A write and its result have the same number.
    whole =
        static_cast<int>(request.writes(index).write_case()) == static_cast<int>(response.results(index).result_case());
  }
  if (!whole) {
    throw InternalError({.message = "the server's results are not those of the writes"});
  }
}

}  // namespace detail

Written<bool> TransactionWrites::remove(std::string_view key, const Condition& condition) {
  v1::Write write;
  auto& request = *write.mutable_remove_entry();
  request.set_scope_id(scope_id_);
  request.set_key(std::string(key));
  detail::write_condition(request, condition);
  return add<bool>(std::move(write), [](const v1::WriteResult& result) { return result.remove_entry().deleted(); });
}

Written<std::int64_t> TransactionWrites::clear() {
  v1::Write write;
  write.mutable_clear_entries()->set_scope_id(scope_id_);
  return add<std::int64_t>(std::move(write),
                           [](const v1::WriteResult& result) { return result.clear_entries().cleared_entry_count(); });
}

Written<v1::Scope> TransactionWrites::create_scope(std::string_view name, const std::optional<std::string>& user_id,
                                                   const Condition& condition) {
  v1::Write write;
  auto& request = *write.mutable_create_scope();
  request.set_parent_scope_id(scope_id_);
  request.set_name(std::string(name));
  request.set_user_id(user_id.value_or(collected_->bound_user_id));
  detail::write_condition(request, condition);
  return add<v1::Scope>(std::move(write), [](const v1::WriteResult& result) { return result.create_scope().scope(); });
}

std::size_t TransactionWrites::append(v1::Write write) {
  auto& writes = *collected_->request.mutable_writes();
  *writes.Add() = std::move(write);
  return static_cast<std::size_t>(writes.size()) - 1;
}

Written<v1::SetEntryResponse> TransactionWrites::set_text(std::string_view key, std::string value_json,
                                                          const EntryOptions& options, const Condition& condition) {
  v1::Write write;
  auto& request = *write.mutable_set_entry();
  request.set_scope_id(scope_id_);
  request.set_key(std::string(key));
  detail::write_entry(request, std::move(value_json), options, collected_->bound_user_id);
  detail::write_condition(request, condition);
  return add<v1::SetEntryResponse>(std::move(write), [](const v1::WriteResult& result) { return result.set_entry(); });
}

Written<bool> TransactionWrites::get_or_set_text(std::string_view key, std::string value_json,
                                                 const EntryOptions& options, Lookup lookup) {
  v1::Write write;
  auto& request = *write.mutable_get_or_set_entry();
  request.set_scope_id(scope_id_);
  request.set_key(std::string(key));
  request.set_local_only(lookup == Lookup::local_only);
  detail::write_entry(request, std::move(value_json), options, collected_->bound_user_id);
  return add<bool>(std::move(write), [](const v1::WriteResult& result) { return result.get_or_set_entry().created(); });
}

Written<std::int64_t> TransactionScope::merge(Conflict conflict) { return copy(conflict, true); }

Written<std::int64_t> TransactionScope::merge_and_keep(Conflict conflict) { return copy(conflict, false); }

Written<std::int64_t> TransactionScope::copy(Conflict conflict, bool dispose) {
  v1::Write write;
  auto& request = *write.mutable_merge_scope();
  request.set_scope_id(scope_id());
  request.set_overwrite(conflict == Conflict::overwrite);
  request.set_dispose(dispose);
  return add<std::int64_t>(std::move(write),
                           [](const v1::WriteResult& result) { return result.merge_scope().merged_entry_count(); });
}

Written<std::int64_t> TransactionScope::dispose() {
  v1::Write write;
  write.mutable_dispose_scope()->set_scope_id(scope_id());
  return add<std::int64_t>(std::move(write),
                           [](const v1::WriteResult& result) { return result.dispose_scope().cleared_entry_count(); });
}

Transaction::Transaction(std::shared_ptr<detail::Collected> collected) : TransactionWrites(std::move(collected), "") {}

TransactionScope Transaction::attach(std::string scope_id) const { return {collected(), std::move(scope_id)}; }

Written<v1::WriteResult> Transaction::write(v1::Write write) {
  detail::write_user(write, collected()->bound_user_id);
  return add<v1::WriteResult>(std::move(write), [](const v1::WriteResult& result) { return result; });
}

std::size_t Transaction::size() const noexcept { return static_cast<std::size_t>(collected()->request.writes_size()); }

Committed Transaction::commit() const {
  if (empty()) {
    return {collected(), {}};
  }
  auto& connection = *collected()->connection;
  auto response = detail::call(connection, &v1::TransactionService::Stub::Commit, collected()->request);
  detail::check_results(collected()->request, response);
  return {collected(), std::move(response)};
}

}  // namespace memoryd
