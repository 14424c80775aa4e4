#include "reply.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

#include "memoryd/error.hpp"

namespace conformance {
namespace {

/// The name of the error's class, without its namespace.
std::string type_of(const memoryd::Error& error) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, nullptr), &std::free);
  const std::string qualified = name ? name.get() : "";
  return qualified.substr(qualified.rfind(':') + 1);
}

}  // namespace

nlohmann::json failure_reply(const std::exception& error) {
  nlohmann::json told = {{"type", "Other"}, {"code", ""}, {"reason", ""}, {"message", error.what()}};
  if (const auto* known = dynamic_cast<const memoryd::Error*>(&error)) {
    const bool called = known->code() != memoryd::StatusCode::ok;
    told["type"] = type_of(*known);
    told["code"] = called ? memoryd::name(known->code()) : "";
    told["reason"] = known->reason();
  }
  return {{"error", std::move(told)}};
}

}  // namespace conformance
