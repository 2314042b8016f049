// The configuration of the server, as svcd itself reads it.
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/config_file.h"
#include "commands/request.h"
#include "commands/server_program.h"
#include "exit_code.h"
#include "processes.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// {configFile, dataDir, settings, problems, masked}. The error is what svcd says.
Result<Json> readSettings(const Context& context,
                          const std::optional<std::string>& config_file = std::nullopt) {
  const auto outcome = askServerProgram(context, {"--print-config"}, config_file);
  if (!outcome) {
    return outcome.error();
  }
  if (outcome.value().exit_code != 0) {
    auto message = manyLines(outcome.value().err);
    while (message.ends_with('\n')) {
      message.pop_back();
    }
    constexpr std::string_view kName = "svcd: ";
    return Error{errc::kInvalidArgument,
                 message.starts_with(kName) ? message.substr(kName.size()) : message};
  }
  return Json::parse(outcome.value().out);
}

int reportUnreadable(const Console& console, const Error& error) {
  console.fail(error, "`svcd --check` checks the configuration");
  return kExitFailure;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  if (what == with) {
    return text;
  }
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

std::string shown(const Json& value) {
  return value.isNull() ? "" : value.isString() ? value.asString() : value.dump();
}

const Json* findSetting(const Json& view, const std::string& key) {
  const auto& settings = view["settings"].items();
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const Json& setting) {
    return setting["key"].asString() == key;
  });
  return found == settings.end() ? nullptr : &*found;
}

/// True for what the file has under a name that is no setting, too: that can be taken out.
bool isProblem(const Json& view, const std::string& key) {
  const auto& problems = view["problems"].items();
  return std::any_of(problems.begin(), problems.end(),
                     [&](const Json& problem) { return problem["key"].asString() == key; });
}

int reportUnknownKey(const Console& console, const Json& view, const std::string& key) {
  std::vector<std::string> keys;
  for (const auto& setting : view["settings"].items()) {
    keys.push_back(setting["key"].asString());
  }
  const auto nearest = nearestName(key, keys);
  console.fail(
      Error{errc::kNotFound, fmt::format("there is no setting \"{}\"", oneLine(key))},
      nearest ? fmt::format("did you mean \"{}\"?", *nearest) : "`svc settings list` shows them");
  return kExitNotFound;
}

Result<Json> parseValue(const std::string& type, const std::string& text) {
  if (type == "boolean") {
    if (text != "true" && text != "false") {
      return Error{codes::kUsage, fmt::format("expected true or false, got \"{}\"", text)};
    }
    return Json(text == "true");
  }
  if (type == "number") {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc{} || parsed.ptr != end) {
      return Error{codes::kUsage, fmt::format("expected a whole number, got \"{}\"", text)};
    }
    return Json(number);
  }
  if (type == "json" || (type == "list" && text.starts_with('['))) {
    auto json = Json::parse(text);
    return json ? std::move(json)
                : Result<Json>(
                      Error{codes::kUsage, "the value is not JSON: " + json.error().message});
  }
  if (type == "list") {
    Json list = Json::array();
    for (std::size_t start = 0; start < text.size();) {
      const auto comma = std::min(text.find(',', start), text.size());
      list.push(text.substr(start, comma - start));
      start = comma + 1;
    }
    return list;
  }
  return Json(text);
}

constexpr const char* kReload = "/api/v1/system/config/reload";

/// Asks the running server to read its configuration again; true when that is all the key needs.
bool appliedNow(const Context& context, const std::string& key) {
  auto api = Api::open(context.choice, context.environment, context.connector);
  const auto reply = api ? api.value().call({"POST", kReload, "{}"}) : Result<Reply>(api.error());
  if (!reply || !reply.value().ok()) {
    return false;
  }
  const auto& waiting = reply.value().json["needRestart"].items();
  return std::none_of(waiting.begin(), waiting.end(),
                      [&](const Json& name) { return name.asString() == key; });
}

/// What stands in the way of the saved value, and what it takes to be used. `problems`: of other values, without which nothing starts.
void reportUse(const Context& context, const Json& view, const std::string& key, bool problems) {
  const auto& console = context.console;
  const auto* const setting = findSetting(view, key);
  const auto& origin = setting == nullptr ? std::string() : (*setting)["origin"].asString();
  if (origin == "flag" || origin == "environment") {
    console.err << fmt::format(
        "The {} overrides it: the value stays {}.\n",
        origin == "flag" ? "command line of the server" : "environment of the server",
        oneLine(shown((*setting)["value"])));
  } else if (lockOwner(dataDir(context.choice, context.environment))) {
    console.err << (appliedNow(context, key) ? "The running server uses it now.\n"
                    : problems
                        ? "The running server uses it when that is corrected and it is restarted.\n"
                        : "The running server uses it after `svc server restart`.\n");
  }
}

/// The messages about values that the server does not take, with `file` for the name of the draft. A value that a variable or
/// flag overrides now is one that a start without it reads.
std::vector<std::string> problemsOf(const Json& view, const fs::path& draft, const fs::path& file) {
  std::vector<std::string> messages;
  for (const auto* const list : {"problems", "masked"}) {
    for (const auto& problem : view[list].items()) {
      messages.push_back(replaced(problem["message"].asString(), draft.string(), file.string()));
    }
  }
  return messages;
}

/// What the draft has brought: what was wrong before does not keep a value from being saved, since several may have to be
/// corrected.
std::optional<std::string> newProblem(const Json& before, const Json& view, const fs::path& draft,
                                      const fs::path& file) {
  const auto known = problemsOf(before, file, file);
  for (auto& message : problemsOf(view, draft, file)) {
    if (std::find(known.begin(), known.end(), message) == known.end()) {
      return std::move(message);
    }
  }
  return std::nullopt;
}

void warnOfProblems(const Console& console, const std::vector<std::string>& problems) {
  for (const auto& message : problems) {
    console.err << "Warning: " << oneLine(message) << '\n';
  }
}

int saveFile(Context& context, const Json& before, const std::string& text,
             const std::string& key) {
  const fs::path file = before["configFile"].asString();
  const auto& console = context.console;
  auto draft = stageConfig(file, text);
  if (!draft) {
    console.fail(draft.error());
    return kExitFailure;
  }
  // The server judges the new file before it replaces the old one.
  const auto view = readSettings(context, draft.value().path().string());
  const auto& path = draft.value().path();
  const auto refused = view ? newProblem(before, view.value(), path, file)
                            : replaced(view.error().message, path.string(), file.string());
  if (refused) {
    console.fail(Error{codes::kUsage, *refused});
    return kExitUsage;
  }
  const auto problems = problemsOf(view.value(), path, file);
  if (auto status = draft.value().commit(); !status) {
    console.fail(status.error());
    return kExitFailure;
  }
  const auto* const setting = findSetting(view.value(), key);
  if (console.json) {
    console.out << Json::object()
                       .set("ok", true)
                       .set("configFile", file.string())
                       .set("setting", setting == nullptr ? Json() : *setting)
                       .dump()
                << '\n';
  } else {
    console.out << "Saved " << oneLine(file.string()) << ".\n";
  }
  warnOfProblems(console, problems);
  reportUse(context, view.value(), key, !problems.empty());
  return kExitOk;
}

/// What was to be removed is not there, which is what was wanted.
int reportNotSet(const Console& console, const Json& view, const Json& setting, const Error& why) {
  if (console.json) {
    console.out << Json::object()
                       .set("ok", true)
                       .set("configFile", view["configFile"])
                       .set("setting", setting)
                       .dump()
                << '\n';
  } else {
    console.out << oneLine(why.message) << ".\n";
  }
  return kExitOk;
}

}  // namespace

int settingsList(Context& context, bool origin) {
  const auto& console = context.console;
  const auto view = readSettings(context);
  if (!view) {
    return reportUnreadable(console, view.error());
  }
  if (console.json) {
    auto envelope = Json::object().set("ok", true);
    for (const auto& [name, value] : view.value().members()) {
      envelope.set(name, value);
    }
    console.out << envelope.dump() << '\n';
    return kExitOk;
  }
  Table table;
  table.add(origin ? std::vector<std::string>{"SETTING", "VALUE", "FROM"}
                   : std::vector<std::string>{"SETTING", "VALUE"});
  for (const auto& setting : view.value()["settings"].items()) {
    std::vector<std::string> row{setting["key"].asString(), shown(setting["value"])};
    if (row.back().empty()) {
      row.back() = "-";
    }
    if (origin) {
      const auto& from = setting["origin"].asString();
      row.push_back(from == "file" ? view.value()["configFile"].asString() : from);
    }
    table.add(std::move(row));
  }
  console.out << table.render(layoutFor(console));
  warnOfProblems(console, problemsOf(view.value(), {}, {}));
  return kExitOk;
}

int settingsGet(Context& context, const std::string& key) {
  const auto& console = context.console;
  const auto view = readSettings(context);
  if (!view) {
    return reportUnreadable(console, view.error());
  }
  const auto* const setting = findSetting(view.value(), key);
  if (setting == nullptr) {
    return reportUnknownKey(console, view.value(), key);
  }
  if (console.json) {
    console.out << Json::object().set("ok", true).set("setting", *setting).dump() << '\n';
  } else {
    console.out << oneLine(shown((*setting)["value"])) << '\n';
  }
  return kExitOk;
}

int settingsReload(Context& context) {
  return request(context, {"POST", kReload, "{}"}, [&](const Json& envelope) {
    const auto& console = context.console;
    if (console.json) {
      return static_cast<int>(kExitOk);
    }
    for (const auto& key : envelope["applied"].items()) {
      console.out << "Applied " << oneLine(key.asString()) << ".\n";
    }
    for (const auto& key : envelope["needRestart"].items()) {
      console.out << oneLine(key.asString()) << " waits for `svc server restart`.\n";
    }
    if (envelope["applied"].items().empty() && envelope["needRestart"].items().empty()) {
      console.out << "Nothing has changed.\n";
    }
    return static_cast<int>(kExitOk);
  });
}

int settingsSet(Context& context, const std::string& key, const std::optional<std::string>& value) {
  const auto& console = context.console;
  const auto view = readSettings(context);
  if (!view) {
    return reportUnreadable(console, view.error());
  }
  const auto* const setting = findSetting(view.value(), key);
  if (setting == nullptr && (value || !isProblem(view.value(), key))) {
    return reportUnknownKey(console, view.value(), key);
  }
  std::optional<Json> parsed;
  if (value) {
    auto result = parseValue((*setting)["type"].asString(), *value);
    if (!result) {
      console.fail(Error{codes::kUsage, key + ": " + result.error().message});
      return kExitUsage;
    }
    parsed = std::move(result).value();
  }
  auto text = editConfig(view.value()["configFile"].asString(), key, parsed);
  if (!text && text.error().code == errc::kNotFound) {
    return reportNotSet(console, view.value(), setting == nullptr ? Json() : *setting,
                        text.error());
  }
  if (!text) {
    console.fail(text.error());
    return kExitFailure;
  }
  return saveFile(context, view.value(), text.value(), key);
}

}  // namespace svc::client
