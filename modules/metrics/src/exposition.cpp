#include "exposition.h"

#include <iterator>

#include <fmt/format.h>

namespace svc::metrics {
namespace {

void appendEscaped(std::string& out, std::string_view value) {
  for (const char c : value) {
    switch (c) {
      case '\\':
        out += R"(\\)";
        break;
      case '"':
        out += R"(\")";
        break;
      case '\n':
        out += R"(\n)";
        break;
      default:
        out += c;
    }
  }
}

}  // namespace

void Exposition::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void Exposition::line(std::string_view suffix, double value, const Labels& labels) {
  text_ += name_;
  text_ += suffix;
  char separator = '{';
  for (const auto& [key, content] : labels) {
    text_ += separator;
    text_ += key;
    text_ += "=\"";
    appendEscaped(text_, content);
    text_ += '"';
    separator = ',';
  }
  fmt::format_to(std::back_inserter(text_), "{} {}\n", labels.empty() ? "" : "}", value);
}

}  // namespace svc::metrics
