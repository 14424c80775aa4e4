#include "reply.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

#include "memoryd/error.hpp"

namespace conformance {
namespace {

/// Returns the name of the error's class, without its namespace.
std::string type_of(const memoryd::Error& error) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, nullptr), &std::free);
  const std::string qualified = name ? name.get() : "";
  return qualified.substr(qualified.rfind(':') + 1);
}

}  // namespace

nlohmann::json failure_reply(const std::exception& error) {
  nlohmann::json reply = {{"type", "Other"}, {"code", ""}, {"reason", ""}, {"message", error.what()}};
  if (const auto* known = dynamic_cast<const memoryd::Error*>(&error)) {
    const bool called = known->code() != memoryd::StatusCode::ok;
    reply["type"] = type_of(*known);
    reply["code"] = called ? memoryd::name(known->code()) : "";
    reply["reason"] = known->reason();
  }
  return {{"error", std::move(reply)}};
}

}  // namespace conformance
