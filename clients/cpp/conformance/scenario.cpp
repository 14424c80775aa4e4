#include "scenario.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "comparison.hpp"
#include "expected_error.hpp"
#include "memoryd/call.hpp"
#include "method.hpp"
#include "scenario_watch.hpp"
#include "variables.hpp"

namespace conformance {
namespace {

using nlohmann::json;

struct Watches {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<ScenarioWatch>> by_name;
};

/// Plays steps with saved values of its own, and with the watches of the whole scenario.
class Player {
 public:
  Player(std::shared_ptr<grpc::Channel> channel, Wrapped& wrapped, Watches& watches, Variables variables)
      : channel_(std::move(channel)), wrapped_(wrapped), watches_(watches), variables_(std::move(variables)) {}

  void play_all(const json& steps) {
    int number = 0;
    for (const auto& step : steps) {
      ++number;
      try {
        play(step);
      } catch (const std::exception& error) {
        throw std::runtime_error("step " + std::to_string(number) + ", " + title(step) + ": " + error.what());
      }
    }
  }

 private:
  using Play = void (Player::*)(const json& step);

  struct Kind {
    std::string_view name;
    std::vector<std::string_view> fields;
    Play play;
  };

  static const std::vector<Kind>& kinds() {
    static const std::vector<Kind> table = {
        {"call", {"call", "request", "response", "error", "save"}, &Player::call},
        {"watch", {"watch", "request", "error"}, &Player::watch},
        {"events", {"events", "expect"}, &Player::events},
        {"repeat", {"repeat", "steps"}, &Player::repeat},
        {"tasks", {"tasks", "steps"}, &Player::tasks},
    };
    return table;
  }

  static const Kind& kind_of(const json& step) {
    const auto found = std::ranges::find_if(kinds(), [&](const Kind& kind) { return step.contains(kind.name); });
    if (found == kinds().end()) {
      throw std::runtime_error("unknown kind of step");
    }
    return *found;
  }

  static std::string title(const json& step) {
    const auto found = std::ranges::find_if(kinds(), [&](const Kind& kind) { return step.contains(kind.name); });
    if (found == kinds().end()) {
      return "unknown";
    }
    const auto& subject = step.at(found->name);
    return std::string(found->name) + " " + (subject.is_string() ? subject.get<std::string>() : subject.dump());
  }

  void play(const json& step) {
    const auto& kind = kind_of(step);
    for (const auto& [field, _] : step.items()) {
      if (std::ranges::find(kind.fields, field) == kind.fields.end()) {
        throw std::runtime_error("unknown field " + field);
      }
    }
    (this->*kind.play)(step);
  }

  void call(const json& step) {
    const auto found = methods().find(step.at("call").get<std::string>());
    if (found == methods().end()) {
      throw std::runtime_error("there is no such method");
    }
    const auto outcome = found->second(channel_, wrapped_, replace(step.value("request", json::object()), variables_));
    if (step.contains("error")) {
      require_error(step.at("error"), outcome.status);
      return;
    }
    require_ok(outcome.status);
    if (step.contains("response")) {
      require(difference(replace(step.at("response"), variables_), outcome.response));
    }
    const auto saved = step.value("save", json::object());
    for (const auto& [name, path] : saved.items()) {
      variables_[name] = value_at(outcome.response, path.get<std::string>());
    }
  }

  void watch(const json& step) {
    auto watch = std::make_shared<ScenarioWatch>(channel_, replace(step.value("request", json::object()), variables_));
    const auto refused = watch->refused();
    if (step.contains("error")) {
      require_error(step.at("error"), refused.value_or(grpc::Status::OK));
      return;
    }
    require_ok(refused.value_or(grpc::Status::OK));
    const std::lock_guard lock(watches_.mutex);
    watches_.by_name[step.at("watch").get<std::string>()] = std::move(watch);
  }

  void events(const json& step) {
    const auto expected = replace(step.at("expect"), variables_);
    require(difference(expected, watch_named(step.at("events").get<std::string>())->take(expected.size())));
  }

  void repeat(const json& step) {
    auto outer = variables_.extract("n");
    for (int n = 0; n < step.at("repeat").get<int>(); ++n) {
      variables_["n"] = std::to_string(n);
      play_all(step.at("steps"));
    }
    variables_.erase("n");
    if (!outer.empty()) {
      variables_.insert(std::move(outer));
    }
  }

  void tasks(const json& step) {
    std::mutex mutex;
    std::exception_ptr failure;
    std::vector<std::jthread> threads;
    for (int task = 0; task < step.at("tasks").get<int>(); ++task) {
      auto variables = variables_;
      variables["task"] = std::to_string(task);
      threads.emplace_back([&, player = Player(channel_, wrapped_, watches_, std::move(variables))]() mutable {
        try {
          player.play_all(step.at("steps"));
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
        }
      });
    }
    threads.clear();  // joins them
    if (failure) {
      std::rethrow_exception(failure);
    }
  }

  std::shared_ptr<ScenarioWatch> watch_named(const std::string& name) {
    const std::lock_guard lock(watches_.mutex);
    const auto found = watches_.by_name.find(name);
    if (found == watches_.by_name.end()) {
      throw std::runtime_error("there is no watch of this name");
    }
    return found->second;
  }

  void require_error(const json& expected, const grpc::Status& status) const {
    if (status.ok()) {
      throw std::runtime_error("expected an error, got none");
    }
    require(difference(replace(expected, variables_), describe(status)));
  }

  static void require_ok(const grpc::Status& status) {
    if (!status.ok()) {
      throw std::runtime_error("expected no error, got " + describe(status).dump() + ": " + status.error_message());
    }
  }

  static void require(const std::optional<std::string>& different) {
    if (different) {
      throw std::runtime_error(*different);
    }
  }

  std::shared_ptr<grpc::Channel> channel_;
  Wrapped& wrapped_;
  Watches& watches_;
  Variables variables_;
};

void require_scenario(const json& scenario) {
  const bool whole = scenario.is_object() && scenario.size() == 3 && scenario.contains("scenario") &&
                     scenario.contains("rows") && scenario.contains("steps") && scenario.at("steps").is_array();
  if (!whole) {
    throw std::runtime_error("not a scenario: it must have scenario, rows and steps");
  }
}

}  // namespace

void play(const json& scenario, const std::shared_ptr<grpc::Channel>& channel, Wrapped& wrapped) {
  require_scenario(scenario);
  Watches watches;
  const Variables variables = {{"agent", "cpp-" + memoryd::new_request_id()},
                               {"other", "cpp-" + memoryd::new_request_id()}};
  Player(channel, wrapped, watches, variables).play_all(scenario.at("steps"));
}

}  // namespace conformance
