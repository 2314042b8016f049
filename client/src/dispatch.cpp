#include "dispatch.h"

#include <algorithm>
#include <array>
#include <istream>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/cli.h"
#include "svc/common/reserved_names.h"

#include "bundled.h"
#include "exit_code.h"
#include "option_stdin.h"
#include "sdk_pins.h"
#include "starting.h"
#include "table.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using std::chrono::milliseconds;

/// lim.cliProbe: how long each look-up may take, and the pause before the next one.
struct Probe {
  milliseconds timeout;
  milliseconds pause;
};
constexpr std::array kProbes{Probe{milliseconds(2000), milliseconds(150)},
                             Probe{milliseconds(4000), milliseconds(500)},
                             Probe{milliseconds(4000), milliseconds(0)}};

/// A server that is busy loading plugins may miss the first wait; one that refuses the connection is not there.
Result<Reply> probe(Api& api, const std::string& path, const Context& context) {
  for (std::size_t attempt = 0;; ++attempt) {
    auto reply = api.call({"GET", "/api/v1" + path, "", kProbes[attempt].timeout});
    const bool worth_retrying =
        !reply && (reply.error().code == errc::kTimeout || reply.error().code == errc::kAborted);
    if (!worth_retrying || attempt + 1 == kProbes.size()) {
      return reply;
    }
    context.sleep(kProbes[attempt].pause);
  }
}

int reportProbeFailure(const Console& console, const Error& error) {
  if (error.code == errc::kTimeout || error.code == errc::kAborted) {
    console.fail(Error{codes::kUnreachable, error.message + "; the command did not run"},
                 "`svc status` shows whether the server is well");
    return kExitUnreachable;
  }
  return reportNoAnswer(console, error);
}

bool asksForHelp(const std::vector<std::string>& argv) {
  const auto end = std::find(argv.begin(), argv.end(), "--");
  return std::any_of(argv.begin(), end,
                     [](const std::string& word) { return word == "--help" || word == "-h"; });
}

/// True when the words of a command's name begin `argv`.
bool startsWithCommand(const std::vector<std::string>& argv, const std::string& name) {
  std::string typed;
  for (const auto& word : argv) {
    typed += typed.empty() ? word : " " + word;
    if (typed == name) {
      return true;
    }
  }
  return false;
}

std::string helpText(const Json& registration, const std::vector<std::string>& argv) {
  const auto name = oneLine(registration["name"].asString());
  const auto& commands = registration["commands"].items();
  const auto chosen = [&](const Json& command) {
    return startsWithCommand(argv, command["name"].asString());
  };
  const bool one = std::any_of(commands.begin(), commands.end(), chosen);
  Table usages;
  for (const auto& command : commands) {
    if (!one || chosen(command)) {
      usages.add({"  " + oneLine(command["usage"].asString()), command["summary"].asString()});
    }
  }
  const auto summary = oneLine(registration["summary"].asString());
  auto text = fmt::format("svc {}{}\n", name, summary.empty() ? "" : " — " + summary);
  if (!usages.empty()) {
    text += "\nUsage:\n" + usages.render(Table::Layout::kAligned);
  }
  return text;
}

void writeWithLineEnd(std::ostream& out, const std::string& text) {
  out << text;
  if (!text.empty() && text.back() != '\n') {
    out << '\n';
  }
  out.flush();
}

/// For what fails: `--json` among the words of a plugin's command is the plugin's, and who reads that reads this, too.
Console failuresOf(const Context& context, const std::vector<std::string>& argv) {
  auto console = context.console;
  const auto options_end = std::find(argv.begin(), argv.end(), "--");
  console.json = console.json || std::find(argv.begin(), options_end, "--json") != options_end;
  return console;
}

Json commandBody(const Context& context, const std::vector<std::string>& argv) {
  Json words = Json::array();
  for (const auto& word : argv) {
    words.push(word);
  }
  Json body = Json::object();
  body.set("argv", std::move(words)).set("cwd", context.environment.working_dir.string());
  if (auto thread = context.environment.variable("SVC_THREAD_ID"); thread && !thread->empty()) {
    body.set("threadId", std::move(*thread));
  }
  if (auto project = context.environment.variable("SVC_PROJECT_ID"); project && !project->empty()) {
    body.set("projectId", std::move(*project));
  }
  if (auto plugin = callingPlugin(context); !plugin.empty()) {
    body.set("callerPluginId", std::move(plugin));
  }
  return body;
}

/// Runs the command and passes on what it printed.
int execute(Context& context, Api& api, const std::string& plugin_id,
            const std::vector<std::string>& argv) {
  const auto& console = context.console;
  const auto reply =
      callOnceStarted(context, api,
                      {"POST", "/api/v1/plugins/" + percentEncode(plugin_id) + "/cli",
                       commandBody(context, argv).dump(), limits::kCliClientWait});
  if (!reply) {
    return reportNoAnswer(failuresOf(context, argv), reply.error());
  }
  const auto& answer = reply.value();
  if (!answer.ok()) {
    return reportFailure(failuresOf(context, argv), answer);
  }
  if (console.json) {
    // Keep-alive line feeds may precede the answer; they are not part of it.
    console.showJson(answer.json.dump());
  } else {
    writeWithLineEnd(console.out, answer.json["stdout"].asString());
    writeWithLineEnd(console.err, answer.json["stderr"].asString());
  }
  return static_cast<int>(answer.json["exitCode"].asInteger(kExitFailure));
}

const Json* findRegistration(const Json& contributions, std::string_view key,
                             const std::string& value) {
  const auto& commands = contributions["cliCommands"].items();
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Json& entry) {
    return entry[key].asString() == value;
  });
  return found == commands.end() ? nullptr : &*found;
}

const Json* findRecord(const Json& envelope, const std::string& id) {
  const auto& records = envelope["plugins"].items();
  const auto found = std::find_if(records.begin(), records.end(), [&](const Json& record) {
    return record["id"].asString() == id;
  });
  return found == records.end() ? nullptr : &*found;
}

/// No plugin offers the command: says whether one of that name would, were it running.
int reportUnknownCommand(const Context& context, const Console& console, const Json& plugins,
                         const Json& contributions, const std::string& name) {
  const auto caller = callingPlugin(context);
  const auto* const own = findRecord(plugins, caller);
  if (own != nullptr && (*own)["status"].asString() == "starting") {
    const auto loading = fmt::format(
        "plugin \"{}\" is still loading; its own commands answer when its factory has returned",
        caller);
    if (name == caller) {
      console.fail(Error{errc::kPluginNotRunning, loading});
      return kExitFailure;
    }
    console.fail(Error{codes::kUsage, fmt::format("unknown command \"{}\"", name)}, loading);
    return kExitUsage;
  }
  if (const auto* const record = findRecord(plugins, name)) {
    const auto& status = (*record)["status"].asString();
    if (status != "running") {
      const auto& detail = (*record)["statusDetail"].asString();
      console.fail(Error{errc::kPluginNotRunning, fmt::format("plugin \"{}\" is {}{}", name, status,
                                                              detail.empty() ? "" : ": " + detail)},
                   detail.starts_with("safe mode is on")
                       ? "`svc plugin safe-mode off` loads it again"
                   : status == "disabled" ? "`svc plugin enable " + name + "` starts it"
                   : status == "starting" ? "it has been starting for a minute; `svc plugin logs " +
                                                name + "` shows what it does"
                                          : "`svc plugin show " + name + "` shows its last error");
      return kExitFailure;
    }
  }
  if (isBundled(shareDir(context.environment), name)) {
    console.fail(Error{codes::kUsage, fmt::format("unknown command \"{}\"", name)},
                 fmt::format("it is of a plugin that comes with svc and is not installed: `svc "
                             "plugin install builtin:{}`",
                             name));
    return kExitUsage;
  }
  std::vector<std::string> names(common::kCoreNames.begin(), common::kCoreNames.end());
  for (const auto& entry : contributions["cliCommands"].items()) {
    names.push_back(entry["name"].asString());
  }
  const auto nearest = nearestName(name, names);
  console.fail(Error{codes::kUsage, fmt::format("unknown command \"{}\"", name)},
               nearest ? fmt::format("did you mean `svc {}`?", *nearest)
                       : "`svc --help` lists the commands, `svc plugin list` those of plugins");
  return kExitUsage;
}

/// Help, option expansion and execution, once the plugin is known.
int runRegistered(Context& context, Api& api, const std::string& plugin_id,
                  const Json* registration, std::vector<std::string> argv) {
  if (registration != nullptr && asksForHelp(argv) && !(*registration)["rendersHelp"].asBool()) {
    context.console.out << helpText(*registration, argv);
    return kExitOk;
  }
  const auto failures = failuresOf(context, argv);
  auto expanded =
      expandOptionStdin(std::move(argv), context.console.in, context.console.in_terminal);
  if (!expanded) {
    failures.fail(expanded.error());
    return kExitUsage;
  }
  return execute(context, api, plugin_id, expanded.value());
}

}  // namespace

int dispatchCommand(Context& context, const std::string& name, std::vector<std::string> argv) {
  const auto failures = failuresOf(context, argv);
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(failures, api.error());
  }
  const Json* registration = nullptr;
  Result<Reply> contributions = Error{errc::kInternal, "not asked yet"};
  const auto found = [&] {
    contributions = probe(api.value(), "/plugins/contributions", context);
    const bool answered = contributions && contributions.value().ok();
    registration = answered ? findRegistration(contributions.value().json, "name", name) : nullptr;
    return !answered || registration != nullptr;
  };
  // The plugin that will offer it may not be loaded yet.
  const auto plugins =
      found() ? Result<Reply>(Reply{}) : awaitStarting(context, api.value(), found, name);
  if (!contributions) {
    return reportProbeFailure(failures, contributions.error());
  }
  if (!contributions.value().ok()) {
    return reportFailure(failures, contributions.value());
  }
  if (registration == nullptr) {
    return reportUnknownCommand(context, failures, plugins ? plugins.value().json : Json(),
                                contributions.value().json, name);
  }
  return runRegistered(context, api.value(), (*registration)["pluginId"].asString(), registration,
                       std::move(argv));
}

int runPlugin(Context& context, const std::string& plugin_id, std::vector<std::string> argv) {
  const auto failures = failuresOf(context, argv);
  auto api = Api::open(context.choice, context.environment, context.connector);
  if (!api) {
    return reportNoAnswer(failures, api.error());
  }
  if (!asksForHelp(argv)) {
    // Only help needs the metadata; everything else goes straight to the plugin.
    return runRegistered(context, api.value(), plugin_id, nullptr, std::move(argv));
  }
  const auto contributions = probe(api.value(), "/plugins/contributions", context);
  if (!contributions) {
    return reportProbeFailure(failures, contributions.error());
  }
  const auto* const registration =
      findRegistration(contributions.value().json, "pluginId", plugin_id);
  return runRegistered(context, api.value(), plugin_id, registration, std::move(argv));
}

}  // namespace svc::client
