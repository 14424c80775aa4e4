#pragma once

#include <memoryd/v1/record_filter.pb.h>

#include <string>

#include "bound_user.hpp"
#include "memoryd/alternatives.hpp"
#include "memoryd/error.hpp"

namespace memoryd::detail {

/// Throws InvalidArgument for a list of alternatives without any, which would select all.
[[noreturn]] inline void throw_empty_selection(const std::string& name) {
  throw InvalidArgument({.message = "a selection by " + name + " must name at least one: leave it out to select all"});
}

/// Adds a list of which a record has any one to those of a filter. Throws InvalidArgument if the list is empty, which
/// would select all, or if the filter has one already: both together would select more than each.
template <class Target, class T>
void select(Target& target, const Alternatives<T>& given, const std::string& name) {
  if (!given.is_given()) {
    return;
  }
  if (given.values().empty()) {
    throw_empty_selection(name);
  }
  if (!target.empty()) {
    throw InvalidArgument({.message = name + " is selected twice: as an option, and in the filter"});
  }
  target.Add(given.values().begin(), given.values().end());
}

/// Adds the users that are selected. Throws InvalidArgument if that is done twice.
inline void select_users(v1::RecordFilter& filter, const Alternatives<std::string>& user_ids, bool all_users) {
  select(*filter.mutable_user_ids(), user_ids, "user_ids");
  filter.set_all_users(filter.all_users() || all_users);
  check_users(filter);
}

}  // namespace memoryd::detail
