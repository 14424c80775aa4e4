#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>
#include <memoryd/v1/agent_service.pb.h>
#include <memoryd/v1/context_service.pb.h>
#include <memoryd/v1/conversation_service.pb.h>
#include <memoryd/v1/document_service.pb.h>
#include <memoryd/v1/entity_service.pb.h>
#include <memoryd/v1/event_service.pb.h>
#include <memoryd/v1/fragment_service.pb.h>
#include <memoryd/v1/long_term_memory_service.pb.h>
#include <memoryd/v1/note_service.pb.h>
#include <memoryd/v1/operation_service.pb.h>
#include <memoryd/v1/plan_service.pb.h>
#include <memoryd/v1/server_service.pb.h>
#include <memoryd/v1/snapshot_service.pb.h>
#include <memoryd/v1/transaction_service.pb.h>
#include <memoryd/v1/working_memory_service.pb.h>

#include <initializer_list>
#include <string>

#include "memoryd/call.hpp"

namespace memoryd {
namespace {

TEST(Repeatable, AreAllMethodsExceptStreams) {
  for (const auto* file :
       {v1::GetAgentRequest::descriptor()->file(), v1::WatchEventsRequest::descriptor()->file(),
        v1::AddEntitiesRequest::descriptor()->file(), v1::GetFragmentRequest::descriptor()->file(),
        v1::GetMemoryRequest::descriptor()->file(), v1::GetNoteRequest::descriptor()->file(),
        v1::GetOperationRequest::descriptor()->file(), v1::GetPlanRequest::descriptor()->file(),
        v1::UploadDocumentRequest::descriptor()->file(), v1::CountTokensRequest::descriptor()->file(),
        v1::GetMessageRequest::descriptor()->file(), v1::GetServerInfoRequest::descriptor()->file(),
        v1::CreateSnapshotRequest::descriptor()->file(), v1::CommitRequest::descriptor()->file(),
        v1::SetEntryRequest::descriptor()->file()}) {
    for (int index = 0; index < file->service(0)->method_count(); ++index) {
      const auto& method = *file->service(0)->method(index);
      const bool stream = method.client_streaming() || method.server_streaming();
      EXPECT_EQ(detail::repeatable(*method.input_type()), !stream) << method.full_name();
    }
  }
}

TEST(NewRequestId, Is128BitsInHexadecimal) {
  const auto id = new_request_id();
  EXPECT_EQ(id.size(), 32U);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(id, new_request_id());
}

}  // namespace
}  // namespace memoryd
