#pragma once

#include <memoryd/v1/entry.pb.h>
#include <memoryd/v1/working_memory_service.pb.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace memoryd {

/// Which entries to list: those that pass all of it.
struct EntryFilter {
  /// Also what a lookup would find in the parents: the nearest entry of each key.
  bool inherited = false;
  std::string key_prefix{};
  /// Entries that have all of these.
  std::vector<std::string> tags{};
  /// Entries of any of these.
  std::vector<v1::MemoryType> memory_types{};
  /// Whether the values come along.
  bool values = true;
};

/// The entries of a place in order of their keys, all at one revision. A single pass over it asks for page after page:
/// `for (const auto& entry : agent.entries()) ...`. Asking throws as WorkingMemory does, and PageTokenExpired when the
/// reader took too long.
class Entries {
 public:
  /// Answers the page that begins at a token, empty for the first one.
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

  /// Asks for the first page.
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
