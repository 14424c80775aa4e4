// The main things an agent does with its memory, one after the other.
//
// Run it beside a daemon. MEMORYD_ADDRESS says where the daemon is, if not at 127.0.0.1:7600.

#include <cstdlib>
#include <iostream>
#include <string>

#include "memoryd/memoryd.hpp"
#include "memoryd/stub.hpp"

namespace {

void begin_anew() {
  const memoryd::Client client;
  const memoryd::Stub<memoryd::v1::ServerService> server(client);
  const auto info = server.call(&memoryd::v1::ServerService::Stub::GetServerInfo, memoryd::v1::GetServerInfoRequest());
  std::cout << "memoryd " << info.version() << " at " << client.target() << '\n';
  try {
    client.agent("first-steps").end();
  } catch (const memoryd::AgentNotFound&) {
    std::cout << "a new agent\n";
  }
}

// [first steps]
void first_steps() {
  const memoryd::Client client({.origin = "first-steps"});
  memoryd::Agent agent = client.agent("first-steps");
  memoryd::Watch watch = agent.watch();  // from here on no commit is missed

  agent.set("user", {{"name", "Ada"}, {"likes", {"chess", "tea"}}},
            {.memory_type = memoryd::v1::MEMORY_TYPE_PREFERENCE});
  std::cout << "user: " << agent.get("user").value() << '\n';
  std::cout << "nothing there: " << !agent.get("nothing").has_value() << '\n';

  // Nobody's update is lost, and one factory runs among all callers.
  agent.update("visits", 0, [](int visits) { return visits + 1; });
  const auto greeting = agent.get_or_set("greeting", [] { return std::string("Good morning, Ada"); });
  std::cout << "greeting: " << greeting << '\n';

  // A scope falls back to its parent. It is disposed at the end of the block, here after its entries were copied up.
  {
    memoryd::Scope task = agent.scope("book a table", {.merge = memoryd::Conflict::overwrite});
    task.set("table", 7);
    std::cout << "in the task: " << task.get<int>("table").value() << ' ' << task.get<int>("visits").value() << '\n';
    task.close();  // the destructor would do it, too, but could not tell that it failed
  }
  std::cout << "after the task: " << agent.get<int>("table").value() << '\n';

  for (const auto& event : watch) {
    std::cout << event.revision() << ' ' << memoryd::v1::EventType_Name(event.type()) << ' ' << event.key() << '\n';
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
  const auto answer = agents.call(&memoryd::v1::AgentService::Stub::GetAgentStats, request);
  std::cout << "bytes used: " << answer.stats().storage_bytes_used() << '\n';
  std::cout << "ended with " << client.agent("first-steps").end().entries_cleared() << " entries\n";
}

}  // namespace

int main() {
  try {
    begin_anew();
    first_steps();
    end();
  } catch (const memoryd::Error& error) {
    std::cerr << "it did not work: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
