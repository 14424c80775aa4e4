#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "memoryd/client.hpp"

namespace memoryd::detail {

/// The settings of a client.
struct Settings {
  std::string target;
  /// The headers that every call carries.
  std::map<std::string, std::string> metadata;
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  grpc::ChannelArguments channel_arguments;
  std::chrono::milliseconds timeout;
  std::chrono::milliseconds connect_timeout;
  std::optional<std::chrono::microseconds> batching{};
};

/// A function that returns the value of a variable, empty if it is not set.
using Environment = std::function<std::string(const char* name)>;

/// Returns a variable of this process's environment.
[[nodiscard]] std::string process_environment(const char* name);

/// Converts the options. Throws InvalidTarget.
[[nodiscard]] Settings settings_of(const ConnectOptions& options, const Environment& environment = process_environment);

}  // namespace memoryd::detail
