#include "method.hpp"

#include <gmock/gmock.h>
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

#include <set>
#include <string>

namespace conformance {
namespace {

using namespace memoryd;

TEST(Methods, AreTheUnaryOnesOfAllServices) {
  std::set<std::string> unary;
  for (const auto* file : {v1::GetAgentRequest::descriptor()->file(), v1::ListEventsRequest::descriptor()->file(),
                           v1::AddEntitiesRequest::descriptor()->file(), v1::GetFragmentRequest::descriptor()->file(),
                           v1::GetMemoryRequest::descriptor()->file(), v1::GetNoteRequest::descriptor()->file(),
                           v1::GetPlanRequest::descriptor()->file(), v1::GetDocumentRequest::descriptor()->file(),
                           v1::CountTokensRequest::descriptor()->file(), v1::GetMessageRequest::descriptor()->file(),
                           v1::GetServerInfoRequest::descriptor()->file(), v1::GetSnapshotRequest::descriptor()->file(),
                           v1::SetEntryRequest::descriptor()->file(), v1::GetOperationRequest::descriptor()->file(),
                           v1::CommitRequest::descriptor()->file()}) {
    const auto& service = *file->service(0);
    for (int index = 0; index < service.method_count(); ++index) {
      const auto& method = *service.method(index);
      if (!method.client_streaming() && !method.server_streaming()) {
        unary.insert(service.name() + "." + method.name());
      }
    }
  }
  std::set<std::string> known;
  for (const auto& [name, _] : methods()) {
    known.insert(name);
  }
  EXPECT_EQ(known, unary);
}

}  // namespace
}  // namespace conformance
