#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "driver_watch.hpp"
#include "memoryd/memoryd.hpp"

namespace conformance {

/// Runs commands with the client in order.
class Driver {
 public:
  /// Runs a command, and returns the reply: {"result": …} or {"error": …}. Never throws.
  [[nodiscard]] nlohmann::json reply(const std::string& line);

 private:
  using json = nlohmann::json;
  using Command = json (Driver::*)(const json& with);

  static const std::map<std::string, Command>& commands();

  json connect(const json& with);
  json set(const json& with);
  json get(const json& with);
  json set_native(const json& with);
  json get_native(const json& with);
  json update(const json& with);
  json get_or_set(const json& with);
  json watch(const json& with);
  json watched(const json& with);
  json unwatch(const json& with);
  json measure(const json& with);

  [[nodiscard]] memoryd::Agent agent(const json& with) const;

  memoryd::ConnectOptions options_;
  std::optional<memoryd::Client> client_;
  std::map<std::string, std::unique_ptr<DriverWatch>> watches_;
};

}  // namespace conformance
