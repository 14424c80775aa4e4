#include "memoryd/test_daemon.hpp"

#include <fcntl.h>
#include <memoryd/v1/agent_service.grpc.pb.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "memoryd/agent.hpp"
#include "memoryd/call.hpp"
#include "memoryd/stub.hpp"

extern char** environ;

namespace memoryd {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kStartMax = 60s;
constexpr auto kStopMax = 30s;
constexpr auto kLookEach = 5ms;
constexpr const char* kAnyPort = "127.0.0.1:0";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string shared_address() { return variable("MEMORYD_TEST_ADDRESS"); }

std::string test_command() {
  const auto named = variable("MEMORYD_TEST_COMMAND");
  return named.empty() ? "memoryd" : named;
}

/// Returns pointers to texts, as functions of POSIX take them.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// Returns this process's environment without the settings of memoryd.
std::vector<std::string> environment() {
  std::vector<std::string> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    if (std::string_view(*each).substr(0, 8) != "MEMORYD_") {
      kept.emplace_back(*each);
    }
  }
  return kept;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Returns the address that a daemon serves by its log, or none if it does not yet.
std::optional<std::string> served_address(const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line, nullptr, false);
    if (record.is_object() && record.value("message", "") == "serving") {
      return record.value("listen", "");
    }
  }
  return std::nullopt;
}

}  // namespace

/// A running process, which writes its output into a file.
class TestDaemon::Process {
 public:
  Process(std::vector<std::string> command, const std::filesystem::path& log) {
    auto settings = environment();
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    const int error = posix_spawnp(&id_, command.front().c_str(), &actions, nullptr, pointers_to(command).data(),
                                   pointers_to(settings).data());
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      throw std::runtime_error(command.front() + " cannot be run: " + std::strerror(error) +
                               ": install memoryd-server, or set MEMORYD_TEST_COMMAND");
    }
  }

  ~Process() {
    if (!ended()) {
      ::kill(id_, SIGTERM);
      const auto give_up_at = Clock::now() + kStopMax;
      while (!ended() && Clock::now() < give_up_at) {
        std::this_thread::sleep_for(kLookEach);
      }
    }
    kill();
  }

  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] bool ended() {
    has_ended_ = has_ended_ || waitpid(id_, nullptr, WNOHANG) == id_;
    return has_ended_;
  }

  void kill() {
    if (!has_ended_) {
      ::kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
      has_ended_ = true;
    }
  }

 private:
  pid_t id_ = 0;
  bool has_ended_ = false;
};

TestDaemon::TestDaemon(std::vector<std::string> flags) : flags_(std::move(flags)), address_(shared_address()) {
  if (address_.empty()) {
    folder_ = std::filesystem::temp_directory_path() / ("memoryd-" + new_request_id());
    std::filesystem::create_directory(folder_);
    try {
      start();
    } catch (...) {
      std::filesystem::remove_all(folder_);
      throw;
    }
  }
}

TestDaemon::~TestDaemon() {
  for (const auto& agent_id : agent_ids_) {
    try {
      v1::EndAgentRequest request;
      request.set_agent_id(agent_id);
      request.set_erase(true);
      Stub<v1::AgentService>(client()).call(&v1::AgentService::Stub::EndAgent, request);
    } catch (const std::exception&) {
      // The next agent may still be erased.
    }
  }
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Client TestDaemon::client(ConnectOptions options) const {
  options.target = address_;
  return Client(options);
}

Agent TestDaemon::agent(ConnectOptions options) {
  auto agent_id = "test-" + new_request_id();
  if (folder_.empty()) {
    const std::lock_guard lock(mutex_);
    agent_ids_.insert(agent_id);
  }
  return client(std::move(options)).agent(std::move(agent_id));
}

std::string TestDaemon::log() const { return folder_.empty() ? "" : text_of(folder_ / "log"); }

void TestDaemon::kill() {
  if (folder_.empty()) {
    throw std::logic_error("the daemon at MEMORYD_TEST_ADDRESS is not killed: it is not of this test alone");
  }
  if (process_) {
    process_->kill();
    process_.reset();
  }
}

void TestDaemon::start() {
  if (folder_.empty() || process_) {
    throw std::logic_error("the daemon runs");
  }
  std::vector<std::string> command{test_command(), "serve", "--listen", address_.empty() ? kAnyPort : address_};
  const auto data = (folder_ / "data").string();
  for (const auto* flag :
       {"--data-dir", data.c_str(), "--durability", "memory", "--log-level", "info", "--log-format", "json"}) {
    command.emplace_back(flag);
  }
  command.insert(command.end(), flags_.begin(), flags_.end());
  process_ = std::make_unique<Process>(std::move(command), folder_ / "log");
  const auto give_up_at = Clock::now() + kStartMax;
  while (true) {
    const bool has_ended = process_->ended();
    if (const auto served = served_address(log())) {
      address_ = *served;
      return;
    }
    if (has_ended || Clock::now() > give_up_at) {
      process_->kill();
      process_.reset();
      throw std::runtime_error("the daemon " + std::string(has_ended ? "ended" : "did not start in time") +
                               "; it logged:\n" + log());
    }
    std::this_thread::sleep_for(kLookEach);
  }
}

}  // namespace memoryd
