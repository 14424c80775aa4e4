#pragma once

#include <google/protobuf/message.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "memoryd/memoryd.hpp"

namespace memoryd {
class RecordingDaemon;
}

namespace conformance {

class Given;

/// A function that calls the wrapper of a method with what a request says. Throws Unsayable if no arguments can say it.
using Wrapper = void (*)(const memoryd::Agent& agent, const Given& given);

/// Wrappers by the names of their methods, such as "NoteService.GetNote".
using Wrappers = std::map<std::string, Wrapper>;

/// Returns all wrappers.
[[nodiscard]] Wrappers wrappers();

/// Makes the requests of scenarios again, with the wrappers. All threads may use it.
class Wrapped {
 public:
  explicit Wrapped(Wrappers chosen = wrappers());
  ~Wrapped();

  /// Replaces a request by the one that the wrapper of the method makes for what it says, if there is a wrapper that
  /// can say it. Throws std::runtime_error if that is another one.
  void make_again(const std::string& method, google::protobuf::Message& request);

  /// Describes the requests that were made again: their number, and that of their methods.
  [[nodiscard]] std::string summary() const;

 private:
  std::unique_ptr<memoryd::RecordingDaemon> daemon_;
  memoryd::Client client_;
  Wrappers wrappers_;
  mutable std::mutex mutex_;
  std::map<std::string, int> calls_;
};

}  // namespace conformance
