#include "settings.hpp"

#include <arpa/inet.h>
#include <grpc/grpc.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "memoryd/error.hpp"

namespace memoryd::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kDefaultTarget = "127.0.0.1:7600";
constexpr int kMessageBytesMax = 64 * 1024 * 1024;
constexpr int kKeepaliveTimeMs = 20'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
constexpr int kReconnectFirstMs = 100;
constexpr int kReconnectLongestMs = 1'000;
constexpr std::chrono::milliseconds kAttemptTimeoutMin = 1s;

[[noreturn]] void refuse_target(std::string message) { throw InvalidTarget({.message = std::move(message)}); }

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port > 0;
}

bool is_host_and_port(std::string_view target) {
  const auto colon = target.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || !is_port(target.substr(colon + 1))) {
    return false;
  }
  const auto host = target.substr(0, colon);
  // An IPv6 host needs brackets: without them the start of the port is ambiguous.
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  return bracketed || host.find(':') == std::string_view::npos;
}

std::string target_of(const std::string& given, const Environment& environment) {
  std::string target = given.empty() ? environment("MEMORYD_ADDRESS") : given;
  if (target.empty()) {
    target = kDefaultTarget;
  }
  if (target == "unix:" || target == "unix://") {
    refuse_target("the address '" + target + "' names no socket: use unix:/path");
  }
  if (!target.starts_with("unix:") && !is_host_and_port(target)) {
    refuse_target("the address '" + target + "' is neither HOST:PORT nor unix:/path");
  }
  return target;
}

/// Returns true if what is sent to a valid target stays on this machine. A host name other than localhost may be that
/// of another machine.
bool is_this_machine(const std::string& target) {
  if (target.starts_with("unix:")) {
    return true;
  }
  std::string host = target.substr(0, target.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  if (in_addr address{}; inet_pton(AF_INET, host.c_str(), &address) == 1) {
    return ntohl(address.s_addr) >> 24U == IN_LOOPBACKNET;
  }
  if (in6_addr address{}; inet_pton(AF_INET6, host.c_str(), &address) == 1) {
    return IN6_IS_ADDR_LOOPBACK(&address);
  }
  return std::ranges::equal(host, std::string_view("localhost"), {},
                            [](unsigned char letter) { return std::tolower(letter); });
}

/// Returns the text of a header. Refuses characters that HTTP/2 does not allow, for which gRPC would abort the process.
std::string header_of(std::string_view what, std::string text) {
  if (!std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; })) {
    refuse_target("the " + std::string(what) + " has characters that are not printable ASCII");
  }
  return text;
}

std::string content_of(const std::filesystem::path& file) {
  if (file.empty()) {
    return {};
  }
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  // The output stream fails if it receives nothing, as from a directory or an empty file.
  if (!stream || !content) {
    refuse_target("the TLS file '" + file.string() + "' cannot be read, or is empty");
  }
  return content.str();
}

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const std::optional<Tls>& tls) {
  if (!tls) {
    return grpc::InsecureChannelCredentials();
  }
  if (tls->cert_file.empty() != tls->key_file.empty()) {
    refuse_target("a client certificate needs both cert_file and key_file");
  }
  return grpc::SslCredentials({.pem_root_certs = content_of(tls->ca_file),
                               .pem_private_key = content_of(tls->key_file),
                               .pem_cert_chain = content_of(tls->cert_file)});
}

grpc::ChannelArguments channel_arguments_of(const ConnectOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectFirstMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectLongestMs);
  // gRPC reconnects only after a new resolution, of which it would allow one in 30 s.
  arguments.SetInt(GRPC_ARG_DNS_MIN_TIME_BETWEEN_RESOLUTIONS_MS, kReconnectFirstMs);
  // Despite its name this is the timeout of one attempt to connect.
  const auto connect_ms = std::max(kAttemptTimeoutMin, options.connect_timeout).count();
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, static_cast<int>(std::min<std::int64_t>(connect_ms, INT32_MAX)));
  // Without it all channels of a process to one target share a connection, and wait for each other's backoff.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // The daemon refuses versions with which it does not work.
  arguments.SetUserAgentPrefix("memoryd-cpp/" MEMORYD_VERSION);
  // The daemon runs near its client: never go through a web proxy.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (options.tls && !options.tls->server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.tls->server_name);
  }
  return arguments;
}

std::map<std::string, std::string> metadata_of(const ConnectOptions& options, const std::string& target,
                                               const Environment& environment) {
  std::map<std::string, std::string> metadata;
  const auto token = options.token.empty() ? environment("MEMORYD_TOKEN") : options.token;
  if (!token.empty()) {
    if (!options.tls && !options.insecure_token && !is_this_machine(target)) {
      refuse_target("the token would be sent to " + target + " in the clear: use TLS, or allow it by insecure_token");
    }
    metadata["authorization"] = header_of("token", "Bearer " + token);
  }
  if (!options.origin.empty()) {
    metadata["memoryd-origin"] = header_of("origin", options.origin);
  }
  return metadata;
}

}  // namespace

std::string process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Settings settings_of(const ConnectOptions& options, const Environment& environment) {
  auto target = target_of(options.target, environment);
  auto metadata = metadata_of(options, target, environment);
  return {
      .target = std::move(target),
      .metadata = std::move(metadata),
      .credentials = credentials_of(options.tls),
      .channel_arguments = channel_arguments_of(options),
      .timeout = options.timeout,
      .connect_timeout = options.connect_timeout,
      .batching = options.batching,
  };
}

}  // namespace memoryd::detail
