#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "memoryd/client.hpp"

namespace memoryd::detail {

/// What a client is set to.
struct Settings {
  std::string target;
  /// What every call carries.
  std::map<std::string, std::string> metadata;
  std::shared_ptr<grpc::ChannelCredentials> credentials;
  grpc::ChannelArguments channel_arguments;
  std::chrono::milliseconds timeout;
  std::chrono::milliseconds connect_timeout;
};

/// Answers the value of a variable; empty when it is not set.
using Environment = std::function<std::string(const char* name)>;

/// The environment of this process.
[[nodiscard]] std::string process_environment(const char* name);

/// Throws InvalidTarget.
[[nodiscard]] Settings settings_of(const ConnectOptions& options, const Environment& environment = process_environment);

}  // namespace memoryd::detail
