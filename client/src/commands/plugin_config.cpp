#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "commands/commands.h"
#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;

std::string settingsPath(const std::string& id) {
  return "/plugins/" + percentEncode(id) + "/settings";
}

std::string shownValue(const Json& descriptor, const Json* value) {
  if (descriptor["secret"].asBool()) {
    return value != nullptr && (*value)["set"].asBool() ? "[set]" : "[not set]";
  }
  if (value == nullptr) {
    return "[not set]";
  }
  return oneLine(value->isString() ? value->asString() : value->dump());
}

std::string shownType(const Json& descriptor) {
  auto out = oneLine(descriptor["type"].asString());
  if (descriptor["secret"].asBool()) {
    out += ", secret";
  }
  std::string options;
  for (const auto& option : descriptor["options"].items()) {
    options += (options.empty() ? ": " : " | ") + oneLine(option.asString());
  }
  return out + options;
}

/// `key = value  (type: options)  label`
std::string settingLine(const std::string& key, const Json& descriptor, const Json& values) {
  const auto label = oneLine(descriptor["label"].asString());
  return fmt::format("{} = {}  ({}){}\n", oneLine(key), shownValue(descriptor, values.find(key)),
                     shownType(descriptor), label.empty() ? "" : "  " + label);
}

void printView(const Console& console, const Json& view, const std::string& only = {}) {
  const auto& schema = view["schema"].members();
  if (schema.empty()) {
    console.out << "This plugin has no settings.\n";
  }
  for (const auto& [key, descriptor] : schema) {
    if (only.empty() || key == only) {
      console.out << settingLine(key, descriptor, view["values"]);
    }
  }
}

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

/// A line typed without echo, or everything a pipe has; one line break at its end is not part of it.
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
  return value;
}

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

/// The text as a value of the setting's type. Options and further rules are checked by the server.
Result<Json> parseValue(const Console& console, const std::string& key, const Json& descriptor,
                        const std::string& text) {
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
  if (descriptor["secret"].asBool() && text == "-") {
    auto secret = readSecret(console, key);
    return secret ? Result<Json>(Json(std::move(secret).value())) : std::move(secret).error();
  }
  return Json(text);
}

int unknownKey(const Console& console, const std::string& key, const Json& schema) {
  std::vector<std::string> keys;
  std::string list;
  for (const auto& [name, descriptor] : schema.members()) {
    keys.push_back(name);
    list += (list.empty() ? "" : ", ") + oneLine(name);
  }
  const auto nearest = nearestName(key, keys);
  console.fail(Error{errc::kNotFound, fmt::format("there is no setting \"{}\"", oneLine(key))},
               nearest        ? fmt::format("did you mean \"{}\"?", *nearest)
               : list.empty() ? std::string("the plugin has no settings")
                              : "its settings are " + list);
  return kExitNotFound;
}

int save(Context& context, Api& api, const std::string& id, const std::string& key, Json value) {
  const auto body = Json::object().set("values", Json::object().set(key, std::move(value))).dump();
  const auto reply = api.call({"PUT", "/api/v1" + settingsPath(id), body});
  if (!reply) {
    return reportNoAnswer(context.console, reply.error());
  }
  if (!reply.value().ok()) {
    if (reply.value().code() != errc::kInvalidInput.name()) {
      return reportFailure(context.console, reply.value());
    }
    // The plugin knows which values it takes, and this was none of them.
    const auto& refusal = reply.value().json["error"];
    Error wrong{codes::kUsage, reply.value().message()};
    wrong.issues = refusal["issues"].isNull() ? std::string() : refusal["issues"].dump();
    wrong.details = refusal["details"].isNull() ? std::string() : refusal["details"].dump();
    context.console.fail(wrong);
    return kExitUsage;
  }
  if (context.console.json) {
    context.console.out << reply.value().text << '\n';
  } else {
    printView(context.console, reply.value().json, key);
  }
  return kExitOk;
}

}  // namespace

int pluginConfig(Context& context, const std::string& id, const ConfigChange& change) {
  const auto& console = context.console;
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(console, api.error());
  }
  const auto reply = api.value().get(settingsPath(id));
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto& view = reply.value().json;
  if (change.key.empty()) {
    if (console.json) {
      console.out << reply.value().text << '\n';
    } else {
      printView(console, view);
    }
    return kExitOk;
  }
  const auto* const descriptor = view["schema"].find(change.key);
  if (descriptor == nullptr) {
    return unknownKey(console, change.key, view["schema"]);
  }
  if (!change.value) {
    return save(context, api.value(), id, change.key, Json());
  }
  auto value = parseValue(console, change.key, *descriptor, *change.value);
  if (!value) {
    console.fail(value.error());
    return exitCodeFor(value.error().code.name());
  }
  return save(context, api.value(), id, change.key, std::move(value).value());
}

}  // namespace svc::client
