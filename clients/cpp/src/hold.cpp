#include "hold.hpp"

#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <exception>
#include <utility>

#include "connection.hpp"
#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

// One use may fail: the next one still comes before the scope ends.
constexpr int kUsesPerIdleTtl = 3;

}  // namespace

Hold::Hold(Place scope, std::chrono::milliseconds idle_ttl)
    : scope_(std::move(scope)), thread_([this, idle_ttl](const std::stop_token& done) { use_until(done, idle_ttl); }) {}

void Hold::use_until(const std::stop_token& done, std::chrono::milliseconds idle_ttl) const {
  while (wait_for(idle_ttl / kUsesPerIdleTtl, done)) {
    try {
      v1::GetScopeRequest request;
      request.set_agent_id(scope_.agent_id);
      request.set_scope_id(scope_.scope_id);
      const CallOptions options{.stop = done};
      if (call(*scope_.connection, &v1::WorkingMemoryService::Stub::GetScope, std::move(request), options)
              .scope()
              .disposed()) {
        return;
      }
    } catch (const RecordNotFound&) {
      return;
    } catch (const Cancelled&) {
      return;
    } catch (const std::exception&) {
      // The cause may pass before the scope ends: try again at the next turn.
    }
  }
}

}  // namespace memoryd::detail
