#include <fmt/format.h>

#include "svc/common/reserved_names.h"

#include "manifest.h"

namespace svc::plugins {
namespace {

char toLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char toUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool isIdCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

}  // namespace

std::string pluginIdOf(std::string_view package_name) {
  constexpr std::string_view kPrefix = "svc-plugin-";
  auto last = package_name.substr(package_name.rfind('/') + 1);
  if (last.starts_with(kPrefix)) {
    last.remove_prefix(kPrefix.size());
  }
  std::string out;
  bool in_run = false;
  for (const char raw : last) {
    const char c = toLower(raw);
    if (isIdCharacter(c)) {
      out += c;
      in_run = false;
    } else if (!in_run) {
      out += '-';
      in_run = true;
    }
  }
  const auto first = out.find_first_not_of('-');
  if (first == std::string::npos) {
    return {};
  }
  return out.substr(first, out.find_last_not_of('-') - first + 1);
}

bool isPluginId(std::string_view id) {
  return !id.empty() && pluginIdOf(fmt::format("svc-plugin-{}", id)) == id;
}

bool isReservedId(std::string_view plugin_id) { return common::isReservedPluginId(plugin_id); }

std::string titleOf(std::string_view plugin_id) {
  std::string out;
  bool word_starts = true;
  for (const char c : plugin_id) {
    if (c == '-') {
      out += ' ';
      word_starts = true;
    } else {
      out += word_starts ? toUpper(c) : c;
      word_starts = false;
    }
  }
  return out;
}

}  // namespace svc::plugins
