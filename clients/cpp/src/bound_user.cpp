#include "bound_user.hpp"

#include <memoryd/v1/long_term_memory_service.pb.h>
#include <memoryd/v1/working_memory_service.pb.h>

#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

const FieldDescriptor* find(const Message& message, const char* name) {
  return message.GetDescriptor()->FindFieldByName(name);
}

bool is_given(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  return field.has_presence() ? reflection.HasField(message, &field) : !reflection.GetString(message, &field).empty();
}

/// Returns whether a request names the records, or what they belong to, whose user is theirs: the bound user would
/// leave out those of a conversation without a user.
bool names_records(const Message& request) {
  if (const auto* forgetting = dynamic_cast<const v1::BatchForgetMemoriesRequest*>(&request)) {
    // Without any condition, it would forget all that there is of the user.
    return forgetting->memory_ids_size() > 0 || forgetting->filter().ByteSizeLong() == 0;
  }
  if (const auto* links = dynamic_cast<const v1::ListMemoryLinksRequest*>(&request)) {
    return !links->memory_id().empty();
  }
  return request.GetDescriptor()->name() == "ListMessagesRequest";
}

}  // namespace

void bind_user(Message& request, const std::string& user_id) {
  write_user(request, user_id);
  const auto* field = find(request, "filter");
  if (field == nullptr) {
    return;
  }
  const auto& reflection = *request.GetReflection();
  if (!user_id.empty() && !names_records(request)) {
    select_user(dynamic_cast<v1::RecordFilter&>(*reflection.MutableMessage(&request, field)), user_id);
  }
  check_users(dynamic_cast<const v1::RecordFilter&>(reflection.GetMessage(request, field)));
}

void write_user(Message& message, const std::string& user_id) {
  if (user_id.empty()) {
    return;
  }
  const auto& reflection = *message.GetReflection();
  if (const auto* user = find(message, "user_id"); user != nullptr && !is_given(message, *user)) {
    reflection.SetString(&message, user, user_id);
  }
  // An update changes the user of a record only where the caller says so.
  if (const auto* draft = find(message, "draft"); draft != nullptr && find(message, "update_mask") == nullptr) {
    write_user(*reflection.MutableMessage(&message, draft), user_id);
  }
  if (const auto* write = message.GetDescriptor()->FindOneofByName("write")) {
    if (const auto* change = reflection.GetOneofFieldDescriptor(message, write)) {
      write_user(*reflection.MutableMessage(&message, change), user_id);
    }
  }
  if (auto* operation = dynamic_cast<v1::EntryOperation*>(&message); operation != nullptr && operation->has_set()) {
    write_user(*operation->mutable_set(), user_id);
  }
  // Parts of a record, such as the messages of a conversation, have no user of their own.
  for (const auto* name : {"drafts", "operations"}) {
    const auto* list = find(message, name);
    for (int index = 0; list != nullptr && index < reflection.FieldSize(message, list); ++index) {
      write_user(*reflection.MutableRepeatedMessage(&message, list, index), user_id);
    }
  }
}

void select_user(v1::RecordFilter& filter, const std::string& user_id) {
  if (!user_id.empty() && filter.user_ids().empty() && !filter.all_users()) {
    filter.add_user_ids(user_id);
  }
}

void check_users(const v1::RecordFilter& filter) {
  if (filter.all_users() && !filter.user_ids().empty()) {
    throw InvalidArgument({.message = "user_ids and all_users exclude each other"});
  }
}

}  // namespace memoryd::detail
