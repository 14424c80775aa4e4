#include "recording_daemon.hpp"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <utility>

namespace memoryd {

/// Reads one request, and answers it.
class RecordingDaemon::Reply : public grpc::ServerGenericBidiReactor {
 public:
  Reply(RecordingDaemon& daemon, std::string method) : daemon_(daemon), method_(std::move(method)) {
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    grpc::Slice bytes;
    if (!ok || !request_.DumpToSingleSlice(&bytes).ok()) {
      Finish(grpc::Status(grpc::StatusCode::INTERNAL, "there is no request"));
      return;
    }
    daemon_.record({std::move(method_), std::string(reinterpret_cast<const char*>(bytes.begin()), bytes.size())});
    StartWriteAndFinish(&response_, {}, grpc::Status::OK);
  }

  void OnDone() override { delete this; }

 private:
  RecordingDaemon& daemon_;
  std::string method_;
  grpc::ByteBuffer request_;
  grpc::Slice empty_;
  grpc::ByteBuffer response_{&empty_, 1};
};

RecordingDaemon::RecordingDaemon() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterCallbackGenericService(this);
  server_ = builder.BuildAndStart();
}

RecordingDaemon::~RecordingDaemon() { server_->Shutdown(); }

Agent RecordingDaemon::agent() const { return Client({.target = target()}).agent("a"); }

std::size_t RecordingDaemon::size() const {
  const std::lock_guard lock(mutex_);
  return calls_.size();
}

std::string RecordingDaemon::take(const std::string& method) {
  const std::lock_guard lock(mutex_);
  if (calls_.empty() || calls_.back().method != method) {
    throw std::out_of_range("the last request is none for " + method);
  }
  auto request = std::move(calls_.back().request);
  calls_.clear();
  return request;
}

grpc::ServerGenericBidiReactor* RecordingDaemon::CreateReactor(grpc::GenericCallbackServerContext* context) {
  return new Reply(*this, context->method());
}

void RecordingDaemon::record(Call call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
}

}  // namespace memoryd
