#include "measure.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memoryd/near_cache.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace conformance {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kWarmUpCalls = 100;
constexpr std::size_t kMeasuredValueBytes = 200;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Returns what makes a call of this name.
std::function<void()> call_of(const memoryd::Agent& agent, const std::string& name) {
  if (name == "set") {
    const std::string value(kMeasuredValueBytes - 2, 'x');  // without the quotes of its JSON
    return [agent = memoryd::Agent(agent), value]() mutable { agent.set("measured", value); };
  }
  if (name == "get") {
    return [=] { (void)agent.get("measured"); };
  }
  if (name == "recall") {
    return [=] { (void)agent.memories().recall("Who signed the lease?"); };
  }
  if (name == "compose") {
    return [=] { (void)agent.compose({.conversation_id = "measured"}); };
  }
  throw std::runtime_error("there is no call " + name);
}

/// Has callers make `calls` calls, and returns the seconds of each.
std::vector<double> together(const std::function<void()>& call, int calls, int callers) {
  std::atomic<int> left = calls;
  const auto one_after_the_other = [&] {
    std::vector<double> took;
    while (left.fetch_sub(1) > 0) {
      const auto start = Clock::now();
      call();
      took.push_back(seconds_since(start));
    }
    return took;
  };
  std::vector<std::future<std::vector<double>>> running;
  running.reserve(static_cast<std::size_t>(callers));
  for (int caller = 0; caller < callers; ++caller) {
    running.push_back(std::async(std::launch::async, one_after_the_other));
  }
  std::vector<double> all;
  for (auto& each : running) {
    const auto took = each.get();
    all.insert(all.end(), took.begin(), took.end());
  }
  return all;
}

/// Measures all reads of a near cache at once: one takes about as long as reading the clock.
json near(const memoryd::Agent& agent, int calls) {
  const auto cache = agent.near_cache();
  const auto read = [&](int count) {
    for (int done = 0; done < count; ++done) {
      (void)cache.get<std::string>("measured");
    }
  };
  read(kWarmUpCalls);
  const auto start = Clock::now();
  read(calls);
  return {{"each_s", json::array()}, {"total_s", seconds_since(start)}};
}

}  // namespace

json measured(const memoryd::Agent& agent, const json& with) {
  const auto name = with.at("call").get<std::string>();
  if (name == "near_get") {
    return near(agent, with.at("calls"));
  }
  const auto call = call_of(agent, name);
  const int callers = std::max(with.value("callers", 1), 1);
  (void)together(call, kWarmUpCalls, callers);
  const auto start = Clock::now();
  const auto each_s = together(call, with.at("calls"), callers);
  return {{"each_s", each_s}, {"total_s", seconds_since(start)}};
}

}  // namespace conformance
