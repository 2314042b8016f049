#include "core_part.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"

#include "plugins_scripts.h"

namespace svc::plugins {
namespace {

using common::Json;
using common::RawJson;
using script::HostFunction;
using Weak = std::weak_ptr<Generation>;
using Text = Completion<std::string>;

/// Arguments of the key-value functions: JSON texts, one per line (compact JSON has no line
/// breaks). The first is the key; values stay bytes.
struct Lines {
  explicit Lines(std::string text) : rest(std::move(text)) {}

  std::string next() {
    const auto end = rest.find('\n');
    auto line = rest.substr(0, end);
    rest.erase(0, end == std::string::npos ? rest.size() : end + 1);
    return line;
  }
  std::string nextString() {
    const auto value = Json::parse(next());
    return value ? value.value().asString() : std::string();
  }
  /// An empty line is an absent value.
  std::optional<RawJson> nextValue() {
    auto line = next();
    return line.empty() ? std::nullopt : std::optional(RawJson(std::move(line)));
  }

  std::string rest;
};

Error notJson() { return {errc::kInvalidArgument, "the value is not valid JSON text"}; }

/// Fires `done` with the text that `convert` makes of the value.
template <class T, class Convert>
Completion<T> converted(Text done, Convert convert) {
  return [answer = std::move(done), convert](Result<T> result) mutable {
    if (result) {
      answer(convert(std::move(result).value()));
    } else {
      answer(std::move(result).error());
    }
  };
}

Completion<void> withoutValue(Text done) {
  return [answer = std::move(done)](Status status) mutable {
    if (status) {
      answer(std::string());
    } else {
      answer(std::move(status).error());
    }
  };
}

HostFunction synchronous(std::string name, decltype(HostFunction::sync) function) {
  return {.name = std::move(name), .sync = std::move(function)};
}

HostFunction asynchronous(std::string name, decltype(HostFunction::async) function) {
  return {.name = std::move(name), .async = std::move(function)};
}

std::string listText(const std::vector<std::string>& keys) {
  auto out = Json::array();
  for (const auto& key : keys) {
    out.push(key);
  }
  return out.dump();
}

void addStorage(std::vector<HostFunction>& out, const std::string& id,
                storage::IKeyValueStore& kv) {
  out.push_back(asynchronous("kv.get", [id, &kv](std::string argument, Text done) {
    kv.get(id, Lines(std::move(argument)).nextString(),
           converted<std::optional<RawJson>>(std::move(done), [](std::optional<RawJson> value) {
             return value ? std::move(*value).text() : std::string();
           }));
  }));
  out.push_back(asynchronous("kv.set", [id, &kv](std::string argument, Text done) {
    Lines lines(std::move(argument));
    auto key = lines.nextString();
    auto value = lines.nextValue();
    if (!value || !common::isValidJson(value->text())) {
      done(notJson());
      return;
    }
    kv.set(id, std::move(key), std::move(*value), withoutValue(std::move(done)));
  }));
  out.push_back(asynchronous("kv.remove", [id, &kv](std::string argument, Text done) {
    kv.remove(id, Lines(std::move(argument)).nextString(), withoutValue(std::move(done)));
  }));
  out.push_back(asynchronous("kv.list", [id, &kv](std::string argument, Text done) {
    kv.list(id, Lines(std::move(argument)).nextString(),
            converted<std::vector<std::string>>(std::move(done), listText));
  }));
  out.push_back(asynchronous("kv.compareAndSet", [id, &kv](std::string argument, Text done) {
    Lines lines(std::move(argument));
    auto key = lines.nextString();
    auto expected = lines.nextValue();
    auto next = lines.nextValue();
    if (next && !common::isValidJson(next->text())) {
      done(notJson());
      return;
    }
    kv.compareAndSet(id, std::move(key), std::move(expected), std::move(next),
                     converted<bool>(std::move(done), [](bool written) {
                       return std::string(written ? "true" : "false");
                     }));
  }));
}

Result<std::string> writeLog(const Weak& weak, const std::string& argument) {
  const auto generation = weak.lock();
  const auto line = Json::parse(argument);
  if (generation && line) {
    const auto& value = line.value();
    generation->logWithStack(value["level"].asString(), value["message"].asString(),
                             value["stack"].asString());
  }
  return std::string();
}

Result<std::string> reportProblem(const Weak& weak, const std::string& argument) {
  const auto generation = weak.lock();
  const auto problem = Json::parse(argument);
  if (generation && problem) {
    generation->addProblem(
        {problem.value()["code"].asString(), problem.value()["message"].asString()});
  }
  return std::string();
}

Result<std::string> needConfiguration(const Weak& weak, const std::string& argument) {
  const auto generation = weak.lock();
  const auto message = Json::parse(argument);
  if (generation && message) {
    generation->reportNeedsConfiguration(message.value().asString());
  }
  return std::string();
}

Result<std::string> reportUnsupported(const Weak& weak, const std::string& argument) {
  const auto generation = weak.lock();
  const auto member = Json::parse(argument);
  if (generation && member) {
    generation->addUnsupported(member.value().asString());
  }
  return std::string();
}

Result<std::string> setRegistration(const Weak& weak, const std::string& argument) {
  const auto generation = weak.lock();
  const auto registration = Json::parse(argument);
  if (generation && registration) {
    generation->setRegistration(registration.value()["kind"].asString(),
                                registration.value()["value"]);
  }
  return std::string();
}

Result<std::string> registerService(const Weak& weak, const std::string& name) {
  if (const auto generation = weak.lock()) {
    generation->addService(name);
  }
  return std::string();
}

std::string configText(const std::string& plugin_id, const ManagerSettings& settings) {
  return Json::object()
      .set("pluginId", plugin_id)
      .set("dataDir", settings.data.string())
      .set("kvKey", limits::kKvKey)
      .set("kvValue", limits::kKvValue)
      .set("settingValue", limits::kSettingValue)
      .dump();
}

}  // namespace

script::ScriptPart corePart() { return {"core", scripts::kCore}; }

std::vector<HostFunction> coreFunctions(const std::shared_ptr<Generation>& generation,
                                        storage::IKeyValueStore& kv,
                                        const ManagerSettings& settings) {
  const Weak weak = generation;
  const auto on_generation =
      [&weak](Result<std::string> (*action)(const Weak&, const std::string&)) {
        return [weak, action](const std::string& argument) { return action(weak, argument); };
      };
  std::vector<HostFunction> out;
  out.push_back(synchronous(
      "core.config", [text = configText(generation->pluginId(), settings)](const std::string&) {
        return Result<std::string>(text);
      }));
  out.push_back(synchronous("core.baseUrl", [url = settings.base_url](const std::string&) {
    return Result<std::string>(common::jsonString(url()));
  }));
  out.push_back(synchronous("core.appUrl", [url = settings.app_url](const std::string&) {
    return Result<std::string>(common::jsonString(url()));
  }));
  out.push_back(synchronous("service.register", on_generation(registerService)));
  out.push_back(synchronous("core.log", on_generation(writeLog)));
  out.push_back(synchronous("core.problem", on_generation(reportProblem)));
  out.push_back(synchronous("core.needsConfiguration", on_generation(needConfiguration)));
  out.push_back(synchronous("core.unsupported", on_generation(reportUnsupported)));
  out.push_back(synchronous("core.register", on_generation(setRegistration)));
  addStorage(out, generation->pluginId(), kv);
  return out;
}

}  // namespace svc::plugins
