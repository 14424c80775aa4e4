#include "memoryd/upload.hpp"

#include <memoryd/v1/document_service.grpc.pb.h>

#include <chrono>
#include <string>

#include "bound_user.hpp"
#include "connection.hpp"
#include "kinds/documents.hpp"
#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

using Writer = grpc::ClientWriter<v1::UploadDocumentRequest>;

constexpr std::size_t kPartBytes = 1024 * 1024;
constexpr std::chrono::milliseconds kNoTimeout = std::chrono::hours(24 * 365);

/// Names what a request to create or to update is about, and makes it the user's.
template <class Request>
void complete(Request& request, const Place& place) {
  if (request.content_case() != Request::CONTENT_NOT_SET) {
    throw InvalidArgument({.message = "the content of an upload is its file: leave out text, data and url"});
  }
  request.set_agent_id(place.agent_id);
  bind_user(request, place.user_id);
}

/// Returns the header of an upload, with what both requests have.
template <class Request>
v1::UploadDocumentHeader header_of(Request& request) {
  v1::UploadDocumentHeader header;
  header.set_agent_id(request.agent_id());
  header.set_request_id(request.request_id().empty() ? new_request_id() : request.request_id());
  if (request.has_agent_precondition()) {
    header.mutable_agent_precondition()->Swap(request.mutable_agent_precondition());
  }
  return header;
}

/// Sends the parts of a file. Returns early once the daemon has ended the call.
void send_parts(Writer& writer, std::istream& file, const UploadProgress& progress) {
  std::string part(kPartBytes, '\0');
  std::int64_t sent = 0;
  while (file.read(part.data(), static_cast<std::streamsize>(part.size())) || file.gcount() > 0) {
    const auto count = static_cast<std::size_t>(file.gcount());
    v1::UploadDocumentRequest request;
    request.set_data(part.data(), count);
    if (!writer.Write(request)) {
      return;
    }
    sent += static_cast<std::int64_t>(count);
    if (progress) {
      progress(sent);
    }
  }
  if (!file.eof()) {
    throw Cancelled({.message = "the file cannot be read", .code = StatusCode::cancelled});
  }
  writer.WritesDone();
}

v1::Document send(Connection& connection, v1::UploadDocumentHeader header, std::istream& file, CallOptions options,
                  const UploadProgress& progress) {
  v1::UploadDocumentRequest first;
  *first.mutable_header() = std::move(header);
  v1::UploadDocumentResponse response;
  options.timeout = options.timeout.value_or(kNoTimeout);
  connection.perform(false, options, {}, [&](grpc::ClientContext& context) {
    const auto writer = connection.stub<v1::DocumentService::Stub>().UploadDocument(&context, &response);
    try {
      if (writer->Write(first)) {
        send_parts(*writer, file, progress);
      }
    } catch (...) {
      // A stream that ended here would be that of a whole file.
      context.TryCancel();
      writer->Finish();
      throw;
    }
    return writer->Finish();
  });
  return std::move(*response.mutable_document());
}

}  // namespace

v1::Document Uploading::upload(std::istream& file, const CreateDocumentOptions& options,
                               const UploadProgress& progress) const {
  v1::CreateDocumentRequest request;
  put_options(Fields(request), options);
  complete(request, place_);
  auto header = header_of(request);
  header.mutable_create()->Swap(request.mutable_draft());
  return send(*place_.connection, std::move(header), file, options.call, progress);
}

v1::Document Uploading::upload(std::string_view document_id, std::istream& file, const UpdateDocumentChanges& changes,
                               const UpdateDocumentOptions& options, const UploadProgress& progress) const {
  v1::UpdateDocumentRequest request;
  put_options(Fields(request), options);
  put_changes(request, changes);
  complete(request, place_);
  auto header = header_of(request);
  if (request.has_precondition()) {
    header.mutable_precondition()->Swap(request.mutable_precondition());
  }
  auto& update = *header.mutable_update();
  update.set_document_id(std::string(document_id));
  update.mutable_draft()->Swap(request.mutable_draft());
  update.mutable_update_mask()->Swap(request.mutable_update_mask());
  return send(*place_.connection, std::move(header), file, options.call, progress);
}

}  // namespace memoryd::detail
