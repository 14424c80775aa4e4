#pragma once

#include <memoryd/v1/entry.pb.h>
#include <memoryd/v1/listing.pb.h>
#include <memoryd/v1/record_filter.pb.h>

#include <string>
#include <vector>

#include "memoryd/alternatives.hpp"
#include "memoryd/consistency.hpp"
#include "memoryd/records.hpp"

namespace memoryd {

/// Selects the entries to list, which are those that match all filters, and their order.
struct ListOptions {
  /// If true, the listing includes the entries that a read would find in the parents: the nearest one of each key.
  bool inherited = false;
  /// Selects the keys that start with it.
  std::string key_prefix{};
  /// Selects the entries that have all of these tags.
  std::vector<std::string> all_tags{};
  /// Selects the entries that have at least one of these tags.
  Alternatives<std::string> any_tags{};
  /// Selects the entries of these types.
  Alternatives<v1::EntryType> entry_types{};
  /// Selects the entries about these users. An empty id selects those about none. Default: those about
  /// the agent's bound user, or else none.
  Alternatives<std::string> user_ids{};
  /// If true, selects the entries about all users and about none.
  bool all_users = false;
  /// Further conditions. The options above are added to it; listing throws InvalidArgument if it has the same list.
  v1::RecordFilter filter{};
  /// The order of the entries. Default: that of their keys.
  v1::ListOrder order = v1::LIST_ORDER_UNSPECIFIED;
  /// If false, what a writer wrote is omitted: values, type names, tags and metadata.
  bool content = true;
  /// How current the listing is. Default: it has every change that was committed before it.
  Consistency consistency{};
};

/// The entries of an agent or scope.
using Entries = Records<v1::Entry>;

}  // namespace memoryd
