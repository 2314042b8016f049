#include <filesystem>
#include <ostream>

#include <fmt/format.h>

#include "builder.h"
#include "commands/commands.h"
#include "dev_loop.h"
#include "exit_code.h"
#include "interrupts.h"
#include "sdk_pins.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// A load that builds first takes longer than other requests; the server bounds it, this only ends a lost connection.
constexpr auto kReloadWait = std::chrono::minutes(3);

/// Finds the server anew for each request: it may have been started again elsewhere. A signal during a request ends
/// the process.
class DevServer final : public IDevServer {
 public:
  DevServer(const Context& context, const Interrupts& interrupts)
      : context_(context), interrupts_(interrupts) {}

  Result<Json> reload(const std::string& plugin_id) override {
    auto reply =
        send({"POST", "/api/v1/plugins/reload?id=" + percentEncode(plugin_id), "{}", kReloadWait});
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
    const auto reply = send({"PUT", "/api/v1/plugins/" + percentEncode(plugin_id) + "/dev-problems",
                             Json::object().set("problems", std::move(list)).dump()});
    return reply ? Status() : Status(reply.error());
  }

  Result<std::string> uiFailure(const std::string& plugin_id) override {
    const auto reply = send({"GET", "/api/v1/plugins/" + percentEncode(plugin_id), ""});
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

 private:
  Result<Json> send(const HttpRequest& request) {
    const Interrupts::EndAtOnce end(interrupts_, kExitOk);
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

  const Context& context_;
  const Interrupts& interrupts_;
};

/// A signal during a build ends the process, and the builder ends with its input.
class DevBuilder final : public IDevBuilder {
 public:
  DevBuilder(const Environment& environment, const Interrupts& interrupts)
      : builder_(builderOptions(environment)), interrupts_(interrupts) {}
  Result<common::BuildReport> build(const common::BuildRequest& request) override {
    const Interrupts::EndAtOnce end(interrupts_, kExitOk);
    return builder_.build(request);
  }

 private:
  common::BundleBuilder builder_;
  const Interrupts& interrupts_;
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
  const Interrupts interrupts;
  DevBuilder builder(context.environment, interrupts);
  DevServer server(context, interrupts);
  FileWatcher watcher(
      {.root = root, .interrupts = interrupts.descriptor(), .warn = [&](const std::string& text) {
         console.complain("warning: " + text);
       }});
  if (!console.json) {
    console.out << startLine(plugin, manifest.value().json) << '\n' << std::flush;
  }
  return DevLoop(plugin, console,
                 {watcher, builder, server, [] { return std::chrono::steady_clock::now(); }})
      .run();
}

}  // namespace svc::client
