#pragma once

#include <google/protobuf/message.h>
#include <memoryd/v1/record_filter.pb.h>

#include <string>

namespace memoryd::detail {

/// Makes what a request writes about the user, and selects the records of the user, unless the request names others. An
/// update keeps the record's user. An empty user binds none. Throws InvalidArgument if users are selected twice.
void bind_user(google::protobuf::Message& request, const std::string& user_id);

/// Makes what a message writes about the user, unless it names another: the message itself, its draft,
/// its lists, or the change that it is of a transaction.
void write_user(google::protobuf::Message& message, const std::string& user_id);

/// Selects the records of the user, unless the filter selects users already.
void select_user(v1::RecordFilter& filter, const std::string& user_id);

/// Throws InvalidArgument if the filter selects some users and all.
void check_users(const v1::RecordFilter& filter);

}  // namespace memoryd::detail
