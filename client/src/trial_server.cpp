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

#include "processes.h"
#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using common::Json;

constexpr auto kTrialStart = 60s;
constexpr auto kTrialEnd = 10s;
constexpr auto kTrialLook = 100ms;
/// Of one question; none of them waits for the plugin.
constexpr auto kTrialAnswer = 10s;

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

Result<Json> TrialServer::installOn(Api& api, const fs::path& root) const {
  const auto body = Json::object().set("source", "path:" + root.string()).dump();
  auto answer = ask(api, {.method = "POST",
                          .target = "/api/v1/plugins/install",
                          .body = body,
                          .timeout = kTrialAnswer,
                          .respond_async = true});
  for (;;) {
    if (!answer) {
      return std::move(answer).error();
    }
    const auto& job = answer.value()["job"];
    const auto& state = job["state"].asString();
    if (state == "succeeded") {
      break;
    }
    if (state != "queued" && state != "running") {
      return Error{errc::kUnavailable, job["error"]["message"].asString()};
    }
    context_.sleep(kTrialLook);
    answer = ask(api, {"GET", "/api/v1/plugins/install-jobs/" + percentEncode(job["id"].asString()),
                       "", kTrialAnswer});
  }
  const auto id = answer.value()["job"]["pluginId"].asString();
  for (;;) {
    const auto found = ask(api, {"GET", "/api/v1/plugins/" + percentEncode(id), "", kTrialAnswer});
    if (!found) {
      return found.error();
    }
    const auto& record = found.value()["plugin"];
    if (record["status"].asString() != "starting") {
      return record;
    }
    context_.sleep(kTrialLook);
  }
}

Result<Json> TrialServer::install(const fs::path& root) {
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
  auto record = api ? installOn(api.value(), root) : Result<Json>(api.error());
  static_cast<void>(server.value().terminate(kTrialEnd));
  return record;
}

}  // namespace svc::client
