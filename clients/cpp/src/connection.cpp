#include "connection.hpp"

#include <grpcpp/create_channel.h>
#include <memoryd/v1/agent_service.grpc.pb.h>
#include <memoryd/v1/context_service.grpc.pb.h>
#include <memoryd/v1/conversation_service.grpc.pb.h>
#include <memoryd/v1/document_service.grpc.pb.h>
#include <memoryd/v1/entity_service.grpc.pb.h>
#include <memoryd/v1/event_service.grpc.pb.h>
#include <memoryd/v1/fragment_service.grpc.pb.h>
#include <memoryd/v1/long_term_memory_service.grpc.pb.h>
#include <memoryd/v1/note_service.grpc.pb.h>
#include <memoryd/v1/plan_service.grpc.pb.h>
#include <memoryd/v1/transaction_service.grpc.pb.h>
#include <memoryd/v1/working_memory_service.grpc.pb.h>

#include <array>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <random>
#include <string_view>
#include <tuple>
#include <utility>

#include "status.hpp"

namespace memoryd {

std::string new_request_id() {
  std::random_device random;
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", random(), random(), random(), random());
  return text.data();
}

namespace detail {

template <class... Services>
struct StubsOf {
  explicit StubsOf(const std::shared_ptr<grpc::Channel>& channel)
      : all((static_cast<void>(sizeof(Services)), channel)...) {}

  std::tuple<typename Services::Stub...> all;
};

struct Stubs : StubsOf<v1::AgentService, v1::ContextService, v1::ConversationService, v1::DocumentService,
                       v1::EntityService, v1::EventService, v1::FragmentService, v1::LongTermMemoryService,
                       v1::NoteService, v1::PlanService, v1::TransactionService, v1::WorkingMemoryService> {
  using StubsOf::StubsOf;
};

template <class Stub>
Stub& Connection::stub() noexcept {
  return std::get<Stub>(stubs_->all);
}

template v1::AgentService::Stub& Connection::stub() noexcept;
template v1::ContextService::Stub& Connection::stub() noexcept;
template v1::ConversationService::Stub& Connection::stub() noexcept;
template v1::DocumentService::Stub& Connection::stub() noexcept;
template v1::EntityService::Stub& Connection::stub() noexcept;
template v1::EventService::Stub& Connection::stub() noexcept;
template v1::FragmentService::Stub& Connection::stub() noexcept;
template v1::LongTermMemoryService::Stub& Connection::stub() noexcept;
template v1::NoteService::Stub& Connection::stub() noexcept;
template v1::PlanService::Stub& Connection::stub() noexcept;
template v1::TransactionService::Stub& Connection::stub() noexcept;
template v1::WorkingMemoryService::Stub& Connection::stub() noexcept;

Connection::Connection(Settings settings)
    : settings_(std::move(settings)),
      channel_(grpc::CreateCustomChannel(settings_.target, settings_.credentials, settings_.channel_arguments)),
      stubs_(std::make_shared<Stubs>(channel_)) {
  if (settings_.batching) {
    batcher_.emplace(*this, *settings_.batching);
  }
}

void Connection::prepare(grpc::ClientContext& context) const {
  for (const auto& [name, value] : settings_.metadata) {
    context.AddMetadata(name, value);
  }
}

void Connection::perform(bool repeatable, const CallOptions& options, const std::stop_token& last_attempt,
                         const std::function<grpc::Status(grpc::ClientContext&)>& attempt) {
  const auto timeout = options.timeout.value_or(settings_.timeout);
  const auto patience = connected_ ? timeout : settings_.connect_timeout;
  Attempts attempts(repeatable, timeout, patience, Clock::now());
  std::stop_source stop;
  const std::stop_callback by_caller(options.stop, [&stop] { stop.request_stop(); });
  const std::stop_callback by_client(closed_.get_token(), [&stop] { stop.request_stop(); });
  std::stop_source waiting;
  const auto end_wait = [&waiting] { waiting.request_stop(); };
  const std::stop_callback by_stop(stop.get_token(), end_wait);
  const std::stop_callback by_last_attempt(last_attempt, end_wait);
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
    if (!delay || !(wait_for(*delay, waiting.get_token()) || stop.stop_requested())) {
      throw_failure(std::move(failed));
    }
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

void perform(Connection& connection, const google::protobuf::Message& request,
             const google::protobuf::Message& response, const CallOptions& options, const std::stop_token& last_attempt,
             const std::function<grpc::Status(grpc::ClientContext&)>& attempt) {
  const auto until = Clock::now() + options.timeout.value_or(connection.settings().timeout);
  const auto write = connection.near_copies().begin(request);
  connection.perform(repeatable(*request.GetDescriptor()), options, last_attempt, attempt);
  write.end(response, until, options.stop);
}

std::shared_ptr<grpc::Channel> channel_of(const Connection& connection) { return connection.channel(); }

}  // namespace detail
}  // namespace memoryd
