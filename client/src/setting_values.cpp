#include "setting_values.h"

#include <termios.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <istream>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/storage.h"

#include "text.h"

namespace svc::client {
namespace {

using common::Json;

/// Keeps what is typed off the screen while it lives.
class EchoOff {
 public:
  EchoOff() : active_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (active_) {
      auto quiet = before_;
      quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
      active_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
    }
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;
  ~EchoOff() {
    if (active_) {
      ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    }
  }

 private:
  termios before_{};
  bool active_ = false;
};

Result<Json> parseNumber(const std::string& text) {
  double number = 0;
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(number)) {
    return Error{codes::kUsage, fmt::format("expected a number, got \"{}\"", text)};
  }
  const auto whole = Json::parse(text);
  return whole && whole.value().isNumber() ? whole.value() : Json(number);
}

}  // namespace

Result<std::vector<TypedSetting>> typedSettings(const Console& console,
                                                const std::vector<std::string>& texts) {
  std::vector<TypedSetting> settings;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{codes::kUsage, fmt::format("expected key=value, got \"{}\"", oneLine(text))};
    }
    TypedSetting setting{.key = text.substr(0, equals), .value = text.substr(equals + 1)};
    if (setting.value == "-") {
      auto read = readSecret(console, setting.key);
      if (!read) {
        return Error{codes::kUsage, oneLine(setting.key) + ": there is no value on standard input"};
      }
      setting.value = std::move(read).value();
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

Result<Json> parseSetting(const Json& descriptor, const std::string& text) {
  const auto& type = descriptor["type"].asString();
  if (type == "boolean") {
    if (text != "true" && text != "false") {
      return Error{codes::kUsage, fmt::format("expected true or false, got \"{}\"", text)};
    }
    return Json(text == "true");
  }
  if (type == "number") {
    return parseNumber(text);
  }
  return Json(text);
}

std::string knownSettings(const std::string& key, const Json& schema) {
  std::vector<std::string> keys;
  std::string list;
  for (const auto& [name, descriptor] : schema.members()) {
    keys.push_back(name);
    list += (list.empty() ? "" : ", ") + oneLine(name);
  }
  const auto nearest = nearestName(key, keys);
  return nearest        ? fmt::format("did you mean \"{}\"?", *nearest)
         : list.empty() ? std::string("the plugin has no settings")
                        : "its settings are " + list;
}

Error unknownSetting(const std::string& key) {
  return {errc::kNotFound, fmt::format("there is no setting \"{}\"", oneLine(key))};
}

std::vector<std::string> unsetSettings(const Json& schema, const Json& values) {
  std::vector<std::string> keys;
  for (const auto& [name, descriptor] : schema.members()) {
    const auto* const value = values.find(name);
    const bool is_set = descriptor["secret"].asBool()
                            ? value != nullptr && (*value)["set"].asBool()
                            : value != nullptr || descriptor.find("default") != nullptr;
    if (!is_set) {
      keys.push_back(name);
    }
  }
  return keys;
}

Result<std::string> readSecret(const Console& console, const std::string& key) {
  std::string value;
  if (console.in_terminal) {
    console.err << "Value of " << oneLine(key) << ": " << std::flush;
    {
      const EchoOff quiet;
      std::getline(console.in, value);
    }
    console.err << '\n';
  } else {
    for (char c = 0; value.size() <= limits::kSettingValue && console.in.get(c);) {
      value += c;
    }
    if (value.ends_with('\n')) {
      value.pop_back();
    }
    if (value.ends_with('\r')) {
      value.pop_back();
    }
  }
  if (value.empty()) {
    return Error{codes::kUsage, "standard input has no value; `unset` removes a setting"};
  }
  if (!common::isUtf8(value)) {
    return Error{codes::kUsage,
                 "standard input is not UTF-8 text; encode it, as Base64 for example"};
  }
  return value;
}

}  // namespace svc::client
