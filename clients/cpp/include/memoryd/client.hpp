#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "memoryd/agent.hpp"
#include "memoryd/watch.hpp"

namespace memoryd {

/// How to speak TLS. All files are PEM.
struct Tls {
  /// The certificates to trust; the machine's own when left out.
  std::filesystem::path ca_file{};
  /// The client's own certificate and its key, for mutual TLS.
  std::filesystem::path cert_file{};
  std::filesystem::path key_file{};
  /// The name to expect in the server's certificate when it is not the target's host.
  std::string server_name{};
};

/// How to reach the daemon.
struct ConnectOptions {
  /// HOST:PORT or unix:/path; MEMORYD_ADDRESS when left out, else 127.0.0.1:7600.
  std::string target{};
  /// The bearer token; MEMORYD_TOKEN when left out, if there is one.
  std::string token{};
  /// Speak TLS in this way; none speaks without.
  std::optional<Tls> tls{};
  /// A name for this writer, which its events carry.
  std::string origin{};
  /// How long a call may take with all its retries: a daemon that restarts meanwhile is waited for.
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
  /// How long a daemon that was never there is asked again.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(5);
};

/// One connection to one daemon. All threads may use it at once. Copies share the connection, as do the agents, scopes
/// and watches that came from it; it ends with the last of them.
class Client {
 public:
  /// Asks nothing of the daemon: the first call does.
  /// @throws InvalidTarget
  explicit Client(const ConnectOptions& options = {});

  /// The daemon's address.
  [[nodiscard]] const std::string& target() const noexcept;

  /// Returns the agent with this id. It does not call the daemon.
  [[nodiscard]] Agent agent(std::string agent_id) const;

  /// Watches what the request says, such as many agents.
  [[nodiscard]] Watch watch(const v1::WatchEventsRequest& request, const WatchPatience& patience = {}) const;

  /// Ends all calls and watches of this connection at once, from any thread: calls throw Cancelled, and who listens to
  /// a watch sees its end. So do later ones. Nothing needs it but an end that cannot wait.
  void close() noexcept;

 private:
  template <class Service>
  friend class Stub;

  std::shared_ptr<detail::Connection> connection_;
};

}  // namespace memoryd
