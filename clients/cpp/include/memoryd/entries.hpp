#pragma once

#include <memoryd/v1/entry.pb.h>
#include <memoryd/v1/listing.pb.h>
#include <memoryd/v1/record_filter.pb.h>
#include <memoryd/v1/working_memory_service.pb.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "memoryd/consistency.hpp"

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
  std::vector<std::string> any_tags{};
  /// Selects the entries of these types.
  std::vector<v1::EntryType> entry_types{};
  /// Selects the entries about these users. An empty id selects those about none. Default: those about none.
  std::vector<std::string> user_ids{};
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

/// The entries of an agent or scope, all at one revision. A single pass reads them page by page:
/// `for (const auto& entry : agent.entries()) ...`. Reading a page throws as WorkingMemory does, and PageTokenExpired
/// if the reader takes too long.
class Entries {
 public:
  /// A function that returns the page of a token; the token of the first page is empty.
  using Fetch = std::function<v1::ListEntriesResponse(const std::string& page_token)>;

  class Iterator {
   public:
    using value_type = v1::Entry;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Entries& entries) : entries_(&entries) {}

    const v1::Entry& operator*() const { return entries_->page_.entries(entries_->index_); }
    const v1::Entry* operator->() const { return &**this; }
    Iterator& operator++() {
      entries_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return entries_->at_end(); }

   private:
    Entries* entries_;
  };

  explicit Entries(Fetch fetch) : fetch_(std::move(fetch)) {}

  /// Reads the first page.
  [[nodiscard]] Iterator begin() {
    turn_to("");
    return Iterator(*this);
  }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  [[nodiscard]] bool at_end() const { return index_ >= page_.entries_size(); }

  void advance() {
    if (++index_; at_end()) {
      turn_past_end();
    }
  }

  void turn_to(const std::string& page_token) {
    page_ = fetch_(page_token);
    index_ = 0;
    turn_past_end();
  }

  void turn_past_end() {
    while (at_end() && !page_.next_page_token().empty()) {
      page_ = fetch_(page_.next_page_token());
      index_ = 0;
    }
  }

  Fetch fetch_;
  v1::ListEntriesResponse page_;
  int index_ = 0;
};

}  // namespace memoryd
