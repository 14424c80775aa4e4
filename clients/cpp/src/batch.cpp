#include "memoryd/batch.hpp"

#include <utility>

#include "entry_request.hpp"

namespace memoryd {

void Batch::remove(std::string_view key, const Condition& condition) {
  auto& operation = *request_.add_operations()->mutable_remove();
  operation.set_key(std::string(key));
  detail::write_condition(operation, condition);
}

void Batch::set_text(std::string_view key, std::string value_json, const EntryOptions& options,
                     const Condition& condition) {
  v1::SetEntryOperation operation;
  operation.set_key(std::string(key));
  detail::write_entry(operation, std::move(value_json), options, {});
  detail::write_condition(operation, condition);
  if (options.user_id) {
    naming_users_.insert(request_.operations_size());
  }
  *request_.add_operations()->mutable_set() = std::move(operation);
}

}  // namespace memoryd
