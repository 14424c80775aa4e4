#include "driver.hpp"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

#include "measure.hpp"
#include "reply.hpp"

namespace conformance {
namespace {

using nlohmann::json;

constexpr std::chrono::microseconds kBatchingWindow(500);

std::chrono::milliseconds milliseconds(const json& seconds) {
  const std::chrono::duration<double> exact(seconds.get<double>());
  return std::chrono::duration_cast<std::chrono::milliseconds>(exact);
}

/// Adds 1 to the integer under the key, by a transaction on what was read.
std::int64_t increment(const memoryd::Agent& agent, const std::string& key) {
  while (true) {
    const auto entry = agent.get_entry(key);
    const auto value = (entry ? memoryd::value_of<std::int64_t>(*entry) : 0) + 1;
    auto transaction = agent.transaction();
    transaction.set(key, value, {}, memoryd::ExpectedRevision{entry ? entry->revision() : 0});
    try {
      (void)transaction.commit();
      return value;
    } catch (const memoryd::RevisionMismatch&) {
      continue;  // another writer was faster
    }
  }
}

}  // namespace

const std::map<std::string, Driver::Command>& Driver::commands() {
  static const std::map<std::string, Command> table = {
      {"connect", &Driver::connect},
      {"set", &Driver::set},
      {"get", &Driver::get},
      {"set_native", &Driver::set_native},
      {"get_native", &Driver::get_native},
      {"update", &Driver::update},
      {"get_or_set", &Driver::get_or_set},
      {"watch", &Driver::watch},
      {"watched", &Driver::watched},
      {"unwatch", &Driver::unwatch},
      {"measure", &Driver::measure},
  };
  return table;
}

json Driver::reply(const std::string& line) {
  try {
    const auto command = json::parse(line);
    const auto found = commands().find(command.at("do").get<std::string>());
    if (found == commands().end()) {
      throw std::runtime_error("there is no such command");
    }
    return {{"result", (this->*found->second)(command)}};
  } catch (const std::exception& error) {
    return failure_reply(error);
  }
}

json Driver::connect(const json& with) {
  memoryd::ConnectOptions options{
      .target = with.at("target"),
      .token = with.value("token", ""),
      .origin = with.value("origin", ""),
  };
  if (with.contains("ca_file")) {
    options.tls = memoryd::Tls{.ca_file = with.at("ca_file").get<std::string>()};
  }
  if (with.contains("timeout_s")) {
    options.timeout = milliseconds(with.at("timeout_s"));
  }
  if (with.contains("connect_timeout_s")) {
    options.connect_timeout = milliseconds(with.at("connect_timeout_s"));
  }
  watches_.clear();
  client_.reset();
  client_.emplace(options);
  options_ = std::move(options);
  return json::object();
}

json Driver::set(const json& with) {
  const memoryd::Json value(with.at("value_json"));
  return {{"revision", agent(with).set(with.at("key").get<std::string>(), value).revision()}};
}

json Driver::get(const json& with) {
  const auto value = agent(with).get<memoryd::Json>(with.at("key").get<std::string>());
  return {{"found", value.has_value()}, {"value_json", value ? value->text() : ""}};
}

json Driver::set_native(const json& with) {
  const auto value = json::parse(with.at("value_json").get<std::string>());
  return {{"revision", agent(with).set(with.at("key").get<std::string>(), value).revision()}};
}

json Driver::get_native(const json& with) {
  const auto value = agent(with).get(with.at("key").get<std::string>());
  return {{"found", value.has_value()}, {"value_json", value ? value->dump() : ""}};
}

json Driver::update(const json& with) {
  auto agent = this->agent(with);
  const std::string key = with.at("key");
  std::int64_t last = 0;
  for (int done = 0; done < with.at("count").get<int>(); ++done) {
    last = with.value("transaction", false)
               ? increment(agent, key)
               : agent.update(key, std::int64_t{0}, [](std::int64_t value) { return value + 1; });
  }
  return {{"last", last}};
}

json Driver::get_or_set(const json& with) {
  memoryd::GetOrSetOptions options;
  if (with.contains("lease_s")) {
    options.lease = milliseconds(with.at("lease_s"));
  }
  if (with.contains("wait_s")) {
    options.wait = milliseconds(with.at("wait_s"));
  }
  bool made = false;
  const auto factory = [&] {
    made = true;
    std::this_thread::sleep_for(milliseconds(with.value("factory_s", json(0))));
    if (with.value("fail", false)) {
      throw std::runtime_error("the factory fails as requested");
    }
    return json::parse(with.at("value_json").get<std::string>());
  };
  const auto value = agent(with).get_or_set(with.at("key").get<std::string>(), factory, options);
  return {{"value_json", value.dump()}, {"made", made}};
}

json Driver::watch(const json& with) {
  memoryd::WatchOptions options{.key_prefix = with.value("key_prefix", "")};
  if (with.value("initial_state", false)) {
    options.start = memoryd::InitialState{};
  }
  if (const auto token = with.value("resume_token", ""); !token.empty()) {
    options.start = memoryd::ResumeToken{token};
  }
  if (with.contains("outage_max_s")) {
    options.patience.outage_max = milliseconds(with.at("outage_max_s"));
  }
  watches_[with.at("name")] = std::make_unique<DriverWatch>(agent(with).watch(options));
  return json::object();
}

json Driver::watched(const json& with) {
  const auto found = watches_.find(with.at("name").get<std::string>());
  if (found == watches_.end()) {
    throw std::runtime_error("there is no watch of this name");
  }
  return found->second->watched(with.at("count"), milliseconds(with.at("timeout_s")));
}

json Driver::unwatch(const json& with) {
  watches_.erase(with.at("name").get<std::string>());
  return json::object();
}

json Driver::measure(const json& with) {
  if (with.value("batching", false)) {
    auto options = options_;
    options.batching = kBatchingWindow;
    return measured(memoryd::Client(options).agent(with.at("agent")), with);
  }
  return measured(agent(with), with);
}

memoryd::Agent Driver::agent(const json& with) const {
  if (!client_) {
    throw std::runtime_error("there is no client: connect first");
  }
  return client_->agent(with.at("agent"));
}

}  // namespace conformance
