#pragma once

#include <memoryd/v1/record_filter.pb.h>

#include <string>
#include <vector>

#include "memoryd/error.hpp"

namespace memoryd::detail {

/// Adds a list of which a record has any one to those of a filter. Throws InvalidArgument if the filter has one
/// already: both together would select more than each.
template <class Target, class T>
void select(Target& target, const std::vector<T>& given, const std::string& name) {
  if (given.empty()) {
    return;
  }
  if (!target.empty()) {
    throw InvalidArgument({.message = name + " is selected twice: as an option, and in the filter"});
  }
  target.Add(given.begin(), given.end());
}

/// Adds the users that are selected. Throws InvalidArgument if that is done twice.
inline void select_users(v1::RecordFilter& filter, const std::vector<std::string>& user_ids, bool all_users) {
  select(*filter.mutable_user_ids(), user_ids, "user_ids");
  filter.set_all_users(filter.all_users() || all_users);
  if (filter.all_users() && !filter.user_ids().empty()) {
    throw InvalidArgument({.message = "user_ids and all_users exclude each other"});
  }
}

}  // namespace memoryd::detail
