#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "memoryd/memoryd.hpp"

namespace memoryd {

/// A server that records the requests of all methods, and answers each with an empty response.
class RecordingDaemon : private grpc::CallbackGenericService {
 public:
  RecordingDaemon();
  ~RecordingDaemon() override;

  RecordingDaemon(const RecordingDaemon&) = delete;
  RecordingDaemon& operator=(const RecordingDaemon&) = delete;

  /// Returns the address of the server.
  [[nodiscard]] std::string target() const { return "127.0.0.1:" + std::to_string(port_); }

  /// Returns an agent whose requests are recorded.
  [[nodiscard]] Agent agent() const;

  /// Returns the number of requests.
  [[nodiscard]] std::size_t size() const;

  /// Returns the last request for a method, such as "/memoryd.v1.NoteService/GetNote", as a message.
  template <class Request>
  [[nodiscard]] Request last(const std::string& method) const {
    const std::lock_guard lock(mutex_);
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
      Request request;
      if (call->method == method && request.ParseFromString(call->request)) {
        return request;
      }
    }
    throw std::out_of_range("there is no request for " + method);
  }

  /// Returns the last request, which must be one for a method, as bytes, and forgets all requests.
  [[nodiscard]] std::string take(const std::string& method);

 private:
  struct Call {
    std::string method;
    std::string request;
  };
  class Reply;

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;
  void record(Call call);

  mutable std::mutex mutex_;
  std::vector<Call> calls_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace memoryd
