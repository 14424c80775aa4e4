#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "memoryd/agent.hpp"
#include "memoryd/watch.hpp"

namespace memoryd {

/// The options of TLS. All files are PEM.
struct Tls {
  /// The certificates to trust. Default: the machine's own.
  std::filesystem::path ca_file{};
  /// The client's own certificate and its key, for mutual TLS.
  std::filesystem::path cert_file{};
  std::filesystem::path key_file{};
  /// The name to verify in the server's certificate instead of the target's host.
  std::string server_name{};
};

/// The options of a client.
struct ConnectOptions {
  /// HOST:PORT or unix:/path. Default: MEMORYD_ADDRESS, else 127.0.0.1:7600.
  std::string target{};
  /// The bearer token. Default: MEMORYD_TOKEN, else none.
  std::string token{};
  /// The options of TLS. Default: no TLS.
  std::optional<Tls> tls{};
  /// If true, the token may be sent to another machine without TLS, as over a network that encrypts by itself.
  bool insecure_token = false;
  /// A name for this writer, which its events carry.
  std::string origin{};
  /// The timeout of a call with all its retries, which bridge a restart of the daemon.
  std::chrono::milliseconds timeout = std::chrono::seconds(10);
  /// The limit of the retries while no call has reached the daemon yet.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(5);
  /// If set, gets, sets and removes of entries that several threads call within this time are sent together, as one
  /// call each. Each has the result and the error that it has by itself. Writes with a condition, updates, reads with a
  /// Consistency and all other methods are sent by themselves. A call waits for up to this time before it is sent.
  std::optional<std::chrono::microseconds> batching{};
};

/// One connection to one daemon. All threads may use it at once. Copies share the connection, as do the agents, scopes
/// and watches that came from it; it is closed with the last of them.
class Client {
 public:
  /// Creates a client. The first call connects it.
  /// @throws InvalidTarget if the target, the token, the origin or the TLS files cannot be used, or if a token would be
  /// sent to another machine without TLS.
  explicit Client(const ConnectOptions& options = {});

  /// Returns the daemon's address.
  [[nodiscard]] const std::string& target() const noexcept;

  /// Returns the agent with this id. Does not call the daemon.
  [[nodiscard]] Agent agent(std::string agent_id) const;

  /// Watches the events that the request selects, such as those of many agents.
  [[nodiscard]] Watch watch(const v1::WatchEventsRequest& request, const WatchPatience& patience = {}) const;

  /// Ends all calls and watches of this connection at once, from any thread. Calls throw Cancelled, also later ones,
  /// and iterations over watches end. Only needed to end running calls early: the connection is also closed with its
  /// last object.
  void close() noexcept;

 private:
  template <class Service>
  friend class Stub;

  std::shared_ptr<detail::Connection> connection_;
};

}  // namespace memoryd
