#include "memoryd/watch.hpp"

#include <memoryd/v1/event_service.grpc.pb.h>

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "connection.hpp"
#include "status.hpp"
#include "watch_progress.hpp"

namespace memoryd {
namespace {

using namespace std::chrono_literals;

// A connection attempt fails by itself after the connect timeout. This limits a server that accepts the call but sends
// nothing.
constexpr std::chrono::milliseconds kOpeningGrace = 1s;

const grpc::Status& stream_ended() {
  static const grpc::Status status(grpc::StatusCode::UNAVAILABLE, "the server ended the watch");
  return status;
}

}  // namespace

/// The stream of a watch. One thread reads it, while others may close it and call the getters: the mutex guards the
/// state that they share.
class Watch::Stream {
 public:
  Stream(std::shared_ptr<detail::Connection> connection, v1::WatchEventsRequest request, WatchPatience patience)
      : connection_(std::move(connection)),
        stop_(std::move(patience.stop)),
        progress_(std::move(request), connection_->settings().connect_timeout, patience.outage_max,
                  detail::Clock::now()),
        close_when_stopped_(stop_, [this] { close(); }),
        close_with_client_(connection_->closed(), [this] { close(); }) {}

  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  ~Stream() {
    close();
    finish();
  }

  /// Opens the watch, and waits for its first message.
  void open() {
    const auto opening_max = connection_->settings().connect_timeout + kOpeningGrace;
    bool too_late = false;
    {
      const std::jthread alarm([&](const std::stop_token& opened) {
        if (detail::wait_for(opening_max, opened)) {
          too_late = true;
          close();
        }
      });
      opened_ = receive();
    }
    if (too_late) {
      throw DeadlineExceeded({.message = "the watch did not open in time", .code = StatusCode::deadline_exceeded});
    }
    if (!opened_) {
      throw Cancelled({.message = "the caller stopped the watch", .code = StatusCode::cancelled});
    }
    if (opened_->events.empty()) {
      delivered(*opened_);
    }
  }

  std::optional<WatchMessage> next_message() {
    auto message = next_received();
    current_.reset();
    if (message) {
      delivered(*message);
    }
    return message;
  }

  std::optional<v1::Event> next_event() {
    while (!current_ || next_event_ == current_->events.size()) {
      current_ = next_received();
      next_event_ = 0;
      if (!current_) {
        return std::nullopt;
      }
      if (current_->events.empty()) {
        delivered(*current_);
      }
    }
    auto event = std::move(current_->events[next_event_++]);
    if (next_event_ == current_->events.size()) {
      delivered(*current_);
    }
    return event;
  }

  void close() noexcept {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (context_) {
      context_->TryCancel();
    }
    closing_.notify_all();
  }

  template <class Property>
  Property read(Property (*getter)(const detail::WatchProgress&)) const {
    const std::lock_guard lock(mutex_);
    return getter(progress_);
  }

 private:
  std::optional<WatchMessage> next_received() {
    if (opened_) {
      return std::exchange(opened_, std::nullopt);
    }
    return receive();
  }

  /// Returns the next message, and reconnects if necessary; none once the watch is closed.
  std::optional<WatchMessage> receive() {
    while (reader_ || connect()) {
      v1::WatchEventsResponse response;
      if (reader_->Read(&response)) {
        const std::lock_guard lock(mutex_);
        return progress_.receive(std::move(response));
      }
      if (auto message = recover(finish())) {
        return message;
      }
    }
    return std::nullopt;
  }

  bool connect() {
    v1::WatchEventsRequest request;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) {
        return false;
      }
      request = progress_.request();
      context_ = std::make_unique<grpc::ClientContext>();
      connection_->prepare(*context_);
    }
    reader_ = connection_->stub<v1::EventService::Stub>().WatchEvents(context_.get(), request);
    return true;
  }

  /// Ends the stream, and returns its status. A stream that is still open has been cancelled before, so that Read()
  /// ends.
  grpc::Status finish() {
    if (!reader_) {
      return grpc::Status::OK;
    }
    for (v1::WatchEventsResponse unread; reader_->Read(&unread);) {
    }
    auto status = reader_->Finish();
    reader_.reset();
    const std::lock_guard lock(mutex_);
    context_.reset();
    return status;
  }

  /// Waits before the next connection. Returns a message if the initial state begins again. Throws the error if there
  /// is no further connection.
  std::optional<WatchMessage> recover(const grpc::Status& status) {
    std::unique_lock lock(mutex_);
    if (closed_) {
      return std::nullopt;
    }
    auto failure = connection_->failure(status.ok() ? stream_ended() : status);
    const auto delay = progress_.delay_after(failure, detail::Clock::now(), detail::random_chance());
    if (!delay) {
      closed_ = true;
      detail::throw_failure(std::move(failure));
    }
    if (closing_.wait_for(lock, *delay, [this] { return closed_; })) {
      return std::nullopt;
    }
    return progress_.restart();
  }

  void delivered(const WatchMessage& message) {
    const std::lock_guard lock(mutex_);
    progress_.delivered(message);
  }

  std::shared_ptr<detail::Connection> connection_;
  std::stop_token stop_;

  mutable std::mutex mutex_;
  std::condition_variable closing_;
  detail::WatchProgress progress_;
  bool closed_ = false;
  std::unique_ptr<grpc::ClientContext> context_;

  std::unique_ptr<grpc::ClientReader<v1::WatchEventsResponse>> reader_;
  std::optional<WatchMessage> opened_;
  std::optional<WatchMessage> current_;
  std::size_t next_event_ = 0;

  // Declared last, so that the callbacks are destroyed before the members that they use.
  std::stop_callback<std::function<void()>> close_when_stopped_;
  std::stop_callback<std::function<void()>> close_with_client_;
};

Watch::Watch(std::shared_ptr<detail::Connection> connection, v1::WatchEventsRequest request, WatchPatience patience)
    : stream_(std::make_unique<Stream>(std::move(connection), std::move(request), std::move(patience))) {
  stream_->open();
}

Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;
Watch::~Watch() = default;

std::optional<v1::Event> Watch::next() { return stream_->next_event(); }

std::optional<WatchMessage> Watch::next_message() { return stream_->next_message(); }

void Watch::close() noexcept { stream_->close(); }

std::string Watch::resume_token() const {
  return stream_->read<std::string>([](const detail::WatchProgress& progress) { return progress.resume_token(); });
}

std::int64_t Watch::revision() const {
  return stream_->read<std::int64_t>([](const detail::WatchProgress& progress) { return progress.revision(); });
}

bool Watch::initial_state_complete() const {
  return stream_->read<bool>([](const detail::WatchProgress& progress) { return progress.initial_state_complete(); });
}

int Watch::resumes() const {
  return stream_->read<int>([](const detail::WatchProgress& progress) { return progress.resumes(); });
}

}  // namespace memoryd
