#include "connection.hpp"

#include <grpcpp/create_channel.h>

#include <array>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <random>
#include <string_view>
#include <utility>

#include "memoryd/stub.hpp"
#include "status.hpp"

namespace memoryd {

std::string new_request_id() {
  std::random_device random;
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", random(), random(), random(), random());
  return text.data();
}

namespace detail {

Connection::Connection(Settings settings)
    : settings_(std::move(settings)),
      channel_(grpc::CreateCustomChannel(settings_.target, settings_.credentials, settings_.channel_arguments)),
      agents_(channel_),
      events_(channel_),
      transactions_(channel_),
      working_memory_(channel_) {}

void Connection::prepare(grpc::ClientContext& context) const {
  for (const auto& [name, value] : settings_.metadata) {
    context.AddMetadata(name, value);
  }
}

void Connection::perform(bool repeatable, const CallOptions& options,
                         const std::function<grpc::Status(grpc::ClientContext&)>& attempt) {
  const auto timeout = options.timeout.value_or(settings_.timeout);
  const auto patience = connected_ ? timeout : settings_.connect_timeout;
  Attempts attempts(repeatable, timeout, patience, Clock::now());
  std::stop_source stop;
  const std::stop_callback by_caller(options.stop, [&stop] { stop.request_stop(); });
  const std::stop_callback by_client(closed_.get_token(), [&stop] { stop.request_stop(); });
  while (true) {
    const auto status = try_once(attempts.left(Clock::now()), stop.get_token(), attempt);
    if (status.ok()) {
      connected_ = true;
      return;
    }
    auto failed = failure(status);
    if (stop.stop_requested() && may_pass(failed)) {
      throw Cancelled({.message = "the caller stopped the call", .code = StatusCode::cancelled});
    }
    const auto delay = attempts.delay_after(failed, Clock::now(), random_chance());
    if (!delay) {
      throw_failure(std::move(failed));
    }
    wait_for(*delay, stop.get_token());
  }
}

namespace {

/// Returns words for the cause of a broken connection by gRPC's text, or that text if the cause is none of the usual.
std::string words_for(const std::string& text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kCauses{{
      {"onnection refused", "nothing listens there"},
      {"o such file", "there is no such socket"},
      {"ermission denied", "this user may not open the socket"},
      {"name not found", "there is no host of this name"},
      {"CERTIFICATE_VERIFY_FAILED", "the certificate was not accepted"},
      {"andshake", "the TLS handshake failed"},
      {"imed out", "there was no connection in time"},
      {"ocket closed", "the connection was cut"},
  }};
  for (const auto& [part, words] : kCauses) {
    if (text.find(part) != std::string::npos) {
      return std::string(words);
    }
  }
  return text;
}

}  // namespace

Failure Connection::failure(const grpc::Status& status) {
  auto failed = failure_of(status);
  if (!failed.reason.empty()) {
    connected_ = true;
  } else if (failed.code == StatusCode::unavailable) {
    failed.message = "no answer from memoryd at " + settings_.target + ": " + words_for(failed.message);
  }
  return failed;
}

grpc::Status Connection::try_once(Clock::duration timeout, const std::stop_token& stop,
                                  const std::function<grpc::Status(grpc::ClientContext&)>& attempt) const {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::duration_cast<std::chrono::system_clock::duration>(timeout));
  prepare(context);
  const std::stop_callback cancel(stop, [&context] { context.TryCancel(); });
  return attempt(context);
}

bool wait_for(std::chrono::nanoseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

void prepare(const Connection& connection, grpc::ClientContext& context) { connection.prepare(context); }

void perform(Connection& connection, bool repeatable, const CallOptions& options,
             const std::function<grpc::Status(grpc::ClientContext&)>& attempt) {
  connection.perform(repeatable, options, attempt);
}

std::shared_ptr<grpc::Channel> channel_of(const Connection& connection) { return connection.channel(); }

}  // namespace detail
}  // namespace memoryd
