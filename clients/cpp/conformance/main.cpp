// The program of this client for the conformance tests, which all languages share.

#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "driver.hpp"
#include "scenario.hpp"
#include "wrapped.hpp"
#include "yaml.hpp"

namespace {

using nlohmann::json;

constexpr int kMessageBytesMax = 64 * 1024 * 1024;

void print(const json& line) {
  // An error's message may quote bytes that are not UTF-8.
  std::cout << line.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
}

bool passes(const std::string& file, const std::shared_ptr<grpc::Channel>& channel, conformance::Wrapped& wrapped) {
  try {
    conformance::play(conformance::read_yaml(file), channel, wrapped);
  } catch (const std::exception& error) {
    print({{"file", file}, {"passed", false}, {"why", error.what()}});
    return false;
  }
  print({{"file", file}, {"passed", true}});
  return true;
}

int scenarios(const std::string& address, std::span<char*> files) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
  const auto channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  conformance::Wrapped wrapped;
  bool all_passed = true;
  for (const char* file : files) {
    all_passed = passes(file, channel, wrapped) && all_passed;
  }
  std::cerr << wrapped.summary() << '\n';
  return all_passed ? 0 : 1;
}

int drive() {
  conformance::Driver driver;
  for (std::string line; std::getline(std::cin, line);) {
    print(driver.reply(line));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  const std::string_view mode = argc > 1 ? arguments[1] : "";
  if (mode == "scenarios" && argc > 3) {
    return scenarios(arguments[2], arguments.subspan(3));
  }
  if (mode == "drive" && argc == 2) {
    return drive();
  }
  std::cerr << "usage: conformance scenarios ADDRESS FILE... | conformance drive\n";
  return 2;
}
