#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "svc/common/json.h"

namespace svc::skillfiles {

struct YamlDocument {
  common::Json value;
  /// The line of each key of the outermost mapping, from 1.
  std::map<std::string, int, std::less<>> lines;
};

struct YamlProblem {
  int line = 1;
  std::string message;
};

/// One YAML document as JSON, with the scalars of YAML 1.2's core schema. No anchors, aliases, tags, duplicate keys; keys are scalars.
[[nodiscard]] std::variant<YamlDocument, YamlProblem> parseYaml(std::string_view text);

}  // namespace svc::skillfiles
