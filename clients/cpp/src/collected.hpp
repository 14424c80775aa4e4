#pragma once

#include <memoryd/v1/transaction_service.pb.h>

#include <memory>
#include <string>

#include "connection.hpp"
#include "memoryd/transaction.hpp"

namespace memoryd::detail {

/// What a transaction has collected.
struct Collected {
  std::shared_ptr<Connection> connection;
  v1::CommitRequest request{};
  std::string bound_user_id{};
};

/// Returns the request of an empty transaction, with a new request id if the options have none.
[[nodiscard]] v1::CommitRequest commit_request(const std::string& agent_id, const TransactionOptions& options);

/// Throws InternalError unless the results are those of the writes.
void check_results(const v1::CommitRequest& request, const v1::CommitResponse& response);

}  // namespace memoryd::detail
