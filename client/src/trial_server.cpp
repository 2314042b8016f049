#include "trial_server.h"

#include <poll.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp

#include <cerrno>
#include <csignal>
#include <fstream>
#include <utility>

#include "svc/base/environment.h"
#include "svc/base/fd.h"
#include "svc/base/marked_processes.h"
#include "svc/base/system_error.h"

#include "looks.h"
#include "processes.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using common::Json;

constexpr auto kTrialStart = 60s;
constexpr auto kTrialEnd = 10s;
/// Of one question; none of them waits for the plugin.
constexpr auto kTrialAnswer = 10s;
/// A load that was asked for has begun by then.
constexpr auto kTrialLoadBegins = 2s;

/// A directory that goes with everything in it.
class PassingDirectory {
 public:
  static Result<PassingDirectory> make() {
    std::error_code failure;
    const auto parent = fs::temp_directory_path(failure);
    auto pattern = (failure ? fs::path("/tmp") : parent) / "svc-trial-XXXXXX";
    auto text = pattern.string();
    if (::mkdtemp(text.data()) == nullptr) {
      return base::systemError("no directory can be made for the server of the test: " + text,
                               errno);
    }
    return PassingDirectory(fs::path(text));
  }
  PassingDirectory(PassingDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PassingDirectory& operator=(PassingDirectory&&) = delete;
  PassingDirectory(const PassingDirectory&) = delete;
  PassingDirectory& operator=(const PassingDirectory&) = delete;
  ~PassingDirectory() {
    if (!path_.empty()) {
      std::error_code ignored;
      fs::remove_all(path_, ignored);
    }
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  explicit PassingDirectory(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

/// What the person has set for another server is not the plugin's business. Who builds is.
base::Environment trialEnvironment() {
  auto environment = base::currentEnvironment();
  std::erase_if(environment, [](const auto& variable) {
    return variable.first.starts_with("SVC_") && variable.first != "SVC_BUILD_NODE";
  });
  environment.erase(base::kProcessMark);
  return environment;
}

}  // namespace

bool TrialServer::interrupted() const {
  pollfd entry{.fd = interrupts_, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) > 0;
}

Result<base::ChildProcess> TrialServer::start(const fs::path& data, std::string& url) const {
  const auto program = context_.environment.program_dir / "svcd";
  const auto config = data / "config.json";
  std::ofstream(config) << "{}\n";
  auto output = base::makePipe();
  if (!output) {
    return std::move(output).error();
  }
  const int said = output.value().write.get();
  auto server =
      base::spawn({.argv = {program.string(), "--data-dir", (data / "data").string(), "--config",
                            config.string(), "--listen", "127.0.0.1:0", "--hosts.local=false"},
                   .environment = trialEnvironment(),
                   .out = said,
                   .err = said,
                   .group = base::ProcessGroup::kOwn,
                   .parent_death_signal = SIGTERM,
                   .ignores_sigpipe = true});
  if (!server) {
    return server.error().code == errc::kNotFound
               ? Error{errc::kNotFound,
                       "there is no svcd beside this program (" + program.string() + ")"}
               : std::move(server).error();
  }
  output.value().write.reset();
  auto ready = awaitReady(output.value().read.get(), kTrialStart, interrupts_);
  if (!ready) {
    static_cast<void>(server.value().terminate(kTrialEnd));
    return std::move(ready).error();
  }
  url = std::move(ready).value();
  return server;
}

Result<Json> TrialServer::ask(Api& api, const HttpRequest& request) const {
  if (interrupted()) {
    return Error{errc::kAborted, "interrupted"};
  }
  auto reply = api.call(request);
  if (!reply) {
    return std::move(reply).error();
  }
  if (!reply.value().ok()) {
    return Error{errc::kUnavailable, reply.value().message()};
  }
  return std::move(reply.value().json);
}

Result<std::string> TrialServer::installOn(Api& api, const fs::path& root) const {
  const auto body = Json::object().set("source", "path:" + root.string()).dump();
  auto answer = ask(api, {.method = "POST",
                          .target = "/api/v1/plugins/install",
                          .body = body,
                          .timeout = kTrialAnswer,
                          .respond_async = true});
  for (int look = 0;; ++look) {
    if (!answer) {
      return std::move(answer).error();
    }
    const auto& job = answer.value()["job"];
    const auto& state = job["state"].asString();
    if (state == "succeeded") {
      return job["pluginId"].asString();
    }
    if (state != "queued" && state != "running") {
      return Error{errc::kUnavailable, job["error"]["message"].asString()};
    }
    context_.sleep(pauseAfterLook(look));
    answer = ask(api, {"GET", "/api/v1/plugins/install-jobs/" + percentEncode(job["id"].asString()),
                       "", kTrialAnswer});
  }
}

Result<Json> TrialServer::awaitLoad(Api& api, const std::string& path) const {
  for (int look = 0;; ++look) {
    auto found = ask(api, {"GET", path, "", kTrialAnswer});
    if (!found) {
      return std::move(found).error();
    }
    if (found.value()["plugin"]["status"].asString() != "starting") {
      return found.value()["plugin"];
    }
    context_.sleep(pauseAfterLook(look));
  }
}

Status TrialServer::save(Api& api, const std::string& path, const Json& schema,
                         const std::vector<TypedSetting>& settings) const {
  auto values = Json::object();
  for (const auto& [key, text] : settings) {
    const auto* const descriptor = schema.find(key);
    if (descriptor == nullptr) {
      return Error{codes::kUsage, unknownSetting(key).message + ": " + knownSettings(key, schema)};
    }
    auto value = parseSetting(*descriptor, text);
    if (!value) {
      return Error{codes::kUsage, key + ": " + value.error().message};
    }
    values.set(key, std::move(value).value());
  }
  const auto saved =
      ask(api, {"PUT", path, Json::object().set("values", std::move(values)).dump(), kTrialAnswer});
  return saved ? Status() : Status(saved.error());
}

Result<Trial> TrialServer::tryOn(Api& api, const fs::path& root,
                                 const std::vector<TypedSetting>& settings) const {
  const auto id = installOn(api, root);
  if (!id) {
    return id.error();
  }
  const auto path = "/api/v1/plugins/" + percentEncode(id.value());
  Trial trial;
  auto record = awaitLoad(api, path);
  auto view = ask(api, {"GET", path + "/settings", "", kTrialAnswer});
  if (record && view && !settings.empty()) {
    if (auto saved = save(api, path + "/settings", view.value()["schema"], settings); !saved) {
      return std::move(saved).error();
    }
    // A save loads only a plugin that waits for its settings, and nobody tells when. How a load goes that takes longer is in the record.
    static_cast<void>(ask(api, {"POST", "/api/v1/plugins/reload?id=" + percentEncode(id.value()),
                                "{}", kTrialLoadBegins}));
    record = awaitLoad(api, path);
    view = ask(api, {"GET", path + "/settings", "", kTrialAnswer});
  }
  if (!record) {
    return std::move(record).error();
  }
  trial.record = std::move(record).value();
  // A plugin that failed before it said what can be set has no settings to tell of.
  if (view) {
    trial.unset = unsetSettings(view.value()["schema"], view.value()["values"]);
  }
  return trial;
}

Result<Trial> TrialServer::install(const fs::path& root,
                                   const std::vector<TypedSetting>& settings) {
  auto directory = PassingDirectory::make();
  if (!directory) {
    return std::move(directory).error();
  }
  std::string url;
  auto server = start(directory.value().path(), url);
  if (!server) {
    return std::move(server).error();
  }
  auto api = Api::open({.server = url, .data_dir = (directory.value().path() / "data").string()},
                       context_.environment, context_.connector);
  auto trial = api ? tryOn(api.value(), root, settings) : Result<Trial>(api.error());
  static_cast<void>(server.value().terminate(kTrialEnd));
  return trial;
}

}  // namespace svc::client
