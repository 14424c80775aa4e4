#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "memoryd/client.hpp"

namespace memoryd {

/// A real daemon for the tests of programs that use memoryd, which ends with this object. Link memoryd::testing.
///
/// The daemon is the command that MEMORYD_TEST_COMMAND names, else `memoryd` in PATH. It listens on a free port of this
/// machine, keeps its data in a temporary folder, and takes no settings from the environment. If MEMORYD_TEST_ADDRESS
/// is set, no daemon is started: the one at that address is used, and the flags are ignored.
///
/// All threads may use its clients and agents; start(), kill() and the destructor have one caller at a time.
class TestDaemon {
 public:
  /// Starts a daemon with further flags of `memoryd serve`. It keeps nothing beyond its end, unless a flag says
  /// `--durability`.
  /// @throws std::runtime_error if it cannot be started. The message has what the daemon logged.
  explicit TestDaemon(std::vector<std::string> flags = {});

  /// Ends the daemon, and removes its data. Agents in the daemon at MEMORYD_TEST_ADDRESS are erased. Never throws.
  ~TestDaemon();

  TestDaemon(const TestDaemon&) = delete;
  TestDaemon& operator=(const TestDaemon&) = delete;

  /// Returns the address of the daemon, such as for ConnectOptions::target.
  [[nodiscard]] const std::string& address() const noexcept { return address_; }

  /// Returns a client of the daemon. The target of the options is ignored.
  [[nodiscard]] Client client(ConnectOptions options = {}) const;

  /// Returns an agent that no other test uses, of a client of its own.
  [[nodiscard]] Agent agent(ConnectOptions options = {});

  /// Returns what the daemon has logged, for the message of a test that fails. Empty for the daemon at
  /// MEMORYD_TEST_ADDRESS.
  [[nodiscard]] std::string log() const;

  /// Ends the daemon at once, as a crash does. Does nothing if it does not run.
  /// @throws std::logic_error for the daemon at MEMORYD_TEST_ADDRESS.
  void kill();

  /// Starts a daemon that was killed again, at its address and with the data that its durability has kept.
  /// @throws std::runtime_error if it cannot be started, std::logic_error if it runs.
  void start();

 private:
  class Process;

  std::vector<std::string> flags_;
  std::filesystem::path folder_;
  std::string address_;
  // None while the daemon does not run, and for the one at MEMORYD_TEST_ADDRESS.
  std::unique_ptr<Process> process_;
  std::mutex mutex_;
  // The agents to erase.
  std::set<std::string> agent_ids_;
};

}  // namespace memoryd
