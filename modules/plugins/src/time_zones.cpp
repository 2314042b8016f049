#include "time_zones.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabase = "zoneinfo/";

/// Letters, digits and "_+-" in parts separated by "/": no path leads out of the database.
bool isZoneName(std::string_view name) {
  const auto allowed = [](unsigned char character) {
    return std::isalnum(character) != 0 || character == '_' || character == '+' ||
           character == '-' || character == '/';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed) && name.front() != '/' &&
         name.back() != '/' && name.find("//") == std::string_view::npos;
}

bool load(const std::string& name, NamedZone& out) {
  // "localtime" is whatever the system is set to, "right/…" counts leap seconds, and "Fixed/…" is the library's own.
  if (!isZoneName(name) || name == "localtime" || name.starts_with("right/") ||
      name.starts_with("Fixed/") || !cctz::load_time_zone(name, &out.zone)) {
    return false;
  }
  out.name = name;
  return true;
}

/// What a path like /usr/share/zoneinfo/Europe/Berlin names.
std::string nameInPath(const std::string& path) {
  const auto at = path.rfind(kDatabase);
  return at == std::string::npos ? std::string() : path.substr(at + kDatabase.size());
}

std::string fromEnvironment() {
  const char* value = std::getenv("TZ");  // NOLINT(concurrency-mt-unsafe): nothing sets it
  std::string text = value == nullptr ? "" : value;
  if (text.starts_with(':')) {
    text.erase(0, 1);
  }
  return text.starts_with('/') ? nameInPath(text) : text;
}

std::string fromTimezoneFile() {
  std::ifstream file("/etc/timezone");
  std::string line;
  std::getline(file, line);
  return line;
}

std::string fromLocaltimeLink() {
  std::error_code failure;
  return nameInPath(fs::canonical("/etc/localtime", failure).string());
}

NamedZone systemZone() {
  NamedZone out;
  for (const auto& name : {fromEnvironment(), fromLocaltimeLink(), fromTimezoneFile()}) {
    if (load(name, out)) {
      return out;
    }
  }
  return {"UTC", cctz::utc_time_zone()};
}

}  // namespace

Result<NamedZone> findZone(const std::string& name) {
  if (name.empty()) {
    return systemZone();
  }
  NamedZone out;
  if (!load(name, out)) {
    return Error{errc::kInvalidArgument,
                 fmt::format("\"{}\" is not a time zone of this system; give a name of the IANA "
                             "database such as \"Europe/Berlin\" or \"UTC\" (package tzdata)",
                             name)};
  }
  return out;
}

}  // namespace svc::plugins
