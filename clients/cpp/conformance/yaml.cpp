#include "yaml.hpp"

#include <yaml-cpp/yaml.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace conformance {
namespace {

using nlohmann::json;

// The tags that yaml-cpp gives to scalars without a tag.
constexpr const char* kPlainTag = "?";
constexpr const char* kQuotedTag = "!";

json plain_scalar(const std::string& text) {
  auto value = json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_primitive() && !value.is_discarded() && !value.is_string() ? value : json(text);
}

/// Returns null only for the word of JSON. yaml-cpp reads five words as null, of which one is empty, and does not say
/// which one it found; the others are strings here.
json null_scalar(const std::string& text, const YAML::Mark& mark) {
  const auto begins_with = [&](const std::string& word) {
    return text.compare(static_cast<std::size_t>(mark.pos), word.size(), word) == 0;
  };
  for (const std::string word : {"~", "Null", "NULL"}) {
    if (begins_with(word)) {
      return word;
    }
  }
  return begins_with("null") ? json(nullptr) : json("");
}

json json_of(const YAML::Node& node, const std::string& text) {
  switch (node.Type()) {
    case YAML::NodeType::Null:
      return null_scalar(text, node.Mark());
    case YAML::NodeType::Scalar:
      if (node.Tag() != kPlainTag && node.Tag() != kQuotedTag) {
        throw std::runtime_error("the tag " + node.Tag() + " is not allowed in scenarios");
      }
      return node.Tag() == kQuotedTag ? json(node.Scalar()) : plain_scalar(node.Scalar());
    case YAML::NodeType::Sequence: {
      json items = json::array();
      for (const auto& item : node) {
        items.push_back(json_of(item, text));
      }
      return items;
    }
    case YAML::NodeType::Map: {
      json fields = json::object();
      for (const auto& field : node) {
        const auto [_, added] = fields.emplace(field.first.Scalar(), json_of(field.second, text));
        if (!added) {
          throw std::runtime_error("duplicate key " + field.first.Scalar());
        }
      }
      return fields;
    }
    case YAML::NodeType::Undefined:
      break;
  }
  throw std::runtime_error("invalid YAML");
}

}  // namespace

json parse_yaml(const std::string& text) { return json_of(YAML::Load(text), text); }

json read_yaml(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw std::runtime_error("the file cannot be read");
  }
  return parse_yaml(text.str());
}

}  // namespace conformance
