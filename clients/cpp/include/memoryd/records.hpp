#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

namespace memoryd {

/// The records of a listing, all at one revision. A single pass reads them page by page:
/// `for (const auto& note : agent.notes().list()) ...`. Reading a page throws the classes of Error, such as
/// Unavailable, and PageTokenExpired if the reader takes too long.
template <class Record>
class Records {
 public:
  struct Page {
    google::protobuf::RepeatedPtrField<Record> records{};
    /// Empty for the last page.
    std::string next_page_token{};
  };

  /// A function that returns the page of a token; the token of the first page is empty.
  using Fetch = std::function<Page(const std::string& page_token)>;

  class Iterator {
   public:
    using value_type = Record;
    using difference_type = std::ptrdiff_t;

    explicit Iterator(Records& records) : records_(&records) {}

    const Record& operator*() const { return records_->page_.records.Get(records_->index_); }
    const Record* operator->() const { return &**this; }
    Iterator& operator++() {
      records_->advance();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return records_->at_end(); }

   private:
    Records* records_;
  };

  explicit Records(Fetch fetch) : fetch_(std::move(fetch)) {}

  /// Reads the first page.
  [[nodiscard]] Iterator begin() {
    turn_to("");
    return Iterator(*this);
  }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  [[nodiscard]] bool at_end() const { return index_ >= page_.records.size(); }

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
    while (at_end() && !page_.next_page_token.empty()) {
      page_ = fetch_(page_.next_page_token);
      index_ = 0;
    }
  }

  Fetch fetch_;
  Page page_{};
  int index_ = 0;
};

}  // namespace memoryd
