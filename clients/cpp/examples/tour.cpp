// A tour of the client: each kind of memory once, errors, and a daemon that is killed on the way.
//
// Run it while a daemon runs: it asks for the daemon to be killed and started again. MEMORYD_ADDRESS is the daemon's
// address, by default 127.0.0.1:7600. The tours of all languages print the same lines.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "memoryd/memoryd.hpp"

namespace {

using namespace std::chrono_literals;

struct Trip {
  std::string city = "nowhere";
  int nights = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Trip, city, nights)

void working_memory(memoryd::Agent& agent) {
  agent.set("trip", Trip{"Lisbon", 3}, {.expiry = 1h});
  const auto trip = agent.get<Trip>("trip").value();
  const auto entry = agent.get_entry("trip").value();
  std::cout << "trip: " << trip.city << ", " << trip.nights << " nights, "
            << (entry.has_expire_time() ? "expires" : "stays") << '\n';

  {
    memoryd::Scope scope = agent.scope("booking");  // its entries are gone at the end; reads fall back to the agent's
    scope.set("seat", "12A");
    const auto inherited = scope.get<Trip>("trip").value_or(Trip{});
    std::cout << "in the scope: " << inherited.city << ", seat " << scope.get<std::string>("seat").value_or("") << '\n';
  }
  std::cout << "after the scope: seat " << agent.get<std::string>("seat").value_or("none") << '\n';

  std::atomic<int> runs = 0;
  const auto greet = [&runs] {
    ++runs;
    return std::string("Good morning, Ada");
  };
  std::vector<std::future<std::string>> callers;
  for (int number = 0; number < 8; ++number) {
    callers.push_back(std::async(std::launch::async, [&] { return agent.get_or_set("greeting", greet); }));
  }
  std::set<std::string> greetings;
  for (auto& caller : callers) {
    greetings.insert(caller.get());
  }
  std::cout << "get or set: " << callers.size() << " callers, " << runs << " run, " << *greetings.begin() << '\n';

  auto tx = agent.transaction();  // all of it, or nothing
  const auto adults = tx.set("adults", 2);
  const auto children = tx.set("children", 1);
  const auto done = tx.commit();
  const bool is_one = done.get(adults).revision() == done.get(children).revision();
  std::cout << "transaction: " << (is_one ? "one revision" : "several") << '\n';
}

std::string next_key(memoryd::Watch& watch) {
  for (const auto& event : watch) {
    if (event.has_entry()) {
      return event.entry().key();
    }
  }
  throw std::logic_error("a watch does not end by itself");
}

void watch_across_a_kill(memoryd::Agent& agent) {
  memoryd::Watch watch = agent.watch({.key_prefix = "step-"});
  agent.set("step-1", "booked");
  std::cout << "watched: " << next_key(watch) << '\n';
  std::cout << "Kill the daemon, start it again, and press Enter." << std::endl;
  std::string line;
  std::getline(std::cin, line);
  agent.set("step-2", "packed");                        // is retried until the daemon is back
  std::cout << "watched: " << next_key(watch) << '\n';  // the watch has resumed by itself, and missed nothing
}

/// Returns the class of the error that a call throws.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const memoryd::InvalidArgument&) {
    return "InvalidArgument";
  } catch (const memoryd::RevisionMismatch&) {
    return "RevisionMismatch";
  } catch (const memoryd::WrongType&) {
    return "WrongType";
  } catch (const memoryd::RecordNotFound&) {
    return "RecordNotFound";
  }
  return "none";
}

void refusals(memoryd::Agent& agent) {
  std::cout << "a bad key: " << refusal([&] { agent.set("", 1); }) << '\n';
  const memoryd::ExpectedRevision before{agent.get_entry("trip").value().revision()};
  agent.set("trip", Trip{"Lisbon", 4});  // another writer is faster
  std::cout << "a lost race: " << refusal([&] { agent.set("trip", 0, {}, before); }) << '\n';
  std::cout << "a wrong type: " << refusal([&] { (void)agent.get<int>("trip"); }) << '\n';
  std::cout << "a missing record: " << refusal([&] { (void)agent.notes().get("nothing"); }) << '\n';

  std::stop_source stop;
  auto waiting = std::async(std::launch::async, [&] {
    return agent.fragments().take({.wait_duration = 60s, .call = {.stop = stop.get_token()}});
  });
  stop.request_stop();
  try {
    (void)waiting.get();
  } catch (const memoryd::Cancelled&) {
    std::cout << "a cancelled call: ended\n";
  }
}

void near_cache(memoryd::Agent& agent) {
  // A copy in this process: a read makes no call, and has the client's own writes at once.
  const memoryd::NearCache near = agent.near_cache();
  std::cout << "near cache: " << near.get<Trip>("trip").value_or(Trip{}).city << '\n';
  agent.set("trip", Trip{"Porto", 2});
  std::cout << "near cache: " << near.get<Trip>("trip").value_or(Trip{}).city << '\n';
}

void records(const memoryd::Agent& agent) {
  agent.memories().remember("Ada likes the window seat on trains.", {.importance = 0.8});
  agent.memories().remember("Ada's sister lives in Oslo.");
  const auto found = agent.memories().recall("Which seat does Ada like?", {.limit = 1});
  std::cout << "recalled: " << found.memories(0).memory().content() << '\n';

  agent.notes().create("Budget", "200 euros for one journey.");
  for (const auto& note : agent.notes().list()) {
    std::cout << "notes: " << note.title() << '\n';
  }

  const auto created = agent.plans().create(
      "Travel to Porto",
      {.conversation_id = "porto", .steps = {{.description = "book a train"}, {.description = "pack"}}});
  agent.plans().update_step(created.steps(0).step_id(), {.status = memoryd::v1::PLAN_STEP_STATUS_COMPLETED},
                            {.conversation_id = "porto"});
  const auto plan = agent.plans().get({.conversation_id = "porto"});
  const auto completed = std::ranges::count_if(
      plan.steps(), [](const auto& step) { return step.status() == memoryd::v1::PLAN_STEP_STATUS_COMPLETED; });
  std::cout << "plan: " << completed << " of " << plan.steps_size() << " steps completed, "
            << plan.steps(0).description() << '\n';

  std::istringstream file("A passport. A towel. A book.");  // or an std::ifstream
  const auto document =
      agent.documents().upload(file, {.title = "Packing list", .media_type = "text/plain"},
                               [](std::int64_t bytes) { std::cout << "uploaded: " << bytes << " bytes\n"; });
  const auto search = agent.documents().search("towel");
  std::cout << "document: " << document.title() << ", found in " << search.chunks_size() << " chunk\n";
}

void fragments(const memoryd::Agent& agent) {
  std::promise<void> both;
  std::set<std::string> seen;
  for (const auto* content : {"The train is late.", "Ada is hungry."}) {
    agent.fragments().create(content);
  }
  agent.fragments().flush();
  auto consumer = agent.fragments().on_flush([&](const memoryd::Delivery& delivery) {
    for (const auto& fragment : delivery.fragments) {
      if (seen.insert(fragment.content()).second && seen.size() == 2) {
        both.set_value();
      }
    }
  });
  both.get_future().get();
  consumer.close();  // once the handler has returned
  std::cout << "consumed: " << *seen.begin() << ' ' << *seen.rbegin() << '\n';
}

void compose(const memoryd::Agent& agent) {
  agent.conversations().append("porto",
                               {{.role = memoryd::v1::MESSAGE_ROLE_USER, .content = "Please book a seat for me."}});
  const auto context = agent.compose({.conversation_id = "porto",
                                      .max_tokens = 4'000,
                                      .sections = {{.text = memoryd::TextSource{.content = "You book journeys."}},
                                                   {.notes = memoryd::NotesSource{}},
                                                   {.plan = memoryd::PlanSource{}},
                                                   {.memories = memoryd::MemoriesSource{.limit = 1}},
                                                   {.messages = memoryd::MessagesSource{}}}});
  for (const auto& message : context.messages()) {
    const bool is_system = message.role() == memoryd::v1::MESSAGE_ROLE_SYSTEM;
    std::cout << "composed: " << (is_system ? "system" : "user") << ", " << message.section() << '\n';
  }
}

}  // namespace

int main() {
  try {
    const memoryd::Client client({.origin = "tour"});
    client.agent("tour").end();
    auto agent = client.agent("tour").user("ada");  // all that is written and read below is Ada's
    working_memory(agent);
    watch_across_a_kill(agent);
    refusals(agent);
    near_cache(agent);
    records(agent);
    fragments(agent);
    compose(agent);
    client.agent("tour").end();
  } catch (const memoryd::Error& error) {
    std::cerr << "error: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
