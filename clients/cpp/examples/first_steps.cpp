// Shows the main operations of the client in order. Needs a running daemon, at MEMORYD_ADDRESS or 127.0.0.1:7600.

#include <cstdlib>
#include <iostream>
#include <string>

#include "memoryd/memoryd.hpp"
#include "memoryd/stub.hpp"

namespace {

void reset() {
  const memoryd::Client client;
  const memoryd::Stub<memoryd::v1::ServerService> server(client);
  const auto info = server.call(&memoryd::v1::ServerService::Stub::GetServerInfo, memoryd::v1::GetServerInfoRequest());
  std::cout << "memoryd " << info.version() << " at " << client.target() << '\n';
  std::cout << "an earlier agent ended: " << client.agent("first-steps").end().deleted() << '\n';
}

// [first steps]
void first_steps() {
  const memoryd::Client client({.origin = "first-steps"});
  memoryd::Agent agent = client.agent("first-steps");
  memoryd::Watch watch = agent.watch();  // no commit after this is missed

  agent.set("user", {{"name", "Ada"}, {"likes", {"chess", "tea"}}}, {.entry_type = memoryd::v1::ENTRY_TYPE_PREFERENCE});
  std::cout << "user: " << agent.get("user").value() << '\n';
  std::cout << "nothing there: " << !agent.get("nothing").has_value() << '\n';

  // No concurrent update is lost, and only one of all callers runs its factory.
  agent.update("visits", 0, [](int visits) { return visits + 1; });
  const auto greeting = agent.get_or_set("greeting", [] { return std::string("Good morning, Ada"); });
  std::cout << "greeting: " << greeting << '\n';

  // Reads in a scope fall back to its parent. Its end disposes it, here after a merge into the parent.
  {
    memoryd::Scope task = agent.scope("book a table", {.merge = memoryd::Conflict::overwrite});
    task.set("table", 7);
    std::cout << "in the task: " << task.get<int>("table").value() << ' ' << task.get<int>("visits").value() << '\n';
    task.close();  // the destructor would do the same, but hide an error
  }
  std::cout << "after the task: " << agent.get<int>("table").value() << '\n';

  for (const auto& event : watch) {
    std::cout << event.revision() << ' ' << memoryd::v1::EventType_Name(event.type());
    if (event.has_entry()) {
      std::cout << ' ' << event.entry().key();
    } else if (event.has_scope()) {
      std::cout << ' ' << event.scope().name();
    }
    std::cout << '\n';
    if (event.type() == memoryd::v1::EVENT_TYPE_SCOPE_DISPOSED) {
      break;
    }
  }
}
// [end]

void end() {
  const memoryd::Client client;
  const memoryd::Stub<memoryd::v1::AgentService> agents(client);
  memoryd::v1::GetAgentStatsRequest request;
  request.set_agent_id("first-steps");
  const auto response = agents.call(&memoryd::v1::AgentService::Stub::GetAgentStats, request);
  std::cout << "bytes used: " << response.stats().storage_bytes() << '\n';
  auto removed = memoryd::counts_by_kind(client.agent("first-steps").end().cleared());
  std::cout << "entries removed: " << removed[memoryd::v1::RECORD_KIND_ENTRY] << '\n';
}

}  // namespace

int main() {
  try {
    reset();
    first_steps();
    end();
  } catch (const memoryd::Error& error) {
    std::cerr << "first steps: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
