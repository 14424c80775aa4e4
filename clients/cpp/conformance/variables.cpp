#include "variables.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "comparison.hpp"

namespace conformance {
namespace {

using nlohmann::json;

std::string replace_text(const std::string& text, const Variables& variables) {
  std::string replaced;
  std::size_t at = 0;
  for (auto begin = text.find("${"); begin != std::string::npos; begin = text.find("${", at)) {
    const auto end = text.find('}', begin);
    if (end == std::string::npos) {
      break;
    }
    const auto name = text.substr(begin + 2, end - begin - 2);
    const auto found = variables.find(name);
    if (found == variables.end()) {
      throw std::runtime_error("there is no variable " + name);
    }
    replaced += text.substr(at, begin - at) + found->second;
    at = end + 1;
  }
  return replaced + text.substr(at);
}

const json* child(const json& value, const std::string& name) {
  if (value.is_object()) {
    const auto found = value.find(name);
    return found == value.end() ? nullptr : &*found;
  }
  const bool is_index = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  if (value.is_array() && is_index && std::stoul(name) < value.size()) {
    return &value[std::stoul(name)];
  }
  return nullptr;
}

}  // namespace

json replace(const json& value, const Variables& variables) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return text == kPresent || text == kAbsent ? value : json(replace_text(text, variables));
  }
  auto replaced = value;
  if (value.is_structured()) {
    std::ranges::for_each(replaced, [&](json& item) { item = replace(item, variables); });
  }
  return replaced;
}

std::string value_at(const json& value, const std::string& path) {
  const json* found = &value;
  std::istringstream names(path);
  for (std::string name; std::getline(names, name, '.');) {
    found = child(*found, name);
    if (found == nullptr) {
      throw std::runtime_error("there is nothing to save at " + path);
    }
  }
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace conformance
