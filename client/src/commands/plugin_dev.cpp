#include <unistd.h>

#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "builder.h"
#include "commands/commands.h"
#include "commands/open_window.h"
#include "commands/request.h"
#include "dev_cockpit.h"
#include "dev_loop.h"
#include "exit_code.h"
#include "interruptible_builder.h"
#include "interrupts.h"
#include "npm_test_run.h"
#include "sdk_pins.h"
#include "terminal_keys.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// A load that builds first takes longer than other requests; the server bounds it, this only ends a lost connection.
constexpr auto kReloadWait = std::chrono::minutes(3);

/// At the end nobody waits for a server that does not answer.
constexpr auto kLastWait = std::chrono::seconds(2);

/// Finds the server anew for each request: it may have been started again elsewhere. A signal during a request ends
/// the process.
class DevRequests {
 public:
  DevRequests(const Context& context, const Interrupts& interrupts)
      : context_(context), interrupts_(interrupts) {}

  Result<Json> send(const HttpRequest& request) const {
    const Interrupts::EndAtOnce end(interrupts_, kExitOk);
    return sendLast(request);
  }
  /// Once more after the signal, which does not end this request: its wait is short.
  Result<Json> sendLast(const HttpRequest& request) const {
    auto api = Api::open(context_.choice, context_.environment, context_.connector);
    if (!api) {
      return std::move(api).error();
    }
    auto reply = api.value().call(request);
    if (!reply) {
      return std::move(reply).error();
    }
    if (!reply.value().ok()) {
      return Error{errc::kUnavailable, reply.value().message()};
    }
    return std::move(reply.value().json);
  }

  /// Empty without a server.
  std::string address() const {
    const auto found = locateServer(context_.choice, context_.environment);
    return found ? found.value().url : std::string();
  }

  Result<ShownWindow> show(const std::string& path) const {
    const Interrupts::EndAtOnce end(interrupts_, kExitOk);
    auto api = Api::open(context_.choice, context_.environment, context_.connector);
    if (!api) {
      return std::move(api).error();
    }
    ShownWindow shown;
    const auto url = api.value().address().url;
    const auto reply = showWindow(context_, api.value(), url, true, shown, path);
    if (!reply) {
      return reply.error();
    }
    return reply.value().ok() ? Result<ShownWindow>(std::move(shown))
                              : Error{errc::kUnavailable, reply.value().message()};
  }

 private:
  const Context& context_;
  const Interrupts& interrupts_;
};

/// Lines of the plugin's log behind one of them.
Result<Json> readLog(const DevRequests& requests, const std::string& plugin_id,
                     std::optional<std::int64_t> line, std::size_t most) {
  const auto after = line ? fmt::format("&after={}", *line) : std::string();
  return requests.send(
      {"GET", pluginPath(plugin_id, fmt::format("/logs?tail={}{}", most, after)), ""});
}

class DevServer final : public IDevServer {
 public:
  explicit DevServer(const DevRequests& requests) : requests_(requests) {}

  /// Windows show more of what fails in a plugin that is being developed.
  void renewSession(const std::string& plugin_id) const {
    static_cast<void>(
        requests_.send({"PUT", pluginPath(plugin_id, "/dev-session"), problems_.dump()}));
  }
  void endSession(const std::string& plugin_id) const {
    static_cast<void>(
        requests_.sendLast({"DELETE", pluginPath(plugin_id, "/dev-session"), "", kLastWait}));
  }

  Result<Json> reload(const std::string& plugin_id) override {
    renewSession(plugin_id);
    auto reply = requests_.send(
        {"POST", "/api/v1/plugins/reload?id=" + percentEncode(plugin_id), "{}", kReloadWait});
    if (!reply) {
      return std::move(reply).error();
    }
    const auto& plugins = reply.value()["plugins"].items();
    return plugins.empty() ? Json() : plugins.front();
  }

  Status setProblems(const std::string& plugin_id,
                     const std::vector<DevProblem>& problems) override {
    auto list = Json::array();
    for (const auto& problem : problems) {
      list.push(Json::object()
                    .set("kind", std::string(targetName(problem.target)))
                    .set("message", problem.message));
    }
    problems_ = Json::object().set("problems", std::move(list));
    // Before the change of the record, of which windows hear.
    renewSession(plugin_id);
    const auto reply =
        requests_.send({"PUT", pluginPath(plugin_id, "/dev-problems"), problems_.dump()});
    return reply ? Status() : Status(reply.error());
  }

  Result<std::string> uiFailure(const std::string& plugin_id) override {
    renewSession(plugin_id);
    const auto reply = requests_.send({"GET", pluginPath(plugin_id), ""});
    if (!reply) {
      return reply.error();
    }
    for (const auto& problem : reply.value()["plugin"]["problems"].items()) {
      if (problem["code"].asString() == "ui_failed") {
        return problem["message"].asString();
      }
    }
    return std::string();
  }

  std::vector<std::string> windowFailures(const std::string& plugin_id) override {
    const auto page = readLog(requests_, plugin_id, last_line_, last_line_ ? kMostFailures : 0);
    if (!page) {
      return {};
    }
    last_line_ = page.value()["cursor"].asInteger();
    std::vector<std::string> failures;
    for (const auto& line : page.value()["lines"].items()) {
      if (const auto entry = Json::parse(line.asString());
          entry && isWindowFailure(entry.value())) {
        failures.push_back(windowFailureText(entry.value()));
      }
    }
    return failures;
  }

 private:
  /// Lines of the log that are read at once.
  static constexpr std::size_t kMostFailures = 200;

  const DevRequests& requests_;
  std::optional<std::int64_t> last_line_;
  /// The builds that fail now.
  Json problems_ = Json::object().set("problems", Json::array());
};

class CockpitServer final : public ICockpitServer {
 public:
  CockpitServer(const DevRequests& requests, std::string plugin_id)
      : requests_(requests), plugin_id_(std::move(plugin_id)) {}

  std::string pageAddress() override {
    const auto url = requests_.address();
    return url.empty() ? url : url + page();
  }
  Result<Json> logAfter(std::optional<std::int64_t> line, std::size_t most) override {
    return readLog(requests_, plugin_id_, line, most);
  }
  Result<std::string> inspect() override {
    const auto reply = requests_.send({"POST", pluginPath(plugin_id_, "/inspector"), "{}"});
    if (!reply) {
      return reply.error();
    }
    return fmt::format("Open it in Chrome or Edge: {}", reply.value()["devtoolsUrl"].asString());
  }
  Result<std::string> openPage() override {
    const auto shown = requests_.show(page());
    if (!shown) {
      return shown.error();
    }
    if (!shown.value().opened.empty()) {
      return "The page opens in your browser: " + shown.value().opened;
    }
    return fmt::format(
        "No browser of this desktop can be used. Open {}\n"
        "or, where that asks for a link, this one, which is good once, for five minutes: {}",
        pageAddress(), shown.value().link);
  }

 private:
  [[nodiscard]] std::string page() const { return "/plugins/" + percentEncode(plugin_id_); }

  const DevRequests& requests_;
  std::string plugin_id_;
};

/// The plugin installed from this directory; null when there is none.
const Json* installedFrom(const Json& plugins, const fs::path& root) {
  for (const auto& record : plugins.items()) {
    std::error_code ignored;
    const auto installed = fs::canonical(record["rootDir"].asString(), ignored);
    if (!ignored && installed == root) {
      return &record;
    }
  }
  return nullptr;
}

constexpr const char* kHowToBegin =
    "name the directory of a plugin (svc plugin dev <path>); `svc plugin new <id>` makes one";

int refuse(const Console& console, const std::string& message, const std::string& hint) {
  console.fail(Error{errc::kNotFound, message}, hint);
  return kExitNotFound;
}

/// A person who can press keys and read what comes meanwhile.
struct AtTerminal {
  AtTerminal(const DevRequests& requests, const DevLoop::Plugin& plugin, const Console& console)
      : server(requests, plugin.id),
        tests(plugin.root, STDOUT_FILENO),
        cockpit(plugin.id, console, {server, keys, tests}) {}

  CockpitServer server;
  TerminalKeys keys{STDIN_FILENO};
  NpmTestRun tests;
  DevCockpit cockpit;
};

int develop(const Context& context, const DevLoop::Plugin& plugin) {
  const auto& console = context.console;
  const Interrupts interrupts;
  const DevRequests requests(context, interrupts);
  InterruptibleBuilder builder(builderOptions(context.environment), interrupts);
  DevServer server(requests);
  std::optional<AtTerminal> person;
  if (console.in_terminal && console.out_terminal && !console.json) {
    person.emplace(requests, plugin, console);
    person->cockpit.begin();
  }
  // What windows said before is not of this session.
  static_cast<void>(server.windowFailures(plugin.id));
  FileWatcher watcher(
      {.root = plugin.root,
       .interrupts = interrupts.descriptor(),
       .others = [&person] { return person ? person->cockpit.descriptors() : std::vector<int>(); },
       .warn = [&](const std::string& text) { console.complain("warning: " + text); }});
  const auto code =
      DevLoop(plugin, console,
              {watcher, builder, server, [] { return std::chrono::steady_clock::now(); },
               person ? &person->cockpit : nullptr})
          .run();
  server.endSession(plugin.id);
  return code;
}

}  // namespace

int pluginDev(Context& context, const std::string& path) {
  const auto& console = context.console;
  const auto shown = path.empty() ? "." : path;
  std::error_code failure;
  const auto root = fs::canonical(context.environment.working_dir / shown, failure);
  if (failure) {
    return refuse(console, fmt::format("{}: {}", shown, failure.message()), kHowToBegin);
  }
  const auto manifest = readPackageFile(root);
  if (!manifest) {
    return refuse(console, manifest.error().message, kHowToBegin);
  }
  if (declaredEntry(manifest.value().json, "server").empty()) {
    return refuse(console, root.string() + "/package.json is not a plugin's: svc.server is missing",
                  kHowToBegin);
  }
  auto api = Api::open(context.choice, context.environment, context.connector);
  const auto reply = api ? api.value().get("/plugins") : Result<Reply>(api.error());
  if (!reply) {
    return reportNoAnswer(console, reply.error());
  }
  if (!reply.value().ok()) {
    return reportFailure(console, reply.value());
  }
  const auto* const record = installedFrom(reply.value().json["plugins"], root);
  if (record == nullptr) {
    return refuse(console, root.string() + " is not installed", "svc plugin install " + shown);
  }
  const DevLoop::Plugin plugin{.id = (*record)["id"].asString(), .root = root};
  if (const auto sdk = readCarriedSdk(shareDir(context.environment))) {
    if (const auto warning = pinWarning(manifest.value().json, sdk.value()); !warning.empty()) {
      console.complain("warning: " + warning);
    }
  }
  if (!console.json) {
    console.out << startLine(plugin, manifest.value().json) << '\n' << std::flush;
  }
  return develop(context, plugin);
}

}  // namespace svc::client
