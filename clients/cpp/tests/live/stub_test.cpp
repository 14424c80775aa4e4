#include "memoryd/stub.hpp"

#include "live_test.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;

class StubTest : public LiveTest {};

TEST_F(StubTest, CallsMethodsThatTheClientDoesNotWrap) {
  agent().set("key", 1);
  const Stub<v1::AgentService> agents(client());
  v1::GetAgentStatsRequest request;
  request.set_agent_id(agent().agent_id());
  EXPECT_EQ(agents.call(&v1::AgentService::Stub::GetAgentStats, request).stats().root_entry_count(), 1);
}

TEST_F(StubTest, ThrowsTheClassesOfError) {
  const Stub<v1::AgentService> agents(client());
  v1::GetAgentRequest request;
  request.set_agent_id(agent().agent_id());
  EXPECT_THROW(agents.call(&v1::AgentService::Stub::GetAgent, request), AgentNotFound);
}

TEST_F(StubTest, KeepsTheRequestIdThatItIsGiven) {
  const Stub<v1::WorkingMemoryService> stub(client());
  v1::SetEntryRequest request;
  request.set_agent_id(agent().agent_id());
  request.set_key("key");
  request.set_value_json("1");
  request.set_request_id(new_request_id());
  const auto first = stub.call(&v1::WorkingMemoryService::Stub::SetEntry, request);
  const auto again = stub.call(&v1::WorkingMemoryService::Stub::SetEntry, request);
  EXPECT_EQ(again.revision(), first.revision());
  request.set_value_json("2");
  EXPECT_THROW(stub.call(&v1::WorkingMemoryService::Stub::SetEntry, request), RequestIdReused);
  request.clear_request_id();
  EXPECT_EQ(stub.call(&v1::WorkingMemoryService::Stub::SetEntry, request).revision(), first.revision() + 1);
}

TEST_F(StubTest, OpensStreams) {
  agent().set("key", 1);
  const Stub<v1::SnapshotService> snapshots(client());
  v1::CreateSnapshotRequest create;
  create.set_agent_id(agent().agent_id());
  const auto snapshot = snapshots.call(&v1::SnapshotService::Stub::CreateSnapshot, create).snapshot();

  v1::ExportSnapshotRequest request;
  request.set_snapshot_id(snapshot.snapshot_id());
  grpc::ClientContext context;
  snapshots.prepare(context);
  const auto reader = snapshots->ExportSnapshot(&context, request);
  std::string file;
  for (v1::ExportSnapshotResponse part; reader->Read(&part);) {
    file += part.chunk();
  }
  EXPECT_NO_THROW(check(reader->Finish()));
  EXPECT_FALSE(file.empty());

  v1::DeleteSnapshotRequest remove;
  remove.set_snapshot_id(snapshot.snapshot_id());
  snapshots.call(&v1::SnapshotService::Stub::DeleteSnapshot, remove);
}

TEST_F(StubTest, AcceptsATimeoutForOneCall) {
  const Stub<v1::WorkingMemoryService> stub(client());
  v1::ReserveEntryRequest request;
  request.set_agent_id(agent().agent_id());
  request.set_key("key");
  (void)stub.call(&v1::WorkingMemoryService::Stub::ReserveEntry, request);
  request.mutable_wait_duration()->set_seconds(20);
  // The daemon never waits past the deadline: it returns HELD just before, or the deadline passes.
  try {
    const auto held = stub.call(&v1::WorkingMemoryService::Stub::ReserveEntry, request, {.timeout = 200ms});
    EXPECT_EQ(held.outcome(), v1::RESERVE_OUTCOME_HELD);
  } catch (const DeadlineExceeded&) {
    SUCCEED();
  }
}

}  // namespace
}  // namespace memoryd
