#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "commands/commands.h"
#include "exit_code.h"
#include "setting_values.h"
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

/// A secret's value `-` is read, not taken as it is.
Result<Json> typedValue(const Console& console, const std::string& key, const Json& descriptor,
                        const std::string& text) {
  if (!descriptor["secret"].asBool() || text != "-") {
    return parseSetting(descriptor, text);
  }
  auto secret = readSecret(console, key);
  return secret ? Result<Json>(Json(std::move(secret).value())) : std::move(secret).error();
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
    console.fail(unknownSetting(change.key), knownSettings(change.key, view["schema"]));
    return kExitNotFound;
  }
  if (!change.value) {
    return save(context, api.value(), id, change.key, Json());
  }
  auto value = typedValue(console, change.key, *descriptor, *change.value);
  if (!value) {
    console.fail(value.error());
    return exitCodeFor(value.error().code.name());
  }
  return save(context, api.value(), id, change.key, std::move(value).value());
}

}  // namespace svc::client
