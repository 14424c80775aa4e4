#pragma once

#include <memoryd/v1/document.pb.h>

#include <cstdint>
#include <functional>
#include <istream>
#include <string_view>
#include <utility>

#include "memoryd/documents_options.hpp"
#include "memoryd/place.hpp"

namespace memoryd {

/// A function that receives the number of bytes of a file that were sent so far, after each part. An exception of it
/// ends the upload, and is thrown.
using UploadProgress = std::function<void(std::int64_t bytes)>;

namespace detail {

/// The functions of Documents that are not generated.
class Uploading {
 public:
  /// Creates a document from a file of any size up to the server's limit document_file_bytes, which is read from here
  /// to its end, and sent in parts. The options `text`, `data` and `url` must be left out.
  ///
  /// Without a timeout of the call there is none. The client never sends an upload again: to repeat one that has
  /// failed, give both the same request id.
  /// @throws Cancelled if the file cannot be read, DocumentUnreadable if no text can be extracted from it, TooLarge,
  /// and the errors of create(). Nothing has changed then.
  v1::Document upload(std::istream& file, const CreateDocumentOptions& options = {},
                      const UploadProgress& progress = {}) const;

  /// Changes a document, whose new content is a file, as the other upload() does.
  v1::Document upload(std::string_view document_id, std::istream& file, const UpdateDocumentChanges& changes = {},
                      const UpdateDocumentOptions& options = {}, const UploadProgress& progress = {}) const;

 protected:
  explicit Uploading(Place place) : place_(std::move(place)) {}

  Place place_;
};

}  // namespace detail
}  // namespace memoryd
